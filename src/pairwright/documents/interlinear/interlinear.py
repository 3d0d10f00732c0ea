"""Reads the lines of one glossed example: object lines, gloss lines, translation and source, aligned word by word.

Each word of the object line begins where its gloss begins, and wrapped examples repeat the group of lines. So the
number of lines in a group is that for which the groups align best.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz import fuzz

from pairwright.core.records import Gloss
from pairwright.core.text import split_translation
from pairwright.documents.interlinear.text_place import SLACK, cut_beside, quoted_edge
from pairwright.documents.interlinear.tiers import glued, hung_marks, read_tiers
from pairwright.documents.interlinear.translation import (
    BRACKETED,
    REFERENCE,
    cut_aside,
    is_attribution,
    is_reference,
    is_source,
    read_translation,
    row_script,
    starts_translation,
    without_brackets,
)
from pairwright.documents.lines.alignment import (
    BY_COUNT,
    LEAST_ALIGNMENT,
    alignment,
    begins_at,
    has_categories,
    is_glossed,
    letters,
    stand_over,
)
from pairwright.documents.lines.data import Profile
from pairwright.documents.lines.rows import Row, count_while, style
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.marks import JUDGEMENT, STARS

# What a language's name never holds: a recording or a reference does.
NO_LANGUAGE = re.compile(rf"[\d/\]{STARS}]")
TRANSCRIPTION = re.compile(r"^(?:/[^/]+/|\[[^\]]+\])$")
MAX_TIERS = 4


@dataclass(frozen=True)
class Edges:
    """The left edge of an example's content, the right edge of the column, the style of the book, and the left edge of
    translations beside the words (infinite where there are none), in points."""

    left: float
    right: float
    profile: Profile
    beside: float = float("inf")

    @property
    def conventions(self) -> Conventions:
        return self.profile.conventions

    def translation_at(self, lines: Sequence[Row], start: int) -> tuple[str | None, int, str | None]:
        return read_translation(lines, start, self.profile.leading, self.conventions)

    @property
    def end(self) -> float:
        """Where the words end at the right."""
        return min(self.right, self.beside)


def read_leaf(members: Sequence[Row], edges: Edges) -> Gloss:
    """The lines of an example without sub-examples, from top to bottom, as a gloss without a number.

    Every line ends up in the result: what is neither object line, gloss, translation nor source is a note.
    """
    words, side = _cut_beside(members, edges)
    edges = replace(edges, beside=side[0].x0 if side else float("inf"))
    hanging = [hung_marks(row, after) for row, after in zip(words, [*words[1:], None], strict=True)]
    lines, source, label = _without_sources([*map(glued, hanging), *side], edges)
    if label and NO_LANGUAGE.search(label):
        label, source = None, f"{label}; {source}" if source else label
    before, after, translation, trailing = _around_translation(lines, edges)
    rows_by_count = before and before[0].words[0].main.font == BY_COUNT
    unsure = rows_by_count and translation is None and not any(is_glossed(*pair) for pair in pairwise(before))
    columns = [] if unsure or _is_list(before, translation, edges.conventions) else before
    group = _best_group(columns, edges)
    if group is None and 1 < len(several := [row for row in columns if len(row.words) > 1]) < len(columns):
        # One word of a row that stands in no column must not cost the example its gloss.
        group = _best_group(several, edges)
        after = [*(row for row in columns if len(row.words) == 1), *after] if group else after
        before = several if group else before
    notes = [row.text for row in after]
    bare = without_brackets(trailing or "")
    if trailing and (source or not (REFERENCE.search(trailing) or edges.conventions.is_source(trailing))):
        notes.insert(0, trailing)
    elif trailing:
        source = bare
    raw = "\n".join(row.text for row in members)
    gloss = Gloss(language=label, translation=translation, source=source or None, notes=tuple(notes), raw=raw)
    if group is None:
        if translation is None and len(rows := _unwrapped(lines, edges)) < len(lines):
            sentence, *others = rows
            return _plain(
                [sentence], edges.conventions, gloss.model_copy(update={"notes": tuple(row.text for row in others)})
            )
        return _plain(_unwrapped(before, edges), edges.conventions, gloss)
    skip, size = group
    return read_tiers(before[:skip], before[skip:], size, gloss, edges.profile)


def _around_translation(
    lines: Sequence[Row], edges: Edges
) -> tuple[Sequence[Row], Sequence[Row], str | None, str | None]:
    """The rows before the translation, those after it, the translation, and a source behind it. The translation stands
    below the glosses, or beside them; then its rows come behind theirs."""
    at = next((index for index, row in enumerate(lines) if row.x0 >= edges.beside), None)
    if at is not None:
        translation, end, trailing = edges.translation_at(lines, at)
        if translation is None:
            return lines[:at], (), " ".join(row.text for row in lines[at:]), None
        return lines[:at], lines[end:], translation, trailing
    start = next(
        (index for index, row in enumerate(lines) if index and starts_translation(row, edges.conventions)), None
    )
    if start is None and starts_translation(lines[0], edges.conventions):
        translation, end, trailing = edges.translation_at(lines, 0)
        last = end + _aligned_end(lines[end:]) if end < len(lines) else end
        if last > end + 1 and is_glossed(lines[last - 2], lines[last - 1]):
            return lines[end:last], lines[last:], translation, trailing
    if start is None:
        start = _aligned_end(lines)
        if free := _free_translation(lines, start):
            # A scan may have lost the opening mark alone.
            return lines[:start], [], edges.conventions.unquoted(" ".join(row.text for row in free)), None
    translation, end, trailing = edges.translation_at(lines, start)
    return lines[:start], lines[end:], translation, trailing


def _cut_beside(members: Sequence[Row], edges: Edges) -> tuple[Sequence[Row], Sequence[Row]]:
    """The rows of the words, and those of a translation that stands beside them, with a source."""
    x = min(edges.beside, quoted_edge(members, edges.conventions))
    words, side = cut_beside(members, x)
    if len(words) < 2 or not side or not begins_at(side[0].words[0], [x + SLACK]):
        return members, ()
    glossed = any(is_glossed(*pair) for pair in pairwise(words)) and not any(map(stand_over, side[:1], side[1:]))
    return (words, side) if starts_translation(side[0], edges.conventions) or glossed else (members, ())


def _free_translation(lines: Sequence[Row], start: int) -> Sequence[Row]:
    """The rows below the glosses that are set as a translation without quotation marks: where the tiers begin, in the
    glosses' script, each further one because the row before has no room."""
    rest, glosses = lines[start:], lines[start - 1]
    if start < 2 or not (is_glossed(lines[start - 2], glosses) and has_categories(glosses)):
        return ()
    if (
        not rest
        or rest[0].text[0] in "([" + STARS
        or is_reference(rest[0].text)
        or row_script(rest[0]) != row_script(glosses)
    ):
        return ()
    right = max(row.x1 for row in lines)

    def goes_on(index: int) -> bool:
        first = rest[index].words[0]
        return rest[index - 1].x1 + first.x1 - first.x0 > right - 14 and abs(first.x0 - rest[0].x0) < 2

    n_rows = count_while(rest, goes_on)
    quoted = any(mark in row.text for row in rest[:n_rows] for mark in "‘“«„")
    return () if quoted or abs(rest[0].x0 - glosses.x0) > 2 or n_rows < len(rest) else rest


def _is_list(lines: Sequence[Row], translation: str | None, conventions: Conventions) -> bool:
    """Whether lines in columns are a list of words or labels, so that none of them glosses another."""
    if len(lines) < 2:
        return False
    labelled = all(row.cells[0].text.endswith(":") for row in lines)
    quoted = any(
        cell.text[0] in conventions.opening and cell.text[-1] in conventions.closing
        for row in lines
        for cell in row.cells
    )
    first, last = (letters([word.text for word in row.words]) for row in (lines[0], lines[-1]))
    repeats = len(first) > 4 and fuzz.ratio(first, last) > 80
    return labelled or (translation is None and (quoted or repeats))


def _without_sources(members: Sequence[Row], edges: Edges) -> tuple[list[Row], str | None, str | None]:
    """The rows without references at the right margin, the reference, and a bracketed label beside an object line."""
    lines: list[Row] = []
    source = label = None
    for index, row in enumerate(members):
        translated = _is_translated(members[:index], edges.conventions)
        below = translated and is_reference(row.text)
        apart = translated and is_attribution(row, members[index - 1], edges.left, edges.right)
        if index and source is None and (is_source(row, edges.right) or below or apart):
            source = row.text
            continue
        if source is None and any(starts_translation(row, edges.conventions) for row in members[1 : index + 1]):
            row, source = cut_aside(row, edges.right, edges.conventions)
        cells = list(row.cells)
        marks: list[Row] = []
        while len(cells) > 1 and BRACKETED.match(cells[-1].text) and not _is_column(cells[-1], members, index):
            marks.insert(0, cells.pop())
        if marks and source is None and (len(marks) > 1 or marks[-1].x1 > edges.right - 12):
            source = marks.pop().text
        if marks:
            name = marks.pop(0).text.strip("()[]")
            label = f"{label}; {name}" if label else name
        cells += marks
        lines.append(Row(tuple(word for cell in cells for word in cell.words)))
    return lines, None if source is None else without_brackets(source), label


def _is_translated(above: Sequence[Row], conventions: Conventions) -> bool:
    """Whether the last of the rows above ends a translation."""
    started = any(starts_translation(row, conventions) for row in above[1:])
    return started and (
        conventions.closed.search(above[-1].text) is not None or BRACKETED.match(above[-1].text) is not None
    )


def _is_column(cell: Row, members: Sequence[Row], index: int) -> bool:
    """Whether words of a neighbouring row, which are not bracketed themselves, begin where a cell begins."""
    neighbours = [*members[max(0, index - 1) : index], *members[index + 1 : index + 2]]
    words = [word for row in neighbours for word in row.words if word.text[0] not in "(["]
    return any(begins_at(word, [cell.x0]) for word in words)


def _aligned_end(lines: Sequence[Row]) -> int:
    """Without a translation: the end of the rows that align with the row above them, or wrap them as a new group, below
    up to two rows of heading."""

    def n_aligned(rows: Sequence[Row]) -> int:
        return count_while(
            rows, lambda end: alignment(rows[end - 1], rows[end]) >= LEAST_ALIGNMENT or _wraps(rows, end)
        )

    n_rows, skip = max((n_aligned(lines[skip:]), -skip) for skip in range(min(3, len(lines))))
    return n_rows - skip if n_rows > 1 else 1


def _wraps(lines: Sequence[Row], index: int) -> bool:
    """Whether a row begins a further group: it is set as the first row is, and the row below it aligns with it."""
    row, first = lines[index], lines[0]
    alike = style(row.main) == style(first.main) and begins_at(row.words[0], [first.x0])
    return alike and 2 <= index < len(lines) - 1 and alignment(row, lines[index + 1]) >= LEAST_ALIGNMENT


def _best_group(lines: Sequence[Row], edges: Edges) -> tuple[int, int] | None:
    """The lines of heading and the lines of each group under which the lines align best; None where no two align."""
    scores = {
        (skip, size): _group_score(lines[skip:], size, edges) - 0.08 * skip
        for skip in range(min(3, len(lines) - 1))
        for size in range(2, min(MAX_TIERS, len(lines) - skip) + 1)
        if (len(lines) - skip) % size == 0
    }
    best = max(scores, key=lambda group: (round(scores[group], 2), group[1]), default=None)
    return best if best and scores[best] >= 0.6 else None


def _group_score(lines: Sequence[Row], size: int, edges: Edges) -> float:
    groups = [lines[index : index + size] for index in range(0, len(lines), size)]
    within = [alignment(one, two) for group in groups for one, two in pairwise(group)]
    score = sum(within) / len(within)
    if min(alignment(group[-2], group[-1]) for group in groups) < 0.5:
        score -= 0.4
    for one, two in pairwise(groups):
        same = sum(style(a.main) == style(b.main) for a, b in zip(one, two, strict=True)) / size
        score -= 0.15 * (1 - same) / len(groups)
        # In a wrapped example the first word of a group would not have fitted behind the group before.
        needed = max(row.words[0].x1 - row.words[0].x0 for row in two)
        if max(row.x1 for row in one) + needed <= edges.end - 14:
            score -= 0.3 / len(groups)
    return score


def _unwrapped(before: Sequence[Row], edges: Edges) -> Sequence[Row]:
    """Rows of which the first goes on in those below it: it fills the line, and they begin where it does."""
    n_rows = count_while(before, lambda end: _goes_on(before[end - 1], before[end], edges))
    if n_rows < 2:
        return before
    return [Row(tuple(word for row in before[:n_rows] for word in row.words)), *before[n_rows:]]


def _goes_on(row: Row, below: Row, edges: Edges) -> bool:
    first = below.words[0]
    filled = row.x1 + 0.3 * row.size + first.x1 - first.x0 > edges.end
    alike = style(row.main) == style(below.main) and abs(row.x0 - below.x0) < 2
    return filled and alike and len(row.cells) == len(below.cells) == 1 and row.words[-1].text[-1] not in ".!?"


def _plain(before: Sequence[Row], conventions: Conventions, gloss: Gloss) -> Gloss:
    """An example without gloss lines: the first cell, or the word beside a transcription, is the object line, a quoted
    cell the translation."""
    if not before:
        return gloss
    first, *others = before
    cells = [cell.text for cell in first.cells]
    quoted = next((cell for cell in cells[1:] if cell[0] in conventions.opening), None)
    if quoted is None and (len(before) == 1 or len(cells) > 2):
        cells = [first.text]
    cells.sort(key=lambda cell: TRANSCRIPTION.match(cell) is not None)
    rest = [cell for cell in cells[1:] if cell is not quoted]
    lines = [row.text for row in others]
    translation = gloss.translation
    if translation is None and quoted is not None:
        translation, quoted = conventions.unquoted(quoted), None
    elif translation is None:
        below = next((cell for row in others for cell in row.cells[1:] if cell.text[0] in conventions.opening), None)
        translation = None if below is None else conventions.unquoted(below.text)
        lines = [" ".join(cell.text for cell in row.cells if cell is not below) for row in others]
    mark = JUDGEMENT.match(cells[0])
    surface, beside = split_translation(JUDGEMENT.sub("", cells[0]))
    if translation is None:
        translation = beside
    elif beside:
        rest.append(beside)
    notes = (*rest, *([quoted] if quoted else []), *lines, *gloss.notes)
    return gloss.model_copy(
        update={
            "judgement": mark["mark"] if mark else None,
            "surface": " ".join(surface.split()),
            "translation": translation,
            "notes": notes,
        }
    )
