"""How well the reviewers of a queue agree, and figures on each of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter

from pairwright.core.records import Decision, Judgement, Record
from pairwright.review.log import Entry, ReviewContext, is_answer, latest_entries
from pairwright.review.results.status import seconds_by_reviewer
from pairwright.stats.agreement import (
    FEWEST_UNITS,
    Agreement,
    NominalAgreement,
    Preference,
    krippendorff_alpha,
    nominal_agreement,
    preferences,
)

ALL = ""
_CODES = {"approve": 0.0, "fix": 1.0, "reject": 2.0, "good": 0.0, "bad": 1.0}
# How many answers there are to choose among.
_CATEGORIES = {"pairs": 3, "choice": 2, "likert": 7}
# Nobody who has read a garbled sentence rates it above the middle of the scale.
MIDDLE = 4


class GroupAgreement(Record):
    """Agreement on the items of a rule with ten or more that two answered, or on all items if `code` is empty.

    ordinal  alpha of ratings, which are in order; None for other answers
    """

    code: str
    nominal: NominalAgreement
    ordinal: Agreement | None


class ReviewerQuality(Record):
    """Figures on a reviewer.

    n        answers, without catch trials and fillers
    share    pairs: the share approved; choice: the share of acceptable sentences chosen; ratings: None
    n_catch  catch trials answered; `n_caught` of them wrongly
    seconds  the median time for an answer, if known
    """

    reviewer: str
    n: int
    share: float | None
    n_catch: int
    n_caught: int
    seconds: float | None


class QueueQuality(Record):
    """Agreement in a queue, overall and by rule, and its reviewers.

    settles whether the queue settles conflicts: its answers, with the others' votes in sight, then show no agreement
    prefer  ratings: how many raters prefer the acceptable sentences, overall and by rule
    """

    queue: str
    kind: str
    settles: bool
    groups: tuple[GroupAgreement, ...]
    reviewers: tuple[ReviewerQuality, ...]
    prefer: tuple[Preference, ...]


_Units = dict[tuple[str, str], dict[str, float]]
"""The value of each reviewer's answer, by what it is about: a pair and, for a rating, the member shown."""


def queue_quality(context: ReviewContext, n_boot: int = 1000) -> QueueQuality:
    """Agreement and reviewers of a queue, with `n_boot` bootstrap samples; `unsure` counts as no opinion."""
    folder = context.folder
    kind, settles = folder.info().kind, folder.info().of is not None
    answers = [entry for entry in latest_entries(folder.entries(kind)).values() if is_answer(entry)]
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
            ordinal=krippendorff_alpha(rated, "ordinal", n_boot) if kind == "likert" else None,
        )
        for code, rated in by_code
        if not settles and sum(len(unit) > 1 for unit in rated) >= (1 if code == ALL else FEWEST_UNITS)
    )
    names = sorted({entry.reviewer for entry in answers})
    code_of = {pair_id: context.rule_code(rule_id) for pair_id, rule_id in rule_of.items()}
    return QueueQuality(
        queue=context.queue,
        kind=kind,
        settles=settles,
        groups=tuple(groups),
        reviewers=tuple(_reviewer(name, answers) for name in names),
        prefer=_preferences(answers, code_of),
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


def _reviewer(name: str, answers: Sequence[Entry]) -> ReviewerQuality:
    own = [entry for entry in answers if entry.reviewer == name]
    items = [entry for entry in own if _unit(entry) is not None]
    catches = [entry for entry in own if isinstance(entry, Judgement) and entry.role == "catch"]
    rates = any(isinstance(entry, Judgement) and entry.rating is not None for entry in items)
    return ReviewerQuality(
        reviewer=name,
        n=len(items),
        share=sum(_value(entry) == 0 for entry in items) / len(items) if items and not rates else None,
        n_catch=len(catches),
        n_caught=sum(entry.prefers == "bad" or (entry.rating or 0) > MIDDLE for entry in catches),
        seconds=seconds_by_reviewer(own).get(name),
    )


def _preferences(answers: Sequence[Entry], code_of: Mapping[str, str]) -> tuple[Preference, ...]:
    """Who prefers the acceptable sentences, by everything that a rater rated, catch trials and fillers included."""
    ratings: dict[str, dict[str, float]] = defaultdict(dict)
    group_of: dict[str, str] = {}
    better: set[str] = set()
    for entry in answers:
        if not isinstance(entry, Judgement) or entry.rating is None:
            continue
        ratings[entry.reviewer][entry.item_id] = float(entry.rating)
        if entry.role == "item" and entry.side is not None and (code := code_of.get(entry.pair_id or "")) is not None:
            group_of[entry.item_id] = code
            better |= {entry.item_id} if entry.side == "good" else set()
    # A reviewer who gives every sentence the same rating prefers nothing and is not counted.
    varied = {reviewer: given for reviewer, given in ratings.items() if len(set(given.values())) > 1}
    groups = (dict.fromkeys(group_of, "all"), dict(sorted(group_of.items(), key=itemgetter(1))))
    return tuple(item for group in groups for item in preferences(varied, group, better) if item.n_raters)
