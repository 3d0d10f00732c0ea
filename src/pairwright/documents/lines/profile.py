"""Learns the style of a book in one cheap pass: type and leading, running heads, contents pages, heading styles."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import NamedTuple

from pairwright.core.text import words
from pairwright.documents.lines.alignment import is_glossed
from pairwright.documents.lines.data import HeadingStyle, OutlineEntry, PageData, Profile
from pairwright.documents.lines.glyphs import USUAL_FORMS, GlyphForms, is_combining
from pairwright.documents.lines.learning import ConventionCounts
from pairwright.documents.lines.rows import Row, StyleKey, Word, count_while, rows, style
from pairwright.languages.conventions import Conventions, usual_conventions

PAGE_NUMBER = re.compile(r"^[\[(–—-]?\s*(?:\d{1,5}|[ivxlcdm]{1,8}|[IVXLCDM]{1,8})\s*[\])–—-]?$")
LEADER = re.compile(r"(?:\s?[.·…]){3,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")
MAX_HEADING = 120
# By how much a heading without a number is larger than the text.
LARGER = 1.1
MAX_WORDS = 300_000
HYPHENS, AROUND = "-‐", ".,;:()[]‘’“”?!*"
# How often two styles stand over each other as object and gloss line before they are a style of the book.
MIN_GLOSSED = 3
MAX_SAMPLE, OPENING, CHUNK = 150, 24, 6
# The least white around a title, from baseline to baseline, in parts of the leading.
ABOVE, BELOW = 1.25, 1.05
MAX_TITLE = 100


def sample(n_pages: int) -> list[int]:
    """The pages to learn from: all of a short book, else its opening and evenly spread runs of six pages."""
    if n_pages <= MAX_SAMPLE:
        return list(range(1, n_pages + 1))
    step = max(CHUNK, (n_pages - OPENING) * CHUNK // (MAX_SAMPLE - OPENING))
    spread = {page for start in range(OPENING + 1, n_pages + 1, step) for page in range(start, start + CHUNK)}
    return sorted({*range(1, OPENING + 1), *(page for page in spread if page <= n_pages)})


class TitleSpace(NamedTuple):
    """The place of what may be a title: distances from the rows around it in points, and how the rows below it run.

    filled   the row below it reaches the right edge, as the first row of a paragraph does and a gloss does not
    aligned  it begins at the left edge or is centred, as titles are and sentences set off as examples are not
    """

    above: float
    below: float
    filled: bool
    aligned: bool

    def is_apart(self, leading: float) -> bool:
        """Whether a title stands here; its paragraph may begin right below it."""
        return self.aligned and self.above > ABOVE * leading and (self.filled or self.below > BELOW * leading)


def in_capitals(row: Row) -> bool:
    """Whether a row is set in capitals, and is no single label such as `SG`."""
    letters = [char for char in row.text if char.isalpha()]
    return len(letters) > 3 and all(map(str.isupper, letters))


def is_set_like(row: Row, first: Row) -> bool:
    """Whether a row goes on in the type of a title's first row, and in capitals where that is."""
    capitals = not in_capitals(first) or row.text == row.text.upper()
    return capitals and style(row.words[0].main) == style(first.words[0].main)


def title_space(upcoming: Sequence[Row], n_rows: int, above: float) -> TitleSpace | None:
    """The place of the first `n_rows` of `upcoming`; None where they can't be a title, or nothing comes below them."""
    title, rest = upcoming[:n_rows], upcoming[n_rows:]
    text = " ".join(row.text for row in title)
    letter = next((char for char in text if char.isalpha()), "")
    if not rest or not letter or letter.islower() or len(text) > MAX_TITLE or text[-1] in ".,;:":
        return None
    if any(len(row.cells) > 1 for row in title):
        return None
    size, left, right = title[0].size, min(row.x0 for row in rest), max(row.x1 for row in upcoming)
    centred = all(abs(row.x0 + row.x1 - left - right) < 2 * size for row in title)
    return TitleSpace(
        above=above,
        below=rest[0].baseline - title[-1].baseline,
        filled=rest[0].x1 > right - 3 * size,
        aligned=title[0].x0 < left + 2 or centred,
    )


def count_title_rows(upcoming: Sequence[Row]) -> int:
    """How many rows go on in the style of the first, as those of a title that is too long for one."""
    first = upcoming[0].main
    return count_while(
        upcoming,
        lambda index: (
            all(style(word.main) == style(first) for word in upcoming[index].words)
            and is_set_like(upcoming[index], upcoming[0])
            and upcoming[index].baseline - upcoming[index - 1].baseline < 1.6 * first.size
        ),
    )


def is_contents(page_rows: Sequence[Row]) -> bool:
    """Whether a page is a table of contents: many of its rows end in a page number after dots."""
    if len(page_rows) < 6:
        return False
    leaders = sum(bool(LEADER.search(row.text)) for row in page_rows)
    return leaders > 0.4 * len(page_rows)


class _End(NamedTuple):
    """The first or last row of a page, its distance from the next row, and whether it is outermost on the page."""

    row: Row
    gap: float
    outer: bool


@dataclass
class _Usage:
    """How often a style begins a row, and how.

    depths  how often the numbers have each depth
    words   how many numbers follow a word or sign, such as Chapter or §
    initials  how many numbers are a letter with a full stop, which may be a person's name
    letters  the single capitals that begin rows, such as C and the C of C.1, each with the first page of a row
    titles  where rows without a number stand that may be titles
    capitals  how many rows are in capitals
    """

    rows: int = 0
    pages: set[int] = field(default_factory=set)
    depths: Counter[int] = field(default_factory=Counter)
    words: int = 0
    initials: int = 0
    letters: dict[str, int] = field(default_factory=dict)
    titles: list[TitleSpace] = field(default_factory=list)
    chars: int = 0
    capitals: int = 0
    bold: bool = False


def learn(
    pages: Iterable[PageData],
    n_pages: int,
    outline: tuple[OutlineEntry, ...] = (),
    forms: GlyphForms = USUAL_FORMS,
    conventions: Conventions | None = None,
) -> Profile:
    """The profile of a book from some or all of its pages, in page order. Memory grows with its words, not pages.

    `conventions` are the book's before anything is learned.
    """
    learner = _Learner(conventions or usual_conventions())
    for page in pages:
        learner.add(page)
    learned = learner.counts.learned()
    body = learner.styles.most_common(1)[0][0] if learner.styles else ("", 10.0)
    leading = learner.leading(body[1])
    head_below, foot_above, heads = learner.furniture(body[1], leading)
    return Profile(
        body_font=body[0],
        body_size=body[1],
        leading=leading,
        head_below=head_below,
        foot_above=foot_above,
        heads=heads,
        headings=learner.headings(body, leading),
        outline=outline,
        words=frozenset(learner.words),
        contents=frozenset(learner.contents),
        gloss_styles=frozenset(pair for pair, count in learner.glossed.items() if count >= MIN_GLOSSED),
        forms=forms,
        conventions=learner.conventions.with_learned(learned),
        learned=learned,
        surface_styles=learner.counts.surface_styles(),
        n_pages=n_pages,
    )


class _Learner:
    def __init__(self, conventions: Conventions) -> None:
        self.conventions = conventions
        self.counts = ConventionCounts(conventions)
        self.styles: Counter[StyleKey] = Counter()
        self.gaps: Counter[tuple[float, float]] = Counter()
        self.first: list[_End] = []
        self.last: list[_End] = []
        self.texts: dict[int, StyleKey] = {}
        self.usage: dict[StyleKey, _Usage] = defaultdict(_Usage)
        self.capitals: dict[StyleKey, _Usage] = defaultdict(_Usage)
        self.outer: list[tuple[Row, int, TitleSpace | None]] = []
        self.words: set[str] = set()
        self.contents: set[int] = set()
        self.glossed: Counter[tuple[StyleKey, StyleKey]] = Counter()

    def add(self, page: PageData) -> None:
        styles: Counter[StyleKey] = Counter()
        for run in page.runs:
            styles[style(run)] += len(run.text)
        self.styles.update(styles)
        page_rows = rows(page.runs)
        if not page_rows:
            return
        self.texts[page.number] = max(styles, key=styles.__getitem__)
        glossed = []
        for at, (one, two) in enumerate(pairwise(page_rows)):
            self.gaps[round(two.size, 1), round(two.baseline - one.baseline, 1)] += 1
            if (len(one.cells) > 1 or len(two.cells) > 1) and is_glossed(one, two):
                self.glossed[style(one.main), style(two.main)] += 1
                glossed.append(at)
        self.counts.add(page_rows, glossed)
        if len(page_rows) > 2:
            first, second, before, last = *page_rows[:2], *page_rows[-2:]
            self.first.append(_End(first, second.baseline - first.baseline, first.baseline < 0.2 * page.height))
            self.last.append(_End(last, last.baseline - before.baseline, last.baseline > 0.8 * page.height))
        if is_contents(page_rows):
            self.contents.add(page.number)
            return
        for number, (row, title) in enumerate(zip(page_rows, _titles(page_rows), strict=True)):
            if 0 < number < len(page_rows) - 1:
                self._count(row, page.number, title)
            else:
                self.outer.append((row, page.number, title))
            if len(self.words) < MAX_WORDS:
                self._learn_words(row, page_rows[number - 1] if number else None)

    def _learn_words(self, row: Row, before: Row | None) -> None:
        """Takes the words of a row, but not the halves of words that are cut at the ends of rows."""
        tokens = row.text.split()
        start, end = 0, -1 if row.text[-1] in HYPHENS else None
        if before and before.text[-1] in HYPHENS:
            start = 1
        self.words.update(word.lower() for word in words(row.text)[start:end] if len(word) > 2)
        self.words.update(_morphemes(tokens[start:end]))

    def _count(self, row: Row, page: int, title: TitleSpace | None) -> None:
        head = leading_words(row)
        number = self.conventions.heading.match(" ".join(word.text for word in head))
        numbered = number is not None and len(head) > 1 and not LEADER.search(row.text)
        if len(head) < len(row.words) and not numbered:
            return
        main = head[0].main
        usages = [self.usage, self.capitals] if in_capitals(row) else [self.usage]
        for usage in (usages_of[style(main)] for usages_of in usages):
            _add_row(usage, row, page, number if numbered else None, title)

    def leading(self, body_size: float) -> float:
        """The most usual distance between rows of the body's size."""
        gaps = Counter({gap: count for (size, gap), count in self.gaps.items() if size == body_size and gap > 4})
        if not gaps:
            return 1.25 * body_size
        return max(gaps, key=lambda gap: gaps[gap] + gaps[round(gap + 0.1, 1)] + gaps[round(gap - 0.1, 1)])

    def furniture(self, body_size: float, leading: float) -> tuple[float | None, float | None, frozenset[str]]:
        """Where running heads end, where page numbers begin, and what running heads say."""
        top, heads = _recurring(self.first, 1.15 * body_size, leading)
        bottom, feet = _recurring(self.last, 1.15 * body_size, leading)
        below, above = (None if top is None else top + 3.0), (None if bottom is None else bottom - 3.0)
        for row, page, title in self.outer:
            if not (below and row.baseline < below) and not (above and row.baseline > above):
                self._count(row, page, title)
        return below, above, heads | feet

    def headings(self, body: StyleKey, leading: float) -> tuple[HeadingStyle, ...]:
        """The styles of headings: short rows, larger or heavier than the body and numbered, or standing apart."""
        styles = []
        capitals = [(body, self.capitals[body])] if body in self.capitals else []
        for (font, size), usage in [*self.usage.items(), *capitals]:
            in_body_type = (font, size) == body
            is_body = in_body_type and usage is self.usage[body]
            if is_body or usage.chars > MAX_HEADING * usage.rows:
                continue
            lettered = self._is_lettered(usage)
            # A lone letter with a full stop is more likely an initial of the author's name.
            lone = usage.rows == usage.initials == 1 and not lettered
            numbered = usage.rows if lettered else 0 if lone else usage.depths.total()
            larger = size >= LARGER * body[1]
            large = size >= 0.95 * self._text_size((font, size), usage, body)
            heavier = large and numbered > (0.25 if usage.bold else 0.5) * usage.rows
            apart = size >= 0.95 * body[1] and self._stands_apart(usage, leading)
            if (larger and (numbered or len(usage.pages) > 1)) or (heavier and numbered > 1) or apart:
                worded = 2 * usage.words > numbered
                level = max(usage.depths, key=usage.depths.__getitem__, default=1) if numbered and not worded else 0
                styles.append(HeadingStyle(font, size, level, bool(numbered), apart, usage.bold, in_body_type))
        return _with_levels(styles)

    def _is_lettered(self, usage: _Usage) -> bool:
        """Whether each row of a style begins with the letter of a chapter: one that sections such as C.1 have, too, or
        the next one after theirs, on a later page."""
        numbered = (other.letters for other in self.usage.values() if max(other.depths, default=0) > 1)
        sections = {letter: page for letters in numbered for letter, page in letters.items()}
        return len(usage.letters) == usage.rows and all(
            letter in sections or sections.get(chr(ord(letter) - 1), page) < page
            for letter, page in usage.letters.items()
        )

    def _text_size(self, own: StyleKey, usage: _Usage, body: StyleKey) -> float:
        """The size of the text around a style: the book's, or a smaller one on pages that another press has set."""
        texts = {self.texts[page] for page in usage.pages}
        elsewhere = own not in texts and all(font != body[0] for font, _ in texts)
        return min(body[1], max(size for _, size in texts)) if elsewhere else body[1]

    def _stands_apart(self, usage: _Usage, leading: float) -> bool:
        """Whether rows of a bold or italic style without numbers are often titles by the white around them."""
        apart = sum(title.is_apart(leading) for title in usage.titles)
        mostly = usage.bold or usage.capitals == usage.rows or 2 * apart >= len(usage.titles)
        return apart > 1 and mostly and apart >= 0.2 * usage.rows


def _add_row(usage: _Usage, row: Row, page: int, number: re.Match[str] | None, title: TitleSpace | None) -> None:
    """Counts a row that is a heading's number and title, or may be a title without a number."""
    main = row.words[0].main
    usage.rows += 1
    usage.pages.add(page)
    usage.chars += len(row.text)
    usage.capitals += in_capitals(row)
    usage.bold = main.bold
    first = row.words[0].text.rstrip(".:")
    letter = re.match(r"[A-Z](?=$|\.\d)", first)
    if letter and len(row.words) > 1:
        usage.letters.setdefault(letter.group(), page)
    if number:
        usage.depths[depth(number)] += 1
        usage.words += bool(number["word"])
        usage.initials += len(number["number"]) == 1 and number["number"].isalpha() and not number["word"]
    elif title:
        usage.titles.append(title)


def _morphemes(tokens: Iterable[str]) -> Iterator[str]:
    """The parts of words with hyphens, each with a hyphen where the word goes on before or after it."""
    for token in tokens:
        first, *others = token.lower().strip(AROUND).split("-")
        yield from (f"-{part}" for part in others if _is_letters(part))
        if others and _is_letters(first):
            yield f"{first}-"


def _is_letters(text: str) -> bool:
    """Whether a text is letters, with or without combining marks."""
    return text[:1].isalpha() and all(char.isalpha() or is_combining(char) for char in text)


def depth(number: re.Match[str]) -> int:
    """The level that a heading's number gives: 1 for `3`, 3 for `3.2.1`."""
    return number["number"].count(".") + 1


def leading_words(row: Row) -> list[Word]:
    """The words at a row's start that share one style: all of a heading, or the bold part of a run-in heading."""
    first = style(row.words[0].main)
    return list(takewhile(lambda word: style(word.main) == first, row.words))


def _titles(page_rows: Sequence[Row]) -> Iterator[TitleSpace | None]:
    """For each row of a page, where it stands if it may begin a title in bold, italics or capitals, else None."""
    until = 0
    for index, row in enumerate(page_rows):
        if index < until or not (row.main.bold or row.main.italic or in_capitals(row)):
            yield None
            continue
        n_rows = count_title_rows(page_rows[index:])
        until = index + n_rows
        above = row.baseline - page_rows[index - 1].baseline if index else 99.0
        yield title_space(page_rows[index:], n_rows, above)


def _with_levels(headings: list[HeadingStyle]) -> tuple[HeadingStyle, ...]:
    """Gives a level to styles whose numbers do not tell it.

    Numbers behind a word or sign are one level below the larger numbered styles. A style without numbers is below the
    numbered styles where it is smaller or lighter than all of them, else at the level of the one nearest in size; in a
    book without numbers, levels go by size and weight.
    """

    def rank(heading: HeadingStyle) -> tuple[float, bool]:
        return heading.size, heading.bold

    levelled: list[HeadingStyle] = []
    for heading in sorted((heading for heading in headings if heading.numbered), key=rank, reverse=True):
        larger = [other.level for other in levelled if rank(other) > rank(heading)]
        levelled.append(replace(heading, level=heading.level or 1 + max(larger, default=0)))
    numbered = list(levelled)
    least, deepest = min(map(rank, numbered), default=(math.inf, True)), max((h.level for h in numbered), default=0)
    others = [heading for heading in headings if not heading.numbered]
    below = sorted({rank(heading) for heading in others if rank(heading) < least}, reverse=True)
    for heading in others:
        if rank(heading) in below:
            level = deepest + 1 + below.index(rank(heading))
        else:
            level = min(numbered, key=lambda other: abs(other.size - heading.size)).level
        levelled.append(replace(heading, level=level))
    return tuple(sorted(levelled, key=lambda heading: (-heading.size, heading.font)))


def without_digits(text: str) -> str:
    """A text as running heads are compared: without its figures, in small letters."""
    return re.sub(r"[\d.]+", "", text).strip().casefold()


def _recurring(every: list[_End], largest: float, leading: float) -> tuple[float | None, frozenset[str]]:
    """The baseline at which many pages have a row that stands apart, and its recurring texts; None where there is none.

    Running heads that name sections differ on each page: then nearly all pages have one, far from the text. Rows larger
    than `largest` are headings that begin their pages.
    """
    ends = [end for end in every if end.outer and end.row.size <= largest]
    if len(ends) < 3:
        return None, frozenset()
    places = Counter(round(end.row.baseline) for end in ends)
    place = max(places, key=lambda where: sum(places[where + shift] for shift in (-1, 0, 1)))
    here = [end for end in ends if abs(round(end.row.baseline) - place) <= 1]
    texts = Counter(without_digits(end.row.text) for end in here)
    repeated = sum(count for text, count in texts.items() if count > 1 or not text)
    gaps = sorted(end.gap for end in here)
    usual = gaps[len(gaps) // 4]
    everywhere = len(here) > 0.7 * len(every) and usual > 1.5 * leading
    if len(here) < 0.25 * len(every) or (repeated < 0.5 * len(here) and not everywhere) or usual < 14:
        return None, frozenset()
    return float(place), frozenset(text for text, count in texts.items() if count > 1 and text)
