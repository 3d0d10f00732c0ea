"""Wordings behind labels, `Wrong: … Right: …`, or signs, `✗ … ✓ …`: which right ones belong to which wrong one."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.languages.linguistics.sentences import END_MARKS
from pairwright.records import Block, Rejection
from pairwright.rules import rejection
from pairwright.rules.error_lists.notation import Notation, any_of
from pairwright.text import squeeze, words

# A sign that is a word stands at the beginning of one: `correct:` is no part of `incorrect:`.
_WORD_START = r"(?:(?<!\w)(?=\w)|(?=\W))"
_ITEM_NUMBER = re.compile(r"\s*\(?\d{1,3}[.)]\s")
# A label that is a word may have a number, `Wrong 2:`, or a bracket, and a dash in place of its colon.
_LABEL_END = r"(?:\s*\(?\d{1,2}\)?|\s*\([^\W\d][^():]{0,40}\))?\s*(?::|\s[–—-]\s)"
_ENDS = frozenset(END_MARKS)
_QUOTES, _JOINTS = " \"'“”„«»‘’‚*_([", " ,;/|→–—-(["
# What marks or joins wordings without being part of one.
_MARKUP = re.compile(r"^~~|~~$|\s+[=-]>$")
# The least likeness, 0-100, of two wordings without a common word.
_LIKENESS = 50
# With more wordings in one item nothing tells which belong together; a longer wording is no sentence.
_MOST_WORDINGS, _LONGEST = 40, 1000
_TOO_MANY = f"more than {_MOST_WORDINGS} wordings stand together; part them"


class ListLine(NamedTuple):
    """A line of a list; `begins` where an item, a row, a paragraph or a text behind an empty line begins with it."""

    text: str
    block: Block
    number: int | None
    begins: bool

    def rejection(self, reason: str, text: str | None = None) -> Rejection:
        """The line, or a text of it, as one that could not be read."""
        return rejection(self.block, reason, text or self.text.strip(), self.number)


class Labelled(NamedTuple):
    """A wording behind a label; `loose` where the label may be a word of the sentence."""

    kind: str
    number: str
    text: str
    loose: bool
    line: ListLine
    note: str = ""


class Match(NamedTuple):
    """A wrong wording and its right ones, the likeliest first; `uncertain` where another one may be meant."""

    wrong: Labelled
    rights: tuple[Labelled, ...]
    uncertain: bool


def signs(marks: Iterable[str]) -> str:
    """A pattern for any of the marks where a word may begin."""
    return f"(?:{_WORD_START}{any_of(marks)})"


def alike(bad: str, good: str) -> bool:
    """Whether two wordings may say the same: they share a word, or most letters."""
    common = {word.casefold() for word in words(bad)} & {word.casefold() for word in words(good)}
    return bool(common) or fuzz.ratio(bad.casefold(), good.casefold()) >= _LIKENESS


def list_lines(blocks: Iterable[Block]) -> Iterator[ListLine]:
    """The lines of a list. Where a document has no lines, a paragraph goes on from the one before."""
    before: tuple[str, str] = ("", "")
    end = 0
    for block in blocks:
        distances = {(block.file, "paragraph"): (0, 1), (block.file, "list_item"): (1,)}.get(before, ())
        goes_on = block.kind == "paragraph" and (block.line or end) - end in distances
        for place, text in enumerate(block.text.split("\n")):
            number = block.row_lines[place] if block.row_lines else block.line and block.line + place
            begins = block.kind == "table" or (place == 0 and not goes_on) or _ITEM_NUMBER.match(text) is not None
            yield ListLine(text, block, number, begins)
        before, end = (block.file, block.kind), (block.line or 0) + block.text.count("\n")


def matches(blocks: Iterable[Block], notation: Notation) -> Iterator[Match | Rejection]:
    """The wrong wordings of a list with their right ones. What has a label and can't be used is a Rejection.

    A pair crosses an item, a row or an empty line only where wrong and right stand in items of their own, one behind
    the other. A wrong wording may have several right ones. Several of both kinds are certain only where they alternate
    or have numbers.
    """
    halves: list[Labelled] = []
    for group in _groups(blocks, _label_pattern(notation)):
        if isinstance(group, Rejection):
            yield group
            continue
        is_half = len({item.kind for item in group} - {"note"}) == 1
        if halves and not (is_half and group[0].line.block.section == halves[-1].line.block.section):
            yield from _matched(halves)
            halves = []
        if is_half:
            halves += group
        else:
            yield from _matched(group)
    yield from _matched(halves)


def _groups(blocks: Iterable[Block], label: re.Pattern[str]) -> Iterator[list[Labelled] | Rejection]:
    """The wordings of each item, row or paragraph; none where it has no label."""
    group, is_whole = list[Labelled](), False
    for line in list_lines(blocks):
        lead, labelled = _labelled(line, label)
        kinds = {item.kind for item in labelled}
        if len(labelled) > _MOST_WORDINGS:
            yield line.rejection(_TOO_MANY)
            labelled = []
        elif group and not line.begins and _goes_on(group[-1].text, lead):
            group[-1] = group[-1]._replace(text=squeeze(f"{group[-1].text} {lead}").strip(_JOINTS))
        elif not labelled and any(match["note"] is None for match in label.finditer(line.text)):
            yield line.rejection("a label counts only where its line begins or behind a sentence's end")
        both = {"wrong", "right"} <= kinds
        if line.begins or both or (is_whole and "wrong" in kinds):
            yield group
            group, is_whole = [], both
        group += labelled
    yield group


def _label_pattern(notation: Notation) -> re.Pattern[str]:
    kinds = {"wrong": notation.wrong_marks, "right": notation.right_marks}
    patterns = [rf"(?P<note>(?<!\w){any_of(notation.notes)}\s*:)"]
    for kind, marks in kinds.items():
        named = {mark[:-1] for mark in marks if mark[0].isalnum() and mark.endswith(":")}
        others = [mark for mark in marks if mark[:-1] not in named]
        patterns.append(rf"(?P<{kind}>(?<!\w){any_of(named)}{_LABEL_END}|{signs(others)}:?)")
    return re.compile("|".join(patterns), re.IGNORECASE)


def _labelled(line: ListLine, label: re.Pattern[str]) -> tuple[str, list[Labelled]]:
    """What stands before the first label of a line, and the wordings behind labels that stand where one may stand."""
    placed: list[tuple[re.Match[str], str, bool]] = []
    end, is_first = 0, True
    for match in label.finditer(line.text):
        *cells, before = line.text[end : match.start()].split("\t")
        before, kind, is_first = before.rstrip(_QUOTES), str(match.lastgroup), is_first or bool(cells)
        begins = before[-1:] in _ENDS or (is_first and not any(map(str.isalpha, before)))
        begins = begins or not match.group()[0].isalnum()
        is_joined = placed and (not before or before[-1] in "/;|→>–—-" or match.group()[0].isupper())
        if begins or is_joined or (placed and kind != placed[-1][1]):
            placed.append((match, kind, not begins and not is_joined))
        end, is_first = match.end(), False
    ends = [*(match.start() for match, *_ in placed), len(line.text)]
    labelled = []
    for (match, kind, loose), end in zip(placed, ends[1:], strict=True):
        text = squeeze(line.text[match.end() : end].strip().partition("\t")[0]).strip(_JOINTS)
        text = _MARKUP.sub("", text)
        text = text[:-1] if (text.endswith(")") and "(" not in text) or (text[-1:] == "]" and "[" not in text) else text
        labelled.append(Labelled(kind, "".join(re.findall(r"\d", match.group())), text, loose, line))
    return line.text[: ends[0]].strip(), labelled


def _goes_on(text: str, following: str) -> bool:
    """Whether a wording goes on in the next line: it is still empty, or a sentence that has not ended."""
    is_open = not text or (text[-1] not in _ENDS and following[:1].islower())
    return bool(following) and is_open and len(text) < _LONGEST


def _matched(group: list[Labelled]) -> Iterator[Match | Rejection]:
    """The matches of the wordings of one item, row or paragraph."""
    items: list[Labelled] = []
    for item in group:
        if item.kind == "note":
            items[-1:] = [last._replace(note=item.text) for last in items[-1:]]
        elif item.text:
            items.append(item)
        else:
            yield item.line.rejection("no wording stands behind the label")
    for unit in _units(items):
        yield from _unit_matches(unit)


def _units(items: list[Labelled]) -> Iterator[list[Labelled]]:
    """The wordings that belong together: of one number, or a run of wrong ones with the right ones behind it."""
    if all(item.number for item in items):
        for number in dict.fromkeys(item.number for item in items):
            yield sorted((item for item in items if item.number == number), key=lambda item: item.kind != "wrong")
        return
    runs = [list(run) for _, run in groupby(items, key=lambda item: item.kind)]
    is_odd, is_right_first = len(runs) % 2 == 1, items[0].kind == "right"
    if is_right_first and (is_odd or len(runs) < len(items)):
        yield items
        return
    if is_odd and len(runs) > 1 and len(runs[-2]) > 1:
        runs[-2:] = [[*runs[-2], *runs[-1]]]
    for place in range(0, len(runs), 2):
        yield [item for run in runs[place : place + 2] for item in run]


def _unit_matches(unit: list[Labelled]) -> Iterator[Match | Rejection]:
    """Each wrong wording with its right ones; where others may be meant, those that are like it."""
    if len(unit) > _MOST_WORDINGS:
        yield from (item.line.rejection(_TOO_MANY, item.text) for item in unit)
        return
    wrongs, rights = ([item for item in unit if item.kind == kind] for kind in ("wrong", "right"))
    n_items = len({id(item.line) for item in unit if item.line.begins})
    is_loose = any(item.loose for item in unit) or (n_items > 1 and len(unit) > 2)
    certain = len(wrongs) == 1 and (len(rights) == 1 or unit[0].kind == "wrong") and not is_loose
    certain = certain and all(alike(wrongs[0].text, right.text) and " / " not in right.text for right in rights)
    unused = list(rights)
    for wrong in wrongs:
        likely = [right for right in rights if alike(wrong.text, right.text) or (len(unit) == 2 and not is_loose)]
        goods = rights if certain else sorted(likely, key=lambda right: -fuzz.ratio(wrong.text, right.text))
        unused = [right for right in unused if right not in goods]
        if goods:
            yield Match(wrong, tuple(goods), uncertain=not certain)
        else:
            yield wrong.line.rejection("no right wording stands in the same item or paragraph", wrong.text)
    for right in unused:
        yield right.line.rejection("no wrong wording stands in the same item or paragraph", right.text)
