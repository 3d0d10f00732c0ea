"""How the pages of a document are to be read: by which settings, into which folder, and which of them."""

import os
from pathlib import Path

from pairwright.core.config import IngestSettings
from pairwright.core.errors import SourceError
from pairwright.core.records import Source, SourceFile
from pairwright.documents.read.reader import ReadOptions
from pairwright.documents.read.worker import ReadJob, page_directory
from pairwright.languages import Language


def n_workers(settings: IngestSettings) -> int:
    """How many reader processes read at once."""
    return settings.workers or os.cpu_count() or 1


def read_job(
    path: Path,
    source: Source,
    file: SourceFile,
    language: Language,
    settings: IngestSettings,
    cache: Path,
    options: ReadOptions | None = None,
) -> ReadJob:
    """The job of reading a source's document `file`, which lies at `path`, with its pages under `cache`."""
    threads = settings.ocr.threads or max(1, (os.cpu_count() or 1) // n_workers(settings))
    job = ReadJob(
        path=path.resolve(),
        name=file.path,
        source_id=source.id,
        options=options or ReadOptions(),
        ocr=settings.ocr.model_copy(update={"threads": threads}),
        language=language,
        written_in=source.written_in,
        directory=Path(),
        memory_mb=settings.page_memory_mb,
    )
    return job.model_copy(update={"directory": page_directory(cache.resolve(), job)})


def page_numbers(source: Source, path: Path, n_pages: int) -> range:
    """The pages of a book that its source names, all where it names none. Raises SourceError for pages it lacks."""
    first, last = source.pages or (1, n_pages)
    if not 1 <= first <= last <= n_pages:
        raise SourceError(f"{path}: pages {first}-{last} of {n_pages}; mend `pages` of the source")
    return range(first, last + 1)
