"""Source -> Block: from what a user names to a source, whose documents become blocks, each with its place."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pairwright.core.config import IngestSettings
from pairwright.core.errors import SourceError, counted
from pairwright.core.records import Block, Record, Rejection, Source, SourceFile
from pairwright.core.store import StageRun
from pairwright.core.workspace import Workspace
from pairwright.documents import STAGE
from pairwright.documents.source import (
    check_options,
    document_path,
    load_source,
    register_file,
    registered_folder,
    source_folder,
    treebank_files,
)
from pairwright.languages import Language
from pairwright.languages.conventions import Conventions, own_conventions, write_conventions
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import ReadingOptions, SourceOptions
from pairwright.pipeline.stages import stage

if TYPE_CHECKING:
    from pairwright.documents.read.pool import ReadJob
    from pairwright.documents.read.reader import Book

# Pages of one part on a cluster: few enough that a lost machine costs little, enough that a part pays.
PAGES_PER_PART = 16


class PagedDocument(NamedTuple):
    """A document that is read page by page; `failed` maps pages that broke their reader to the reason."""

    book: "Book"
    job: "ReadJob"
    numbers: range
    failed: dict[int, str]


def find_source(workspace: Workspace, source: Path, options: SourceOptions = SourceOptions()) -> Source:
    """The source that is named by its folder, its id, or a document file, which is then registered.

    So is a folder of `.conllu` files. A file in which nothing can be found leaves nothing behind: it is looked into
    before it is registered. Raises SourceError.
    """
    given = asdict(options)
    is_folder = source.is_dir() and not treebank_files(source)
    if is_folder or not source.exists():
        folder = registered_folder(workspace, source) if is_folder else source_folder(workspace, str(source))
    else:
        folder = register_file(workspace, source, accept=partial(_probe, workspace), **given)
    found = load_source(folder)
    check_options(folder, found, given)
    return found


def _probe(workspace: Workspace, folder: Path, source: Source) -> None:
    from pairwright.documents.pages.pdf import open_document
    from pairwright.documents.read.pool import page_numbers
    from pairwright.sources.error_list.reader import notations_of

    for file in source.files:
        path = document_path(folder, file.path)
        if is_paged(source, file):
            with open_document(path) as document:
                page_numbers(source, path, document.page_count)
                continue
        if source.pages:
            raise SourceError(f"{path}: it is not read page by page; leave --pages out")
        read = read_document(folder, source, file, workspace.config().ingest)
        blocks = [record for record in read if isinstance(record, Block)]
        if source.kind == "error-list":
            notations_of(blocks, source, workspace.root)


def is_paged(source: Source, file: SourceFile) -> bool:
    """Whether a file is read page by page."""
    from pairwright.documents.pages.pdf import PAGED

    return source.kind == "grammar-book" and Path(file.path).suffix.lower() in PAGED


def read_document(
    folder: Path, source: Source, file: SourceFile, settings: IngestSettings
) -> tuple[Block | Rejection, ...]:
    """The blocks of a document without pages, read by a process with limits, and the faulty sentences of a treebank.

    Raises SourceError where it can't be read.
    """
    from pairwright.documents.read import pool

    is_grammar = source.kind == "grammar-book"
    conventions = Conventions.of(own_conventions(folder), source.written_in) if is_grammar else None
    path = document_path(folder, file.path).absolute()
    job = pool.ReadJob(path=path, name=file.path, source=source, conventions=conventions, settings=settings)
    return pool.read_document(job)


def ingest(context: Context, source: Source, reading: ReadingOptions = ReadingOptions()) -> StageRun:
    """Reads the documents of a source, unless their blocks are fresh.

    Raises SourceError where the source can't be read, or with `strict` a page of it.
    """
    folder = context.workspace.sources / source.id
    encoding = f", {source.encoding}" if source.encoding != "utf-8" else ""
    context.say("source", f"{source.id}: {source.title} ({source.language}, {source.kind}, {source.licence}{encoding})")
    if source.kind == "grammar-book":
        ocr = context.workspace.config().ingest.ocr.model_dump(mode="json", exclude={"threads"})
        run = book_blocks(context, source, how=reading, ocr=ocr, reader=reading.reader)
    else:
        run = text_blocks(context, source)
    context.say_stage(run, text_blocks.noun)
    if reading.strict and run.n_rejected:
        reasons = run.path.with_name(f"{run.path.stem}.rejected.jsonl")
        raise SourceError(f"{folder}: {counted(run.n_rejected, 'page')} can't be read; {reasons} says why")
    return run


def read_pages(
    folder: Path,
    source: Source,
    file: SourceFile,
    language: Language,
    settings: IngestSettings,
    cache: Path,
    read: "Callable[[ReadJob, list[int]], dict[int, str]]",
    reader: Literal["text", "ocr"] | None = None,
    workspace: Path | None = None,
) -> PagedDocument:
    """A document that is kept page by page under `cache`, once `read` has read the pages that no earlier run has.

    read  returns why pages can't be read, by their numbers

    Raises SourceError where the document can't be opened.
    """
    from pairwright.documents.read.pool import book_job, page_numbers, prepare_book

    conventions = Conventions.of(own_conventions(folder), source.written_in, workspace)
    path = document_path(folder, file.path)
    job = book_job(path, source, file, language, settings, cache, reader, conventions)
    book = prepare_book(job)
    numbers = page_numbers(source, book.path, book.n_pages)
    return PagedDocument(book, job, numbers, read(job, job.missing(numbers)))


@stage(STAGE, "block")
def text_blocks(context: Context, source: Source, files: tuple[SourceFile, ...]) -> Iterator[Record]:
    """The blocks of error lists and treebanks, and a Rejection for each faulty sentence."""
    folder, settings = context.workspace.sources / source.id, context.workspace.config().ingest
    for file in files:
        yield from read_document(folder, source, file, settings)


@stage(STAGE, "block", also=("conventions",))
def book_blocks(
    context: Context,
    how: ReadingOptions,
    source: Source,
    files: tuple[SourceFile, ...],
    language: Language,
    ocr: dict[str, Any],
    reader: Literal["text", "ocr"] | None,
) -> Iterator[Record]:
    """The blocks of a grammar book, and a Rejection for each page that can't be read.

    ocr  the settings that can change a block
    """
    from pairwright.documents.read.pool import linked_pages

    workspace, settings = context.workspace, context.workspace.config().ingest
    folder, paged = workspace.sources / source.id, dict[str, PagedDocument]()
    for file in (file for file in files if is_paged(source, file)):
        read = partial(_read_missing, context, file.path, strict=how.strict)
        paged[file.path] = read_pages(
            folder, source, file, language, settings, workspace.cache, read, how.reader, workspace.root
        )
    for learned in [document.book.profile.learned for document in paged.values()] or [{}]:
        write_conventions(folder, learned)
    readers: Counter[str] = Counter()
    for file in files:
        if file.path not in paged:
            yield from read_document(folder, source, file, settings)
            continue
        for page in linked_pages(*paged[file.path]):
            readers["unread" if page.rejections and not page.blocks else page.choice.reader] += 1
            yield from page.blocks
            yield from page.rejections
    if readers:
        counts = (f"{name}: {counted(count, 'page')}" for name, count in readers.most_common())
        context.say("readers", ", ".join(counts))


def _read_missing(context: Context, name: str, job: "ReadJob", missing: list[int], *, strict: bool) -> dict[int, str]:
    """Reads pages of the document `name` by several processes here, or on a cluster; returns the faults by page.

    Raises SourceError with `strict` for the first page that can't be read.
    """
    from pairwright.documents.read.pool import n_workers, read_into

    failed, started = dict[int, str](), time.monotonic()
    with context.reporter.progress(f"{name}: pages", len(missing)) as advance:
        if context.executor.spreads:
            starts = range(0, len(missing), PAGES_PER_PART)
            parts = [(job, missing[start : start + PAGES_PER_PART], strict) for start in starts]
            for n_read, faults in context.executor.map("read pages", _read_part, parts):
                failed |= faults
                advance(n_read)
        else:
            workers, on_page = n_workers(context.workspace.config().ingest), lambda _: advance(1)
            failed = context.call(
                "read pages", read_into, job, missing, workers=workers, strict=strict, on_page=on_page
            )
    if missing:
        seconds = time.monotonic() - started
        context.say("pages", f"{len(missing)} read from {name} ({seconds:.0f} s, {len(missing) / seconds:.1f}/s)")
    return failed


def _read_part(job: "ReadJob", numbers: list[int], strict: bool) -> tuple[int, dict[int, str]]:
    """On a worker of a cluster: reads some pages, one after the other. Returns how many, and the faults by page."""
    from pairwright.documents.read.pool import read_into

    return len(numbers), read_into(job, numbers, workers=1, strict=strict)
