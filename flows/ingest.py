"""Ingest a source: its document becomes blocks, each with its place.

    python flows/ingest.py SOURCE [--language lt] [--kind error-list] [--notation NAME] [--workspace DIR]

SOURCE is a source folder, the id of one under sources/, or a document file.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from pairwright.config import IngestSettings
from pairwright.errors import SourceError
from pairwright.ingest import STAGE
from pairwright.ingest.decode import read_text
from pairwright.ingest.source import document_path, load_source, register_file
from pairwright.ingest.text_document import read_blocks
from pairwright.records import Block, Source
from pairwright.rules.from_error_list import choose_notation
from pairwright.store import StageInput, StageRun, run_stage
from pairwright.workspace import Workspace


def find_source(
    workspace: Workspace,
    source: Path,
    kind: str | None = None,
    language: str | None = None,
    notation: str | None = None,
    encoding: str | None = None,
) -> Path:
    """The folder of a source that is given as a folder, an id or a document file, which is then registered.

    A file in which nothing can be found leaves nothing behind: it is read whole before it is registered.
    """
    if source.is_dir():
        return source
    if not source.exists() and (workspace.sources / source / "source.toml").exists():
        return workspace.sources / source

    def accept(folder: Path, described: Source) -> None:
        blocks = [block for file in described.files for block in _document(folder, file.path, described, settings)]
        choose_notation(blocks, described, workspace.root)

    settings = workspace.config().ingest
    return register_file(
        workspace, source, kind=kind, language=language, notation=notation, encoding=encoding, accept=accept
    )


@task(name="read documents", retry_condition_fn=support.not_a_user_error, **support.TASK)
def read_documents(workspace: Workspace, folder: Path, source: Source) -> StageRun:
    """The blocks stage of a source."""
    settings = workspace.config().ingest

    def produce() -> Iterator[Block]:
        for file in source.files:
            yield from _document(folder, file.path, source, settings)

    return run_stage(
        workspace.work(source.id),
        STAGE,
        [StageInput(name=file.path, sha256=file.sha256, count=1) for file in source.files],
        {**settings.model_dump(), "encoding": source.encoding, "pages": source.pages, "source": source.id},
        produce,
    )


def _document(folder: Path, file: str, source: Source, settings: IngestSettings) -> Iterator[Block]:
    path = document_path(folder, file)
    if source.kind != "error-list":
        raise SourceError(f"{path}: a {source.kind} can't be read yet; error lists can")
    text = read_text(path, encoding=source.encoding, max_bytes=settings.max_bytes)
    yield from read_blocks(source, file, text)


@flow(name="ingest")
def ingest(workspace_dir: Path, source_dir: Path) -> StageRun:
    """A source folder to blocks. Raises SourceError where the source can't be read."""
    workspace = Workspace(workspace_dir)
    source = load_source(source_dir)
    support.say("source", f"{source.id}: {source.title} ({source.language}, {source.kind}, {source.licence})")
    run = read_documents(workspace, source_dir, source)
    support.say_stage(run, "blocks")
    support.record_stages("ingest", [run])
    return run


def source_command(help_text: str | None, run: Callable[[Path, Path], object]) -> click.Command:
    """The command line of a flow that takes a workspace and the folder of a source."""

    @click.command(help=help_text)
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
        run(workspace, find_source(Workspace(workspace), source, kind, language, notation, encoding))

    return main


main = source_command(__doc__, ingest)

if __name__ == "__main__":
    support.run_command(main)
