"""What a bracket may stand for beyond the words of one span: a second place, words that follow, a word apiece."""

from collections.abc import Iterator, Sequence
from itertools import islice

from pairwright.languages.linguistics.likeness import ClosedClasses
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alternatives import bare_words
from pairwright.rules.error_lists.edits import Edit, Editor, Place, Wording
from pairwright.rules.error_lists.span_features import Span, small_words

# The most places elsewhere in which the words of a span are replaced as well.
_MOST_REPETITIONS = 10

ODDS = {"plain": 1.0, "other place": 0.6, "both places": 1.5, "followed": 1.5, "moved": 1.5}
"""The odds of the kinds of wordings that a span may have."""


class Variants:
    """The wordings of a span and a correction."""

    def __init__(self, editor: Editor, closed: ClosedClasses, agreement: Agreement) -> None:
        self._editor = editor
        self._closed = closed
        self._agreement = agreement

    def of(self, place: Place, span: Span, words: list[str]) -> dict[str, Wording]:
        """The wordings by their kinds: the plain one, and others where the bracket may stand for more than it says.

        other place  the same words elsewhere before the bracket are replaced
        both places  these are replaced as well
        followed     words behind the span that are joined to it take its new case
        moved        what loses its adposition behind a noun goes before it
        """
        wording = self._editor.wording(place, span, words)
        kinds = {"plain": wording}
        if others := [self._editor.wording(place, other, words) for other in self._repetitions(place, span)]:
            kinds |= {"other place": others[0], "both places": (*wording, *(edit for o in others for edit in o))}
        if followed := tuple(self._followed(place, span, words)):
            kinds["followed"] = (*wording, *followed)
        if moved := self._moved(place, span, words):
            kinds["moved"] = moved
        return kinds

    def _repetitions(self, place: Place, span: Span) -> list[Span]:
        """Where else the words of a span stand, unless they are one adposition."""
        small, size = small_words(place.before.words), span.last - span.first
        inside = small[max(span.first, 0) : span.last]
        if span.first < 0 or (size == 1 and inside[0] in self._closed.adpositions):
            return []
        starts = (k for k in range(len(small)) if small[k : k + size] == inside and abs(k - span.first) >= size)
        return [Span(start, start + size) for start in islice(starts, _MOST_REPETITIONS)]

    def _moved(self, place: Place, span: Span, words: list[str]) -> Wording | None:
        """The correction before the noun on its left, where a phrase with an adposition becomes one without."""
        before, adpositions = place.before, self._closed.adpositions
        if span.first <= 0 or span.first in before.commas or before.words[span.first].casefold() not in adpositions:
            return None
        noun = before.words[span.first - 1]
        if words[0].casefold() in adpositions or not self._agreement.is_attribute(words[-1], noun):
            return None
        return self._editor.wording(place, Span(span.first - 1, span.last), [*words, noun])

    def _followed(self, place: Place, span: Span, words: list[str]) -> Iterator[Edit]:
        """The changes of the words behind a span that have the case of its last word, which the correction changes."""
        old, agreement, closed = place.before.words[span.last - 1], self._agreement, self._closed
        new = next((word for word in reversed(bare_words(words)) if agreement.share_lemma(word, old)), old)
        # `X and Y`, or `neither X nor Y` with one word before both.
        joints = closed.coordinators.union(small_words(place.before.words[: max(span.first, 0)]))
        joined = False
        for start, word in place.right_of(span) if new.casefold() != old.casefold() else ():
            if word.casefold() in closed.adpositions or agreement.are_finite(word):
                return
            if word.casefold() in closed.functions or not agreement.has_case(word):
                joined = joined or word.casefold() in joints
                continue
            form = agreement.following(word, old, new)
            if form is None or not (joined or (agreement.agree(old, word) and not agreement.is_number(old))):
                return
            joined = True
            yield Edit(start, start + len(word), form)

    def apiece(self, place: Place, spans: Sequence[Span], corrections: Sequence[list[str]]) -> Wording:
        """The wording in which each of several spans has a correction of its own."""
        wordings = (self._editor.wording(place, span, words) for span, words in zip(spans, corrections, strict=True))
        return tuple(edit for wording in wordings for edit in wording)
