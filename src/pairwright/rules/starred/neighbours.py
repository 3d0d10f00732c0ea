"""Which unstarred sentence a starred one is to be read against: the one that is most like it.

It stands in the same example, as a sub-example or a line beside the starred one, else in the example before or after.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pairwright.rules.starred.example_forms import LONGEST, Form, sentence
from pairwright.rules.starred.likeness import likeness
from pairwright.rules.starred.variants import has_variants, without_optional
from pairwright.text import changes, comparison_key

# The least likeness (0-1) of a neighbour: in the same example with the same translation, in the same example, in the
# example before or after.
LEAST_SAME_MEANING, LEAST_SAME_EXAMPLE, LEAST_OTHER_EXAMPLE = 0.35, 0.5, 0.7
# What counts as equally alike; how many blocks away the example before or after may stand, and how many lines away a
# part of the same example.
_TIE = 0.03
_REACH = 12
_PARTS = 40

SAME_WORDS = "the same words as the unstarred form: the star is about sound, punctuation or reference"


class NoPairError(ValueError):
    """Why a starred form makes no pair."""


@dataclass(frozen=True)
class Match:
    """The unstarred side of a pair, with its form, and the starred one; `others` are equally near unstarred ones."""

    good: str
    bad: str
    form: Form
    likeness: float
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Option:
    match: Match
    enough: bool
    same_example: bool
    same_translation: bool
    closeness: int

    @property
    def rank(self) -> tuple[bool, bool, bool, float, int]:
        return self.enough, self.same_example, self.same_translation, self.match.likeness, self.closeness


class Neighbourhood:
    """The forms of a book, in their order."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._by_example: dict[str, list[Form]] = defaultdict(list)
        self._places: list[int] = []
        for form in forms:
            self._places.append(len(self._by_example[form.example]))
            self._by_example[form.example].append(form)

    def nearest(self, index: int) -> Match:
        """The unstarred form that is most like the starred one at `index`. Raises NoPairError where there is none."""
        form = self._forms[index]
        options = [option for other in self._beside(index) for option in _options(form, other)]
        if not options:
            raise NoPairError("no unstarred form stands beside it")
        if all(option.match.good == option.match.bad for option in options):
            raise NoPairError(SAME_WORDS)
        best = max(options, key=lambda option: option.rank)
        match = best.match
        if not best.enough:
            raise NoPairError(f"no unstarred neighbour is like it; the nearest ({match.likeness:.2f}): {match.good}")
        others = [option.match.good for option in options if option.same_example and _is_tie(option, best)]
        return Match(match.good, match.bad, match.form, match.likeness, tuple(dict.fromkeys(others)))

    def _beside(self, index: int) -> Iterator[Form]:
        form = self._forms[index]
        place = self._places[index]
        near = self._by_example[form.example][max(0, place - _PARTS) : place + _PARTS]
        yield from (other for other in near if _fits(form, other))
        for step in (-1, 1):
            yield from self._next_example(index, step)

    def _next_example(self, index: int, step: int) -> Iterator[Form]:
        """The unstarred forms of the nearest example that has any, backwards or forwards in the same section."""
        form = self._forms[index]
        beside: str | None = None
        place = index + step
        while 0 <= place < len(self._forms):
            other = self._forms[place]
            place += step
            if other.example == form.example:
                continue
            far = abs(other.order - form.order) > _REACH or other.block.section != form.block.section
            if far or (beside and other.example != beside):
                return
            if _fits(form, other):
                beside = other.example
                yield other


def _fits(form: Form, other: Form) -> bool:
    """Whether a form may be the good side: unmarked, usable, of the same language where both name theirs."""
    one_language = not (form.language and other.language) or form.language == other.language
    usable = not other.mark and other.flaw is None and len(other.written) <= LONGEST
    return usable and one_language and not has_variants(other.written)


def _options(form: Form, other: Form) -> Iterator[_Option]:
    """The two forms with their optional parts in and left out."""
    same_example = other.example == form.example
    meaning = bool(form.translation and other.translation) and comparison_key(form.translation or "") == comparison_key(
        other.translation or ""
    )
    least = LEAST_OTHER_EXAMPLE
    if same_example:
        least = LEAST_SAME_MEANING if meaning else LEAST_SAME_EXAMPLE
    for written in without_optional(form.written):
        bad = sentence(written, segmented=form.segmented)
        for beside in without_optional(other.written):
            good = sentence(beside, segmented=other.segmented)
            alike = likeness(bad, good)
            yield _Option(
                Match(good, bad, other, alike),
                enough=alike >= least and good != bad,
                same_example=same_example,
                same_translation=meaning,
                closeness=_closeness(form, other),
            )


def _closeness(form: Form, other: Form) -> int:
    """How many of their numbers and letters two forms of one example share; how far apart two examples are, below 0."""
    if form.example != other.example:
        return -abs(form.order - other.order)
    return sum(one == two for one, two in zip(form.place, other.place, strict=False))


def _is_tie(option: _Option, best: _Option) -> bool:
    """Whether a form of the best one's example differs from the starred sentence in as many places."""
    one, two = option.match, best.match
    meaning = option.same_translation == best.same_translation
    near = option.enough and meaning and one.likeness > two.likeness - _TIE
    return near and one.good != two.good and one.bad == two.bad and _n_changes(one) == _n_changes(two)


def _n_changes(match: Match) -> int:
    return len(changes(match.good, match.bad))
