"""Error lists that give whole wordings: `*wrong → right`, `not wrong but right`, columns, labels and signs.

A line or a row is taken apart into its wrong and right wordings; those that belong together become pairs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, repeat
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.records import Block, Evidence, Example, Rejection
from pairwright.core.text import squeeze, words
from pairwright.languages.linguistics.sentences import END_MARKS, UnbalancedError, changes, ends_sentence, split_top
from pairwright.sources import rejection
from pairwright.sources.error_list.notation import Notation, any_of

EXTRACTED_BY = "error-list/1"

# A sign that is a word stands at the beginning of one: `correct:` is no part of `incorrect:`.
_WORD_START = r"(?:(?<!\w)(?=\w)|(?=\W))"
_NUMBER = re.compile(r"\W*\d+\W*")
_ITEM_NUMBER = re.compile(r"\s*\(?\d{1,3}[.)]\s")
# A label that is a word may have a number, `Wrong 2:`, or a bracket, and a dash in place of its colon.
_LABEL_END = r"(?:\s*\(?\d{1,2}\)?|\s*\([^\W\d][^():]{0,40}\))?\s*(?::|\s[–—-]\s)"
_QUOTES, _JOINTS = " \"'“”„«»‘’‚*_([", " ,;/|→–—-(["
# What marks or joins wordings without being part of one.
_MARKUP = re.compile(r"^~~|~~$|\s+[=-]>$")
_QUOTED = re.compile(r"""(["'“”„«»‘‚›‹])([^"“”„«»]+)["'“”«»’‘›‹]([.,;]?)""")
_END = re.compile(r"[.!?…]$")
_NOTE = re.compile(r"\s\(([^()]*)\)\.?$")
_LATER_NOTE = re.compile(rf"(?<=[.!?…]){_NOTE.pattern}")
# Dots for the words that a right wording shares with the wrong one.
_DOTS = re.compile(r"\s*(?:…|\.\.\.)\s*")
_OR = re.compile(r"\s(?:arba|or|oder|ou|/)\s|[.!?…]\s+\w[^.!?]*:")
# Where another sentence begins, also behind a slash or a label: `“…” Or: “…”`.
_NEXT = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][“”\"»]))\s+(?:/\s+|\w+:\s+)?(?=[„“\"«]?[^\W\d_a-z])")
# The least likeness, 0-100, of two wordings without a common word.
_LIKENESS = 50
# With more wordings in one item nothing tells which belong together; a longer wording is no sentence.
_MOST_WORDINGS, _LONGEST = 40, 1000
_TOO_MANY = f"more than {_MOST_WORDINGS} wordings stand together; split them"


class ListLine(NamedTuple):
    """A line of a list; `begins` where an item, a row, a paragraph or a text after an empty line begins with it."""

    text: str
    block: Block
    number: int | None
    begins: bool = True

    def rejection(self, reason: str, text: str | None = None) -> Rejection:
        """The line, or a text from it, as one that could not be read."""
        return rejection(self.block, reason, text or self.text.strip(), self.number)


class _Part(NamedTuple):
    """A wrong or right wording in a line, or a note; `code` and `rule` are what its row in a table says.

    marked  the part of it that the page emphasises
    """

    kind: str
    text: str
    line: ListLine
    note: str = ""
    code: str = ""
    rule: str = ""
    marked: str = ""

    def goes_on(self, following: str) -> bool:
        """Whether a wording goes on in the next line: it is still empty, or a sentence that has not ended."""
        is_open = not self.text or (self.text[-1] not in END_MARKS and following[:1].islower())
        return bool(following) and is_open and len(self.text) < _LONGEST


@dataclass(frozen=True)
class ListedPair:
    """A wrong wording with its right ones and their place. `code` and `rule` are those of its row in a table.

    is_part  the right ones replace only some words of the wrong one, those that are `marked` if any
    """

    bad: str
    goods: tuple[str, ...]
    line: ListLine
    quote: str
    code: str = ""
    rule: str = ""
    note: str = ""
    uncertain: bool = False
    is_part: bool = False
    marked: str = ""

    @property
    def evidence(self) -> Evidence:
        """The place of the pair, with the text that holds it."""
        return Evidence.at(self.line.block, self.quote, self.line.number)

    def examples(self) -> Iterator[Example]:
        """A pair for each right wording; the first is the default, and the only one where it is a guess."""
        for place, good in enumerate(self.goods[:1] if self.uncertain else self.goods):
            yield Example(
                good=good,
                bad=self.bad,
                changes=changes(good, self.bad),
                alternatives=tuple(other for other in self.goods if other != good),
                default=place == 0,
                uncertain=self.uncertain,
                note=self.note or None,
                evidence=self.evidence,
            )


def list_lines(blocks: Iterable[Block]) -> Iterator[ListLine]:
    """The lines of a list."""
    for block in blocks:
        for place, text in enumerate(block.text.split("\n")):
            number = block.row_lines[place] if block.row_lines else block.line and block.line + place
            begins = block.kind == "table" or place == 0 or _ITEM_NUMBER.match(text) is not None
            yield ListLine(text, block, number, begins)


def listed_pairs(blocks: Iterable[Block], notation: Notation) -> Iterator[ListedPair | Rejection]:
    """The pairs of a list in order; a wording that lacks its other half is a Rejection.

    Behind labels and signs, a pair crosses an item, a row or an empty line only where wrong and right wordings stand in
    items of their own, one after the other.
    """
    halves: list[_Part] = []
    groups: Iterator[list[_Part] | Rejection]
    if notation.layout in ("columns", "brackets"):
        groups = (group for block in blocks if block.kind == "table" for group in _rows(block, notation))
    else:
        is_cut = notation.arrows or notation.layout == "phrases"
        groups = _cut_lines(blocks, notation) if is_cut else _labelled_groups(blocks, notation)
    for group in groups:
        if isinstance(group, Rejection):
            yield group
            continue
        is_half = len({part.kind for part in group} - {"note"}) == 1
        if halves and not (is_half and group[0].line.block.section == halves[-1].line.block.section):
            yield from _matched(halves, notation)
            halves = []
        if is_half:
            halves += group
        else:
            yield from _matched(group, notation)
    yield from _matched(halves, notation)


def alike(bad: str, good: str) -> bool:
    """Whether two wordings may say the same: they share a word, or most letters."""
    common = {word.casefold() for word in words(bad)} & {word.casefold() for word in words(good)}
    return bool(common) or fuzz.ratio(bad.casefold(), good.casefold()) >= _LIKENESS


def _rows(block: Block, notation: Notation) -> Iterator[list[_Part] | Rejection]:
    """The rows of a table with a wrong and a right column, by their titles or else their numbers; else nothing.

    Where marks of wrong wordings stand in the right one of two numbered columns, the two are exchanged.
    """
    rows = list(zip(block.cells or ((),), block.row_lines or repeat(None), strict=False))
    head = [title.strip(" :").casefold().replace(" ", "_") for title in rows[0][0]]
    listed = (notation.wrong_columns, notation.right_columns, notation.code_columns, notation.rule_columns)
    # Titles are listed from clear to vague.
    keys = ([title.casefold().replace(" ", "_") for title in titles] for titles in (*listed, notation.note_columns))
    wrong, right, *others = (next((head.index(key) for key in of if key in head), None) for of in keys)
    below, names = rows[1:], [f"the column '{title}'" for title in rows[0][0]]
    mark = re.compile(rf"{any_of(notation.wrong_marks)}\s*")
    if wrong is None or right is None:
        if notation.wrong_column is None or notation.right_column is None:
            return
        below = rows[block.header_rows :]
        # A column of numbers before them does not count.
        first = int(all(_NUMBER.fullmatch(_cell(cells, 0)) for cells, _ in below))
        wrong, right, others = notation.wrong_column + first - 1, notation.right_column + first - 1, [None] * 3
        names = [f"column {n}" for n in range(1, max(wrong, right) + 2)]
        marked = [sum(bool(mark.match(_cell(cells, column))) for cells, _ in below) for column in (wrong, right)]
        wrong, right = (right, wrong) if marked[1] > marked[0] else (wrong, right)
        # Titles in a first row that nothing marks as one: no sentences, where most other rows have them.
        whole = [any(ends_sentence(_cell(cells, column)) for column in (wrong, right)) for cells, _ in below]
        if 2 * sum(whole[1:]) > len(whole[1:]) and not whole[0]:
            (titles, number), *below = below
            yield ListLine("\t".join(titles), block, number).rejection("titles of columns, and no sentences")
    start = len(block.text) - sum(len("\t".join(cells)) + 1 for cells, _ in below) + 1
    for cells, number in below:
        line, at = ListLine("\t".join(cells), block, number), start + len("\t".join(("", *cells[:wrong])))
        start += len(line.text) + 1
        size = len(_cell(cells, wrong))
        spans = [(a, b) for a, b in block.emphasis if at <= a and b <= at + size and b - a < size]
        emphasised = block.text[slice(*spans[0])] if len(spans) == 1 else ""
        bad, good, code, rule, note = (_cell(cells, column) for column in (wrong, right, *others))
        bad, leading = mark.sub("", bad, count=1), re.match(rf"\s*({notation.code})", rule)
        if bad.casefold() in notation.wrong_columns and good.casefold() in notation.right_columns:
            # The titles again, as behind a page break or a second list in the file.
            continue
        if bad and good:
            code = code or (leading[1] if leading else "")
            yield [_Part("wrong", bad, line, note, code, rule, emphasised), _Part("right", good, line)]
        else:
            yield line.rejection(f"{names[right if bad else wrong]} is empty")


def _cell(cells: tuple[str, ...], column: int | None) -> str:
    return cells[column].strip() if column is not None and column < len(cells) else ""


def _signs(marks: Iterable[str]) -> str:
    """A pattern for any of the marks where a word may begin."""
    return f"(?:{_WORD_START}{any_of(marks)})"


def _cut_lines(blocks: Iterable[Block], notation: Notation) -> Iterator[list[_Part] | Rejection]:
    """The lines with a wrong and a right side, which an arrow or the word for `but` divides.

    In a notation of arrows with a wrong mark, arrows without it mean something else.
    """
    number = rf"(?:\s*(?:{notation.code}\.?|\(?\d{{1,3}}[.)])\s+)?"
    marks = rf"{_signs(notation.wrong_marks)}:?\s*" if notation.wrong_marks else ""
    opening = re.compile((".*?" if notation.arrows and marks else number) + marks, re.IGNORECASE)
    phrase = rf"(?:^|[\s,;]\s*){_signs(notation.right_marks)}:?(?:\s+|$)"
    joint = re.compile(rf"\s*{_signs(notation.arrows)}\s*" if notation.arrows else phrase, re.IGNORECASE)
    for line in list_lines(blocks):
        begun = opening.match(line.text)
        rest = line.text[begun.end() :].strip() if begun else ""
        found = [(rest[: cut.start()], rest[cut.end() :]) for cut in joint.finditer(rest)]
        if notation.arrows and len(found) > 1:
            yield line.rejection("more than one arrow on the line; give each correction its own")
        elif found:
            # At the `but` whose sides are most alike.
            wrong, right = max(found, key=lambda sides: fuzz.ratio(*map(str.casefold, sides)))
            both = [_Part("wrong", wrong, line), _Part("right", right, line)]
            yield both if _unquoted(wrong) and _unquoted(right) else line.rejection("one side is empty")


def _labelled_groups(blocks: Iterable[Block], notation: Notation) -> Iterator[list[_Part] | Rejection]:
    """The wordings of each item, row or paragraph; none where it has no label."""
    patterns = [rf"(?P<note>(?<!\w){any_of(notation.notes)}\s*:)"]
    for kind, marks in (("wrong", notation.wrong_marks), ("right", notation.right_marks)):
        named = {mark[:-1] for mark in marks if mark[0].isalnum() and mark.endswith(":")}
        others = [mark for mark in marks if mark[:-1] not in named]
        patterns.append(rf"(?P<{kind}>(?<!\w){any_of(named)}{_LABEL_END}|{_signs(others)}:?)")
    group, label = list[_Part](), re.compile("|".join(patterns), re.IGNORECASE)
    for line in list_lines(blocks):
        lead, parts = _labelled(line, label)
        bad = lead.strip(_JOINTS)
        if [part.kind for part in parts] == ["right"] and not group and alike(bad, parts[0].text):
            # Only the right one has a label.
            parts = [_Part("wrong", bad, line), *parts]
        if len(parts) > _MOST_WORDINGS:
            yield line.rejection(_TOO_MANY)
            parts = []
        elif group and not line.begins and group[-1].goes_on(lead):
            group[-1] = group[-1]._replace(text=squeeze(f"{group[-1].text} {lead}").strip(_JOINTS))
        elif not parts and any(match["note"] is None for match in label.finditer(line.text)):
            yield line.rejection("a label counts only where its line begins or behind a sentence's end")
        # A line with both halves is complete in itself.
        if line.begins or {"wrong", "right"} <= {part.kind for part in parts}:
            yield group
            group = []
        group += parts
    yield group


def _labelled(line: ListLine, label: re.Pattern[str]) -> tuple[str, list[_Part]]:
    """What stands before the first label of a line, and the wordings behind labels that stand where one may stand."""
    placed: list[re.Match[str]] = []
    end, is_first = 0, True
    for match in label.finditer(line.text):
        *cells, before = line.text[end : match.start()].split("\t")
        before, is_first = before.rstrip(_QUOTES), is_first or bool(cells)
        begins = before[-1:] in {*END_MARKS} or (is_first and not any(map(str.isalpha, before)))
        begins = begins or not match.group()[0].isalnum() or (match.lastgroup == "right" and before[-1:] in {*"–—→"})
        if begins or (placed and match.lastgroup != placed[-1].lastgroup):
            placed.append(match)
        end, is_first = match.end(), False
    ends = [*(match.start() for match in placed), len(line.text)]
    parts = []
    for match, end in zip(placed, ends[1:], strict=True):
        text = _MARKUP.sub("", squeeze(line.text[match.end() : end].strip().partition("\t")[0]).strip(_JOINTS))
        text = text[:-1] if (text.endswith(")") and "(" not in text) or (text[-1:] == "]" and "[" not in text) else text
        parts.append(_Part(str(match.lastgroup), text, line))
    return line.text[: ends[0]].strip(), parts


def _matched(group: list[_Part], notation: Notation) -> Iterator[ListedPair | Rejection]:
    """The pairs of the wordings of one line, item, row or paragraph."""
    parts: list[_Part] = []
    for part in group:
        if part.kind == "note":
            parts[-1:] = [last._replace(note=part.text) for last in parts[-1:]]
        elif part.text:
            parts.append(part)
        else:
            yield part.line.rejection("the label has no wording after it")
    runs = [list(run) for _, run in groupby(parts, key=lambda part: part.kind)]
    # Wrong ones with the right ones after them, or before them where a right one comes first.
    for unit in ([part for run in runs[place : place + 2] for part in run] for place in range(0, len(runs), 2)):
        if len(unit) > _MOST_WORDINGS:
            yield from (part.line.rejection(_TOO_MANY, part.text) for part in unit)
        else:
            yield from _unit_pairs(unit, notation)


def _unit_pairs(unit: list[_Part], notation: Notation) -> Iterator[ListedPair | Rejection]:
    """Each wrong wording with its right ones; where others may be meant, with those that are like it."""
    wrongs, rights = ([part for part in unit if part.kind == kind] for kind in ("wrong", "right"))
    n_items = len({id(part.line) for part in unit if part.line.begins})
    is_loose = n_items > 1 and len(unit) > 2
    certain = len(wrongs) == 1 and (len(rights) == 1 or unit[0].kind == "wrong") and not is_loose
    certain = certain and all(wrongs[0].marked or alike(wrongs[0].text, right.text) for right in rights)
    unused = list(rights)
    for wrong in wrongs:
        likely = [right for right in rights if alike(wrong.text, right.text) or (len(unit) == 2 and not is_loose)]
        goods = rights if certain else sorted(likely, key=lambda right: -fuzz.ratio(wrong.text, right.text))
        unused = [right for right in unused if right not in goods]
        if goods:
            yield _pair(wrong, goods, notation, uncertain=not certain)
        else:
            yield wrong.line.rejection("the item or paragraph has no right wording", wrong.text)
    for right in unused:
        yield right.line.rejection("the item or paragraph has no wrong wording", right.text)


def _is_part(bad: str, good: str) -> bool:
    """Whether a right wording replaces a part of the wrong one: it has dots, or is much shorter and no sentence."""
    is_short = _END.search(bad) and not _END.search(good) and len(good.split()) + 1 < len(bad.split())
    return not _DOTS.search(bad) and bool(_DOTS.search(good) or is_short)


def _pair(wrong: _Part, parts: Sequence[_Part], notation: Notation, *, uncertain: bool) -> ListedPair | Rejection:
    """The pair of a wrong wording and its right ones; its place is that of its first line.

    Brackets behind a sentence's end, or behind one side alone, are notes.
    """
    lines = sorted((part.line for part in (wrong, *parts)), key=lambda line: line.number or 0)
    line, sides = lines[0], [_unquoted(part.text) for part in (wrong, *parts)]
    are_alone = "(" not in sides[0] or not any("(" in side for side in sides[1:])
    found = [(_NOTE if are_alone else _LATER_NOTE).search(side) for side in sides]
    sides = [_unquoted(side[: note.start()]) if note else side for side, note in zip(sides, found, strict=True)]
    if not all(map(words, sides)):
        return line.rejection("one side is empty")
    if notation.doubtful and not wrong.marked and not alike(sides[0], sides[1]):
        return line.rejection("the two sides have nothing in common; write whole wordings on both")
    rights: list[str] = []
    for part in (part for side in sides[1:] for part in _wordings(sides[0], side)):
        try:
            rights += split_top(part, notation.separators)
        except UnbalancedError:
            rights.append(part)
    # Of what else a right side is joined with, some may be no wording.
    uncertain = uncertain or any(_OR.search(right) and not _OR.search(sides[0]) for right in rights)
    is_part = any(_is_part(sides[0], right) or (wrong.marked and not _END.search(right)) for right in rights)
    bad, *goods = [sides[0], *rights] if is_part else _with_one_end([sides[0], *map(squeeze, rights)])
    quote = "\n".join(dict.fromkeys(each.text.strip() for each in lines if each.block is line.block))
    notes = [*(note[1] for note in found if note), *(part.note for part in (wrong, *parts) if part.note)]
    if {*goods} == {bad}:
        return line.rejection("both sides are the same", quote)
    note = "; ".join(notes)
    return ListedPair(bad, tuple(goods), line, quote, wrong.code, wrong.rule, note, uncertain, is_part, wrong.marked)


def _wordings(bad: str, side: str) -> list[str]:
    """The wordings of a right side: its sentences, where each is like the one wrong one."""
    parts = [_unquoted(part) for part in _NEXT.split(side)]
    is_each = not _NEXT.search(bad) and all(_is_part(bad, part) or fuzz.ratio(bad, part) >= _LIKENESS for part in parts)
    return parts if is_each else [side]


def _unquoted(text: str) -> str:
    """A wording in one line, without quotation marks around the whole of it."""
    line = _MARKUP.sub("", squeeze(text).strip(" ,;"))
    quoted = _QUOTED.fullmatch(line)
    return quoted[2].strip() if quoted else line


def _with_one_end(sides: list[str]) -> list[str]:
    """The wordings with the same full stop, as the one behind both sides on a line ends the line, and capital."""
    end = next((match[0] for side in sides[:2] if (match := _END.search(side))), "")
    return [side if _END.search(side) else side + end for side in sides]


def mixed_pairs(blocks: list[Block], notations: Sequence[Notation]) -> Iterator[ListedPair | Rejection]:
    """The pairs of a list in order, each line read in the first of the notations that makes a pair of it.

    A line with a sign of one of them and no pair is a Rejection, where that notation makes any pair.
    """
    found = [(notation, item) for notation in notations for item in listed_pairs(blocks, notation)]
    used = {notation.name for notation, item in found if isinstance(item, ListedPair)}
    readers, pairs, faults = dict[tuple[object, ...], str](), list[ListedPair](), list[Rejection]()
    for notation, item in sorted(found, key=lambda each: isinstance(each[1], Rejection)):
        name, places = notation.name, places_of(item if isinstance(item, Rejection) else item.evidence)
        if any(readers.get(place, name) != name for place in places):
            continue
        if isinstance(item, ListedPair):
            pairs.append(item)
        elif name not in used or (notation.doubtful and len(used) > 1) or item in faults[-1:]:
            continue
        else:
            faults.append(item)
        readers |= dict.fromkeys(places, name)
    order = {block.id: place for place, block in enumerate(blocks)}
    yield from sorted(pairs, key=lambda pair: (order[pair.line.block.id], pair.line.number or 0))
    yield from faults


def places_of(text: Evidence | Rejection) -> set[tuple[object, ...]]:
    """The lines of a text; where its document has none, the text itself."""
    quote = text.quote if isinstance(text, Evidence) else text.text
    if text.line is None:
        return {(text.file, text.page, quote.strip())}
    return {(text.file, text.line + further) for further in range(quote.count("\n") + 1)}
