"""Learns the style of a book in one cheap pass: type and leading, running heads, contents pages, heading styles."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from pairwright.ingest.page.data import HeadingStyle, OutlineEntry, PageData, Profile
from pairwright.ingest.page.rows import Row, Word, rows, style
from pairwright.text import words

# "3", "3.2.1", "§ 12", "Chapter 4", "Appendix B", "IV": the number of a heading, then its title.
NUMBER = re.compile(
    r"^(?:(?P<word>(?:Chapter|Part|Appendix|Section)\s|§)\s*)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|(?:[IVXLC]+|[A-Z])(?(word)(?:\.\d{1,3})*|(?=[.:]|\.\d))(?:\.\d{1,3})*)"
    r"(?P<dot>[.:]?)(?=\s+\S|$)"
)
PAGE_NUMBER = re.compile(r"^[\[(–—-]?\s*(?:\d{1,5}|[ivxlcdm]{1,8}|[IVXLCDM]{1,8})\s*[\])–—-]?$")
LEADER = re.compile(r"(?:\s?[.·…]){3,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")
CONTENTS_END = re.compile(r"\S\s+(?:\d{1,4}|[ivxlc]{1,7})$")
MAX_HEADING = 120
# By how much a heading without a number is larger than the text; sizes that were measured on ink are less sure.
LARGER, LARGER_INK = 1.1, 1.2
MAX_WORDS = 300_000
MAX_SAMPLE = 150
OPENING = 24
CHUNK = 6

StyleKey = tuple[str, float]


def sample(n_pages: int) -> list[int]:
    """The pages to learn from: all of a short book, else its opening and evenly spread runs of six pages."""
    if n_pages <= MAX_SAMPLE:
        return list(range(1, n_pages + 1))
    step = max(CHUNK, (n_pages - OPENING) * CHUNK // (MAX_SAMPLE - OPENING))
    spread = {page for start in range(OPENING + 1, n_pages + 1, step) for page in range(start, start + CHUNK)}
    return sorted({*range(1, OPENING + 1), *(page for page in spread if page <= n_pages)})


def is_contents(page_rows: Sequence[Row]) -> bool:
    """Whether a page is a table of contents: many of its rows end in a page number, after dots or far to the right."""
    if len(page_rows) < 6:
        return False
    leaders = sum(bool(LEADER.search(row.text)) for row in page_rows)
    far = sum(len(row.cells) > 1 and bool(PAGE_NUMBER.match(row.cells[-1].text)) for row in page_rows)
    numbered = sum(bool(NUMBER.match(row.text)) and bool(CONTENTS_END.search(row.text)) for row in page_rows)
    return (
        leaders > 0.4 * len(page_rows)
        or (leaders >= 3 and leaders + far > 0.5 * len(page_rows))
        or (far > 0.6 * len(page_rows) and numbered > 0.4 * len(page_rows))
    )


class _RowStyle(NamedTuple):
    """How a row begins: its style, whether that style is bold, the depth of its heading number (0 without one).

    `measured` says that the size was measured on ink.
    """

    page: int
    baseline: float
    key: StyleKey
    bold: bool
    depth: int
    chars: int
    whole: bool
    measured: bool


def _row_style(row: Row, page: int) -> _RowStyle:
    head = leading_words(row)
    key = style(head[0].main)
    found = NUMBER.match(" ".join(word.text for word in head))
    numbered = found is not None and len(head) > 1 and not LEADER.search(row.text)
    return _RowStyle(
        page,
        row.baseline,
        key,
        head[0].main.bold,
        depth(found) if found and numbered else 0,
        len(row.text),
        len(head) == len(row.words),
        head[0].main.confidence is not None,
    )


class _End(NamedTuple):
    """The first or last row of a page: its baseline, its distance from the next row, its size, whether it is outermost
    on the page, and its text."""

    place: int
    gap: float
    size: float
    outer: bool
    text: str

    @classmethod
    def of(cls, row: Row, gap: float, outer: bool) -> "_End":
        return cls(round(row.baseline), gap, row.size, outer, without_digits(row.text))


@dataclass
class _Seen:
    """How often a style begins a row, and how."""

    rows: int = 0
    numbered: int = 0
    pages: set[int] = field(default_factory=set)
    depths: Counter[int] = field(default_factory=Counter)
    chars: int = 0
    bold: bool = False
    measured: bool = False


def learn(
    pages: Iterable[PageData],
    n_pages: int,
    outline: tuple[OutlineEntry, ...] = (),
    small_capitals: frozenset[tuple[str, int]] = frozenset(),
) -> Profile:
    """The profile of a book from some or all of its pages, in page order. Memory grows with its words, not pages."""
    learner = _Learner()
    for page in pages:
        learner.add(page)
    body_font, body_size = learner.body()
    head_below, foot_above, heads = learner.furniture()
    return Profile(
        body_font=body_font,
        body_size=body_size,
        leading=learner.leading(body_size),
        head_below=head_below,
        foot_above=foot_above,
        heads=heads,
        headings=learner.headings((body_font, body_size)),
        outline=outline,
        words=frozenset(learner.words),
        contents=frozenset(learner.contents),
        small_capitals=small_capitals,
        n_pages=n_pages,
    )


class _Learner:
    def __init__(self) -> None:
        self.styles: Counter[StyleKey] = Counter()
        self.gaps: Counter[tuple[float, float]] = Counter()
        self.first: list[_End] = []
        self.last: list[_End] = []
        self.seen: dict[StyleKey, _Seen] = defaultdict(_Seen)
        self.outer: list[_RowStyle] = []
        self.words: set[str] = set()
        self.contents: set[int] = set()

    def add(self, page: PageData) -> None:
        for run in page.runs:
            self.styles[style(run)] += len(run.text)
        page_rows = rows(page.runs)
        if not page_rows:
            return
        for one, two in pairwise(page_rows):
            self.gaps[round(two.size, 1), round(two.baseline - one.baseline, 1)] += 1
        self._ends(page_rows, page.height)
        if is_contents(page_rows):
            self.contents.add(page.number)
            return
        for number, row in enumerate(page_rows):
            outer = number == 0 or number == len(page_rows) - 1
            (self.outer.append if outer else self._count)(_row_style(row, page.number))
            if len(self.words) < MAX_WORDS:
                self.words.update(word.lower() for word in words(row.text)[:-1] if len(word) > 2)

    def _ends(self, page_rows: Sequence[Row], height: float) -> None:
        if len(page_rows) > 2:
            first, second, last, before = page_rows[0], page_rows[1], page_rows[-1], page_rows[-2]
            self.first.append(_End.of(first, second.baseline - first.baseline, first.baseline < 0.2 * height))
            self.last.append(_End.of(last, last.baseline - before.baseline, last.baseline > 0.8 * height))

    def _count(self, row: "_RowStyle") -> None:
        if not row.whole and not row.depth:
            return
        seen = self.seen[row.key]
        seen.rows += 1
        seen.pages.add(row.page)
        seen.chars += row.chars
        seen.bold, seen.measured = row.bold, row.measured
        if row.depth:
            seen.numbered += 1
            seen.depths[row.depth] += 1

    def body(self) -> StyleKey:
        return self.styles.most_common(1)[0][0] if self.styles else ("", 10.0)

    def leading(self, body_size: float) -> float:
        """The most usual distance between rows of the body's size."""
        gaps = Counter({gap: count for (size, gap), count in self.gaps.items() if size == body_size and gap > 4})
        if not gaps:
            return 1.25 * body_size
        return max(gaps, key=lambda gap: gaps[gap] + gaps[round(gap + 0.1, 1)] + gaps[round(gap - 0.1, 1)])

    def furniture(self) -> tuple[float | None, float | None, frozenset[str]]:
        """Where running heads end, where page numbers begin, and what running heads say."""
        largest = 1.15 * self.body()[1]
        leading = self.leading(self.body()[1])
        top, heads = _recurring(self.first, largest, leading)
        bottom, feet = _recurring(self.last, largest, leading)
        below, above = (None if top is None else top + 3.0), (None if bottom is None else bottom - 3.0)
        for row in self.outer:
            if not (below and row.baseline < below) and not (above and row.baseline > above):
                self._count(row)
        return below, above, heads | feet

    def headings(self, body: StyleKey) -> tuple[HeadingStyle, ...]:
        """The styles of headings: larger or bolder than the body, short rows, often numbered."""
        found = []
        for (font, size), seen in self.seen.items():
            larger = size >= (LARGER_INK if seen.measured else LARGER) * body[1]
            heavier = size >= 0.95 * body[1]
            share = seen.numbered / seen.rows
            if (font, size) == body or seen.chars > MAX_HEADING * seen.rows or self._is_prose(seen, body):
                continue
            if (larger and (seen.numbered or len(seen.pages) > 1)) or (
                heavier and seen.numbered > 1 and share > (0.25 if seen.bold else 0.5)
            ):
                usual = seen.depths.most_common(1)[0][0] if seen.depths else 0
                found.append(HeadingStyle(font=font, size=size, level=usual, numbered=bool(seen.numbered)))
        return _with_levels(found)

    def _is_prose(self, seen: _Seen, body: StyleKey) -> bool:
        """Whether rows of a style are about as long as those of the text: on scans a second size of text is common."""
        usual = self.seen[body].chars / max(self.seen[body].rows, 1) if body in self.seen else 0.0
        return seen.measured and seen.rows > 3 and seen.chars / seen.rows > 0.6 * usual > 0 and not seen.bold


def depth(found: "re.Match[str]") -> int:
    """The level that a heading's number gives: 1 for `3`, 3 for `3.2.1`."""
    return found["number"].count(".") + 1


def leading_words(row: Row) -> list[Word]:
    """The words at a row's start that share one style: all of a heading, or the bold part of a run-in heading."""
    first = style(row.words[0].main)
    taken = []
    for word in row.words:
        if style(word.main) != first:
            break
        taken.append(word)
    return taken


def _with_levels(headings: list[HeadingStyle]) -> tuple[HeadingStyle, ...]:
    """Styles without numbers take the level of the numbered style nearest in size, or their rank by size."""
    numbered = [heading for heading in headings if heading.level]
    ranks = sorted({heading.size for heading in headings}, reverse=True)
    found = []
    for heading in headings:
        level = heading.level
        if not level and numbered:
            nearest = min(numbered, key=lambda other: abs(other.size - heading.size))
            level = nearest.level
        found.append(HeadingStyle(heading.font, heading.size, level or ranks.index(heading.size) + 1, heading.numbered))
    return tuple(sorted(found, key=lambda heading: (-heading.size, heading.font)))


def without_digits(text: str) -> str:
    """A text as running heads are compared: without its figures, in small letters."""
    return re.sub(r"[\d.]+", "", text).strip().casefold()


def _recurring(every: list[_End], largest: float, leading: float) -> tuple[float | None, frozenset[str]]:
    """The baseline at which many pages have a row that stands apart; None where there is none.

    Its texts recur, or nearly all pages have it, far from the text: running heads that name sections differ on each
    page. Rows larger than `largest` are no running heads: they are headings that begin their pages.
    """
    ends = [end for end in every if end.outer and end.size <= largest]
    if len(ends) < 3:
        return None, frozenset()
    places = Counter(end.place for end in ends)
    place = max(places, key=lambda where: sum(places[where + shift] for shift in (-1, 0, 1)))
    here = [end for end in ends if abs(end.place - place) <= 1]
    texts = Counter(end.text for end in here)
    repeated = sum(count for text, count in texts.items() if count > 1 or not text)
    gaps = sorted(end.gap for end in here)
    usual = gaps[len(gaps) // 4]
    everywhere = len(here) > 0.7 * len(every) and usual > 1.5 * leading
    if len(here) < 0.25 * len(every) or (repeated < 0.5 * len(here) and not everywhere) or usual < 14:
        return None, frozenset()
    return float(place), frozenset(text for text, count in texts.items() if count > 1 and text)
