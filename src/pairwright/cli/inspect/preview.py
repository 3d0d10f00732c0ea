"""`pairwright preview SOURCE --pages 10-14`: what the reader understood of some pages, as one HTML file."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import counted
from pairwright.core.workspace import Workspace
from pairwright.documents.preview.page import file_name, parse_pages, write_preview
from pairwright.documents.stage_blocks import read_document


def page_path(workspace: Workspace, out: Path | None, name: str) -> Path:
    """Where an HTML page goes: to `out` if that names one, else under `name` into that folder, or output/previews."""
    path = out or workspace.previews
    return path / name if path.suffix.lower() not in {".html", ".htm"} or path.is_dir() else path


def preview_lines(
    workspace: Workspace, source: str, pages: str, file: str | None, out: Path | None, password: str | None
) -> Iterator[str]:
    """Writes the preview and yields a line with what it shows and its path.

    Raises SourceError or StoreError where the pages, the document or its blocks can't be shown.
    """
    numbers = parse_pages(pages)
    document = read_document(workspace, source, file)
    path = page_path(workspace, out, file_name(document, numbers))
    write_preview(path, document, numbers, password)
    n_blocks = sum(block.page in numbers for block in document.blocks)
    n_rejected = sum(item.page in numbers for item in document.rejections)
    rejected = f", {n_rejected} rejected" if n_rejected else ""
    pages_shown = counted(len(numbers), "page")
    yield f"{path}: {pages_shown}, {counted(n_blocks, 'block')}{rejected}"
