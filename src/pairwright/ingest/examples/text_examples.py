"""Finds examples in lines of text and rows of cells, which are set on a page of their own for the finder."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pairwright.ingest.examples import text_setting
from pairwright.ingest.examples.finder import FoundExample, find_example
from pairwright.ingest.examples.sources import BRACKETED
from pairwright.ingest.examples.text_place import TextPlace
from pairwright.ingest.examples.text_setting import PROFILE, SetLine, indent
from pairwright.ingest.page.alignment import CATEGORY
from pairwright.ingest.page.rows import Row
from pairwright.languages.conventions import usual_conventions
from pairwright.languages.linguistics.marks import JUDGEMENT, MARKS
from pairwright.records import Gloss

# Of an example, in lines; of a line, and of a sentence without gloss on the line of its number, in characters.
MAX_LINES, MAX_LENGTH = 60, 2_000
MAX_SENTENCE = 120
NUMBER_START = re.compile(r"^\s*(?P<number>\S+)(?P<gap>\s*)(?P<rest>.*)$", re.DOTALL)


def begins_example(line: str) -> bool:
    """Whether a line begins with a number in brackets such as `(12)`."""
    first = line.split(maxsplit=1)
    return bool(first) and usual_conventions().number(first[0]) is not None


def begins_part(line: str) -> bool:
    """Whether a line begins with the letter of a sub-example such as `b.`."""
    first = line.split(maxsplit=1)
    return len(first) == 2 and usual_conventions().letter(first[0]) is not None


def find_in_lines(lines: Sequence[str], *, apart: bool, marked: bool = False) -> FoundExample | None:
    """The example that begins with the first of the lines, which has a number; None where there is none.

    The lines have their white space as it stands in the document. `apart` says that the first line begins a
    paragraph, `marked` that the document sets it off from its prose (a block of code, italics, a table). `n_rows` of
    the result counts lines.
    """
    if not lines or not begins_example(lines[0]) or max(map(len, lines[:MAX_LINES])) > MAX_LENGTH:
        return None
    near = lines[: _extent(lines)]
    cut = [text_setting.cut_line(line) for line in near]
    settings = text_setting.as_it_stands(near), text_setting.typeset(text_setting.grouped(cut))
    examples = [_find(rows, near) for rows in settings if rows]
    glossed = [example for example in examples if example and example.interlinear]
    if glossed or _is_prose(near, apart=apart, marked=marked):
        return max(glossed, key=lambda example: _n_glossed(example.gloss), default=None)
    example = _find(text_setting.typeset(text_setting.joined(cut)), near)
    return example and FoundExample(len(near), _with_raw(example.gloss, near))


def find_unnumbered_lines(lines: Sequence[str]) -> FoundExample | None:
    """A glossed example without a number that fills all the lines: two or more that correspond, and a translation."""
    if not 3 <= len(lines) <= MAX_LINES or begins_example(lines[0]):
        return None
    margin = min(indent(line) for line in lines)
    shifted = ["(0)" + " " * (1 + indent(lines[0]) - margin) + lines[0].strip()]
    shifted += [" " * (4 + indent(line) - margin) + line.strip() for line in lines[1:]]
    example = find_in_lines(shifted, apart=True)
    if example is None or not example.interlinear or example.n_rows < len(lines) or not _translated(example.gloss):
        return None
    return FoundExample(len(lines), _with_raw(example.gloss.model_copy(update={"number": None}), lines))


def _with_raw(gloss: Gloss, lines: Sequence[str]) -> Gloss:
    return gloss.model_copy(update={"raw": "\n".join(" ".join(line.split()) for line in lines)})


def read_set_lines(lines: Sequence[SetLine], raw: str) -> FoundExample | None:
    """The example that lines with known groups make up; its first line may lack a number."""
    if not lines or max(len(line.text) for line in lines) > MAX_LENGTH:
        return None
    number = lines[0].number
    example = _find(text_setting.typeset([replace(lines[0], number=number or "(0)"), *lines[1:]]), ())
    if example is None:
        return None
    update = {"raw": raw, "number": example.gloss.number if number else None}
    return FoundExample(len(lines), example.gloss.model_copy(update=update))


def read_cells(rows: Sequence[Sequence[str]], *, marked: bool) -> FoundExample | None:
    """A table whose rows are the lines of one example: a number or none, then a word or a whole line in each cell.

    `marked` says that the document calls the table an example. Without it the table needs a number, or a last row with
    a quoted translation.
    """
    texts = [[" ".join(cell.split()) for cell in row] for row in rows]
    raw = "\n".join("\t".join(cell for cell in row if cell) for row in texts if any(row))
    lines = [line for line in map(text_setting.cut_cells, texts) if line.number or line.letters or line.words]
    numbers = sum(bool(line.number) for line in lines)
    if not lines or numbers > 1 or (numbers == 1 and not lines[0].number) or len(lines) > MAX_LINES:
        return None
    if all(len(line.words) <= 1 for line in lines):
        return _one_cell_a_row(lines, raw, marked or numbers == 1)
    if not (
        marked
        or numbers
        or (len(lines) <= 5 and lines[-1].is_quoted and usual_conventions().closed.search(lines[-1].text))
    ):
        return None
    example = read_set_lines(text_setting.grouped_cells(lines), raw)
    if example is None or not example.interlinear:
        return None
    glosses = [word for _, leaf in example.gloss.leaves() for line in leaf.glosses for word in line]
    accepted = _translated(example.gloss) or any(CATEGORY.search(word) or "-" in word for word in glosses)
    return example if accepted else None


def _one_cell_a_row(lines: Sequence[SetLine], raw: str, marked: bool) -> FoundExample | None:
    texts = [" ".join([line.number, *line.letters, *line.words]).strip() for line in lines]
    if lines[0].number:
        example = find_in_lines(texts, apart=True, marked=True)
        return replace(example, gloss=example.gloss.model_copy(update={"raw": raw})) if example else None
    return find_unnumbered_lines(texts) if marked else None


def _find(rows: Sequence[Row], members: Sequence[str]) -> FoundExample | None:
    example = find_example(rows, TextPlace(PROFILE, 0.0, max(row.x1 for row in rows)), 99.0, orphans=False)
    return None if example is None else replace(example, gloss=_with_raw(example.gloss, members[: example.n_rows]))


def _n_glossed(gloss: Gloss) -> tuple[int, int, int]:
    """How well an example is understood: its parts with gloss lines, those with a translation, none of them titled."""
    leaves = [leaf for _, leaf in gloss.leaves() if leaf.glosses]
    return len(leaves), sum(bool(leaf.translation) for leaf in leaves), -sum(bool(leaf.title) for leaf in leaves)


def _translated(gloss: Gloss) -> bool:
    return any(leaf.translation for _, leaf in gloss.leaves())


def _extent(lines: Sequence[str]) -> int:
    """How many of the lines may belong to the example that begins with the first."""
    start = indent(lines[0])
    hangs = len(lines) > 1 and indent(lines[1]) > start
    first = NUMBER_START.match(lines[0].strip())
    closed = (
        first is not None
        and first["rest"][:1] in usual_conventions().opening
        and usual_conventions().closed.search(first["rest"]) is not None
    )
    for index, line in enumerate(lines[1:MAX_LINES], start=1):
        text = line.strip()
        part = begins_part(line)
        inside = hangs and indent(line) > start
        follows = text[0] in usual_conventions().opening or part or BRACKETED.match(text) or inside
        if (
            begins_example(line)
            or usual_conventions().caption.match(text)
            or (hangs and not inside)
            or (closed and not follows)
        ):
            return index
        ends = usual_conventions().ends_translation(text)
        closed = not part and (closed or ends)
    return min(len(lines), MAX_LINES)


def _is_prose(lines: Sequence[str], *, apart: bool, marked: bool) -> bool:
    """Whether lines that begin with `(9)`, and of which none glosses another, are a paragraph or part of one."""
    match = NUMBER_START.match(lines[0])
    if match is None or marked:
        return False
    rest = match["rest"].strip()
    lettered = begins_part(rest) and (len(lines) > 1 or len(rest) < MAX_SENTENCE)
    judged = JUDGEMENT.match(rest) is not None or match["number"][0] in MARKS
    below = any(
        line.strip()[0] in usual_conventions().opening and usual_conventions().closed.search(line.strip())
        for line in lines[1:]
    )
    if lettered or judged or below:
        return False
    hangs = len(lines) > 1 and {indent(line) for line in lines[1:]} == {match.start("rest")}
    beside = usual_conventions().closed.search(rest) is not None and any(
        f" {mark}" in rest for mark in usual_conventions().opening
    )
    sentence = (not rest[:1].islower() or beside) and len(re.findall(r"[.!?]\s+\w", rest)) <= 1
    one_line = len(lines) == 1 and sentence and len(rest) <= MAX_SENTENCE
    return not (apart and (len(match["gap"]) > 1 or match["gap"] == "\t" or hangs or one_line))
