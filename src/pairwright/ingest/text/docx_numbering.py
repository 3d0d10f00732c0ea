"""Counts the numbers that a word processor sets before paragraphs; they stand only in the rules of its lists
(ECMA-376, part 1, 17.9)."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph

from pairwright.ingest.examples.numerals import letter_numeral, roman_numeral


class Numbering:
    """Counts the paragraphs of each list in the order in which they are asked for."""

    def __init__(self, document: Document) -> None:
        parts = [rel.target_part for rel in document.part.rels.values() if rel.reltype.endswith("/numbering")]
        root: Any = getattr(parts[0], "element", None) if parts else None
        self.lists: dict[str, str] = {}
        self.levels: dict[tuple[str, int], tuple[int, str, str]] = {}
        self.counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        if root is None:
            return
        for num in root.findall(qn("w:num")):
            self.lists[_value(num, "w:numId")] = _value(num.find(qn("w:abstractNumId")))
        for abstract in root.findall(qn("w:abstractNum")):
            name = _value(abstract, "w:abstractNumId")
            for level in abstract.findall(qn("w:lvl")):
                start = _value(level.find(qn("w:start"))) or "1"
                style = _value(level.find(qn("w:numFmt"))) or "decimal"
                text = _value(level.find(qn("w:lvlText")))
                depth = int(_value(level, "w:ilvl") or 0)
                self.levels[name, depth] = int(start), style, text

    def next(self, paragraph: Paragraph) -> str | None:
        """The number before a paragraph as it is shown; empty for a bullet, None for a paragraph in no list."""
        number_id, depth = _list_of(paragraph)
        name = self.lists.get(number_id or "")
        if name is None or (name, depth) not in self.levels:
            return None
        start, style, text = self.levels[name, depth]
        counts = self.counts[name]
        counts[depth] = counts.get(depth, start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        if style in {"bullet", "none"}:
            return ""
        for level in range(depth + 1):
            first, form, _ = self.levels.get((name, level), (1, "decimal", ""))
            text = text.replace(f"%{level + 1}", _numeral(counts.get(level, first), form))
        return text


def styles_of(paragraph: Paragraph) -> Iterator[Any]:
    """The style of a paragraph and those that it is based on, nearest first; a circle of styles ends."""
    style: Any = paragraph.style
    for _ in range(12):
        if style is not None:
            yield style
            style = style.base_style


def _list_of(paragraph: Paragraph) -> tuple[str | None, int]:
    """The id of the list in which a paragraph stands, by itself or by its style, and how deep in it."""
    depth = None
    for properties in (paragraph._p.pPr, *(style.element.find(qn("w:pPr")) for style in styles_of(paragraph))):
        numbering = properties.find(qn("w:numPr")) if properties is not None else None
        if numbering is None:
            continue
        level = _value(numbering.find(qn("w:ilvl")))
        depth = int(level) if depth is None and level.isdigit() else depth
        number = _value(numbering.find(qn("w:numId")))
        if number:
            return (None if number == "0" else number), depth or 0
    return None, 0


def _value(element: Any, name: str = "w:val") -> str:
    return "" if element is None else str(element.get(qn(name)) or "")


def _numeral(count: int, form: str) -> str:
    text = str(count)
    if form.endswith("Letter") and count > 0:
        text = letter_numeral(count)
    elif form.endswith("Roman") and 0 < count < 4000:
        text = roman_numeral(count)
    return text.upper() if form.startswith("upper") else text
