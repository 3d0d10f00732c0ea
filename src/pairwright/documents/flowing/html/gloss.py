"""Reads elements that mark up a glossed example in lines, as for leipzig.js."""

import re
from collections.abc import Iterable

from bs4 import Tag

from pairwright.documents.flowing.html.inline import attributes, inline_of
from pairwright.documents.flowing.pieces import TextPiece, of_lines
from pairwright.documents.lines.alignment import is_label

NAMES = frozenset({"gloss", "gloss--glossed", "interlinear", "interlinear-gloss", "interlinear-example", "igt"})
# leipzig.js groups words of one column in braces.
UNIT = re.compile(r"\{([^{}]*)\}|(\S+)")


def is_gloss(tag: Tag) -> bool:
    """Whether an element says by its name that it holds a glossed example."""
    return tag.has_attr("data-gloss") or not NAMES.isdisjoint(attributes(tag, "class").split())


def gloss_piece(tag: Tag, line: int) -> TextPiece | None:
    """The glossed example that an element holds, as lines of words in columns; None for an element without lines."""
    texts = _lines(tag)
    tiers = [tuple(unit[2] if unit[1] is None else unit[1].strip() for unit in UNIT.finditer(text)) for text in texts]
    if len(tiers) > 2 and (len(tiers[-1]) != len(tiers[-2]) or not any(map(is_label, tiers[-1]))):
        # The translation is one cell: it corresponds to no other line word by word.
        tiers[-1] = (texts[-1],)
    return of_lines("paragraph", texts, line, marked=True, tiers=tiers) if len(texts) > 1 else None


def _lines(tag: Tag) -> list[str]:
    """The lines of an element: its child elements, or its text cut at `<br>` and line ends."""
    blocks = tag.find_all(["p", "div", "li", "dd"], recursive=False)
    if len(blocks) > 1:
        return [line for block in blocks for line in _squeezed([block])]
    return _squeezed((blocks[0] if blocks else tag).children, keep_space=tag.name == "pre")


def _squeezed(nodes: Iterable[object], *, keep_space: bool = False) -> list[str]:
    return [" ".join(line.split()) for line in inline_of(nodes, keep_space=keep_space).lines]
