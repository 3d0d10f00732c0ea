"""The unstarred partner of a starred sentence: the acceptable one most like it, in the nearest place that has one.

It is in the same example, as a sub-example or a line beside the starred one, else in an example with which the prose
compares it, else in the example before or after, else one of the chapter with the same translation, else near it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.text import comparison_key
from pairwright.languages import BOUNDARIES
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.likeness import sentence_similarity
from pairwright.languages.linguistics.morphemes import boundary_pattern
from pairwright.sources.grammar.starred.forms import LONGEST, Form
from pairwright.sources.grammar.starred.prose import Prose
from pairwright.sources.grammar.starred.variants import has_variants

# Where a partner may be: the further, the less likely it is.
_FURTHER, _NEXT_OF_OTHER_MEANING, _SAME_TRANSLATION, _NEXT, _NAMED, _SAME_EXAMPLE = range(6)
# The least similarity (0-1) of a partner in the same example, and elsewhere; how much less is enough for one with the
# same translation.
_LEAST_SAME_EXAMPLE, _LEAST_ELSEWHERE, _SAME_MEANING = 0.5, 0.7, 0.05
# The least likeness (0-100) of two translations that may say the same but for a word.
_LEAST_MEANING = 60
# The difference of similarity that counts as a tie.
_TIE = 0.03
# How many blocks away the examples before or after may be, and how many of them there may be to either side.
_REACH, _EXAMPLES = 12, 3

SAME_WORDS = "the same words as the unstarred form: the star is about sound, punctuation or reference"


class NoPairError(ValueError):
    """A starred form makes no pair; the message is the reason."""


class _Option(NamedTuple):
    """A possible partner and what ranks it: the largest is the best."""

    enough: bool
    place: int
    same_meaning: bool
    similarity: float
    form: Form


class PartnerFinder:
    """Finds partners among the forms of a book, given in their order."""

    def __init__(self, forms: Sequence[Form], prose: Prose) -> None:
        self._forms, self._prose = forms, prose
        self._by_number: dict[str, list[Form]] = defaultdict(list)
        self._by_example: dict[str, list[Form]] = defaultdict(list)
        self._by_translation: dict[tuple[str, ...], list[Form]] = defaultdict(list)
        for form in forms:
            self._by_example[form.example].append(form)
            if form.place:
                self._by_number[form.place[0]].append(form)
            if form.says_sentence:
                self._by_translation[_said(form)].append(form)

    def partners(self, index: int) -> list[Form]:
        """The partner of the starred form at an index, and others that are as good. Raises NoPairError for none."""
        form = self._forms[index]
        options = [_option(form, other, place) for other, place in self._candidates(index) if _fits(form, other)]
        if not options:
            raise NoPairError("there is no unstarred form next to it")
        if all(option.form.sentence == form.sentence for option in options):
            raise NoPairError(SAME_WORDS)
        best = max(options, key=lambda option: option[:-1])
        good = best.form.sentence
        if not best.enough:
            raise NoPairError(f"no unstarred neighbour is like it; the nearest ({best.similarity:.2f}): {good}")
        spans = len(changes(good, form.sentence))
        ties = (
            option.form
            for option in options
            if option[:3] == (True, _SAME_EXAMPLE, best.same_meaning)
            and option.similarity > best.similarity - _TIE
            and len(changes(option.form.sentence, form.sentence)) == spans
        )
        return [best.form, *ties]

    def _candidates(self, index: int) -> Iterator[tuple[Form, int]]:
        """The forms that may be the partner, each with where it is."""
        form = self._forms[index]
        yield from ((other, _SAME_EXAMPLE) for other in self._by_example[form.example])
        yield from ((other, _NAMED) for other in self._named(form))
        for places in (range(index - 1, -1, -1), range(index + 1, len(self._forms))):
            yield from self._beside(form, places)
        if form.says_sentence:
            yield from ((other, _SAME_TRANSLATION) for other in self._by_translation[_said(form)])

    def _named(self, form: Form) -> Iterator[Form]:
        """The forms of the examples with which the prose compares a form. A chapter may count its own from 1."""
        for number, part in self._prose.compared(form.order, form.place):
            numbered = [it for it in self._by_number[number] if it.block.section[:1] == form.block.section[:1]]
            nearest = min(numbered, key=lambda it: abs(it.order - form.order), default=form).example
            for other in numbered:
                if other.example == nearest != form.example and part in (
                    "",
                    *other.place[1:2],
                    "".join(other.place[1:]),
                ):
                    yield other

    def _beside(self, form: Form, places: Iterable[int]) -> Iterator[tuple[Form, int]]:
        """The forms of the next examples of the section that have usable ones, in the order of the places."""
        nearest: list[str] = []
        for other in (self._forms[place] for place in places):
            if abs(other.order - form.order) > _REACH or other.block.section != form.block.section:
                return
            if other.example != form.example and _fits(form, other):
                if other.example not in nearest:
                    nearest.append(other.example)
                if len(nearest) <= _EXAMPLES:
                    yield other, _NEXT if len(nearest) == 1 else _FURTHER


def _said(form: Form) -> tuple[str, ...]:
    """What a form says, within its chapter."""
    return comparison_key(form.translation or ""), *form.block.section[:1]


def _fits(form: Form, other: Form) -> bool:
    """Whether a form may be the good side: unmarked, usable, and in the same language where both name theirs."""
    one_language = not (form.language and other.language) or form.language == other.language
    usable = not other.mark and other.flaw is None and len(other.written) <= LONGEST
    return usable and one_language and not has_variants(other.written)


def _option(form: Form, other: Form, place: int) -> _Option:
    good, bad = other.sentence, form.sentence
    meanings = [comparison_key(item.translation or "") for item in (form, other)]
    same = meanings[0] == meanings[1] != ""
    if place == _NEXT and all(meanings) and not same:
        place = _NEXT_OF_OTHER_MEANING
    # Two words may differ in their morphemes, or in the letters of one.
    similarity = max(sentence_similarity(*sides) for sides in ((bad, good), *_morphemes(form, other)))
    comparable = not all(meanings) or fuzz.ratio(*meanings) >= _LEAST_MEANING
    least = _LEAST_SAME_EXAMPLE if place == _SAME_EXAMPLE and comparable else _LEAST_ELSEWHERE
    single = place != _FURTHER or len(changes(good, bad)) == 1
    enough = similarity >= least - _SAME_MEANING * same and good != bad and single
    return _Option(enough, place, same, similarity, other)


def _morphemes(form: Form, other: Form) -> Iterator[tuple[str, str]]:
    """Two sentences of one word with spaces between their morphemes; none where one has several words or is not cut."""
    lines = [side.morphemes or (side.boundaries and side.written) for side in (form, other)]
    if all(len(line.split()) == 1 for line in lines):
        pattern = boundary_pattern(form.boundaries or other.boundaries or BOUNDARIES)
        one, two = (pattern.sub(" ", line) for line in lines)
        yield one, two
