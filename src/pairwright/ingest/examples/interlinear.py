"""Reads the lines of one glossed example: object lines, gloss lines, translation and source, aligned word by word.

The lines of an interlinear gloss are set in columns: each word of the object line begins where its gloss begins.
Wrapped examples repeat the group of lines. So the number of lines in a group is that for which the groups align best.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz import fuzz

from pairwright.ingest.examples.translation import (
    CLOSING,
    OPENING,
    QUOTED,
    is_loose,
    read_translation,
    starts_translation,
    unquoted,
)
from pairwright.ingest.page.rows import Row, Word, hung, join_words, style
from pairwright.records import Gloss

BRACKETED = re.compile(r"^[\[(].*[\])][\w*.,]{0,2}$")
JUDGEMENT = re.compile(r"^(?P<mark>\*\?|\?\*|\?{1,3}|\*{1,2}|#|%)(?=\S|$)")
CATEGORY = re.compile(r"(?<![^\W\d_])(?:[A-ZÀ-Ž]{2,}|[123](?:[A-Z]{2}|sg|pl|du|SG|PL|DU)?)(?![^\W\d_])")
# A reference has figures, or initials, or square brackets; "(lit.: ...)" has none.
REFERENCE = re.compile(r"^\[|\d|^\([?*]?[A-Z]{1,4}(?:, ?[?*]?[A-Z]{1,4})*\)")
# What a language's name never holds: a recording or a reference does.
NO_LANGUAGE = re.compile(r"[\d*/\]]")
# How far apart words of one column may begin, in points: in a text layer, and where ink was measured.
TOLERANCE, MEASURED_TOLERANCE = 1.6, 3.0
TRANSCRIPTION = re.compile(r"^(?:/[^/]+/|\[[^\]]+\])$")
MAX_TIERS = 4


@dataclass(frozen=True)
class Edges:
    """The left edge of an example's content, the right edge of the column, and its leading, in points."""

    left: float
    right: float
    leading: float


def tolerance(word: Word) -> float:
    """How far, in points, from the start of a column a word of it may begin."""
    return TOLERANCE if word.main.confidence is None else MEASURED_TOLERANCE


def is_source(row: Row, right: float) -> bool:
    """Whether a row is only a bracketed reference at the right margin."""
    return len(row.cells) == 1 and row.x1 > right - 12 and BRACKETED.match(row.text) is not None and len(row.text) < 60


def read_leaf(members: Sequence[Row], edges: Edges) -> Gloss:
    """The lines of an example without sub-examples, from top to bottom, as a gloss without a number.

    Every line ends up in the result: what is neither object line, gloss, translation nor source is a note.
    """
    hanging = [hung_marks(row, after) for row, after in zip(members, [*members[1:], None], strict=True)]
    lines, source, label = _without_sources([_glued(row) for row in hanging], edges)
    raw = "\n".join(row.text for row in members)
    if label and NO_LANGUAGE.search(label):
        label, source = None, f"{label}; {source}" if source else label
    before, after, translation, trailing = _around_translation(lines, edges)
    group = None if _is_list(before, translation) else _best_group(before, edges)
    notes = [row.text for row in after]
    if trailing and (source or not REFERENCE.search(trailing)):
        notes.insert(0, trailing)
        trailing = None
    trailing = None if trailing is None else _without_brackets(trailing)
    if group is None:
        return _plain(before, translation, source or trailing, notes, raw, label)
    title = " ".join(row.text for row in before[: group.skip]) or None
    objects, glosses = _tiers(before[group.skip :], group.size)
    judgement, objects = _judged(objects)
    return Gloss(
        title=title,
        language=label,
        judgement=judgement,
        objects=objects,
        glosses=glosses,
        translation=translation,
        source=source or trailing,
        notes=tuple(notes),
        raw=raw,
    )


def _around_translation(
    lines: Sequence[Row], edges: Edges
) -> tuple[Sequence[Row], Sequence[Row], str | None, str | None]:
    """The rows before the translation, those after it, the translation, and a source behind it.

    The translation stands below the glosses, or beside the object line in a cell of its own.
    """
    start = next((index for index, row in enumerate(lines) if index and starts_translation(row)), None)
    loose = False
    if start is None:
        cells = lines[0].cells
        if len(cells) > 1 and QUOTED.match(cells[-1].text):
            bare = [Row(tuple(word for cell in cells[:-1] for word in cell.words)), *lines[1:]]
            end = _aligned_end(bare)
            if end > 1 and _best_group(bare[:end], edges):
                return bare[:end], bare[end:], unquoted(cells[-1].text), None
        start = _aligned_end(lines)
        loose = is_loose(lines, start)
    translation, end, trailing = read_translation(lines, start, edges.leading, loose)
    return lines[:start], lines[end:], translation, trailing


def _glued(row: Row) -> Row:
    """A row in which commas and affixes that a small space sets apart, as around a coloured box, are part of a word."""
    words: list[Word] = []
    for word in row.words:
        near = bool(words) and word.x0 - words[-1].x1 < 0.36 * row.size
        affix = near and word.text[0] == "-" and len(word.text) > 1 and words[-1].text[-1].isalpha()
        stop = bool(words) and word.text in {",", ".", ";", ":", "!", "?"}
        if affix or stop:
            words[-1] = Word((*words[-1].runs, *word.runs))
        else:
            words.append(word)
    return Row(tuple(words)) if len(words) < len(row.words) else row


def hung_marks(row: Row, after: Row | None) -> Row:
    """A row whose first word stands where its letters begin: a mark of ungrammaticality hangs to the left of them.

    `after` is the row below, whose first word tells whether the mark hangs.
    """
    mark = JUDGEMENT.match(row.words[0].text)
    if mark is None or after is None:
        return row
    moved = hung(row.words[0], len(mark["mark"]))
    hangs = abs(moved.x0 - after.x0) < abs(row.x0 - after.x0)
    return Row((moved, *row.words[1:])) if hangs else row


def _is_list(lines: Sequence[Row], translation: str | None) -> bool:
    """Whether lines in columns are a list of words or labels, so that none of them glosses another."""
    if len(lines) < 2:
        return False
    labelled = all(row.cells[0].text.endswith(":") for row in lines)
    quoted = any(cell.text[0] in OPENING and cell.text[-1] in CLOSING for row in lines for cell in row.cells)
    first, last = (_letters([word.text for word in row.words]) for row in (lines[0], lines[-1]))
    repeats = len(first) > 4 and fuzz.ratio(first, last) > 80
    return labelled or (translation is None and (quoted or repeats))


def _without_sources(members: Sequence[Row], edges: Edges) -> tuple[list[Row], str | None, str | None]:
    """The rows without references at the right margin, the reference, and a bracketed label beside an object line."""
    lines: list[Row] = []
    source = label = None
    for index, row in enumerate(members):
        if index and source is None and is_source(row, edges.right):
            source = row.text
            continue
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
    return lines, None if source is None else _without_brackets(source), label


def _is_column(cell: Row, members: Sequence[Row], index: int) -> bool:
    """Whether words of a neighbouring row, which are not bracketed themselves, begin where a cell begins."""
    near = [
        word for row in (*members[max(0, index - 1) : index], *members[index + 1 : index + 2]) for word in row.words
    ]
    return any(abs(word.x0 - cell.x0) < tolerance(word) and word.text[0] not in "([" for word in near)


def _without_brackets(text: str) -> str:
    match = re.match(r"^[\[(](.*)[\])](\w?)[.,]?$", text)
    return f"{match[1]} {match[2]}".strip() if match else text


@dataclass(frozen=True)
class _Group:
    """How the lines before a translation repeat: `skip` lines of heading, then groups of `size` lines."""

    skip: int
    size: int
    score: float


def _aligned_end(lines: Sequence[Row]) -> int:
    """Without a translation: the end of the rows that align with the row above them, or wrap them as a new group.

    Up to two rows of heading may stand above them.
    """
    ends = [(_aligned_from(lines[skip:]), -skip) for skip in range(min(3, len(lines)))]
    n_rows, skip = max(ends)
    return n_rows - skip if n_rows > 1 else 1


def _aligned_from(lines: Sequence[Row]) -> int:
    end = 1
    while end < len(lines) and (alignment(lines[end - 1], lines[end]) >= 0.65 or _wraps(lines, end)):
        end += 1
    return end


def _wraps(lines: Sequence[Row], index: int) -> bool:
    """Whether a row begins a further group: it is set as the first row is, and the row below it aligns with it."""
    if index < 2 or index + 1 >= len(lines):
        return False
    row, first = lines[index], lines[0]
    alike = style(row.main) == style(first.main) and abs(row.x0 - first.x0) < tolerance(row.words[0])
    return alike and alignment(row, lines[index + 1]) >= 0.65


def _best_group(lines: Sequence[Row], edges: Edges) -> _Group | None:
    """The grouping under which the lines align best; None where no two lines align."""
    found: list[_Group] = []
    for skip in range(min(3, len(lines) - 1)):
        rest = lines[skip:]
        for size in range(2, min(MAX_TIERS, len(rest)) + 1):
            if len(rest) % size == 0:
                score = _group_score(rest, size, edges) - 0.08 * skip
                found.append(_Group(skip, size, score))
    best = max(found, key=lambda group: (round(group.score, 2), group.size), default=None)
    return best if best is not None and best.score >= 0.6 else None


def _group_score(lines: Sequence[Row], size: int, edges: Edges) -> float:
    groups = [lines[index : index + size] for index in range(0, len(lines), size)]
    within = [alignment(one, two) for group in groups for one, two in pairwise(group)]
    score = sum(within) / len(within)
    if min(alignment(group[-2], group[-1]) for group in groups) < 0.5:
        score -= 0.4
    for one, two in pairwise(groups):
        same = sum(style(a.main) == style(b.main) for a, b in zip(one, two, strict=True)) / size
        score -= 0.15 * (1 - same) / len(groups)
        if not _wrapped(one, two, edges):
            score -= 0.3 / len(groups)
    return score


def _wrapped(one: Sequence[Row], two: Sequence[Row], edges: Edges) -> bool:
    """Whether the first word of the second group would not have fitted behind the first group."""
    end = max(row.x1 for row in one)
    needed = max(row.words[0].x1 - row.words[0].x0 for row in two)
    return end + needed > edges.right - 14


def alignment(one: Row, two: Row) -> float:
    """How well the words of two rows stand in columns, 0-1: the share of words that begin where one of the other does.

    Rows that do not align by place, as in plain text, count 0.8 where they have as many words, each pair of which has
    as many hyphens and equals signs (rule 2 of the Leipzig Glossing Rules).
    """
    starts = [word.x0 for word in two.words]
    matched = sum(any(abs(word.x0 - start) < tolerance(word) for start in starts) for word in one.words)
    by_place = matched / max(len(one.words), len(two.words))
    if by_place < 0.8 and len(one.words) == len(two.words) > 1:
        pairs = zip(one.words, two.words, strict=True)
        if all(_cuts(a.text) == _cuts(b.text) for a, b in pairs) and any(_cuts(word.text) for word in one.words):
            return 0.8
    return max(by_place, _merged_share(one, two))


def _merged_share(one: Row, two: Row) -> float:
    """Alignment where a gloss of several words stands under one word: words that only follow closely don't count."""
    short, long = sorted((one, two), key=lambda row: len(row.words))
    starts = [word.x0 for word in short.words]
    heads = [cell.x0 for cell in long.cells]
    if len(heads) < 2:
        return 0.0
    matched = sum(any(abs(word.x0 - start) < tolerance(word) for word in long.words) for start in starts)
    placed = sum(any(abs(head - start) < tolerance(long.words[0]) for start in starts) for head in heads)
    return 0.9 * min(matched / len(starts), placed / len(heads)) if len(short.words) > 0.5 * len(long.words) else 0.0


def _cuts(text: str) -> int:
    return sum(char in "-=" for char in text)


def _tiers(lines: Sequence[Row], size: int) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The object lines and gloss lines, each as words of one count, wrapped groups joined."""
    tiers: list[list[str]] = [[] for _ in range(size)]
    for index in range(0, len(lines), size):
        for tier, cells in zip(tiers, _columns(lines[index : index + size]), strict=True):
            tier.extend(cells)
    n_objects = _object_lines(tiers)
    return tuple(map(tuple, tiers[:n_objects])), tuple(map(tuple, tiers[n_objects:]))


def _columns(group: Sequence[Row]) -> list[list[str]]:
    """The words of each row of a group by the columns in which they stand."""
    if len({len(row.words) for row in group}) == 1:
        return [[word.text for word in row.words] for row in group]
    starts: list[float] = []
    for word in min(group, key=lambda row: len(row.words)).words:
        if all(any(abs(word.x0 - other.x0) < tolerance(word) for other in row.words) for row in group):
            starts.append(word.x0)
    starts = starts or [min(row.x0 for row in group)]
    cut = [_cut(row, starts) for row in group]
    single = [any(len(parts[column]) == 1 for parts in cut) for column in range(len(starts))]
    return [[_cell(part, glue) if part else "" for part, glue in zip(parts, single, strict=True)] for parts in cut]


def _cell(words: Sequence[Word], glue: bool) -> str:
    """The words of one column; an affix that stands apart is joined where another line has one word there."""
    text = join_words(words)
    return re.sub(r"(?<=\w) (?=[-=]\w)", "", text) if glue else text


def _cut(row: Row, starts: Sequence[float]) -> list[list[Word]]:
    parts: list[list[Word]] = [[] for _ in starts]
    for word in row.words:
        column = max((index for index, start in enumerate(starts) if word.x0 > start - tolerance(word)), default=0)
        parts[column].append(word)
    return parts


def _object_lines(tiers: Sequence[Sequence[str]]) -> int:
    """How many of the first lines are object lines: two where the second repeats the first cut into morphemes."""
    if len(tiers) == 2:
        return 1
    one, two, last = (_letters(tier) for tier in (tiers[0], tiers[1], tiers[-1]))
    repeated = fuzz.ratio(one, two) > 55 and fuzz.ratio(one, two) > fuzz.ratio(two, last)
    other_script = _categories(tiers[1]) == 0 and _categories(tiers[2]) > 0
    return 2 if repeated or other_script else 1


def _letters(tier: Sequence[str]) -> str:
    return "".join(char for word in tier for char in word.casefold() if char.isalpha())


def _categories(tier: Sequence[str]) -> int:
    return sum(bool(CATEGORY.search(word)) for word in tier)


def _judged(objects: tuple[tuple[str, ...], ...]) -> tuple[str | None, tuple[tuple[str, ...], ...]]:
    """The mark of ungrammaticality at the head of the object lines, and the lines without it."""
    match = JUDGEMENT.match(objects[0][0]) if objects and objects[0] else None
    if not match:
        return None, objects
    cleaned = []
    for line in objects:
        mark = JUDGEMENT.match(line[0])
        cleaned.append((line[0][mark.end() :], *line[1:]) if mark else line)
    return match["mark"], tuple(cleaned)


def _plain(
    before: Sequence[Row], translation: str | None, source: str | None, notes: list[str], raw: str, label: str | None
) -> Gloss:
    """An example without gloss lines: the first cell is the object line, a quoted cell of it the translation.

    Where a transcription stands beside the word, the word is the object line.
    """
    if not before:
        return Gloss(translation=translation, source=source, notes=tuple(notes), raw=raw, language=label)
    first, *others = before
    cells = [cell.text for cell in first.cells]
    quoted = next((cell for cell in cells[1:] if cell[0] in OPENING), None)
    if quoted is None and (len(before) == 1 or len(cells) > 2):
        cells = [first.text]
    cells.sort(key=lambda cell: TRANSCRIPTION.match(cell) is not None)
    rest = [cell for cell in cells[1:] if cell is not quoted]
    lines = [row.text for row in others]
    if translation is None and quoted is not None:
        translation, quoted = unquoted(quoted), None
    elif translation is None:
        below = next((cell for row in others for cell in row.cells[1:] if cell.text[0] in OPENING), None)
        translation = None if below is None else unquoted(below.text)
        lines = [" ".join(cell.text for cell in row.cells if cell is not below) for row in others]
    words = tuple(cells[0].split())
    judgement, objects = _judged((words,))
    extra = [*rest, *([quoted] if quoted else []), *lines]
    return Gloss(
        judgement=judgement,
        language=label,
        objects=objects,
        translation=translation,
        source=source,
        notes=(*extra, *notes),
        raw=raw,
    )
