"""Finds numbered and glossed examples among the rows of a page, and in lines of text and cells set as such rows.

After the Leipzig Glossing Rules (Comrie, Haspelmath & Bickel 2015). `reading` reads the lines inside. Columns of text
are those of its characters, tab stops or cells; words and glosses also correspond by their count (rule 1).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from unicodedata import combining, east_asian_width

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.parts import BRACKETED, Place, hung_marks
from pairwright.documents.interlinear.reading import FoundExample, read_numbered
from pairwright.documents.lines.data import Profile, Run
from pairwright.documents.lines.rows import TEXT, Row, Word, filled_rows, is_label
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.sentences import JUDGEMENT, MARKS

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
    return not in_order or second.x0 - first.x1 < 0.7 * row.size


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


# The type in which lines are taken to be set, in points; letters are as wide as each other.
SIZE, LEADING, CHAR, STEP, TAB_STOP = 10.0, 12.0, 5.0, 40.0, 1_000.0
# Of an example, in lines; of a line, and of a sentence without gloss on the line of its number, in characters.
MAX_LINES, MAX_LENGTH, MAX_SENTENCE = 60, 2_000, 120
# Where a word begins, and the word.
Placed = tuple[float, str]


def text_profile(conventions: Conventions) -> Profile:
    """The profile of lines of text."""
    return Profile(body_size=SIZE, leading=LEADING, conventions=conventions)


def begins_example(line: str, conventions: Conventions) -> bool:
    """Whether a line begins with the label of an example, such as `(12)`."""
    return conventions.label(line.split(maxsplit=4)) is not None


def begins_part(line: str, conventions: Conventions) -> bool:
    """Whether a line begins with the letter of a sub-example such as `b.`."""
    first = line.split(maxsplit=1)
    return len(first) == 2 and conventions.letter(first[0]) is not None


def find_in_lines(
    lines: Sequence[str], conventions: Conventions, *, apart: bool, marked: bool = False
) -> FoundExample | None:
    """The example that begins with the first of the lines, which has a number; None where there is none.

    The lines have their white space as it stands in the document. `apart` says that the first line begins a
    paragraph, `marked` that the document sets it off from its prose (a block of code, italics, a table). `n_rows` of
    the result counts lines.
    """
    if not lines or not begins_example(lines[0], conventions) or max(map(len, lines[:MAX_LINES])) > MAX_LENGTH:
        return None
    near = lines[: _extent_of_lines(lines, conventions)]
    example = _find(_example_rows(near, conventions), near, conventions)
    if (example and example.interlinear) or _is_prose_text(near, conventions, apart=apart, marked=marked):
        return example if example and example.interlinear else None
    example = _find(_example_rows(_joined(near, conventions), conventions), near, conventions)
    return example and replace(example, n_rows=len(near))


def find_unnumbered_lines(lines: Sequence[str], conventions: Conventions) -> FoundExample | None:
    """A glossed example without a number that fills all the lines: two or more that correspond, and a translation."""
    if not 3 <= len(lines) <= MAX_LINES or begins_example(lines[0], conventions) or max(map(len, lines)) > MAX_LENGTH:
        return None
    rows = _example_rows(lines, conventions)
    if _extent_of_lines(lines, conventions) < len(lines):
        return None
    found = _read_lines(rows, _squeezed(lines), conventions)
    return found if found.interlinear and found.gloss.translation else None


def read_cells(rows: Sequence[Sequence[str]], conventions: Conventions) -> FoundExample | None:
    """A table whose rows are the lines of one example: a number, then a word or a whole line in each cell; without a
    number, with a quoted translation in the last row."""
    cells = [[" ".join(cell.split()) for cell in row] for row in rows if any(map(str.split, row))]
    raw = "\n".join("\t".join(filter(None, row)) for row in cells)
    filled = [[cell for cell in row if cell] for row in cells]
    if not cells or len(cells) > MAX_LINES or max(map(len, map(" ".join, cells))) > MAX_LENGTH:
        return None
    numbers = [conventions.number(row[0]) is not None for row in filled]
    if any(numbers[1:]):
        return None
    last = filled[-1][-1]
    if numbers[0] and all(len(row) <= 1 + is_number for row, is_number in zip(filled, numbers, strict=True)):
        found = find_in_lines(list(map(" ".join, filled)), conventions, apart=True, marked=True)
    elif numbers[0] or (len(cells) <= 5 and last[0] in conventions.opening and conventions.closed.search(last)):
        set_rows = _example_rows(["\t".join(row).rstrip() for row in cells], conventions)
        found = _find(set_rows, raw.split("\n"), conventions) if numbers[0] else _read_lines(set_rows, raw, conventions)
        leaves = [leaf for _, leaf in found.gloss.leaves()] if found and found.interlinear else []
        labels = (word for leaf in leaves for line in leaf.glosses for word in line)
        found = found if any(leaf.translation for leaf in leaves) or any(map(is_label, labels)) else None
    else:
        return None
    return found and replace(found, gloss=found.gloss.model_copy(update={"raw": raw}))


def _find(rows: Sequence[Row], lines: Sequence[str], conventions: Conventions) -> FoundExample | None:
    place = Place(text_profile(conventions), 0.0, max(row.x1 for row in rows))
    example = find_example(rows, place, 99.0, orphans=False)
    raw = _squeezed(lines[: example.n_rows] if example else ())
    return example and replace(example, gloss=example.gloss.model_copy(update={"raw": raw}))


def _read_lines(rows: Sequence[Row], raw: str, conventions: Conventions) -> FoundExample:
    place = Place(text_profile(conventions), rows[0].x0, max(row.x1 for row in rows))
    gloss = read_numbered(rows, place)
    return FoundExample(len(rows), gloss.model_copy(update={"raw": raw}))


def _squeezed(lines: Iterable[str]) -> str:
    return "\n".join(" ".join(line.split()) for line in lines)


def _extent_of_lines(lines: Sequence[str], conventions: Conventions) -> int:
    """How many of the lines may belong to the example that begins with the first."""
    start = indent(lines[0])
    hangs = len(lines) > 1 and indent(lines[1]) > start
    rest = _behind_label(lines[0], conventions)[1]
    closed = rest[:1] in conventions.opening and bool(rest) and bool(conventions.closed.search(rest))
    for index, line in enumerate(lines[1:MAX_LINES], start=1):
        text = line.strip()
        part = begins_part(line, conventions)
        inside = hangs and indent(line) > start
        follows = text[0] in conventions.opening or part or BRACKETED.match(text) or inside
        begins = begins_example(line, conventions) or conventions.caption.match(text)
        if begins or (hangs and not inside) or (closed and not follows):
            return index
        closed = not part and (closed or conventions.ends_translation(text))
    return min(len(lines), MAX_LINES)


def _behind_label(line: str, conventions: Conventions) -> tuple[str, str]:
    """The label of an example at the beginning of a line, with the white space behind it, and the rest of the line."""
    label = conventions.label(line.split(maxsplit=4))
    match = re.match(rf"\s*(?:\S+\s*){{{label[1]}}}", line) if label else None
    return (match.group(), line[match.end() :].rstrip()) if match else ("", line.strip())


def _is_prose_text(lines: Sequence[str], conventions: Conventions, *, apart: bool, marked: bool) -> bool:
    """Whether lines that begin with `(9)`, and of which none glosses another, are a paragraph or part of one."""
    label, rest = _behind_label(lines[0], conventions)
    opening, closed = conventions.opening, conventions.closed
    lettered = begins_part(rest, conventions) and (len(lines) > 1 or len(rest) < MAX_SENTENCE)
    judged = JUDGEMENT.match(rest) is not None or label.strip()[0] in MARKS
    quoted = any(line.strip()[0] in opening and closed.search(line.strip()) for line in lines[1:])
    if marked or lettered or judged or quoted:
        return False
    hangs = len(lines) > 1 and {indent(line) for line in lines[1:]} == {len(label)}
    beside = closed.search(rest) is not None and any(f" {mark}" in rest for mark in opening)
    sentence = (not rest[:1].islower() or beside) and len(re.findall(r"[.!?]\s+\w", rest)) <= 1
    one_line = len(lines) == 1 and sentence and len(rest) <= MAX_SENTENCE
    white = label[len(label.rstrip()) :]
    return not (apart and (len(white) > 1 or white == "\t" or hangs or one_line))


def _joined(lines: Sequence[str], conventions: Conventions) -> list[str]:
    """The lines of an example without gloss: a sentence that goes on in the next line is one line, and a translation
    on its line becomes a line of its own."""
    joined: list[str] = []
    for line in lines:
        match = conventions.translated.match(line)
        sentence = match["text"] if match else line
        text = sentence.strip()
        opens = begins_part(text, conventions) or text[0] in conventions.opening or BRACKETED.match(text)
        rest = _behind_label(joined[-1], conventions)[1] if joined else ""
        if rest and not opens and rest[-1] not in '.!?:”’"»)]':
            joined[-1] = f"{joined[-1].rstrip()} {text}"
        else:
            joined.append(sentence)
        joined += [match["translation"]] if match else []
    return joined


def indent(line: str) -> int:
    """The columns of white space before a line."""
    return _width(line[: len(line) - len(line.lstrip())].expandtabs(8))


def _width(text: str) -> int:
    """How many columns a text fills in a typeface of one width (Unicode Standard Annex 11)."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def rows_of(lines: Sequence[str], conventions: Conventions) -> list[Row]:
    """Lines as rows: their words in the columns of their characters, or at tab stops where lines have tabs."""
    return [_row(words, index) for index, words in enumerate(_placed(lines, conventions))]


def _placed(lines: Sequence[str], conventions: Conventions) -> list[list[Placed]]:
    if any("\t" in line.strip() for line in lines):
        return [_at_stops(line, conventions) for line in lines]
    parts = ((wide, re.finditer(r"\S+", wide)) for wide in (line.expandtabs(8) for line in lines))
    return [[(CHAR * _width(wide[: part.start()]), part.group()) for part in found] for wide, found in parts]


def _example_rows(lines: Sequence[str], conventions: Conventions) -> list[Row]:
    """The lines of an example as rows: its number in the margin, lines below it where its words are."""
    placed = _placed(lines, conventions)
    label = conventions.label([word for _, word in placed[0]])
    n_words = label[1] if label else 0
    number = " ".join(word for _, word in placed[0][:n_words])
    placed[0] = placed[0][n_words:]
    least = min((words[0][0] for words in placed[1:]), default=0.0)
    content = placed[0][0][0] if placed[0] else least
    placed[1:] = [[(x + max(0.0, content - least), word) for x, word in words] for words in placed[1:]]
    if label:
        placed[0].insert(0, (content - 10 * STEP, number))
    return [_row(words, index) for index, words in enumerate(placed)]


def _at_stops(line: str, conventions: Conventions) -> list[Placed]:
    """The cells of a line at their tab stops: each one word, or where all words of the line are in one cell, these."""
    cells = [(stop * TAB_STOP, cell.split()) for stop, cell in enumerate(line.split("\t")) if cell.strip()]
    label = int(len(cells) > 1 and conventions.number(" ".join(cells[0][1])) is not None)
    if len(cells) > label + 1:
        return [(x, " ".join(words)) for x, words in cells]
    placed: list[Placed] = []
    for x, words in cells:
        placed += zip(accumulate((CHAR * len(word) + 3.0 for word in words[:-1]), initial=x), words, strict=False)
    return placed


def _row(placed: Iterable[Placed], index: int) -> Row:
    y = (index + 1) * LEADING
    runs = (Run(word, x, y - 8, x + CHAR * len(word), y + 2, y, SIZE, TEXT) for x, word in placed)
    return Row(tuple(Word((run,)) for run in runs))
