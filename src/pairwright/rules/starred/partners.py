"""The unstarred partner of a starred sentence: the acceptable one that is most like it.

It stands in the same example, as a sub-example or a line beside the starred one, else in the example before or after.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pairwright.rules.error_lists.alignment import sentence_similarity
from pairwright.rules.starred.example_forms import LONGEST, Form, sentence
from pairwright.rules.starred.variants import has_variants, without_optional
from pairwright.text import changes, comparison_key

# The least similarity (0-1) of a partner: in the same example with the same translation, in the same example, in the
# example before or after.
LEAST_SAME_MEANING, LEAST_SAME_EXAMPLE, LEAST_OTHER_EXAMPLE = 0.35, 0.5, 0.7
# The difference of similarity that counts as a tie.
_TIE = 0.03
# How many blocks away the example before or after may stand, and how many lines away a part of the same example.
_REACH = 12
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
    same_example: bool
    same_translation: bool
    similarity: float
    closeness: int
    match: StarredMatch

    def ties_with(self, best: "_Option") -> bool:
        """Whether this is another good side for the same bad one, in the same example and with as many changes."""
        one, two = self.match, best.match
        return (
            self[:3] == (True, True, best.same_translation)
            and one.similarity > two.similarity - _TIE
            and one.good != two.good
            and one.bad == two.bad
            and len(changes(one.good, one.bad)) == len(changes(two.good, two.bad))
        )


class PartnerFinder:
    """Finds partners among the forms of a book, given in their order."""

    def __init__(self, forms: Sequence[Form]) -> None:
        self._forms = forms
        self._by_example: dict[str, list[Form]] = defaultdict(list)
        self._places: list[int] = []
        for form in forms:
            self._places.append(len(self._by_example[form.example]))
            self._by_example[form.example].append(form)

    def match(self, index: int) -> StarredMatch:
        """The starred form at an index with its partner. Raises NoPairError where it has none."""
        form = self._forms[index]
        options = [option for other in self._candidates(index) for option in _options(form, other)]
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

    def _candidates(self, index: int) -> Iterator[Form]:
        form, place = self._forms[index], self._places[index]
        near = self._by_example[form.example][max(0, place - _PARTS) : place + _PARTS]
        yield from (other for other in near if _fits(form, other))
        for places in (range(index - 1, -1, -1), range(index + 1, len(self._forms))):
            yield from self._next_example(form, places)

    def _next_example(self, form: Form, places: Iterable[int]) -> Iterator[Form]:
        """The unstarred forms of the nearest example in the same section that has any, in the order of the places."""
        nearest: str | None = None
        for other in (self._forms[place] for place in places):
            if other.example == form.example:
                continue
            far = abs(other.order - form.order) > _REACH or other.block.section != form.block.section
            if far or (nearest and other.example != nearest):
                return
            if _fits(form, other):
                nearest = other.example
                yield other


def _fits(form: Form, other: Form) -> bool:
    """Whether a form may be the good side: unmarked, usable, and in the same language where both name theirs."""
    one_language = not (form.language and other.language) or form.language == other.language
    usable = not other.mark and other.flaw is None and len(other.written) <= LONGEST
    return usable and one_language and not has_variants(other.written)


def _options(form: Form, other: Form) -> Iterator[_Option]:
    """The two forms, with and without their optional parts."""
    same_example = other.example == form.example
    meanings = [item.translation and comparison_key(item.translation) for item in (form, other)]
    same_meaning = bool(form.translation) and meanings[0] == meanings[1]
    least = LEAST_OTHER_EXAMPLE
    if same_example:
        least = LEAST_SAME_MEANING if same_meaning else LEAST_SAME_EXAMPLE
        closeness = sum(one == two for one, two in zip(form.place, other.place, strict=False))
    else:
        closeness = -abs(form.order - other.order)
    for starred in without_optional(form.written):
        bad = sentence(starred, form.boundaries)
        for unstarred in without_optional(other.written):
            good = sentence(unstarred, other.boundaries)
            similarity = sentence_similarity(bad, good)
            match = StarredMatch(good, bad, other, similarity)
            enough = similarity >= least and good != bad
            yield _Option(enough, same_example, same_meaning, similarity, closeness, match)
