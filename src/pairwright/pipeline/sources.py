"""From what a user names to a source."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

from pairwright.core.config import IngestSettings
from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Rejection, Source, SourceFile
from pairwright.core.workspace import Workspace
from pairwright.documents.source import (
    check_options,
    document_path,
    load_source,
    register_file,
    registered_folder,
    source_folder,
    treebank_files,
)
from pairwright.languages.conventions import Conventions, own_conventions
from pairwright.pipeline.options import SourceOptions


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
    from pairwright.sources.error_list.choice import choose_notations

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
            choose_notations(blocks, source, workspace.root)


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
