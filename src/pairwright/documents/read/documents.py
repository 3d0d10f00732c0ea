"""Reads documents without pages in a process of their own, with limits of time and memory."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

from pairwright.core.errors import SourceError
from pairwright.core.processes import Limits, Reply, read_apart, serve_apart
from pairwright.core.records import Block, Record, Rejection, Source
from pairwright.languages.conventions import Conventions

_READ: TypeAdapter[Block | Rejection] = TypeAdapter(Block | Rejection)


class DocumentJob(Record):
    """A document to be read.

    name       the document's path as its source names it; the source has its hash, so a changed file is another job
    conventions  of a grammar
    max_bytes  the largest size of a text, and of what a packed document holds unpacked
    seconds    the longest time that reading the largest document may take; `memory_mb` the most memory, in MiB
    """

    path: Path
    name: str
    source: Source
    conventions: Conventions | None = None
    max_bytes: int
    seconds: float
    memory_mb: int


# A document that is registered is looked into, and then read.
@lru_cache(maxsize=1)
def read_document(job: DocumentJob) -> tuple[Block | Rejection, ...]:
    """The blocks of a document, and the faulty sentences of a treebank.

    Raises SourceError where it can't be read, or not within the limits.
    """
    limits = Limits(job.seconds, job.memory_mb).share(job.path.stat().st_size if job.path.exists() else 0)
    remedy = "split the document, or raise ingest.document_seconds and ingest.page_memory_mb"
    lines = read_apart(__name__, job.model_dump_json().encode(), job.path, limits, SourceError, remedy)
    return tuple(map(_READ.validate_json, lines))


def serve(request: BinaryIO, reply: Reply) -> None:
    """Replies with the blocks of the document whose DocumentJob is requested, and its faulty sentences, as JSON."""
    job = DocumentJob.model_validate_json(request.read())
    serve_apart((record.model_dump_json() for record in _records(job)), job.path, reply)


def _records(job: DocumentJob) -> Iterator[Block | Rejection]:
    document = job.path, job.name, job.source, job.source.encoding, job.max_bytes
    if job.source.kind == "treebank":
        from pairwright.documents.flowing.treebank import read_treebank

        yield from read_treebank(*document)
    else:
        from pairwright.documents.flowing.reader import read_text_document

        yield from read_text_document(*document, job.conventions)
