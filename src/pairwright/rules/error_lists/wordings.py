"""Error lists that give whole wordings: `*wrong → right`, `✗ wrong ✓ right`, or a table with two columns."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.ids import content_id
from pairwright.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.rules import rejection
from pairwright.rules.error_lists.brackets import UnbalancedError, split_top
from pairwright.rules.error_lists.notation import Notation, any_of
from pairwright.text import changes, squeeze


@dataclass(frozen=True)
class Wording:
    """A wrong wording with its right ones and their place. `code` and `rule` are empty where the list gives none."""

    bad: str
    good: tuple[str, ...]
    block: Block
    line: int | None
    quote: str
    code: str = ""
    rule: str = ""
    note: str = ""

    def examples(self) -> Iterator[Example]:
        """A pair for each right wording; the first is the default."""
        for place, good in enumerate(self.good):
            yield Example(
                good=good,
                bad=self.bad,
                changes=changes(good, self.bad),
                alternatives=tuple(other for other in self.good if other != good),
                default=place == 0,
                note=self.note or None,
                evidence=Evidence.at(self.block, self.quote, self.line),
            )


class _MarkedWording(NamedTuple):
    """A wrong or right wording that waits for its other half."""

    is_wrong: bool
    text: str
    block: Block
    line: int | None


def wordings(blocks: Iterable[Block], notation: Notation) -> Iterator[Wording | Rejection]:
    """The wordings of a list in order; one that lacks its other half is a Rejection."""
    if notation.layout == "columns":
        for block in blocks:
            yield from table_wordings(block, notation)
    else:
        yield from _MarkReader(notation).wordings(blocks)


def wording_rules(
    blocks: Iterable[Block], notation: Notation, source: Source, extracted_by: str
) -> Iterator[Rule | Rejection]:
    """The rules of a list of wordings, one for each code or heading, after the Rejections."""
    groups: dict[tuple[str, str], list[Wording]] = {}
    for item in wordings(blocks, notation):
        if isinstance(item, Rejection):
            yield item
        else:
            title = item.rule or _innermost_heading(item.block, notation, source)
            groups.setdefault((item.code, title), []).append(item)
    for (code, title), group in groups.items():
        first = group[0].block
        yield Rule(
            id=content_id("rule", source.id, code or title),
            source_id=source.id,
            code=code,
            title=title,
            description=title,
            category=first.section[0] if first.section else source.title,
            phenomenon=_innermost_heading(first, notation, source),
            section=first.section,
            block_ids=tuple(dict.fromkeys(wording.block.id for wording in group)),
            quote=group[0].quote,
            page=first.page,
            line=group[0].line,
            examples=tuple(example for wording in group for example in wording.examples()),
            extracted_by=extracted_by,
        )


def _innermost_heading(block: Block, notation: Notation, source: Source) -> str:
    """The heading above a block, without its code; the source's title where there is none."""
    if not block.section:
        return source.title
    return re.sub(rf"^\s*{notation.code}\.?\s+", "", block.section[-1]).rstrip(" :") or block.section[-1]


def _alternatives(text: str, notation: Notation) -> tuple[str, ...]:
    try:
        return tuple(map(squeeze, split_top(text, notation.separators)))
    except UnbalancedError:
        return (squeeze(text),)


def table_wordings(block: Block, notation: Notation) -> Iterator[Wording | Rejection]:
    """The rows of a table whose header names a wrong and a right column; nothing for another block."""
    header, *rows = block.cells or ((),)
    titles = (notation.wrong_columns, notation.right_columns, notation.code_columns, notation.rule_columns)
    columns = [_column(header, listed) for listed in (*titles, notation.note_columns)]
    wrong, right = columns[:2]
    if wrong is None or right is None:
        return
    for cells, line in zip(rows, block.row_lines[1:] or (None,) * len(rows), strict=True):
        quote = "\t".join(cells)
        bad, good, code, rule, note = (
            cells[column].strip() if column is not None and column < len(cells) else "" for column in columns
        )
        if not bad or not good:
            yield rejection(block, f"the column '{header[right if bad else wrong]}' is empty", quote, line)
            continue
        if columns[2] is None and (leading_code := re.match(rf"\s*({notation.code})", rule)):
            code = leading_code[1]
        yield Wording(squeeze(bad), _alternatives(good, notation), block, line, quote, code, rule, note)


def _column(header: tuple[str, ...], titles: tuple[str, ...]) -> int | None:
    """The column of the first title that the header has; titles are listed from clear to vague."""
    names, keys = ([title.strip().casefold().replace(" ", "_") for title in listed] for listed in (header, titles))
    return next((names.index(key) for key in keys if key in names), None)


class _MarkReader:
    """Reads wordings that signs mark: a wrong mark before each wrong one, then an arrow or a right mark."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._code = re.compile(rf"\s*({notation.code})\.?\s+")
        self._arrow = re.compile(rf"\s*{any_of(notation.arrows)}\s*")
        self._mark = re.compile(any_of((*notation.wrong_marks, *notation.right_marks)))

    def wordings(self, blocks: Iterable[Block]) -> Iterator[Wording | Rejection]:
        """The wordings in order. The first half of a pair waits for the other one, also across lines and blocks."""
        code = ""
        waiting: _MarkedWording | None = None
        for block in blocks:
            if coded := self._code.match(block.text):
                code = coded[1]
            elif block.kind == "heading" and waiting:
                code = ""
            for number, text in enumerate(block.text.split("\n")):
                line = block.line + number if block.line is not None else None
                if self._notation.arrows:
                    yield from self._arrow_wordings(text, block, line, code)
                    continue
                for is_wrong, wording in self._marked(text):
                    if waiting is None or waiting.is_wrong == is_wrong:
                        yield from _unanswered(waiting)
                        waiting = _MarkedWording(is_wrong, wording, block, line)
                        continue
                    bad, good = (wording, waiting.text) if is_wrong else (waiting.text, wording)
                    goods = _alternatives(good, self._notation)
                    yield Wording(bad, goods, waiting.block, waiting.line, text.strip(), code)
                    waiting = None
        yield from _unanswered(waiting)

    def _marked(self, text: str) -> Iterator[tuple[bool, str]]:
        """The marked wordings of a line as (is wrong, wording)."""
        marks = list(self._mark.finditer(text))
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        for mark, end in zip(marks, ends, strict=False):
            if wording := squeeze(text[mark.end() : end]).strip(" ,;|/"):
                yield mark.group() in self._notation.wrong_marks, wording

    def _arrow_wordings(self, text: str, block: Block, line: int | None, code: str) -> Iterator[Wording | Rejection]:
        """`*wrong → right` on one line. Without the wrong mark, an arrow means something else."""
        start = next((place for mark in self._notation.wrong_marks if (place := text.find(mark)) >= 0), None)
        arrow = self._arrow.search(text, start) if start is not None else None
        if start is None or arrow is None:
            return
        bad, good = squeeze(text[start + 1 : arrow.start()]), text[arrow.end() :].strip()
        if bad and good:
            yield Wording(bad, _alternatives(good, self._notation), block, line, text.strip(), code)
        else:
            yield rejection(block, "one side of the arrow is empty", text.strip(), line)


def _unanswered(wording: _MarkedWording | None) -> Iterator[Rejection]:
    if wording:
        reason = "no right wording follows" if wording.is_wrong else "no wrong wording stands beside it"
        yield rejection(wording.block, reason, wording.text, wording.line)
