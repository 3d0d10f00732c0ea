"""Reads elements that mark up a glossed example, in lines (as for leipzig.js) or in columns of words (as in wikis)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bs4 import NavigableString, Tag

from pairwright.ingest.examples.finder import FoundExample
from pairwright.ingest.examples.text_examples import begins_example, find_in_lines, read_set_lines
from pairwright.ingest.examples.text_setting import SetLine, quoted
from pairwright.ingest.page.alignment import CATEGORY
from pairwright.ingest.text.html.inline import attributes, inline_of

NAMES = frozenset({"gloss", "gloss--glossed", "interlinear", "interlinear-gloss", "interlinear-example", "igt"})
# leipzig.js groups words of one column in braces.
UNIT = re.compile(r"\{([^{}]*)\}|(\S+)")
MAX_WORDS = 400
# Stands for a word that has no gloss, so that the others keep their columns.
EMPTY = "–"


def is_gloss(tag: Tag) -> bool:
    """Whether an element says by its name that it holds a glossed example."""
    return tag.has_attr("data-gloss") or not NAMES.isdisjoint(attributes(tag, "class").split())


def read_gloss(tag: Tag) -> FoundExample | None:
    """The glossed example that an element holds, None where its lines do not correspond word by word."""
    words = _words(tag)
    if words:
        return _read_columns(tag, words)
    lines = _lines(tag)
    if lines and begins_example(lines[0]):
        found = find_in_lines(lines, apart=True, marked=True)
        return found if found and found.interlinear and found.n_rows == len(lines) else None
    units = ((match[2] if match[1] is None else match[1].strip() for match in UNIT.finditer(line)) for line in lines)
    return _glossed(_set_lines(map(tuple, units)), lines)


def _lines(tag: Tag) -> list[str]:
    """The lines of an element: its child elements, or its text cut at `<br>` and line ends."""
    blocks = tag.find_all(["p", "div", "li", "dd"], recursive=False)
    if len(blocks) > 1:
        return [line for block in blocks for line in _squeezed([block])]
    return _squeezed((blocks[0] if blocks else tag).children, keep_space=tag.name == "pre")


def _squeezed(nodes: Iterable[object], *, keep_space: bool = False) -> list[str]:
    return [" ".join(line.split()) for line in inline_of(nodes, keep_space=keep_space).lines]


def _set_lines(lines: Iterable[tuple[str, ...]]) -> list[SetLine]:
    """Lines of words with their groups; the last one is the translation where it corresponds to no other."""
    grouped: list[SetLine] = []
    group = 0
    for words in lines:
        line = SetLine(words=words)
        if grouped and words and len(grouped[-1].words) == len(words) and not line.is_quoted:
            grouped[-1:] = replace(grouped[-1], group=group), replace(line, group=group)
        else:
            group += 1
            grouped.append(line)
    if len(grouped) > 2:
        last = grouped[-1]
        if last.group is None or not any(CATEGORY.search(word) or "-" in word for word in last.words):
            grouped[-1] = quoted(replace(last, group=None))
    return grouped


def _glossed(lines: Sequence[SetLine], texts: Sequence[str]) -> FoundExample | None:
    found = read_set_lines([line for line in lines if line.words], "\n".join(texts))
    return found if found is not None and found.interlinear else None


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


def _read_columns(tag: Tag, words: Sequence[Tag]) -> FoundExample | None:
    """The example of columns of words, with the lines before them and, as its translation, the line after them."""
    rows = [tuple(cell or EMPTY for cell in row) for row in zip(*map(_tiers, words), strict=True)]
    before, after = _around(tag, {id(word) for word in words})
    heads = [SetLine(words=tuple(line.split())) for line in before]
    heads = [replace(line, group=0) if len(line.words) == len(words) else line for line in heads]
    tail = [SetLine(words=tuple(line.split())) for line in after]
    lines = [*heads, *(SetLine(words=row, group=0) for row in rows), *map(quoted, tail[:1]), *tail[1:]]
    return _glossed(lines, [*before, *map(" ".join, rows), *after])


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
