"""Finds numbered and glossed examples on a page and cuts them into their parts.

After the Leipzig Glossing Rules (Comrie, Haspelmath & Bickel 2015). `reading` reads the lines inside.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.parts import Place, hung_marks
from pairwright.documents.interlinear.reading import FoundExample, read_numbered
from pairwright.documents.lines.data import Profile
from pairwright.documents.lines.learning import WHITE
from pairwright.documents.lines.rows import Row, Word, filled_rows
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.marks import MARKS

# As parts of examples and items of lists are numbered.
ROMAN = (
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x",
    "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx",
)  # fmt: skip
LANGUAGE = re.compile(r"^[A-ZÀ-Ž][\w'’-]+(?: [A-ZÀ-Ž][\w'’-]+){0,4}(?: ?\([^)]*\))?[:.]?$")


def find_example(upcoming: Sequence[Row], place: Place, gap_above: float, orphans: bool) -> FoundExample | None:
    """The example that begins with the first of `upcoming` rows, or None.

    place        the column
    gap_above    the distance from the row before, in points
    orphans      whether a bare letter may go on from an example of the page before
    """
    conventions = place.profile.conventions
    row = hung_marks(with_whole_label(upcoming[0], conventions))
    rows = [row, *upcoming[1:]]
    label = conventions.number(row.words[0].text)
    behind = " ".join(word.text for word in row.words[1:]).strip("()[].:")
    if label and conventions.continued.fullmatch(behind):
        # Where an example goes on from the page before.
        row = Row(row.words[:1])
        rows[0] = row
    first, content = [row], row.x0
    if label and len(row.words) > 1:
        if _is_prose(rows, place.profile, place.left, gap_above):
            return None
        first = [_content(rows)]
        content = first[0].x0
    elif label:
        first = []
        content = next((below.x0 for below in rows[1:2] if below.x0 > row.x1 - 2), row.x1)
    elif not (orphans and conventions.letter(row.words[0].text) and len(row.words) > 1):
        return None
    n_rows = _extent(rows, content, place.profile, place.right)
    members = [*first, *map(hung_marks, rows[1:n_rows])]
    if not members:
        return None
    gloss = _read(members, replace(place, left=content), label)
    marks = label and re.search(f"[{MARKS}]+", row.words[0].text)
    judgement = gloss.judgement or (marks.group() if marks else None)
    raw = "\n".join(row.text for row in upcoming[:n_rows])
    example = FoundExample(n_rows, gloss.model_copy(update={"judgement": judgement, "raw": raw}))
    return example if label or example.interlinear else None


def with_whole_label(row: Row, conventions: Conventions) -> Row:
    """A row whose first word is the whole label of an example, such as `Ex. 12:`, where it begins with one."""
    label = conventions.label([word.text for word in row.words[: conventions.label_words]])
    if label is None or label[1] == 1:
        return row
    runs = tuple(run for word in row.words[: label[1]] for run in word.runs)
    return Row((Word(runs, text=" ".join(word.text for word in row.words[: label[1]])), *row.words[label[1] :]))


def _content(upcoming: Sequence[Row]) -> Row:
    """The first row without the example's number."""
    return hung_marks(Row(upcoming[0].words[1:]), upcoming[1] if len(upcoming) > 1 else None)


def _is_prose(upcoming: Sequence[Row], profile: Profile, left: float, gap_above: float) -> bool:
    """Whether a row that begins with `(9)` goes on a paragraph: it fills the line with even spaces."""
    row, start = upcoming[0], _content(upcoming).x0
    gap = start - row.words[0].x1
    indented = row.x0 > left + 2 and gap_above > 1.25 * profile.leading
    # The lines of a first sub-example hang behind its letter.
    starts = [word.x0 for word in row.words[1:3] if word.x0 == start or profile.conventions.letter(row.words[1].text)]
    hanging = len(upcoming) > 1 and any(abs(upcoming[1].x0 - x) < 2 for x in starts)
    if gap > 0.72 * row.size or (hanging and gap_above > 1.15 * profile.leading):
        return False
    return gap < 0.42 * row.size or not (indented or hanging)


def _extent(upcoming: Sequence[Row], content: float, profile: Profile, right: float) -> int:
    """How many rows the example fills."""
    for index in range(1, len(upcoming)):
        row, before = hung_marks(upcoming[index]), upcoming[index - 1]
        gap = row.baseline - before.baseline
        lettered = profile.conventions.letter(row.words[0].text) is not None
        outside = row.x0 < content - 2.5 or gap > (2.3 if lettered else 1.75) * profile.leading
        if outside or profile.conventions.caption.match(row.text):
            return index
    return len(upcoming)


def _read(members: Sequence[Row], place: Place, number: str | None) -> Gloss:
    """An example or sub-example: its heading, then its parts, or its own lines."""
    conventions = place.profile.conventions
    starts = _part_starts(members, conventions)
    if not starts:
        leaf = read_numbered(members, place)
        language = leaf.language or (leaf.title if leaf.title and LANGUAGE.match(leaf.title) else None)
        title = None if language == leaf.title else leaf.title
        return leaf.model_copy(update={"number": number, "language": language, "title": title})
    head = members[: starts[0]]
    title = " ".join(row.text for row in head) or None
    language = title.rstrip(":.") if title and len(head) == 1 and LANGUAGE.match(title) else None
    parts: list[Gloss] = []
    for start, end in zip(starts, [*starts[1:], len(members)], strict=True):
        for (mark, letter), part, limit in _side_by_side(members[start:end], conventions):
            inner = _read(part, replace(place, right=min(place.right, limit)), letter)
            parts.append(inner.model_copy(update={"judgement": mark}) if mark else inner)
    raw = "\n".join(row.text for row in members)
    return Gloss(number=number, language=language, title=None if language else title, parts=tuple(parts), raw=raw)


def _part_starts(members: Sequence[Row], conventions: Conventions) -> list[int]:
    """The rows that begin sub-examples of the outermost level: letters at one place, in order."""
    lettered: list[int] = []
    before = ""
    for at, row in enumerate(members):
        match = conventions.letter(row.words[0].text)
        if match and len(row.words) > 1 and not (row.words[0].text.isalpha() and _is_word(row, match[1], at, before)):
            lettered.append(at)
            before = match[1]
    if not lettered or lettered[0] > 2:
        return []
    place = members[lettered[0]].x0
    return [index for index in lettered if abs(members[index].x0 - place) < 6]


def _is_word(row: Row, letter: str, at: int, before: str) -> bool:
    """Whether a bare letter that begins row `at` is a word: no white is behind it, or it doesn't follow the letter
    `before`."""
    first, second = row.words[:2]
    in_order = at == 0 or letter in {"a", "i"} or (before != "" and _follows(before, letter))
    return not in_order or second.x0 - first.x1 < WHITE * row.size


def _side_by_side(members: Sequence[Row], conventions: Conventions) -> list[tuple[tuple[str, str], list[Row], float]]:
    """The sub-examples that begin on one row, each with its own rows, without its letter, and its right edge."""
    row = members[0]
    marks: list[tuple[float, tuple[str, str]]] = []
    for index, word in enumerate(row.words[:-1]):
        match = conventions.letter(word.text)
        apart = index == 0 or word.x0 - row.words[index - 1].x1 > row.size
        if match and apart and (not marks or _follows(marks[-1][1][1], match[1])):
            marks.append((word.x0, match))
    parts = []
    for (start, match), end in zip(marks, [*(x for x, _ in marks[1:]), float("inf")], strict=True):
        first, *others = filled_rows([word for word in row.words if start - 3 <= word.x0 < end - 3] for row in members)
        parts.append((match, [Row(first.words[1:]), *others], end))
    return parts


def _follows(letter: str, other: str) -> bool:
    in_alphabet = len(letter) == len(other) == 1 and ord(other) == ord(letter) + 1
    return in_alphabet or (letter, other) in pairwise(ROMAN)
