"""How far a queue is: what each reviewer has done, where they contradict each other, what each rule has got."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.errors import ReviewError
from pairwright.languages import Language
from pairwright.records import Candidate, Decision, DecisionWord, Record, Rule
from pairwright.releases import Vote
from pairwright.review.columns import QueueSheet, read_queue_sheet
from pairwright.review.decisions import latest_decisions, votes
from pairwright.review.folder import QueueFolder


class ReviewerStatus(Record):
    """A reviewer's sheet: n_pairs = n_done + n_filled + n_left.

    n_done    pairs with a decision in the log; `n_filled` those with a word in the sheet that is not imported yet
    """

    reviewer: str
    n_pairs: int
    n_done: int
    n_filled: int
    n_left: int


class Conflict(Record):
    """A pair that one reviewer approves and another rejects."""

    pair_id: str
    rule_code: str
    good: str
    bad: str
    votes: tuple[Vote, ...]


class RuleStatus(Record):
    """A rule's pairs in the queue, those of them with any vote, and their votes by word."""

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
    """The state of a queue by its sheets and its log of decisions."""

    queue: str
    reviewers: tuple[ReviewerStatus, ...]
    rules: tuple[RuleStatus, ...]
    conflicts: tuple[Conflict, ...]


def queue_status(
    annotations: Path, queue: str, known: Mapping[str, Candidate], rules: Mapping[str, Rule], language: Language
) -> QueueStatus:
    """The state of a queue. `known` gives the current pairs, corrected ones included, and `rules` the rules, by id.

    Raises ReviewError where the queue has no sheet, or a sheet can't be read.
    """
    folder = QueueFolder(annotations, queue)
    names = folder.reviewers()
    if not names:
        raise ReviewError(f"{folder.path}: no sheet of a reviewer is here; export the queue first")
    pairs = folder.pairs() | dict(known)
    logged = latest_decisions(folder.log)
    sheets = {name: read_queue_sheet(folder.sheet(name), language) for name in names}
    voices = votes(logged.values(), pairs)
    asked = {sheet.cell(row, "pair_id").strip() for sheet in sheets.values() for row in sheet.sheet.rows}
    judged = {pair_id: pairs[pair_id] for pair_id in sorted(asked | set(voices)) if pair_id in pairs}
    return QueueStatus(
        queue=queue,
        reviewers=tuple(_reviewer_status(name, sheet, logged) for name, sheet in sheets.items()),
        rules=_rule_statuses(judged, voices, rules),
        conflicts=tuple(
            _conflict(pair, voices[pair_id], rules)
            for pair_id, pair in judged.items()
            if _contradict(voices.get(pair_id, {}))
        ),
    )


def _reviewer_status(reviewer: str, sheet: QueueSheet, logged: Mapping[tuple[str, str], Decision]) -> ReviewerStatus:
    filled = {sheet.cell(row, "pair_id").strip(): bool(sheet.cell(row, "decision").strip()) for row in sheet.sheet.rows}
    n_done = sum((pair_id, reviewer) in logged for pair_id in filled)
    n_filled = sum(word and (pair_id, reviewer) not in logged for pair_id, word in filled.items())
    return ReviewerStatus(
        reviewer=reviewer,
        n_pairs=len(filled),
        n_done=n_done,
        n_filled=n_filled,
        n_left=len(filled) - n_done - n_filled,
    )


def _contradict(voices: Mapping[str, DecisionWord]) -> bool:
    return {"approve", "reject"} <= set(voices.values())


def _conflict(pair: Candidate, voices: Mapping[str, DecisionWord], rules: Mapping[str, Rule]) -> Conflict:
    return Conflict(
        pair_id=pair.id,
        rule_code=rules[pair.rule_id].code if pair.rule_id in rules else pair.rule_id,
        good=pair.good,
        bad=pair.bad,
        votes=tuple(Vote(reviewer=name, decision=word) for name, word in sorted(voices.items())),
    )


def _rule_statuses(
    pairs: Mapping[str, Candidate], voices: Mapping[str, Mapping[str, DecisionWord]], rules: Mapping[str, Rule]
) -> tuple[RuleStatus, ...]:
    """In the order of `rules`; rules that are no longer there come last."""
    of_rule: dict[str, list[Candidate]] = {rule_id: [] for rule_id in rules}
    for pair in pairs.values():
        of_rule.setdefault(pair.rule_id, []).append(pair)
    return tuple(
        _rule_status(rule_id, rules.get(rule_id), [voices.get(pair.id, {}) for pair in found])
        for rule_id, found in of_rule.items()
        if found
    )


def _rule_status(rule_id: str, rule: Rule | None, voices: Sequence[Mapping[str, DecisionWord]]) -> RuleStatus:
    words = Counter(word for of_pair in voices for word in of_pair.values())
    return RuleStatus(
        rule_id=rule_id,
        code=rule.code if rule else rule_id,
        title=rule.title if rule else "",
        n_pairs=len(voices),
        n_voted=sum(bool(of_pair) for of_pair in voices),
        n_approve=words["approve"],
        n_fix=words["fix"],
        n_reject=words["reject"],
        n_unsure=words["unsure"],
        n_conflicts=sum(map(_contradict, voices)),
    )
