"""Acceptance sampling: how many items of a lot are looked at before the others are accepted unseen.

A lot holds `lot` items, an unknown number of which are wrong; a random sample without replacement shows some of them.
All probabilities are hypergeometric, so that a small lot needs a smaller sample; in a large one they become binomial,
and the bounds those of Clopper and Pearson (1934), The Use of Confidence or Fiducial Limits Illustrated in the Case of
the Binomial, Biometrika 26, 404-413. Plans that end with the first sample or go on to larger ones are in Dodge and
Romig (1929), A Method of Sampling Inspection, Bell System Technical Journal 8, 613-631.
"""

import math
from bisect import bisect_left
from functools import cache, lru_cache

import scipy  # scipy.stats is loaded where it is first used: it takes most of a second

# More than the rounding of floats, and less than any difference that matters.
TINY = 1e-9


@lru_cache(maxsize=10_000)
def sample_size(lot: int, max_error: float, confidence: float, errors: int = 0) -> int:
    """The smallest sample whose `errors` wrong items bound the lot's share of wrong ones by `max_error`.

    The bound is that of `error_bound`. The whole lot where no smaller sample will do. Raises ValueError where a number
    is out of its range.
    """
    _require(lot >= 1 and errors >= 0 and 0 < max_error < 1 and 0 < confidence < 1, lot, errors, max_error, confidence)
    wrong = first_above(lot, max_error)
    doubt = 1 - confidence + TINY
    return bisect_left(range(lot), True, key=lambda n: scipy.stats.hypergeom.cdf(errors, lot, wrong, n) <= doubt)


def error_bound(lot: int, sample: int, errors: int, confidence: float) -> float:
    """The upper end of the one-sided interval of the share of wrong items in a lot, 0-1.

    With more wrong items than that, so few of them would be in the sample with a probability of at most
    1 - `confidence`. Raises ValueError where a number is out of its range.
    """
    _require(1 <= sample <= lot and 0 <= errors <= sample and 0 < confidence < 1, lot, sample, errors, confidence)
    possible = range(errors, lot - sample + errors + 1)
    doubt = 1 - confidence + TINY
    refuted = bisect_left(
        possible, True, key=lambda wrong: scipy.stats.hypergeom.cdf(errors, lot, wrong, sample) <= doubt
    )
    return possible[refuted - 1] / lot


def chance_of_acceptance(lot: int, wrong: int, max_error: float, confidence: float, allowed_errors: int = 0) -> float:
    """How probable it is that a lot with so many wrong items is accepted.

    The sample begins with the size for no error. While it shows up to `allowed_errors`, it grows to the size for as
    many; it is accepted with no more than its size allows for. Without extensions, a lot with more than `max_error`
    wrong is accepted with a probability of at most 1 - `confidence`; each extension adds something.
    """

    @cache
    def chance(seen: int, errors: int) -> float:
        size = sample_size(lot, max_error, confidence, errors)
        more = range(min(size - seen, wrong - errors) + 1)
        weights = scipy.stats.hypergeom.pmf(list(more), lot - seen, wrong - errors, size - seen)
        accepted = float(weights[0])
        if size < lot:
            extended = (n for n in more[1:] if errors + n <= allowed_errors and weights[n])
            accepted += sum(float(weights[n]) * chance(size, errors + n) for n in extended)
        return accepted

    return chance(0, 0)


def first_above(lot: int, share: float) -> int:
    """The smallest number of items that is more than a share of the lot, but for the rounding of floats."""
    return math.floor(lot * share + TINY) + 1


def _require(in_range: bool, *numbers: float) -> None:
    if not in_range:
        raise ValueError(f"no sample of a lot with {', '.join(map(str, numbers))}")
