"""Which unstarred sentence a starred one is to be read against: the one that is most like it."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from pairwright.rules.alignment import similarity
from pairwright.text import comparison_key, words

# How much a shared translation adds, and the least likeness (0-1) of a neighbour: in the same example with the same
# translation, in the same example, in the example before or after.
SAME_MEANING = 0.15
LEAST_SAME_MEANING, LEAST_SAME_EXAMPLE, LEAST_OTHER_EXAMPLE = 0.35, 0.5, 0.7


def likeness(sentence: str, other: str) -> float:
    """How alike two sentences are, 0-1: the mean of shared words, in whatever order and form, and shared letters."""
    one, two = words(sentence), words(other)
    if not one or not two:
        return 0.0
    by_letters: float = fuzz.ratio(sentence.casefold(), other.casefold()) / 100
    return (_shared(one, two) + by_letters) / 2


def _shared(one: Sequence[str], two: Sequence[str]) -> float:
    """The best one-to-one matches of words, forms of one word counting less than the same word, over the longer side."""
    options = sorted(
        ((similarity(a, b), -abs(i - k), i, k) for i, a in enumerate(one) for k, b in enumerate(two)), reverse=True
    )
    left, right, total = set(range(len(one))), set(range(len(two))), 0.0
    for value, _, i, k in options:
        if value and i in left and k in right:
            left.remove(i)
            right.remove(k)
            total += value
    return total / max(len(one), len(two))


def same_meaning(translation: str | None, other: str | None) -> bool:
    """Whether two translations are worded alike."""
    return bool(translation and other) and comparison_key(translation or "") == comparison_key(other or "")


def threshold(*, same_example: bool, same_translation: bool) -> float:
    """The least likeness of a neighbour."""
    if not same_example:
        return LEAST_OTHER_EXAMPLE
    return LEAST_SAME_MEANING if same_translation else LEAST_SAME_EXAMPLE
