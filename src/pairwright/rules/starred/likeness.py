"""How alike two sentences are: what tells a minimal pair from two sentences that stand side by side."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from pairwright.rules.error_lists.alignment import similarity
from pairwright.text import words


def likeness(one: str, two: str) -> float:
    """How alike two sentences are, 0-1: the mean of shared words, in whatever order and form, and shared letters."""
    words_of_one, words_of_two = words(one), words(two)
    if not words_of_one or not words_of_two:
        return 0.0
    by_letters: float = fuzz.ratio(one.casefold(), two.casefold()) / 100
    return (_shared(words_of_one, words_of_two) + by_letters) / 2


def _shared(one: Sequence[str], two: Sequence[str]) -> float:
    """The best one-to-one matches of words over the longer side; forms of one word count less than the same word."""
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
