"""Error lists that give whole wordings: `*wrong → right`, `✗ wrong ✓ right`, `not wrong but right`, tables."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.ids import content_id
from pairwright.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.rules import rejection
from pairwright.rules.error_lists.brackets import UnbalancedError, split_top
from pairwright.rules.error_lists.notation import Notation, any_of
from pairwright.text import changes, squeeze, words

# A sign that is a word stands at the beginning of one: `correct:` is no part of `incorrect:`.
_WORD_START = r"(?:(?<!\w)(?=\w)|(?=\W))"
_ITEM_NUMBER = r"\(?\d{1,3}[.)]"
_QUOTED = re.compile(r"""(["'“”„«»‘‚›‹])([^"“”„«»]+)["'“”«»’‘›‹]([.,;]?)""")
_END = re.compile(r"[.!?…]$")
# The least likeness, 0-100, of two wordings without a common word.
_LIKENESS = 50
_UNLIKE = "the two sides have nothing in common; write whole wordings on both"


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
    """The rows of a table with a wrong and a right column, by their titles or else their numbers; else nothing."""
    header, *rows = block.cells or ((),)
    lines: tuple[int | None, ...] = block.row_lines or (None,) * (len(rows) + 1)
    titles = (notation.wrong_columns, notation.right_columns, notation.code_columns, notation.rule_columns)
    columns = [_column(header, listed) for listed in (*titles, notation.note_columns)]
    wrong, right = columns[:2]
    if wrong is None or right is None:
        yield from _untitled_wordings(block, notation)
        return
    for cells, line in zip(rows, lines[1:], strict=True):
        quote = "\t".join(cells)
        bad, good, code, rule, note = (_cell(cells, column) for column in columns)
        if not bad or not good:
            yield rejection(block, f"the column '{header[right if bad else wrong]}' is empty", quote, line)
            continue
        if columns[2] is None and (leading_code := re.match(rf"\s*({notation.code})", rule)):
            code = leading_code[1]
        yield Wording(squeeze(bad), _alternatives(good, notation), block, line, quote, code, rule, note)


def _untitled_wordings(block: Block, notation: Notation) -> Iterator[Wording | Rejection]:
    """The rows of a table by the numbers of its columns; where marks stand in the right one, the two are exchanged."""
    if notation.wrong_column is None or notation.right_column is None:
        return
    wrong, right = notation.wrong_column - 1, notation.right_column - 1
    numbered = list(zip(block.cells or (), block.row_lines or (None,) * len(block.cells or ()), strict=True))
    rows = numbered[block.header_rows :]
    if sum(_cell(cells, right).startswith(notation.wrong_marks) for cells, _ in rows) > sum(
        _cell(cells, wrong).startswith(notation.wrong_marks) for cells, _ in rows
    ):
        wrong, right = right, wrong
    mark = re.compile(rf"{any_of(notation.wrong_marks)}\s*")
    for cells, line in rows:
        bad, good = mark.sub("", _cell(cells, wrong), count=1), _cell(cells, right)
        quote = "\t".join(cells)
        if not bad or not good:
            yield rejection(block, f"column {(right if bad else wrong) + 1} is empty", quote, line)
        elif notation.doubtful and not _alike(bad, good):
            yield rejection(block, _UNLIKE, quote, line)
        else:
            yield Wording(squeeze(bad), _alternatives(good, notation), block, line, quote)


def _cell(cells: tuple[str, ...], column: int | None) -> str:
    return cells[column].strip() if column is not None and column < len(cells) else ""


def _column(header: tuple[str, ...], titles: tuple[str, ...]) -> int | None:
    """The column of the first title that the header has; titles are listed from clear to vague."""
    names, keys = ([title.strip().casefold().replace(" ", "_") for title in listed] for listed in (header, titles))
    return next((names.index(key) for key in keys if key in names), None)


class _MarkReader:
    """Reads wordings that signs mark: a wrong mark before each wrong one, then an arrow or a right mark."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._code = re.compile(rf"\s*({notation.code})\.?\s+")
        self._number = re.compile(rf"\s*(?:{notation.code}\.?|{_ITEM_NUMBER})\s+")
        self._arrow = re.compile(rf"\s*{_signs(notation.arrows)}\s*")
        self._mark = re.compile(_signs((*notation.wrong_marks, *notation.right_marks)), re.IGNORECASE)
        self._wrong = re.compile(rf"{_signs(notation.wrong_marks)}:?\s*", re.IGNORECASE)
        self._right = re.compile(rf"(?:^|[\s,;]\s*){_signs(notation.right_marks)}:?(?:\s+|$)", re.IGNORECASE)
        self._wrong_marks = frozenset(map(str.casefold, notation.wrong_marks))

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
                if self._notation.arrows or self._notation.layout == "phrases":
                    yield from self._line_wordings(text, block, line, code)
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
                yield mark.group().casefold() in self._wrong_marks, wording

    def _line_wordings(self, text: str, block: Block, line: int | None, code: str) -> Iterator[Wording | Rejection]:
        """The wording of a line that holds both sides; a bracket behind the right one is its note."""
        sides = self._phrase_sides(text) if self._notation.layout == "phrases" else self._arrow_sides(text)
        if sides is None:
            return
        bad, good = map(_unquoted, sides)
        note = "" if "(" in bad else "".join(re.findall(r"\s\(([^()]*)\)$", good))
        good = good.removesuffix(f"({note})").rstrip() if note else good
        if not bad or not good:
            yield rejection(block, "one side is empty", text.strip(), line)
        elif self._arrow.search(good):
            yield rejection(block, "more than one arrow on the line; give each correction its own", text.strip(), line)
        elif self._notation.doubtful and not _alike(bad, good):
            yield rejection(block, _UNLIKE, text.strip(), line)
        else:
            bad, good = _with_one_end(bad, good)
            yield Wording(bad, _alternatives(good, self._notation), block, line, text.strip(), code, note=note)

    def _arrow_sides(self, text: str) -> tuple[str, str] | None:
        """What stands before and behind an arrow. In a notation with a wrong mark, others mean something else."""
        mark = self._wrong.search(text) if self._notation.wrong_marks else self._number.match(text)
        if mark is None and self._notation.wrong_marks:
            return None
        start = mark.end() if mark else 0
        arrow = self._arrow.search(text, start)
        return (text[start : arrow.start()], text[arrow.end() :]) if arrow else None

    def _phrase_sides(self, text: str) -> tuple[str, str] | None:
        """The sides of `not wrong but right`, cut at the `but` whose sides are most alike."""
        number = self._number.match(text)
        opening = self._wrong.match(text, number.end() if number else 0)
        if opening is None:
            return None
        rest = text[opening.end() :].strip()
        cuts = ((rest[: but.start()], rest[but.end() :]) for but in self._right.finditer(rest))
        return max(cuts, key=lambda sides: fuzz.ratio(*map(str.casefold, sides)), default=None)


def _signs(signs: Iterable[str]) -> str:
    return f"(?:{_WORD_START}{any_of(signs)})"


def _unquoted(text: str) -> str:
    """A wording in one line, without quotation marks around the whole of it."""
    line = squeeze(text).strip(" ,;")
    quoted = _QUOTED.fullmatch(line)
    return quoted[2].strip() if quoted else line


def _with_one_end(bad: str, good: str) -> tuple[str, str]:
    """The two wordings with the same full stop: the one behind both of them on a line ends the line."""
    ends = [match[0] if (match := _END.search(side)) else "" for side in (bad, good)]
    if bool(ends[0]) == bool(ends[1]) or squeeze(bad.rstrip(".!?…")) == squeeze(good.rstrip(".!?…")):
        return bad, good
    return (bad, good + ends[0]) if ends[0] else (bad + ends[1], good)


def _alike(bad: str, good: str) -> bool:
    """Whether two wordings may say the same: they share a word, or most letters."""
    common = {word.casefold() for word in words(bad)} & {word.casefold() for word in words(good)}
    return bool(common) or fuzz.ratio(bad.casefold(), good.casefold()) >= _LIKENESS


def _unanswered(wording: _MarkedWording | None) -> Iterator[Rejection]:
    if wording:
        reason = "no right wording follows" if wording.is_wrong else "no wrong wording stands beside it"
        yield rejection(wording.block, reason, wording.text, wording.line)
