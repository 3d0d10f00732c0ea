"""Error lists that give whole wordings: `*wrong → right`, `✗ wrong ✓ right`, or a table with two columns."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pairwright.ids import content_id
from pairwright.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.rules.error_lists.brackets import UnbalancedError, split_top
from pairwright.rules.error_lists.notation import Notation
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


def count_wordings(blocks: Iterable[Block], notation: Notation) -> int:
    """How many wordings a notation finds in the blocks."""
    return sum(isinstance(item, Wording) for item in _items(blocks, notation, ""))


def wording_rules(
    blocks: Iterable[Block], notation: Notation, source: Source, extracted_by: str
) -> Iterator[Rule | Rejection]:
    """The rules of a list of wordings: one for each code or heading; what lacks its other half is a Rejection."""
    groups: dict[tuple[str, str], list[Wording]] = {}
    for item in _items(blocks, notation, source.id):
        if isinstance(item, Rejection):
            yield item
        else:
            title = item.rule or (_plain(item.block.section[-1], notation) if item.block.section else source.title)
            groups.setdefault((item.code, title), []).append(item)
    for (code, title), wordings in groups.items():
        first = wordings[0].block
        yield Rule(
            id=content_id("rule", source.id, code or title),
            source_id=source.id,
            code=code,
            title=title,
            description=title,
            category=first.section[0] if first.section else source.title,
            phenomenon=_plain(first.section[-1], notation) if first.section else source.title,
            section=first.section,
            block_ids=tuple(dict.fromkeys(wording.block.id for wording in wordings)),
            quote=wordings[0].quote,
            page=first.page,
            line=wordings[0].line,
            examples=tuple(example for wording in wordings for example in wording_examples(wording)),
            extracted_by=extracted_by,
        )


def _plain(heading: str, notation: Notation) -> str:
    """A heading without its code."""
    return re.sub(rf"^\s*{notation.code}\.?\s+", "", heading).rstrip(" :") or heading


def wording_examples(wording: Wording) -> Iterator[Example]:
    """A wording's pairs: one for each right wording, the first by default."""
    for place, good in enumerate(wording.good):
        yield Example(
            good=good,
            bad=wording.bad,
            changes=changes(good, wording.bad),
            alternatives=tuple(other for other in wording.good if other != good),
            default=place == 0,
            note=wording.note or None,
            evidence=Evidence(
                block_id=wording.block.id,
                file=wording.block.file,
                page=wording.block.page,
                line=wording.line,
                quote=wording.quote,
            ),
        )


def _items(blocks: Iterable[Block], notation: Notation, source_id: str) -> Iterator[Wording | Rejection]:
    if notation.layout == "columns":
        for block in blocks:
            if block.kind == "table" and block.cells:
                yield from table_rows(block, notation, source_id)
    else:
        yield from MarkReader(notation, source_id).items(blocks)


def _rejection(source_id: str, block: Block, line: int | None, reason: str, text: str) -> Rejection:
    return Rejection(
        stage="rules", source_id=source_id, reason=reason, text=text, file=block.file, page=block.page, line=line
    )


def _split(text: str, notation: Notation) -> tuple[str, ...]:
    if not notation.separators:
        return (squeeze(text),)
    try:
        return tuple(squeeze(part) for part in split_top(text, notation.separators))
    except UnbalancedError:
        return (squeeze(text),)


def table_rows(block: Block, notation: Notation, source_id: str) -> Iterator[Wording | Rejection]:
    """The rows of a table whose header names a wrong and a right column; other tables give nothing."""
    header, *rows = block.cells or ((),)
    names = [name.strip().casefold().replace(" ", "_") for name in header]
    wrong, right = _column(names, notation.wrong_columns), _column(names, notation.right_columns)
    if wrong is None or right is None:
        return
    code, rule = _column(names, notation.code_columns), _column(names, notation.rule_columns)
    note = _column(names, notation.note_columns)
    lines = block.row_lines[1:] or (None,) * len(rows)
    for cells, line in zip(rows, lines, strict=True):

        def cell(place: int | None, cells: tuple[str, ...] = cells) -> str:
            return cells[place].strip() if place is not None and place < len(cells) else ""

        quote = "\t".join(cells)
        if not cell(wrong) or not cell(right):
            empty = header[right if cell(wrong) else wrong]
            yield _rejection(source_id, block, line, f"the column '{empty}' is empty", quote)
            continue
        found_code = re.match(rf"\s*({notation.code})", cell(code) or cell(rule))
        yield Wording(
            bad=squeeze(cell(wrong)),
            good=_split(cell(right), notation),
            block=block,
            line=line,
            quote=quote,
            code=cell(code) if code is not None else (found_code[1] if found_code else ""),
            rule=cell(rule),
            note=cell(note),
        )


def _column(names: list[str], known: tuple[str, ...]) -> int | None:
    """The first column by the order of the known names, so that the more telling name wins."""
    keys = [name.casefold().replace(" ", "_") for name in known]
    return next((names.index(key) for key in keys if key in names), None)


class MarkReader:
    """Reads wordings that signs mark: a wrong mark before each wrong one, then an arrow or a right mark."""

    def __init__(self, notation: Notation, source_id: str) -> None:
        self._notation = notation
        self._source_id = source_id
        self._code = re.compile(rf"\s*({notation.code})\.?\s+")
        arrows = sorted(notation.arrows, key=len, reverse=True)
        self._arrow = re.compile("|".join(rf"\s*{re.escape(arrow)}\s*" for arrow in arrows) or "(?!)")
        marks = [*notation.wrong_marks, *notation.right_marks]
        self._mark = re.compile("|".join(map(re.escape, sorted(marks, key=len, reverse=True))) or "(?!)")

    def items(self, blocks: Iterable[Block]) -> Iterator[Wording | Rejection]:
        """The wordings in order. A wrong wording waits for a right one, also across lines and blocks, and so does a
        right one that stands first."""
        code = ""
        waiting: tuple[bool, str, Block, int | None] | None = None
        for block in blocks:
            coded = self._code.match(block.text)
            if coded or block.kind == "heading":
                code = coded[1] if coded else code if not waiting else ""
            for number, text in enumerate(block.text.split("\n")):
                line = block.line + number if block.line is not None else None
                if self._notation.arrows:
                    yield from self._arrow_items(text, block, line, code)
                    continue
                for is_wrong, wording in self._marked(text):
                    if waiting is None or waiting[0] == is_wrong:
                        yield from self._unanswered(waiting)
                        waiting = (is_wrong, wording, block, line)
                        continue
                    bad, good = (wording, waiting[1]) if is_wrong else (waiting[1], wording)
                    yield Wording(bad, _split(good, self._notation), waiting[2], waiting[3], text.strip(), code)
                    waiting = None
        yield from self._unanswered(waiting)

    def _unanswered(self, waiting: tuple[bool, str, Block, int | None] | None) -> Iterator[Rejection]:
        if waiting is not None:
            is_wrong, wording, block, line = waiting
            reason = "no right wording follows" if is_wrong else "no wrong wording stands beside it"
            yield _rejection(self._source_id, block, line, reason, wording)

    def _marked(self, text: str) -> Iterator[tuple[bool, str]]:
        """The marked wordings of a line as (is wrong, wording)."""
        marks = list(self._mark.finditer(text))
        for place, mark in enumerate(marks):
            end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
            wording = squeeze(text[mark.end() : end]).strip(" ,;|/")
            if wording:
                yield mark.group() in self._notation.wrong_marks, wording

    def _arrow_items(self, text: str, block: Block, line: int | None, code: str) -> Iterator[Wording | Rejection]:
        """`*wrong → right` on one line; the wrong mark must be there, so that other arrows stay what they are."""
        start = next((place for mark in self._notation.wrong_marks if (place := text.find(mark)) >= 0), None)
        arrow = self._arrow.search(text, start) if start is not None else None
        if start is None or arrow is None:
            return
        bad, good = squeeze(text[start + 1 : arrow.start()]), text[arrow.end() :].strip()
        if not bad or not good:
            yield _rejection(self._source_id, block, line, "one side of the arrow is empty", text.strip())
            return
        yield Wording(bad, _split(good, self._notation), block, line, text.strip(), code)
