"""What people decided on stays: their pairs and the rules of these, whatever a language model says now."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pairwright.errors import StoreError
from pairwright.generate.task import Standing
from pairwright.ids import digest
from pairwright.records import Candidate, CheckedPair, Record, Rule
from pairwright.review.log.folder import pair_queues
from pairwright.review.log.votes import source_decisions
from pairwright.store import StageInput, read_jsonl
from pairwright.workspace import Workspace

R = TypeVar("R", bound=Record)


def decided_pairs(workspace: Workspace, source_id: str) -> dict[str, Candidate]:
    """The pairs made by programs on which somebody decided, by id, as they were handed out, but marked as kept.

    A source's own pairs go where the source goes; corrections are made again from the pair that they correct.
    """
    ids = {decision.pair_id for decision in source_decisions(workspace.annotations, source_id)}
    pairs = handed_out(workspace, source_id) if ids else ()
    decided = (pair for pair in pairs if pair.id in ids and pair.method not in ("source", "manual"))
    return {pair.id: pair.model_copy(update={"kept": True}) for pair in decided}


def handed_out(workspace: Workspace, source_id: str) -> Iterator[Candidate]:
    """Every pair of a source that was ever put before reviewers, as it was then."""
    return (pair for folder in pair_queues(workspace.annotations, source_id) for pair in folder.pairs())


def keep_rules(workspace: Workspace, source_id: str) -> None:
    """Puts the rules of decided pairs beside the decisions, before another run of the model may lose them."""
    missing = {pair.rule_id for pair in decided_pairs(workspace, source_id).values()}
    missing -= {rule_id for folder in pair_queues(workspace.annotations, source_id) for rule_id in folder.rules()}
    if not missing:
        return
    rules = [rule for rule in _earlier(workspace, source_id, "rules", Rule) if rule.id in missing]
    if rules:
        folder = next(pair_queues(workspace.annotations, source_id))
        with folder.locked():
            folder.add_rules(rules)


def kept_rules(workspace: Workspace, source_id: str) -> list[Rule]:
    """The rules of decided pairs as they were when somebody decided, marked as kept."""
    needed = {pair.rule_id for pair in decided_pairs(workspace, source_id).values()}
    folders = pair_queues(workspace.annotations, source_id)
    rules = {key: rule for folder in folders for key, rule in folder.rules().items()}
    return [rule.model_copy(update={"kept": True}) for key, rule in rules.items() if key in needed]


def standing_of(workspace: Workspace, source_id: str) -> Standing:
    """What is settled about the pairs of a source: those that checks, judge or reviewers refused, and those that stay.

    A reviewer's rejection counts unless another one approved the pair: that is a conflict, which people settle.
    """
    votes: dict[str, set[str]] = {}
    for decision in source_decisions(workspace.annotations, source_id):
        votes.setdefault(decision.pair_id, set()).add(decision.decision or "")
    refused = {pair for pair, words in votes.items() if "reject" in words and "approve" not in words}
    for checked in _earlier(workspace, source_id, "checked", CheckedPair):
        if checked.candidate.method == "llm" and checked.verdict == "reject":
            refused.add(checked.candidate.id)
    kept = (pair for key, pair in decided_pairs(workspace, source_id).items() if key not in refused)
    return Standing(frozenset(refused), tuple(kept))


def decided_input(name: str, records: Mapping[str, Record]) -> StageInput:
    """Records by id that do not come from a stage as the input of one."""
    dumped = {key: record.model_dump(mode="json") for key, record in sorted(records.items())}
    return StageInput(name=name, sha256=digest(dumped), count=len(records))


def _earlier(workspace: Workspace, source_id: str, stage: str, kind: type[R]) -> Iterator[R]:
    """The records of an earlier run's stage; none where it is missing, or damaged and about to be made again."""
    try:
        yield from list(read_jsonl(workspace.work(source_id) / f"{stage}.jsonl", kind))
    except StoreError:
        return
