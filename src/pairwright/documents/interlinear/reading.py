"""Reads the lines of a glossed example from top to bottom: title, sentence, words over glosses, translation, source.

Under a number all rows belong to the example: what is neither object line, gloss, translation nor source is a note.
Without one, as in a text, the rows end where the example does, and how sure its glosses must be follows from what is
around it: quotation marks, a number in the margin, the styles that stand over each other in the whole book.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.parts import (
    BRACKETED,
    LEAST_LIKENESS,
    REFERENCE,
    Place,
    cut_beside,
    glued,
    hung_marks,
    is_attribution,
    is_reference,
    is_source,
    is_written_out,
    margin_number,
    read_plain,
    read_tiers,
    read_translation,
    row_script,
    starts_translation,
    without_brackets,
    without_name,
)
from pairwright.documents.lines.rows import (
    Row,
    are_aligned,
    begins_at,
    count_while,
    is_glossed,
    is_label,
    is_text,
    letters,
    stand_over,
    style,
)
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.sentences import STARS, ends_sentence

MAX_TIERS = 4
# The most rows of a sentence above its segmentation, and of a translation that no quotation marks hold together.
MAX_SURFACE, MAX_TRANSLATION = 2, 5
# The most rows of a sentence without glosses.
MAX_OBJECTS = 3
# Within so many rows the first tiers begin and end.
FIRST_ROWS = MAX_SURFACE + MAX_TRANSLATION + MAX_TIERS + 2
# No page of a book has more rows of one text.
MAX_ROWS = 200


@dataclass(frozen=True)
class FoundExample:
    """An example that fills the first `n_rows` of the rows that it was looked for in."""

    n_rows: int
    gloss: Gloss

    @property
    def interlinear(self) -> bool:
        """Whether any part has a gloss line."""
        return any(leaf.glosses for _, leaf in self.gloss.leaves())


@dataclass(frozen=True)
class _Group:
    """The rows above the tiers, the tiers, and the index of the row behind them."""

    surface: Sequence[Row]
    tiers: Sequence[Row]
    end: int


def read_numbered(members: Sequence[Row], place: Place) -> Gloss:
    """The rows of an example under a number, or of a part of one, as a gloss without the number."""
    return _Reading(members, place, numbered=True).gloss()


def find_text(upcoming: Sequence[Row], place: Place) -> FoundExample | None:
    """The sentence without a number that begins with the first of `upcoming` rows; None where none does."""

    def may_gloss(one: Row, two: Row) -> bool:
        return len(one.cells) > 1 or len(two.cells) > 1 or len(one.words) < 4

    first_rows = upcoming[: MAX_SURFACE + MAX_TRANSLATION]
    may_begin = style(upcoming[0].main) in place.profile.object_styles or any(
        map(may_gloss, first_rows, first_rows[1:])
    )
    # Whether a sentence begins is told by the first rows, and mostly none does.
    if not may_begin or not _Reading(upcoming[:FIRST_ROWS], place).end:
        return None
    reading = _Reading(upcoming[:MAX_ROWS], place)
    return FoundExample(reading.end, reading.gloss()) if reading.end and reading.is_sure() else None


class _Reading:
    """The rows of one example, taken apart from top to bottom."""

    def __init__(self, upcoming: Sequence[Row], place: Place, *, numbered: bool = False) -> None:
        self.upcoming, self.place, self.numbered = upcoming, place, numbered
        self.profile, self.conventions = place.profile, place.profile.conventions
        self.number: str | None = None
        self.language: str | None = None
        self.translation: str | None = None
        self.source: str | None = None
        self.is_quoted = False
        self.notes: list[str] = []
        self.rows, self.side = self._numbered_rows() if numbered else (self._text_rows(), [])
        self.limit = len(self.rows)
        if numbered:
            self.limit = next((at for at in range(1, len(self.rows)) if self._starts(at)), len(self.rows))
        self.groups: list[_Group] = []
        self.end = self._read_groups()
        if not (self.groups or numbered):
            self.end = self.limit = self._count_unglossed()
        if not (self.end or numbered):
            return
        if self.side:
            leading, conventions = self.profile.leading, self.conventions
            self.translation, end, behind = read_translation(self.side, 0, leading, conventions)
            self._add_behind(behind)
            self.notes += [row.text for row in self.side[end:]]
            self.end = self.end or len(self.rows)
        else:
            self._read_translation()
        self._read_trailing()

    # The rows as they are read.

    def _numbered_rows(self) -> tuple[list[Row], list[Row]]:
        """The rows without what stands beside them: the source, the language and a translation, which is given, too."""
        words, side = cut_beside(self.upcoming, self.conventions)
        hanging = [hung_marks(row, after) for row, after in zip(words, [*words[1:], None], strict=True)]
        rows = [*map(glued, hanging), *side]
        lines, self.source, self.language = _without_sources(rows, self.place, self.conventions)
        n_words = sum(row.x0 < side[0].x0 for row in lines) if side else len(lines)
        return lines[:n_words], lines[n_words:]

    def _text_rows(self) -> list[Row]:
        """The rows without the name of their line and the number in the margin."""
        named = [without_name(row, self.place.named) for row in self.upcoming]
        self.number = margin_number(*named[:2]) if len(named) > 1 else None
        if self.number:
            named[0] = Row(named[0].words[1:])
        return [glued(hung_marks(row, below)) for row, below in zip(named, [*named[1:], named[-1]], strict=True)]

    @property
    def content(self) -> float:
        return min(row.x0 for row in self.groups[0].tiers) if self.groups else self.rows[0].x0

    def _starts(self, index: int) -> bool:
        return starts_translation(self.rows[index], self.conventions)

    def _near(self, index: int, factor: float = 1.75) -> bool:
        """Whether a row is near the row above it, as all are under a number."""
        if index >= len(self.rows):
            return False
        one, two = self.rows[index - 1], self.rows[index]
        return self.numbered or 0 < two.baseline - one.baseline <= factor * max(self.profile.leading, 1.2 * two.size)

    def _begins(self, index: int) -> bool:
        """Whether a row begins something else: a numbered example, a caption, the next sentence with its number."""
        if self.numbered:
            return False
        row, below = self.rows[index], self.rows[min(index + 1, len(self.rows) - 1)]
        label = self.conventions.label([word.text for word in row.words[:3]])
        return bool(label or self.conventions.caption.match(row.text) or margin_number(row, below))

    # Words over their glosses.

    def _stands_over(self, index: int) -> bool:
        """Whether a row may be the object line of the row below it."""
        if index + 1 >= self.limit or not self._near(index + 1) or self._begins(index):
            return False
        one, two = self.rows[index : index + 2]
        if self.numbered:
            return are_aligned(one, two)
        return is_glossed(one, two) or (stand_over(one, two) and _likeness(one, two) < LEAST_LIKENESS)

    def _group_at(self, start: int) -> _Group | None:
        for top in range(start, start + MAX_SURFACE + 1):
            if top >= self.limit or (top > 0 and self._begins(top)) or (top > start and not self._near(top)):
                return None
            head = self.rows[start:top]
            any_head = not head or (self.numbered and not self.groups)
            if self._stands_over(top) and (any_head or is_written_out(head, self.rows[top], self.profile)):
                end = top + 2
                while end - top < MAX_TIERS and self._is_tier(end):
                    end += 1
                return _Group(head, self.rows[top:end], end)
        return None

    def _is_tier(self, index: int) -> bool:
        """Whether a row is one more line of glosses."""
        if index >= self.limit or self._starts(index) or not self._near(index) or self._stands_over(index):
            return False
        row, above = self.rows[index], self.rows[index - 1]
        # A line of text without labels under one with labels is a translation, though it may have as many words.
        if is_text(row) and _has_labels(above) and not _has_labels(row):
            return False
        if self.numbered:
            return are_aligned(above, row)
        columns = len(row.words) > 2 or (len(row.cells) > 1 and len(above.cells) > 1)
        return columns and not self._begins(index) and not BRACKETED.match(row.text) and stand_over(above, row)

    def _read_groups(self) -> int:
        end = 0
        while end < self.limit:
            number = self._line_number(end) if self.groups and not self.numbered else None
            group = self._group_at(end)
            if group is None or (self.groups and not self._wraps(group)):
                break
            self.notes += [number] if number else []
            self.groups.append(group)
            end = group.end
        return end

    def _line_number(self, index: int) -> str | None:
        """Takes the number of a line in the margin off a row with which the sentence above it goes on."""
        row, below, last = self.rows[index], self.rows[min(index + 1, len(self.rows) - 1)], self.groups[-1]
        number = margin_number(row, below)
        ended = ends_sentence((last.surface or last.tiers[:1])[-1].text)
        if number is None or ended or not row.words[1].text[:1].islower():
            return None
        self.rows[index] = Row(row.words[1:])
        return number

    def _wraps(self, group: _Group) -> bool:
        """Whether a group goes on from the one above it: its first word would not have fitted behind that one, or the
        sentence does not end there."""
        before, first = self.groups[-1], self.groups[0]
        if self.numbered:
            return True
        needed = max(row.words[0].x1 - row.words[0].x0 for row in group.tiers)
        full = max(row.x1 for row in before.tiers) + needed > self.place.right - 14
        one, two = (part.tiers[0].words for part in (before, group))
        lower = first.tiers[0].words[0].text[:1].isupper() and two[0].text[:1].islower()
        goes_on = len(one) > 2 and lower and not ends_sentence(one[-1].text)
        return self._near(before.end, 2.3) and (full or goes_on)

    def _count_unglossed(self) -> int:
        """How many rows are a sentence without glosses: indented, all of it in the type of the book's object lines and
        not of its prose, with a translation in quotation marks right below it."""
        left, own = self.rows[0].x0, style(self.rows[0].main)

        def is_near(index: int) -> bool:
            return self._near(index, 1.4) and abs(self.rows[index].x0 - left) < 2

        n_rows = count_while(self.rows, lambda index: is_near(index) and style(self.rows[index].main) == own)
        alike = all(style(word.main) == own for row in self.rows[:n_rows] for word in row.words)
        indented = left >= self.place.left + 0.8 * self.profile.body_size
        is_object = own in self.profile.object_styles and alike and indented and n_rows <= MAX_OBJECTS
        return n_rows if is_object and is_near(n_rows) and self._starts(n_rows) else 0

    # The translation.

    def _read_translation(self) -> None:
        start = self.end
        if self.numbered:
            # Under a number, rows between the glosses and the translation are notes.
            later = (at for at in range(max(start, 1), len(self.rows)) if self._starts(at))
            start = next(later, max(start, 1))
            if not self.groups:
                # The sentence alone, which may be wrapped.
                self.limit = self.end = 1 + len(self.rows) - len(_unwrapped(self.rows, self.place))
        if start >= len(self.rows) or not self._near(start):
            return
        if self._starts(start):
            self.notes += [row.text for row in self.rows[self.end : start]] if self.groups else []
            self.limit = self.limit if self.groups else start
            leading, conventions = self.profile.leading, self.conventions
            self.translation, self.end, behind = read_translation(self.rows, start, leading, conventions)
            self.is_quoted = True
            self._add_behind(behind)
        elif self.groups and not is_reference(self.rows[start].text) and self._is_free(start):
            rest = self.rows[start:]
            n_rows = count_while(rest, lambda index: self._goes_on(rest[index - 1], start + index))
            if n_rows <= MAX_TRANSLATION:
                # A scan may have lost the opening mark alone.
                self.translation = self.conventions.unquoted(" ".join(row.text for row in rest[:n_rows]))
                self.end = start + n_rows

    def _add_behind(self, behind: str | None) -> None:
        """Takes what stands behind a translation as the source, or as a note."""
        if behind and self.source is None and (REFERENCE.search(behind) or self.conventions.is_source(behind)):
            self.source = without_brackets(behind)
        elif behind:
            self.notes.append(behind)

    def _is_free(self, index: int) -> bool:
        """Whether a row without quotation marks is set as the translation of the tiers right above it."""
        row, last = self.rows[index], self.groups[-1].tiers[-1]
        inside = last.baseline - self.groups[-1].tiers[-2].baseline
        near = row.baseline - last.baseline <= 1.4 * max(inside, self.profile.leading)
        size = max(row.size for group in self.groups for row in group.tiers)
        same = abs(row.x0 - self.content) < 0.5 * size and abs(row.size - size) < 0.2 * size
        if self.numbered:
            plain = row.text[0] not in "([" + STARS and row_script(row) == row_script(last)
            glossed = is_glossed(*self.groups[-1].tiers[-2:]) or (is_text(last) and _has_labels(last))
            return near and same and plain and glossed
        return near and same and not self._begins(index) and self._group_at(index) is None

    def _goes_on(self, above: Row, index: int) -> bool:
        """Whether a row goes on from a row of the translation that left no room for its first word."""
        row = self.rows[index]
        full = _leaves_no_room(above, row, self.place.right - 14 * self.numbered)
        same = abs(row.x0 - self.content) < 0.5 * row.size
        return full and same and self._near(index, 1.4) and not self._begins(index) and self._group_at(index) is None

    def _read_trailing(self) -> None:
        """Reads the source on a line of its own, and further lines: under a number all, else those in brackets."""
        while self.end < len(self.rows) and (self.numbered or self._is_trailing(self.end)):
            row, above = self.rows[self.end], self.rows[self.end - 1]
            referring = is_reference(row.text) and (self.translation or not self.numbered)
            quoted = self.is_quoted and not (self.groups and above in self.groups[-1].tiers)
            aside = quoted and is_attribution(row, above, self.content, self.place.right)
            if self.source is None and (referring or aside):
                self.source = without_brackets(row.text)
            elif self.numbered or BRACKETED.match(row.text):
                self.notes.append(row.text)
            else:
                return
            self.end += 1

    def _is_trailing(self, index: int) -> bool:
        """Whether a row may belong to the example above it and begins nothing else."""
        near = self._near(index, 1.4) and self.rows[index].x0 >= self.content - 2.5
        return near and not self._begins(index) and self._group_at(index) is None

    # What comes out.

    def is_sure(self) -> bool:
        """Whether the rows are no list, and enough speaks for glosses without a number."""
        if not self.groups:
            return True
        (one, two, *_), last = self.groups[0].tiers, self.groups[-1]
        glossed = any(is_glossed(above, below) for group in self.groups for above, below in pairwise(group.tiers))
        if self.numbered:
            # Words beside their translations are a list, as are wordings of one sentence.
            first = [*self.groups[0].surface, *self.groups[0].tiers]
            is_list = any(cell.text[0] in self.conventions.opening for row in first for cell in row.cells)
            is_list = is_list or _likeness(first[0], last.tiers[-1]) > 80 or (is_text(one) and not glossed)
            return self.translation is not None or not is_list
        n_words = sum(len(group.tiers[0].words) for group in self.groups)
        styles = style(one.main), style(two.main)
        if not glossed and not self.is_quoted:
            return styles in self.profile.gloss_styles and styles[0] != styles[1] and n_words > 2
        # In a table further rows go on below the columns.
        goes_on = self._near(last.end) and len(last.tiers[-1].words) > 1
        goes_on = goes_on and stand_over(last.tiers[-1], self.rows[last.end])
        return self.is_quoted or (n_words > 1 and not goes_on)

    def gloss(self) -> Gloss:
        """The whole example."""
        n_rows = self.end if not self.numbered else len(self.upcoming)
        translation, source = self.conventions.without_dashed_source(self.translation, self.source or None)
        gloss = Gloss(
            number=self.number,
            language=self.language,
            translation=translation,
            source=source,
            notes=tuple(self.notes),
            raw="\n".join(row.text for row in self.upcoming[:n_rows]),
        )
        if not self.groups or (self.numbered and not self.is_sure()):
            before = self.rows[: self.groups[-1].end if self.groups else self.limit]
            return read_plain(_unwrapped(before, self.place), gloss, self.conventions)
        size = min(len(group.tiers) for group in self.groups)
        head = [row for group in self.groups for row in group.surface]
        lines = [row for group in self.groups for row in group.tiers[:size]]
        return read_tiers(head, lines, size, gloss, self.profile)


def _has_labels(row: Row) -> bool:
    return any(is_label(word.text) for word in row.words)


def _without_sources(
    members: Sequence[Row], place: Place, conventions: Conventions
) -> tuple[list[Row], str | None, str | None]:
    """The rows without references at the right margin or behind a translation, the reference, and a bracketed label
    beside an object line."""
    lines: list[Row] = []
    source = label = None
    for index, row in enumerate(members):
        if index and source is None and is_source(row, place.right):
            source = row.text
            continue
        cells = list(row.cells)
        marks: list[Row] = []
        while len(cells) > 1 and BRACKETED.match(cells[-1].text) and not _is_column(cells[-1], members, index):
            marks.insert(0, cells.pop())
        is_behind = bool(marks) and (marks[-1].x1 > place.right - 12 or conventions.closed.search(cells[-1].text))
        if marks and source is None and (len(marks) > 1 or is_behind):
            source = marks.pop().text
        if marks:
            name = marks.pop(0).text.strip("()[]")
            label = f"{label}; {name}" if label else name
        cells += marks
        lines.append(Row(tuple(word for cell in cells for word in cell.words)))
    return lines, None if source is None else without_brackets(source), label


def _likeness(one: Row, two: Row) -> float:
    """How alike the letters of two rows are, 0-100."""
    return fuzz.ratio(*(letters(word.text for word in row.words) for row in (one, two)))


def _is_column(cell: Row, members: Sequence[Row], index: int) -> bool:
    """Whether words of a neighbouring row, which are not bracketed themselves, begin where a cell begins."""
    neighbours = [*members[max(0, index - 1) : index], *members[index + 1 : index + 2]]
    words = [word for row in neighbours for word in row.words if word.text[0] not in "(["]
    return any(begins_at(word, [cell.x0]) for word in words)


def _unwrapped(before: Sequence[Row], place: Place) -> Sequence[Row]:
    """Rows of which the first goes on in those below it: it fills the line, and they begin where it does."""
    n_rows = count_while(before, lambda end: _goes_on(before[end - 1], before[end], place.right))
    if n_rows < 2:
        return before
    return [Row(tuple(word for row in before[:n_rows] for word in row.words)), *before[n_rows:]]


def _goes_on(row: Row, below: Row, right: float) -> bool:
    alike = style(row.main) == style(below.main) and abs(row.x0 - below.x0) < 2
    whole = len(row.cells) == len(below.cells) == 1 and row.words[-1].text[-1] not in ".!?"
    return alike and whole and _leaves_no_room(row, below, right)


def _leaves_no_room(row: Row, below: Row, right: float) -> bool:
    """Whether the first word of a row would not have fitted behind the row above it."""
    first = below.words[0]
    return row.x1 + 0.3 * below.size + first.x1 - first.x0 > right
