"""Freeze the decided pairs as a release.

    python flows/release.py --name lt-cases --version 1.0.0 [--source ID ...] [--workspace DIR]

Without --source, all sources of the workspace that have reviewers' sheets are in it.
"""

from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from pairwright.errors import ReleaseError
from pairwright.ingest.source import load_source
from pairwright.records import Source
from pairwright.release.freeze import freeze
from pairwright.releases import ReleaseResult
from pairwright.review.decisions import Votes, source_votes
from pairwright.workspace import Workspace
from review import candidates_of, pairs_of, rules_of, source_queues, take_over_and_correct


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


@task(name="freeze release", retry_condition_fn=support.not_a_user_error, **support.TASK)
def freeze_release(workspace: Workspace, name: str, version: str, sources: dict[str, Source]) -> ReleaseResult:
    """The release of the sources' decided pairs."""
    cast: Votes = {}
    adjudicated: Votes = {}
    for source in sources.values():
        found = source_votes(workspace.annotations, source.id, candidates_of(workspace, source))
        cast |= found.cast
        adjudicated |= found.adjudicated
    return freeze(
        workspace.releases,
        name,
        version,
        [pair for source in sources.values() for pair in pairs_of(workspace, source)],
        {key: rule for source in sources.values() for key, rule in rules_of(workspace, source).items()},
        sources,
        cast,
        workspace.config().release,
        adjudicated,
    )


@flow(name="release")
def release(workspace_dir: Path, name: str, version: str, source_ids: list[str]) -> ReleaseResult:
    """Decided pairs to a frozen release. Raises ReleaseError where it can't be frozen."""
    workspace = Workspace(workspace_dir)
    loaded = [load_source(workspace.sources / identity) for identity in source_ids or reviewed_sources(workspace)]
    for source in loaded:
        take_over_and_correct(workspace, source)
    result = freeze_release(workspace, name, version, {source.id: source for source in loaded})
    info = result.info
    support.say("release", f"{result.path}: {info.n_pairs} pairs of {info.n_rules} rules, {info.n_reviewers} reviewers")
    support.say("left out", f"{info.n_excluded} pairs, {info.n_conflicts} of them in conflict; excluded.jsonl says why")
    support.say("sha256", f"{result.sha256} of MANIFEST.sha256")
    support.record_text("release", f"**{info.name} {info.version}**: {info.n_pairs} pairs, manifest {result.sha256}")
    return result


@click.command(help=__doc__)
@click.option("--name", required=True, help="Name of the release, such as lt-cases.")
@click.option("--version", required=True, help="Version of the release, such as 1.0.0.")
@click.option("--source", "sources", multiple=True, help="Id of a source to release; may be given several times.")
@support.workspace_option
def main(name: str, version: str, sources: tuple[str, ...], workspace: Path) -> None:
    release(workspace, name, version, list(sources))


if __name__ == "__main__":
    support.run_command(main)
