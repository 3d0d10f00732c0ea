"""Error lists that give whole wordings: `*wrong → right`, `not wrong but right`, tables, labels and signs."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from pairwright.ids import content_id
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.brackets import UnbalancedError, split_top
from pairwright.languages.linguistics.edits import changes
from pairwright.records import Block, Evidence, Example, Rejection, Rule, Source
from pairwright.rules import rejection
from pairwright.rules.error_lists.labels import ListLine, Match, alike, list_lines, matches, signs
from pairwright.rules.error_lists.notation import Notation, any_of
from pairwright.text import squeeze

_ITEM_NUMBER = r"\(?\d{1,3}[.)]"
_QUOTED = re.compile(r"""(["'“”„«»‘‚›‹])([^"“”„«»]+)["'“”«»’‘›‹]([.,;]?)""")
_END = re.compile(r"[.!?…]$")
_NOTE = re.compile(r"\s\(([^()]*)\)\.?$")
_LATER_NOTE = re.compile(rf"(?<=[.!?…]){_NOTE.pattern}")
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
    uncertain: bool = False

    @property
    def evidence(self) -> Evidence:
        """The place of the wording, with the text that holds it."""
        return Evidence.at(self.block, self.quote, self.line)

    def examples(self) -> Iterator[Example]:
        """A pair for each right wording; the first is the default, and the only one where it is a guess."""
        for place, good in enumerate(self.good[:1] if self.uncertain else self.good):
            yield Example(
                good=good,
                bad=self.bad,
                changes=changes(good, self.bad),
                alternatives=tuple(other for other in self.good if other != good),
                default=place == 0,
                uncertain=self.uncertain,
                note=self.note or None,
                evidence=self.evidence,
            )


def wordings(blocks: list[Block], notation: Notation) -> Iterator[Wording | Rejection]:
    """The wordings of a list in order; one that lacks its other half is a Rejection."""
    codes = _codes(blocks, notation)
    if notation.layout == "columns":
        for item in (item for block in blocks for item in table_wordings(block, notation)):
            if isinstance(item, Wording) and not (item.code or item.rule):
                item = replace(item, code=codes[item.block.id])
            yield item
        return
    if notation.arrows or notation.layout == "phrases":
        reader = _LineReader(notation)
        for line in list_lines(blocks):
            yield from reader.wordings(line, codes[line.block.id])
    else:
        for match in matches(blocks, notation):
            yield _matched_wording(match, codes) if isinstance(match, Match) else match


def _codes(blocks: Iterable[Block], notation: Notation) -> dict[str, str]:
    """The code at the beginning of each block or above it, by the block's id."""
    pattern, code, codes = re.compile(rf"\s*({notation.code})\.?\s+"), "", {}
    for block in blocks:
        code = coded[1] if (coded := pattern.match(block.text)) else code
        codes[block.id] = code
    return codes


def _matched_wording(match: Match, codes: dict[str, str]) -> Wording:
    """The wording of a match; its place is that of the half that stands first."""
    lines = sorted((half.line for half in (match.wrong, *match.rights)), key=lambda line: line.number or 0)
    block, number = lines[0].block, lines[0].number
    quote = "\n".join(dict.fromkeys(line.text.strip() for line in lines if line.block is block))
    bad, goods, note = _without_notes(match.wrong.text, [right.text for right in match.rights])
    bad, goods = _with_one_end(bad, goods)
    notes = [note, *(half.note for half in (match.wrong, *match.rights))]
    said = "; ".join(filter(None, notes))
    return Wording(bad, goods, block, number, quote, codes[block.id], note=said, uncertain=match.uncertain)


def wording_rules(
    items: Iterable[Wording | Rejection], notation: Notation, source: Source, extracted_by: str
) -> Iterator[Rule | Rejection]:
    """The rules of a list of wordings, one for each code or heading, after the Rejections and the repetitions."""
    groups: dict[tuple[str, str], dict[tuple[str, tuple[str, ...]], Wording]] = {}
    for item in items:
        if isinstance(item, Rejection):
            yield item
            continue
        if {*item.good} == {item.bad}:
            yield rejection(item.block, "both sides are the same", item.quote, item.line)
            continue
        title = item.rule or _innermost_heading(item.block, notation, source)
        earlier = groups.setdefault((item.code, title), {}).setdefault((item.bad, item.good), item)
        if earlier is not item:
            place = f"line {earlier.line}" if earlier.line else f"page {earlier.block.page}"
            yield rejection(item.block, f"the same pair as on {place}", item.quote, item.line)
    for (code, title), wordings_of_rule in groups.items():
        group = list(wordings_of_rule.values())
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
        elif notation.doubtful and not alike(bad, good):
            yield rejection(block, _UNLIKE, quote, line)
        else:
            yield Wording(squeeze(bad), _alternatives(good, notation), block, line, quote)


def _cell(cells: tuple[str, ...], column: int | None) -> str:
    return cells[column].strip() if column is not None and column < len(cells) else ""


def _column(header: tuple[str, ...], titles: tuple[str, ...]) -> int | None:
    """The column of the first title that the header has; titles are listed from clear to vague."""
    names, keys = ([title.strip(" :").casefold().replace(" ", "_") for title in listed] for listed in (header, titles))
    return next((names.index(key) for key in keys if key in names), None)


class _LineReader:
    """Reads wordings of which a line holds both sides, with an arrow or a phrase between them."""

    def __init__(self, notation: Notation) -> None:
        self._notation = notation
        self._number = re.compile(rf"\s*(?:{notation.code}\.?|{_ITEM_NUMBER})\s+")
        self._arrow = re.compile(rf"\s*{signs(notation.arrows)}\s*")
        self._wrong = re.compile(rf"{signs(notation.wrong_marks)}:?\s*", re.IGNORECASE)
        self._right = re.compile(rf"(?:^|[\s,;]\s*){signs(notation.right_marks)}:?(?:\s+|$)", re.IGNORECASE)

    def wordings(self, line: ListLine, code: str) -> Iterator[Wording | Rejection]:
        """The wording of a line, if any; a bracket behind one side is its note."""
        sides = self._phrase_sides(line.text) if self._notation.layout == "phrases" else self._arrow_sides(line.text)
        if sides is None:
            return
        bad, (good,), note = _without_notes(sides[0], sides[1:])
        if not bad or not good:
            yield line.rejection("one side is empty")
        elif self._arrow.search(good):
            yield line.rejection("more than one arrow on the line; give each correction its own")
        elif self._notation.doubtful and not alike(bad, good):
            yield line.rejection(_UNLIKE)
        else:
            bad, (good,) = _with_one_end(bad, (good,))
            goods = _alternatives(good, self._notation)
            yield Wording(bad, goods, line.block, line.number, line.text.strip(), code, note=note)

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


def _unquoted(text: str) -> str:
    """A wording in one line, without quotation marks around the whole of it."""
    line = squeeze(text).strip(" ,;")
    quoted = _QUOTED.fullmatch(line)
    return quoted[2].strip() if quoted else line


def _without_notes(bad: str, goods: Iterable[str]) -> tuple[str, tuple[str, ...], str]:
    """Both sides without quotation marks, and the notes: brackets behind a sentence's end, or behind one side alone."""
    sides = [_unquoted(side) for side in (bad, *goods)]
    are_alone = "(" not in sides[0] or not any("(" in side for side in sides[1:])
    bracketed = [_NOTE.search(side) if are_alone else _LATER_NOTE.search(side) for side in sides]
    bare = [_unquoted(side[: note.start()]) if note else side for side, note in zip(sides, bracketed, strict=True)]
    return bare[0], tuple(bare[1:]), "; ".join(note[1] for note in bracketed if note)


def _with_one_end(bad: str, goods: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The wordings with the same full stop, as the one behind both sides on a line ends the line, and capital."""
    ends = [match[0] if (match := _END.search(side)) else "" for side in (bad, goods[0])]
    bare = [squeeze(side.rstrip(".!?…")) for side in (bad, goods[0])]
    if bare[0] == bare[1]:
        return bad, goods
    if bare[0].casefold() != bare[1].casefold() and any(side[0].isupper() for side in (bad, goods[0])):
        bad, goods = capitalised(bad), tuple(map(capitalised, goods))
    end = ends[0] or ends[1]
    return (bad if ends[0] else bad + end), tuple(good if _END.search(good) else good + end for good in goods)
