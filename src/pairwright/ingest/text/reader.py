"""Reads documents that have no pages of their own: Markdown, plain text, HTML, CSV, DOCX and EPUB become blocks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.ids import content_id, file_sha256
from pairwright.ingest.text.decode import read_text
from pairwright.ingest.text.delimited import delimited_pieces
from pairwright.ingest.text.docx import docx_pieces
from pairwright.ingest.text.epub import epub_pieces
from pairwright.ingest.text.examples import with_examples
from pairwright.ingest.text.html.reader import html_pieces
from pairwright.ingest.text.markdown import markdown_pieces
from pairwright.ingest.text.pieces import TextPiece, with_line_ends
from pairwright.ingest.text.plain import list_pieces, plain_pieces
from pairwright.records import Block, Source
from pairwright.store import package_versions

TEXT_READERS: dict[str, Callable[[str], Iterator[TextPiece]]] = {
    ".md": markdown_pieces,
    ".markdown": markdown_pieces,
    ".txt": plain_pieces,
    ".html": html_pieces,
    ".htm": html_pieces,
    ".csv": delimited_pieces,
    ".tsv": delimited_pieces,
}
PACKED_READERS: dict[str, Callable[[Path, int], Iterator[TextPiece]]] = {".docx": docx_pieces, ".epub": epub_pieces}
SUFFIXES = (*TEXT_READERS, *PACKED_READERS)
# The package that reads a format; the standard library reads the others.
_PACKAGES = {
    ".md": "markdown-it-py",
    ".markdown": "markdown-it-py",
    ".html": "beautifulsoup4",
    ".htm": "beautifulsoup4",
    ".epub": "beautifulsoup4",
    ".docx": "python-docx",
}


def read_text_document(path: Path, name: str, source: Source, encoding: str, max_bytes: int) -> Iterator[Block]:
    """The blocks of a document in reading order, with section paths and stable ids.

    path       the file; its ending decides the format
    name       the document's path as the source names it, which the blocks carry
    source     an error list keeps the line ends of its paragraphs; a grammar's examples are read and structured
    encoding   of a text file without a byte-order mark
    max_bytes  the largest size of a text file, and of what a DOCX or EPUB file holds unpacked

    `line` counts the lines of a text file, of an EPUB's document, or the paragraphs and tables of a DOCX file. `page`
    is 1, but in an EPUB the number of the document in its spine. Raises SourceError for an unknown ending and for a
    file that can't be read, is damaged, protected or too large.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SourceError(f"{path}: no reader for '{suffix}' documents; known: {' '.join(SUFFIXES)}")
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    is_list = source.kind == "error-list"
    if suffix in PACKED_READERS:
        pieces = PACKED_READERS[suffix](path, max_bytes)
    else:
        read = list_pieces if is_list and suffix == ".txt" else TEXT_READERS[suffix]
        pieces = _text_pieces(read, path, encoding, max_bytes)
    pieces = map(with_line_ends, pieces) if is_list else with_examples(pieces)
    yield from _blocks(pieces, path, name, source)


def _text_pieces(
    read: Callable[[str], Iterator[TextPiece]], path: Path, encoding: str, max_bytes: int
) -> Iterator[TextPiece]:
    text = read_text(path, encoding=encoding, max_bytes=max_bytes)
    try:
        yield from read(text)
    except SourceError as fault:
        raise SourceError(f"{path}: {fault}") from None


def _reader(suffix: str) -> str:
    """The name and version of the package that reads a format."""
    package = _PACKAGES.get(suffix)
    return f"{package} {package_versions([package])[package]}" if package else "plain-text/1"


def _blocks(pieces: Iterable[TextPiece], path: Path, name: str, source: Source) -> Iterator[Block]:
    """Pieces with ids, which rest on their content.

    Error lists are edited and sent again: an entry keeps its id where it keeps its section and its words. A block of a
    grammar belongs to the file that was read.
    """
    sha256 = file_sha256(path)
    reader = _reader(path.suffix.lower())
    headings: list[tuple[int, str]] = []
    repetitions: Counter[tuple[object, ...]] = Counter()
    for piece in pieces:
        if piece.kind == "heading":
            headings = [(level, title) for level, title in headings if level < (piece.level or 1)]
        section = tuple(title for _, title in headings)
        if source.kind == "error-list":
            content: tuple[object, ...] = source.id, piece.kind, section, piece.text
        else:
            content = sha256, piece.page, piece.kind, piece.text
        repetitions[content] += 1
        yield Block(
            id=content_id("block", *content, repetitions[content]),
            source_id=source.id,
            kind=piece.kind,
            text=piece.text,
            file=name,
            page=piece.page,
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
