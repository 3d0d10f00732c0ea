"""Words and where two sentences differ. Offsets are in characters of the given text."""

import difflib
import html
import re
import unicodedata

from pairwright.records import Change

# The combining marks below the Hangul block: Python's \w leaves them out, though they belong to the letter before.
_MARKS = "".join(char for char in map(chr, range(0x300, 0xAC00)) if unicodedata.category(char).startswith("M"))

# A word keeps inner hyphens, apostrophes and full stops between letters or digits: "25-ai", "žr.1.3.9", "d'accord".
TOKEN = re.compile(rf"\w[\w{_MARKS}]*(?:[-'’.,]\w[\w{_MARKS}]*)*|[^\w\s]")

# The full-width signs are formulas in East Asian spreadsheets.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def nfc(text: str) -> str:
    """Unicode normal form C, with the no-break spaces of web pages and Excel made plain spaces."""
    return unicodedata.normalize("NFC", text).replace("\u00a0", " ").replace("\u202f", " ")


def squeeze(text: str) -> str:
    """NFC text in one line without doubled or outer white space."""
    return " ".join(nfc(text).split())


def tokens(text: str) -> list[str]:
    """The words and punctuation marks of a text, in order."""
    return TOKEN.findall(text)


def words(text: str) -> list[str]:
    """The words of a text without punctuation marks."""
    return [token for token in TOKEN.findall(text) if token[0].isalnum()]


def comparison_key(text: str) -> str:
    """What stays equal when case, punctuation and white space change: the key of near-verbatim comparison."""
    return " ".join(word.casefold() for word in words(nfc(text)))


def sentence_key(text: str) -> str:
    """What stays equal when white space or the case of the first letter changes: the key of identical sentences."""
    line = squeeze(text)
    return line[:1].casefold() + line[1:]


def escape_markdown(text: str) -> str:
    """Text of unknown origin as one line of Markdown that shows it letter by letter, also inside a table cell.

    A run of white space becomes one space, also at the ends, so that pieces of a sentence can be joined.
    """
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", html.escape(re.sub(r"\s+", " ", text), quote=False))


def escape_csv_formula(text: str) -> str:
    """A text as a CSV cell that no spreadsheet program takes for a formula (OWASP, "CSV Injection").

    Such a text gets an apostrophe in front, even if apostrophes precede its sign, so that `unescape_csv_formula` can
    undo it.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_csv_formula(cell: str) -> str:
    """The text of a cell that `escape_csv_formula` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def changes(good: str, bad: str) -> tuple[Change, ...]:
    """The spans in which two sentences differ, token by token, in order.

    Returns one `Change` a differing span; where one side has nothing there, its words are empty.
    """
    good_tokens, bad_tokens = list(TOKEN.finditer(good)), list(TOKEN.finditer(bad))
    matcher = difflib.SequenceMatcher(
        None, [match.group() for match in good_tokens], [match.group() for match in bad_tokens], autojunk=False
    )
    found = []
    for tag, g0, g1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            continue
        good_start, good_end = _extent(good_tokens, g0, g1, len(good))
        bad_start, bad_end = _extent(bad_tokens, b0, b1, len(bad))
        found.append(
            Change(good=good[good_start:good_end], bad=bad[bad_start:bad_end], good_at=good_start, bad_at=bad_start)
        )
    return tuple(found)


def _extent(matches: list[re.Match[str]], first: int, last: int, end: int) -> tuple[int, int]:
    if first == last:
        start = matches[first].start() if first < len(matches) else end
        return start, start
    return matches[first].start(), matches[last - 1].end()
