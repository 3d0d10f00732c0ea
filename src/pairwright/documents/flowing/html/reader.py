"""Reads HTML and XHTML; scripts, styles, forms and navigation are left out, links are not followed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString

from pairwright.core.errors import SourceError
from pairwright.core.records import BlockKind
from pairwright.documents.flowing.html.gloss import gloss_piece, is_gloss
from pairwright.documents.flowing.html.inline import attributes, inline_of, is_backlink, is_note_reference
from pairwright.documents.flowing.html.parse import ENDS_PARAGRAPH, parse_html
from pairwright.documents.flowing.html.table import own_rows, read_table
from pairwright.documents.flowing.pieces import TextPiece, heading, of_lines, preformatted
from pairwright.documents.interlinear.finder import letter_numeral, roman_numeral
from pairwright.documents.lines.glyphs import SUPERSCRIPTS

SILENT = ["script", "style", "nav", "template", "noscript", "head", "svg", "iframe", "object", "button"]
BLOCKS = ENDS_PARAGRAPH | {"body", "caption", "dd", "dt", "html", "li", "summary"}
NOTE = re.compile(r"\b(?:doc-)?(?:footnote|endnote|rearnote)\b(?!-)")
NOTES = re.compile(r"\b(?:doc-)?(?:footnotes|endnotes|rearnotes)\b")
EXAMPLES = re.compile(r"\b(?:linguistic-)?examples?\b")
NOTE_MARK = re.compile(r"^(?:\[?\d{1,4}[\].)]?|[*†‡§⁰¹²³⁴-⁹]+)(?:\s|$)")


@dataclass(frozen=True)
class _Around:
    """The context of an element: the kind of its text, whether it is called an example, whether it holds notes."""

    kind: BlockKind = "paragraph"
    level: int | None = None
    marked: bool = False
    notes: bool = False


def html_pieces(text: str, first_line: int = 1) -> Iterator[TextPiece]:
    """The pieces of an HTML text that begins on `first_line`. Raises SourceError for elements nested too deeply."""
    soup = parse_html(text)
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
        self.line = self._line_of(tag)
        example = self._gloss(tag)
        if example is not None:
            yield example
        elif tag.name == "table":
            yield from self._table(tag, around)
        elif tag.name == "pre":
            text = inline_of(tag.children, keep_space=True).text
            yield from preformatted(around.kind, text, self.line)
        elif tag.name in {"ol", "ul"}:
            yield from self._list(tag, around)
        else:
            yield from self._container(tag, around)

    def _gloss(self, tag: Tag) -> TextPiece | None:
        """The glossed example that an element holds, which takes the number that waits."""
        piece = gloss_piece(tag, self.line) if is_gloss(tag) else None
        number = self._take_lead().strip() if piece else ""
        return replace(piece, number=number) if piece and number else piece

    def _container(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        names = attributes(tag)
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
        else:
            inside = replace(around, marked=around.marked or EXAMPLES.search(names) is not None)
        yield from self.read(tag, inside)

    def _list(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        examples = EXAMPLES.search(attributes(tag)) is not None or (around.marked and tag.name == "ol")
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
            self.lead = "" if not number else f"({number}) " if examples and number.isdigit() else f"{number}. "
            kind: BlockKind = "paragraph" if examples else "list_item"
            example = self._gloss(item)
            if example is not None:
                yield example
            else:
                yield from self.read(item, replace(around, kind=kind, level=None, marked=around.marked or examples))
            self.lead = ""

    def _take_lead(self) -> str:
        lead, self.lead = self.lead, ""
        return lead

    def _table(self, tag: Tag, around: _Around) -> Iterator[TextPiece]:
        for caption in tag.find_all("caption", recursive=False):
            yield from self.read(caption, replace(around, kind="caption"))
        cells = [cell for row in own_rows(tag) for cell in row.find_all(["td", "th"], recursive=False)]
        if any(cell.find("table") for cell in cells):
            for cell in cells:
                yield from self.read(cell, around)
            return
        marked = around.marked or EXAMPLES.search(attributes(tag, "class")) is not None or is_gloss(tag)
        piece = read_table(tag, self.first_line, marked=marked)
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
        lines = [self._take_lead() + first, *others]
        yield of_lines(around.kind, lines, line, joint="\n", numbers=(), inline=inline, marked=around.marked)

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
    return tag.name in BLOCKS or is_gloss(tag) or (not is_note_reference(tag) and tag.find(list(BLOCKS)) is not None)


def _whole(value: object, otherwise: int) -> int:
    text = str(value) if value is not None else ""
    return int(text) if re.fullmatch(r"\d{1,6}", text) else otherwise


def _numeral(count: int, style: str) -> str:
    """The number of a list item as its list writes it."""
    text = str(count)
    if style.lower() == "a" and 0 < count < 27:
        text = letter_numeral(count)
    elif style.lower() == "i" and 0 < count < 4000:
        text = roman_numeral(count)
    return text.upper() if style.isupper() else text
