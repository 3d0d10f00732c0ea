"""Generate candidate pairs from an ingested source: blocks to rules, rules to pairs, pairs through the checks.

python flows/generate.py SOURCE [--workspace DIR]
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from ingest import find_source
from pairwright import checks, rules
from pairwright import generate as candidates
from pairwright.checks.registry import check_pairs
from pairwright.errors import SourceError
from pairwright.generate.from_decisions import fixed_candidates
from pairwright.generate.from_source import source_candidates
from pairwright.ids import digest
from pairwright.ingest.source import load_source
from pairwright.records import Block, Candidate, CheckedPair, Rule, Source
from pairwright.review.decisions import source_decisions
from pairwright.rules.from_error_list import read_error_list
from pairwright.store import StageInput, StageRun, read_jsonl, run_stage
from pairwright.workspace import Workspace


def other_sources(workspace: Workspace, source_id: str) -> list[Path]:
    """The checked pairs of the workspace's sources that come before this one, so that of two equal pairs one stays."""
    return sorted(
        path for path in (workspace.root / "output" / "work").glob("*/checked.jsonl") if path.parent.name < source_id
    )


@task(name="find rules", retry_condition_fn=support.not_a_user_error, **support.TASK)
def find_rules(workspace: Workspace, source: Source) -> StageRun:
    """The rules stage: grammar points with the source's own examples."""
    if source.kind != "error-list":
        raise SourceError(f"{source.id}: rules are found in error lists alone; look at the blocks: pairwright preview")
    work = workspace.work(source.id)
    language = support.language_of(source, workspace)
    return run_stage(
        work,
        rules.STAGE,
        support.file_inputs(work / "blocks.jsonl"),
        {"language": language.model_dump(), "notation": source.notation, "title": source.title},
        lambda: read_error_list(read_jsonl(work / "blocks.jsonl", Block), source, language, workspace.root),
    )


@task(name="propose pairs", retry_condition_fn=support.not_a_user_error, **support.TASK)
def propose_pairs(workspace: Workspace, source: Source) -> StageRun:
    """The candidates stage: the source's own pairs, and those that reviewers made by correcting one."""
    work = workspace.work(source.id)
    decided = source_decisions(workspace.annotations, source.id)
    fixes = [decision for decision in decided if decision.decision == "fix"]

    def produce() -> Iterator[Candidate]:
        known = {pair.id: pair for pair in source_candidates(read_jsonl(work / "rules.jsonl", Rule))}
        yield from known.values()
        yield from fixed_candidates(fixes, known)

    corrected = digest([fix.model_dump(include={"pair_id", "good", "bad"}) for fix in fixes])
    inputs = [*support.file_inputs(work / "rules.jsonl"), StageInput(name="fixes", sha256=corrected, count=len(fixes))]
    return run_stage(work, candidates.STAGE, inputs, {}, produce)


@task(name="check pairs", retry_condition_fn=support.not_a_user_error, **support.TASK)
def check(workspace: Workspace, source: Source) -> StageRun:
    """The checked stage: every candidate with its findings and a verdict."""
    work = workspace.work(source.id)
    settings = workspace.config().checks
    language = support.language_of(source, workspace)
    others = other_sources(workspace, source.id)

    def produce() -> Iterator[CheckedPair]:
        known = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
        before = (pair for path in others for pair in read_jsonl(path, CheckedPair))
        yield from check_pairs(read_jsonl(work / "candidates.jsonl", Candidate), known, language, settings, before)

    inputs = support.file_inputs(work / "candidates.jsonl", work / "rules.jsonl", *others)
    told = {"checks": settings.model_dump(), "language": language.model_dump()}
    return run_stage(work, checks.STAGE, inputs, told, produce)


@flow(name="generate")
def generate(workspace_dir: Path, source_dir: Path) -> list[StageRun]:
    """Blocks to checked pairs. Raises SourceError where the source has no corrections in any known notation."""
    workspace = Workspace(workspace_dir)
    source = load_source(source_dir)
    runs = [find_rules(workspace, source), propose_pairs(workspace, source), check(workspace, source)]
    for run, what in zip(runs, ("rules", "candidate pairs", "checked pairs"), strict=True):
        support.say_stage(run, what)
    _say_findings(workspace.work(source.id) / "checked.jsonl")
    support.record_stages("generate", runs)
    return runs


def _say_findings(path: Path) -> None:
    """One line on what the checks found: pairs rejected, and the checks that warn most."""
    rejected, warned = 0, Counter[str]()
    for pair in read_jsonl(path, CheckedPair):
        rejected += pair.verdict == "reject"
        warned.update({finding.check for finding in pair.findings if finding.level == "warning"})
    most = ", ".join(f"{name} {count}" for name, count in warned.most_common(3))
    support.say("findings", f"{rejected} pairs rejected; warnings: {most or 'none'}")


@click.command(help=__doc__)
@click.argument("source", type=click.Path(path_type=Path))
@support.workspace_option
def main(source: Path, workspace: Path) -> None:
    generate(workspace, find_source(Workspace(workspace), source))


if __name__ == "__main__":
    support.run_command(main)
