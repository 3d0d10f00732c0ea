"""Many pages at once: reader processes with limits of time and memory, each page kept as soon as it is read."""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from pydantic import ValidationError

from pairwright.errors import ConfigError, SourceError
from pairwright.ingest.book.reader import Book, OnPage, PageBlocks, laid_out, learn_scans, link, rejected
from pairwright.ingest.book.reader_choice import Route
from pairwright.ingest.book.worker import Answer, ReadJob, load_book, load_page, page_path

_START = "from pairwright.ingest.book.worker import main; main()"
# Pages that may break their reader while a book is learned, before the book is given up.
MAX_BROKEN = 20


def prepare_book(job: ReadJob, seconds: float) -> Book:
    """Learns a book, unless that was done before, from those of its pages that don't break their reader.

    Raises SourceError where the document can't be opened.
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
    """Those of the pages, counted from 1, that no earlier run has read."""
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

    Returns the pages for which a process had to end, with the reason: they took more than `seconds` or too much memory,
    or broke the reader. Nothing is kept of them, so a later run tries again. `on_page` is called after each page, from
    any thread. Raises SourceError or ConfigError where the user has to mend something, and with `strict` for the first
    page that can't be read.
    """
    left = deque(numbers)
    failed: dict[int, str] = {}
    stop = threading.Event()

    def work() -> None:
        try:
            while left and not stop.is_set():
                _read_some(job, left, failed, seconds, stop, strict, on_page)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(max(1, min(workers, len(left)))) as pool:
        futures = [pool.submit(work) for _ in range(min(workers, len(left)))]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            raise
    return failed


def _read_some(
    job: ReadJob,
    left: deque[int],
    failed: dict[int, str],
    seconds: float,
    stop: threading.Event,
    strict: bool,
    on_page: OnPage,
) -> None:
    """Lets one process read pages until none are left or the process ends."""
    with _Reader(job, seconds) as reader:
        reader.ready()
        while not stop.is_set():
            try:
                number = left.popleft()
            except IndexError:
                return
            reason, alive = reader.read(number)
            if reason and strict:
                raise SourceError(f"{job.path}: page {number}: {reason}")
            if not alive:
                failed[number] = reason or "the reader ended"
            on_page(number)
            if not alive:
                return


def linked_pages(book: Book, job: ReadJob, numbers: Sequence[int], failed: Mapping[int, str]) -> Iterator[PageBlocks]:
    """Pages that were read, in order, their blocks with sections and continuations.

    `failed` is what `read_into` returned: those pages give a Rejection.
    """

    whole = [number for number in numbers if number not in failed]
    scans = (page.scan for page in (load_page(job.directory, number) for number in whole) if page.scan)
    learned = learn_scans(book, scans)

    def pages() -> Iterator[PageBlocks]:
        for number in numbers:
            if number in failed:
                yield rejected(book, number, Route("text", "could not be read"), failed[number])
            else:
                yield laid_out(load_page(job.directory, number), learned)

    return link(pages())


class _Broken(SourceError):
    """A process that ended while it learned a book, at a page; 0 where it had not begun."""

    def __init__(self, message: str, page: int) -> None:
        super().__init__(message)
        self.page = page


class _Reader:
    """A reader process. A request that takes longer than `seconds` kills it."""

    def __init__(self, job: ReadJob, seconds: float) -> None:
        self.job, self.seconds = job, seconds
        self.late = False
        self.learning = 0
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def ready(self) -> None:
        """Waits until the book is learned. Raises SourceError where it can't be."""
        answer = self._ask(self.job.model_dump_json())
        if answer is None or answer.rejected:
            reason = answer.rejected if answer and answer.rejected else self._end()
            raise _Broken(f"{self.job.path}: can't be read: {reason}", self.learning)
        self._raise_fault(answer)

    def read(self, number: int) -> tuple[str | None, bool]:
        """Why a page can't be read, if so, and whether the process can read more."""
        answer = self._ask(str(number))
        if answer is None:
            return self._end(), False
        self._raise_fault(answer)
        ended = answer.rejected is not None and not page_path(self.job.directory, number).exists()
        return answer.rejected, not ended

    def _raise_fault(self, answer: Answer) -> None:
        if answer.fault:
            raise (ConfigError if answer.kind == "ConfigError" else SourceError)(answer.fault)

    def _end(self) -> str:
        if self.late:
            return f"took more than {self.seconds:g} seconds; raise ingest.page_seconds"
        return f"broke the reader, or needs more than {self.job.memory_mb} MB (ingest.page_memory_mb)"

    def _ask(self, line: str) -> Answer | None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        watch = self._watch()
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            while True:
                answer = Answer.model_validate_json(self.process.stdout.readline())
                if not answer.learning:
                    return answer
                self.learning = answer.page
                watch.cancel()
                watch = self._watch()
        except (OSError, ValidationError):
            return None
        finally:
            watch.cancel()

    def _watch(self) -> threading.Timer:
        watch = threading.Timer(self.seconds, self._kill)
        watch.daemon = True
        watch.start()
        return watch

    def _kill(self) -> None:
        self.late = True
        self.process.kill()
