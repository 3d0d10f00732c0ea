"""Finds examples in lines of text and rows of cells, which are set on a page of their own for the finder."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pairwright.ingest.examples.finder import CAPTION, EXAMPLE_NUMBER, LETTER, FoundExample, find_example
from pairwright.ingest.examples.interlinear import BRACKETED, CATEGORY, JUDGEMENT
from pairwright.ingest.examples.text_setting import (
    PROFILE,
    SetLine,
    as_it_stands,
    cut_cells,
    cut_line,
    grouped,
    grouped_cells,
    has_columns,
    indent,
    joined,
    typeset,
)
from pairwright.ingest.examples.translation import CLOSED, OPENING, TRAILING_SOURCE
from pairwright.ingest.page.rows import Row
from pairwright.records import Gloss

# Of an example, in lines; of a line, and of a sentence without gloss on the line of its number, in characters.
MAX_LINES, MAX_LENGTH = 60, 2_000
MAX_SENTENCE = 120
NUMBER_START = re.compile(r"^\s*(?P<number>\S+)(?P<gap>\s*)(?P<rest>.*)$", re.DOTALL)


def begins_example(line: str) -> bool:
    """Whether a line begins with a number in brackets such as `(12)`."""
    first = line.split(maxsplit=1)
    return bool(first) and EXAMPLE_NUMBER.match(first[0]) is not None


def begins_part(line: str) -> bool:
    """Whether a line begins with the letter of a sub-example such as `b.`."""
    first = line.split(maxsplit=1)
    return len(first) == 2 and LETTER.match(first[0]) is not None


def find_in_lines(lines: Sequence[str], *, apart: bool, marked: bool = False) -> FoundExample | None:
    """The example that begins with the first of the lines, which has a number; None where there is none.

    The lines have their white space as it stands in the document. `apart` says that the first line begins a
    paragraph, `marked` that the document sets it off from its prose (a block of code, italics, a table). `n_rows` of
    the result counts lines.
    """
    if not lines or not begins_example(lines[0]) or max(map(len, lines[:MAX_LINES])) > MAX_LENGTH:
        return None
    near = lines[: _extent(lines)]
    cut = [cut_line(line) for line in near]
    settings = [as_it_stands(near)] if has_columns(near) else []
    read = [_find(rows, near) for rows in (*settings, typeset(grouped(cut)))]
    glossed = [found for found in read if found is not None and found.interlinear]
    if glossed:
        return max(glossed, key=lambda found: _n_glossed(found.gloss))
    if _is_prose(near, apart=apart, marked=marked):
        return None
    found = _find(typeset(joined(cut)), near)
    return None if found is None else FoundExample(len(near), _with_raw(found.gloss, near))


def find_unnumbered_lines(lines: Sequence[str]) -> FoundExample | None:
    """A glossed example without a number that fills all the lines: two or more that correspond, and a translation."""
    if not 3 <= len(lines) <= MAX_LINES or begins_example(lines[0]):
        return None
    margin = min(indent(line) for line in lines)
    shifted = ["(0)" + " " * (1 + indent(lines[0]) - margin) + lines[0].strip()]
    shifted += [" " * (4 + indent(line) - margin) + line.strip() for line in lines[1:]]
    found = find_in_lines(shifted, apart=True)
    if found is None or not found.interlinear or found.n_rows < len(lines) or not _translated(found.gloss):
        return None
    return FoundExample(len(lines), _with_raw(found.gloss.model_copy(update={"number": None}), lines))


def _with_raw(gloss: Gloss, lines: Sequence[str]) -> Gloss:
    return gloss.model_copy(update={"raw": "\n".join(" ".join(line.split()) for line in lines)})


def read_set_lines(lines: Sequence[SetLine], raw: str) -> FoundExample | None:
    """The example that lines with known groups make up; its first line may lack a number."""
    if not lines or max(len(line.text) for line in lines) > MAX_LENGTH:
        return None
    bare = not lines[0].number
    found = _find(typeset([replace(lines[0], number="(0)"), *lines[1:]] if bare else lines), ())
    if found is None:
        return None
    return FoundExample(len(lines), found.gloss.model_copy(update={"raw": raw, **({"number": None} if bare else {})}))


def read_cells(rows: Sequence[Sequence[str]], *, marked: bool) -> FoundExample | None:
    """A table whose rows are the lines of one example: a number or none, then a word or a whole line in each cell.

    `marked` says that the document calls the table an example. Without it the table needs a number, or a last row with
    a quoted translation.
    """
    texts = [[" ".join(cell.split()) for cell in row] for row in rows]
    raw = "\n".join("\t".join(cell for cell in row if cell) for row in texts if any(row))
    lines = [line for line in map(cut_cells, texts) if line.number or line.letters or line.words]
    numbers = sum(bool(line.number) for line in lines)
    if not lines or numbers > 1 or (numbers == 1 and not lines[0].number) or len(lines) > MAX_LINES:
        return None
    if all(len(line.words) <= 1 for line in lines):
        return _one_cell_a_row(lines, raw, marked or numbers == 1)
    if not (marked or numbers or (len(lines) <= 5 and lines[-1].is_quoted and CLOSED.search(lines[-1].text))):
        return None
    found = read_set_lines(grouped_cells(lines), raw)
    accepted = found is not None and found.interlinear and (_translated(found.gloss) or _categories(found.gloss))
    return found if accepted else None


def _one_cell_a_row(lines: Sequence[SetLine], raw: str, marked: bool) -> FoundExample | None:
    texts = [" ".join([line.number, *line.letters, *line.words]).strip() for line in lines]
    if lines[0].number:
        found = find_in_lines(texts, apart=True, marked=True)
        return replace(found, gloss=found.gloss.model_copy(update={"raw": raw})) if found else None
    return find_unnumbered_lines(texts) if marked else None


def _find(rows: Sequence[Row], members: Sequence[str]) -> FoundExample | None:
    found = find_example(rows, PROFILE, 0.0, max(row.x1 for row in rows), 99.0, orphans=False)
    return None if found is None else replace(found, gloss=_with_raw(found.gloss, members[: found.n_rows]))


def _n_glossed(gloss: Gloss) -> tuple[int, int, int]:
    """How well an example is understood: its parts with gloss lines, those with a translation, none of them titled."""
    leaves = [leaf for _, leaf in gloss.leaves() if leaf.glosses]
    return len(leaves), sum(bool(leaf.translation) for leaf in leaves), -sum(bool(leaf.title) for leaf in leaves)


def _translated(gloss: Gloss) -> bool:
    return any(leaf.translation for _, leaf in gloss.leaves())


def _categories(gloss: Gloss) -> bool:
    return any(
        CATEGORY.search(word) or "-" in word for _, leaf in gloss.leaves() for line in leaf.glosses for word in line
    )


def _extent(lines: Sequence[str]) -> int:
    """How many of the lines may belong to the example that begins with the first."""
    start = indent(lines[0])
    hangs = len(lines) > 1 and indent(lines[1]) > start
    closed = False
    for index, line in enumerate(lines[:MAX_LINES]):
        text = line.strip()
        if index == 0:
            rest = NUMBER_START.match(text)
            text = rest["rest"] if rest else text
            closed = CLOSED.search(text) is not None and text[:1] in OPENING
            continue
        outside = hangs and indent(line) <= start
        follows = text[0] in OPENING or begins_part(line) or BRACKETED.match(text) or (hangs and not outside)
        if begins_example(line) or CAPTION.match(text) or outside or (closed and not follows):
            return index
        if begins_part(line):
            closed = False
        elif CLOSED.search(text) or TRAILING_SOURCE.match(text):
            closed = True
    return min(len(lines), MAX_LINES)


def _is_prose(lines: Sequence[str], *, apart: bool, marked: bool) -> bool:
    """Whether lines that begin with `(9)`, and of which none glosses another, are a paragraph or part of one."""
    match = NUMBER_START.match(lines[0])
    if match is None or marked:
        return False
    rest = match["rest"].strip()
    lettered = begins_part(rest) and (len(lines) > 1 or len(rest) < MAX_SENTENCE)
    judged = JUDGEMENT.match(rest) is not None or match["number"][0] in "*?#%"
    below = any(line.strip()[0] in OPENING and CLOSED.search(line.strip()) for line in lines[1:])
    if lettered or judged or below:
        return False
    hangs = len(lines) > 1 and {indent(line) for line in lines[1:]} == {match.start("rest")}
    beside = CLOSED.search(rest) is not None and any(f" {mark}" in rest for mark in OPENING)
    sentence = (not rest[:1].islower() or beside) and len(re.findall(r"[.!?]\s+\w", rest)) <= 1
    one_line = len(lines) == 1 and sentence and len(rest) <= MAX_SENTENCE
    return not (apart and (len(match["gap"]) > 1 or match["gap"] == "\t" or hangs or one_line))
