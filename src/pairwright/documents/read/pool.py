"""Reads many pages at once, in processes with limits of time and memory; each page is kept as soon as it is read."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from pydantic import ValidationError

from pairwright.core.errors import ConfigError, SourceError
from pairwright.core.processes import Limits, Worker
from pairwright.documents.read.reader import Book, OnPage, PageBlocks, laid_out, learn_scans, link, rejected
from pairwright.documents.read.reader_choice import ReaderChoice
from pairwright.documents.read.worker import ReadJob, WorkerReply, load_book, load_page, page_path

# Pages that may break their reader while a book is learned, before the book is given up.
MAX_BROKEN = 20


def prepare_book(job: ReadJob, seconds: float) -> Book:
    """Learns a book, without the pages that break the reader; a book that was learned before is only loaded.

    `seconds` is the most that a page may take. Raises SourceError where the document can't be opened.
    """
    with suppress(FileNotFoundError, ValidationError):
        return load_book(job)
    broken: list[int] = []
    while True:
        with _Reader(job.model_copy(update={"leave_out": tuple(broken)}), seconds) as reader:
            try:
                reader.ready()
                return load_book(job)
            except _Broken as fault:
                if fault.page in (0, *broken) or len(broken) == MAX_BROKEN:
                    raise
                broken.append(fault.page)


def pages_to_read(job: ReadJob, numbers: Iterable[int]) -> list[int]:
    """The pages, counted from 1, that no earlier run has read."""
    return [number for number in numbers if not page_path(job.directory, number).exists()]


def read_into(
    job: ReadJob,
    numbers: Sequence[int],
    *,
    workers: int,
    seconds: float,
    strict: bool = False,
    on_page: OnPage = lambda number: None,
) -> dict[int, str]:
    """Reads pages of a prepared book into `job.directory`, by `workers` processes, in any order.

    Returns the pages at which a process ended, with the reason; a later run tries them again. `on_page` is called after
    each page, from any thread. Raises SourceError or ConfigError where the user has to mend something, with
    `strict` also for a page that can't be read.
    """
    left = deque(numbers)
    failed: dict[int, str] = {}
    stop = threading.Event()

    def read_until_one_fails() -> None:
        with _Reader(job, seconds) as reader:
            reader.ready()
            alive = True
            while alive and not stop.is_set() and (number := _taken(left)):
                reason, alive = reader.read(number)
                if reason and strict:
                    raise SourceError(f"{job.path}: page {number}: {reason}")
                if not alive:
                    failed[number] = reason or "the reader ended"
                on_page(number)

    def work() -> None:
        try:
            while left and not stop.is_set():
                read_until_one_fails()
        except BaseException:
            stop.set()
            raise

    n_workers = min(workers, len(left))
    with ThreadPoolExecutor(max(1, n_workers)) as pool:
        futures = [pool.submit(work) for _ in range(n_workers)]
        try:
            for future in futures:
                future.result()
        finally:
            stop.set()
    return failed


def _taken(numbers: deque[int]) -> int | None:
    """The next number, which no other thread gets; None where none is left."""
    with suppress(IndexError):
        return numbers.popleft()
    return None


def linked_pages(book: Book, job: ReadJob, numbers: Sequence[int], failed: Mapping[int, str]) -> Iterator[PageBlocks]:
    """Pages in order, their blocks with sections and continuations. `failed` is what `read_into` returned."""
    read = (load_page(job.directory, number) for number in numbers if number not in failed)
    learned = learn_scans(book, (page.scan for page in read if page.scan))

    def pages() -> Iterator[PageBlocks]:
        for number in numbers:
            if number in failed:
                yield rejected(book, number, ReaderChoice("text", "could not be read"), failed[number])
            else:
                yield laid_out(load_page(job.directory, number), learned)

    return link(pages(), book.profile.conventions)


class _Broken(SourceError):
    """A process ended while it learned a book, at `page`, or at 0 before the first."""

    def __init__(self, message: str, page: int) -> None:
        super().__init__(message)
        self.page = page


class _Reader(Worker):
    """A process that reads pages."""

    def __init__(self, job: ReadJob, seconds: float) -> None:
        super().__init__("pairwright.documents.read.worker", Limits(seconds, job.memory_mb))
        self.job = job
        self.learning = 0

    def ready(self) -> None:
        """Waits until the book is learned. Raises SourceError where it can't be."""
        reply = self._ask(self.job.model_dump_json())
        if reply is None or reply.rejected:
            reason = reply.rejected if reply else self._end()
            raise _Broken(f"{self.job.path}: can't be read: {reason}", self.learning)

    def read(self, number: int) -> tuple[str | None, bool]:
        """Why a page can't be read whole, if so, and whether the process can read more."""
        reply = self._ask(str(number))
        if reply is None:
            return self._end(), False
        ended = reply.rejected is not None and not page_path(self.job.directory, number).exists()
        return reply.rejected, not ended

    def _end(self) -> str:
        return f"{self.end()}; raise ingest.{'page_seconds' if self.late else 'page_memory_mb'}"

    def _ask(self, line: str) -> WorkerReply | None:
        """The reply to a request, None where the process ended. Raises the error that the user has to mend."""
        self.send(f"{line}\n".encode())
        try:
            reply = self._receive()
            while reply.learning:
                self.learning = reply.page
                reply = self._receive()
        except ValidationError:
            return None
        if reply.fault:
            raise (ConfigError if reply.kind == "ConfigError" else SourceError)(reply.fault)
        return reply

    def _receive(self) -> WorkerReply:
        with self.watched():
            return WorkerReply.model_validate_json(self.receive())
