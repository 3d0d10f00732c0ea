"""Reads elements that mark up a glossed example, in lines (as for leipzig.js) or in columns of words (as in wikis)."""

import re
from collections.abc import Iterable, Sequence

from bs4 import NavigableString, Tag

from pairwright.documents.flowing.html.inline import attributes, inline_of
from pairwright.documents.flowing.pieces import TextPiece, of_lines
from pairwright.documents.lines.alignment import is_label

NAMES = frozenset({"gloss", "gloss--glossed", "interlinear", "interlinear-gloss", "interlinear-example", "igt"})
# leipzig.js groups words of one column in braces.
UNIT = re.compile(r"\{([^{}]*)\}|(\S+)")
MAX_WORDS = 400
# Stands for a word that has no gloss, so that the others keep their columns.
EMPTY = "–"


def is_gloss(tag: Tag) -> bool:
    """Whether an element says by its name that it holds a glossed example."""
    return tag.has_attr("data-gloss") or not NAMES.isdisjoint(attributes(tag, "class").split())


def gloss_piece(tag: Tag, line: int) -> TextPiece | None:
    """The glossed example that an element holds, as lines of words in columns; None for an element without lines."""
    words = _words(tag)
    if words:
        tiers, texts = _columns(tag, words)
    else:
        texts = _lines(tag)
        tiers = [
            tuple(unit[2] if unit[1] is None else unit[1].strip() for unit in UNIT.finditer(text)) for text in texts
        ]
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


def _words(tag: Tag) -> Sequence[Tag]:
    """The elements that each hold a word over its glosses: two or more, with as many lines each."""
    words: Sequence[Tag] = tag.find_all(class_=re.compile(r"gloss__word$|^(?:gloss-)?word$"), limit=MAX_WORDS)
    if len(words) < 2:
        words = [child for child in tag.find_all(True, recursive=False) if len(_tiers(child)) > 1]
    sizes = {len(_tiers(word)) for word in words}
    return words if len(words) > 1 and len(sizes) == 1 and min(sizes) > 1 else []


def _tiers(word: Tag) -> list[str]:
    """The lines of one word's column; an empty one stays, so that the lines below keep their place."""
    parts = word.find_all(["p", "span", "div"], recursive=False)
    if any(isinstance(child, NavigableString) and child.strip() for child in word.children) or len(parts) < 2:
        return _squeezed(word.children)
    return [" ".join(_squeezed([part])) for part in parts]


def _columns(tag: Tag, words: Sequence[Tag]) -> tuple[list[tuple[str, ...]], list[str]]:
    """Columns of words with the lines before them and after them, as lines of words and as texts."""
    rows = [tuple(cell or EMPTY for cell in row) for row in zip(*map(_tiers, words), strict=True)]
    before, after = _around(tag, {id(word) for word in words})
    tiers = [*(tuple(line.split()) for line in before), *rows, *((line,) for line in after)]
    return tiers, [*before, *map(" ".join, rows), *after]


def _around(tag: Tag, words: set[int]) -> tuple[list[str], list[str]]:
    """The lines of text before the words and after them."""
    before: list[str] = []
    after: list[str] = []
    seen = False
    for child in tag.children:
        if id(child) in words:
            seen = True
        elif isinstance(child, Tag) and any(id(inner) in words for inner in child.descendants):
            inner_before, inner_after = _around(child, words)
            before += inner_before
            after += inner_after
            seen = True
        else:
            (after if seen else before).extend(_squeezed([child]))
    return before, after
