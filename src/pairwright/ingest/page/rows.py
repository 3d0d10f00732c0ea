"""Joins runs into words, rows and columns in reading order, whichever reader the runs come from."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from unicodedata import bidirectional, category

from pairwright.ingest.page.data import BBox, Run, union
from pairwright.ingest.page.glyphs import SUPERSCRIPTS

# The least gap between two words, and the least gap that sets words apart as if by a tab, in em.
SPACE = 0.12
TAB = 0.72
# The least white, in points, between two columns.
STRIP = 8.0


class Word:
    """Runs without a space between them. Raised digits are written as superscript digits.

    `main` is the run that gives the word its style: the largest, then the longest.
    """

    __slots__ = ("main", "runs", "text", "x0", "x1")

    def __init__(self, runs: tuple[Run, ...]) -> None:
        self.runs = runs
        self.x0 = runs[0].x0
        if len(runs) == 1:
            self.main, self.x1, self.text = runs[0], runs[0].x1, runs[0].text
            return
        self.main = main = max(runs, key=lambda run: (round(run.size, 1), len(run.text)))
        self.x1 = max(run.x1 for run in runs)
        self.text = "".join(_shown(run, main) for run in runs)


def hung(word: Word, n_marks: int) -> Word:
    """A word that stands where its letters begin: the marks before them, such as an asterisk, hang in the margin."""
    places = [x for run in word.runs for x in (run.xs or (run.x0,) * len(run.text))]
    if not 0 < n_marks < len(places):
        return word
    moved = Word(word.runs)
    moved.x0 = places[n_marks]
    return moved


def _shown(run: Run, main: Run) -> str:
    if run is not main and is_raised(run, main) and run.text.isdigit():
        return run.text.translate(SUPERSCRIPTS)
    return run.text


def is_raised(run: Run, main: Run) -> bool:
    """Whether a run is a superscript beside the run `main`."""
    return run.size < 0.87 * main.size and 0.15 * main.size < main.baseline - run.baseline < 0.75 * main.size


@dataclass(frozen=True)
class Row:
    """Words on one baseline, from left to right."""

    words: tuple[Word, ...]

    @cached_property
    def box(self) -> BBox:
        return union([run.box for word in self.words for run in word.runs])

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @cached_property
    def main(self) -> Run:
        """A run in the style of most of the row's characters."""
        weights: Counter[tuple[str, float]] = Counter()
        first: dict[tuple[str, float], Run] = {}
        for word in self.words:
            for run in word.runs:
                key = style(run)
                weights[key] += len(run.text)
                first.setdefault(key, run)
        return first[weights.most_common(1)[0][0]]

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
        parts: list[list[Word]] = [[self.words[0]]]
        for left, right in pairwise(self.words):
            if right.x0 - left.x1 > TAB * self.size:
                parts.append([])
            parts[-1].append(right)
        return tuple(Row(tuple(part)) for part in parts) if len(parts) > 1 else (self,)

    @cached_property
    def confidence(self) -> float | None:
        measured = [run.confidence for word in self.words for run in word.runs if run.confidence is not None]
        return sum(measured) / len(measured) if measured else None


def style(run: Run) -> tuple[str, float]:
    """A run's font without its subset, and its size in tenths of a point."""
    return run.font, round(run.size, 1)


def join_words(words: Sequence[Word]) -> str:
    """Words with spaces between them; neighbours that are read from right to left are put in their order."""
    texts = [word.text for word in words]
    if not any("\u0590" <= char <= "\u08ff" for text in texts for char in text):
        return " ".join(texts)
    ordered: list[str] = []
    pending: list[str] = []
    for text in texts:
        if _is_rtl(text):
            pending.insert(0, text)
        else:
            ordered += [*pending, text]
            pending = []
    return " ".join([*ordered, *pending])


def _is_rtl(text: str) -> bool:
    return next((bidirectional(char) for char in text if char.isalpha()), "L") in {"R", "AL"}


def rows(runs: Iterable[Run]) -> list[Row]:
    """Runs grouped by baseline, from top to bottom; raised and lowered runs join the row that they belong to."""
    lines = _merge_raised(_baselines(runs))
    found = [Row(tuple(_words(line))) for line in lines]
    return sorted(found, key=lambda row: (row.baseline, row.x0))


def _baselines(runs: Iterable[Run]) -> list[list[Run]]:
    lines: list[list[Run]] = []
    for run in sorted(runs, key=lambda run: (run.baseline, run.x0)):
        if lines and run.baseline - lines[-1][0].baseline < min(0.22 * run.size, 2.2):
            lines[-1].append(run)
        else:
            lines.append([run])
    return lines


def _merge_raised(lines: list[list[Run]]) -> list[list[Run]]:
    """Moves superscripts and subscripts, and signs of formulas that hang, to the lines of their neighbours."""
    kept: list[list[Run]] = [list(line) for line in lines]
    largest = [max((run.size for run in line), default=0.0) for line in kept]
    for number, line in enumerate(kept):
        around = 0.87 * max(largest[max(0, number - 2) : number + 3])
        signs = all(_is_sign(run) for run in line)
        for run in list(line):
            target = _host(run, kept, number) if run.size < around or signs else None
            if target is not None:
                line.remove(run)
                kept[target].append(run)
    return [sorted(line, key=lambda run: run.x0) for line in kept if line]


def _host(run: Run, lines: list[list[Run]], number: int) -> int | None:
    best: tuple[float, int] | None = None
    for other in (number - 1, number + 1, number - 2, number + 2):
        if not 0 <= other < len(lines):
            continue
        for main in lines[other]:
            above = main.baseline - run.baseline
            if (
                (run.size >= 0.87 * main.size and not _is_sign(run))
                or _is_sign(main)
                or not -0.4 * main.size < above < 0.75 * main.size
            ):
                continue
            gap = max(run.x0 - main.x1, main.x0 - run.x1)
            if (gap < 0.7 * main.size or _is_sign(run)) and (best is None or gap < best[0]):
                best = gap, other
    return best[1] if best else None


def _is_sign(run: Run) -> bool:
    """Whether a run is a sign of formulas, whose font sets it above or below the line, such as the root sign."""
    return len(run.text) == 1 and category(run.text) == "Sm"


def _words(line: list[Run]) -> Iterator[Word]:
    pending: list[Run] = []
    end = 0.0
    usual = max(run.size for run in line)
    for run in line:
        # Between small raised or lowered letters the kerning of formulas is no space.
        lowered = bool(pending) and max(run.size, pending[-1].size) < 0.8 * usual
        size = 1.9 * usual if lowered else max(run.size, pending[-1].size) if pending else 0.0
        if pending and pending[-1].text == "√" and run.text[0] == "-":
            # The root sign and its affixes are one form, with the space of formulas between them.
            size *= 3
        if pending and run.x0 - end > SPACE * size:
            yield Word(tuple(pending))
            pending = []
        end = max(end, run.x1) if pending else run.x1
        pending.append(run)
    if pending:
        yield Word(tuple(pending))


@dataclass(frozen=True)
class TextColumn:
    """Rows of one column of one zone of the page, in reading order, with the edges of its text."""

    rows: tuple[Row, ...]
    left: float
    right: float


def columns(page_rows: Sequence[Row], runs: Sequence[Run]) -> list[TextColumn]:
    """The columns of a page in reading order: zones from top to bottom, in each the columns from left to right."""
    if not page_rows:
        return []
    gutter = _gutter(page_rows)
    if gutter is None:
        return [_column(page_rows)]
    found: list[TextColumn] = []
    for zone, split in _zones(page_rows, gutter):
        if not split:
            found.append(_column(zone))
            continue
        inside = {id(run) for row in zone for word in row.words for run in word.runs}
        members = [run for run in runs if id(run) in inside]
        for side in ([run for run in members if run.x0 < gutter], [run for run in members if run.x0 >= gutter]):
            if side:
                found.append(_column(rows(side)))
    return found


def _column(members: Sequence[Row]) -> TextColumn:
    starts = Counter(round(row.x0) for row in members)
    common = [x for x, count in starts.items() if count >= max(2, 0.08 * len(members))]
    left = min(common) if common else min(row.x0 for row in members)
    return TextColumn(tuple(members), float(left), max(row.x1 for row in members))


def _gutter(page_rows: Sequence[Row]) -> float | None:
    """The middle of the space between two columns of running text, None where the page has one column.

    Tables and glossed examples have gaps too; columns of prose fill both sides with several words a row, rarely have
    other gaps, and the right side begins at one place.
    """
    left, right = min(row.x0 for row in page_rows), max(row.x1 for row in page_rows)
    width = right - left
    votes: Counter[int] = Counter()
    for row in page_rows:
        for one, two in pairwise(row.words):
            if two.x0 - one.x1 > 0.8 * row.size and left + 0.3 * width < two.x0 < left + 0.7 * width:
                votes[round(two.x0)] += 1
    strip = _strip(page_rows, left, width)
    if not votes or strip is not None:
        return strip
    start = max(votes, key=lambda x: (sum(votes[x + shift] for shift in (-1, 0, 1)), -x))
    split = [row for row in page_rows if _crosses(row, start) is False]
    near = sum(votes[start + shift] for shift in (-1, 0, 1))
    if near < 8 or near < 0.4 * len(split) or len(split) < 0.35 * len(page_rows):
        return None
    sides = [
        [word for word in row.words if (word.x0 >= start - 2) is later] for row in split for later in (False, True)
    ]
    filled = [side for side in sides if side]
    tabs = sum(b.x0 - a.x1 > 1.2 * a.main.size for side in filled for a, b in pairwise(side))
    if tabs > 0.2 * len(filled) or sum(map(len, filled)) < 2.2 * len(filled):
        return None
    return start - 2.0


def _strip(page_rows: Sequence[Row], left: float, width: float) -> float | None:
    """The white strip between two columns whose rows do not stand on the same baselines, as in an index.

    No word crosses it, and most rows have words on one side only, first on one side, then on the other.
    """
    words = sorted((word.x0, word.x1) for row in page_rows for word in row.words)
    end, found = words[0][1], None
    for x0, x1 in words[1:]:
        if x0 - end > STRIP and left + 0.35 * width < x0 < left + 0.65 * width:
            found = x0
        end = max(end, x1)
    if found is None:
        return None
    single = [row.x0 >= found for row in page_rows if (row.x0 >= found) == (row.x1 > found)]
    turns = sum(one != two for one, two in pairwise(single))
    return found - 2.0 if len(single) > 0.5 * len(page_rows) and turns > 12 else None


def _crosses(row: Row, start: float) -> bool | None:
    """True where a word or a normal space lies across the gutter, False where a gap does, None with one side empty."""
    for one, two in pairwise(row.words):
        if one.x1 <= start + 1 and two.x0 >= start - 2:
            return not two.x0 - one.x1 > 0.8 * row.size
    if row.x0 >= start - 2 or row.x1 <= start:
        return None
    return True


def _zones(page_rows: Sequence[Row], gutter: float) -> Iterator[tuple[list[Row], bool]]:
    zone: list[Row] = []
    split = False
    for row in page_rows:
        crosses = _crosses(row, gutter + 2.0)
        # A row with one side empty may end a paragraph over the whole width, or stand in a column: it goes with the
        # rows above it.
        divided = split if crosses is None and zone else not crosses
        if zone and divided != split:
            yield zone, split
            zone = []
        split = divided
        zone.append(row)
    if zone:
        yield zone, split
