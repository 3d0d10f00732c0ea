"""Joins runs into words, rows, columns and running text, whichever reader the runs come from.

The places of words tell whether rows stand over each other in columns, as an object line and its glosses do.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import median
from typing import TypeVar
from unicodedata import category, normalize

from pairwright.documents.lines.data import SUPERSCRIPTS, BBox, Profile, Run, is_leftward, union

# The least gap, in em, between two words, between two cells of a table, and one that sets words apart as if by a tab.
SPACE, CELL_GAP, TAB = 0.12, 0.55, 0.72
# The most room, in em, that prose leaves at the end of a full row, with the white between two columns.
FULL = 3.5
# Rows of one column of prose are no farther apart, in em.
NEAR = 1.7

# The font of lines of text that were set as rows: their words also correspond by their count.
TEXT = "text"

# Superscript digits and letters, and the signs that mark notes.
SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃ-ᵏᵐᵒᵖᵗᵘᵛᶜᶠᶻⁱⁿʰʲˡʳˢʷˣʸ"
SIGNS = "*†‡§¶"
_SIGN = rf"[{SUPERSCRIPT}]+(?:,[{SUPERSCRIPT}]+)*|[{SIGNS}]+"
_BEFORE = re.compile(rf"^(?:[{SUPERSCRIPT}]+|[{SIGNS}]+)")
_AFTER = re.compile(rf"(?<=\S)(?P<mark>{_SIGN})$")

T = TypeVar("T")
# A font without its subset, and its size in tenths of a point.
StyleKey = tuple[str, float]


def cluster(items: Iterable[T], joins: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Items in order, in groups: each joins the group before it, or begins a new one."""
    groups: list[list[T]] = []
    for item in items:
        if groups and joins(groups[-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def count_while(rows: Sequence["Row"], goes_on: Callable[[int], bool]) -> int:
    """How many rows belong to the first: those after it as long as `goes_on` is true of their index."""
    return next((index for index in range(1, len(rows)) if not goes_on(index)), len(rows))


class Word:
    """Runs without a space between them, raised digits as superscript digits. It begins at `x0`, or with its first run.

    `main`, the largest run and of those the longest, gives the word its style.
    """

    __slots__ = ("main", "runs", "text", "x0", "x1")

    def __init__(self, runs: tuple[Run, ...], x0: float | None = None, text: str | None = None) -> None:
        self.runs = runs
        self.x0 = runs[0].x0 if x0 is None else x0
        if len(runs) == 1:
            self.main, self.x1, self.text = runs[0], runs[0].x1, runs[0].text if text is None else text
            return
        self.main = main = max(runs, key=lambda run: (round(run.size, 1), len(run.text)))
        self.x1 = max(run.x1 for run in runs)
        self.text = text or "".join(
            run.text.translate(SUPERSCRIPTS) if run.text.isdigit() and is_raised(run, main) else run.text
            for run in runs
        )


def is_raised(run: Run, main: Run) -> bool:
    """Whether a run is a superscript beside the run `main`."""
    return run.size < 0.87 * main.size and 0.15 * main.size < main.baseline - run.baseline < 0.75 * main.size


def split_mark(word: Word, main: Run | None = None) -> tuple[Word | None, str]:
    """A word without the marks of notes behind it, and the marks; None for a word that is but a mark beside `main`."""
    *before, last = word.runs
    if before and (is_raised(last, word.main) or re.fullmatch(_SIGN, last.text)):
        return Word(tuple(before), word.x0), last.text
    if not before and main and is_raised(last, main):
        return None, last.text
    sign = _AFTER.search(last.text)
    return (Word((*before, cut_run(last, 0, sign.start())), word.x0), sign["mark"]) if sign else (word, "")


def leading_mark(row: "Row") -> tuple[str, "Row | None"]:
    """The raised mark or sign of a note with which a row begins, and what follows it; an empty mark without one."""
    first, *others = row.words
    run, *more = first.runs
    sign = None if is_raised(run, row.main) else _BEFORE.match(run.text)
    if sign is None and not is_raised(run, row.main):
        return "", row
    if sign and sign.end() < len(run.text):
        more = [cut_run(run, sign.end(), len(run.text)), *more]
    words = [*([Word(tuple(more))] if more else []), *others]
    return sign.group() if sign else run.text, Row(tuple(words)) if words else None


def cut_run(run: Run, start: int, end: int) -> Run:
    """A part of a run; it ends where the next character begins."""
    x0 = run.xs[start] if run.xs else run.x0
    x1 = run.xs[end] if run.xs and end < len(run.xs) else run.x1
    return run._replace(text=run.text[start:end], xs=run.xs[start:end], x0=x0, x1=x1)


@dataclass(frozen=True)
class Row:
    """Words on one baseline, from left to right."""

    words: tuple[Word, ...]

    @cached_property
    def runs(self) -> list[Run]:
        return [run for word in self.words for run in word.runs]

    @cached_property
    def box(self) -> BBox:
        return union(run.box for run in self.runs)

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @cached_property
    def main(self) -> Run:
        """A run in the style of most of the row's characters."""
        first = self.runs[0]
        if all(run.size == first.size and run.font == first.font for run in self.runs):
            return first
        usual = style_counts(self.runs).most_common(1)[0][0]
        return next(run for run in self.runs if style(run) == usual)

    @property
    def size(self) -> float:
        return self.main.size

    @cached_property
    def baseline(self) -> float:
        return median(word.main.baseline for word in self.words)

    @cached_property
    def text(self) -> str:
        return join_words(self.words)

    @cached_property
    def cells(self) -> tuple["Row", ...]:
        """The row cut where its words are set apart as by a tab."""
        parts = self.cut(TAB * self.size)
        return tuple(parts) if len(parts) > 1 else (self,)

    @property
    def table_cells(self) -> list["Row"]:
        """The row cut as a table's rows are: by less white than `cells`."""
        return self.cut(CELL_GAP * self.size)

    def cut(self, gap: float) -> list["Row"]:
        """The row cut where the white between two words is wider than `gap` points."""
        return filled_rows(cluster(self.words, lambda group, word: word.x0 - group[-1].x1 <= gap))

    @property
    def measured(self) -> bool:
        """Whether the row was read by its picture."""
        return self.words[0].main.confidence is not None


def filled_rows(lines: Iterable[Iterable[Word]]) -> list[Row]:
    """The rows of words in lines; lines without a word are left out."""
    return [Row(words) for words in map(tuple, lines) if words]


def is_text(row: Row) -> bool:
    """Whether a row is a line of text, whose words are in the order of reading."""
    return row.words[0].main.font == TEXT


def style(run: Run) -> StyleKey:
    """A run's font without its subset, and its size in tenths of a point."""
    return run.font, round(run.size, 1)


def style_counts(runs: Iterable[Run]) -> Counter[StyleKey]:
    """How many characters of runs are in each style."""
    counts = Counter[StyleKey]()
    for run in runs:
        counts[style(run)] += len(run.text)
    return counts


def join_words(words: Sequence[Word]) -> str:
    """Words with spaces between them; on a page, neighbours that are read from right to left are put in their order."""
    if not any("\u0590" <= char <= "\u08ff" for word in words for char in word.text) or words[0].main.font == TEXT:
        return " ".join(word.text for word in words)
    ordered: list[str] = []
    for leftward, group in groupby((word.text for word in words), key=is_leftward):
        texts = list(group)
        ordered += reversed(texts) if leftward else texts
    return " ".join(ordered)


def rows(runs: Iterable[Run]) -> list[Row]:
    """Runs grouped by baseline, from top to bottom; raised and lowered runs join the row that they belong to."""
    by_place = sorted(runs, key=lambda run: (run.baseline, run.x0))
    lines = cluster(by_place, lambda line, run: run.baseline - line[0].baseline < min(0.22 * run.size, 2.2))
    return sorted((Row(_words(line)) for line in _merge_raised(lines)), key=lambda row: (row.baseline, row.x0))


def _merge_raised(lines: list[list[Run]]) -> list[list[Run]]:
    """Moves superscripts and subscripts, and signs of formulas that hang, to the lines of their neighbours."""
    largest = [max(run.size for run in line) for line in lines]
    for number, line in enumerate(lines):
        around = 0.87 * max(largest[max(0, number - 2) : number + 3])
        signs = all(_is_sign(run) for run in line)
        for run in list(line):
            target = _host(run, lines, number) if run.size < around or signs else None
            if target is not None:
                line.remove(run)
                lines[target].append(run)
    return [sorted(line, key=lambda run: run.x0) for line in lines if line]


def _host(run: Run, lines: list[list[Run]], number: int) -> int | None:
    """The line of the nearest run that a raised, lowered or hanging run belongs to."""
    hosts: list[tuple[float, int]] = []
    for other in (number - 1, number + 1, number - 2, number + 2):
        for main in lines[other] if 0 <= other < len(lines) else ():
            gap = max(run.x0 - main.x1, main.x0 - run.x1)
            near = -0.4 * main.size < main.baseline - run.baseline < 0.75 * main.size and not _is_sign(main)
            if near and (_is_sign(run) or (run.size < 0.87 * main.size and gap < 0.7 * main.size)):
                hosts.append((gap, other))
    return min(hosts, key=itemgetter(0))[1] if hosts else None


def _is_sign(run: Run) -> bool:
    """Whether a run is a sign of formulas, whose font sets it above or below the line, such as the root sign."""
    return len(run.text) == 1 and category(run.text) == "Sm"


def _words(line: list[Run]) -> tuple[Word, ...]:
    usual = max(run.size for run in line)

    def joins(word: list[Run], run: Run) -> bool:
        size = max(run.size, word[-1].size)
        # Between small raised or lowered letters the kerning of formulas is no space.
        size = 1.9 * usual if size < 0.8 * usual else size
        # The root sign and its affixes are one form, with the space of formulas between them.
        size *= 3 if word[-1].text == "√" and run.text[0] == "-" else 1
        return run.x0 - max(part.x1 for part in word) <= SPACE * size

    return tuple(Word(tuple(runs)) for runs in cluster(line, joins))


@dataclass(frozen=True)
class TextColumn:
    """Rows of one column of one zone of the page, in reading order, with the edges of its text."""

    rows: tuple[Row, ...]
    left: float
    right: float


def columns(page_rows: Sequence[Row], usual: float | None = None) -> list[TextColumn]:
    """The columns of a page in reading order: zones from top to bottom, in each the columns from left to right.

    `usual` is the gutter of a book in two columns.
    """
    if not page_rows:
        return []
    gutter, parted = _gutter(page_rows) if usual is None else (usual, page_rows)
    if gutter is None:
        return [_column(page_rows)]
    page_columns = []
    for zone, split in _zones(page_rows, gutter, parted):
        runs = [run for row in zone for run in row.runs]
        sides = [rows(run for run in runs if (run.x0 >= gutter) is right) for right in (False, True)]
        page_columns += [_column(side) for side in (sides if split else [zone]) if side]
    return page_columns


def _column(members: Sequence[Row]) -> TextColumn:
    starts = Counter(round(row.x0) for row in members)
    common = [x for x, count in starts.items() if count >= max(2, 0.08 * len(members))]
    left = min(common, default=min(row.x0 for row in members))
    return TextColumn(tuple(members), float(left), max(row.x1 for row in members))


def _gutter(page_rows: Sequence[Row]) -> tuple[float | None, Sequence[Row]]:
    """The middle of the space between two columns of running text, None where the page has one column, and the rows
    that may be parted there.

    Columns of prose, unlike tables and examples, fill both sides with several words a row and few other gaps.
    """
    left, right = min(row.x0 for row in page_rows), max(row.x1 for row in page_rows)
    width = right - left
    votes = Counter(
        round(two.x0)
        for row in page_rows
        for one, two in pairwise(row.words)
        if two.x0 - one.x1 > 0.8 * row.size and left + 0.3 * width < two.x0 < left + 0.7 * width
    )
    if not votes:
        return None, ()
    start = max(votes, key=lambda x: (sum(votes[x + shift] for shift in (-1, 0, 1)), -x))
    split = [row for row in page_rows if _crosses(row, start) is False]
    near = sum(votes[start + shift] for shift in (-1, 0, 1))
    if near < 8:
        return None, ()
    if near >= 0.4 * len(split) and len(split) >= 0.35 * len(page_rows) and _is_prose(split, start):
        return start - 2.0, page_rows
    run = _prose_in_two(page_rows, start)
    return (start - 2.0, run) if run and _is_prose(run, start) else (None, ())


def usual_gutter(book: Sequence[Sequence[Row]]) -> float | None:
    """Where the right columns of a book in two columns begin: on most pages several rows do, and few lie across it."""
    pages = [page for page in book if len(page) > 15]
    starts = Counter[float]()
    for page in pages:
        left, right = min(row.x0 for row in page), max(row.x1 for row in page)
        inner = (round(word.x0) for row in page for word in _after_gaps(row))
        counts = Counter(x for x in inner if 0.3 * (right - left) < x - left < 0.7 * (right - left))
        starts.update(x for x, n in counts.items() if n > 2 and _parts(page, x))
    start, n = max(starts.items(), key=itemgetter(1), default=(0.0, 0))
    return start - 2.0 if n > 2 and n > 0.6 * len(pages) else None


def _after_gaps(row: Row) -> list[Word]:
    """The words of a row that begin it or stand behind a wide gap."""
    return [row.words[0], *(two for one, two in pairwise(row.words) if two.x0 - one.x1 > 0.8 * row.size)]


def _parts(page: Sequence[Row], start: float) -> bool:
    """Whether few rows of a page lie across a gutter, and both sides of it have several words a row."""
    crossing = sum(_crosses(row, start) is True for row in page)
    sides = [[word.x0 >= start - 2 for word in row.words] for row in page]
    filled = [sum(is_right is right for is_right in side) for side in sides for right in (False, True)]
    return crossing < 0.25 * len(page) and sum(filled) > 2.2 * sum(map(bool, filled))


def _is_prose(parted: Sequence[Row], start: float) -> bool:
    """Whether the two sides of rows have several words each and few gaps."""
    sides = (
        [word for word in row.words if (word.x0 >= start - 2) is right] for row in parted for right in (False, True)
    )
    filled = [side for side in sides if side]
    tabs = sum(b.x0 - a.x1 > 1.2 * a.main.size for side in filled for a, b in pairwise(side))
    return tabs <= 0.2 * len(filled) and sum(map(len, filled)) >= 2.2 * len(filled)


def _prose_in_two(page_rows: Sequence[Row], start: float) -> list[Row]:
    """The most rows after each other that a gutter parts and that mostly fill both sides, as columns of prose do."""
    runs = [list(run) for parted, run in groupby(page_rows, lambda row: _crosses(row, start) is False) if parted]
    longest = max(runs, key=len, default=[])
    right = max((row.x1 for row in longest), default=0.0)

    def is_full(row: Row) -> bool:
        end = max((word.x1 for word in row.words if word.x1 <= start + 1), default=0.0)
        return end > start - FULL * row.size and row.x1 > right - FULL * row.size

    return longest if len(longest) >= 8 and sum(map(is_full, longest)) > 0.7 * len(longest) else []


def _crosses(row: Row, start: float) -> bool | None:
    """True where a word or a normal space lies across the gutter, False where a gap does, None with one side empty."""
    for one, two in pairwise(row.words):
        if one.x1 <= start + 1 and two.x0 >= start - 2:
            return not two.x0 - one.x1 > 0.8 * row.size
    return None if row.x0 >= start - 2 or row.x1 <= start else True


def _zones(page_rows: Sequence[Row], gutter: float, parted: Sequence[Row]) -> list[tuple[list[Row], bool]]:
    """The rows in zones of one column or two, of which all are among `parted`.

    A row with one side empty, which may end a paragraph over the whole width or stand in a column, goes with the rows
    above it; below a few parted rows only where it is near.
    """
    split: list[bool] = []
    in_two = set(map(id, parted))
    few = len(parted) < len(page_rows)
    for above, row in zip([page_rows[0], *page_rows], page_rows, strict=False):
        crosses = _crosses(row, gutter + 2.0)
        near = not few or row.baseline - above.baseline < NEAR * row.size
        split.append(split[-1] and near if crosses is None and split else not crosses and id(row) in in_two)
    zones = groupby(zip(page_rows, split, strict=True), key=itemgetter(1))
    return _with_whole_lines([([row for row, _ in zone], in_two) for in_two, zone in zones])


def _with_whole_lines(zones: Sequence[tuple[list[Row], bool]]) -> list[tuple[list[Row], bool]]:
    """Zones in which a row that a gutter parts by chance is whole: it begins where the whole row right below it does,
    as the object line of an example does."""
    merged: list[tuple[list[Row], bool]] = []
    for members, in_two in zones:
        above = merged[-1][0] if merged and merged[-1][1] and not in_two else []
        if (
            above
            and members[0].baseline - above[-1].baseline < 1.6 * above[-1].size
            and _begin_alike(above, members[0])
        ):
            members = [above.pop(), *members]
            merged = merged if above else merged[:-1]
        if merged and merged[-1][1] == in_two:
            merged[-1][0].extend(members)
        else:
            merged.append((members, in_two))
    return merged


def _begin_alike(above: Sequence[Row], row: Row) -> bool:
    """Whether the last row above begins where a row does, and the row before it elsewhere or far away."""
    *before, last = above
    near = bool(before) and last.baseline - before[-1].baseline < 1.6 * last.size
    return abs(last.x0 - row.x0) < 2 and not (near and abs(before[-1].x0 - last.x0) < 2)


# What is no letter at the ends of a word; combining marks belong to letters.
_EDGES = re.compile(r"^[^\w\u0300-\u036f]+|(?:[^\w\u0300-\u036f]|[⁰¹²³⁴⁵⁶⁷⁸⁹])+$")
_CUT = re.compile(r"[^\W\d_][\u0300-\u036f]*[-‐]$")
# The least letters of the halves of a compound that is cited; other words with a hyphen have more.
COMPOUND = 3


def is_cut(text: str, following: str) -> bool:
    """Whether a line end may cut a word: a text ends in a letter with a hyphen, and what follows begins small."""
    return following[:1].islower() and _CUT.search(text) is not None


def joined(text: str, following: str) -> str:
    """A text with what follows on the next line, and the word between them whole."""
    return text[:-1] + following if is_cut(text, following) else f"{text} {following}".strip()


def join_rows(members: Sequence[Row], profile: Profile) -> str:
    """Rows as one text; a word that is cut at a line's end is joined, its hyphen kept only where the book has it so."""
    text = members[0].text
    for above, row in pairwise(members):
        following = row.text
        if is_cut(text, following):
            head, tail = text.split()[-1], following.split()[0]
            keep = _is_hyphenated(head, tail, _is_cited(above, row), profile.words)
            text = (text if keep else text[:-1]) + following
        elif len(text) > 1 and text[-1] in "-‐/" and text[-2].isalnum():
            text += following
        else:
            text = f"{text} {following}"
    return text


def _is_cited(above: Row, row: Row) -> bool:
    """Whether the word that is cut at a line's end is set in italics within the text, as forms that are cited are."""
    head, tail = above.words[-1].main, row.words[0].main
    return head.italic and tail.italic and not (above.main.italic and row.main.italic)


def _is_hyphenated(head: str, tail: str, cited: bool, book_words: frozenset[str]) -> bool:
    """Whether the hyphen between two halves of a word belongs to it: the book has it so, or has both halves and not the
    whole. A short half counts in a form that is cited, where the book has it as a morpheme."""
    tail, bare = _EDGES.sub("", tail).lower(), _EDGES.sub("", head[:-1]).lower()
    if bare + tail in book_words:
        return False
    if f"{bare}-{tail}" in book_words:
        return True
    first, last = bare.split("-")[-1], tail.split("-")[0]
    begins, goes_on = not book_words.isdisjoint({f"{first}-", f"-{first}"}), f"-{last}" in book_words
    if cited and begins and goes_on:
        return True
    stand_alone = bare in book_words, tail in book_words
    if cited:
        return all(stand_alone) and min(len(bare), len(tail)) >= COMPOUND
    is_half = begins or stand_alone[0], goes_on or stand_alone[1]
    return all(is_half) and min(len(bare), len(tail)) > COMPOUND


CATEGORY = re.compile(r"(?<![^\W\d_])(?:[A-ZÀ-Ž]{2,}|[123](?:[A-Z]{2}|sg|pl|du|SG|PL|DU)?)(?![^\W\d_])")
_INNER_CUT = re.compile(r"\w[-=]\w")
# How far apart words of one column may begin, in points.
TOLERANCE = 1.6
# The least share of words that begin where one of the other row does, of an object line and its glosses in examples
# with a number, and in others.
LEAST, SURE = 0.6, 0.8


def begins_at(word: Word, starts: Iterable[float]) -> bool:
    """Whether a word stands at the start of a column."""
    return any(abs(word.x0 - start) < TOLERANCE for start in starts)


def are_aligned(one: Row, two: Row) -> bool:
    """Whether the words of two rows stand in columns, or are as many, and each pair of them has as many hyphens and
    equals signs (rule 2 of the Leipzig Glossing Rules), as in plain text."""
    return stand_over(one, two, LEAST) or (len(one.words) > 1 and _have_equal_cuts(one, two))


def stand_over(one: Row, two: Row, least: float = SURE) -> bool:
    """Whether the `least` share of the words of two rows begin where one of the other does; lines of text have but as
    many words."""
    if is_text(one) and len(one.words) == len(two.words):
        return True
    starts = [word.x0 for word in two.words]
    return sum(begins_at(word, starts) for word in one.words) / max(len(one.words), len(two.words)) >= least


def is_glossed(one: Row, two: Row) -> bool:
    """Whether a row shows that it glosses the row above it: its words stand below, and have more grammatical categories
    or as many hyphens and equals signs, word by word."""
    if not stand_over(one, two):
        return False
    categories = [sum(CATEGORY.search(word.text) is not None for word in row.words) for row in (one, two)]
    return categories[0] < categories[1] or _have_equal_cuts(one, two)


def is_label(text: str) -> bool:
    """Whether a word of a line of text is a gloss by its looks: with a category or a hyphen."""
    return CATEGORY.search(text) is not None or "-" in text


def _have_equal_cuts(one: Row, two: Row) -> bool:
    if len(one.words) != len(two.words):
        return False
    cuts = [[sum(char in "-=" for char in word.text) for word in row.words] for row in (one, two)]
    # A list of affixes has hyphens at their edges alone.
    return cuts[0] == cuts[1] and any(_INNER_CUT.search(word.text) for word in one.words)


def letters(words: Iterable[str]) -> str:
    """The small base letters of words: without accents and marks of tones, which a segmentation often leaves out."""
    return "".join(char for word in words for char in normalize("NFD", word.casefold()) if char.isalpha())
