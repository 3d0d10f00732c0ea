"""Freeze the decided pairs as a release, and say so to whoever waits for it.

    python flows/release.py --name lt-cases --version 1.0.0 [--source ID ...] [--evaluate] [--workspace DIR]

Without --source, all sources of the workspace that have reviewers' sheets are in it. The event
`pairwright.release.published` starts the deployed flow of evaluations (prefect.yaml); --evaluate does the same at once.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task
from prefect.events import emit_event

from pairwright.errors import ReleaseError
from pairwright.ingest.source import load_source
from pairwright.lm.settings import ModelSettings
from pairwright.records import Block, Candidate, CheckedPair, Source
from pairwright.records.release import ReleaseResult
from pairwright.release.contents.pseudonyms import pseudonym_key
from pairwright.release.freeze import freeze
from pairwright.review.log.votes import Votes, source_decisions, source_votes
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace
from review import rules_of, source_queues, take_over_and_correct


def reviewed_sources(workspace: Workspace) -> list[str]:
    """The ids of the sources that have reviewers' sheets. Raises ReleaseError where there is none."""
    found = sorted(
        path.parent.name
        for path in workspace.sources.glob("*/source.toml")
        if source_queues(workspace, load_source(path.parent))
    )
    if not found:
        raise ReleaseError(
            f"{workspace.annotations}: no source has reviewers' sheets yet; run python flows/build.py SOURCE first"
        )
    return found


EVENT = "pairwright.release.published"


def glossed_blocks(workspace: Workspace, source: Source) -> dict[str, Block]:
    """The glossed examples of a source by id. Raises StoreError where it was not built yet."""
    blocks = read_jsonl(workspace.work(source.id) / "blocks.jsonl", Block)
    return {block.id: block for block in blocks if block.gloss is not None}


def checked_pairs(workspace: Workspace, sources: Iterable[Source]) -> Iterator[CheckedPair]:
    """The checked pairs of sources one by one: together, 100,000 of them take half a gigabyte."""
    for source in sources:
        yield from read_jsonl(workspace.work(source.id) / "checked.jsonl", CheckedPair)


def corrected_candidates(workspace: Workspace, source: Source) -> dict[str, Candidate]:
    """The candidate pairs of a source that reviewers corrected, by id."""
    decisions = source_decisions(workspace.annotations, source.id)
    corrected = {decision.pair_id for decision in decisions if decision.decision == "fix"}
    candidates = (pair.candidate for pair in checked_pairs(workspace, [source]))
    return {candidate.id: candidate for candidate in candidates if candidate.id in corrected}


@task(name="freeze release", retry_condition_fn=support.not_a_user_error, **support.TASK)
def freeze_release(
    workspace: Workspace, name: str, version: str, sources: dict[str, Source], because: str | None, date: str | None
) -> ReleaseResult:
    """The release of the sources' decided pairs."""
    cast: Votes = {}
    adjudicated: Votes = {}
    for source in sources.values():
        found = source_votes(workspace.annotations, source.id, corrected_candidates(workspace, source))
        cast |= found.cast
        adjudicated |= found.adjudicated
    return freeze(
        workspace.releases,
        name,
        version,
        checked_pairs(workspace, sources.values()),
        {key: rule for source in sources.values() for key, rule in rules_of(workspace, source).items()},
        sources,
        cast,
        workspace.config().release,
        adjudicated,
        key=pseudonym_key(workspace.annotations),
        blocks={key: block for source in sources.values() for key, block in glossed_blocks(workspace, source).items()},
        because=because,
        date=date,
    )


def announce(workspace: Workspace, result: ReleaseResult) -> None:
    """The event that a release is there, with what a flow needs to evaluate it; it is lost where nobody listens."""
    info = result.info
    emit_event(
        event=EVENT,
        resource={"prefect.resource.id": f"pairwright.release.{info.name}", "prefect.resource.name": info.title},
        payload={
            "release": result.path.name,
            "name": info.name,
            "version": info.version,
            "sha256": result.sha256,
            "workspace": str(workspace.root.resolve()),
            "n_pairs": info.n_pairs,
        },
    )


@flow(name="release")
def release(
    workspace_dir: Path,
    name: str,
    version: str,
    source_ids: list[str],
    because: str | None = None,
    date: str | None = None,
) -> ReleaseResult:
    """Decided pairs to a frozen release. Raises ReleaseError where it can't be frozen."""
    workspace = Workspace(workspace_dir)
    loaded = [load_source(workspace.sources / identity) for identity in source_ids or reviewed_sources(workspace)]
    for source in loaded:
        take_over_and_correct(workspace, source)
    result = freeze_release(workspace, name, version, {source.id: source for source in loaded}, because, date)
    info = result.info
    support.say("release", f"{result.path}: {info.n_pairs} pairs of {info.n_rules} rules, {info.n_reviewers} reviewers")
    support.say("left out", f"{info.n_excluded} pairs, {info.n_conflicts} of them in conflict; excluded.jsonl says why")
    support.say("splits", ", ".join(f"{split} {n}" for split, n in info.splits.items()))
    for export, reason in info.left_out.items():
        support.say("no export", f"{export}: {reason}")
    support.say("sha256", f"{result.sha256} of MANIFEST.sha256")
    support.record_text("release", f"**{info.name} {info.version}**: {info.n_pairs} pairs, manifest {result.sha256}")
    announce(workspace, result)
    return result


@click.command(help=__doc__)
@click.option("--name", required=True, help="Name of the release, such as lt-cases.")
@click.option("--version", required=True, help="Version of the release, such as 1.0.0.")
@click.option("--source", "sources", multiple=True, help="Id of a source to release; may be given several times.")
@click.option("--because", metavar="TEXT", help="Why the version makes a larger step than the change asks for.")
@click.option("--date", metavar="YYYY-MM-DD", help="Day of the release, for its citation; without it, none is named.")
@click.option("--evaluate", "score", is_flag=True, help="Score the release with the models, too, in this process.")
@click.option("--model", "models", multiple=True, default=("embedded",), show_default=True, help="Model of --evaluate.")
@support.workspace_option
def main(
    name: str,
    version: str,
    sources: tuple[str, ...],
    because: str | None,
    date: str | None,
    score: bool,
    models: tuple[str, ...],
    workspace: Path,
) -> None:
    result = release(workspace, name, version, list(sources), because, date)
    if score:
        # Imported here: what scores and reports takes a third of the memory of this process.
        from evaluate import evaluate
        from pairwright.report.analysis.inputs import ReportFiles

        evaluate(workspace, result.path.name, [ModelSettings(name=model) for model in models], ReportFiles())


if __name__ == "__main__":
    support.run_command(main)
