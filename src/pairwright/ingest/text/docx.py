"""Reads DOCX: styles give headings, lists and captions; tabs between words give the columns of examples.

A DOCX file has no pages until a program lays it out: blocks stand on page 1, `line` counts its paragraphs and tables.
"""

import re
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import docx
from docx.document import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.table import Table
from docx.text.paragraph import Paragraph

from pairwright.errors import SourceError
from pairwright.ingest.page.glyphs import SUPERSCRIPTS
from pairwright.ingest.text.archive import DAMAGE
from pairwright.ingest.text.docx_numbering import Numbering, styles_of
from pairwright.ingest.text.pieces import MAX_CELLS, Inline, TextPiece, heading, of_lines, table
from pairwright.records import BlockKind
from pairwright.text import nfc

# As Word has it; a table's own grid may say more.
MAX_COLUMNS = 63
HEADING = re.compile(r"^Heading (\d)$")
OUTLINE = f"{qn('w:pPr')}/{qn('w:outlineLvl')}"
CONTENTS = re.compile(r"^(?:toc \d|table of figures)$", re.IGNORECASE)
NOTE_REFERENCES = {qn("w:footnoteReference"): "footnotes", qn("w:endnoteReference"): "endnotes"}
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Properties, words deleted or moved away under change tracking, and the old form of a drawing beside its new one.
SKIPPED = {qn("w:pPr"), qn("w:del"), qn("w:moveFrom"), qn("w:txbxContent"), FALLBACK}
SIGNS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}


def docx_pieces(path: Path, file: BufferedReader, max_bytes: int) -> Iterator[TextPiece]:
    """The pieces of an opened DOCX file in its order, each footnote behind the piece that refers to it.

    Raises SourceError where the file is no DOCX, is damaged, or is larger than `max_bytes` unpacked.
    """
    try:
        with ZipFile(file) as archive:
            total = sum(item.file_size for item in archive.infolist())
            if total > max_bytes:
                raise SourceError(
                    f"{path}: {total:,} bytes unpacked is more than a document may have ({max_bytes:,}); leave out its "
                    "pictures, or raise ingest.max_bytes in pairwright.toml"
                )
            if archive.testzip() is not None:
                raise BadZipFile
        yield from _Reader(docx.Document(file)).read()
    # python-docx finds an element of another name than it expects by its missing attributes.
    except (PackageNotFoundError, AttributeError, *DAMAGE):
        raise SourceError(f"{path}: not a DOCX file, damaged, or with a password; save it as DOCX again") from None


class _Reader:
    """Walks through the paragraphs and tables; counts list numbers and footnotes."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.numbering = Numbering(document)
        self.notes = {kind: _notes(document, kind) for kind in NOTE_REFERENCES.values()}
        self.cited: list[tuple[str, list[Any]]] = []
        self.n_cited = dict.fromkeys(self.notes, 0)

    def read(self) -> Iterator[TextPiece]:
        steps = ("./w:p", "./w:tbl", "./w:sdt/w:sdtContent/w:p", "./w:sdt/w:sdtContent/w:tbl")
        body = self.document.element.body
        for line, element in enumerate(body.xpath(" | ".join(steps)), start=1):
            if element.tag == qn("w:tbl"):
                yield from self._table(Table(element, self.document), line)
            else:
                yield from self._paragraph(Paragraph(element, self.document), line)
                for inner in element.xpath(".//w:txbxContent//w:p[not(ancestor::mc:Fallback)]"):
                    yield from self._paragraph(Paragraph(inner, self.document), line)
            yield from self._cited(line)

    def _paragraph(self, paragraph: Paragraph, line: int) -> Iterator[TextPiece]:
        name = (paragraph.style and paragraph.style.name) or ""
        number = self.numbering.next(paragraph)
        inline = self._inline(paragraph._p)
        if not inline.lines or CONTENTS.match(name):
            return
        level = _level(paragraph)
        if level is not None:
            yield heading(f"{number or ''} {inline.text}", line, level)
            return
        listed = name.startswith("List") or (number is not None and not (number or "-").startswith("("))
        kind: BlockKind = "list_item" if listed else "caption" if name == "Caption" else "paragraph"
        first, *others = inline.lines
        lines = [f"{number}\t{first.lstrip()}" if number else first, *others]
        yield of_lines(kind, lines, line, joint="\n", numbers=(), inline=inline)

    def _table(self, element: Table, line: int) -> Iterator[TextPiece]:
        """A table; a merged cell has its text in its first place."""
        grid = element._tbl.find(qn("w:tblGrid"))
        columns = max(MAX_COLUMNS, len(grid) if grid is not None else 0)
        rows: list[list[list[str]]] = []
        head = width = 0
        for index, row in enumerate(element.rows):
            rows.append([])
            for cell in row._tr.tc_lst:
                lines = [] if cell.vMerge == "continue" else self._cell_lines(cell)
                rows[-1] += [lines, *([[]] * (min(cell.grid_span, columns) - 1))]
                width = max(width, len(rows[-1]))
                if width * len(rows) > MAX_CELLS:
                    raise SourceError(f"table in paragraph {line}: it has more than {MAX_CELLS:,} cells; split it")
            head += int(head == index and row._tr.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None)
        if any(map(any, rows)):
            yield table([row + [[]] * (width - len(row)) for row in rows], line, header_rows=head)

    def _cell_lines(self, cell: Any) -> list[str]:
        lines = []
        for element in cell.iter(qn("w:p")):
            number = self.numbering.next(Paragraph(element, self.document))
            text = self._inline(element).text
            text = f"{number} {text}" if number else text
            lines += [" ".join(part.split()) for part in text.split("\n") if part.strip()]
        return lines

    def _inline(self, paragraph: Any) -> Inline:
        inline = Inline()
        self._add(paragraph, inline)
        return inline

    def _add(self, element: Any, inline: Inline) -> None:
        for child in element:
            if child.tag == qn("w:r"):
                self._add_run(child, inline)
            elif child.tag in NOTE_REFERENCES:
                # The note itself waits until its paragraph has been read.
                kind = NOTE_REFERENCES[child.tag]
                self.n_cited[kind] += 1
                mark = str(self.n_cited[kind]).translate(SUPERSCRIPTS)
                self.cited.append((mark, self.notes[kind].get(str(child.get(qn("w:id"))), [])))
                inline.text += mark
            elif child.tag == qn("w:t"):
                inline.text += nfc(child.text or "")
            elif child.tag in SIGNS:
                inline.text += SIGNS[child.tag]
            elif child.tag not in SKIPPED:
                self._add(child, inline)

    def _add_run(self, run: Any, inline: Inline) -> None:
        properties = run.find(qn("w:rPr"))
        start = len(inline.text)
        self._add(run, inline)
        text = inline.text[start:]
        if _is_on(properties, "w:smallCaps"):
            inline.text = inline.text[:start] + text.upper()
        raised = properties.find(qn("w:vertAlign")) if properties is not None else None
        if raised is not None and raised.get(qn("w:val")) == "superscript":
            inline.text = inline.text[:start] + text.translate(SUPERSCRIPTS)
        if text.strip() and (_is_on(properties, "w:b") or _is_on(properties, "w:i")):
            before = inline.emphasis.pop() if inline.emphasis and inline.emphasis[-1][1] == start else (start, start)
            inline.emphasis.append((before[0], len(inline.text)))

    def _cited(self, line: int) -> Iterator[TextPiece]:
        """The notes to which the last paragraph or table refers."""
        waiting, self.cited = self.cited, []
        for mark, elements in waiting:
            lead = f"{mark} "
            for element in elements:
                inline = self._inline(element)
                if inline.lines:
                    first, *others = inline.lines
                    yield of_lines("footnote", [lead + first, *others], line, joint="\n", numbers=(), inline=inline)
                    lead = ""


def _notes(document: Document, kind: str) -> dict[str, list[Any]]:
    """The paragraphs of each footnote or endnote by its id."""
    parts = [rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith(f"/{kind}")]
    if not parts:
        return {}
    root: Any = parse_xml(parts[0].blob)
    return {str(note.get(qn("w:id"))): list(note.iter(qn("w:p"))) for note in root}


def _level(paragraph: Paragraph) -> int | None:
    """The level of a heading: by its style, by a style on which that is based, or by its outline level."""
    outline: Any = paragraph._p.find(OUTLINE)
    for style in styles_of(paragraph):
        match = HEADING.match(style.name or "")
        if match:
            return int(match[1])
        if outline is None:
            outline = style.element.find(OUTLINE)
    value = outline.get(qn("w:val")) if outline is not None else None
    return int(value) + 1 if value is not None and value.isdigit() and int(value) < 9 else None


def _is_on(properties: Any, name: str) -> bool:
    """Whether a property of a run is set, and not set to off."""
    element = properties.find(qn(name)) if properties is not None else None
    return element is not None and element.get(qn("w:val")) not in {"0", "false", "off"}
