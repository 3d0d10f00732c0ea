"""A grammar in DOCX: its styles give headings, lists and captions; tabs between words give the columns of examples.

A DOCX file has no pages until a program lays it out: blocks stand on page 1, `line` counts its paragraphs and tables.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.table import Table
from docx.text.paragraph import Paragraph

from pairwright.errors import SourceError
from pairwright.ids import content_id, file_sha256
from pairwright.ingest.examples import EXAMPLE_NUMBER, find_example
from pairwright.ingest.layout import Row, rows
from pairwright.ingest.page import Profile, Run
from pairwright.records import Block, BlockKind, Gloss
from pairwright.store import package_versions

HEADING = re.compile(r"^Heading (\d)$")
SIZE, LEADING, TAB_WIDTH = 10.0, 12.0, 1_000.0
PROFILE = Profile(body_size=SIZE, leading=LEADING)


def read_docx(path: Path, source_id: str) -> Iterator[Block]:
    """The blocks of a DOCX file in its order, with their sections. Raises SourceError where it is not such a file."""
    try:
        document = docx.Document(str(path))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError):
        raise SourceError(f"{path}: not a DOCX file, or damaged; save it as DOCX again") from None
    maker = _Maker(path, source_id)
    parts = list(document.iter_inner_content())
    index = 0
    while index < len(parts):
        part = parts[index]
        if isinstance(part, Table):
            yield maker.table(part, index + 1)
            index += 1
            continue
        end = _example_end(parts, index)
        found = None if end == index else _example([p for p in parts[index:end] if isinstance(p, Paragraph)])
        if found is not None:
            gloss, n_rows = found
            kind: BlockKind = "gloss" if _interlinear(gloss) else "example"
            yield maker.block(kind, gloss.raw, index + 1, gloss=gloss)
            index += n_rows
            continue
        if part.text.strip():
            yield maker.paragraph(part, document, index + 1)
        index += 1


class _Maker:
    """Makes blocks and keeps the path of headings."""

    def __init__(self, path: Path, source_id: str) -> None:
        self.file, self.source_id, self.sha256 = str(path), source_id, file_sha256(path)
        self.reader = f"python-docx {package_versions(['python-docx'])['python-docx']}"
        self.seen: Counter[tuple[str, str]] = Counter()
        self.path: list[tuple[int, str]] = []

    def block(
        self,
        kind: BlockKind,
        text: str,
        line: int,
        level: int | None = None,
        gloss: Gloss | None = None,
        cells: tuple[tuple[str, ...], ...] | None = None,
    ) -> Block:
        self.seen[kind, text] += 1
        return Block(
            id=content_id("block", self.sha256, 1, kind, text, self.seen[kind, text]),
            source_id=self.source_id,
            kind=kind,
            text=text,
            file=self.file,
            page=1,
            line=line,
            level=level,
            section=tuple(title for _, title in self.path),
            gloss=gloss,
            cells=cells,
            reader=self.reader,
        )

    def table(self, table: Table, line: int) -> Block:
        cells = tuple(tuple(texts) for texts in _cells(table))
        return self.block("table", "\n".join("\t".join(row) for row in cells), line, cells=cells)

    def paragraph(self, paragraph: Paragraph, document: Document, line: int) -> Block:
        name = paragraph.style.name if paragraph.style is not None and paragraph.style.name else ""
        text = " ".join(paragraph.text.split())
        heading = HEADING.match(name)
        if heading:
            level = int(heading[1])
            self.path = [(above, title) for above, title in self.path if above < level]
            block = self.block("heading", text, line, level=level)
            self.path.append((level, text))
            return block
        kind: BlockKind = "list_item" if name.startswith("List") else "caption" if name == "Caption" else "paragraph"
        return self.block(kind, text, line)


def _cells(table: Table) -> Iterator[list[str]]:
    """The cells row by row; a merged cell has its text once."""
    seen: set[object] = set()
    for row in table.rows:
        texts = []
        for cell in row.cells:
            texts.append("" if cell._tc in seen else " ".join(cell.text.split()))
            seen.add(cell._tc)
        yield texts


def _example_end(parts: list[Paragraph | Table], start: int) -> int:
    """The end of the paragraphs that may be the example that begins at `start`; `start` itself where none begins."""
    first = parts[start]
    if not isinstance(first, Paragraph) or not EXAMPLE_NUMBER.match(first.text.split("\t")[0].strip()):
        return start
    end = start + 1
    while end < len(parts):
        part = parts[end]
        if not isinstance(part, Paragraph) or not part.text.startswith("\t"):
            break
        end += 1
    return end


def _example(paragraphs: list[Paragraph]) -> tuple[Gloss, int] | None:
    set_rows = [row for index, paragraph in enumerate(paragraphs) for row in _set(paragraph.text, index)]
    found = find_example(set_rows, PROFILE, 0.0, 60 * TAB_WIDTH, 99.0, orphans=False)
    return None if found is None else (found.gloss, found.n_rows)


def _set(text: str, index: int) -> list[Row]:
    """A paragraph as a row in which each tab moves to the next stop."""
    runs = []
    for stop, cell in enumerate(text.rstrip().split("\t")):
        x = stop * TAB_WIDTH
        for word in cell.split():
            y = (index + 1) * LEADING
            runs.append(Run(word, x, y - 8, x + 5.0 * len(word), y + 2, y, SIZE, ""))
            x += 5.0 * len(word) + 3.0
    return rows(runs)


def _interlinear(gloss: Gloss) -> bool:
    return bool(gloss.glosses) or any(_interlinear(part) for part in gloss.parts)
