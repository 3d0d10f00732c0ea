"""Finds numbered and glossed examples on a page and cuts them into their parts.

After the Leipzig Glossing Rules (Comrie, Haspelmath & Bickel 2015). The lines inside are read by `interlinear`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pairwright.ingest.examples.interlinear import Edges, hung_marks, is_source, read_leaf
from pairwright.ingest.examples.numerals import roman_numeral
from pairwright.ingest.examples.translation import starts_translation
from pairwright.ingest.page.data import Profile
from pairwright.ingest.page.rows import Row, Word
from pairwright.records import Gloss

EXAMPLE_NUMBER = re.compile(
    r"^[*?#%]{0,2}[(\[](?P<number>[A-Z]?\d{1,4}(?:\.\d{1,3})*[a-z]?|[ivxl]{1,5})['′]?[)\]][*?#%]{0,2}[.:]?$"
)
LETTER = re.compile(r"^(?P<mark>[*?#%]{0,2})\(?(?P<letter>[a-z]|[ivx]{1,5})(?:['′])?[.)]$")
CAPTION = re.compile(
    r"^(?:Table|Figure|Fig\.|Map|Chart|Tabelle|Abbildung|Lentelė|Tableau|Tabla|Таблица)\s*[A-Z]?\d+(?:\.\d+)*(?:[:.](?=\s|$)|\s*$)",
    re.IGNORECASE,
)
LANGUAGE = re.compile(r"^[A-ZÀ-Ž][\w'’-]+(?: [A-ZÀ-Ž][\w'’-]+){0,4}(?: ?\([^)]*\))?[:.]?$")


@dataclass(frozen=True)
class FoundExample:
    """An example that fills the first `n_rows` of the rows that it was looked for in."""

    n_rows: int
    gloss: Gloss

    @property
    def interlinear(self) -> bool:
        """Whether any part has a gloss line."""
        return any(leaf.glosses for _, leaf in self.gloss.leaves())


def find_example(
    upcoming: Sequence[Row], profile: Profile, left: float, right: float, gap_above: float, orphans: bool
) -> FoundExample | None:
    """The example that begins with the first of `upcoming` rows, or None.

    left, right  the edges of the column's text
    gap_above    the distance from the row before, in points
    orphans      whether a bare letter may go on from an example of the page before
    """
    row = upcoming[0]
    number = EXAMPLE_NUMBER.match(row.words[0].text)
    if number and _is_prose(upcoming, profile, left, right, gap_above):
        return None
    if number:
        first: list[Row] = [_content(upcoming)] if len(row.words) > 1 else []
        content = first[0].x0 if first else _next_start(upcoming, row)
        label: str | None = number["number"]
    elif orphans and LETTER.match(row.words[0].text) and len(row.words) > 1:
        content, first, label = row.x0, [row], None
    else:
        return None
    n_rows = _extent(upcoming, content, profile, right)
    edges = Edges(left=content, right=right, leading=profile.leading)
    members = [*first, *upcoming[1:n_rows]]
    if not members:
        return None
    gloss = _read(members, edges, label)
    marks = number and re.search(r"[*?#%]+", row.words[0].text)
    if marks and not gloss.judgement:
        gloss = gloss.model_copy(update={"judgement": marks.group()})
    found = FoundExample(n_rows, gloss.model_copy(update={"raw": "\n".join(r.text for r in upcoming[:n_rows])}))
    return found if number or found.interlinear else None


def _content(upcoming: Sequence[Row]) -> Row:
    """The first row without the example's number."""
    return hung_marks(Row(upcoming[0].words[1:]), upcoming[1] if len(upcoming) > 1 else None)


def _next_start(upcoming: Sequence[Row], row: Row) -> float:
    following = upcoming[1].x0 if len(upcoming) > 1 else row.x1
    return following if following > row.x1 - 2 else row.x1


def _is_prose(upcoming: Sequence[Row], profile: Profile, left: float, right: float, gap_above: float) -> bool:
    """Whether a row that begins with `(9)` goes on a paragraph: it fills the line with even spaces."""
    row = upcoming[0]
    if len(row.words) < 2:
        return False
    start = _content(upcoming).x0
    gap, size = start - row.words[0].x1, row.size
    if gap > 0.72 * size:
        return False
    indented = row.x0 > left + 2 and gap_above > 1.25 * profile.leading
    hanging = len(upcoming) > 1 and abs(upcoming[1].x0 - start) < 2
    if hanging and gap_above > 1.15 * profile.leading:
        return False
    return gap < 0.42 * size or not (indented or hanging)


def _extent(upcoming: Sequence[Row], content: float, profile: Profile, right: float) -> int:
    """How many rows the example fills."""
    closed = False
    for index in range(1, len(upcoming)):
        row, before = upcoming[index], upcoming[index - 1]
        gap = row.baseline - before.baseline
        lettered = LETTER.match(row.words[0].text) is not None
        outside = row.x0 < content - 2.5 or gap > (2.3 if lettered else 1.75) * profile.leading
        alone = is_source(row, right)
        if (
            (outside and not (alone and gap < 2.3 * profile.leading))
            or CAPTION.match(row.text)
            or row.words[0].text in "•▪‣"
        ):
            return index
        closed = closed or starts_translation(before)
        if closed and not lettered and not alone and _wraps_out(upcoming[index:], content, profile, right):
            return index
    return len(upcoming)


def _wraps_out(upcoming: Sequence[Row], content: float, profile: Profile, right: float) -> bool:
    """Whether a row is the first of a paragraph: it fills the line, and the next one begins further left."""
    if len(upcoming) < 2 or upcoming[0].x1 < right - 0.06 * (right - content):
        return False
    row, after = upcoming[0], upcoming[1]
    return after.x0 < content - 2.5 and after.baseline - row.baseline < 1.2 * profile.leading and len(row.cells) == 1


def _read(members: Sequence[Row], edges: Edges, number: str | None) -> Gloss:
    """An example or sub-example: its heading, then its parts, or its own lines."""
    starts = _part_starts(members)
    if not starts:
        leaf = read_leaf(members, edges)
        language = leaf.language or (leaf.title if leaf.title and LANGUAGE.match(leaf.title) else None)
        title = None if language == leaf.title else leaf.title
        return leaf.model_copy(update={"number": number, "language": language, "title": title})
    head = members[: starts[0]]
    title = " ".join(row.text for row in head) or None
    language = title.rstrip(":.") if title and len(head) == 1 and LANGUAGE.match(title) else None
    parts: list[Gloss] = []
    for start, end in zip(starts, [*starts[1:], len(members)], strict=True):
        for letter, part, limit in _side_by_side(members[start:end]):
            inner = _read(part, replace(edges, right=min(edges.right, limit)), letter["letter"])
            parts.append(inner.model_copy(update={"judgement": letter["mark"]}) if letter["mark"] else inner)
    return Gloss(
        number=number,
        language=language,
        title=None if language else title,
        parts=tuple(parts),
        raw="\n".join(row.text for row in members),
    )


def _part_starts(members: Sequence[Row]) -> list[int]:
    """The rows that begin sub-examples of the outermost level: letters at one place, in order."""
    lettered = [index for index, row in enumerate(members) if LETTER.match(row.words[0].text) and len(row.words) > 1]
    if not lettered or lettered[0] > 2:
        return []
    place = members[lettered[0]].x0
    return [index for index in lettered if abs(members[index].x0 - place) < 6]


def _side_by_side(members: Sequence[Row]) -> list[tuple[re.Match[str], list[Row], float]]:
    """The sub-examples that begin on one row, each with its own rows, without its letter, and its right edge."""
    first = members[0]
    marks: list[tuple[float, re.Match[str]]] = []
    for index, word in enumerate(first.words):
        match = LETTER.match(word.text)
        apart = index == 0 or word.x0 - first.words[index - 1].x1 > first.size
        following = not marks or (match is not None and _follows(marks[-1][1]["letter"], match["letter"]))
        if match and apart and following and index + 1 < len(first.words):
            marks.append((word.x0, match))
    found = []
    for (start, match), end in zip(marks, [*(x for x, _ in marks[1:]), float("inf")], strict=True):
        part = [_between(row, start - 3, end - 3) for row in members]
        kept = [row for row in part if row is not None]
        found.append((match, [Row(kept[0].words[1:]), *kept[1:]], end))
    return found


def _follows(letter: str, other: str) -> bool:
    if (letter, other) in pairwise(map(roman_numeral, range(1, 11))):
        return True
    return len(letter) == len(other) == 1 and ord(other) == ord(letter) + 1


def _between(row: Row, start: float, end: float) -> Row | None:
    words: tuple[Word, ...] = tuple(word for word in row.words if start <= word.x0 < end)
    return Row(words) if words else None


def find_unnumbered(upcoming: Sequence[Row], profile: Profile, left: float, right: float) -> FoundExample | None:
    """A glossed example without a number: two to four indented rows aligned word by word, then a quoted translation."""
    row = upcoming[0]
    if row.x0 < left + 0.8 * profile.body_size or len(upcoming) < 3 or starts_translation(row):
        return None
    quoted = next((index for index in range(1, min(9, len(upcoming))) if starts_translation(upcoming[index])), None)
    if quoted is None or quoted < 2 or abs(upcoming[quoted].x0 - row.x0) > 3:
        return None
    n_rows = _extent(upcoming, row.x0, profile, right)
    if n_rows <= quoted:
        return None
    gloss = read_leaf(upcoming[:n_rows], Edges(left=row.x0, right=right, leading=profile.leading))
    if not gloss.glosses or not gloss.translation or len(gloss.objects[0]) < 2:
        return None
    return FoundExample(n_rows, gloss)
