"""How well the reviewers of a queue agree, and what is known of each of them."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from operator import itemgetter
from pathlib import Path

from pairwright.records import Decision, Judgement, Record, Rule
from pairwright.review.log.folder import Entry, QueueFolder
from pairwright.review.results.status import seconds_by_reviewer
from pairwright.review.sheets.importing import is_answer, latest_entries
from pairwright.stats.agreement import Agreement, MeasurementLevel, cohen_kappa, fleiss_kappa, krippendorff_alpha
from pairwright.stats.ratings import ConditionMean, Preference, condition_means, preferences, z_scores

ALL = ""
_CODES = {"approve": 0.0, "fix": 1.0, "reject": 2.0, "good": 0.0, "bad": 1.0}
_LEVELS: Mapping[str, tuple[MeasurementLevel, ...]] = {
    "pairs": ("nominal",),
    "choice": ("nominal",),
    "likert": ("nominal", "ordinal", "interval"),
}
# A garbled sentence that is rated above the middle of the scale was not read.
MIDDLE = 4


class GroupAgreement(Record):
    """Agreement on the items of a rule, or on all where `code` is empty; alpha by level of measurement."""

    code: str
    alpha: dict[str, Agreement]
    fleiss: Agreement | None


class PairOfReviewers(Record):
    """Cohen's kappa of two reviewers over the items that both answered."""

    one: str
    other: str
    kappa: Agreement


class ReviewerQuality(Record):
    """What is known of a reviewer.

    n         answers, catch trials and fillers not counted
    share     pairs: of them approved; choice: the acceptable sentence chosen; ratings: None
    bias      pairs: approvals less those of others on the same pairs; choice: how much more often than half the first
              sentence was chosen; ratings: the mean distance from the others' mean rating of the same sentence.
              None where nothing is shared
    n_catch   catch trials answered; `n_caught` of them wrongly
    seconds   the median time for an answer, where known
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

    means   ratings: the z-scored mean of each condition, `good` and `bad`, and of each rule's
    prefer  ratings: over all and by rule, how many raters prefer the acceptable sentences
    """

    queue: str
    kind: str
    groups: tuple[GroupAgreement, ...]
    pairs: tuple[PairOfReviewers, ...]
    reviewers: tuple[ReviewerQuality, ...]
    means: tuple[ConditionMean, ...]
    prefer: tuple[Preference, ...]


def queue_quality(annotations: Path, queue: str, rules: Mapping[str, Rule], n_boot: int = 1000) -> QueueQuality:
    """Agreement and reviewers of a queue. `rules` gives the rules by id. `unsure` is no opinion and does not count.

    Raises ReviewError where there is no such queue.
    """
    folder = QueueFolder(annotations, queue)
    info = folder.known()
    texts = folder.pair_texts()
    answers = [entry for entry in latest_entries(folder.entries(info.kind)).values() if is_answer(entry)]
    firsts = {item.item_id: item.side for item in folder.assignments()} if info.kind == "choice" else {}
    rule_of = {pair.id: pair.rule_id for pair in texts.values()}
    codes = {
        rule_id: rules[rule_id].code if rule_id in rules else rule_id for rule_id in dict.fromkeys(rule_of.values())
    }
    units = _units(answers)
    by_rule: dict[str, list[Mapping[str, float]]] = {rule_id: [] for rule_id in rules if rule_id in codes}
    for (pair_id, _), unit in units.items():
        by_rule.setdefault(rule_of.get(pair_id, ALL), []).append(unit)
    groups = [_group(ALL, list(units.values()), info.kind, n_boot)]
    groups += [_group(codes.get(rule_id, rule_id), found, info.kind, n_boot) for rule_id, found in by_rule.items()]
    names = sorted({entry.reviewer for entry in answers})
    flat = list(units.values())
    means, prefer = _preferences(answers, rule_of, codes)
    return QueueQuality(
        queue=queue,
        kind=info.kind,
        groups=tuple(group for group in groups if any(alpha.n_units for alpha in group.alpha.values())),
        pairs=tuple(
            PairOfReviewers(one=one, other=other, kappa=kappa)
            for one, other in (combinations(names, 2) if info.kind != "likert" else ())
            if (kappa := cohen_kappa(flat, one, other, n_boot)).n_units
        ),
        reviewers=tuple(_reviewer(name, answers, units, firsts) for name in names),
        means=means,
        prefer=prefer,
    )


def _value(entry: Entry) -> float | None:
    if isinstance(entry, Decision):
        return _CODES.get(entry.decision or "")
    if entry.rating is not None:
        return float(entry.rating)
    return _CODES.get(entry.prefers or "")


def _unit(entry: Entry) -> tuple[str, str] | None:
    """What an answer is about: a pair, or the member of a pair that was rated; None for catch trials and fillers."""
    if isinstance(entry, Decision):
        return entry.pair_id, ALL
    if entry.role != "item" or entry.pair_id is None:
        return None
    return entry.pair_id, entry.side or ALL


def _units(answers: Sequence[Entry]) -> dict[tuple[str, str], dict[str, float]]:
    units: dict[tuple[str, str], dict[str, float]] = {}
    for entry in answers:
        unit, value = _unit(entry), _value(entry)
        if unit is not None and value is not None:
            units.setdefault(unit, {})[entry.reviewer] = value
    return units


def _group(code: str, units: Sequence[Mapping[str, float]], kind: str, n_boot: int) -> GroupAgreement:
    return GroupAgreement(
        code=code,
        alpha={level: krippendorff_alpha(units, level, n_boot) for level in _LEVELS[kind]},
        fleiss=fleiss_kappa(units, n_boot) if kind != "likert" else None,
    )


def _reviewer(
    name: str,
    answers: Sequence[Entry],
    units: Mapping[tuple[str, str], Mapping[str, float]],
    firsts: Mapping[str, str | None],
) -> ReviewerQuality:
    own = [entry for entry in answers if entry.reviewer == name]
    items = [entry for entry in own if _unit(entry) is not None]
    catches = [entry for entry in own if isinstance(entry, Judgement) and entry.role == "catch"]
    share, bias = None, None
    if any(isinstance(entry, Judgement) and entry.rating is not None for entry in items):
        bias = _distance(name, units)
    elif items:
        share = sum(_value(entry) == 0 for entry in items) / len(items)
        bias = _first_bias(items, firsts) if firsts else _lenience(name, units)
    return ReviewerQuality(
        reviewer=name,
        n=len(items),
        share=share,
        bias=bias,
        n_catch=len(catches),
        n_caught=sum(entry.prefers == "bad" or (entry.rating or 0) > MIDDLE for entry in catches),
        seconds=seconds_by_reviewer(own).get(name),
    )


def _lenience(name: str, units: Mapping[tuple[str, str], Mapping[str, float]]) -> float | None:
    shared = [unit for unit in units.values() if name in unit and len(unit) > 1]
    if not shared:
        return None
    own = sum(unit[name] == 0 for unit in shared)
    others = sum(sum(value == 0 for other, value in unit.items() if other != name) / (len(unit) - 1) for unit in shared)
    return (own - others) / len(shared)


def _distance(name: str, units: Mapping[tuple[str, str], Mapping[str, float]]) -> float | None:
    shared = [unit for unit in units.values() if name in unit and len(unit) > 1]
    if not shared:
        return None
    distances = [unit[name] - (sum(unit.values()) - unit[name]) / (len(unit) - 1) for unit in shared]
    return sum(distances) / len(distances)


def _first_bias(items: Sequence[Entry], firsts: Mapping[str, str | None]) -> float:
    chosen = [entry.prefers == firsts.get(entry.item_id) for entry in items if isinstance(entry, Judgement)]
    return sum(chosen) / len(chosen) - 0.5


def _preferences(
    answers: Sequence[Entry], rule_of: Mapping[str, str], codes: Mapping[str, str]
) -> tuple[tuple[ConditionMean, ...], tuple[Preference, ...]]:
    """Ratings become z-scores over all that a rater rated, catch trials and fillers too, as is usual."""
    ratings: dict[str, dict[str, float]] = {}
    group_of: dict[str, str] = {}
    conditions: dict[str, str] = {}
    better: set[str] = set()
    for entry in answers:
        if not isinstance(entry, Judgement) or entry.rating is None:
            continue
        ratings.setdefault(entry.reviewer, {})[entry.item_id] = float(entry.rating)
        rule_id = rule_of.get(entry.pair_id or "")
        if entry.role == "item" and rule_id is not None and entry.side is not None:
            code = codes[rule_id]
            group_of[entry.item_id] = code
            conditions[entry.item_id] = f"{code} {entry.side}"
            if entry.side == "good":
                better.add(entry.item_id)
    scores = z_scores(ratings)
    overall = {item: condition.rpartition(" ")[2] for item, condition in conditions.items()}
    means = (*condition_means(scores, overall), *condition_means(scores, conditions))
    # A reviewer who gives every sentence the same rating prefers nothing and is not counted.
    varied = {reviewer: ratings[reviewer] for reviewer in scores}
    groups = (dict.fromkeys(group_of, "all"), dict(sorted(group_of.items(), key=itemgetter(1))))
    return means, tuple(item for group in groups for item in preferences(varied, group, better) if item.n_raters)
