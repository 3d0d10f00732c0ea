"""Reads HTML and Markdown (CommonMark with tables, footnotes and a front matter).

Scripts, styles, forms and navigation are left out, links are not followed. HTML inside Markdown is read as HTML.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from pairwright.core.errors import SourceError
from pairwright.core.records import BlockKind
from pairwright.core.text import nfc
from pairwright.documents.flowing.pieces import MAX_CELLS, Inline, TextPiece, heading, of_lines, preformatted, table
from pairwright.documents.interlinear.lines import ROMAN
from pairwright.documents.lines.data import SUPERSCRIPTS

ENDS_PARAGRAPH = frozenset({
    "address", "article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset", "figcaption", "figure",
    "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section",
    "table", "ul",
})  # fmt: skip
_CELLS, _GROUPS = frozenset({"td", "th"}), frozenset({"thead", "tbody", "tfoot"})
# What an element closes where it is open, and the elements beyond which nothing is closed (HTML standard, 13.1.2.4).
_IMPLIED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    **dict.fromkeys(
        ENDS_PARAGRAPH, (frozenset({"p"}), frozenset({"table", "td", "th", "caption", "button", "object"}))
    ),
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "table"})),
    **dict.fromkeys(("dt", "dd"), (frozenset({"dt", "dd"}), frozenset({"dl", "table"}))),
    **dict.fromkeys(_CELLS, (_CELLS, frozenset({"table", "tr"}))),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    **dict.fromkeys(_GROUPS, (_GROUPS, frozenset({"table"}))),
}
_DECLARATION = re.compile(r"^\s*<\?xml\b[^>]*>")
MAX_DEPTH = 1_000
# No open element is looked for further up than this.
_REACH = 40


class _Soup(BeautifulSoup):
    """A tree in which a new paragraph, list item, row or cell ends the one before it."""

    def handle_starttag(self, name: str, *positional: Any, **named: Any) -> Any:
        if len(self.tagStack) > MAX_DEPTH:
            raise SourceError(f"line {self.currentTag.sourceline}: elements are nested too deeply; simplify the HTML")
        ends, bounds = _IMPLIED.get(name, (frozenset(), frozenset()))
        for tag in reversed(self.tagStack[-_REACH:] if ends else ()):
            if tag.name in ends:
                self.handle_endtag(tag.name)
                break
            if tag.name in bounds:
                break
        return super().handle_starttag(name, *positional, **named)


EMPHASIS = frozenset({"b", "strong", "i", "em", "u", "mark", "cite", "dfn"})
SMALL_CAPITALS = re.compile(r"small-?caps|^sc$|text-sc", re.IGNORECASE)
BACKLINKS = frozenset({"↩", "↩\ufe0e", "^", "↑", "⏎"})


def attributes(tag: Tag, *names: str) -> str:
    """The values of attributes in small letters with spaces between them; by default of all that name a role."""
    values = [tag.get(name) or "" for name in names or ("epub:type", "role", "class")]
    return " ".join(" ".join(value) if isinstance(value, list) else value for value in values).lower()


def inline_of(nodes: Iterable[object], *, keep_space: bool = False) -> Inline:
    """The text of nodes; `<br>` and, with `keep_space`, line ends of the source become line ends."""
    inline = Inline()
    for node in nodes:
        _add(node, inline, keep_space, small=False)
    return inline


def _add(node: object, inline: Inline, keep_space: bool, small: bool) -> None:
    if isinstance(node, NavigableString) and not isinstance(node, PreformattedString):
        text = node if keep_space else re.sub(r"[ \t\n\r\f]+", " ", node)
        if not keep_space and (not inline.text or inline.text[-1] in " \n"):
            text = text.lstrip(" ")
        inline.text += nfc(text.upper() if small else text).replace("\u00ad", "")
    elif not isinstance(node, Tag) or (node.name == "a" and is_backlink(node)):
        return
    elif node.name == "br":
        inline.text = inline.text.rstrip(" ") + "\n"
    elif (node.name == "sup" or is_note_reference(node)) and node.get_text(strip=True).isdigit():
        inline.text += node.get_text(strip=True).translate(SUPERSCRIPTS)
    else:
        styled = re.search(r"font-variant(?:-caps)?\s*:[^;]*small-caps", attributes(node, "style")) is not None
        small = small or styled or any(map(SMALL_CAPITALS.search, attributes(node, "class").split()))
        if node.name in EMPHASIS:
            inline.begin_emphasis()
        inline.text += "“" if node.name == "q" else ""
        for child in node.children:
            _add(child, inline, keep_space, small)
        inline.text += "”" if node.name == "q" else ""
        if node.name in EMPHASIS:
            inline.end_emphasis()


def is_note_reference(tag: Tag) -> bool:
    """Whether an element is the mark in the text that points to a footnote."""
    return tag.name == "a" and re.search(r"\b(?:noteref|doc-noteref|footnote-ref)\b", attributes(tag)) is not None


def is_backlink(tag: Tag) -> bool:
    """Whether a link leads from a footnote back to the text."""
    named = re.search(r"\b(?:backlink|doc-backlink|footnote-back(?:ref)?)\b", attributes(tag))
    return named is not None or tag.get_text(strip=True) in BACKLINKS


def read_table(element: Tag, first_line: int) -> TextPiece | None:
    """The table that an element holds, None where it is empty.

    A merged cell's text stands in its first place. Raises SourceError for a table that spans claim to be huge.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    head: list[bool] = []
    below: dict[int, int] = {}
    width, inline = 0, Inline()
    for row in own_rows(element):
        cells = row.find_all(["td", "th"], recursive=False)
        placed, below = _placed(cells, below, inline)
        line = first_line + (row.sourceline or 1) - 1
        width = max(width, len(placed))
        if width * (len(rows) + 1) > MAX_CELLS:
            raise SourceError(f"line {line}: a table with more than {MAX_CELLS:,} cells; correct its colspan")
        if any(placed):
            rows.append(placed)
            lines.append(line)
            in_head = row.parent is not None and row.parent.name == "thead"
            head.append(in_head or (bool(cells) and all(cell.name == "th" for cell in cells)))
    if not rows:
        return None
    header_rows = head.index(False) if False in head else 0
    return table([row + [""] * (width - len(row)) for row in rows], lines, header_rows, inline)


def own_rows(table: Tag) -> list[Tag]:
    """The rows of a table without those of the tables in its cells."""
    parts = table.find_all(["tr", "thead", "tbody", "tfoot"], recursive=False)
    return [row for part in parts for row in ([part] if part.name == "tr" else part.find_all("tr", recursive=False))]


def _placed(cells: Sequence[Tag], below: dict[int, int], inline: Inline) -> tuple[list[str], dict[int, int]]:
    """The cells of a row in their columns, and for how many more rows merged cells fill which columns.

    `inline` takes up their texts.
    """
    row: list[str] = []
    left = {column: count - 1 for column, count in below.items() if count > 1}
    for cell in cells:
        while len(row) in below:
            row.append("")
        across, down = _span(cell, "colspan", 1_000), _span(cell, "rowspan", 65_534)
        if down > 1:
            left |= dict.fromkeys(range(len(row), len(row) + across), down - 1)
        # Paragraphs in a cell have spaces between them.
        parts = cell.children if cell.find(["p", "div", "li", "pre"], recursive=False) else [cell]
        texts = [inline_of([part]) for part in parts]
        row += [" ".join(each.text for each in texts), *([""] * (across - 1))]
        for each in texts:
            inline.add(each)
        # The table is refused, and the rest of the row would only cost memory.
        if len(row) > MAX_CELLS:
            break
    while len(row) in below:
        row.append("")
    return row, left


def _span(cell: Tag, name: str, most: int) -> int:
    """The columns or rows that a cell fills, at most as many as HTML allows."""
    return min(max(_whole(cell.get(name), 1), 1), most)


SILENT = ["script", "style", "nav", "template", "noscript", "head", "svg", "iframe", "object", "button"]
BLOCKS = ENDS_PARAGRAPH | {"body", "caption", "dd", "dt", "html", "li", "summary"}
NOTE = re.compile(r"\b(?:doc-)?(?:footnote|endnote|rearnote)\b(?!-)")
NOTES = re.compile(r"\b(?:doc-)?(?:footnotes|endnotes|rearnotes)\b")
NOTE_MARK = re.compile(r"^(?:\[?\d{1,4}[\].)]?|[*†‡§⁰¹²³⁴-⁹]+)(?:\s|$)")


@dataclass(frozen=True)
class _Around:
    """The context of an element: the kind of its text, and whether it holds notes."""

    kind: BlockKind = "paragraph"
    level: int | None = None
    notes: bool = False


def html_pieces(text: str, first_line: int = 1) -> Iterator[TextPiece]:
    """The pieces of an HTML text that begins on `first_line`. Raises SourceError for elements nested too deeply."""
    # An XML declaration, or a text without a line end, makes the parser warn that it was given something else. Entities
    # that a document declares itself are not expanded.
    soup = _Soup(_DECLARATION.sub("", text) + "\n", "html.parser")
    for tag in soup(SILENT):
        tag.decompose()
    reader = _Reader(soup, first_line)
    try:
        yield from reader.read(soup, _Around())
    except RecursionError:
        raise SourceError(f"line {reader.line}: elements are nested too deeply; simplify the HTML") from None


class _Reader:
    """Walks through the elements. `lead` waits for the next text: the number of a list item or the mark of a note."""

    def __init__(self, soup: BeautifulSoup, first_line: int) -> None:
        self.first_line = first_line
        self.line = first_line
        self.lead = ""
        self.marks: dict[str, str] = {}
        for link in soup.find_all("a", href=re.compile("#")):
            text = link.get_text(strip=True)
            if 0 < len(text) < 5 and not is_backlink(link):
                self.marks.setdefault(str(link["href"]).partition("#")[2], text.strip("[]()"))

    def read(self, parent: Tag, around: _Around) -> Iterator[TextPiece]:
        """The pieces of an element's children; text between block elements is a paragraph."""
        loose: list[object] = []
        for node in parent.children:
            if isinstance(node, Tag) and _is_block(node):
                yield from self._text(loose, parent, around)
                loose = []
                yield from self._block(node, around)
            else:
                loose.append(node)
        yield from self._text(loose, parent, around)

    def _line_of(self, tag: Tag) -> int:
        return self.first_line + (tag.sourceline or 1) - 1

    def _block(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        self.line, names, inside = self._line_of(tag), attributes(tag), around
        if tag.name == "table":
            yield from self._table(tag, around)
            return
        if tag.name == "pre":
            yield from preformatted(around.kind, inline_of(tag.children, keep_space=True).text, self.line)
            return
        if tag.name in {"ol", "ul"}:
            yield from self._list(tag, around)
            return
        if re.fullmatch(r"h[1-6]", tag.name):
            inside = replace(around, kind="heading", level=int(tag.name[1]))
        elif NOTES.search(names):
            inside = replace(around, notes=True)
        elif NOTE.search(names) or (around.notes and tag.name in {"p", "dd"}):
            mark = self.marks.get(str(tag.get("id") or ""), "")
            # A note that does not begin with its mark takes that of the link that points to it.
            if mark and around.kind != "footnote" and not NOTE_MARK.match(tag.get_text(" ", strip=True)):
                self.lead = f"{mark.translate(SUPERSCRIPTS)} "
            inside = replace(around, kind="footnote", level=None)
        elif tag.name in {"caption", "figcaption"}:
            inside = replace(around, kind="caption")
        elif tag.name in {"dt", "dd"}:
            inside = replace(around, kind="list_item")
        yield from self.read(tag, inside)

    def _list(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        notes = around.notes or NOTES.search(attributes(tag)) is not None
        count = _whole(tag.get("start"), 1)
        for item in tag.find_all(True, recursive=False):
            count = _whole(item.get("value"), count)
            number = _numeral(count, str(tag.get("type") or "")) if tag.name == "ol" else ""
            count += 1
            self.line = self._line_of(item)
            if notes or NOTE.search(attributes(item, "epub:type", "role")):
                self.lead = f"{number.translate(SUPERSCRIPTS)} " if number else ""
                yield from self.read(item, replace(around, kind="footnote", level=None))
                continue
            self.lead = f"{number}. " if number else ""
            yield from self._block(item, replace(around, kind="list_item", level=None))
            self.lead = ""

    def _table(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        for caption in tag.find_all("caption", recursive=False):
            yield from self.read(caption, replace(around, kind="caption"))
        cells = [cell for row in own_rows(tag) for cell in row.find_all(["td", "th"], recursive=False)]
        if any(cell.find("table") for cell in cells):
            for cell in cells:
                yield from self.read(cell, around)
            return
        piece = read_table(tag, self.first_line)
        if piece is not None:
            yield piece

    def _text(self, nodes: list[object], parent: Tag, around: _Around) -> Iterator[TextPiece]:
        inline = inline_of(nodes)
        if not inline.lines:
            return
        line = self._first_line(nodes, parent)
        if around.kind == "heading":
            yield heading(inline.text, line, around.level)
            return
        first, *others = inline.lines
        lines, self.lead = [self.lead + first, *others], ""
        yield of_lines(around.kind, lines, line, numbers=(), inline=inline)

    def _first_line(self, nodes: list[object], parent: Tag) -> int:
        """The line of the first word: that of the element that holds it, or of the block before it."""
        line = self._line_of(parent)
        for node in nodes:
            if isinstance(node, Tag):
                return self._line_of(node) if node.get_text(strip=True) else line
            if isinstance(node, NavigableString) and not isinstance(node, PreformattedString) and node.strip():
                return max(line, self.line)
        return line


def _is_block(tag: Tag) -> bool:
    return tag.name in BLOCKS or (not is_note_reference(tag) and tag.find(list(BLOCKS)) is not None)


def _whole(value: object, otherwise: int) -> int:
    text = str(value).strip()
    return int(text) if re.fullmatch(r"[0-9]{1,8}", text) else otherwise


def _numeral(count: int, style: str) -> str:
    """The number of a list item as its list writes it."""
    text = str(count)
    if style.lower() == "a" and 0 < count < 27:
        text = chr(ord("a") + count - 1)
    elif style.lower() == "i" and 0 < count <= len(ROMAN):
        text = ROMAN[count - 1]
    return text.upper() if style.isupper() else text


_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z]+)\b")
ATTRIBUTES = re.compile(r"\s*\{[#.][^{}]*\}$")


def markdown_pieces(text: str, *, plain: bool = False) -> Iterator[TextPiece]:
    """The pieces of a Markdown document in its order; HTML inside it is read as HTML. In `plain` text, stars and the
    like are no marks."""
    parser = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
    parser.disable(["emphasis", "escape", "backticks", "html_block", "html_inline", "link", "code"] if plain else [])
    parser.use(footnote_plugin, inline=False, move_to_end=False)
    reader = _MarkdownReader(text.split("\n"))
    for token in parser.parse(text):
        yield from reader.read(token)


class _MarkdownReader:
    """Reads the tokens one by one, and remembers which lists, notes and tables are open."""

    def __init__(self, source: Sequence[str]) -> None:
        self.source = source
        self.rows: list[list[str]] = []
        self.row_lines: list[int] = []
        self.header_rows, self.cells = 0, Inline()
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
            self.rows[-1].append((cell := _inline(token)).text)
            self.cells.add(cell)
        elif token.type == "inline":
            yield from self._text(token, line)
        elif token.type == "table_close":
            yield from self._table()
            self.rows, self.row_lines, self.cells = [], [], Inline()
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
            yield table(rows, lines, 0 if empty else self.header_rows, self.cells)

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
        tag = _TAG.match(child.content) if child.type == "html_inline" else None
        opens, closes = child.type in {"em_open", "strong_open"}, child.type in {"em_close", "strong_close"}
        if tag and tag["name"].lower() in EMPHASIS:
            opens, closes = not tag["end"], bool(tag["end"])
        if child.type in {"softbreak", "hardbreak"} or (tag and tag["name"].lower() == "br"):
            inline.text += "\n"
        elif opens:
            inline.begin_emphasis()
        elif closes:
            inline.end_emphasis()
        elif child.type == "footnote_ref":
            inline.text += _mark(str(child.meta["label"]))
        elif child.type in {"text", "code_inline"}:
            inline.text += nfc(child.content)
    return inline


def _mark(label: str) -> str:
    return label.translate(SUPERSCRIPTS) if label.isdigit() else f"[{label}]"
