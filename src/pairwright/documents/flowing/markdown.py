"""Reads Markdown (CommonMark with tables, footnotes and a front matter)."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from pairwright.core.records import BlockKind
from pairwright.core.text import nfc
from pairwright.documents.flowing.html import html_pieces
from pairwright.documents.flowing.pieces import Inline, TextPiece, heading, of_lines, preformatted, table
from pairwright.documents.lines.glyphs import SUPERSCRIPTS

ATTRIBUTES = re.compile(r"\s*\{[#.][^{}]*\}$")


def markdown_pieces(text: str, *, plain: bool = False) -> Iterator[TextPiece]:
    """The pieces of a Markdown document in its order; HTML inside it is read as HTML. In `plain` text, stars and the
    like are no marks."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.disable(["emphasis", "escape", "backticks", "html_block", "html_inline", "link", "code"] if plain else [])
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    reader = _Reader(text.split("\n"))
    for token in parser.parse(text):
        yield from reader.read(token)


class _Reader:
    """Reads the tokens one by one, and remembers which lists, notes and tables are open."""

    def __init__(self, source: Sequence[str]) -> None:
        self.source = source
        self.rows: list[list[str]] = []
        self.row_lines: list[int] = []
        self.header_rows = 0
        self.lists: list[str] = []
        self.number = ""
        self.note: str | None = None
        self.level = 0

    def read(self, token: Token) -> Iterator[TextPiece]:
        line = (token.map or [0])[0] + 1
        if token.type in {"fence", "code_block"}:
            yield from preformatted(self._kind(), nfc(token.content), line + (token.type == "fence"))
        elif token.type == "html_block":
            yield from html_pieces(token.content, first_line=line)
        elif token.type == "inline" and self.rows:
            self.rows[-1].append(_inline(token).text)
        elif token.type == "inline":
            yield from self._text(token, line)
        elif token.type == "table_close":
            yield from self._table()
            self.rows, self.row_lines = [], []
        else:
            self._enter(token, line)

    def _enter(self, token: Token, line: int) -> None:
        """Follows the tokens that open and close lists, headings, notes and tables."""
        if token.type == "list_item_open":
            self.lists.append(token.info)
            self.number = f"{token.info}. " if token.info else ""
        elif token.type == "list_item_close":
            self.lists.pop()
        elif token.type in {"heading_open", "heading_close"}:
            self.level = int(token.tag[1]) if token.nesting > 0 else 0
        elif token.type == "footnote_reference_open":
            self.note = f"{_mark(str(token.meta['label']))} "
        elif token.type == "footnote_reference_close":
            self.note = None
        elif token.type == "tr_open":
            self.rows.append([])
            self.row_lines.append(line)
        elif token.type == "thead_close":
            self.header_rows = len(self.rows)

    def _table(self) -> Iterator[TextPiece]:
        """A table; the head that Markdown demands is left out where nothing stands in it."""
        empty = self.header_rows > 0 and not any(map(str.strip, self.rows[0]))
        rows, lines = self.rows[empty:], self.row_lines[empty:]
        if rows:
            yield table(rows, lines[0], lines, 0 if empty else self.header_rows)

    def _kind(self) -> BlockKind:
        return "footnote" if self.note is not None else "list_item" if self.lists else "paragraph"

    def _text(self, token: Token, line: int) -> Iterator[TextPiece]:
        inline = _inline(token)
        if self.level:
            title = ATTRIBUTES.sub("", inline.text.strip())
            if title:
                yield heading(title, line, self.level)
            return
        lead = self.number or self.note or ""
        self.number, self.note = "", self.note and ""
        laid = self._laid_out(inline.text.split("\n"), line)
        lines = {number: text for number, text in enumerate(laid, start=line) if text.strip()}
        if not lines:
            return
        first, *others = lines.values()
        joint = "\n" if any(child.type == "hardbreak" for child in token.children or []) else " "
        numbers = list(lines)
        yield of_lines(self._kind(), [lead + first, *others], numbers[0], joint=joint, numbers=numbers, inline=inline)

    def _laid_out(self, texts: list[str], line: int) -> list[str]:
        """Lines of text with the white space before them in the source."""
        laid = []
        for text, raw in zip(texts, self.source[line - 1 :], strict=False):
            indent = raw[: len(raw) - len(raw.lstrip())] if not self.lists and self.note is None else ""
            laid.append(indent + text.lstrip())
        return [*laid, *texts[len(laid) :]]


def _inline(token: Token) -> Inline:
    """The text of a token with its emphasis; small numbers for footnotes, as a page has them."""
    inline = Inline()
    for child in token.children or []:
        breaks = child.type == "html_inline" and re.match(r"<br\b", child.content)
        if child.type in {"softbreak", "hardbreak"} or breaks:
            inline.text += "\n"
        elif child.type in {"em_open", "strong_open"}:
            inline.begin_emphasis()
        elif child.type in {"em_close", "strong_close"}:
            inline.end_emphasis()
        elif child.type == "footnote_ref":
            inline.text += _mark(str(child.meta["label"]))
        elif child.type in {"text", "code_inline"}:
            inline.text += nfc(child.content)
    return inline


def _mark(label: str) -> str:
    return label.translate(SUPERSCRIPTS) if label.isdigit() else f"[{label}]"
