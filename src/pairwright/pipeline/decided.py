"""What people decided on stays: their pairs and the rules of these, whatever a language model says now."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, partial

from pairwright.checks.check import pair_sentence_key
from pairwright.core.errors import StoreError, counted
from pairwright.core.records import Candidate, CheckedPair, Decision, Rule
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.review.log.queue import pair_queues
from pairwright.review.log.votes import count_votes, source_decisions
from pairwright.sources.asked.targets import Standing


def decided_pairs(pairs: Iterable[Candidate], decisions: Iterable[Decision]) -> dict[str, Candidate]:
    """The pairs made by programs on which somebody decided, by id, marked as kept, of those that were handed out.

    A source's own pairs go where the source goes; corrections are made again from the pair that they correct.
    """
    ids = {decision.pair_id for decision in decisions}
    decided = (pair for pair in pairs if pair.id in ids and pair.method not in ("source", "manual"))
    return {pair.id: pair.model_copy(update={"kept": True}) for pair in decided}


def handed_out(workspace: Workspace, source_id: str) -> Iterator[Candidate]:
    """Every pair of a source that was ever put before reviewers, as it was then."""
    return (pair for folder in pair_queues(workspace.annotations, source_id) for pair in folder.pairs())


def keep_rules(workspace: Workspace, source_id: str) -> None:
    """Puts the rules of decided pairs beside the decisions, before another run of the model may lose them.

    Raises StoreError where the file with these rules is damaged.
    """
    missing = _decided_rules(workspace, source_id)
    missing -= {rule_id for folder in pair_queues(workspace.annotations, source_id) for rule_id in folder.rules()}
    if not missing:
        return
    path = workspace.stage_file(source_id, "rules")
    try:
        rules = [rule for rule in read_if_there(path, Rule) if rule.id in missing]
    except StoreError:
        raise StoreError(
            f"{path}: damaged, and perhaps the only place of {counted(len(missing), 'rule')} of decided pairs; restore "
            "it from a backup, or delete it to lose these rules"
        ) from None
    if rules:
        folder = next(pair_queues(workspace.annotations, source_id))
        with folder.locked():
            folder.add_rules(rules)


def kept_rules(workspace: Workspace, source_id: str) -> list[Rule]:
    """The rules of decided pairs as they were when somebody decided, marked as kept."""
    needed = _decided_rules(workspace, source_id)
    folders = pair_queues(workspace.annotations, source_id)
    rules = {key: rule for folder in folders for key, rule in folder.rules().items()}
    return [rule.model_copy(update={"kept": True}) for key, rule in rules.items() if key in needed]


def _decided_rules(workspace: Workspace, source_id: str) -> set[str]:
    decisions = source_decisions(workspace.annotations, source_id)
    return {pair.rule_id for pair in decided_pairs(handed_out(workspace, source_id), decisions).values()}


def standing_of(workspace: Workspace, source_id: str) -> Standing:
    """What is settled about the pairs of a source: those that checks, judge or reviewers refused, and those that stay.

    A reviewer's rejection counts unless another one approved the pair: that is a conflict, which people settle.
    Checked pairs that are missing, or damaged and about to be made again, refuse nothing.
    """
    pairs = list(handed_out(workspace, source_id))
    decisions = source_decisions(workspace.annotations, source_id)
    votes = count_votes(decisions, {pair.id: pair for pair in pairs})
    refused = {key for key, cast in votes.items() if "reject" in cast.values() and "approve" not in cast.values()}
    reasons = {}
    with suppress(StoreError):
        for checked in read_jsonl(workspace.stage_file(source_id, "checked"), CheckedPair):
            if checked.candidate.method == "llm" and checked.verdict == "reject":
                reasons[checked.candidate.id] = next(it.message for it in checked.findings if it.level == "error")
    kept = (pair for key, pair in decided_pairs(pairs, decisions).items() if key not in refused | reasons.keys())
    return Standing(frozenset(refused | reasons.keys()), tuple(kept), reasons)


def pairs_before(workspace: Workspace, source_id: str) -> dict[str, CheckedPair]:
    """The passing pairs of other sources, by id, that share a sentence with a pair of this one and stand before it.

    A pair that somebody decided stands before one that people were asked about, this one before any other; else the
    order of the sources' ids decides. So no new source takes away a pair that is in review.
    """
    others = [path for path in workspace.stage_files("checked") if path.parent.name != source_id]
    own: dict[str, list[str]] = defaultdict(list)
    for pair in read_jsonl(workspace.stage_file(source_id, "candidates"), Candidate) if others else ():
        for sentence in (pair.good, pair.bad):
            own[pair_sentence_key(sentence)].append(pair.id)
    standing = cache(partial(_standing, workspace))

    def rank(source: str, pair_ids: Iterable[str]) -> tuple[int, str]:
        return -max(standing(source).get(pair_id, 0) for pair_id in pair_ids), source

    before: dict[str, CheckedPair] = {}
    for path in others:
        for checked in (one for one in read_jsonl(path, CheckedPair) if one.verdict == "pass"):
            pair, name = checked.candidate, path.parent.name
            ids = [*own.get(pair_sentence_key(pair.good), ()), *own.get(pair_sentence_key(pair.bad), ())]
            if ids and rank(name, [pair.id]) < rank(source_id, ids):
                before[pair.id] = checked
    return before


def _standing(workspace: Workspace, source_id: str) -> dict[str, int]:
    """How far the review of a source's pairs is: 2 decided, 1 handed out."""
    last = {
        (item.item_id, item.reviewer): item
        for folder in pair_queues(workspace.annotations, source_id)
        for item in folder.assignments()
    }
    standing = {item.pair_id: 1 for item in last.values() if item.pair_id and not item.withdrawn}
    decisions = source_decisions(workspace.annotations, source_id)
    return standing | {decision.pair_id: 2 for decision in decisions}
