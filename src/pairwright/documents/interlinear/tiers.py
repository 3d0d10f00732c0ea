"""Reads the tiers of a glossed example, which stand over each other word by word: surface, segmentation, glosses."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.core.records import Gloss
from pairwright.core.text import split_translation
from pairwright.documents.lines.alignment import TOLERANCE, begins_at, letters
from pairwright.documents.lines.data import Profile
from pairwright.documents.lines.glyphs import SUPERSCRIPTS
from pairwright.documents.lines.learning import SENTENCE_LIKENESS
from pairwright.documents.lines.rows import Row, Word, cluster, filled_rows, join_words, split_mark, style
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.marks import JUDGEMENT

INNER_CUT = re.compile(r"(?<=\w)[-=~](?=\w)")
# The least likeness (0-100) of the letters of a sentence and of its segmentation, which may show underlying forms.
LEAST_LIKENESS = 70


def read_tiers(head: Sequence[Row], lines: Sequence[Row], size: int, gloss: Gloss, profile: Profile) -> Gloss:
    """A gloss with the lines of its tiers, `size` rows to a group; `head` are the rows above the first group, titles or
    the surface line."""
    objects, glosses = tiers(lines, size, profile)
    printed = _object_lines(head, objects, profile)
    judgement = profile.conventions.judgement
    marked = [judgement.match(line) for line in (printed.surface or "", printed.segmentation[0])]
    update = {
        "title": printed.title,
        "judgement": next((match["mark"] for match in marked if match), None),
        "surface": judgement.sub("", printed.surface) if printed.surface else None,
        "segmentation": (judgement.sub("", printed.segmentation[0]), *printed.segmentation[1:]),
        "glosses": glosses,
        "notes": (*printed.others, *gloss.notes),
    }
    return gloss.model_copy(update=update)


def read_plain(before: Sequence[Row], gloss: Gloss, conventions: Conventions) -> Gloss:
    """An example without gloss lines: the first cell is the object line, a quoted
    cell the translation."""
    if not before:
        return gloss
    first, *others = before
    cells = [cell.text for cell in first.cells]
    quoted = next((cell for cell in cells[1:] if cell[0] in conventions.opening), None)
    if quoted is None and (len(before) == 1 or len(cells) > 2):
        cells = [first.text]
    rest = [cell for cell in cells[1:] if cell is not quoted]
    lines = [row.text for row in others]
    translation = gloss.translation
    if translation is None and quoted is not None:
        translation, quoted = conventions.unquoted(quoted), None
    mark = conventions.judgement.match(cells[0])
    surface, beside = split_translation(conventions.judgement.sub("", cells[0]))
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


def glued(row: Row) -> Row:
    """A row in which commas and affixes that a small space sets apart, as around a coloured box, are part of a word."""

    def joins(parts: list[Word], word: Word) -> bool:
        near = word.x0 - parts[-1].x1 < 0.36 * row.size
        affix = near and word.text[0] == "-" and len(word.text) > 1 and parts[-1].text[-1].isalpha()
        return affix or word.text in {",", ".", ";", ":", "!", "?"}

    groups = cluster(row.words, joins)
    if len(groups) == len(row.words):
        return row
    return Row(tuple(Word(tuple(run for word in group for run in word.runs)) for group in groups))


def hung_marks(row: Row, after: Row | None = None) -> Row:
    """A row whose first word begins with its letters where a mark of ungrammaticality stands before them: apart, in a
    column of marks, or hanging to their left, as the first word of the row below, `after`, tells."""
    first = row.words[0]
    mark = JUDGEMENT.match(first.text)
    if mark and mark.end() == len(first.text) and len(row.words) > 1:
        marked = Word((*first.runs, *row.words[1].runs), row.words[1].x0)
        return Row((marked, *row.words[2:]))
    places = [x for run in first.runs for x in (run.xs or (run.x0,) * len(run.text))]
    if mark is None or after is None or mark.end() >= len(places):
        return row
    letters = places[mark.end()]
    hangs = abs(letters - after.x0) < abs(first.x0 - after.x0)
    return Row((Word(first.runs, letters), *row.words[1:])) if hangs else row


def tiers(
    lines: Sequence[Row], size: int, profile: Profile
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """The object lines and gloss lines, each as words of one count, wrapped groups joined."""
    lines_of: list[list[str]] = [[] for _ in range(size)]
    for index in range(0, len(lines), size):
        for tier, cells in zip(lines_of, _columns(lines[index : index + size]), strict=True):
            tier.extend(cells)
    n_objects = _n_object_lines(lines_of, profile)
    return tuple(map(tuple, lines_of[:n_objects])), tuple(map(tuple, lines_of[n_objects:]))


def _columns(group: Sequence[Row]) -> list[list[str]]:
    """The words of each row of a group by the columns in which they stand."""
    if len({len(row.words) for row in group}) == 1:
        return [[word.text for word in row.words] for row in group]
    places = [[word.x0 for word in row.words] for row in group]
    shortest = min(group, key=lambda row: len(row.words)).words
    starts = [word.x0 for word in shortest if all(begins_at(word, place) for place in places)]
    starts = starts or [min(row.x0 for row in group)]

    def column(word: Word) -> int:
        return max((index for index, start in enumerate(starts) if word.x0 > start - TOLERANCE), default=0)

    cut = [[[word for word in row.words if column(word) == index] for index in range(len(starts))] for row in group]
    return [list(map(join_words, cells)) for cells in cut]


def _n_object_lines(tiers: Sequence[Sequence[str]], profile: Profile) -> int:
    """How many of the first lines are object lines: two where the second repeats the first cut into morphemes."""
    if len(tiers) == 2:
        return 1
    one, two, last = (letters(tier) for tier in (tiers[0], tiers[1], tiers[-1]))
    least = 0 if profile.has_surface else 55
    repeated = fuzz.ratio(one, two) > max(least, fuzz.ratio(two, last))
    return 2 if repeated else 1


class _ObjectLines(NamedTuple):
    """The lines above the glosses by what they are, with their marks. `others` are further wordings."""

    title: str | None
    surface: str | None
    segmentation: tuple[str, ...]
    others: tuple[str, ...] = ()


def _object_lines(head: Sequence[Row], objects: Sequence[tuple[str, ...]], profile: Profile) -> _ObjectLines:
    """Tells titles from the surface line, which may fill several rows: by the book's pattern of lines, or else by the
    letters of the segmented line and none of its cuts. `head` are the rows above the first line that is aligned with
    the glosses."""
    first, *others = objects
    if others:
        *_, last = others
        if profile.has_surface or is_surface(first, last):
            return _ObjectLines(_text(head), " ".join(filter(None, first)), last)
        return _ObjectLines(_text(head), None, first, tuple(" ".join(filter(None, line)) for line in others))
    rests = [letters([word.text for row in head[at:] for word in row.words]) for at in range(len(head))]
    likeness = [fuzz.ratio(text, letters(first)) for text in rests]
    at = max(range(len(head)), key=likeness.__getitem__, default=0)
    by_pattern = profile.has_surface and style(head[at].main) in profile.surface_styles if head else False
    if not head or (likeness[at] < LEAST_LIKENESS and not by_pattern):
        return _ObjectLines(_text(head), None, first)
    return _ObjectLines(_text(head[:at]), _text(head[at:]), first)


def is_surface(line: Sequence[str], segmentation: Sequence[str]) -> bool:
    """Whether a line is the sentence that another one cuts into morphemes, or writes in another script."""
    one, two = letters(line), letters(segmentation)
    alike = fuzz.ratio(one, two) >= LEAST_LIKENESS
    cuts = [sum(bool(INNER_CUT.search(word)) for word in words) for words in (line, segmentation)]
    return cuts[0] < cuts[1] or (cuts == [0, 0] and (one == two or not alike))


def _text(rows: Sequence[Row]) -> str | None:
    return " ".join(row.text for row in rows) or None


def is_written_out(head: Sequence[Row], row: Row, profile: Profile) -> bool:
    """Whether rows, of which none could be left out, are the sentence that a row cuts into morphemes."""
    cut = letters([word.text for word in row.words])
    likeness = [
        fuzz.ratio(letters([word.text for part in head[at:] for word in part.words]), cut) for at in range(len(head))
    ]
    by_pattern = profile.has_surface and style(head[0].main) in profile.surface_styles
    return likeness[0] >= (SENTENCE_LIKENESS if by_pattern else LEAST_LIKENESS) and likeness[0] == max(likeness)


def without_marks(row: Row, marks: Collection[str]) -> tuple[Row, str | None]:
    """A row without the footnote's mark that one of its words bears, and the mark; None where none bears one.

    Where several words bear them, these are tones or the like, and the row stays.
    """
    bare = [(word, *split_mark(word, row.main)) for word in row.words]
    here = [mark.translate(SUPERSCRIPTS) for _, _, mark in bare if mark.translate(SUPERSCRIPTS) in marks]
    kept = [word if mark.translate(SUPERSCRIPTS) not in marks else rest for word, rest, mark in bare]
    rows = filled_rows([filter(None, kept)]) if len(here) == 1 else []
    return (rows[0], here[0]) if rows else (row, None)
