"""Ingest a source: its documents become blocks, each with its place.

    python flows/ingest.py SOURCE [--language lt] [--kind grammar-book] [--notation NAME] [--workspace DIR]

SOURCE is a source folder, the id of one under sources/, or a document file. Grammar books are read page by page, by
several processes; a run that was stopped goes on where it stopped.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import flow_support as support

# isort: split
import click
from prefect import flow, task
from prefect.futures import as_completed

from flow_support import Reading
from pairwright.errors import SourceError
from pairwright.ingest import STAGE
from pairwright.ingest.book.pool import linked_pages, pages_to_read, prepare_book, read_into
from pairwright.ingest.book.reader import Book, ReadOptions
from pairwright.ingest.book.worker import ReadJob, page_directory
from pairwright.ingest.pdf.document import PAGED, document_password, open_document
from pairwright.ingest.source import document_path, load_source, register_file
from pairwright.ingest.text.reader import read_text_document
from pairwright.records import Block, Record, Source, SourceFile
from pairwright.rules.error_lists.reader import choose_notation
from pairwright.store import StageInput, StageRun, fresh_stage, run_stage
from pairwright.workspace import Workspace

# The pages of one task on a cluster: few enough that a lost machine costs little, enough that a task pays.
CHUNK = 16


class PagedDocument(NamedTuple):
    """A document whose pages were read, and those that broke their reader, with the reason."""

    job: ReadJob
    book: Book
    numbers: range
    failed: dict[int, str]


def find_source(workspace: Workspace, source: Path, **told: str | None) -> Path:
    """The folder of a source that is given as a folder, an id or a document file, which is then registered.

    `told` is what the user says of a bare file: kind, language, notation, encoding. A file in which nothing can be
    found leaves nothing behind: it is looked into before it is registered.
    """
    if source.is_dir():
        return source
    if not source.exists() and (workspace.sources / source / "source.toml").exists():
        return workspace.sources / source

    def accept(folder: Path, described: Source) -> None:
        for file in described.files:
            if _is_paged(described, file):
                with open_document(document_path(folder, file.path), document_password()):
                    continue
            blocks = list(_read_text_document(workspace, folder, described, file))
            if described.kind == "error-list":
                choose_notation(blocks, described, workspace.root)

    return register_file(workspace, source, accept=accept, **told)


def _is_paged(source: Source, file: SourceFile) -> bool:
    return source.kind == "grammar-book" and Path(file.path).suffix.lower() in PAGED


def _read_text_document(workspace: Workspace, folder: Path, source: Source, file: SourceFile) -> Iterator[Block]:
    path = document_path(folder, file.path)
    if source.kind == "treebank":
        raise SourceError(f"{path}: a treebank can't be read yet; error lists and grammar books can")
    yield from read_text_document(path, file.path, source, source.encoding, workspace.config().ingest.max_bytes)


# The function itself stands in the package, so that the workers of a cluster can find it by its name.
read_some_pages = task(name="read pages", retry_condition_fn=support.not_a_user_error, **support.TASK)(read_into)


def read_paged(workspace: Workspace, folder: Path, source: Source, file: SourceFile, how: Reading) -> PagedDocument:
    """Reads the pages of a document that no earlier run has read: here by several processes, or on a cluster.

    Raises SourceError where the document can't be opened, and with `strict` for the first page that can't be read.
    """
    settings = workspace.config().ingest
    processors = os.cpu_count() or 1
    workers = settings.workers or processors
    job = ReadJob(
        path=document_path(folder, file.path).resolve(),
        name=file.path,
        source_id=source.id,
        options=ReadOptions(reader=how.reader),
        ocr=settings.ocr.model_copy(update={"threads": settings.ocr.threads or max(1, processors // workers)}),
        language=support.language_of(source, workspace),
        written_in=source.written_in,
        directory=Path(),
        memory_mb=settings.page_memory_mb,
    )
    job = job.model_copy(update={"directory": page_directory(workspace.cache.resolve(), job)})
    book = prepare_book(job, settings.page_seconds)
    numbers = _page_numbers(source, book)
    missing = pages_to_read(job, numbers)
    limits: dict[str, Any] = {"seconds": settings.page_seconds, "strict": how.strict}
    started = time.monotonic()
    with support.progress(f"{file.path}: pages", len(missing)) as advance:
        if how.dask:
            chunks = [missing[start : start + CHUNK] for start in range(0, len(missing), CHUNK)]
            futures = [read_some_pages.submit(job, chunk, workers=1, **limits) for chunk in chunks]
            failed: dict[int, str] = {}
            for future in as_completed(futures):
                failed |= future.result()
                advance(CHUNK)
        else:
            failed = read_some_pages(job, missing, workers=workers, on_page=lambda _: advance(1), **limits)
    if missing:
        seconds = time.monotonic() - started
        pace = f"{seconds:.0f} s, {len(missing) / seconds:.1f} a second"
        support.say("pages", f"{len(missing)} read from {file.path} ({pace})")
    return PagedDocument(job, book, numbers, failed)


def _page_numbers(source: Source, book: Book) -> range:
    first, last = source.pages or (1, book.n_pages)
    if not 1 <= first <= last <= book.n_pages:
        raise SourceError(f"{book.path}: pages {first}-{last} of {book.n_pages}; mend `pages` in source.toml")
    return range(first, last + 1)


@task(name="write blocks", retry_condition_fn=support.not_a_user_error, **support.TASK)
def write_blocks(
    workspace: Workspace, folder: Path, source: Source, how: Reading, paged: dict[str, PagedDocument]
) -> StageRun:
    """The blocks stage of a source, from the pages that were read, by the document's name, and from text documents."""
    readers: Counter[str] = Counter()

    def produce() -> Iterator[Record]:
        for file in source.files:
            if file.path not in paged:
                yield from _read_text_document(workspace, folder, source, file)
                continue
            document = paged[file.path]
            for page in linked_pages(document.book, document.job, document.numbers, document.failed):
                readers["unread" if page.rejections else page.choice.reader] += 1
                yield from page.blocks
                yield from page.rejections

    run = run_stage(workspace.work(source.id), STAGE, *_inputs(workspace, source, how), produce)
    if readers:
        support.say("readers", ", ".join(f"{reader}: {count} pages" for reader, count in readers.most_common()))
    return run


def _inputs(workspace: Workspace, source: Source, how: Reading) -> tuple[list[StageInput], dict[str, Any]]:
    """What decides whether blocks are fresh: the documents, and the settings that can change a block."""
    settings = workspace.config().ingest
    described: dict[str, Any] = source.model_dump(include={"id", "kind", "encoding", "pages", "written_in"})
    if source.kind == "grammar-book":
        described["language"] = support.language_of(source, workspace).model_dump()
        described["ocr"] = settings.ocr.model_dump(mode="json", exclude={"threads", "device"})
        described["reader"] = how.reader
    inputs = [StageInput(name=file.path, sha256=file.sha256, count=1) for file in source.files]
    return inputs, described


@flow(name="ingest")
def ingest(workspace_dir: Path, source_dir: Path, how: Reading | None = None) -> StageRun:
    """A source folder to blocks. Raises SourceError where the source can't be read."""
    workspace, how = Workspace(workspace_dir), how or Reading()
    source = load_source(source_dir)
    support.say("source", f"{source.id}: {source.title} ({source.language}, {source.kind}, {source.licence})")
    run = fresh_stage(workspace.work(source.id), STAGE, *_inputs(workspace, source, how))
    if run is None:
        paged = {
            file.path: read_paged(workspace, source_dir, source, file, how)
            for file in source.files
            if _is_paged(source, file)
        }
        run = write_blocks(workspace, source_dir, source, how, paged)
    support.say_stage(run, "blocks")
    support.record_stages("ingest", [run])
    if how.strict and run.n_rejected:
        where = run.path.with_name(f"{run.path.stem}.rejected.jsonl")
        raise SourceError(f"{source_dir}: {run.n_rejected} pages can't be read; {where} says why")
    return run


def ingest_source(workspace_dir: Path, source_dir: Path, how: Reading | None = None) -> StageRun:
    """Runs the flow, on a Dask cluster where its address is given. Raises SourceError where that can't be."""
    chosen = ingest.with_options(task_runner=support.dask_runner(how.dask)) if how and how.dask else ingest
    return chosen(workspace_dir, source_dir, how)


@click.command(help=__doc__)
@support.source_options
@support.reading_options
@support.workspace_option
def main(source: Path, workspace: Path, how: Reading, **told: str | None) -> None:
    ingest_source(workspace, find_source(Workspace(workspace), source, **told), how)


if __name__ == "__main__":
    support.run_command(main)
