"""How far a queue is: what each reviewer has done, where reviewers contradict each other, what each rule has got, and
which derived pairs of the source people are asked about, with what the answers say of the others."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import NamedTuple

from pairwright.core.errors import ReviewError
from pairwright.core.records import Decision, DecisionWord, Lot, Record
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
    source_votes,
)
from pairwright.review.sheets.contents import ANSWERS, QueueContents, read_contents
from pairwright.stats.acceptance import REFUSED, derived_pair, draw_lots, people_needed, verdict, without_seed

# Longer than this, the reviewer has left the page open and gone away.
LONGEST = 600.0


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

    rule_id: str
    code: str
    title: str
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
    withdrawn = {key for key, entries in history.items() if any(map(is_answer, entries))} - set(answered)
    filled, faults = _filled(contents, answered, withdrawn)
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


def _filled(
    contents: QueueContents, answered: Mapping[Key, Entry], withdrawn: set[Key]
) -> tuple[set[Key], tuple[str, ...]]:
    """The items that only a sheet answers, and the faults of sheets that can't be read.

    A sheet may still show an answer that was `withdrawn`.
    """
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
            if answer.strip() and key in contents.assignments and key not in answered and key not in withdrawn:
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
            rule_id=rule_id,
            code=context.rule_code(rule_id),
            title=context.rules[rule_id].title if rule_id in context.rules else "",
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
