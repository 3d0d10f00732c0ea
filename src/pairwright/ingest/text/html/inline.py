"""Collects the running text of HTML elements: lines, emphasis, footnote marks, small capitals."""

import re
from collections.abc import Iterable

from bs4 import NavigableString, Tag
from bs4.element import PreformattedString

from pairwright.ingest.page.glyphs import SUPERSCRIPTS
from pairwright.ingest.text.pieces import Inline
from pairwright.text import nfc

EMPHASIS = frozenset({"b", "strong", "i", "em", "u", "mark", "cite", "dfn"})
SMALL_CAPITALS = re.compile(r"small-?caps|^sc$|text-sc", re.IGNORECASE)
BACKLINKS = frozenset({"↩", "↩\ufe0e", "^", "↑", "⏎"})
QUOTES = ("“", "”")


def attribute(tag: Tag, name: str) -> str:
    """An attribute's value in small letters, several values with spaces between them; empty where there is none."""
    value = tag.get(name)
    return (" ".join(value) if isinstance(value, list) else value or "").lower()


def inline_of(nodes: Iterable[object], *, keep_space: bool = False) -> Inline:
    """The text of nodes; `<br>` and, with `keep_space`, line ends of the source become line ends."""
    inline = Inline()
    for node in nodes:
        _add(node, inline, keep_space, small=False)
    return inline


def lines_of(nodes: Iterable[object], *, keep_space: bool = False) -> list[str]:
    """The lines of nodes that are not empty, their white space as the browser shows it."""
    return inline_of(nodes, keep_space=keep_space).lines


def _add(node: object, inline: Inline, keep_space: bool, small: bool) -> None:
    if isinstance(node, PreformattedString):
        return
    if isinstance(node, NavigableString):
        _add_text(str(node), inline, keep_space, small)
        return
    if not isinstance(node, Tag):
        return
    if node.name == "br":
        inline.text = inline.text.rstrip(" ") + "\n"
    elif node.name == "a" and is_backlink(node):
        return
    elif (node.name == "sup" or is_note_reference(node)) and node.get_text(strip=True).isdigit():
        inline.text = inline.text + node.get_text(strip=True).translate(SUPERSCRIPTS)
    else:
        _add_element(node, inline, keep_space, small or _has_small_capitals(node))


def _add_text(text: str, inline: Inline, keep_space: bool, small: bool) -> None:
    shown = text if keep_space else re.sub(r"[ \t\n\r\f]+", " ", text)
    if not keep_space and (not inline.text or inline.text[-1] in " \n"):
        shown = shown.lstrip(" ")
    inline.text += nfc(shown.upper() if small else shown).replace("\u00ad", "")


def _add_element(node: Tag, inline: Inline, keep_space: bool, small: bool) -> None:
    emphasised = node.name in EMPHASIS
    quoted = node.name == "q"
    if emphasised:
        inline.begin_emphasis()
    inline.text += QUOTES[0] if quoted else ""
    for child in node.children:
        _add(child, inline, keep_space, small)
    inline.text += QUOTES[1] if quoted else ""
    if emphasised:
        inline.end_emphasis()


def _has_small_capitals(tag: Tag) -> bool:
    return any(SMALL_CAPITALS.search(name) for name in attribute(tag, "class").split()) or bool(
        re.search(r"font-variant(?:-caps)?\s*:[^;]*small-caps", attribute(tag, "style"))
    )


def is_note_reference(tag: Tag) -> bool:
    """Whether an element is the mark in the text that points to a footnote."""
    kind = f"{attribute(tag, 'epub:type')} {attribute(tag, 'role')} {attribute(tag, 'class')}"
    return tag.name == "a" and re.search(r"\bnoteref\b|\bdoc-noteref\b|\bfootnote-ref\b", kind) is not None


def is_backlink(tag: Tag) -> bool:
    """Whether a link leads from a footnote back to the text."""
    kind = f"{attribute(tag, 'epub:type')} {attribute(tag, 'role')} {attribute(tag, 'class')}"
    named = re.search(r"\bbacklink\b|\bdoc-backlink\b|\bfootnote-back(?:ref)?\b", kind) is not None
    return named or tag.get_text(strip=True) in BACKLINKS
