"""Learns a book by counting: its type, running heads, contents and headings, and how its examples are set.

Of examples: what labels them and counts upward, which lines they have, their quotation marks and what is behind these.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from statistics import median
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.text import words
from pairwright.documents.lines.data import (
    USUAL_FORMS,
    GlyphForms,
    HeadingStyle,
    OutlineEntry,
    PageData,
    Profile,
    is_combining,
)
from pairwright.documents.lines.rows import (
    Row,
    StyleKey,
    Word,
    columns,
    count_while,
    is_glossed,
    letters,
    rows,
    style,
    style_counts,
    usual_gutter,
)
from pairwright.languages.conventions import Conventions, Evidence, source_shape, usual_conventions

# A label such as (12), [3-4], 12) or "Ex. 5:": what stands before its number, its last figures, and what behind them.
LABEL = re.compile(
    r"^[*?#%]{0,2}(?P<before>(?:[^\W\d_]{1,9}\.? )?[(\[<{]?)"
    r"(?:\d{1,4}[.‑–-])*(?P<last>\d{1,4})[a-z]?(?P<after>[)\]>}]?[.:]?)$"
)
# So many translations, or half as many labels, must agree before they say anything of the book; and so large a part.
LEAST, MOSTLY = 10, 0.8
# How alike in letters (0-100) three quarters of the lines above the segmentations are where they are the sentences.
SENTENCE_LIKENESS = 45
# The rows of an example above its gloss, and from its gloss to its translation, at most.
ABOVE, BELOW = 4, 6


class ConventionCounts:
    """What the glossed examples of a book show, counted page by page."""

    def __init__(self, conventions: Conventions) -> None:
        self.conventions = conventions
        self.labels: dict[str, list[int]] = {}
        self.heads: list[tuple[float, StyleKey]] = []
        self.n_sites = 0
        self.quotes: Counter[str] = Counter()
        self.behind: Counter[str] = Counter()

    def add(self, page_rows: Sequence[Row], glossed: Sequence[int]) -> None:
        """Counts the examples of a page; `glossed` are the rows of which the one below is the gloss."""
        for at in glossed:
            # A further group of a wrapped example, or the lower of two rows of one.
            if at - 1 not in glossed and at - 2 not in glossed:
                self._count(page_rows, at)

    def _count(self, page_rows: Sequence[Row], at: int) -> None:
        first = at
        while (begun := self._begun(page_rows[first])) is None:
            above = page_rows[first - 1] if first > max(0, at - ABOVE) else None
            if above is None or page_rows[first].baseline - above.baseline > 1.7 * page_rows[first].size:
                return
            if above.text[-1] in self.conventions.closing:
                return
            first -= 1
        label, content = begun
        if label:
            self.labels.setdefault(label[0], []).append(label[1])
        self.n_sites += 1
        head = page_rows[at - 1].words if first < at - 1 else content if first < at else ()
        if head:
            one, two = (letters([word.text for word in words]) for words in (head, page_rows[at].words))
            self.heads.append((fuzz.ratio(one, two), style(Row(head).main)))
        for above, row in pairwise(page_rows[at + 1 : at + BELOW]):
            if row.baseline - above.baseline > 1.7 * row.size:
                break
            if row.text[0] in self.conventions.opening:
                self._count_translation(row)
                break

    def _begun(self, row: Row) -> tuple[tuple[str, int] | None, tuple[Word, ...]] | None:
        """The shape of the label with which a row begins an example, and its last number, and the words behind it and
        behind the letter of a part; None for a row without both."""
        label, words = None, row.words
        for n_words in (1, 2):
            match = LABEL.match(" ".join(word.text for word in row.words[:n_words]))
            if match and (match["before"] or match["after"]):
                label, words = (f"{match['before']}{{n}}{match['after']}", int(match["last"])), row.words[n_words:]
                break
        lettered = len(words) > 1 and self.conventions.letter(words[0].text) is not None
        return (label, words[lettered:]) if label or lettered else None

    def without_label(self, row: Row) -> Row:
        """A row without the label of an example and the letter of a part."""
        begun = self._begun(row)
        return Row(begun[1]) if begun and begun[1] else row

    def _count_translation(self, row: Row) -> None:
        text = row.text
        ends = [at for at, char in enumerate(text) if char in self.conventions.closing and at]
        if not ends:
            return
        # What a recogniser makes of the marks of a scan says nothing of the book.
        self.quotes[text[0] + text[ends[-1]]] += not row.measured
        behind = text[ends[-1] + 1 :].strip(" .,;⁰¹²³⁴⁵⁶⁷⁸⁹")
        if behind and self.conventions.is_source(behind):
            self.behind[source_shape(behind)] += 1

    def learned(self) -> dict[str, Evidence]:
        """The conventions that the counts are sure of, by names such as `examples.number`, each with its evidence."""
        learned: dict[str, Evidence] = {}

        def learn(key: str, value: Sequence[str], why: str) -> None:
            learned[f"examples.{key}"] = tuple(value), why

        upward = {
            shape: sum(one < two for one, two in pairwise(numbers)) + 1
            for shape, numbers in self.labels.items()
            if len(numbers) >= (3 if {*shape} & {*"()[]"} else LEAST)
        }
        n_labels = sum(len(self.labels[shape]) for shape in upward)
        sure = {shape: count for shape, count in upward.items() if count >= MOSTLY * len(self.labels[shape])}
        if n_labels >= LEAST // 2 and sure:
            why = f"{sum(sure.values()):,} of {n_labels:,} labels of glossed examples count upward"
            learn("number", sorted(sure, key=lambda shape: -sure[shape]), why)

        if self.n_sites >= LEAST:
            alike = sorted(alike for alike, _ in self.heads)
            likeness = alike[len(alike) // 4] if alike else 0.0
            has_surface = len(alike) >= 0.2 * self.n_sites and likeness >= SENTENCE_LIKENESS
            lines = ("surface", "segmentation", "gloss", "translation")
            why = f"{len(self.heads):,} of {self.n_sites:,} examples have a line above the segmentation"
            if self.heads:
                why += f"; three quarters of these have {likeness:.0f} % of its letters or more"
            learn("lines", lines if has_surface else lines[1:], why)
        pairs = {pair: count for pair, count in self.quotes.most_common() if count > 1}
        if sum(pairs.values()) >= LEAST:
            why = f"around {sum(pairs.values()):,} of {self.quotes.total():,} translations"
            learn("translation", [mark for pair in pairs for mark in pair], why)
        shapes = [shape for shape, count in self.behind.most_common() if count > 2]
        if shapes:
            why = f"behind {self.behind.total():,} of {self.quotes.total():,} translations"
            learn("source", shapes, why)
        return learned

    def surface_styles(self) -> frozenset[StyleKey]:
        """The styles of the lines above segmentations that are mostly the sentences."""
        by_style: dict[StyleKey, list[float]] = {}
        for alike, own in self.heads:
            by_style.setdefault(own, []).append(alike)
        return frozenset(own for own, alike in by_style.items() if median(alike) >= SENTENCE_LIKENESS)


PAGE_NUMBER = re.compile(r"^[\[(–—-]?\s*(?:\d{1,5}|[ivxlcdm]{1,8}|[IVXLCDM]{1,8})\s*[\])–—-]?$")
LEADER = re.compile(r"(?:\s?[.·…]){3,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")
MAX_HEADING = 120
# By how much a heading without a number is larger than the text.
LARGER = 1.1
HYPHENS, AROUND = "-‐", ".,;:()[]‘’“”?!*"
# How often two styles stand over each other as object and gloss line before they are a style of the book.
MIN_GLOSSED = 3
MAX_SAMPLE, OPENING, CHUNK = 150, 24, 6
# The least white around a title, from baseline to baseline, in parts of the leading.
HEADING_ABOVE, HEADING_BELOW = 1.25, 1.05
MAX_TITLE = 100


def sample(n_pages: int) -> list[int]:
    """The pages to learn from: all of a short book, else its opening and evenly spread runs of six pages."""
    if n_pages <= MAX_SAMPLE:
        return list(range(1, n_pages + 1))
    step = max(CHUNK, (n_pages - OPENING) * CHUNK // (MAX_SAMPLE - OPENING))
    spread = {page for start in range(OPENING + 1, n_pages + 1, step) for page in range(start, start + CHUNK)}
    return sorted({*range(1, OPENING + 1), *(page for page in spread if page <= n_pages)})


def in_capitals(row: Row) -> bool:
    """Whether a row is set in capitals, and is no single label such as `SG`."""
    letters = [char for char in row.text if char.isalpha()]
    return len(letters) > 3 and all(map(str.isupper, letters))


def is_set_like(row: Row, first: Row) -> bool:
    """Whether a row goes on in the type of a title's first row, and in capitals where that is."""
    capitals = not in_capitals(first) or row.text == row.text.upper()
    return capitals and style(row.words[0].main) == style(first.words[0].main)


def stands_apart(upcoming: Sequence[Row], n_rows: int, above: float, leading: float) -> bool | None:
    """Whether the first `n_rows` of `upcoming` stand as a title does, `above` points below the row before them; None
    where they can't be a title, or nothing comes below them.

    Titles begin at the left edge or are centred, as sentences set off as examples are not. A paragraph may begin right
    below one: its first row reaches the right edge, as a gloss does not.
    """
    title, rest = upcoming[:n_rows], upcoming[n_rows:]
    text = " ".join(row.text for row in title)
    letter = next((char for char in text if char.isalpha()), "")
    if not rest or not letter or letter.islower() or len(text) > MAX_TITLE or text[-1] in ".,;:":
        return None
    if any(len(row.cells) > 1 for row in title):
        return None
    size, left, right = title[0].size, min(row.x0 for row in rest), max(row.x1 for row in upcoming)
    centred = all(abs(row.x0 + row.x1 - left - right) < 2 * size for row in title)
    below = rest[0].x1 > right - 3 * size or rest[0].baseline - title[-1].baseline > HEADING_BELOW * leading
    return (title[0].x0 < left + 2 or centred) and above > HEADING_ABOVE * leading and below


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


class _Line(NamedTuple):
    """A row of a page that may be a heading: its number, or whether it stands apart if it may be a title without."""

    row: Row
    page: int
    number: re.Match[str] | None
    apart: bool | None

    @property
    def letter(self) -> str | None:
        """The capital that begins the row, such as the C of a chapter `C` and of a section `C.1`."""
        match = re.match(r"[A-Z](?=$|\.\d)", self.row.words[0].text.rstrip(".:"))
        return match.group() if match and len(self.row.words) > 1 else None


class _Page(NamedTuple):
    """A page that has words: its number, height and rows."""

    number: int
    height: float
    rows: Sequence[Row]


def learn(
    pages: Iterable[PageData],
    n_pages: int,
    outline: tuple[OutlineEntry, ...] = (),
    forms: GlyphForms = USUAL_FORMS,
    conventions: Conventions | None = None,
) -> Profile:
    """The profile of a book from some or all of its pages, in page order.

    `conventions` are the book's before anything is learned.
    """
    conventions = conventions or usual_conventions()
    book = [_Page(page.number, page.height, page_rows) for page in pages if (page_rows := rows(page.runs))]
    gutter = usual_gutter([page.rows for page in book])
    if gutter is not None:
        book = [page._replace(rows=[row for one in columns(page.rows, gutter) for row in one.rows]) for page in book]
    styles = {page.number: style_counts(run for row in page.rows for run in row.runs) for page in book}
    body = sum(styles.values(), Counter[StyleKey]()).most_common(1)[0][0] if book else ("", 10.0)
    leading = _leading(book, body[1])
    top, bottom = (_furniture(book, last, 1.15 * body[1], leading) for last in (False, True))
    head_below, foot_above = (None if top is None else top + 3.0), (None if bottom is None else bottom - 3.0)
    texts = {number: max(counts, key=counts.__getitem__) for number, counts in styles.items()}
    contents = frozenset(page.number for page in book if is_contents(page.rows))
    prose = [page for page in book if page.number not in contents]
    lines = (line for page in prose for line in _lines(page, conventions, head_below, foot_above, leading))
    counts, glossed = ConventionCounts(conventions), Counter[tuple[StyleKey, StyleKey]]()
    for page in book:
        pairs = enumerate(pairwise(page.rows))
        glosses = [at for at, (one, two) in pairs if max(len(one.cells), len(two.cells)) > 1 and is_glossed(one, two)]
        counts.add(page.rows, glosses)
        glossed.update((style(page.rows[at].main), style(page.rows[at + 1].main)) for at in glosses)
    learned = counts.learned()
    return Profile(
        body_font=body[0],
        body_size=body[1],
        leading=leading,
        gutter=gutter,
        head_below=head_below,
        foot_above=foot_above,
        headings=_headings(lines, texts, body),
        outline=outline,
        words=frozenset(word for page in prose for word in _words(page.rows)),
        contents=contents,
        gloss_styles=frozenset(pair for pair, count in glossed.items() if count >= MIN_GLOSSED),
        forms=forms,
        conventions=conventions.with_learned(learned),
        learned=learned,
        surface_styles=counts.surface_styles(),
        n_pages=n_pages,
    )


def _leading(book: Sequence[_Page], body_size: float) -> float:
    """The most usual distance between rows of the body's size."""
    pairs = ((one, two) for page in book for one, two in pairwise(page.rows) if round(two.size, 1) == body_size)
    gaps = Counter(gap for one, two in pairs if (gap := round(two.baseline - one.baseline, 1)) > 4)
    if not gaps:
        return 1.25 * body_size
    return max(gaps, key=lambda gap: gaps[gap] + gaps[round(gap + 0.1, 1)] + gaps[round(gap - 0.1, 1)])


def _furniture(book: Sequence[_Page], last: bool, largest: float, leading: float) -> float | None:
    """The baseline at which many pages have a first or last row that stands apart; None where there is none.

    Running heads that name sections differ on each page: then nearly all pages have one, far from the text. Rows larger
    than `largest` are headings that begin their pages.
    """
    pages = [page for page in book if len(page.rows) > 2]
    ends: list[tuple[Row, Row]] = []
    for page in pages:
        row, near = (page.rows[-1], page.rows[-2]) if last else page.rows[:2]
        outer = row.baseline > 0.8 * page.height if last else row.baseline < 0.2 * page.height
        ends += [(row, near)] if outer and row.size <= largest else []
    if len(ends) < 3:
        return None
    places = Counter(round(row.baseline) for row, _ in ends)
    place = max(places, key=lambda where: sum(places[where + shift] for shift in (-1, 0, 1)))
    here = [(row, abs(row.baseline - near.baseline)) for row, near in ends if abs(round(row.baseline) - place) <= 1]
    texts = Counter(re.sub(r"[\d.]+", "", row.text).strip().casefold() for row, _ in here)
    repeated = sum(count for text, count in texts.items() if count > 1 or not text)
    usual = sorted(gap for _, gap in here)[len(here) // 4]
    everywhere = len(here) > 0.7 * len(pages) and usual > 1.5 * leading
    few = len(here) < 0.25 * len(pages) or (repeated < 0.5 * len(here) and not everywhere)
    return None if few or usual < 14 else float(place)


def _words(page_rows: Sequence[Row]) -> Iterator[str]:
    """The words of rows, without halves of those that are cut at their ends; also the parts of words with hyphens."""
    cut = False
    for row in page_rows:
        start, cut = int(cut), row.text[-1] in HYPHENS
        end = -1 if cut else None
        yield from (word.lower() for word in words(row.text)[start:end] if len(word) > 2)
        yield from _morphemes(row.text.split()[start:end])


def _lines(
    page: _Page, conventions: Conventions, head_below: float | None, foot_above: float | None, leading: float
) -> Iterator[_Line]:
    """The rows of a page that are in one style or begin with a heading, without running heads and page numbers."""
    ends = {0, len(page.rows) - 1}
    for at, (row, apart) in enumerate(zip(page.rows, _titles(page.rows, leading), strict=True)):
        above, below = head_below and row.baseline < head_below, foot_above and row.baseline > foot_above
        if at in ends and (above or below):
            continue
        head = leading_words(row)
        number = conventions.heading.match(" ".join(word.text for word in head))
        number = number if len(head) > 1 and not LEADER.search(row.text) else None
        if number or len(head) == len(row.words):
            yield _Line(row, page.number, number, None if number else apart)


def _headings(lines: Iterable[_Line], texts: Mapping[int, StyleKey], body: StyleKey) -> tuple[HeadingStyle, ...]:
    """The styles of headings: short rows, larger or heavier than the body and numbered, or standing apart.

    `texts` are the styles of most of each page; in the type of the text only rows in capitals may be headings.
    """
    by_style: dict[StyleKey, list[_Line]] = defaultdict(list)
    for line in lines:
        by_style[style(line.row.words[0].main)].append(line)
    sections = _letters(
        line
        for found in by_style.values()
        if any(line.number and depth(line.number) > 1 for line in found)
        for line in found
    )
    by_style[body] = [line for line in by_style[body] if in_capitals(line.row)]
    styles = []
    for (font, size), found in by_style.items():
        if not found or sum(len(line.row.text) for line in found) > MAX_HEADING * len(found):
            continue
        numbers = [line.number for line in found if line.number]
        words = sum(bool(number["word"]) for number in numbers)
        lettered = _is_lettered(found, sections)
        # A lone letter with a full stop is more likely an initial of the author's name.
        lone = len(found) == 1 and numbers and not words and re.fullmatch(r"[^\W\d_]", numbers[0]["number"])
        numbered = len(found) if lettered else 0 if lone else len(numbers)
        bold = found[0].row.words[0].main.bold
        text_size = _text_size(font, size, {texts[line.page] for line in found}, body)
        larger = size >= LARGER * body[1] and (numbered or len({line.page for line in found}) > 1)
        heavier = size >= 0.95 * text_size and numbered > max(1, (0.25 if bold else 0.5) * len(found))
        apart = size >= 0.95 * body[1] and _stand_apart(found)
        if larger or heavier or apart:
            depths = Counter(map(depth, numbers))
            level = depths.most_common(1)[0][0] if depths else 1
            level = level if numbered and 2 * words <= numbered else 0
            styles.append(HeadingStyle(font, size, level, bool(numbered), apart, bold, (font, size) == body))
    return _with_levels(styles)


def _letters(lines: Iterable[_Line]) -> dict[str, int]:
    """The capitals that begin rows, each with the first page of one."""
    letters: dict[str, int] = {}
    for line in lines:
        if line.letter:
            letters.setdefault(line.letter, line.page)
    return letters


def _is_lettered(found: Sequence[_Line], sections: Mapping[str, int]) -> bool:
    """Whether each row of a style begins with the letter of a chapter: one that `sections` such as C.1 have, too, or
    the next one after theirs, on a later page."""
    letters = _letters(found)
    return len(letters) == len(found) and all(
        letter in sections or sections.get(chr(ord(letter) - 1), page) < page for letter, page in letters.items()
    )


def _text_size(font: str, size: float, texts: Collection[StyleKey], body: StyleKey) -> float:
    """The size of the text around a style: the book's, or a smaller one on pages that another press has set."""
    elsewhere = (font, size) not in texts and all(other != body[0] for other, _ in texts)
    return min(body[1], max(of_text for _, of_text in texts)) if elsewhere else body[1]


def _stand_apart(found: Sequence[_Line]) -> bool:
    """Whether rows of a bold or italic style without numbers are often titles by the white around them."""
    titles = [line.apart for line in found if line.apart is not None]
    apart, bold = sum(titles), found[0].row.words[0].main.bold
    mostly = bold or all(in_capitals(line.row) for line in found) or 2 * apart >= len(titles)
    return apart > 1 and mostly and apart >= 0.2 * len(found)


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
    """The words at a row's start that could be a heading: of one style, or as heavy, such as words of the language."""
    first = row.words[0].main

    def alike(word: Word) -> bool:
        run = word.main
        large = abs(run.size - first.size) < 0.06 * first.size and (run.bold or (not first.bold and run.italic))
        return style(run) == style(first) or large

    return list(takewhile(alike, row.words))


def _titles(page_rows: Sequence[Row], leading: float) -> Iterator[bool | None]:
    """For each row of a page, whether it stands apart if it may begin a title in bold, italics or capitals."""
    until = 0
    for index, row in enumerate(page_rows):
        if index < until or not (row.main.bold or row.main.italic or in_capitals(row)):
            yield None
            continue
        n_rows = count_title_rows(page_rows[index:])
        until = index + n_rows
        above = row.baseline - page_rows[index - 1].baseline if index else 99.0
        yield stands_apart(page_rows[index:], n_rows, above, leading)


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
