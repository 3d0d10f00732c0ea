"""Parses HTML into a tree with the line of each element, closing elements whose end tags may be left out."""

import re
from typing import Any

from bs4 import BeautifulSoup

from pairwright.core.errors import SourceError

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


def parse_html(text: str) -> BeautifulSoup:
    """The tree of an HTML or XHTML text. Entities that a document declares itself are not expanded."""
    # An XML declaration, or a text without a line end, makes the parser warn that it was given something else.
    return _Soup(_DECLARATION.sub("", text) + "\n", "html.parser")
