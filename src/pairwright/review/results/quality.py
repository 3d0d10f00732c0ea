"""How well the reviewers of a queue agree, and figures on each of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from pairwright.core.records import Decision, Judgement, Record
from pairwright.review.log.log import Entry, is_answer, latest_entries
from pairwright.review.log.queue import ReviewContext
from pairwright.review.results.status import seconds_by_reviewer
from pairwright.stats.agreement import (
    FEWEST_UNITS,
    Agreement,
    MeasurementLevel,
    NominalAgreement,
    krippendorff_alpha,
    nominal_agreement,
)
from pairwright.stats.ratings import ConditionMean, Preference, condition_means, preferences, z_scores

ALL = ""
_CODES = {"approve": 0.0, "fix": 1.0, "reject": 2.0, "good": 0.0, "bad": 1.0}
# How many answers there are to choose among.
_CATEGORIES = {"pairs": 3, "choice": 2, "likert": 7}
_LEVELS: tuple[MeasurementLevel, ...] = ("ordinal", "interval")
# Nobody who has read a garbled sentence rates it above the middle of the scale.
MIDDLE = 4


class GroupAgreement(Record):
    """Agreement on the items of a rule with ten or more that two answered, or on all items if `code` is empty.

    scales  ratings: alpha by level of measurement
    """

    code: str
    nominal: NominalAgreement
    scales: dict[str, Agreement]


class ReviewerQuality(Record):
    """Figures on a reviewer.

    n        answers, without catch trials and fillers
    share    pairs: the share approved; choice: the share of acceptable sentences chosen; ratings: None
    bias     pairs: the share approved, less that of the others on the same pairs; choice: the share of first sentences
             chosen, less a half; ratings: the mean distance from the others' mean rating. None if nothing is shared
    n_catch  catch trials answered; `n_caught` of them wrongly
    seconds  the median time for an answer, if known
    """

    reviewer: str
    n: int
    share: float | None
    bias: float | None
    n_catch: int
    n_caught: int
    seconds: float | None


class QueueQuality(Record):
    """Agreement in a queue, overall and by rule, and its reviewers.

    settles whether the queue settles conflicts: its answers, with the others' votes in sight, then show no agreement
    means   ratings: the mean z-score of each condition, `good` and `bad`, overall and by rule
    prefer  ratings: how many raters prefer the acceptable sentences, overall and by rule
    """

    queue: str
    kind: str
    settles: bool
    groups: tuple[GroupAgreement, ...]
    reviewers: tuple[ReviewerQuality, ...]
    means: tuple[ConditionMean, ...]
    prefer: tuple[Preference, ...]


_Units = dict[tuple[str, str], dict[str, float]]
"""The value of each reviewer's answer, by what it is about: a pair and, for a rating, the member shown."""


def queue_quality(context: ReviewContext, n_boot: int = 1000) -> QueueQuality:
    """Agreement and reviewers of a queue, with `n_boot` bootstrap samples; `unsure` counts as no opinion."""
    folder = context.folder
    kind, settles = folder.info().kind, folder.info().of is not None
    answers = [entry for entry in latest_entries(folder.entries(kind)).values() if is_answer(entry)]
    firsts = {item.item_id: item.side for item in folder.assignments()} if kind == "choice" else {}
    rule_of = {pair.id: pair.rule_id for pair in folder.pair_texts().values()}
    units: _Units = {}
    for entry in answers:
        unit, value = _unit(entry), _value(entry)
        if unit is not None and value is not None:
            units.setdefault(unit, {})[entry.reviewer] = value
    by_rule: dict[str, list[Mapping[str, float]]] = {rule_id: [] for rule_id in context.rules}
    for (pair_id, _), rated in units.items():
        by_rule.setdefault(rule_of.get(pair_id, ALL), []).append(rated)
    every: list[Mapping[str, float]] = list(units.values())
    by_code = [(ALL, every), *((context.rule_code(rule_id), rated) for rule_id, rated in by_rule.items())]
    groups = (
        GroupAgreement(
            code=code,
            nominal=nominal_agreement(rated, _CATEGORIES[kind], n_boot),
            scales={level: krippendorff_alpha(rated, level, n_boot) for level in _LEVELS} if kind == "likert" else {},
        )
        for code, rated in by_code
        if not settles and sum(len(unit) > 1 for unit in rated) >= (1 if code == ALL else FEWEST_UNITS)
    )
    names = sorted({entry.reviewer for entry in answers})
    means, prefer = _preferences(answers, {pair_id: context.rule_code(rule_id) for pair_id, rule_id in rule_of.items()})
    return QueueQuality(
        queue=context.queue,
        kind=kind,
        settles=settles,
        groups=tuple(groups),
        reviewers=tuple(_reviewer(name, answers, units, firsts) for name in names),
        means=means,
        prefer=prefer,
    )


def _value(entry: Entry) -> float | None:
    if isinstance(entry, Judgement) and entry.rating is not None:
        return float(entry.rating)
    return _CODES.get((entry.decision if isinstance(entry, Decision) else entry.prefers) or "")


def _unit(entry: Entry) -> tuple[str, str] | None:
    """What an answer is about: a pair, or the member of a pair that was rated; None for catch trials and fillers."""
    if isinstance(entry, Decision):
        return entry.pair_id, ALL
    if entry.role != "item" or entry.pair_id is None:
        return None
    return entry.pair_id, entry.side or ALL


def _reviewer(name: str, answers: Sequence[Entry], units: _Units, firsts: Mapping[str, str | None]) -> ReviewerQuality:
    own = [entry for entry in answers if entry.reviewer == name]
    items = [entry for entry in own if _unit(entry) is not None]
    catches = [entry for entry in own if isinstance(entry, Judgement) and entry.role == "catch"]
    share, bias = None, None
    if any(isinstance(entry, Judgement) and entry.rating is not None for entry in items):
        bias = _distance(name, units.values())
    elif items:
        share = sum(_value(entry) == 0 for entry in items) / len(items)
        approvals = ({other: float(value == 0) for other, value in unit.items()} for unit in units.values())
        chosen = [entry.prefers == firsts.get(entry.item_id) for entry in items if isinstance(entry, Judgement)]
        bias = sum(chosen) / len(chosen) - 0.5 if firsts else _distance(name, approvals)
    return ReviewerQuality(
        reviewer=name,
        n=len(items),
        share=share,
        bias=bias,
        n_catch=len(catches),
        n_caught=sum(entry.prefers == "bad" or (entry.rating or 0) > MIDDLE for entry in catches),
        seconds=seconds_by_reviewer(own).get(name),
    )


def _distance(name: str, units: Iterable[Mapping[str, float]]) -> float | None:
    """The mean distance of a reviewer's values from the others' means on the same units; None if none is shared."""
    shared = [unit for unit in units if name in unit and len(unit) > 1]
    distances = [unit[name] - (sum(unit.values()) - unit[name]) / (len(unit) - 1) for unit in shared]
    return sum(distances) / len(distances) if distances else None


def _preferences(
    answers: Sequence[Entry], code_of: Mapping[str, str]
) -> tuple[tuple[ConditionMean, ...], tuple[Preference, ...]]:
    """Ratings as z-scores over everything that a rater rated, catch trials and fillers included, as is usual."""
    ratings: dict[str, dict[str, float]] = defaultdict(dict)
    group_of: dict[str, str] = {}
    side_of: dict[str, str] = {}
    for entry in answers:
        if not isinstance(entry, Judgement) or entry.rating is None:
            continue
        ratings[entry.reviewer][entry.item_id] = float(entry.rating)
        if entry.role == "item" and entry.side is not None and (code := code_of.get(entry.pair_id or "")) is not None:
            group_of[entry.item_id] = code
            side_of[entry.item_id] = entry.side
    scores = z_scores(ratings)
    conditions = {item: f"{group_of[item]} {side}" for item, side in side_of.items()}
    means = (*condition_means(scores, side_of), *condition_means(scores, conditions))
    better = {item for item, side in side_of.items() if side == "good"}
    # A reviewer who gives every sentence the same rating prefers nothing and is not counted.
    varied = {reviewer: ratings[reviewer] for reviewer in scores}
    groups = (dict.fromkeys(group_of, "all"), dict(sorted(group_of.items(), key=itemgetter(1))))
    return means, tuple(item for group in groups for item in preferences(varied, group, better) if item.n_raters)
