"""Collects the running text of HTML elements: lines, emphasis, footnote marks, small capitals."""

import re
from collections.abc import Iterable

from bs4 import NavigableString, Tag
from bs4.element import PreformattedString

from pairwright.core.text import nfc
from pairwright.documents.flowing.pieces import Inline
from pairwright.documents.lines.glyphs import SUPERSCRIPTS

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
