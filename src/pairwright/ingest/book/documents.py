"""Reads documents without pages in a process of their own, with limits of time and memory."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from pairwright.errors import PairwrightError, SourceError
from pairwright.ingest.book.process import Worker, WorkerReply, limit_memory, serve_standard_input
from pairwright.records import Block, Record, Rejection, Source

# Blocks repeat words, as sections and cells do, but not without end.
_SWELLS = 20
_LEAST_LIMIT = 10_000_000


class DocumentJob(Record):
    """A document to be read.

    name       the document's path as its source names it; the source has its hash, so a changed file is another job
    max_bytes  the largest size of a text, and of what a packed document holds unpacked
    seconds    the longest time that reading may take; `memory_mb` the most memory, in MiB
    """

    path: Path
    name: str
    source: Source
    max_bytes: int
    seconds: float
    memory_mb: int


# A document that is registered is looked into, and then read.
@lru_cache(maxsize=1)
def read_document(job: DocumentJob) -> tuple[Block | Rejection, ...]:
    """The blocks of a document, and the faulty sentences of a treebank.

    Raises SourceError where it can't be read, or not within the limits.
    """
    end = time.monotonic() + job.seconds
    read: list[Block | Rejection] = []
    limit = max(_LEAST_LIMIT, _SWELLS * job.max_bytes)
    with Worker(__name__, job.seconds) as worker:
        line = worker.ask(job.model_dump_json())
        while line.startswith(('{"id"', '{"stage"')) and limit > 0 and time.monotonic() < end:
            limit -= len(line)
            kind = Block if line.startswith('{"id"') else Rejection
            read.append(kind.model_validate_json(line))
            line = worker.receive()
        worker.late = worker.late or time.monotonic() >= end
        if limit <= 0:
            raise SourceError(f"{job.path}: it swells to more than {_SWELLS} times ingest.max_bytes; split it")
        try:
            reply = WorkerReply.model_validate_json(line)
        except ValidationError:
            reason = worker.end(job.memory_mb, "document_seconds")
            raise SourceError(f"{job.path}: can't be read: {reason}, or split the document") from None
    if reply.fault:
        raise SourceError(reply.fault)
    return tuple(read)


def _serve(lines: Iterable[str], reply: Callable[[Record], None]) -> None:
    job = DocumentJob.model_validate_json(next(iter(lines)))
    limit_memory(job.memory_mb)
    try:
        for record in _records(job):
            reply(record)
    except PairwrightError as fault:
        reply(WorkerReply(page=0, fault=str(fault)))
    except MemoryError:
        reason = f"needs more than {job.memory_mb} MB; raise ingest.page_memory_mb, or split the document"
        reply(WorkerReply(page=0, fault=f"{job.path}: {reason}"))
    except Exception as fault:
        reason = f"{type(fault).__name__}: {fault}"[:300]
        reply(WorkerReply(page=0, fault=f"{job.path}: a fault in the reader, please report it: {reason}"))
    else:
        reply(WorkerReply(page=0))


def _records(job: DocumentJob) -> Iterator[Block | Rejection]:
    document = job.path, job.name, job.source, job.source.encoding, job.max_bytes
    if job.source.kind == "treebank":
        from pairwright.ingest.treebank.reader import read_treebank

        yield from read_treebank(*document)
    else:
        from pairwright.ingest.text.reader import read_text_document

        yield from read_text_document(*document)


def main() -> None:
    """Reads the document whose DocumentJob stands on standard input; its blocks go to standard output, then a reply."""
    serve_standard_input(_serve)
