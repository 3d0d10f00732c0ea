"""How far a queue is: what each reviewer has done, where they contradict each other, what each rule has got."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from pairwright.errors import ReviewError
from pairwright.languages import Language
from pairwright.records import Candidate, Decision, DecisionWord, Record, Rule
from pairwright.records.release import Vote
from pairwright.review.log.folder import Assignment, Entry, PairText, QueueFolder
from pairwright.review.log.votes import Votes, source_votes, votes
from pairwright.review.sheets.answers import Key, QueueContents, state_of
from pairwright.review.sheets.columns import read_queue_sheet
from pairwright.review.sheets.files import expected_sentences, read_seen
from pairwright.review.sheets.importing import is_answer, latest_entries
from pairwright.review.sheets.vocabulary import DecisionVocabulary

# Whoever leaves the page open and goes away has not thought that long.
LONGEST = 600.0


class ReviewerStatus(Record):
    """A reviewer's part of a queue: n_items = n_done + n_filled + n_left.

    n_done            items with an answer in the log; `n_filled` those with one in the sheet that is not imported yet
    seconds_per_item  the median time from seeing an item to answering it; None where only sheets were used
    hours_left        what the rest will take at that pace, or at that of the others; None where nobody's is known
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
    """A rule's pairs in the queue, those of them with any answer, and the votes on them by word."""

    rule_id: str
    code: str
    title: str
    n_pairs: int
    n_voted: int
    n_approve: int
    n_fix: int
    n_reject: int
    n_unsure: int
    n_conflicts: int


class QueueStatus(Record):
    """The state of a queue by its logs and sheets. `faults` names sheets that can't be read."""

    queue: str
    kind: str
    reviewers: tuple[ReviewerStatus, ...]
    rules: tuple[RuleStatus, ...]
    conflicts: tuple[Conflict, ...]
    faults: tuple[str, ...]


def queue_status(
    annotations: Path, queue: str, known: Mapping[str, Candidate], rules: Mapping[str, Rule], language: Language
) -> QueueStatus:
    """The state of a queue. `known` gives the current pairs, corrected ones included, and `rules` the rules, by id.

    Raises ReviewError where there is no such queue.
    """
    folder = QueueFolder(annotations, queue)
    info = folder.known()
    assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
    contents = QueueContents(info.kind, assignments, folder.pair_texts(), DecisionVocabulary(language))
    entries = latest_entries(folder.entries(info.kind))
    answered = {key: entry for key, entry in entries.items() if is_answer(entry)}
    filled, faults = _filled(folder, contents, answered, language)
    reviewers = _reviewer_statuses(contents, answered, filled)
    pairs = {**contents.pairs, **{pair.id: _text(pair) for pair in known.values()}}
    if info.kind == "pairs":
        voices = votes((entry for entry in answered.values() if isinstance(entry, Decision)), pairs)
        settled = source_votes(annotations, info.source, pairs).adjudicated if info.of is None else {}
    else:
        voices, settled = {}, {}
    answers = {contents.assignments[key].pair_id for key in answered if key in contents.assignments}
    asked = {item.pair_id for item in assignments.values() if item.pair_id is not None and item.role == "item"}
    judged = {pair_id: pairs[pair_id] for pair_id in sorted(asked | set(voices)) if pair_id in pairs}
    return QueueStatus(
        queue=queue,
        kind=info.kind,
        reviewers=reviewers,
        rules=_rule_statuses(judged, voices, answers | set(voices), rules, settled),
        conflicts=tuple(find_conflicts(judged, voices, settled, rules)),
        faults=faults,
    )


def find_conflicts(
    pairs: Mapping[str, PairText], voices: Votes, settled: Votes, rules: Mapping[str, Rule]
) -> Iterable[Conflict]:
    """The pairs on which reviewers contradict each other, in their order, without those that somebody has settled."""
    for pair_id, pair in pairs.items():
        if pair_id not in settled and _contradict(voices.get(pair_id, {})):
            yield Conflict(
                pair_id=pair_id,
                rule_code=rules[pair.rule_id].code if pair.rule_id in rules else pair.rule_id,
                good=pair.good,
                bad=pair.bad,
                votes=tuple(Vote(reviewer=name, decision=word) for name, word in sorted(voices[pair_id].items())),
            )


def seconds_by_reviewer(entries: Iterable[Entry]) -> dict[str, float]:
    """The median time that each reviewer took for an answer, in seconds, where any time is known."""
    times: dict[str, list[float]] = {}
    for entry in entries:
        if entry.seconds is not None and is_answer(entry):
            times.setdefault(entry.reviewer, []).append(min(entry.seconds, LONGEST))
    return {reviewer: median(found) for reviewer, found in times.items()}


def _text(pair: Candidate) -> PairText:
    return PairText(pair.id, pair.rule_id, pair.good, pair.bad)


def _filled(
    folder: QueueFolder, contents: QueueContents, answered: Mapping[Key, Entry], language: Language
) -> tuple[set[Key], tuple[str, ...]]:
    """The items that a sheet answers and the log does not, and the faults of sheets that can't be read."""
    seen, expected = read_seen(folder), expected_sentences(contents)
    found: set[Key] = set()
    faults = []
    for reviewer in sorted(contents.reviewers):
        path = folder.sheet(reviewer)
        if not path.exists():
            continue
        try:
            sheet = read_queue_sheet(path, language, contents.kind, expected)
        except ReviewError as fault:
            faults.append(str(fault))
            continue
        for row in sheet.sheet.rows:
            key, answer = (sheet.item_id(row), reviewer), sheet.answer(row)
            if answer[0] and key in contents.assignments and key not in answered and state_of(answer) != seen.get(key):
                found.add(key)
    return found, tuple(faults)


def _reviewer_statuses(
    contents: QueueContents, answered: Mapping[Key, Entry], filled: set[Key]
) -> tuple[ReviewerStatus, ...]:
    seconds = seconds_by_reviewer(answered.values())
    common = median(seconds.values()) if seconds else None
    items: dict[str, list[Assignment]] = {reviewer: [] for reviewer in sorted(contents.reviewers)}
    for item in contents.assignments.values():
        items[item.reviewer].append(item)
    statuses = []
    for reviewer, given in items.items():
        n_done = sum((item.item_id, reviewer) in answered for item in given)
        n_filled = sum((item.item_id, reviewer) in filled for item in given)
        n_left = len(given) - n_done - n_filled
        pace = seconds.get(reviewer, common)
        statuses.append(
            ReviewerStatus(
                reviewer=reviewer,
                n_items=len(given),
                n_done=n_done,
                n_filled=n_filled,
                n_left=n_left,
                seconds_per_item=seconds.get(reviewer),
                hours_left=None if pace is None else n_left * pace / 3600,
            )
        )
    return tuple(statuses)


def _contradict(voices: Mapping[str, DecisionWord]) -> bool:
    return {"approve", "reject"} <= set(voices.values())


def _rule_statuses(
    pairs: Mapping[str, PairText],
    voices: Votes,
    answered: set[str | None],
    rules: Mapping[str, Rule],
    settled: Votes,
) -> tuple[RuleStatus, ...]:
    """In the order of `rules`; rules that are no longer there come last."""
    of_rule: dict[str, list[str]] = {rule_id: [] for rule_id in rules}
    for pair in pairs.values():
        of_rule.setdefault(pair.rule_id, []).append(pair.id)
    return tuple(
        _rule_status(rule_id, rules.get(rule_id), found, voices, answered, settled)
        for rule_id, found in of_rule.items()
        if found
    )


def _rule_status(
    rule_id: str,
    rule: Rule | None,
    pair_ids: Sequence[str],
    voices: Votes,
    answered: set[str | None],
    settled: Votes,
) -> RuleStatus:
    words = Counter(word for pair_id in pair_ids for word in voices.get(pair_id, {}).values())
    return RuleStatus(
        rule_id=rule_id,
        code=rule.code if rule else rule_id,
        title=rule.title if rule else "",
        n_pairs=len(pair_ids),
        n_voted=sum(pair_id in answered for pair_id in pair_ids),
        n_approve=words["approve"],
        n_fix=words["fix"],
        n_reject=words["reject"],
        n_unsure=words["unsure"],
        n_conflicts=sum(pair_id not in settled and _contradict(voices.get(pair_id, {})) for pair_id in pair_ids),
    )
