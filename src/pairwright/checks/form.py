"""Checks of a sentence's form: what is wrong whatever the language's grammar says."""

import re
import unicodedata
from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, Flaw, pair_check, sentence_check, shown, sides
from pairwright.core.records import Candidate
from pairwright.core.text import TOKEN, words
from pairwright.languages.linguistics.sentences import CLOSING_MARKS, END_MARKS, MARKS, unpaired

_CLOSERS = CLOSING_MARKS + "}*_"
_DOUBLE_SPACE = re.compile(r"(?<=\S)\s{2,}(?=\S)")
_SPACE_BEFORE_MARK = re.compile(r"(?<=\S)\s[.,](?![.\w])")
_ZERO_WIDTH_SPACE = "\u200b"

# Marks of error lists, linguists and markup that no running text has.
_NOTATION = re.compile(
    rf"""
    \(\s*= | =\s*\)                                    # wrong (= right)
    | [←→↔⇐⇒⇔⟵⟶➔➜] | (?<!-)->  | =>                    # wrong → right
    | [✓✔✗✘☑☒✅❌]
    | ^\s*[{MARKS}]+(?=\s*\w)                                 # a judgement before the sentence
    | \*\*
    | </?[A-Za-z][^<>]*>                               # HTML, and the end marks of language models
    | &(?:[A-Za-z]+|\#\d+|\#x[0-9A-Fa-f]+);
    """,
    re.VERBOSE,
)
# Marks that a running text may have, but that more often a reader left in or a generator put there.
_DOUBTFUL = re.compile(
    r"""
    ^\s*(?: [•·▪◦‣–—-]\s | \(?\d{1,2}[)-]\s | \(?[^\W\d_]\)\s )   # a bullet or a number of a list
    | \[[^\[\]]*\] | [\[\]{}|_] | \(\s*\w+\s*\)
    | (?<!\S)=(?!\S)
    | (?<!\*)\*(?!\*)
    | \s/\s
    | [;,:–—-]\s*$
    | ^\s*[;,:.)](?!\.)
    """,
    re.VERBOSE,
)
# Signs between morphemes that no spelling has.
_BOUNDARIES = re.compile(r"(?<=[^\W\d])[=~]|(?<!\S)[=~](?=[^\W\d])|∅|(?<=\w)<\w+>|<\w+>(?=\w)")
_TYPOGRAPHIC = "–—‘’‚“”„†•…€™ "
_NO_TEXT = "\ufffd\u00ad\u2060\ufeff"
_LOST_LETTER = re.compile(r"(?<=[^\W\d_])\?(?=[^\W\d_])")
_SECOND_DOT = re.compile("[ij]\u0307(?![\u0300-\u0302])")


@sentence_check("form-empty", "error")
def empty(sentence: str, context: Context) -> Iterator[Flaw]:
    """A sentence has no word."""
    if not words(sentence):
        yield "no word", None


@sentence_check("form-not-nfc", "error")
def not_nfc(sentence: str, context: Context) -> Iterator[Flaw]:
    """A sentence is not in Unicode normal form C: its letters are in pieces, and a model reads other letters."""
    composed = unicodedata.normalize("NFC", sentence)
    if composed != sentence:
        place = next((i for i, pair in enumerate(zip(sentence, composed, strict=False)) if pair[0] != pair[1]), 0)
        yield "letters in pieces, not in Unicode normal form C; normalise the file to NFC", (place, place + 1)


@sentence_check("form-whitespace", "warning")
def whitespace(sentence: str, context: Context) -> Iterator[Flaw]:
    """Outer or doubled white space, a no-break space, tab or line break, a space before a full stop or comma."""
    if sentence != sentence.strip() and sentence.strip():
        yield "white space before or after it", None
    for match in _DOUBLE_SPACE.finditer(sentence):
        yield "doubled white space", match.span()
    for match in _SPACE_BEFORE_MARK.finditer(sentence):
        yield f"a space before {match.group()[-1]!r}", match.span()
    first = len(sentence) - len(sentence.lstrip())
    for place, char in enumerate(sentence.strip(), start=first):
        if (char.isspace() and char != " ") or char == _ZERO_WIDTH_SPACE:
            name = f"U+{ord(char):04X} ({unicodedata.name(char, 'a control character').lower()})"
            name = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}.get(char, name)
            yield f"{name} in place of a plain space", (place, place + 1)


@pair_check("form-end-punctuation", "warning")
def no_end_punctuation(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Neither sentence has a mark at its end, though the source's own mostly have one."""
    if context.index.writes("marks") and _have_words(candidate) and not _end(candidate.good) + _end(candidate.bad):
        last = words(candidate.good)[-1]
        yield Fault(f"both sentences end without punctuation; the good one with {shown(last)}")


@pair_check("form-end-differs", "warning")
def end_differs(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The two sentences end with different marks, which a model would score together with the grammar."""
    good, bad = (repr(end) if (end := _end(sentence)) else "no mark" for _, sentence in sides(candidate))
    if good != bad and _have_words(candidate):
        yield Fault(f"the good sentence ends with {good}, the bad one with {bad}")


def _have_words(candidate: Candidate) -> bool:
    return bool(words(candidate.good)) and bool(words(candidate.bad))


def _end(sentence: str) -> str:
    body = sentence.rstrip().rstrip(_CLOSERS + " ")
    return body[len(body.rstrip(END_MARKS)) :].replace("...", "…")


@sentence_check("form-not-capitalised", "warning")
def not_capitalised(sentence: str, context: Context) -> Iterator[Flaw]:
    """A sentence begins with a small letter, though the source's own mostly begin with a capital."""
    if not context.index.writes("capitals"):
        return
    match = next((match for match in TOKEN.finditer(sentence) if match.group()[0].isalnum()), None)
    if match and match.group()[0].islower() and not sentence[: match.start()].endswith(tuple("'’/<&")):
        yield "begins with a small letter", match.span()


@sentence_check("form-unbalanced-brackets", "warning")
def unbalanced_brackets(sentence: str, context: Context) -> Iterator[Flaw]:
    """A bracket or quotation mark has no partner."""
    yield from ((f"{char} without its partner", (place, place + 1)) for char, place in unpaired(sentence))


@sentence_check("form-notation-marks", "error")
def notation_marks(sentence: str, context: Context) -> Iterator[Flaw]:
    """Marks of a notation were left in: `(=`, arrows, ticks, a judgement mark before the sentence, HTML, `**`."""
    for match in _NOTATION.finditer(sentence):
        yield f"{shown(match.group())} is notation, not text", match.span()


@sentence_check("form-morpheme-boundaries", "warning")
def morpheme_boundaries(sentence: str, context: Context) -> Iterator[Flaw]:
    """Signs of a segmented line were left in: `=` or `~` at a word, a zero morph, an infix in angle brackets."""
    for match in _BOUNDARIES.finditer(sentence):
        yield f"{shown(match.group())} is a sign between morphemes", match.span()


@sentence_check("form-doubtful-marks", "warning")
def doubtful_marks(sentence: str, context: Context) -> Iterator[Flaw]:
    """Marks that are more often left over than meant: list bullets, square or curly brackets, one word in round ones, a
    lone `*` or `=`, ` / `, a last `;` or `,`."""
    for match in _DOUBTFUL.finditer(sentence):
        yield f"{shown(match.group().strip())} may be left over from a list or a notation", match.span()


@sentence_check("form-encoding-damage", "error")
def damage(sentence: str, context: Context) -> Iterator[Flaw]:
    """Characters that no text has (control, private use, replacement, invisible), UTF-8 that was read as Windows-1252
    or -1257, or a question mark in place of a letter."""
    for index, char in enumerate(sentence):
        code = ord(char)
        noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
        control = unicodedata.category(char) in {"Cc", "Co", "Cs"} and not char.isspace()
        if char in _NO_TEXT or noncharacter or control:
            name = unicodedata.name(char, "no name")
            yield f"the character U+{code:04X} ({name}) is no part of a text", (index, index + 1)
    for start, end, letter in _misread(sentence, context.language.letters):
        yield f"{shown(sentence[start:end])} is {letter!r} in a wrong encoding", (start, end)
    for match in _LOST_LETTER.finditer(sentence):
        yield "a question mark in place of a letter", match.span()


@sentence_check("form-dotted-i", "warning")
def dotted_i(sentence: str, context: Context) -> Iterator[Flaw]:
    """A small i carries a second dot (U+0307), as lower-casing of İ leaves it: invisible, and another letter to a
    model."""
    for match in _SECOND_DOT.finditer(sentence):
        yield "a small i with a second dot (U+0307), as lower-casing İ leaves it", match.span()


def _misread(sentence: str, letters: str) -> Iterator[tuple[int, int, str]]:
    """The spans whose bytes in Windows-1252 or -1257 are one letter or typographic mark in UTF-8, and that letter."""
    for start in range(len(sentence) - 1):
        first, second = sentence[start], sentence[start + 1]
        if first.isascii() or second.isascii() or first.lower() in letters:
            continue
        for size in (2, 3):
            letter = _reread(sentence[start : start + size])
            if letter and ("\u00a0" <= letter <= "\u017f" or letter in _TYPOGRAPHIC or letter.lower() in letters):
                yield start, start + size, letter
                break


def _reread(piece: str) -> str | None:
    for encoding in ("cp1252", "cp1257"):
        try:
            # Browsers read the bytes that Windows-1252 leaves open as Latin-1.
            letter = b"".join(char.encode(encoding, "ignore") or char.encode("latin-1") for char in piece).decode()
        except UnicodeError:
            continue
        if len(letter) == 1:
            return letter
    return None
