"""The parts of a glossed example: its translation and source, where they stand, and its tiers, which stand over each
other word by word: surface, segmentation, glosses.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

from rapidfuzz import fuzz

from pairwright.core.records import Gloss
from pairwright.core.text import split_translation
from pairwright.documents.lines.data import SUPERSCRIPTS, Profile
from pairwright.documents.lines.profile import SENTENCE_LIKENESS
from pairwright.documents.lines.rows import (
    TOLERANCE,
    Row,
    Word,
    are_aligned,
    begins_at,
    cluster,
    count_while,
    filled_rows,
    join_words,
    joined,
    letters,
    split_mark,
    style,
)
from pairwright.languages.conventions import Conventions
from pairwright.languages.letters import script
from pairwright.languages.linguistics.sentences import JUDGEMENT, MARKS, STARS


def starts_translation(row: Row, conventions: Conventions) -> bool:
    """Whether a row begins with a quotation mark that its first word of several does not close, or with a label such as
    `(intended:` before one."""
    first = row.words[0].text
    closed = len(row.cells) > 1 and len(first) > 2 and first[-1] in conventions.closing and len(row.words) > 2
    opens = row.text[0] in conventions.opening and len(row.text) > 2 and not closed
    return bool(conventions.intended.match(row.text)) or opens


def read_translation(
    lines: Sequence[Row], start: int, leading: float, conventions: Conventions
) -> tuple[str | None, int, str | None]:
    """The translation that begins at row `start`, the row after it, and what stands behind it.

    `leading` is the distance of baselines, in points.
    """
    if start >= len(lines) or not starts_translation(lines[start], conventions):
        return None, start, None
    members = lines[start : start + 12]

    def goes_on(index: int) -> bool:
        row, before = members[index], members[index - 1]
        ended = conventions.ends_translation(before.text) or starts_translation(row, conventions)
        return not (ended or row.baseline - before.baseline > 1.7 * leading)

    n_rows = count_while(members, goes_on)
    text = reduce(joined, (row.text for row in members[:n_rows]))
    if label := conventions.intended.match(text):
        # Brackets may stand around the label and the translation, as in `(intended: ‘I go.’)`.
        bare = text[label.end() :]
        text = bare.removesuffix(")") if text.startswith("(") else bare
    text, behind = conventions.cut_behind(text)
    return conventions.unquoted(text), start + n_rows, behind


BRACKETED = re.compile(rf"^[\[(].*[\])][\w{STARS}.,]{{0,2}}$")
# A reference has figures, or initials, or square brackets; "(lit.: ...)" has none.
REFERENCE = re.compile(rf"^\[|\d|^\([{MARKS}]?[A-Z]{{1,4}}(?:, ?[{MARKS}]?[A-Z]{{1,4}})*\)")
MAX_REFERENCE = 60
# How far from the right margin what stands at it may end, in points.
MARGIN = 12
QUOTES = "‘’“”«»\"'"


def is_source(row: Row, right: float) -> bool:
    """Whether a row is only a bracketed reference at the right margin."""
    bracketed = BRACKETED.match(row.text) is not None and len(row.text) < MAX_REFERENCE
    return len(row.cells) == 1 and row.x1 > right - MARGIN and bracketed


def is_reference(text: str) -> bool:
    """Whether a line below a translation says where the example comes from: figures, initials or one or two words in
    brackets, or names with figures such as `Smith 1987:34`."""
    if len(text) >= MAX_REFERENCE or any(mark in text for mark in QUOTES):
        return False
    if BRACKETED.match(text):
        return REFERENCE.search(text) is not None or len(text.split()) < 3
    parts = text.split()
    named = all(part[0].isupper() or len(part) < 4 or any(map(str.isdigit, part)) for part in parts)
    return named and text[-1].isdigit() and any(part[0].isalpha() and len(part) > 3 for part in parts)


def is_attribution(row: Row, translated: Row, left: float, right: float) -> bool:
    """Whether a row right below a translation says by its setting alone where the example comes from: in smaller type,
    or at the right margin. `left` and `right` are the edges of the example."""
    small = row.size < 0.95 * translated.size
    aside = row.x1 > right - MARGIN and row.x0 > left + 0.35 * (right - left)
    plain = len(row.text) < MAX_REFERENCE and not any(mark in row.text for mark in QUOTES)
    # Another wording of the sentence ends as one, or is in another script.
    plain = plain and row_script(row) == row_script(translated) and row.text[-1] not in ".!?:…"
    return plain and (small or aside) and len(row.cells) == 1 and row.x0 > left - 2.5 and row.text[0] not in "(["


def without_brackets(text: str) -> str:
    """A reference without the brackets around it, or the dash before it."""
    text = re.sub(r"^[–—]\s+", "", text)
    match = re.match(r"^[\[(](.*)[\])](\w?)[.,]?$", text)
    return f"{match[1]} {match[2]}".strip() if match else text


def row_script(row: Row) -> str:
    """The script of a row's first letter."""
    return next(filter(None, map(script, row.text)), "")


# Words of one column begin no farther apart, in points.
SLACK = 3.0
# The number of a sentence or line in the margin: `12`, `1.3`, `[7]`.
MARGIN_NUMBER = re.compile(r"^[\[(]?(?P<number>\d{1,4}(?:\.\d{1,4})*[a-z]?)[\])]?[.:]?$")


@dataclass(frozen=True)
class Place:
    """Where examples are read: the style of the book, the edges of the column or of an example's content, and where
    words begin behind the names of lines."""

    profile: Profile
    left: float
    right: float
    named: float = 0.0


def cut_beside(members: Sequence[Row], conventions: Conventions) -> tuple[list[Row], list[Row]]:
    """The rows of an example, and those of a translation in quotation marks beside its words and their glosses."""
    for one, two in pairwise(members):
        for x in (cell.x0 - SLACK for cell in one.cells[1:] if starts_translation(cell, conventions)):
            above = [word for word in one.words if two.x0 - SLACK < word.x0 < x]
            words = filled_rows([above, [word for word in two.words if word.x0 < x]])
            if len(words) == 2 and are_aligned(*words):
                left = filled_rows([word for word in row.words if word.x0 < x] for row in members)
                right = filled_rows([word for word in row.words if word.x0 >= x] for row in members)
                if len(left) > 1 and starts_translation(right[0], conventions):
                    return left, right
    return list(members), []


def named_edge(members: Sequence[Row]) -> float:
    """Where the words begin behind the names of lines, such as Words, Morphemes and Free, which recur in a column; 0
    where lines have no names. Behind first words, which may recur, too, words begin in many places."""
    names: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    begun: Counter[int] = Counter()
    for first, second, *_ in (row.cells for row in members if len(row.cells) > 1):
        names[round(first.x0), round(second.x0)][first.text] += 1
        begun[round(first.x0)] += 1
    edges = [
        x
        for (start, x), texts in names.items()
        if sum(count > 1 for count in texts.values()) > 2 and texts.total() > 0.7 * begun[start]
    ]
    return min(edges, default=0) - 3.0 if edges else 0.0


def without_name(row: Row, x: float) -> Row:
    """The part of a row behind the name of its line."""
    named = row.words[0].x0 < x and any(abs(word.x0 - x - 3) < 2 for word in row.words)
    return Row(tuple(word for word in row.words if word.x0 >= x)) if named else row


def margin_number(row: Row, below: Row) -> str | None:
    """The number that stands in the margin beside a row, where the row below begins with the row's second word."""
    label = MARGIN_NUMBER.match(row.words[0].text)
    if label is None or len(row.words) < 2 or below is row:
        return None
    content = row.words[1].x0
    apart = content - row.words[0].x1 > 0.5 * row.size
    return label["number"] if apart and abs(below.x0 - content) < 2 else None


INNER_CUT = re.compile(r"(?<=\w)[-=~](?=\w)")
# The least likeness (0-100) of the letters of a sentence and of its segmentation, which may show underlying forms.
LEAST_LIKENESS = 70


def read_tiers(head: Sequence[Row], lines: Sequence[Row], size: int, gloss: Gloss, profile: Profile) -> Gloss:
    """A gloss with the lines of its tiers, `size` rows to a group; `head` are the rows above the first group, titles or
    the surface line."""
    joined_lines: list[list[str]] = [[] for _ in range(size)]
    for index in range(0, len(lines), size):
        for tier, cells in zip(joined_lines, _columns(lines[index : index + size]), strict=True):
            tier.extend(cells)
    tiers = [tuple(tier) for tier in joined_lines]
    n_objects = _n_object_lines(tiers, profile)
    printed = _object_lines(head, tiers[:n_objects], profile)
    surface, (word, *others) = printed["surface"], printed["segmentation"]
    judgement = profile.conventions.judgement
    marked = [judgement.match(line) for line in (surface or "", word)]
    update = {
        "judgement": next((match["mark"] for match in marked if match), None),
        "surface": judgement.sub("", surface) if surface else None,
        "segmentation": (judgement.sub("", word), *others),
        "glosses": tuple(tiers[n_objects:]),
        "notes": (*printed["notes"], *gloss.notes),
    }
    return gloss.model_copy(update=printed | update)


def read_plain(before: Sequence[Row], gloss: Gloss, conventions: Conventions) -> Gloss:
    """An example without gloss lines: the first cell is the object line, a quoted cell the translation."""
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


def _object_lines(head: Sequence[Row], objects: Sequence[tuple[str, ...]], profile: Profile) -> dict[str, Any]:
    """The lines above the glosses by what they are, with their marks; further wordings are notes.

    The book's pattern of lines tells titles from the surface line, which may fill several rows, or else the letters of
    the segmented line and none of its cuts. `head` are the rows above the first line that is aligned with the glosses.
    """
    first, *others = objects
    lines = {"title": _text(head), "surface": None, "segmentation": first, "notes": ()}
    if others:
        if profile.has_surface or is_surface(first, others[-1]):
            return lines | {"surface": " ".join(filter(None, first)), "segmentation": others[-1]}
        return lines | {"notes": tuple(" ".join(filter(None, line)) for line in others)}
    likeness = _likeness(head, first)
    at = max(range(len(head)), key=likeness.__getitem__, default=0)
    by_pattern = profile.has_surface and style(head[at].main) in profile.surface_styles if head else False
    if not head or (likeness[at] < LEAST_LIKENESS and not by_pattern):
        return lines
    return lines | {"title": _text(head[:at]), "surface": _text(head[at:])}


def _likeness(head: Sequence[Row], words: Sequence[str]) -> list[float]:
    """How like words are the letters of all rows from each of them on, 0-100."""
    rests = (letters([word.text for row in head[at:] for word in row.words]) for at in range(len(head)))
    return [fuzz.ratio(text, letters(words)) for text in rests]


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
    likeness = _likeness(head, [word.text for word in row.words])
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
