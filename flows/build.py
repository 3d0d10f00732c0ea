"""Build a source from its document to the reviewers' sheets: ingest, generate, review.

    python flows/build.py SOURCE [--language lt] [--kind error-list] [--notation NAME] [--workspace DIR]

SOURCE is a source folder, the id of one under sources/, or a document file. A stage whose inputs
and settings have not changed is not run again.
"""

from pathlib import Path

import flow_support as support

# isort: split
from prefect import flow

from generate import generate
from ingest import ingest_source, source_command
from review import review


@flow(name="build")
def build(workspace_dir: Path, source_dir: Path, how: support.Reading | None = None) -> None:
    """A source folder to the reviewers' sheets. Raises PairwrightError where the user has to mend something."""
    ingest_source(workspace_dir, source_dir, how)
    generate(workspace_dir, source_dir)
    review(workspace_dir, source_dir)


main = source_command(__doc__, build)

if __name__ == "__main__":
    support.run_command(main)
