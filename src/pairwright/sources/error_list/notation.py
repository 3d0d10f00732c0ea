"""The notation of an error list, as `notations/<name>.toml` declares it, and the sentences with its marks."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError
from pairwright.core.ids import read_toml
from pairwright.core.text import words
from pairwright.languages import resource, resource_names
from pairwright.languages.linguistics.sentences import sentence_ends, top_brackets

Sign = Annotated[str, Field(min_length=1)]
Column = Annotated[int, Field(ge=1)]
BracketKind = Literal["wrong-first", "right-first", "deletion", "plain"]

# What is longer, or has more brackets, is no sentence, though it may be one for want of full stops.
LONGEST, MOST_BRACKETS = 5000, 100
# What ends a phrase of an enumeration behind its correction: a word or two, or `and so on.` at its end, which is none.
_PHRASE_END = re.compile(
    r"\s*[,;.]?\s*$|[,;]\s|(?:\s\w{1,4}\.?){1,3}\s*$|(?P<rest>(?:\s\w+){1,2})(?:\s*[.;]?\s*$|[,;]\s)"
)
# A phrase behind a sentence or a bracket: `… many words. phrase of some words (= phrase)`; what is shorter may be an
# abbreviation.
_PHRASE_BEHIND = re.compile(r"((?<!\w)[^\W\d_]{5,}|\))[.?!](?=\s+[^\W\d_A-Z]\w*(?:,?\s\w+){0,6}\s\()")
# What stands before a part of a text that is no part of it: `; b) …`, `§ 12. …`, `[12] …`, `I/2 ● …`.
_BEGIN = re.compile(
    r"[ \n,;=–—-]*(?:(?:§\s*\d+\.?|\[\d+\w?\]|\w{1,5}/\d+\w?|\w{1,2}\))\s+(?:[^\w\s\"'„“”«»‘’([]\s+)?)?"
)
# What ends before the letter of an item: `of time: a) In the morning …; b) At night …`.
_ITEM_BEHIND = re.compile(r"([;:])(?=\s+[^\W\d_]\)\s)")
# What a bracket without a mark holds that explains: a quoted name, a year, a dash.
_EXPLAINS = r"[^()]*(?:[„“”«»\"]|\d{4}|\s[–—]\s)"
# What stands before words and says what they are: an abbreviated word, a word that joins, a sign of what is wrong.
_SHORT = re.compile(r"([^\W\d_]{3,})\.")
_JOINS = re.compile(r"[\s,;/]*(?:[^\W\d_]{1,5}\.?,?\s*)?")
_FEW = 3
WRONG = re.compile(r"[*✗✘✖❌☒×⊗†⁎∗÷≠]")


class Notation(Settings):
    """How an error list marks what is wrong and what is right.

    layout        brackets: `wrong words (= right words)` inside a sentence; marks: a sign before whole wordings, or an
                  arrow between them; phrases: `not wrong but right` on a line; columns: a table with a wrong and a
                  right column
    example       a line in the notation, which messages show
    doubtful      its signs also stand for other things: it is tried last, and the sides of a pair must share something
    wrong_first   marks of a bracket that corrects the words before it
    right_first   marks of a bracket that names the wording to avoid, behind the right words
    refusals      words that refuse behind marked ones, and stand for other things elsewhere
    also          words before a further right wording
    accepts       words in place of others that say that a sentence is good
    deletions     what a bracket holds that deletes the words before it
    unmarked      a bracket without a mark corrects, too, unless a number or one of the references opens it
    separators    signs between alternative corrections, the strongest first
    code          pattern of a rule's code at the start of a heading, list item or paragraph
    entry_arrows  signs between a headword and its examples
    intros        words that introduce examples
    notes         words that open a note whose examples are acceptable: an exception
    references    words that open a cross reference
    labels        patterns of labels between examples, such as `vietoj vardininko:`
    wrong_marks   signs before a wrong wording, words too; an arrow without any takes the whole line before it
    right_marks   the same before a right wording
    wrong_columns titles of the column of wrong wordings, from clear to vague; likewise the other columns
    wrong_column  its number, counted from 1, where a table has no such titles; likewise right_column
    """

    name: str
    title: str
    layout: Literal["brackets", "marks", "phrases", "columns"]
    example: str = ""
    doubtful: bool = False
    wrong_first: tuple[Sign, ...] = ()
    right_first: tuple[Sign, ...] = ()
    refusals: tuple[Sign, ...] = ()
    also: tuple[Sign, ...] = ()
    accepts: tuple[Sign, ...] = ()
    deletions: tuple[Sign, ...] = ()
    unmarked: bool = False
    separators: tuple[Sign, ...] = ()
    code: str = r"\d+(?:\.\d+)+"
    entry_arrows: tuple[Sign, ...] = ()
    intros: tuple[Sign, ...] = ()
    notes: tuple[Sign, ...] = ()
    references: tuple[Sign, ...] = ()
    labels: tuple[str, ...] = ()
    wrong_marks: tuple[Sign, ...] = ()
    right_marks: tuple[Sign, ...] = ()
    arrows: tuple[Sign, ...] = ()
    wrong_columns: tuple[Sign, ...] = ()
    right_columns: tuple[Sign, ...] = ()
    code_columns: tuple[Sign, ...] = ()
    rule_columns: tuple[Sign, ...] = ()
    note_columns: tuple[Sign, ...] = ()
    wrong_column: Column | None = None
    right_column: Column | None = None

    @property
    def clear_refusals(self) -> tuple[Sign, ...]:
        """The marks of a bracket with the wording to avoid that mean nothing else: with a colon or of several words."""
        return tuple(mark for mark in self.right_first if mark.endswith(":") or " " in mark)


def load_notation(name: str, workspace: Path | None = None) -> Notation:
    """Load a notation by name. Raises ConfigError for an unknown name, a faulty file or an invalid pattern."""
    path = resource("notations", name, workspace)
    notation = read_toml(path, Notation)
    for pattern in (notation.code, *notation.labels):
        try:
            re.compile(pattern)
        except re.error as fault:
            raise ConfigError(f"{path}: '{pattern}' is not a regular expression: {fault}") from None
    return notation


def load_notations(workspace: Path | None = None) -> list[Notation]:
    """All notations, by name, including those of the workspace. Raises ConfigError as `load_notation` does."""
    return [load_notation(name, workspace) for name in resource_names("notations", workspace)]


def any_of(signs: Iterable[str]) -> str:
    """A pattern for any of the signs or whole words, the longest first; it matches nothing where there are none."""
    patterns = [re.escape(sign) + r"\b" * sign[-1].isalnum() for sign in sorted(signs, key=len, reverse=True)]
    return f"(?:{'|'.join(patterns) or '(?!)'})"


class Labels:
    """The words with which notations correct, refuse, delete and refer."""

    def __init__(self, notations: Iterable[Notation]) -> None:
        def of(*names: str) -> list[list[str]]:
            marks = {mark for each in notations for name in names for mark in getattr(each, name)}
            return [words(mark.casefold()) for mark in sorted(marks) if words(mark)]

        notations = list(notations)
        self.corrections, self.also = of("wrong_first", "right_marks"), of("also")
        self.refusals = of("right_first", "wrong_marks", "refusals")
        self._deletions, self.accepts = of("deletions"), of("accepts")
        known = (" ".join(mark) for mark in (*self.refusals, *self.corrections))
        self.known = re.compile(rf"(?:[^\W\d_]+\s)?{any_of(known)}:?\s+", re.IGNORECASE)
        self._signs = {mark for each in notations for mark in each.deletions}

    def side(self, label: str, before: int | None = None) -> int | None:
        """Whether a label says that what follows it is right, 0, or wrong, 1; one that only joins goes on as before."""
        is_next = before is not None
        if "=" in label:
            return 0
        if WRONG.search(label) or says(label, self.refusals, is_alone=is_next):
            return 1
        if says(label, self.corrections, is_alone=is_next):
            return 0
        if is_next and _JOINS.fullmatch(label):
            return before
        return 0 if says(label, self.also, is_alone=is_next) or not words(label) else None

    def deletes(self, text: str) -> bool:
        """Whether a text says that words are to be left out, such as `delete` or `–`."""
        return text in self._signs or says(text, self._deletions, is_alone=len(words(text)) < _FEW)


def says(label: str, marks: Iterable[list[str]], *, is_alone: bool = False) -> bool:
    """Whether a label has the words of a mark in it, or with `is_alone` no others, also if they are abbreviated."""
    said, short = words(label.casefold()), tuple(map(str.casefold, _SHORT.findall(label)))
    is_one = short and (len(said) == 1 or not is_alone)
    return any(
        said == mark
        or (is_one and mark[0].startswith(short))
        or (not is_alone and f" {' '.join(mark)} " in f" {' '.join(said)} ")
        for mark in marks
    )


@dataclass(frozen=True)
class Bracket:
    """A bracket in a sentence: its content without the mark, its offsets, whether its mark means nothing else."""

    kind: BracketKind
    content: str
    start: int
    end: int
    is_clear: bool = True


@dataclass(frozen=True)
class BracketedSentence:
    """A sentence with its brackets and the spans that the page emphasises.

    `start` is its offset in the text that it was read from.
    """

    text: str
    start: int
    brackets: tuple[Bracket, ...]
    emphasis: tuple[tuple[int, int], ...] = ()

    def phrases(self) -> list["BracketedSentence"]:
        """The phrases of an enumeration, which begins with a small letter or a digit; any other sentence is one."""
        ends = [(bracket.end, _PHRASE_END.match(self.text, bracket.end)) for bracket in self.corrections()]
        cuts = [at + len(end["rest"] or "") for at, end in ends if end]
        is_open = self.text[:1].islower() or self.text[:1].isdigit()
        if not is_open or len(cuts) < len(ends) or not ends:
            return [self]
        return [self.between(start, end) for start, end in pairwise([0, *cuts])]

    def between(self, start: int, end: int) -> "BracketedSentence":
        """The part between two offsets, without punctuation and the number of an item at its beginning."""
        begin = _BEGIN.match(self.text, start, end)
        start = begin.end() if begin else start
        inside = (bracket for bracket in self.brackets if start <= bracket.start and bracket.end <= end)
        moved = (replace(bracket, start=bracket.start - start, end=bracket.end - start) for bracket in inside)
        emphasis = tuple((a - start, b - start) for a, b in self.emphasis if start <= a and b <= end)
        return BracketedSentence(self.text[start:end], self.start + start, tuple(moved), emphasis)

    def is_too_long(self) -> bool:
        """Whether it is longer than any sentence with its corrections."""
        return len(self.text) > LONGEST or len(self.brackets) > MOST_BRACKETS

    def corrections(self) -> tuple[Bracket, ...]:
        """The brackets that correct something."""
        return tuple(bracket for bracket in self.brackets if bracket.kind != "plain")


class BracketReader:
    """Splits text into sentences and finds their brackets, in one notation."""

    def __init__(self, notation: Notation, abbreviations: Iterable[str] = ()) -> None:
        self._abbreviations = frozenset(map(str.casefold, abbreviations))
        others = any_of((*notation.references, *notation.right_first))
        bare = rf"|(?!{others})(?!{_EXPLAINS})(?=[^\W\d_])" if notation.unmarked else ""
        self._marks: tuple[tuple[BracketKind, re.Pattern[str]], ...] = (
            ("wrong-first", re.compile(any_of(notation.wrong_first) + bare, re.IGNORECASE if bare else 0)),
            ("right-first", re.compile(any_of(notation.right_first))),
        )
        self._clear = re.compile(any_of((*notation.wrong_first, *notation.clear_refusals)))
        # `; better:` and `, also:` before another correction.
        self._again = re.compile(
            rf";\s*{any_of(notation.wrong_first)}|[;,]\s*(?!{others})[^\W\d_]+(?: [^\W\d_]+)?:(?=\s)"
        )
        self._deletion = re.compile(
            rf"(?:{any_of(notation.wrong_first)}\s*)?{any_of(notation.deletions)}", re.IGNORECASE
        )
        self.opening = re.compile(rf"[(\[]\s*(?:{any_of((*notation.wrong_first, *notation.right_first))}{bare})")
        self._reference = re.compile(rf"(?<=\w)(?:\s*[;,.]\s*|\s+){any_of(notation.references)}(?!\w)", re.IGNORECASE)

    def has_correction(self, text: str) -> bool:
        """Whether any bracket of the text, balanced or not, opens with a mark."""
        return self.opening.search(text) is not None

    def sentences(self, text: str, emphasis: Iterable[tuple[int, int]] = ()) -> Iterator[BracketedSentence]:
        """The sentences of a text with emphasised spans, in order. Raises UnbalancedError.

        A full stop inside a bracket ends no sentence. A bracket that would begin a sentence belongs to the one before.
        """
        spans = top_brackets(text)
        for start, end in self._pieces(text, spans):
            if body := text[start:end].strip():
                first = text.index(body, start)
                inside = spans[bisect_left(spans, (start, 0)) : bisect_left(spans, (end, 0))]
                brackets = (self._bracket(body, a - first, b - first) for a, b in inside if b <= end)
                marked = ((a - first, b - first) for a, b in emphasis if first <= a and b <= first + len(body))
                yield BracketedSentence(body, first, tuple(brackets), tuple(marked))

    def _pieces(self, text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        pieces: list[tuple[int, int]] = []
        ends = {*sentence_ends(text, self._abbreviations, spans)}
        for match in chain(_PHRASE_BEHIND.finditer(text), _ITEM_BEHIND.finditer(text)):
            place = bisect_left(spans, match.span()[::-1]) - 1
            is_outside = place < 0 or spans[place][1] <= match.end()
            ends |= {match.end()} if is_outside and match[1].casefold() not in self._abbreviations else set()
        # The bracket behind the full stop of a sentence ends it: `Old one? (= New one?) Another one.`
        for start, end in spans:
            whole = text[start - 2 : start] in (". ", "? ", "! ") and text[end - 2] in ".?!"
            if whole and text[end:].lstrip()[:1].isupper() and self._marked(text[start + 1 : end - 1]):
                ends.add(end)
        for start, end in pairwise([0, *sorted(ends), len(text)]):
            body = text[start:end].lstrip()
            if pieces and body[:1] in ("(", "[") and self._marked(body[1:]):
                pieces[-1] = (pieces[-1][0], end)
            else:
                pieces.append((start, end))
        return pieces

    def _marked(self, inside: str) -> tuple[BracketKind, str] | None:
        """The kind and the content of a bracket without a cross reference at its end, where it opens with a mark."""
        inside = inside.strip()
        if self._deletion.fullmatch(inside):
            return "deletion", ""
        matches = ((kind, pattern.match(inside)) for kind, pattern in self._marks)
        marked = next(((kind, inside[match.end() :].lstrip(" *")) for kind, match in matches if match), None)
        return (marked[0], self._again.sub(";", self._reference.split(marked[1], maxsplit=1)[0])) if marked else None

    def _bracket(self, text: str, start: int, end: int) -> Bracket:
        inside = text[start + 1 : end - 1]
        is_clear = self._clear.match(inside.strip()) is not None
        kind, content = self._marked(inside) or ("plain", inside.strip())
        return Bracket(kind, content, start, end, is_clear)
