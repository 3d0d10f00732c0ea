"""The unstarred partner of a starred sentence: the acceptable one that is most like it.

It stands in the same example, as a sub-example or a line beside the starred one, else in an example with which the
prose compares it, else near it: in the example before or after, or in one with the same translation.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.languages import BOUNDARIES
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.likeness import sentence_similarity
from pairwright.languages.linguistics.morphemes import boundary_pattern
from pairwright.languages.linguistics.sentences import is_sentence
from pairwright.records import Block
from pairwright.rules.starred.comparisons import compared_examples
from pairwright.rules.starred.conventions import Conventions
from pairwright.rules.starred.example_forms import LONGEST, Form, sentence
from pairwright.rules.starred.variants import has_variants, without_optional
from pairwright.text import comparison_key, words

# Where a partner stands: the further, the less likely it is.
_FURTHER, _ELSEWHERE, _NAMED, _SAME_EXAMPLE = range(4)
# The least similarity (0-1) of a partner there: with another translation, with nearly the same one, with the same one.
_LEAST = {
    _FURTHER: (0.7, 0.65, 0.6),
    _ELSEWHERE: (0.7, 0.65, 0.6),
    _NAMED: (0.65, 0.55, 0.4),
    _SAME_EXAMPLE: (0.5, 0.45, 0.35),
}
# The least likeness (0-100) of two translations that say nearly the same; those below the second say other things.
_SAME_MEANING, _OTHER_MEANING = 90, 60
# Elsewhere, the least share (0-1) of words that stand in both as they are: else they are two ways to say one thing.
_LEAST_SHARED = 0.5
# The difference of similarity that counts as a tie.
_TIE = 0.03
# How many blocks away the examples before or after may stand, how many of them there may be to either side, and how
# many lines away a part of the same example.
_REACH = 12
_EXAMPLES = 3
_PARTS = 40

SAME_WORDS = "the same words as the unstarred form: the star is about sound, punctuation or reference"


class NoPairError(ValueError):
    """A starred form makes no pair; the message is the reason."""


class StarredMatch(NamedTuple):
    """The two sides of a pair, with the form of the good one. `others` are equally good partners."""

    good: str
    bad: str
    form: Form
    similarity: float
    others: tuple[str, ...] = ()


class _Option(NamedTuple):
    """A possible match behind what ranks it: the largest is the best."""

    enough: bool
    place: int
    meaning: int
    similarity: float
    closeness: int
    match: StarredMatch

    def ties_with(self, best: "_Option") -> bool:
        """Whether this is another good side for the same bad one, in the same example and with as many changes."""
        one, two = self.match, best.match
        return (
            self[:3] == (True, _SAME_EXAMPLE, best.meaning)
            and one.similarity > two.similarity - _TIE
            and one.good != two.good
            and one.bad == two.bad
            and len(changes(one.good, one.bad)) == len(changes(two.good, two.bad))
        )


class PartnerFinder:
    """Finds partners among the forms of a book, given in their order."""

    def __init__(self, forms: Sequence[Form], blocks: Sequence[Block], conventions: Conventions) -> None:
        self._forms, self._blocks, self._prose = forms, blocks, conventions.prose
        self._by_example: dict[str, list[Form]] = defaultdict(list)
        self._by_number: dict[str, list[Form]] = defaultdict(list)
        self._by_translation: dict[str, list[Form]] = defaultdict(list)
        self._places: list[int] = []
        for form in forms:
            self._places.append(len(self._by_example[form.example]))
            self._by_example[form.example].append(form)
            if form.place:
                self._by_number[form.place[0]].append(form)
            if key := comparison_key(form.translation or ""):
                self._by_translation[key].append(form)

    def match(self, index: int) -> StarredMatch:
        """The starred form at an index with its partner. Raises NoPairError where it has none."""
        form = self._forms[index]
        options = [option for other, place in self._candidates(index) for option in _options(form, other, place)]
        if not options:
            raise NoPairError("no unstarred form stands beside it")
        if all(option.match.good == option.match.bad for option in options):
            raise NoPairError(SAME_WORDS)
        best = max(options, key=lambda option: option[:-1])
        if not best.enough:
            nearest = f"({best.similarity:.2f}): {best.match.good}"
            raise NoPairError(f"no unstarred neighbour is like it; the nearest {nearest}")
        others = dict.fromkeys(option.match.good for option in options if option.ties_with(best))
        return best.match._replace(others=tuple(others))

    def _candidates(self, index: int) -> Iterator[tuple[Form, int]]:
        """The forms that may be the partner, each with where it stands."""
        form, place = self._forms[index], self._places[index]
        near = self._by_example[form.example][max(0, place - _PARTS) : place + _PARTS]
        yield from ((other, _SAME_EXAMPLE) for other in near if _fits(form, other))
        yield from ((other, _NAMED) for other in self._named(form) if _fits(form, other))
        for places in (range(index - 1, -1, -1), range(index + 1, len(self._forms))):
            yield from self._elsewhere(form, places)
        yield from ((other, _ELSEWHERE) for other in self._same_in_chapter(form))

    def _named(self, form: Form) -> Iterator[Form]:
        """The forms of the examples with which the prose compares a form. A chapter may count its own from 1."""
        for reference in compared_examples(self._blocks, form, self._prose):
            chapter = form.block.section[:1]
            numbered = [item for item in self._by_number[reference.number] if item.block.section[:1] == chapter]
            nearest = min(numbered, key=lambda item: abs(item.order - form.order), default=form).example
            least = 2 if reference.parts else 1
            fitting = (item for item in numbered if item.example == nearest != form.example)
            yield from (item for item in fitting if reference.precision(item.place) >= least)

    def _elsewhere(self, form: Form, places: Iterable[int]) -> Iterator[tuple[Form, int]]:
        """The unstarred forms of the nearest example in the same section that has any, in the order of the places, and
        those behind it that mean the same; further, those of the next examples."""
        nearest: list[str] = []
        for other in (self._forms[place] for place in places):
            if abs(other.order - form.order) > _REACH or other.block.section != form.block.section:
                return
            if other.example == form.example or not _fits(form, other):
                continue
            if other.example not in nearest:
                nearest.append(other.example)
            if other.example == nearest[0] or _meaning(form, other):
                yield other, _ELSEWHERE
            elif len(nearest) <= _EXAMPLES:
                yield other, _FURTHER

    def _same_in_chapter(self, form: Form) -> Iterator[Form]:
        """The unstarred forms of the chapter with the translation of a starred one, if that is of a sentence."""
        if is_sentence(form.translation or ""):
            chapter = form.block.section[:1]
            alike = self._by_translation[comparison_key(form.translation or "")]
            yield from (item for item in alike if item.block.section[:1] == chapter and _fits(form, item))


def _fits(form: Form, other: Form) -> bool:
    """Whether a form may be the good side: unmarked, usable, and in the same language where both name theirs."""
    one_language = not (form.language and other.language) or form.language == other.language
    usable = not other.mark and other.flaw is None and len(other.written) <= LONGEST
    return usable and one_language and not has_variants(other.written)


def _meaning(form: Form, other: Form) -> int:
    """How alike the translations are: 2 the same, 1 nearly the same, 0 different, or one is missing."""
    likeness = _likeness(form, other)
    return 0 if likeness is None else 2 if likeness == 100 else int(likeness >= _SAME_MEANING)


def _likeness(form: Form, other: Form) -> float | None:
    """How alike the letters of the translations are, 0-100; None where one is missing."""
    one, two = (comparison_key(item.translation or "") for item in (form, other))
    return fuzz.ratio(one, two) if one and two else None


def _options(form: Form, other: Form, place: int) -> Iterator[_Option]:
    """The two forms, with and without their optional parts."""
    likeness, meaning = _likeness(form, other), _meaning(form, other)
    comparable = likeness is None or likeness >= _OTHER_MEANING
    parts = sum(one == two for one, two in zip(form.place, other.place, strict=False))
    closeness = parts if place == _SAME_EXAMPLE else -abs(form.order - other.order)
    for starred in without_optional(form.written):
        bad = sentence(starred, form.boundaries)
        for unstarred in without_optional(other.written):
            good = sentence(unstarred, other.boundaries)
            # Two words may differ in their morphemes, or in the letters of one.
            wordings = [(bad, good), *_morphemes(form, other)]
            similarity, compared = max((sentence_similarity(*wording), wording) for wording in wordings)
            match = StarredMatch(good, bad, other, similarity)
            connected = place == _SAME_EXAMPLE or _shared_words(*compared) >= _LEAST_SHARED
            least = _LEAST[place][meaning] if connected and comparable else _LEAST[_ELSEWHERE][0]
            single = place != _FURTHER or len(changes(good, bad)) == 1
            enough = similarity >= least and good != bad and single
            yield _Option(enough, place, meaning, similarity, closeness, match)


def _morphemes(form: Form, other: Form) -> Iterator[tuple[str, str]]:
    """Two sentences of one word with spaces between their morphemes; none where one has several words or is not cut."""
    lines = [side.morphemes or (side.boundaries and side.written) for side in (form, other)]
    if all(len(line.split()) == 1 for line in lines):
        pattern = boundary_pattern(form.boundaries or other.boundaries or BOUNDARIES)
        one, two = (pattern.sub(" ", line) for line in lines)
        yield one, two


def _shared_words(one: str, other: str) -> float:
    """The share (0-1) of the longer sentence's words that stand in the other as they are."""
    first, second = (Counter(words(text.casefold())) for text in (one, other))
    return (first & second).total() / max(first.total(), second.total(), 1)
