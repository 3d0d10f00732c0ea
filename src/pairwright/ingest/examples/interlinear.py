"""Reads the lines of one glossed example: object lines, gloss lines, translation and source, aligned word by word.

Each word of the object line begins where its gloss begins, and wrapped examples repeat the group of lines. So the
number of lines in a group is that for which the groups align best.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.ingest.examples.translation import (
    CLOSING,
    OPENING,
    QUOTED,
    read_translation,
    starts_translation,
    unquoted,
)
from pairwright.ingest.page.rows import Row, Word, cluster, count_while, join_words, style
from pairwright.records import Gloss
from pairwright.text import split_translation

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
SPACED_AFFIX = re.compile(r"(?<=\w) (?=[-=]\w)")
MAX_TIERS = 4
INNER_CUT = re.compile(r"(?<=\w)[-=~](?=\w)")
# The least likeness (0-100) of the letters of a sentence and of its segmentation, which may show underlying forms.
LEAST_LIKENESS = 70


@dataclass(frozen=True)
class Edges:
    """The left edge of an example's content, the right edge of the column, and its leading, in points."""

    left: float
    right: float
    leading: float


def is_source(row: Row, right: float) -> bool:
    """Whether a row is only a bracketed reference at the right margin."""
    return len(row.cells) == 1 and row.x1 > right - 12 and BRACKETED.match(row.text) is not None and len(row.text) < 60


def read_leaf(members: Sequence[Row], edges: Edges) -> Gloss:
    """The lines of an example without sub-examples, from top to bottom, as a gloss without a number.

    Every line ends up in the result: what is neither object line, gloss, translation nor source is a note.
    """
    hanging = [hung_marks(row, after) for row, after in zip(members, [*members[1:], None], strict=True)]
    lines, source, label = _without_sources([_glued(row) for row in hanging], edges)
    if label and NO_LANGUAGE.search(label):
        label, source = None, f"{label}; {source}" if source else label
    before, after, translation, trailing = _around_translation(lines, edges)
    group = None if _is_list(before, translation) else _best_group(before, edges)
    notes = [row.text for row in after]
    if trailing and (source or not REFERENCE.search(trailing)):
        notes.insert(0, trailing)
    elif trailing:
        source = _without_brackets(trailing)
    raw = "\n".join(row.text for row in members)
    gloss = Gloss(language=label, translation=translation, source=source or None, notes=tuple(notes), raw=raw)
    if group is None:
        if translation is None and len(rows := _unwrapped(lines, edges)) < len(lines):
            sentence, *others = rows
            return _plain([sentence], gloss.model_copy(update={"notes": tuple(row.text for row in others)}))
        return _plain(_unwrapped(before, edges), gloss)
    skip, size = group
    objects, glosses = _tiers(before[skip:], size)
    printed = _object_lines(before[:skip], objects)
    marked = [JUDGEMENT.match(line) for line in (printed.surface or "", printed.segmentation[0])]
    update = {
        "title": printed.title,
        "judgement": next((match["mark"] for match in marked if match), None),
        "surface": JUDGEMENT.sub("", printed.surface) if printed.surface else None,
        "segmentation": (JUDGEMENT.sub("", printed.segmentation[0]), *printed.segmentation[1:]),
        "glosses": glosses,
        "notes": (*printed.others, *notes),
    }
    return gloss.model_copy(update=update)


def _around_translation(
    lines: Sequence[Row], edges: Edges
) -> tuple[Sequence[Row], Sequence[Row], str | None, str | None]:
    """The rows before the translation, those after it, the translation, and a source behind it. The translation stands
    below the glosses, or beside the object line in a cell of its own."""
    start = next((index for index, row in enumerate(lines) if index and starts_translation(row)), None)
    if start is None:
        cells = lines[0].cells
        if len(cells) > 1 and QUOTED.match(cells[-1].text):
            bare = [Row(tuple(word for cell in cells[:-1] for word in cell.words)), *lines[1:]]
            end = _aligned_end(bare)
            if end > 1 and _best_group(bare[:end], edges):
                return bare[:end], bare[end:], unquoted(cells[-1].text), None
        start = _aligned_end(lines)
    translation, end, trailing = read_translation(lines, start, edges.leading)
    return lines[:start], lines[end:], translation, trailing


def _glued(row: Row) -> Row:
    """A row in which commas and affixes that a small space sets apart, as around a coloured box, are part of a word."""

    def joins(parts: list[Word], word: Word) -> bool:
        near = word.x0 - parts[-1].x1 < 0.36 * row.size
        affix = near and word.text[0] == "-" and len(word.text) > 1 and parts[-1].text[-1].isalpha()
        return affix or word.text in {",", ".", ";", ":", "!", "?"}

    groups = cluster(row.words, joins)
    if len(groups) == len(row.words):
        return row
    return Row(tuple(Word(tuple(run for word in group for run in word.runs)) for group in groups))


def hung_marks(row: Row, after: Row | None) -> Row:
    """A row whose first word stands where its letters begin, if a mark of ungrammaticality hangs to the left of them.
    The first word of the row below, `after`, tells."""
    first = row.words[0]
    mark = JUDGEMENT.match(first.text)
    places = [x for run in first.runs for x in (run.xs or (run.x0,) * len(run.text))]
    if mark is None or after is None or mark.end() >= len(places):
        return row
    letters = places[mark.end()]
    hangs = abs(letters - after.x0) < abs(first.x0 - after.x0)
    return Row((Word(first.runs, letters), *row.words[1:])) if hangs else row


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
    neighbours = [*members[max(0, index - 1) : index], *members[index + 1 : index + 2]]
    words = [word for row in neighbours for word in row.words if word.text[0] not in "(["]
    return any(_begins_at(word, [cell.x0]) for word in words)


def _without_brackets(text: str) -> str:
    match = re.match(r"^[\[(](.*)[\])](\w?)[.,]?$", text)
    return f"{match[1]} {match[2]}".strip() if match else text


def _aligned_end(lines: Sequence[Row]) -> int:
    """Without a translation: the end of the rows that align with the row above them, or wrap them as a new group, below
    up to two rows of heading."""

    def n_aligned(rows: Sequence[Row]) -> int:
        return count_while(rows, lambda end: alignment(rows[end - 1], rows[end]) >= 0.65 or _wraps(rows, end))

    n_rows, skip = max((n_aligned(lines[skip:]), -skip) for skip in range(min(3, len(lines))))
    return n_rows - skip if n_rows > 1 else 1


def _wraps(lines: Sequence[Row], index: int) -> bool:
    """Whether a row begins a further group: it is set as the first row is, and the row below it aligns with it."""
    row, first = lines[index], lines[0]
    alike = style(row.main) == style(first.main) and _begins_at(row.words[0], [first.x0])
    return alike and 2 <= index < len(lines) - 1 and alignment(row, lines[index + 1]) >= 0.65


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
        if max(row.x1 for row in one) + needed <= edges.right - 14:
            score -= 0.3 / len(groups)
    return score


def _begins_at(word: Word, starts: Iterable[float]) -> bool:
    """Whether a word stands at the start of a column."""
    return any(abs(word.x0 - start) < _tolerance(word) for start in starts)


def _tolerance(word: Word) -> float:
    return TOLERANCE if word.main.confidence is None else MEASURED_TOLERANCE


def alignment(one: Row, two: Row) -> float:
    """How well the words of two rows stand in columns, 0-1: the share of words that begin where one of the other does.

    Rows that do not align by place, as in plain text, count 0.8 where they have as many words, each pair of which has
    as many hyphens and equals signs (rule 2 of the Leipzig Glossing Rules).
    """
    starts = [word.x0 for word in two.words]
    by_place = sum(_begins_at(word, starts) for word in one.words) / max(len(one.words), len(two.words))
    if by_place < 0.8 and len(one.words) == len(two.words) > 1:
        cuts = [[sum(char in "-=" for char in word.text) for word in row.words] for row in (one, two)]
        if cuts[0] == cuts[1] and any(cuts[0]):
            return 0.8
    return max(by_place, _merged_share(one, two))


def _merged_share(one: Row, two: Row) -> float:
    """Alignment where a gloss of several words stands under one word: words that only follow closely don't count."""
    short, long = sorted((one, two), key=lambda row: len(row.words))
    heads = long.cells
    if len(heads) < 2 or len(short.words) <= 0.5 * len(long.words):
        return 0.0
    matched = sum(_begins_at(word, [other.x0 for other in long.words]) for word in short.words)
    placed = sum(_begins_at(cell.words[0], [word.x0 for word in short.words]) for cell in heads)
    return 0.9 * min(matched / len(short.words), placed / len(heads))


def _tiers(lines: Sequence[Row], size: int) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The object lines and gloss lines, each as words of one count, wrapped groups joined."""
    tiers: list[list[str]] = [[] for _ in range(size)]
    for index in range(0, len(lines), size):
        for tier, cells in zip(tiers, _columns(lines[index : index + size]), strict=True):
            tier.extend(cells)
    n_objects = _n_object_lines(tiers)
    return tuple(map(tuple, tiers[:n_objects])), tuple(map(tuple, tiers[n_objects:]))


def _columns(group: Sequence[Row]) -> list[list[str]]:
    """The words of each row of a group by the columns in which they stand."""
    if len({len(row.words) for row in group}) == 1:
        return [[word.text for word in row.words] for row in group]
    places = [[word.x0 for word in row.words] for row in group]
    shortest = min(group, key=lambda row: len(row.words)).words
    starts = [word.x0 for word in shortest if all(_begins_at(word, place) for place in places)]
    starts = starts or [min(row.x0 for row in group)]

    def column(word: Word) -> int:
        return max((index for index, start in enumerate(starts) if word.x0 > start - _tolerance(word)), default=0)

    cut = [[[word for word in row.words if column(word) == index] for index in range(len(starts))] for row in group]
    # An affix that stands apart is joined where another line has one word there.
    single = [any(len(words) == 1 for words in cells) for cells in zip(*cut, strict=True)]
    lines = [zip(map(join_words, cells), single, strict=True) for cells in cut]
    return [[SPACED_AFFIX.sub("", text) if glue else text for text, glue in line] for line in lines]


def _n_object_lines(tiers: Sequence[Sequence[str]]) -> int:
    """How many of the first lines are object lines: two where the second repeats the first cut into morphemes."""
    if len(tiers) == 2:
        return 1
    one, two, last = (_letters(tier) for tier in (tiers[0], tiers[1], tiers[-1]))
    repeated = fuzz.ratio(one, two) > 55 and fuzz.ratio(one, two) > fuzz.ratio(two, last)
    other_script = not any(map(CATEGORY.search, tiers[1])) and any(map(CATEGORY.search, tiers[2]))
    return 2 if repeated or other_script else 1


def _letters(tier: Sequence[str]) -> str:
    return "".join(char for word in tier for char in word.casefold() if char.isalpha())


class _ObjectLines(NamedTuple):
    """The lines above the glosses by what they are, with their marks. `others` are further wordings."""

    title: str | None
    surface: str | None
    segmentation: tuple[str, ...]
    others: tuple[str, ...] = ()


def _object_lines(head: Sequence[Row], objects: Sequence[tuple[str, ...]]) -> _ObjectLines:
    """Tells titles from the surface line by their words: the surface has the letters of the segmented line, perhaps in
    several rows, and none of its cuts. `head` are the rows above the first line that is aligned with the glosses."""
    first, *others = objects
    if others:
        *_, last = others
        if _is_surface(first, last):
            return _ObjectLines(_text(head), " ".join(filter(None, first)), last)
        return _ObjectLines(_text(head), None, first, tuple(" ".join(filter(None, line)) for line in others))
    letters = [_letters([word.text for row in head[at:] for word in row.words]) for at in range(len(head))]
    likeness = [fuzz.ratio(text, _letters(first)) for text in letters]
    at = max(range(len(head)), key=likeness.__getitem__, default=0)
    if not head or likeness[at] < LEAST_LIKENESS:
        return _ObjectLines(_text(head), None, first)
    return _ObjectLines(_text(head[:at]), _text(head[at:]), first)


def _is_surface(line: Sequence[str], segmentation: Sequence[str]) -> bool:
    """Whether a line is the sentence that another one cuts into morphemes, or writes in another script."""
    one, two = _letters(line), _letters(segmentation)
    alike = fuzz.ratio(one, two) >= LEAST_LIKENESS
    cuts = [sum(bool(INNER_CUT.search(word)) for word in words) for words in (line, segmentation)]
    return cuts[0] < cuts[1] or (cuts == [0, 0] and (one == two or not alike))


def _text(rows: Sequence[Row]) -> str | None:
    return " ".join(row.text for row in rows) or None


def _unwrapped(before: Sequence[Row], edges: Edges) -> Sequence[Row]:
    """Rows of which the first goes on in those below it: it fills the line, and they begin where it does."""
    n_rows = count_while(before, lambda end: _goes_on(before[end - 1], before[end], edges))
    if n_rows < 2:
        return before
    return [Row(tuple(word for row in before[:n_rows] for word in row.words)), *before[n_rows:]]


def _goes_on(row: Row, below: Row, edges: Edges) -> bool:
    first = below.words[0]
    filled = row.x1 + 0.3 * row.size + first.x1 - first.x0 > edges.right
    alike = style(row.main) == style(below.main) and abs(row.x0 - below.x0) < 2
    return filled and alike and len(row.cells) == len(below.cells) == 1 and row.words[-1].text[-1] not in ".!?"


def _plain(before: Sequence[Row], gloss: Gloss) -> Gloss:
    """An example without gloss lines: the first cell, or the word beside a transcription, is the object line, a quoted
    cell the translation."""
    if not before:
        return gloss
    first, *others = before
    cells = [cell.text for cell in first.cells]
    quoted = next((cell for cell in cells[1:] if cell[0] in OPENING), None)
    if quoted is None and (len(before) == 1 or len(cells) > 2):
        cells = [first.text]
    cells.sort(key=lambda cell: TRANSCRIPTION.match(cell) is not None)
    rest = [cell for cell in cells[1:] if cell is not quoted]
    lines = [row.text for row in others]
    translation = gloss.translation
    if translation is None and quoted is not None:
        translation, quoted = unquoted(quoted), None
    elif translation is None:
        below = next((cell for row in others for cell in row.cells[1:] if cell.text[0] in OPENING), None)
        translation = None if below is None else unquoted(below.text)
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
