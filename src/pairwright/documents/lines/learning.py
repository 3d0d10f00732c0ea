"""Learns a book's conventions by counting: what labels its examples and counts upward, which lines an example has, the
quotation marks around translations, and what stands behind them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from rapidfuzz import fuzz

from pairwright.documents.lines.alignment import letters
from pairwright.documents.lines.rows import Row, StyleKey, Word, style
from pairwright.languages.conventions import Conventions, Evidence, source_shape

# A label such as (12), [3-4], 12) or "Ex. 5:": what stands before its number, its last figures, and what behind them.
LABEL = re.compile(
    r"^[*?#%]{0,2}(?P<before>(?:[^\W\d_]{1,9}\.? )?[(\[<{]?)"
    r"(?:\d{1,4}[.‑–-])*(?P<last>\d{1,4})[a-z]?(?P<after>[)\]>}]?[.:]?)$"
)
# So many labels or translations must agree before they say anything of the book; of all, so large a part.
LEAST, MOSTLY = 10, 0.8
# So many examples with letters in a column of their own make these labels: rows at one place, in points, with white
# behind the letters, in parts of the type's size.
LEAST_COLUMNS, ONE_PLACE, WHITE = 3, 3.0, 0.7
# How alike in letters (0-100) three quarters of the lines above the segmentations are where they are the sentences.
SENTENCE_LIKENESS = 45
# The rows of an example above its gloss, and from its gloss to its translation, at most.
ABOVE, BELOW = 4, 6


class ConventionCounts:
    """What the glossed examples of a book show, counted page by page."""

    def __init__(self, conventions: Conventions) -> None:
        self.conventions = conventions
        self.labels: dict[str, list[int]] = {}
        self.n_columns = 0
        self.heads: list[tuple[float, StyleKey]] = []
        self.n_sites = 0
        self.quotes: Counter[str] = Counter()
        self.behind: Counter[str] = Counter()

    def add(self, page_rows: Sequence[Row], glossed: Sequence[int]) -> None:
        """Counts the examples of a page; `glossed` are the rows of which the one below is the gloss."""
        for upper, row in pairwise(self._begin_with_letter(page_rows)):
            self.n_columns += upper[1] == "a" and row[1] == "b" and abs(upper[0] - row[0]) < ONE_PLACE
        for at in glossed:
            # A further group of a wrapped example, or the lower of two rows of one.
            if at - 1 not in glossed and at - 2 not in glossed:
                self._count(page_rows, at)

    def _begin_with_letter(self, page_rows: Sequence[Row]) -> Iterator[tuple[float, str]]:
        """The places and letters of rows that begin, perhaps behind the label of an example, with a letter and white
        as wide as between columns."""
        for row in page_rows:
            begun = self._begun(row)
            words = begun[1] if begun and begun[0] else row.words
            # A column of letters begins behind a number.
            letters_here = {"a", "b"} if len(words) < len(row.words) else {"b"}
            if len(words) > 1 and words[0].text in letters_here and words[1].x0 - words[0].x1 > WHITE * row.size:
                yield words[0].x0, words[0].text

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
            if len(numbers) >= (3 if shape[0] in "([" else LEAST)
        }
        n_labels = sum(len(self.labels[shape]) for shape in upward)
        sure = {shape: count for shape, count in upward.items() if count >= MOSTLY * len(self.labels[shape])}
        if n_labels >= LEAST and sure:
            why = f"{sum(sure.values()):,} of {n_labels:,} labels of glossed examples count upward"
            learn("number", sorted(sure, key=lambda shape: -sure[shape]), why)
        if self.n_columns >= LEAST_COLUMNS:
            why = f"{self.n_columns:,} numbered examples have a column of bare letters"
            learn("letter", (*self.conventions.examples.letter, "{a}"), why)
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
