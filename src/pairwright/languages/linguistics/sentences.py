"""Sentences as texts: brackets, marks of acceptability, differences, ends. Offsets are in characters of the given text.

Linguists put the mark before the sentence. A grammar of several speakers also puts it before their initials behind the
sentence: `(NK, *KM)`.
"""

import difflib
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from rapidfuzz.distance import Indel

from pairwright.core.records import Change, Gloss, MarkMeaning
from pairwright.core.text import TOKEN, words

_CLOSING = {"(": ")", "[": "]", "{": "}", "„": '“”"', "“": '”"', "”": "”", "«": "»", "»": "«", "‹": "›", '"': '"“”'}
_PAIRED = frozenset("".join([*_CLOSING, *_CLOSING.values()]))
_QUOTATION = re.compile(r"„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|»[^«»]*«|\"[^\"]*\"")
_ITEM_LETTER = re.compile(r"(?:^|\s)\w{1,2}$")


class UnbalancedError(ValueError):
    """A bracket is opened and never closed, or closed and never opened, at an offset of the text."""

    def __init__(self, offset: int) -> None:
        super().__init__("a bracket is not closed")
        self.offset = offset


def top_brackets(text: str) -> list[tuple[int, int]]:
    """The outermost brackets as (start, end) offsets. `1)` and `a)` are no brackets. Raises UnbalancedError."""
    spans, stack = [], []
    for offset, letter in enumerate(text):
        if letter in "([":
            stack.append((offset, _CLOSING[letter]))
        elif letter in ")]":
            if not stack and _ITEM_LETTER.search(text, max(0, offset - 4), offset):
                continue
            if not stack or stack[-1][1] != letter:
                raise UnbalancedError(offset)
            start, _ = stack.pop()
            if not stack:
                spans.append((start, offset + 1))
    if stack:
        raise UnbalancedError(stack[0][0])
    return spans


def split_top(text: str, separators: tuple[str, ...]) -> list[str]:
    """The parts of a text between separators outside brackets and quotations, stripped and not empty.

    Raises UnbalancedError.
    """
    spans = [*top_brackets(text), *(match.span() for match in _QUOTATION.finditer(text))]
    parts, start = [], 0
    for match in re.finditer("|".join(map(re.escape, separators)) or "(?!)", text):
        if not any(a < match.start() < b for a, b in spans):
            parts.append(text[start : match.start()])
            start = match.end()
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def unpaired(text: str) -> Iterator[tuple[str, int]]:
    """The brackets and quotation marks of a text that have no partner, with their offsets."""
    opened: list[tuple[str, int]] = []
    for index, char in enumerate(text):
        if char not in _PAIRED:
            continue
        if opened and char in _CLOSING[opened[-1][0]]:
            opened.pop()
        elif char in _CLOSING:
            opened.append((char, index))
        else:
            yield char, index
    yield from opened


# Typesetters have several stars.
STARS = "*∗⁎＊"
MARKS = STARS + "?#%†"
SIGNS = rf"(?:[{STARS}]\?|\?[{STARS}]|[{STARS}]{{1,2}}|\?{{1,3}}|\#|%|†)"
# What the marks mean unless the source says otherwise.
MEANINGS: dict[str, MarkMeaning] = {
    "*": "bad", "**": "bad", "*?": "bad", "?*": "bad", "??": "bad", "???": "bad",
    "?": "doubtful", "#": "other", "%": "other", "†": "other",
}  # fmt: skip
# Why the others make no pair by themselves.
WEAK = {
    "?": "marked '?': the source finds it odd and does not call it ungrammatical",
    "#": "marked '#': it is well formed, and wrong in its context or meaning only",
    "%": "marked '%': some speakers accept it",
    "†": "marked '†': the sign of old or extinct forms, not of ungrammatical ones",
}
ANY_STAR = re.compile(f"[{STARS}]")
# Before the words of a line of an example, also of one that has nothing else.
JUDGEMENT = re.compile(rf"^(?P<mark>{SIGNS})(?=\S|$)")
# Right before a form inside other text.
STARRED = re.compile(rf"(?<![\w{STARS}])[{STARS}]{{1,2}}\s?[-=(]?[^\W\d]")
_LEADING_MARK = re.compile(rf"^(?P<mark>{SIGNS}|\({SIGNS}\))(?=[^\s{STARS}])")

DISPUTED = "disputed"
_TAG = re.compile(rf"(?P<mark>[{MARKS}]*)\b[A-Z]{{1,4}}\b")
# A mark before a reading, not before a form: the form is good, but does not have this reading.
READING = re.compile(rf"(?:^|[\s,;/(]){SIGNS}\s*[‘“„«\"'‚]")


def split_mark(text: str) -> tuple[str, str]:
    """The mark at the beginning of a text, empty where there is none, and the text behind it."""
    match = _LEADING_MARK.match(text)
    return (match["mark"], text[match.end() :]) if match else ("", text)


def is_marked(gloss: Gloss) -> bool:
    """Whether an example has a mark, also where its reader left it before the sentence."""
    return bool(gloss.judgement or split_mark(gloss.object_line.lstrip())[0])


def tag_mark(source: str | None) -> str:
    """The mark by all speakers' tags behind a form; empty where none has one, DISPUTED where only some have."""
    marks = [plain_mark(tag["mark"]) for tag in _TAG.finditer(source or "")]
    if not all(marks):
        return DISPUTED if any(marks) else ""
    return "*" if "*" in marks else "".join(marks[:1])


def plain_mark(mark: str) -> str:
    """A mark with the common star."""
    return ANY_STAR.sub("*", mark)


def meaning(mark: str, own: Mapping[str, MarkMeaning] | None = None) -> MarkMeaning:
    """What a mark says of its form; `own` is what the source says of its marks, as `Source.marks`."""
    plain = plain_mark(mark)
    # In brackets, `(*)`, a mark is a doubt, too.
    unusual: MarkMeaning = "bad" if "*" in plain and not plain.startswith("(") else "doubtful"
    return (own or {}).get(plain) or MEANINGS.get(plain, unusual)


# In tokens; sentences are hardly ever as long.
_LONG = 100


def changes(good: str, bad: str) -> tuple[Change, ...]:
    """The spans in which two sentences differ, token by token, in order.

    Where a side has no words in a span, its text is empty and its offset is where they would stand.
    """
    good_tokens, bad_tokens = list(TOKEN.finditer(good)), list(TOKEN.finditer(bad))
    good_words, bad_words = ([match[0] for match in tokens] for tokens in (good_tokens, bad_tokens))
    matching: Iterable[tuple[int, int, int]]
    if max(len(good_words), len(bad_words)) <= _LONG:
        matching = difflib.SequenceMatcher(None, good_words, bad_words, autojunk=False).get_matching_blocks()
    else:
        # What finds the longest runs, as people do, takes time with the third power of the length.
        blocks = Indel.opcodes(good_words, bad_words).as_matching_blocks()
        matching = [(block.a, block.b, block.size) for block in blocks]
    spans, g0, b0 = [], 0, 0
    for g1, b1, size in matching:
        if (g0, b0) != (g1, b1):
            start, end = _extent(good_tokens, g0, g1, len(good))
            bad_start, bad_end = _extent(bad_tokens, b0, b1, len(bad))
            spans.append(Change(good=good[start:end], bad=bad[bad_start:bad_end], good_at=start, bad_at=bad_start))
        g0, b0 = g1 + size, b1 + size
    return tuple(spans)


def _extent(matches: list[re.Match[str]], first: int, last: int, end: int) -> tuple[int, int]:
    start = matches[first].start() if first < len(matches) else end
    return start, matches[last - 1].end() if first < last else start


def stretches(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    """A text cut at spans of it, given as (start, end): its pieces in order, each with whether it lies in a span."""
    pieces, done = [], 0
    for start, end in sorted(spans):
        first = max(start, done)
        last = max(end, first)
        pieces += [(text[done:first], False), (text[first:last], True)]
        done = last
    return [(piece, inside) for piece, inside in [*pieces, (text[done:], False)] if piece]


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """A text with other words from `start` to `end` of each edit (start, end, words); the edits don't overlap."""
    for start, end, other in sorted(edits, reverse=True):
        text = text[:start] + other + text[end:]
    return text


# They end sentences, in the scripts that have such a mark.
END_MARKS = ".!?…。！？؟۔।॥։።"
CLOSING_MARKS = "\"'“”’»›)]"
_OPENING = "\"'“„«‘(["
# Footnote signs and closing marks may follow; East Asian marks need no space behind them.
_END = re.compile(rf"[{re.escape(END_MARKS)}]+[{re.escape(CLOSING_MARKS)}⁰¹²³⁴-⁹]*(?=\s|$)|[。！？]+[」』）]*")
_LAST_WORD = re.compile(r"[^\s(]+$")
# How far around a full stop the word before it and the one behind it are looked for.
_NEAR = 100

_ENUMERATED = re.compile(r"\W*\d+(\.\d+)*[.)]\s")
# „ and « open in all languages that have them at the beginning of a word.
_MISPLACED = re.compile(r"[„(\[{]\s|\s[)\]}]|„[^“”]*\s[“”]|[“”»]\s[“”»]")
# French writes a space before other marks. A text that has one before its last mark is written token by token.
_BY_TOKENS = re.compile(r"\s[.!?]$")
_SPACED = re.compile(r"\s(?:[,.…](?!\w)|[!?]+\.)")
# Inside words, as in abbreviations, quotation marks are letters.
_INNER_QUOTE = re.compile(r"(?<=\w)\"(?=\w)")


def ends_sentence(text: str) -> bool:
    """Whether a mark ends a text as a sentence; closing quotation marks and brackets may follow it."""
    return text.rstrip(CLOSING_MARKS + " ").endswith(tuple(END_MARKS))


def sentence_ends(
    text: str, abbreviations: Collection[str] = (), brackets: Sequence[tuple[int, int]] = ()
) -> Iterator[int]:
    """The offsets where the sentences of a text end, but for the last one.

    abbreviations  words in small letters whose full stop ends no sentence, as `Language.abbreviations`
    brackets       their (start, end) offsets, in order; no sentence ends inside

    A sentence ends with a mark, unless a small letter or a mark follows. The full stop of an initial ends none, nor
    that of the number with which a sentence begins.
    """
    begin = 0
    for match in _END.finditer(text):
        following = text[match.end() : match.end() + _NEAR].lstrip()
        first = next(filter(str.isalnum, following), "")
        continues = (first.islower() and following[0] not in "([") or following.startswith(tuple(",;:)]"))
        before = bisect_left(brackets, (match.start(), 0))
        inside = before > 0 and match.start() < brackets[before - 1][1]
        if not following or continues or inside:
            continue
        last = _LAST_WORD.search(text, max(begin, match.start() - _NEAR), match.start())
        word = last[0].lstrip(_OPENING).casefold() if last else ""
        initial = len(word) == 1 and word.isalpha()
        numbers = not word.strip("0123456789.") and text[begin : match.start()].strip(_OPENING + " \n\t") == word
        # A closing mark ends a sentence after an abbreviation too: `and so on (Smith et al.)`.
        if match[0] == "." and (initial or numbers or word in abbreviations):
            continue
        begin = match.end()
        yield begin


def is_sentence(text: str) -> bool:
    """Whether a text looks like a sentence: several words with a capital before them or a mark after them."""
    return len(words(text)) > 1 and (text.strip()[:1].isupper() or ends_sentence(text))


def why_no_sentence(text: str) -> str | None:
    """Why a text of a treebank can't be shown as a sentence by itself; None where it can."""
    if not ends_sentence(text):
        return "no mark ends it, as in a heading"
    if next((char for char in text if char.isalnum()), "").islower():
        return "it begins with a small letter"
    if _ENUMERATED.match(text):
        return "it begins with the number of a list"
    if any(unpaired(_INNER_QUOTE.sub("", text))) or _MISPLACED.search(text):
        return "a bracket or quotation mark without its partner, or with a space on the wrong side"
    if _SPACED.search(text) and not _BY_TOKENS.search(text):
        return "a space before a mark that follows its word"
    return None
