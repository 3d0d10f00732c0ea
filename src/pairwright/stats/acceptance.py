"""Which pairs are accepted: what votes come to for one pair, and samples for the lots of pairs that programs derived.

Of a lot, the derived pairs of a rule and a method, people are asked about a random sample without replacement; where it
shows few enough wrong ones, the lot is released whole. Probabilities are hypergeometric; in a large lot the bounds are
those of Clopper and Pearson (1934), Biometrika 26, 404-413. Plans that go on to larger samples are in Dodge and Romig
(1929), A Method of Sampling Inspection, Bell System Technical Journal 8, 613-631.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Literal, NamedTuple

import scipy  # scipy.stats is loaded where it is first used: it takes most of a second

from pairwright.core.config import Method, ReleaseSettings, SamplingSettings
from pairwright.core.ids import digest
from pairwright.core.records import Augmentation, Candidate, CheckedPair, DecisionWord, Lot, Rule

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


ReviewOutcome = Literal["approved", "conflict", "fixed", "rejected", "undecided"]
Votes = Mapping[str, Mapping[str, DecisionWord]]
"""The decision of each reviewer on each pair: by pair id, then by reviewer."""
REFUSED = frozenset({"fixed", "rejected"})
"""The outcomes that call a pair wrong as it is."""
OPEN = frozenset({"undecided", "conflict"})
"""The outcomes that wait for further votes."""


class ReviewVerdict(NamedTuple):
    """What the votes on a pair come to, and why it is not approved."""

    outcome: ReviewOutcome
    reason: str = ""


def verdict(
    votes: Mapping[str, DecisionWord], settling: Mapping[str, DecisionWord], settings: ReleaseSettings, needed: int
) -> ReviewVerdict:
    """What the votes on a pair come to; `settling` are those that were cast to settle a conflict.

    Votes of reviewers who may decide alone come first, then those that settled a conflict; one approval is enough of
    these. Else all votes count, and the pair needs so many approvals.
    """
    alone = {reviewer: word for reviewer, word in votes.items() if reviewer in settings.decide_alone}
    deciding = alone or settling
    deciding, needed = (deciding, 1) if deciding else (votes, needed)
    counts = Counter(
        "reject" if word == "unsure" and settings.unsure == "reject" else word for word in deciding.values()
    )
    if counts["approve"] and counts["reject"]:
        return ReviewVerdict("conflict", f"conflict: {counts['approve']} approve, {counts['reject']} reject")
    if counts["fix"]:
        return ReviewVerdict("fixed", "fix asked for, none written")
    if counts["reject"]:
        whose = " of those who may decide alone" if alone else " that settle a conflict" if settling else ""
        return ReviewVerdict("rejected", f"rejected: {counts['reject']} of {len(deciding)} votes{whose}")
    if counts["unsure"] and settings.unsure == "block":
        return ReviewVerdict("undecided", f"votes: {counts['unsure']} unsure of {len(deciding)}")
    if counts["approve"] < needed:
        return ReviewVerdict("undecided", f"votes: {counts['approve']} of {needed}")
    return ReviewVerdict("approved")


def is_approved(votes: Collection[DecisionWord]) -> bool:
    """Whether somebody approved a pair and nobody called it wrong, so that others may be made from it."""
    return "approve" in votes and not {"reject", "fix"}.intersection(votes)


class DerivedPair(NamedTuple):
    """What the policy on derived pairs needs of one. `seed_id` is the pair that it was made from, if there is one."""

    id: str
    rule_id: str
    method: Method
    seed_id: str | None
    in_lot: bool  # the checks passed it, a stage still makes it, and it is not one for which people are to be asked


def derived_pair(checked: CheckedPair) -> DerivedPair | None:
    """A pair as the policy sees it; None for one that no program derived."""
    pair = checked.candidate
    if pair.derivation is None:
        return None
    in_lot = checked.verdict == "pass" and not pair.kept and not is_proposal(pair)
    return DerivedPair(pair.id, pair.rule_id, pair.method, pair.parent_id, in_lot)


def people_needed(pair: Candidate, most: int, settings: SamplingSettings) -> int:
    """How many people a pair needs, of whom one that is no pair of a random sample needs `most`."""
    one_by_one = pair.derivation is None or is_proposal(pair) or settings.sample == "all"
    return most if one_by_one else min(most, settings.per_pair)


def is_proposal(pair: Candidate) -> bool:
    """Whether a derived pair was made to be put before people one by one."""
    return isinstance(pair.derivation, Augmentation) and pair.derivation.proposed


def without_seed(pairs: Iterable[DerivedPair], refused: Collection[str]) -> dict[str, str]:
    """The derived pairs whose seed, or the seed of that one, is refused: the id of the refused seed by pair id."""
    seed_of = {pair.id: pair.seed_id for pair in pairs if pair.seed_id is not None}
    withdrawn = {}
    for pair_id in seed_of:
        seed, passed = seed_of.get(pair_id), {pair_id}
        while seed is not None and seed not in refused and seed not in passed:
            passed.add(seed)
            seed = seed_of.get(seed)
        if seed is not None and seed in refused:
            withdrawn[pair_id] = seed
    return withdrawn


def draw_lots(
    pairs: Iterable[DerivedPair],
    outcomes: Mapping[str, ReviewOutcome],
    settings: SamplingSettings,
    rules: Mapping[str, Rule],
) -> list[Lot]:
    """The lots of derived pairs, by rule and method in the order of the pairs, each with its sample.

    Lots that would be reviewed for the greater part are pooled over the rules of a phenomenon. A pair's place in the
    drawing is the hash of its id, so a further pair moves none of the others.
    """
    groups: dict[tuple[str, Method], list[str]] = defaultdict(list)
    for pair in pairs:
        if pair.in_lot:
            groups[pair.rule_id, pair.method].append(pair.id)
    pools: dict[tuple[str, str, Method], dict[str, list[str]]] = defaultdict(dict)
    for (rule_id, method), ids in groups.items():
        rule, key = rules.get(rule_id), (rule_id, "", method)
        few = 2 * sample_size(len(ids), settings.max_error, settings.confidence) > len(ids)
        if rule and few and settings.sample == "random":
            key = (rule.source_id, rule.phenomenon, method)
        pools[key][rule_id] = ids
    lots = []
    for (_, _, method), of_rules in pools.items():
        (rule_id, *pooled), ids = of_rules, list(chain.from_iterable(of_rules.values()))
        sample = _sample(drawing_order(ids, settings.seed), outcomes, settings)
        n_errors, n_open = _count(outcomes, sample, REFUSED), _count(outcomes, sample, OPEN)
        lot = Lot(
            rule_id=rule_id,
            rule_code=(rules[rule_id].code if rule_id in rules else rule_id) + (f" +{len(pooled)}" if pooled else ""),
            method=method,
            pooled=tuple(pooled),
            size=len(ids),
            sample=tuple(sample),
            **appraised(len(sample), len(ids), n_errors, n_open, settings),
        )
        lots.append(lot)
    return lots


def drawing_order(pair_ids: Iterable[str], seed: int) -> list[str]:
    """Pairs in the order in which they are drawn."""
    return sorted(pair_ids, key=lambda pair_id: digest(["sample", seed, pair_id]))


def appraised(n_sample: int, size: int, n_errors: int, n_open: int, settings: SamplingSettings) -> dict[str, object]:
    """What a sample says of a lot of `size` pairs: the fields of a `Lot` by name."""
    needed = sample_size(size, settings.max_error, settings.confidence, n_errors)
    bound = None if n_open else round(error_bound(size, n_sample, n_errors, settings.confidence), 6)
    return {"n_errors": n_errors, "n_open": n_open, "bound": bound, "extension": max(0, needed - n_sample)}


def _sample(order: Sequence[str], outcomes: Mapping[str, ReviewOutcome], settings: SamplingSettings) -> Sequence[str]:
    """The pairs of a lot that people are asked about. Each wrong one that is allowed for makes the sample larger."""
    if settings.sample == "all":
        return order
    size = errors = 0
    while True:
        size = sample_size(len(order), settings.max_error, settings.confidence, errors)
        n_errors = min(_count(outcomes, order[:size], REFUSED), settings.allowed_errors)
        if n_errors == errors:
            return order[:size]
        errors = n_errors


def _count(outcomes: Mapping[str, ReviewOutcome], pair_ids: Iterable[str], counted: Collection[str]) -> int:
    return sum(outcomes.get(pair_id, "undecided") in counted for pair_id in pair_ids)
