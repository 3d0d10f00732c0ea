"""Build a source from its document to the reviewers' sheets: ingest, generate, review.

    python flows/build.py SOURCE [--language lt] [--kind error-list] [--llm local] [--workspace DIR]

SOURCE is a source folder, the id of one under sources/, or a document file. A stage whose inputs
and settings have not changed is not run again.
"""

from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow

from assistant import Assistant, assistant_options
from generate import generate
from ingest import find_source, ingest_source
from pairwright.workspace import Workspace
from review import review


@flow(name="build")
def build(
    workspace_dir: Path,
    source_dir: Path,
    how: support.Reading | None = None,
    assistant: Assistant | None = None,
) -> None:
    """A source folder to the reviewers' sheets. Raises PairwrightError where the user has to mend something."""
    ingest_source(workspace_dir, source_dir, how)
    generate(workspace_dir, source_dir, assistant)
    review(workspace_dir, source_dir)


@click.command(help=__doc__)
@support.source_options
@support.reading_options
@assistant_options
@support.workspace_option
def main(source: Path, workspace: Path, how: support.Reading, assistant: Assistant, **told: str | None) -> None:
    build(workspace, find_source(Workspace(workspace), source, **told), how, assistant)


if __name__ == "__main__":
    support.run_command(main)
