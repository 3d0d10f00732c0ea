"""The door for grammars that have no pages of their own: Markdown, plain text, HTML, DOCX and EPUB become blocks."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.ids import content_id, file_sha256
from pairwright.ingest.text.decode import read_text
from pairwright.ingest.text.docx import docx_pieces
from pairwright.ingest.text.epub import epub_pieces
from pairwright.ingest.text.html.reader import html_pieces
from pairwright.ingest.text.markdown import markdown_pieces
from pairwright.ingest.text.pieces import GrammarPiece, with_examples
from pairwright.ingest.text.plain import plain_pieces
from pairwright.records import Block, Source
from pairwright.store import package_versions

TEXT_READERS: dict[str, Callable[[str], Iterator[GrammarPiece]]] = {
    ".md": markdown_pieces,
    ".markdown": markdown_pieces,
    ".txt": plain_pieces,
    ".html": html_pieces,
    ".htm": html_pieces,
}
PACKED_READERS: dict[str, Callable[[Path, int], Iterator[GrammarPiece]]] = {".docx": docx_pieces, ".epub": epub_pieces}
SUFFIXES = (*TEXT_READERS, *PACKED_READERS)
_PACKAGES = {".md": "markdown-it-py", ".markdown": "markdown-it-py", ".docx": "python-docx", ".txt": ""}


def read_grammar(path: Path, name: str, source: Source, encoding: str, max_bytes: int) -> Iterator[Block]:
    """The blocks of a grammar in reading order, with section paths, structured examples and stable ids.

    path       the file; its ending decides the format
    name       the document's path as the source names it, which the blocks carry
    encoding   of a text file without a byte-order mark
    max_bytes  the largest size of a text file, and of what a DOCX or EPUB file holds unpacked

    `line` counts the lines of a text file, of an EPUB's document, or the paragraphs and tables of a DOCX file. `page`
    is 1, but in an EPUB the number of the document in its spine. Raises SourceError for an unknown ending and for a
    file that can't be read, is damaged, protected or too large.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise SourceError(f"{path}: no reader for '{suffix}' grammars; known: {' '.join(SUFFIXES)}")
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    if suffix in TEXT_READERS:
        pieces = _read_text(path, suffix, encoding, max_bytes)
    else:
        pieces = PACKED_READERS[suffix](path, max_bytes)
    yield from _blocks(with_examples(pieces), file_sha256(path), name, source, _reader(suffix))


def _read_text(path: Path, suffix: str, encoding: str, max_bytes: int) -> Iterator[GrammarPiece]:
    text = read_text(path, encoding=encoding, max_bytes=max_bytes)
    try:
        yield from TEXT_READERS[suffix](text)
    except SourceError as fault:
        raise SourceError(f"{path}: {fault}") from None


def _reader(suffix: str) -> str:
    """The name and version of what reads a format."""
    package = _PACKAGES.get(suffix, "beautifulsoup4")
    return f"{package} {package_versions([package])[package]}" if package else "plain-text/1"


def _blocks(pieces: Iterable[GrammarPiece], sha256: str, name: str, source: Source, reader: str) -> Iterator[Block]:
    path: list[tuple[int, str]] = []
    seen: Counter[tuple[int, str, str]] = Counter()
    for piece in pieces:
        if piece.kind == "heading":
            path = [(level, title) for level, title in path if level < (piece.level or 1)]
        key = piece.page, piece.kind, piece.text
        seen[key] += 1
        yield Block(
            id=content_id("block", sha256, *key, seen[key]),
            source_id=source.id,
            kind=piece.kind,
            text=piece.text,
            file=name,
            page=piece.page,
            line=piece.line,
            level=piece.level,
            section=tuple(title for _, title in path),
            cells=piece.cells,
            row_lines=piece.row_lines,
            emphasis=piece.emphasis,
            header_rows=piece.header_rows,
            gloss=piece.gloss,
            reader=reader,
        )
        if piece.kind == "heading":
            path.append((piece.level or 1, piece.text))
