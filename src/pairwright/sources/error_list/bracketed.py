"""The sentences of an error list and their brackets, classified by the marks of the notation."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from pairwright.languages.linguistics.brackets import top_brackets
from pairwright.languages.linguistics.sentences import sentence_ends
from pairwright.sources.error_list.notation import Notation, any_of

# What is longer, or has more brackets, is no sentence, though it may be one for want of full stops.
LONGEST, MOST_BRACKETS = 5000, 100

BracketKind = Literal["wrong-first", "right-first", "deletion", "plain"]

# What ends a phrase of an enumeration, also `and so on.` at its end.
_PHRASE_END = re.compile(r"\s*[,;.]?\s*$|[,;]\s|(?:\s\w{1,4}\.?){1,3}\s*$")
# The label of an enumeration, up to its colon: `Forms without an ending: old boat (= …), new house (= …)`.
_LABEL = re.compile(r"[^():]*:\s+(?=[^\W\d_])")
_FORM_FOLLOWS = re.compile(r"(?:[.?!;](?=\s+[^\W\d_A-Z]\w*\s\()|[.?!](?=\s+[^\W\d_A-Z]\w*(?:\s\w+){1,2}\s\())")
# A phrase behind a sentence: `… many words. phrase of some words (= phrase)`; what is shorter may be an abbreviation.
_PHRASE_BEHIND = re.compile(r"([^\W\d_]{5,})[.?!](?=\s+[^\W\d_A-Z]\w*(?:,?\s\w+){0,6}\s\()")


# What a bracket without a mark holds that explains: a quoted name, a year, a dash.
_EXPLAINS = r"[^()]*(?:[„“”«»\"]|\d{4}|\s[–—]\s)"


@dataclass(frozen=True)
class Bracket:
    """A bracket in a sentence: its content without the mark, and its offsets in the sentence."""

    kind: BracketKind
    content: str
    start: int
    end: int


@dataclass(frozen=True)
class BracketedSentence:
    """A sentence with its brackets. `start` is its offset in the text that it was read from."""

    text: str
    start: int
    brackets: tuple[Bracket, ...]

    def phrases(self) -> list["BracketedSentence"]:
        """The phrases of an enumeration, which begins with a small letter or a digit, cut behind `(= …),` and `(= …);`.

        Several phrases may have a label, which belongs to none. Any other sentence is one phrase. What follows the last
        correction, such as `cf. …`, belongs to none.
        """
        if not (self.text[:1].islower() or self.text[:1].isdigit()):
            label = _LABEL.match(self.text)
            phrases = self.between(label.end(), len(self.text)).phrases() if label else []
            return phrases if len(phrases) > 1 else [self]
        ends = [bracket.end for bracket in self.corrections() if _PHRASE_END.match(self.text, bracket.end)]
        if len(ends) < len(self.corrections()) or not ends:
            return [self]
        return [self.between(start, end) for start, end in pairwise([0, *ends])]

    def between(self, start: int, end: int) -> "BracketedSentence":
        """The part between two offsets, without punctuation and white space at its beginning."""
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip(" \n,;=–—-"))
        inside = (bracket for bracket in self.brackets if start <= bracket.start and bracket.end <= end)
        moved = (replace(bracket, start=bracket.start - start, end=bracket.end - start) for bracket in inside)
        return BracketedSentence(self.text[start:end], self.start + start, tuple(moved))

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
        # `; better:` before another correction.
        self._again = re.compile(rf";\s*{any_of(notation.wrong_first)}")
        self._deletion = re.compile(
            rf"(?:{any_of(notation.wrong_first)}\s*)?{any_of(notation.deletions)}", re.IGNORECASE
        )
        self.opening = re.compile(rf"[(\[]\s*(?:{any_of((*notation.wrong_first, *notation.right_first))}{bare})")
        self._reference = re.compile(rf"(?<=\w)(?:\s*[;,.]\s*|\s+){any_of(notation.references)}(?!\w)", re.IGNORECASE)

    def has_correction(self, text: str) -> bool:
        """Whether any bracket of the text, balanced or not, opens with a mark."""
        return self.opening.search(text) is not None

    def sentences(self, text: str) -> Iterator[BracketedSentence]:
        """The sentences of a text, in order. Raises UnbalancedError.

        A full stop inside a bracket ends no sentence. A bracket that would begin a sentence belongs to the one before.
        """
        spans = top_brackets(text)
        for start, end in self._pieces(text, spans):
            if body := text[start:end].strip():
                first = text.index(body, start)
                inside = spans[bisect_left(spans, (start, 0)) : bisect_left(spans, (end, 0))]
                brackets = (self._bracket(body, a - first, b - first) for a, b in inside if b <= end)
                yield BracketedSentence(body, first, tuple(brackets))

    def _pieces(self, text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        pieces: list[tuple[int, int]] = []
        # A form or short phrase with its correction begins behind another one and a mark: `… (= …)? form (= form)`.
        ends = {match.end() for _, end in spans if (match := _FORM_FOLLOWS.match(text, end))}
        for match in _PHRASE_BEHIND.finditer(text):
            place = bisect_left(spans, match.span()[::-1]) - 1
            is_outside = place < 0 or spans[place][1] <= match.end()
            ends |= {match.end()} if is_outside and match[1].casefold() not in self._abbreviations else set()
        # The bracket behind the full stop of a sentence ends it: `Old one? (= New one?) Another one.`
        for start, end in spans:
            whole = text[start - 2 : start] in (". ", "? ", "! ") and text[end - 2] in ".?!"
            if whole and text[end:].lstrip()[:1].isupper() and self._marked(text[start + 1 : end - 1]):
                ends.add(end)
        ends.update(sentence_ends(text, self._abbreviations, spans))
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
        return Bracket(*(self._marked(inside) or ("plain", inside.strip())), start, end)
