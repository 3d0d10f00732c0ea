"""Checks of a sentence's form: what is wrong whatever the language's grammar says."""

import re
import unicodedata
from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, Flaw, in_each_sentence, shown
from pairwright.checks.index import END_MARKS
from pairwright.records import Candidate
from pairwright.text import TOKEN, words

_CLOSERS = "\"'’”“»›)]}*_"
_DOUBLE_SPACE = re.compile(r"(?<=\S)\s{2,}(?=\S)")
_SPACE_BEFORE_MARK = re.compile(r"(?<=\S)\s[.,](?![.\w])")
_ZERO_WIDTH_SPACE = "\u200b"

# Marks of error lists, linguists and markup that no running text has.
_NOTATION = re.compile(
    r"""
    \(\s*= | =\s*\)                                    # wrong (= right)
    | [←→↔⇐⇒⇔⟵⟶➔➜] | (?<!-)->  | =>                    # wrong → right
    | [✓✔✗✘☑☒✅❌]
    | ^\s*(?:\*|\#|\?|%)+(?=\s*\w)                      # a judgement before the sentence
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
    | \[[^\[\]]*\] | [\[\]{}|_]
    | (?<!\*)\*(?!\*)
    | \s/\s
    | [;,:–—-]\s*$
    | ^\s*[;,:.)](?!\.)
    """,
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "„": '“”"', "“": '”"', "”": "”", "«": "»", "»": "«", "‹": "›", '"': '"“”'}
_PAIRED = frozenset("".join([*_CLOSING, *_CLOSING.values()]))


@in_each_sentence
def empty(sentence: str, context: Context) -> Iterator[Flaw]:
    """A sentence without a word."""
    if not words(sentence):
        yield Flaw("no word")


@in_each_sentence
def not_nfc(sentence: str, context: Context) -> Iterator[Flaw]:
    """Text that is not in Unicode normal form C: letters in pieces, which a model reads as other letters."""
    if unicodedata.is_normalized("NFC", sentence):
        return
    composed = unicodedata.normalize("NFC", sentence)
    place = next((i for i, pair in enumerate(zip(sentence, composed, strict=False)) if pair[0] != pair[1]), 0)
    yield Flaw("letters in pieces, not in Unicode normal form C; normalise the file to NFC", (place, place + 1))


@in_each_sentence
def whitespace(sentence: str, context: Context) -> Iterator[Flaw]:
    """Outer or doubled white space, characters that only look like a space, a space before a full stop or comma."""
    if sentence != sentence.strip() and sentence.strip():
        yield Flaw("white space before or after it")
    for match in _DOUBLE_SPACE.finditer(sentence):
        yield Flaw("doubled white space", match.span())
    for match in _SPACE_BEFORE_MARK.finditer(sentence):
        yield Flaw(f"a space before {match.group()[-1]!r}", match.span())
    first = len(sentence) - len(sentence.lstrip())
    for place, char in enumerate(sentence.strip(), start=first):
        if (char.isspace() and char != " ") or char == _ZERO_WIDTH_SPACE:
            yield Flaw(f"{_space_name(char)} in place of a plain space", (place, place + 1))


def _space_name(char: str) -> str:
    plain = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}
    return plain.get(char) or f"U+{ord(char):04X} ({unicodedata.name(char, 'a control character').lower()})"


def no_end_punctuation(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Neither sentence ends with a full stop, question mark or the like."""
    if _have_words(candidate) and not _end(candidate.good) and not _end(candidate.bad):
        last = words(candidate.good)[-1]
        yield Fault(f"both sentences end without punctuation; the good one with {shown(last)}")


def end_differs(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Good and bad sentence end with different marks, so that the marks are scored together with the grammar."""
    good, bad = _end(candidate.good), _end(candidate.bad)
    if good != bad and _have_words(candidate):
        yield Fault(f"the good sentence ends with {_quoted(good)}, the bad one with {_quoted(bad)}")


def _quoted(mark: str) -> str:
    return repr(mark) if mark else "no mark"


def _have_words(candidate: Candidate) -> bool:
    return bool(words(candidate.good)) and bool(words(candidate.bad))


def _end(sentence: str) -> str:
    body = sentence.rstrip().rstrip(_CLOSERS + " ")
    return body[len(body.rstrip(END_MARKS)) :].replace("...", "…")


@in_each_sentence
def not_capitalised(sentence: str, context: Context) -> Iterator[Flaw]:
    """A sentence that begins with a small letter. Scripts without case, numbers, tags and words such as 's pass."""
    match = next((match for match in TOKEN.finditer(sentence) if match.group()[0].isalnum()), None)
    if match is None or not match.group()[0].islower():
        return
    if match.start() and sentence[match.start() - 1] in "'’/<&":
        return
    yield Flaw("begins with a small letter", match.span())


@in_each_sentence
def unbalanced_brackets(sentence: str, context: Context) -> Iterator[Flaw]:
    """A bracket or quotation mark without its partner."""
    opened: list[tuple[str, int]] = []
    for place, char in enumerate(sentence):
        if char not in _PAIRED:
            continue
        if opened and char in _CLOSING[opened[-1][0]]:
            opened.pop()
        elif char in _CLOSING:
            opened.append((char, place))
        else:
            yield Flaw(f"{char} without its partner", (place, place + 1))
    for char, place in opened:
        yield Flaw(f"{char} without its partner", (place, place + 1))


@in_each_sentence
def notation_marks(sentence: str, context: Context) -> Iterator[Flaw]:
    """Marks of error lists, linguists' judgements, HTML or Markdown that were left in."""
    for match in _NOTATION.finditer(sentence):
        yield Flaw(f"{shown(match.group())} is notation, not text", match.span())


@in_each_sentence
def doubtful_marks(sentence: str, context: Context) -> Iterator[Flaw]:
    """Marks that a sentence may have, but that are more often left over: list bullets, `[`, ` / `, a last `;`."""
    for match in _DOUBTFUL.finditer(sentence):
        yield Flaw(f"{shown(match.group().strip())} may be left over from a list or a notation", match.span())
