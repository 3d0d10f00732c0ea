"""`pairwright show BLOCK`: a block as it was read, and a picture of its place on the page."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap

from pairwright.core.errors import at
from pairwright.core.records import Block, Gloss
from pairwright.core.store import atomic
from pairwright.core.workspace import Workspace
from pairwright.documents.source import block_path, find_block, source_folder

CELL_WIDTH = 36


def show_lines(workspace: Workspace, block_id: str, source: str | None, out: Path | None) -> Iterator[str]:
    """The lines of the report; after them, the picture is written and its path is the last line.

    Raises StoreError where the id names no block or several, and SourceError where its document can't be drawn.
    """
    folder = source_folder(workspace, source) if source else None
    block = find_block(workspace, block_id, folder)
    yield from (f"{label:<10} {text}" for label, text in _facts(block))
    yield from ("", *_content(block), "")
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


def _content(block: Block) -> Iterator[str]:
    if block.gloss:
        yield from _gloss_lines(block.gloss)
    elif block.cells:
        yield from _table_lines(block.cells, block.header_rows)
        yield from (f"note: {note.printed}" for note in block.notes)
    else:
        yield from block.text.splitlines()


def _gloss_lines(gloss: Gloss) -> Iterator[str]:
    """An example with its words in columns; sub-examples stand under it, further in."""
    head = " ".join(part for part in (f"({gloss.number})" if gloss.number else "", gloss.language, gloss.title) if part)
    if head:
        yield head
    yield from (f"  {line}" for line in _word_lines(gloss))
    if gloss.source or gloss.translation:
        source = f"[{gloss.source}]" if gloss.source else ""
        yield f"  {f'‘{gloss.translation}’' if gloss.translation else ''} {source}".rstrip()
    yield from (f"  other line: {note}" for note in gloss.notes)
    for part in gloss.parts:
        yield from (f"  {line}" for line in _gloss_lines(part))


def _word_lines(gloss: Gloss) -> Iterator[str]:
    mark = gloss.judgement or ""
    if gloss.surface:
        yield f"{mark}{gloss.surface}"
        mark = ""
    lines = [tuple(line) for line in (gloss.segmentation, *gloss.glosses) if line]
    columns = list(zip_longest(*lines, fillvalue=""))
    widths = [max(map(_width, column)) for column in columns]
    for index, line in enumerate(lines):
        words = [_padded(word, width) for word, width in zip_longest(line, widths, fillvalue="")]  # type: ignore[arg-type]
        yield _padded(mark if index == 0 else "", _width(mark)) + "  ".join(words).rstrip()


def _table_lines(cells: Sequence[Sequence[str]], header_rows: int) -> Iterator[str]:
    """A table in columns, long cells wrapped, with a line under its head."""
    wrapped = [[wrap(cell, CELL_WIDTH) or [""] for cell in row] for row in cells]
    widths = [max(_width(line) for cell in column for line in cell) for column in zip(*wrapped, strict=True)]
    for index, row in enumerate(wrapped):
        for line in zip_longest(*row, fillvalue=""):
            yield " | ".join(_padded(part, width) for part, width in zip(line, widths, strict=True)).rstrip()
        if index + 1 == header_rows:
            yield "-+-".join("-" * width for width in widths)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: combining marks none, East Asian wide signs two."""
    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me", "Cf"}
        else 1 + (unicodedata.east_asian_width(char) in {"W", "F"})
        for char in text
    )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
