"""Build a source from its document to the reviewers' sheets: ingest, generate, review.

    python flows/build.py SOURCE [--language lt] [--kind error-list] [--notation NAME] [--workspace DIR]

SOURCE is a source folder, the id of one under sources/, or a document file (.md .txt .html .csv). A stage whose inputs
and settings have not changed is not run again.
"""

from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow

from generate import generate
from ingest import find_source, ingest
from pairwright.workspace import Workspace
from review import review


@flow(name="build")
def build(workspace_dir: Path, source_dir: Path) -> None:
    """A source folder to the reviewers' sheets. Raises PairwrightError where the user has to mend something."""
    ingest(workspace_dir, source_dir)
    generate(workspace_dir, source_dir)
    review(workspace_dir, source_dir)


@click.command(help=__doc__)
@support.source_options
@support.workspace_option
def main(
    source: Path,
    workspace: Path,
    kind: str | None,
    language: str | None,
    notation: str | None,
    encoding: str | None,
) -> None:
    folder = find_source(Workspace(workspace), source, kind, language, notation, encoding)
    build(workspace, folder)


if __name__ == "__main__":
    support.run_command(main)
