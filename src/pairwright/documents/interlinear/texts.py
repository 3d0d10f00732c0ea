"""Finds the sentences of interlinear texts, and other glossed examples that no number in brackets announces.

A unit is a group of tiers whose words stand over each other, perhaps wrapped into further groups, with the sentence as
it is written above them and a translation below, above or beside them. How sure a group must be follows from what is
around it: quotation marks, a number in the margin, the styles that stand over each other in the whole book.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from rapidfuzz import fuzz

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.finder import FoundExample
from pairwright.documents.interlinear.interlinear import MAX_TIERS, Edges, read_leaf
from pairwright.documents.interlinear.text_place import TextPlace, cut_beside, margin_number, part_until, without_name
from pairwright.documents.interlinear.tiers import (
    LEAST_LIKENESS,
    glued,
    hung_marks,
    is_written_out,
    read_tiers,
    tiers,
)
from pairwright.documents.interlinear.translation import (
    BRACKETED,
    REFERENCE,
    cut_aside,
    is_attribution,
    is_reference,
    read_translation,
    starts_translation,
    without_brackets,
)
from pairwright.documents.lines.alignment import is_glossed, letters, stand_over
from pairwright.documents.lines.rows import Row, count_while, filled_rows, style
from pairwright.languages.conventions import Conventions

# Who speaks in a dialogue.
SPEAKER = re.compile(r"^[A-ZÀ-Ž]{1,3}\d?:$")
SENTENCE_END = re.compile(r"[.?!…]+[’”\"'»)]*$")
# The most rows of a sentence above its segmentation, and of a translation that no quotation marks hold together.
MAX_SURFACE, MAX_TRANSLATION = 2, 5
# Within so many rows the first tiers begin and end.
FIRST_ROWS = MAX_SURFACE + MAX_TRANSLATION + MAX_TIERS + 2
# No page of a book has more rows of one text.
MAX_ROWS = 200
# A text without translations has at least so many sentences in one stretch of wrapped groups.
MIN_SENTENCES = 2


@dataclass(frozen=True)
class _Group:
    """The rows above the tiers, the tiers, and the index of the row behind them."""

    surface: Sequence[Row]
    tiers: Sequence[Row]
    end: int

    @property
    def right(self) -> float:
        return max(row.x1 for row in self.tiers)


def find_glossed(upcoming: Sequence[Row], place: TextPlace) -> list[FoundExample]:
    """The glossed sentences that begin with the first of `upcoming` rows: one, or all of a text that runs on without
    translations. Empty where none begins."""
    if place.profile.conventions.label([word.text for word in upcoming[0].words[:3]]) or not any(
        _may_gloss(one, two) for one, two in pairwise(upcoming[: MAX_SURFACE + MAX_TRANSLATION])
    ):
        return []
    # Whether a group begins is told by the first rows, and mostly none does.
    if place.beside == float("inf") and not _Unit(upcoming[:FIRST_ROWS], place).groups:
        return []
    unit = _Unit(upcoming[:MAX_ROWS], place)
    return unit.examples() if unit.groups and unit.is_sure() else []


def _may_gloss(one: Row, two: Row) -> bool:
    return len(one.cells) > 1 or len(two.cells) > 1 or len(one.words) < 4


@dataclass
class _Unit:
    """The rows of one unit, taken apart from top to bottom."""

    upcoming: Sequence[Row]
    place: TextPlace
    number: str | None = None
    groups: list[_Group] = field(default_factory=list)
    translation: str | None = None
    is_quoted: bool = False
    source: str | None = None
    notes: list[str] = field(default_factory=list)
    end: int = 0

    @property
    def conventions(self) -> Conventions:
        return self.place.profile.conventions

    def _starts(self, row: Row) -> bool:
        return starts_translation(row, self.conventions)

    def _translation_at(self, index: int) -> tuple[str | None, int, str | None]:
        return read_translation(self.rows, index, self.place.profile.leading, self.conventions)

    def __post_init__(self) -> None:
        prepared = list(self._prepared())
        self.rows = [row for row, _ in prepared]
        # For each row, and for the end of all, its place among those that were given.
        self.places = [*(place for _, place in prepared), len(self.upcoming)]
        start = self._translation_above()
        self.end = self._read_groups(start)
        if not self.groups:
            return
        if self.place.beside < float("inf"):
            self._read_beside()
        elif start == 0:
            self._read_translation()
        self._read_trailing()

    def _prepared(self) -> Iterator[tuple[Row, int]]:
        """The rows without what stands beside them and without the number in the margin, and where they were."""
        raw = [(part, index) for index, row in enumerate(self.upcoming) if (part := part_until(row, self.place.beside))]
        raw = [(without_name(row, self.place.named), index) for row, index in raw or [(self.upcoming[0], 0)]]
        for (row, index), (below, _) in zip(raw, [*raw[1:], raw[-1]], strict=True):
            if index == 0 and (number := margin_number(row, below)):
                self.number = number
                row = Row(row.words[1:])
            yield glued(hung_marks(row, below)), index

    @cached_property
    def content(self) -> float:
        return min(row.x0 for row in self.groups[0].tiers)

    def _near(self, index: int, factor: float = 1.75) -> bool:
        """Whether a row is near the row above it."""
        one, two = self.rows[index - 1], self.rows[index]
        return 0 < two.baseline - one.baseline <= factor * max(self.place.profile.leading, 1.2 * two.size)

    def _begins(self, index: int) -> bool:
        """Whether a row begins something else: a numbered example, a caption, the next sentence with its number."""
        row, below = self.rows[index], self.rows[index + 1] if index + 1 < len(self.rows) else None
        numbered = below is not None and margin_number(row, below) is not None
        conventions = self.conventions
        return (
            bool(conventions.label([word.text for word in row.words[:3]]) or conventions.caption.match(row.text))
            or numbered
        )

    def _stands_over(self, index: int) -> bool:
        """Whether a row may be the object line of the row below it."""
        if index + 1 >= len(self.rows) or not self._near(index + 1) or self._begins(index):
            return False
        one, two = self.rows[index : index + 2]
        if is_glossed(one, two):
            return True
        alike = fuzz.ratio(*(letters([word.text for word in row.words]) for row in (one, two))) >= LEAST_LIKENESS
        if len(one.words) == len(two.words) == 1 and self.groups:
            # The last word of a wrapped sentence.
            first = self.groups[0].tiers
            alike = alike or [style(row.main) for row in (one, two)] != [style(row.main) for row in first[:2]]
        elif len(one.words) == 1:
            return False
        return stand_over(one, two) and not alike

    def _group_at(self, start: int) -> _Group | None:
        for top in range(start, start + MAX_SURFACE + 1):
            if top >= len(self.rows) or (top > 0 and self._begins(top)) or (top > start and not self._near(top)):
                return None
            head = self.rows[start:top]
            if self._stands_over(top) and (not head or is_written_out(head, self.rows[top], self.place.profile)):
                end = top + 2
                while end < len(self.rows) and end - top < MAX_TIERS and self._is_tier(end):
                    end += 1
                return _Group(head, self.rows[top:end], end)
        return None

    def _is_tier(self, index: int) -> bool:
        """Whether a row is one more line of glosses."""
        row, above = self.rows[index], self.rows[index - 1]
        columns = len(row.words) > 2 or (len(row.cells) > 1 and len(above.cells) > 1)
        free = self._starts(row) or self._begins(index) or BRACKETED.match(row.text)
        return columns and not free and self._near(index) and stand_over(above, row) and not self._stands_over(index)

    def _translation_above(self) -> int:
        """Reads a translation above the tiers; returns the index of the row behind it."""
        if self.place.beside < float("inf"):
            return 0
        if not self._starts(self.rows[0]):
            return self._styled_above()
        text, end, _ = self._translation_at(0)
        group = self._group_at(end) if text and end < len(self.rows) and self._near(end) else None
        if group is None:
            return 0
        after = (
            group.end < len(self.rows)
            and starts_translation(self.rows[group.end], self.conventions)
            and self._near(group.end)
        )
        gaps = [self.rows[at].baseline - self.rows[at - 1].baseline for at in (end, group.end) if at < len(self.rows)]
        if after and gaps[1] <= 1.05 * gaps[0]:
            return 0
        self.translation, self.is_quoted = text, True
        return end

    def _styled_above(self) -> int:
        """Reads a translation above the tiers that has a style of its own in place of quotation marks."""
        own = style(self.rows[0].main)
        end = count_while(self.rows[: MAX_TRANSLATION + 1], lambda index: style(self.rows[index].main) == own)
        group = self._group_at(end) if end < len(self.rows) and self._near(end) else None
        if group is None or group.surface or self._group_at(0) is not None:
            return 0
        profile = self.place.profile
        usual = own in {(profile.body_font, profile.body_size), style(group.tiers[0].main), style(group.tiers[1].main)}
        below = group.end < len(self.rows) and self._near(group.end, 1.2)
        if usual or below or abs(self.rows[0].x0 - group.tiers[0].x0) > 2:
            return 0
        self.translation = " ".join(row.text for row in self.rows[:end])
        return end

    def _read_groups(self, start: int) -> int:
        end = start
        while end < len(self.rows):
            number = self._line_number(end) if self.groups else None
            group = self._group_at(end)
            if group is None or (self.groups and not self._wraps(group)):
                break
            self.notes += [number] if number else []
            group = self._without_speaker(group)
            self.groups.append(group)
            end = group.end
        return end

    def _line_number(self, index: int) -> str | None:
        """Takes the number of a line in the margin off a row with which the sentence above it goes on."""
        row, below, last = self.rows[index], self.rows[min(index + 1, len(self.rows) - 1)], self.groups[-1]
        number = margin_number(row, below)
        ended = SENTENCE_END.search((last.surface or last.tiers[:1])[-1].words[-1].text)
        if number is None or ended or not row.words[1].text[:1].islower():
            return None
        self.rows[index] = Row(row.words[1:])
        return number

    def _without_speaker(self, group: _Group) -> _Group:
        """The group without the letter of who speaks before its first row, which becomes a note."""
        if not group.surface or not SPEAKER.match(group.surface[0].words[0].text):
            return group
        first, *others = group.surface
        self.notes.append(first.words[0].text)
        return replace(group, surface=filled_rows([first.words[1:], *(row.words for row in others)]))

    def _wraps(self, group: _Group) -> bool:
        """Whether a group goes on from the one above it: its first word would not have fitted behind that one, or the
        sentence does not end there. Beside a translation, the translation must go on, too."""
        before, first = self.groups[-1], self.groups[0]
        if len(group.tiers) != len(first.tiers) or (group.surface and not first.surface):
            return False
        needed = max(row.words[0].x1 - row.words[0].x0 for row in group.tiers)
        full = before.right + needed > self.place.edge - 14
        one, two = (part.tiers[0].words for part in (before, group))
        lower = first.tiers[0].words[0].text[:1].isupper() and two[0].text[:1].islower()
        goes_on = len(one) > 2 and lower and not SENTENCE_END.search(one[-1].text)
        return self._near(before.end, 2.3) and (full or goes_on) and not self._begins_beside(before.end)

    def _begins_beside(self, index: int) -> bool:
        """Whether a translation begins beside a row, since the one above it has ended."""
        sides = [
            [word.text for word in row.words if word.x0 >= self.place.beside]
            for row in self.upcoming[: self.places[index] + 1]
        ]
        *above, here = sides
        last = next((words[-1] for words in reversed(above) if words), "")
        return bool(here) and bool(SENTENCE_END.search(last)) and not here[0][:1].islower()

    def _read_beside(self) -> None:
        """Reads the translation in the column beside the words."""
        rows, limit = self.upcoming[: self.places[self.end]], 1.75 * self.place.profile.leading
        n_near = count_while(rows, lambda index: rows[index].baseline - rows[index - 1].baseline < limit)
        _, side = cut_beside(rows[:n_near], self.place.beside)
        self.translation = self.conventions.unquoted(" ".join(row.text for row in side)) if side else None

    def _read_translation(self) -> None:
        if self.end >= len(self.rows) or not self._near(self.end):
            return
        if self._starts(self.rows[self.end]):
            _, end, _ = self._translation_at(self.end)
            self.rows[end - 1], self.source = cut_aside(self.rows[end - 1], self.place.right, self.conventions)
            text, end, trailing = self._translation_at(self.end)
            self.translation, self.is_quoted, self.end = text, text is not None, end
            if trailing and (REFERENCE.search(trailing) or self.conventions.is_source(trailing)):
                self.source = without_brackets(trailing)
            elif trailing:
                self.notes.append(trailing)
            return
        if is_reference(self.rows[self.end].text) or not self._is_free(self.end):
            return
        rest = self.rows[self.end :]
        n_rows = count_while(rows := rest, lambda index: self._goes_on(rows[index - 1], self.end + index))
        if n_rows <= MAX_TRANSLATION and not self._runs_on():
            self.translation = " ".join(row.text for row in rest[:n_rows])
            self.end += n_rows

    def _is_free(self, index: int) -> bool:
        """Whether a row without quotation marks is set as the translation of the tiers right above it."""
        row, last = self.rows[index], self.groups[-1].tiers[-1]
        inside = last.baseline - self.groups[-1].tiers[-2].baseline
        near = row.baseline - last.baseline <= 1.4 * max(inside, self.place.profile.leading)
        size = max(row.size for group in self.groups for row in group.tiers)
        same = abs(row.x0 - self.content) < 0.5 * size and abs(row.size - size) < 0.2 * size
        return near and same and not self._begins(index) and self._group_at(index) is None

    def _goes_on(self, above: Row, index: int) -> bool:
        """Whether a row goes on from a row of the translation that left no room for its first word."""
        row = self.rows[index]
        full = above.x1 + 0.3 * row.size + row.words[0].x1 - row.words[0].x0 > self.place.edge
        return full and self._is_free(index) if index == self.end else full and self._goes_below(index)

    def _goes_below(self, index: int) -> bool:
        same = abs(self.rows[index].x0 - self.content) < 0.5 * self.rows[index].size
        return same and self._near(index, 1.4) and not self._begins(index) and self._group_at(index) is None

    def _runs_on(self) -> bool:
        """Whether the groups are a text of several sentences, which has no translation right below it."""
        words = [word.text for group in self.groups for word in group.tiers[0].words]
        return len(self.groups) > 1 and sum(bool(SENTENCE_END.search(word)) for word in words) > MIN_SENTENCES

    def _read_trailing(self) -> None:
        """Reads the source on a line of its own, and further lines in brackets or quotation marks."""
        while self.end < len(self.rows) and self._near(self.end, 1.4) and not self._begins(self.end):
            row = self.rows[self.end]
            if row.x0 < self.content - 2.5 or self._group_at(self.end) is not None:
                return
            if self.source is None and (is_reference(row.text) or self._is_attribution(row)):
                self.source = without_brackets(row.text)
            elif BRACKETED.match(row.text) or (
                self.is_quoted and starts_translation(row, self.conventions) and not self._leads()
            ):
                self.notes.append(row.text)
            else:
                return
            self.end += 1

    def _is_attribution(self, row: Row) -> bool:
        above = self.rows[self.end - 1]
        translated = self.is_quoted and above not in self.groups[-1].tiers
        return translated and is_attribution(row, above, self.content, self.place.right)

    def _leads(self) -> bool:
        """Whether a quoted row stands above the tiers of the next unit."""
        _, end, _ = self._translation_at(self.end)
        return end < len(self.rows) and self._near(end) and self._group_at(end) is not None

    def is_sure(self) -> bool:
        """Whether enough speaks for glosses where no number announces them."""
        group = self.groups[0]
        one, two = group.tiers[:2]
        glossed = any(is_glossed(above, below) for group in self.groups for above, below in pairwise(group.tiers))
        styles = style(one.main), style(two.main)
        usual = styles in self.place.profile.gloss_styles
        indented = self.content >= self.place.left + 0.8 * self.place.profile.body_size
        n_words = sum(len(group.tiers[0].words) for group in self.groups)
        if self.is_quoted:
            return glossed or (n_words > 1 and (indented or usual))
        if not glossed:
            return usual and styles[0] != styles[1] and n_words > 2
        expected = (
            usual or indented or self.place.named > 0 or self.number is not None or self.place.beside < float("inf")
        )
        return n_words > 1 and expected and not self._is_table()

    def _is_table(self) -> bool:
        """Whether further rows go on below the columns of the tiers."""
        last = self.groups[-1]
        start = last.end
        goes_on = start < len(self.rows) and self._near(start) and stand_over(last.tiers[-1], self.rows[start])
        return goes_on and len(last.tiers[-1].words) > 1

    def examples(self) -> list[FoundExample]:
        groups = self.groups
        n_rows = self.places[self.end]
        raw = "\n".join(row.text for row in self.upcoming[:n_rows])
        gloss = Gloss(
            number=self.number,
            translation=self.translation,
            source=self.source,
            notes=tuple(self.notes),
            raw=raw,
        )
        size = min(len(group.tiers) for group in groups)
        head = [row for group in groups for row in group.surface]
        lines = [row for group in groups for row in group.tiers[:size]]
        whole = read_tiers(head, lines, size, gloss, self.place.profile)
        if self.translation or not self._runs_on() or whole.surface:
            return [FoundExample(n_rows, whole)]
        ends = [len(tiers(lines[at : at + size], size, self.place.profile)[0][0]) for at in range(0, len(lines), size)]
        return list(_sentences(whole, groups, ends))


def _sentences(whole: Gloss, groups: Sequence[_Group], widths: Sequence[int]) -> Iterator[FoundExample]:
    """A text that runs on over its groups, cut behind the marks that end its sentences. `widths` count the columns."""
    spans = [
        (group.end - len(group.tiers) - len(group.surface), group.end)
        for group, width in zip(groups, widths, strict=True)
        for _ in range(width)
    ]
    ends = [index for index, word in enumerate(whole.segmentation, start=1) if SENTENCE_END.search(word)]
    for start, end in pairwise([0, *ends, *({len(spans)} - set(ends))]):
        segmentation, glosses = whole.segmentation[start:end], tuple(line[start:end] for line in whole.glosses)
        raw = "\n".join(" ".join(filter(None, line)) for line in (segmentation, *glosses))
        first = whole if start == 0 else Gloss()
        gloss = first.model_copy(update={"segmentation": segmentation, "glosses": glosses, "raw": raw})
        yield FoundExample(spans[end - 1][1], gloss, start=spans[start][0])


# The most rows of a sentence.
_MAX_ROWS = 3


def find_text(upcoming: Sequence[Row], place: TextPlace) -> list[FoundExample]:
    """The sentences that begin with the first of `upcoming` rows: one, or all of a text that runs on without
    translations. Empty where none begins."""
    return find_glossed(upcoming, place) or _find_unglossed(upcoming, place)


def _find_unglossed(upcoming: Sequence[Row], place: TextPlace) -> list[FoundExample]:
    """The sentence that begins with the first of `upcoming` rows, if it is indented, all of it in the type of the
    book's object lines and not of its prose, and a translation in quotation marks stands right below it."""
    own, profile = style(upcoming[0].main), place.profile
    numbered = profile.conventions.number(upcoming[0].words[0].text) is not None
    is_object = not numbered and any(own == above for above, _ in profile.gloss_styles)
    left = upcoming[0].x0
    if not is_object or own == (profile.body_font, profile.body_size) or left < place.left + 0.8 * profile.body_size:
        return []

    def is_near(index: int) -> bool:
        row, above = upcoming[index], upcoming[index - 1]
        return row.baseline - above.baseline < 1.4 * profile.leading and abs(row.x0 - left) < 2

    def goes_on(index: int) -> bool:
        return is_near(index) and style(upcoming[index].main) == own

    n_rows = count_while(upcoming[: _MAX_ROWS + 1], goes_on)
    alike = all(style(word.main) == own for row in upcoming[:n_rows] for word in row.words)
    below = n_rows < len(upcoming) and is_near(n_rows) and starts_translation(upcoming[n_rows], profile.conventions)
    if not (alike and below) or n_rows > _MAX_ROWS:
        return []
    _, end, _ = read_translation(upcoming, n_rows, profile.leading, profile.conventions)
    if not profile.conventions.ends_translation(upcoming[end - 1].text) and end < len(upcoming):
        return []
    if end < len(upcoming) and upcoming[end].baseline - upcoming[end - 1].baseline < 1.4 * profile.leading:
        row = upcoming[end]
        end += is_attribution(row, upcoming[end - 1], left, place.right) or is_reference(row.text)
    return [FoundExample(end, read_leaf(upcoming[:end], Edges(left, place.right, profile)))]
