"""Markdown, HTML, plain text and CSV documents to blocks, each with its line."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pairwright.errors import SourceError
from pairwright.ids import content_id
from pairwright.records import Block, BlockKind, Source

READER = "text-document/1"
SUFFIXES = (".md", ".markdown", ".txt", ".html", ".htm", ".csv", ".tsv")

_BULLET = re.compile(r"^\s*[-•*–‣·]\s+")
_CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")
_EMPHASIS_TAGS = {"b", "strong", "i", "em", "u", "mark"}
_BLOCK_KINDS: dict[str, BlockKind] = {
    **{f"h{level}": "heading" for level in range(1, 7)},
    "p": "paragraph", "div": "paragraph", "blockquote": "paragraph", "dt": "list_item", "dd": "list_item",
    "section": "paragraph", "article": "paragraph", "main": "paragraph", "body": "paragraph", "pre": "paragraph",
    "ul": "paragraph", "ol": "paragraph", "dl": "paragraph", "figure": "paragraph", "header": "paragraph",
    "footer": "paragraph", "li": "list_item", "caption": "caption", "figcaption": "caption",
}  # fmt: skip


@dataclass
class Piece:
    """A block before it has an id: what the readers of the formats yield."""

    kind: BlockKind
    text: str
    line: int
    level: int | None = None
    cells: tuple[tuple[str, ...], ...] | None = None
    row_lines: tuple[int, ...] = ()
    emphasis: tuple[tuple[int, int], ...] = ()


@dataclass
class Inline:
    """Running text as it is collected, with the spans that are set in bold or italics."""

    text: str = ""
    emphasis: list[tuple[int, int]] = field(default_factory=list)
    open_at: list[int] = field(default_factory=list)

    def begin_emphasis(self) -> None:
        self.open_at.append(len(self.text))

    def end_emphasis(self) -> None:
        start = self.open_at.pop()
        if self.text[start:].strip():
            self.emphasis.append((start, len(self.text)))

    def piece(self, kind: BlockKind, line: int, level: int | None = None) -> Piece | None:
        """The collected text, outer white space cut off; None where there is none."""
        lead = len(self.text) - len(self.text.lstrip())
        text = self.text.strip()
        spans = tuple((max(0, a - lead), min(len(text), b - lead)) for a, b in self.emphasis)
        line += self.text[:lead].count("\n")
        return Piece(kind, text, line, level, emphasis=tuple(s for s in spans if s[0] < s[1])) if text else None


def read_blocks(source: Source, file: str, text: str) -> Iterator[Block]:
    """The blocks of a text document in reading order, with section paths and stable ids.

    `file` is the document's path as the source names it; its ending decides the format. Raises SourceError for an
    ending that is not a text format.
    """
    suffix = Path(file).suffix.lower()
    readers = {".txt": plain_pieces, ".html": html_pieces, ".htm": html_pieces, ".csv": csv_pieces, ".tsv": csv_pieces}
    if suffix not in SUFFIXES:
        raise SourceError(f"{file}: no reader for '{suffix}' documents; known: {' '.join(SUFFIXES)}")
    section: list[tuple[int, str]] = []
    seen: Counter[tuple[object, ...]] = Counter()
    for piece in readers.get(suffix, markdown_pieces)(text):
        if piece.kind == "heading":
            section = [item for item in section if item[0] < (piece.level or 1)]
        path = tuple(title for _, title in section)
        content = (source.id, piece.kind, path, piece.text)
        seen[content] += 1
        yield Block(
            id=content_id("block", *content, seen[content]),
            source_id=source.id,
            kind=piece.kind,
            text=piece.text,
            file=file,
            page=1,
            line=piece.line,
            level=piece.level,
            section=path,
            cells=piece.cells,
            row_lines=piece.row_lines,
            emphasis=piece.emphasis,
            reader=READER,
        )
        if piece.kind == "heading":
            section.append((piece.level or 1, piece.text))


def markdown_pieces(text: str) -> Iterator[Piece]:
    """The pieces of a Markdown document (CommonMark with tables)."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    table: list[list[str]] = []
    lines: list[int] = []
    depth, number = 0, ""
    for index, token in enumerate(tokens):
        if token.type == "list_item_open":
            number = f"{token.info}. " if token.info else ""
        depth += token.nesting if token.type.startswith("list_item") else 0
        if token.type == "tr_open":
            table.append([])
            lines.append((token.map or [0])[0] + 1)
        elif token.type == "table_close":
            yield table_piece(table, lines)
            table, lines = [], []
        elif token.type == "inline" and table:
            table[-1].append(_markdown_inline(token).text.strip())
        elif token.type == "inline":
            piece = _markdown_text(token, tokens[index - 1], number, in_list=depth > 0)
            number = ""
            if piece:
                yield piece


def _markdown_text(token: Token, opener: Token, number: str, *, in_list: bool) -> Piece | None:
    """A heading, list item or paragraph; the number of an ordered list stays before its text."""
    line = (token.map or [0])[0] + 1
    inline = _markdown_inline(token)
    if opener.type == "heading_open":
        return inline.piece("heading", line, int(opener.tag[1]))
    piece = inline.piece("list_item" if in_list else "paragraph", line)
    if piece and number:
        piece.emphasis = tuple((a + len(number), b + len(number)) for a, b in piece.emphasis)
        piece.text = number + piece.text
    return piece


def _markdown_inline(token: Token) -> Inline:
    inline = Inline()
    for child in token.children or []:
        if child.type in ("softbreak", "hardbreak"):
            inline.text += "\n"
        elif child.type in ("em_open", "strong_open"):
            inline.begin_emphasis()
        elif child.type in ("em_close", "strong_close"):
            inline.end_emphasis()
        elif child.type == "html_inline" and re.match(r"<br\b", child.content):
            inline.text += "\n"
        elif child.type in ("text", "code_inline"):
            inline.text += child.content
    return inline


def table_piece(rows: list[list[str]], lines: list[int]) -> Piece:
    """A table of any format as one piece; its text has tabs between cells and a line a row."""
    cells = tuple(tuple(" ".join(cell.split()) for cell in row) for row in rows)
    return Piece("table", "\n".join("\t".join(row) for row in cells), lines[0], cells=cells, row_lines=tuple(lines))


def plain_pieces(text: str) -> Iterator[Piece]:
    """The pieces of a plain text: a line opens a new piece where it is numbered, has a bullet, follows an empty line,
    or the line before it ended a sentence."""
    pending: Piece | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        bullet = _BULLET.match(line)
        content = line[bullet.end() :].strip() if bullet else line.strip()
        begins = bullet or _CODE.match(line) or not content
        if pending is not None and not begins and _is_open(pending.text, content):
            pending.text += "\n" + content
            continue
        if pending is not None:
            yield pending
        pending = Piece("list_item" if bullet else "paragraph", content, number) if content else None
    if pending is not None:
        yield pending


def _is_open(text: str, following: str) -> bool:
    """Whether a text goes on in the line that follows it: a bracket is open, or no sentence has ended; a numbered
    heading ends with its line unless the next one begins small."""
    if text.count("(") > text.count(")"):
        return True
    ended = text[-1] in ".!?…:)" or (_CODE.match(text + " ") is not None and not following[0].islower())
    return not ended


def csv_pieces(text: str) -> Iterator[Piece]:
    """A CSV document as one table; the separator is told from the first line."""
    first = text.split("\n", 1)[0]
    separator = max(";,\t|", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows, lines, line = [], [], 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    yield table_piece(rows, lines)


def html_pieces(text: str) -> Iterator[Piece]:
    """The pieces of an HTML document; scripts, styles and navigation are left out."""
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(["script", "style", "nav", "template", "noscript", "head"]):
        tag.decompose()
    yield from _html_blocks(soup, "paragraph", None)


def _html_blocks(parent: Tag, kind: BlockKind, level: int | None) -> Iterator[Piece]:
    inline, line = Inline(), parent.sourceline or 1
    for node in parent.children:
        if isinstance(node, Tag) and (node.name == "table" or _has_block(node)):
            piece = inline.piece(kind, line, level)
            if piece:
                yield piece
            if node.name == "table":
                yield from _html_table(node)
            else:
                own = int(node.name[1]) if re.fullmatch(r"h[1-6]", node.name) else None
                yield from _html_blocks(node, _BLOCK_KINDS.get(node.name, kind), own)
            inline, line = Inline(), node.sourceline or line
        else:
            if not inline.text.strip() and isinstance(node, Tag):
                line = node.sourceline or line
            _html_inline(node, inline)
    piece = inline.piece(kind, line, level)
    if piece:
        yield piece


def _has_block(tag: Tag) -> bool:
    return tag.name in _BLOCK_KINDS or tag.find([*_BLOCK_KINDS, "table"]) is not None


def _html_inline(node: object, inline: Inline) -> None:
    if isinstance(node, PreformattedString):
        return
    if isinstance(node, NavigableString):
        collapsed = re.sub(r"\s+", " ", str(node))
        inline.text += collapsed.lstrip() if inline.text.endswith((" ", "\n")) or not inline.text else collapsed
    elif isinstance(node, Tag):
        if node.name == "br":
            inline.text += "\n"
            return
        emphasised = node.name in _EMPHASIS_TAGS
        if emphasised:
            inline.begin_emphasis()
        for child in node.children:
            _html_inline(child, inline)
        if emphasised:
            inline.end_emphasis()


def _html_table(table: Tag) -> Iterator[Piece]:
    rows, lines = [], []
    for row in cast(list[Tag], table.find_all("tr")):
        cells = [cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])]
        if any(cells):
            rows.append(cells)
            lines.append(row.sourceline or 1)
    if rows:
        yield table_piece(rows, lines)
