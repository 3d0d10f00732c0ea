"""`pairwright show`: the rules of a source, its pages, or a block as it was read, with a picture of its place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.cli.inspect.rules import rules_lines
from pairwright.core.errors import ConfigError, at
from pairwright.core.records import Block, Gloss
from pairwright.core.store import atomic
from pairwright.core.workspace import Workspace
from pairwright.documents.source import BLOCK_ID, block_path, find_block, source_folder
from pairwright.pipeline.options import Option, Password


def show(
    workspace: Workspace,
    what: str,
    *,
    pages: Annotated[str | None, Option("Show these pages, such as 10-14,20, and what was read there.")] = None,
    html: Annotated[bool, Option("Write the rules as a page, with quotations, places and pairs.")] = False,
    source: Annotated[str | None, Option("Source of the block, if two sources have it.")] = None,
    file: Annotated[str | None, Option("File of the source, if it has several.")] = None,
    out: Annotated[Path | None, Option("File or folder to write (default: under output).")] = None,
    password: Password = None,
) -> Iterator[str]:
    """Show a source's rules, its pages, or a block.

    WHAT is the id or folder of a source, or the first digits of a block's id. Of a source you see the rules and which
    of them give pairs; with --pages, pictures of its pages and how each part was read. Of a block you see what was
    read and a picture of its place.
    """
    if pages is not None and html:
        raise ConfigError("--html is a page of rules, --pages one of what was read; give one of them")
    if pages is not None:
        # Draws with PyMuPDF and OpenCV, which lists do without.
        from pairwright.cli.inspect.pages import preview_lines

        return preview_lines(workspace, what, pages, file, out)
    is_source = (workspace.sources / what).is_dir() or Path(what).is_dir()
    if not is_source and BLOCK_ID.fullmatch(what.strip()):
        return _block_lines(workspace, what, source, out)
    return rules_lines(workspace, what, html, out)


def _block_lines(workspace: Workspace, block_id: str, source: str | None, out: Path | None) -> Iterator[str]:
    """What was read; after it, the picture is written and its path is the last line."""
    folder = source_folder(workspace, source) if source else None
    block = find_block(workspace, block_id, folder)
    yield from (f"{label:<10} {text}" for label, text in _facts(block))
    yield from ("", *(_gloss_lines(block.gloss) if block.gloss else block.text.splitlines()), "")
    folder = folder or source_folder(workspace, block.source_id)
    if block.bbox is None:
        place = at(block_path(folder, block), block.line)
        yield f"{'place':<10} {place}; a text document has no page image, so no picture"
        return
    # Drawing takes PyMuPDF and OpenCV, which a block of a text document does without.
    from pairwright.documents.preview.pictures import CropStyle, block_png

    path = out or workspace.pictures / f"{block.id}.png"
    style = CropStyle(dpi=200, context=50.0, max_pixels=20_000_000, all_cells=True)
    picture = block_png(folder, block, style)
    with atomic(path, "wb") as handle:
        handle.write(picture)
    yield f"{'picture':<10} {path}"


def _facts(block: Block) -> Iterator[tuple[str, str]]:
    level = f" of level {block.level}" if block.level else ""
    yield "block", f"{block.id}, {block.kind.replace('_', ' ')}{level}"
    yield "source", f"{block.source_id}: {block.file}"
    yield "page", f"{block.page}" + (f", line {block.line}" if block.line else "")
    if block.bbox:
        yield "box", "{:.1f} {:.1f} {:.1f} {:.1f}".format(*block.bbox) + " (left, top, right, bottom in points)"
    yield "section", " > ".join(block.section) or "(none)"
    sure = "" if block.confidence is None else f", confidence {block.confidence:.2f}"
    yield "reader", block.reader + sure
    if block.continues:
        yield "goes on", f"from {block.continues}"


def _gloss_lines(gloss: Gloss) -> Iterator[str]:
    """The lines of an example as they were told apart, each example of several below the one before it."""
    for numbers, own in gloss.leaves():
        yield " ".join(filter(None, (*(f"({number})" for number in numbers), own.language, own.title)))
        lines = (own.surface, " ".join(own.segmentation), *map(" ".join, own.glosses), own.translation, own.source)
        marked = [f"{own.judgement or ''}{line}" if n == 0 else line for n, line in enumerate(filter(None, lines))]
        yield from (f"  {line}" for line in (*marked, *own.notes))
