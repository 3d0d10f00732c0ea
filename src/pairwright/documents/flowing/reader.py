"""Reads documents without pages: Markdown, text, HTML, CSV, workbooks; by Pandoc DOCX, ODT, RTF, EPUB and LaTeX."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path

from pairwright.core.errors import SourceError
from pairwright.core.files import open_file, read_all
from pairwright.core.ids import content_id
from pairwright.core.packed import packed_rows
from pairwright.core.records import Block, Source
from pairwright.core.store import package_versions
from pairwright.documents.flowing.examples import with_examples
from pairwright.documents.flowing.html import html_pieces
from pairwright.documents.flowing.markdown import markdown_pieces
from pairwright.documents.flowing.pandoc import FORMATS, pandoc_pieces
from pairwright.documents.flowing.pieces import (
    TextPiece,
    checked_hash,
    decode_text,
    heading,
    of_lines,
    table,
    with_line_ends,
)
from pairwright.documents.interlinear.lines import rows_of
from pairwright.documents.lines.alignment import is_glossed
from pairwright.documents.lines.learning import ConventionCounts
from pairwright.documents.lines.profile import depth
from pairwright.languages.conventions import Conventions, usual_conventions

BULLET = re.compile(r"^\s*[-•*–‣·◦]\s+(?=\S)")
# A few words in a line, without a mark: between empty lines and before more text, a heading.
_TITLE = re.compile(r"[^\W\d_](?:[\w ,–-]{0,60}\w)?:?\s*")
CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")


def list_pieces(text: str) -> Iterator[TextPiece]:
    """The entries of an error list in plain text, each with the lines that go on in it; its headings."""
    entry: list[str] = []
    bulleted = False
    lines = ["", *text.split("\n"), ""]
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines[1:], start=1):
        bullet = BULLET.match(line)
        content = BULLET.sub("", line).strip()
        begins = bullet or CODE.match(line) or not content
        if entry and not begins and _goes_on("\n".join(entry), content):
            entry.append(content)
            continue
        if entry:
            yield of_lines("list_item" if bulleted else "paragraph", entry, number - len(entry), joint="\n")
        if _TITLE.fullmatch(line) and number < last and not lines[number - 1].strip() and not lines[number + 1].strip():
            yield heading(content.rstrip(":"), number, 1)
            content = ""
        entry, bulleted = [content] if content else [], bullet is not None


def _goes_on(text: str, following: str) -> bool:
    """Whether a text goes on in the line that follows it: a bracket is open, or no sentence has ended; a numbered
    heading ends with its line unless the next one begins small."""
    ended = text[-1] in ".!?…:)" or (CODE.match(text + " ") is not None and not following[0].islower())
    return text.count("(") > text.count(")") or not ended


def delimited_pieces(text: str) -> Iterator[TextPiece]:
    """A delimited text as one table, cut at the commonest of `; , tab |` in its first line. Raises SourceError."""
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,\t|", key=first.count))
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    yield from _sheet(rows)


def workbook_pieces(path: Path, data: bytes) -> Iterator[TextPiece]:
    """The sheets of a workbook, each as a table. Raises SourceError."""
    for _, rows in groupby(packed_rows(path, data, SourceError), key=lambda row: row.table):
        yield from _sheet((row.number, row.cells) for row in rows)


def _sheet(rows: Iterable[tuple[int, list[str]]]) -> Iterator[TextPiece]:
    """Numbered rows as a table, without those that are empty."""
    kept = {number: cells for number, cells in rows if any(map(str.strip, cells))}
    if kept:
        yield table(kept.values(), min(kept), list(kept))


MAX_TITLE = 90
# The reader of each ending, and the package behind it; None where the standard library is enough. Error lists in plain
# text have their own.
TEXT_READERS: dict[str, tuple[Callable[[str], Iterator[TextPiece]], str | None]] = {
    ".md": (markdown_pieces, "markdown-it-py"),
    ".markdown": (markdown_pieces, "markdown-it-py"),
    ".txt": (partial(markdown_pieces, plain=True), "markdown-it-py"),
    ".html": (html_pieces, "beautifulsoup4"),
    ".htm": (html_pieces, "beautifulsoup4"),
    ".csv": (delimited_pieces, None),
    ".tsv": (delimited_pieces, None),
}

WORKBOOKS = (".xlsx", ".xls", ".ods")


def read_text_document(
    path: Path, name: str, source: Source, max_bytes: int, conventions: Conventions | None = None
) -> Iterator[Block]:
    """The blocks of a document in reading order, with section paths and stable ids.

    path       the file; its ending decides the format
    name       the document's path as the source names it, which the blocks carry
    source     an error list keeps the line ends of its paragraphs; a grammar's examples are read and structured
    max_bytes  the largest size of a text file, and of the text that a packed file holds
    conventions  of a grammar, before what its examples show is added

    `line` counts the lines of a text file, or the blocks of one that Pandoc reads. Raises SourceError for an unknown
    ending and for a file that can't be read, is damaged, protected or too large.
    """
    suffix = path.suffix.lower()
    suffixes = (*TEXT_READERS, *FORMATS, *WORKBOOKS)
    if suffix not in suffixes:
        raise SourceError(f"{path}: no reader for '{suffix}' documents; known: {' '.join(suffixes)}")
    is_list, conventions = source.kind == "error-list", conventions or usual_conventions()
    package: str | None
    # Opened once: the hash is that of the bytes that are read.
    with open_file(path, SourceError) as file:
        sha256 = checked_hash(file, path, name, source)
        if suffix in FORMATS:
            package = "pypandoc-binary"
            pieces = list(pandoc_pieces(path, file, max_bytes, source.encoding))
        elif suffix in WORKBOOKS:
            package = "python-calamine"
            pieces = list(workbook_pieces(path, read_all(file, path, max_bytes, SourceError)))
        else:
            read, package = (list_pieces, None) if suffix == ".txt" and is_list else TEXT_READERS[suffix]
            text = decode_text(path, read_all(file, path, max_bytes, SourceError), source.encoding)
            try:
                pieces = list(read(text))
            except SourceError as fault:
                raise SourceError(f"{path}: {fault}") from None
        if is_list:
            pieces = list(map(with_line_ends, pieces))
        else:
            pieces = [_titled(piece, conventions) for piece in pieces] if suffix == ".txt" else pieces
            conventions = _learned(pieces, conventions)
            pieces = list(with_examples(pieces, conventions))
        reader = f"{package} {package_versions([package])[package]}" if package else "plain-text/1"
        yield from _blocks(pieces, sha256, name, source, reader)


def _titled(piece: TextPiece, conventions: Conventions) -> TextPiece:
    """A line of plain text that stands alone and begins with the number of a heading, as that heading."""
    number = conventions.heading.match(piece.text) if len(piece.lines) == 1 and len(piece.text) <= MAX_TITLE else None
    is_title = piece.kind == "paragraph" and number is not None and piece.text[-1] not in ".,;:"
    return heading(piece.text, piece.line, depth(number)) if number and is_title else piece


def _learned(pieces: Iterable[TextPiece], conventions: Conventions) -> Conventions:
    """The conventions of a document with those that its lines show, as the rows of a book's pages do."""
    counts = ConventionCounts(conventions)
    for piece in pieces:
        rows = rows_of(piece.lines, conventions)
        pairs = enumerate(pairwise(rows))
        counts.add(rows, [at for at, (one, two) in pairs if is_glossed(counts.without_label(one), two)])
    return conventions.with_learned(counts.learned())


def _blocks(pieces: Iterable[TextPiece], sha256: str, name: str, source: Source, reader: str) -> Iterator[Block]:
    """Pieces with ids, which rest on their content.

    Error lists are edited and sent again: an entry keeps its id where it keeps its section and its words. A block of a
    grammar belongs to the file that was read.
    """
    headings: list[tuple[int, str]] = []
    repetitions: Counter[tuple[object, ...]] = Counter()
    for piece in pieces:
        if piece.kind == "heading":
            headings = [(level, title) for level, title in headings if level < (piece.level or 1)]
        section = tuple(title for _, title in headings)
        content: tuple[object, ...] = sha256, 1, piece.kind, piece.text
        if source.kind == "error-list":
            content = source.id, piece.kind, section, piece.text
        repetitions[content] += 1
        yield Block(
            id=content_id("block", *content, repetitions[content]),
            source_id=source.id,
            kind=piece.kind,
            text=piece.text,
            file=name,
            page=1,
            line=piece.line,
            level=piece.level,
            section=section,
            cells=piece.cells,
            row_lines=piece.row_lines,
            emphasis=piece.emphasis,
            header_rows=piece.header_rows,
            gloss=piece.gloss,
            reader=reader,
        )
        if piece.kind == "heading":
            headings.append((piece.level or 1, piece.text))
