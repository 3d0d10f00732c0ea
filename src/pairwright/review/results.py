"""How far a queue is, and how well its reviewers agree: what they have done, where they contradict each other, and what
samples of derived pairs say.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from pairwright.core.errors import ReviewError
from pairwright.core.records import Decision, DecisionWord, Judgement, Lot, Record
from pairwright.core.records.release import Vote
from pairwright.review.log import (
    Entry,
    Key,
    Pair,
    ReviewContext,
    SourceVotes,
    Votes,
    count_votes,
    is_answer,
    latest_entries,
    source_votes,
)
from pairwright.review.sheets.contents import ANSWERS, QueueContents, read_contents
from pairwright.stats.acceptance import REFUSED, derived_pair, draw_lots, people_needed, verdict, without_seed
from pairwright.stats.agreement import (
    FEWEST_UNITS,
    Agreement,
    NominalAgreement,
    Preference,
    krippendorff_alpha,
    nominal_agreement,
    preferences,
)

# Longer than this, the reviewer has left the page open and gone away.
LONGEST = 600.0
ALL = ""
_CODES = {"approve": 0.0, "fix": 1.0, "reject": 2.0, "good": 0.0, "bad": 1.0}
# How many answers there are to choose among.
_CATEGORIES = {"pairs": 3, "choice": 2, "likert": 7}
# Nobody who has read a garbled sentence rates it above the middle of the scale.
MIDDLE = 4


class ReviewerStatus(Record):
    """A reviewer's part of a queue: n_items = n_done + n_filled + n_left.

    n_done            items with an answer in the log; `n_filled` with an answer in the sheet that is not imported yet
    seconds_per_item  the median time from seeing an item to answering it; None if only sheets were used
    hours_left        what the rest will take at that pace, or at the pace of the others; None if no pace is known
    """

    reviewer: str
    n_items: int
    n_done: int
    n_filled: int
    n_left: int
    seconds_per_item: float | None
    hours_left: float | None


class Conflict(Record):
    """A pair that one reviewer approves and another rejects, and that nobody has settled."""

    pair_id: str
    rule_code: str
    good: str
    bad: str
    votes: tuple[Vote, ...]


class RuleStatus(Record):
    """A rule's pairs in the queue, how many of them have an answer, and the number of votes by decision."""

    code: str
    n_pairs: int
    n_voted: int
    votes: dict[DecisionWord, int]
    n_conflicts: int


class QueueStatus(Record):
    """The state of a queue by its logs and sheets. `faults` names sheets that can't be read.

    lots  the samples of derived pairs in the queue's source, by all its queues; none in blind experiments
    """

    queue: str
    kind: str
    reviewers: tuple[ReviewerStatus, ...]
    rules: tuple[RuleStatus, ...]
    conflicts: tuple[Conflict, ...]
    faults: tuple[str, ...]
    lots: tuple[Lot, ...] = ()


def queue_status(context: ReviewContext) -> QueueStatus:
    """The state of a queue. Raises ReviewError if there is no such queue."""
    folder = context.folder
    info = folder.info()
    contents = read_contents(folder, context.language)
    history = contents.history()
    answered = {key: entries[-1] for key, entries in history.items() if is_answer(entries[-1])}
    contents = replace(contents, assignments=contents.asked(history))
    # A sheet may still show an answer that was withdrawn.
    filled, faults = _filled(contents, {key for key, entries in history.items() if any(map(is_answer, entries))})
    pairs = {**contents.pairs, **context.candidates}
    votes: Votes = {}
    everywhere = SourceVotes({}, {})
    if info.kind == "pairs":
        votes = count_votes((entry for entry in answered.values() if isinstance(entry, Decision)), pairs)
        everywhere = SourceVotes(votes, {})
        if info.of is None:
            everywhere = source_votes(context.annotations, info.source, pairs)
    items = contents.assignments.values()
    asked = {item.pair_id for item in items if item.pair_id is not None and item.role == "item"}
    voted = {contents.assignments[key].pair_id for key in answered if key in contents.assignments} | set(votes)
    judged = {pair_id: pairs[pair_id] for pair_id in sorted(asked | set(votes)) if pair_id in pairs}
    conflicts = tuple(find_conflicts(context, judged, everywhere.cast, everywhere.adjudicated))
    return QueueStatus(
        queue=context.queue,
        kind=info.kind,
        reviewers=_reviewer_statuses(contents, answered, filled),
        rules=_rule_statuses(context, judged, votes, voted, {conflict.pair_id for conflict in conflicts}),
        conflicts=conflicts,
        faults=faults,
        lots=derived_pairs(context).lots if info.kind == "pairs" and info.of is None else (),
    )


def find_conflicts(
    context: ReviewContext, pairs: Mapping[str, Pair], votes: Votes, settled: Votes
) -> Iterator[Conflict]:
    """The pairs on which reviewers contradict each other and that nobody has settled, in their order."""
    for pair_id, pair in pairs.items():
        votes_by_reviewer = votes.get(pair_id, {})
        if pair_id not in settled and {"approve", "reject"} <= set(votes_by_reviewer.values()):
            yield Conflict(
                pair_id=pair_id,
                rule_code=context.rule_code(pair.rule_id),
                good=pair.good,
                bad=pair.bad,
                votes=tuple(Vote(reviewer=name, decision=word) for name, word in sorted(votes_by_reviewer.items())),
            )


def seconds_by_reviewer(entries: Iterable[Entry]) -> dict[str, float]:
    """The median time of each reviewer for an answer, in seconds, if any time is known."""
    times: dict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry.seconds is not None and is_answer(entry):
            times[entry.reviewer].append(min(entry.seconds, LONGEST))
    return {reviewer: median(seconds) for reviewer, seconds in times.items()}


def _filled(contents: QueueContents, logged: set[Key]) -> tuple[set[Key], tuple[str, ...]]:
    """The items that only a sheet answers, and the faults of sheets that can't be read."""
    filled: set[Key] = set()
    faults = []
    for reviewer in sorted(contents.reviewers):
        path = contents.folder.sheet(reviewer)
        if not path.exists():
            continue
        try:
            sheet = contents.read_sheet(path)
        except ReviewError as fault:
            faults.append(str(fault))
            continue
        for row in sheet.rows:
            key, answer = (contents.item_id(row), reviewer), row.cell(ANSWERS[contents.kind][0])
            if answer.strip() and key in contents.assignments and key not in logged:
                filled.add(key)
    return filled, tuple(faults)


def _reviewer_statuses(
    contents: QueueContents, answered: Mapping[Key, Entry], filled: set[Key]
) -> tuple[ReviewerStatus, ...]:
    seconds = seconds_by_reviewer(answered.values())
    common = median(seconds.values()) if seconds else None
    n_items = Counter(item.reviewer for item in contents.assignments.values())
    n_done = Counter(key[1] for key in answered if key in contents.assignments)
    n_filled = Counter(reviewer for _, reviewer in filled)
    n_left = {name: n_items[name] - n_done[name] - n_filled[name] for name in sorted(n_items)}
    return tuple(
        ReviewerStatus(
            reviewer=name,
            n_items=n_items[name],
            n_done=n_done[name],
            n_filled=n_filled[name],
            n_left=n,
            seconds_per_item=seconds.get(name),
            hours_left=None if (rate := seconds.get(name, common)) is None else n * rate / 3600,
        )
        for name, n in n_left.items()
    )


def _rule_statuses(
    context: ReviewContext, pairs: Mapping[str, Pair], votes: Votes, voted: set[str | None], conflicts: set[str]
) -> tuple[RuleStatus, ...]:
    """In the order of the source. Rules that are no longer there come last."""
    by_rule: dict[str, list[str]] = {rule_id: [] for rule_id in context.rules}
    for pair in pairs.values():
        by_rule.setdefault(pair.rule_id, []).append(pair.id)
    return tuple(
        RuleStatus(
            code=context.rule_code(rule_id),
            n_pairs=len(pair_ids),
            n_voted=len(voted.intersection(pair_ids)),
            votes=Counter(word for pair_id in pair_ids for word in votes.get(pair_id, {}).values()),
            n_conflicts=len(conflicts.intersection(pair_ids)),
        )
        for rule_id, pair_ids in by_rule.items()
        if pair_ids
    )


class DerivedPairs(NamedTuple):
    """The lots of a source by rule and method, and the pairs that are in none as people or checks refused their seeds.

    withdrawn  the id of the refused seed by pair id
    """

    lots: tuple[Lot, ...] = ()
    withdrawn: Mapping[str, str] = {}


def derived_pairs(context: ReviewContext) -> DerivedPairs:
    """The derived pairs of the context's source, by all votes that were cast in any of its queues."""
    derived = [pair for pair in map(derived_pair, context.pairs.values()) if pair is not None]
    if not derived:
        return DerivedPairs()
    votes = source_votes(context.annotations, context.source.id, context.candidates)
    most, sampling = context.deciding.votes, context.settings.sampling
    needed = {pair_id: people_needed(pair, most, sampling) for pair_id, pair in context.candidates.items()}
    outcomes = {
        pair_id: verdict(cast, votes.adjudicated.get(pair_id, {}), context.deciding, needed.get(pair_id, most)).outcome
        for pair_id, cast in votes.cast.items()
    }
    refused = {pair_id for pair_id, outcome in outcomes.items() if outcome in REFUSED}
    refused |= {pair_id for pair_id, checked in context.pairs.items() if checked.verdict == "reject"}
    withdrawn = without_seed(derived, refused)
    places = {rule_id: index for index, rule_id in enumerate(context.rules)}
    standing = [pair for pair in derived if pair.id not in withdrawn]
    standing.sort(key=lambda pair: (places.get(pair.rule_id, len(places)), pair.method))
    lots = draw_lots(standing, outcomes, context.settings.sampling, context.rules)
    return DerivedPairs(tuple(lots), withdrawn)


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
