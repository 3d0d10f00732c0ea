"""Reads examples from lines of text and rows of cells, set as rows of tokens with columns, as a page has them.

Columns are those of the characters, tab stops or cells. Words of an object line and of its glosses also correspond by
their count (rule 1 of the Leipzig Glossing Rules).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from unicodedata import combining, east_asian_width

from pairwright.documents.interlinear.finder import find_example
from pairwright.documents.interlinear.parts import BRACKETED, Place
from pairwright.documents.interlinear.reading import FoundExample, read_numbered
from pairwright.documents.lines.alignment import is_label
from pairwright.documents.lines.data import Profile, Run
from pairwright.documents.lines.rows import TEXT, Row, Word
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.marks import JUDGEMENT, MARKS

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
    near = lines[: _extent(lines, conventions)]
    example = _find(_example_rows(near, conventions), near, conventions)
    if (example and example.interlinear) or _is_prose(near, conventions, apart=apart, marked=marked):
        return example if example and example.interlinear else None
    example = _find(_example_rows(_joined(near, conventions), conventions), near, conventions)
    return example and replace(example, n_rows=len(near))


def find_unnumbered_lines(lines: Sequence[str], conventions: Conventions) -> FoundExample | None:
    """A glossed example without a number that fills all the lines: two or more that correspond, and a translation."""
    if not 3 <= len(lines) <= MAX_LINES or begins_example(lines[0], conventions) or max(map(len, lines)) > MAX_LENGTH:
        return None
    rows = _example_rows(lines, conventions)
    if _extent(lines, conventions) < len(lines):
        return None
    found = _read(rows, _squeezed(lines), conventions)
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
        found = _find(set_rows, raw.split("\n"), conventions) if numbers[0] else _read(set_rows, raw, conventions)
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


def _read(rows: Sequence[Row], raw: str, conventions: Conventions) -> FoundExample:
    place = Place(text_profile(conventions), rows[0].x0, max(row.x1 for row in rows))
    gloss = read_numbered(rows, place)
    return FoundExample(len(rows), gloss.model_copy(update={"raw": raw}))


def _squeezed(lines: Iterable[str]) -> str:
    return "\n".join(" ".join(line.split()) for line in lines)


def _extent(lines: Sequence[str], conventions: Conventions) -> int:
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


def _is_prose(lines: Sequence[str], conventions: Conventions, *, apart: bool, marked: bool) -> bool:
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
    stops = any("\t" in line.strip() for line in lines)
    return [_at_stops(line, conventions) if stops else _at_columns(line) for line in lines]


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


def _at_columns(line: str) -> list[Placed]:
    wide = line.expandtabs(8)
    return [(CHAR * _width(wide[: match.start()]), match.group()) for match in re.finditer(r"\S+", wide)]


def _row(placed: Iterable[Placed], index: int) -> Row:
    y = (index + 1) * LEADING
    runs = (Run(word, x, y - 8, x + CHAR * len(word), y + 2, y, SIZE, TEXT) for x, word in placed)
    return Row(tuple(Word((run,)) for run in runs))
