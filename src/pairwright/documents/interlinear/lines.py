"""Reads examples from lines of text and rows of cells: tokens with columns, as the rows of a page are.

Columns are those of the characters, where tabs or wide spaces align words, or else a word's place among the words of
its line: the words of the object line and of the gloss line correspond one by one (rule 1 of the Leipzig rules).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from unicodedata import combining, east_asian_width

from pairwright.core.records import Gloss
from pairwright.documents.interlinear.finder import FoundExample, find_example
from pairwright.documents.interlinear.text_place import TextPlace
from pairwright.documents.interlinear.translation import BRACKETED
from pairwright.documents.lines.alignment import BY_COUNT, is_label
from pairwright.documents.lines.data import Profile, Run
from pairwright.documents.lines.rows import Row, Word, cluster
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.marks import JUDGEMENT, MARKS

# The type in which lines are taken to be set, in points; letters are as wide as each other.
SIZE, LEADING, CHAR, GAP, STEP, TAB_STOP = 10.0, 12.0, 5.0, 4.0, 40.0, 1_000.0
# Of an example, in lines; of a line, and of a sentence without gloss on the line of its number, in characters.
MAX_LINES, MAX_LENGTH, MAX_SENTENCE = 60, 2_000, 120
NUMBER_START = re.compile(r"^\s*(?P<number>\S+)(?P<gap>\s*)(?P<rest>.*)$", re.DOTALL)
REFERENCE_END = re.compile(r"^(?P<text>.*?\S)\s+(?P<reference>[\[(][^\[\]()]*\d[^\[\]()]*[\])])\S?$")
REFERENCE_START = re.compile(r"^(?P<reference>\[[^\[\]]*\d[^\[\]]*\])\s+(?=\S)")
_STOPS = {",", ".", ";", ":", "!", "?"}
_RTL = re.compile(r"[\u0590-\u08ff]")
_MARK_ONLY = re.compile(rf"^[{MARKS}]{{1,3}}$")
# Where a word begins, and the word.
Placed = tuple[float, str]


@dataclass(frozen=True)
class TextLine:
    """A line of an example: the number and the letters of parts with which it begins, its words or cells, and where the
    example comes from, with its brackets."""

    number: str = ""
    letters: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    reference: str | None = None

    @property
    def text(self) -> str:
        return " ".join(self.words)


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
    cut = [_cut_line(line, conventions) for line in near]
    settings = _as_they_stand(near), _by_count(cut, conventions)
    examples = [_find(rows, near, conventions) for rows in settings if rows]
    glossed = [example for example in examples if example and example.interlinear]
    if glossed or _is_prose(near, conventions, apart=apart, marked=marked):
        return max(glossed, key=lambda example: _n_glossed(example.gloss), default=None)
    example = _find(_by_count(_joined(cut, conventions), conventions), near, conventions)
    return example and FoundExample(len(near), _with_raw(example.gloss, near))


def find_unnumbered_lines(lines: Sequence[str], conventions: Conventions) -> FoundExample | None:
    """A glossed example without a number that fills all the lines: two or more that correspond, and a translation."""
    if not 3 <= len(lines) <= MAX_LINES or begins_example(lines[0], conventions):
        return None
    label = conventions.examples.number[0].replace("{n}", "0")
    margin = min(indent(line) for line in lines)
    shifted = [label + " " * (1 + indent(lines[0]) - margin) + lines[0].strip()]
    shifted += [" " * (len(label) + 1 + indent(line) - margin) + line.strip() for line in lines[1:]]
    example = find_in_lines(shifted, conventions, apart=True)
    if example is None or not example.interlinear or example.n_rows < len(lines) or not _translated(example.gloss):
        return None
    return FoundExample(len(lines), _with_raw(example.gloss.model_copy(update={"number": None}), lines))


def read_cells(rows: Sequence[Sequence[str]], conventions: Conventions, *, marked: bool) -> FoundExample | None:
    """A table whose rows are the lines of one example: a number or none, then a word or a whole line in each cell.

    `marked` says that the document calls the table an example. Without it the table needs a number, or a last row with
    a quoted translation.
    """
    texts = [[" ".join(cell.split()) for cell in row] for row in rows]
    raw = "\n".join("\t".join(cell for cell in row if cell) for row in texts if any(row))
    lines = [_cut_cells(row, conventions) for row in texts]
    lines = [line for line in lines if line.number or line.letters or line.words]
    numbers = sum(bool(line.number) for line in lines)
    if not lines or numbers > 1 or (numbers == 1 and not lines[0].number) or len(lines) > MAX_LINES:
        return None
    if all(len(line.words) <= 1 for line in lines):
        whole = [" ".join([line.number, *line.letters, *line.words]).strip() for line in lines]
        if lines[0].number:
            example = find_in_lines(whole, conventions, apart=True, marked=True)
        else:
            example = find_unnumbered_lines(whole, conventions) if marked else None
        return example and replace(example, gloss=example.gloss.model_copy(update={"raw": raw}))
    last = lines[-1].text
    quoted = last[:1] in conventions.opening and conventions.closed.search(last)
    if not (marked or numbers or (len(lines) <= 5 and quoted)):
        return None
    example = read_words(lines, raw, conventions)
    if example is None or not example.interlinear:
        return None
    glosses = [word for _, leaf in example.gloss.leaves() for line in leaf.glosses for word in line]
    return example if _translated(example.gloss) or any(map(is_label, glosses)) else None


def read_tiers_of_words(tiers: Sequence[Sequence[str]], raw: str, conventions: Conventions) -> FoundExample | None:
    """The glossed example that lines of words in columns make up, perhaps with a number before the first."""
    example = read_words([_cut_cells(tier, conventions) for tier in tiers if tier], raw, conventions)
    return example if example and example.interlinear else None


def read_words(lines: Sequence[TextLine], raw: str, conventions: Conventions) -> FoundExample | None:
    """The example that lines of words or cells make up; its first line may lack a number."""
    if not lines or max(len(line.text) for line in lines) > MAX_LENGTH:
        return None
    number = lines[0].number
    first = replace(lines[0], number=number or conventions.examples.number[0].replace("{n}", "0"))
    example = _find(_by_count([first, *lines[1:]], conventions), (), conventions)
    if example is None:
        return None
    update = {"raw": raw, "number": example.gloss.number if number else None}
    return FoundExample(len(lines), example.gloss.model_copy(update=update))


def _find(rows: Sequence[Row], members: Sequence[str], conventions: Conventions) -> FoundExample | None:
    place = TextPlace(text_profile(conventions), 0.0, max(row.x1 for row in rows))
    example = find_example(rows, place, 99.0, orphans=False)
    return None if example is None else replace(example, gloss=_with_raw(example.gloss, members[: example.n_rows]))


def _with_raw(gloss: Gloss, lines: Sequence[str]) -> Gloss:
    return gloss.model_copy(update={"raw": "\n".join(" ".join(line.split()) for line in lines)})


def _n_glossed(gloss: Gloss) -> tuple[int, int, int]:
    """How well an example is understood: its parts with gloss lines, those with a translation, none of them titled."""
    leaves = [leaf for _, leaf in gloss.leaves() if leaf.glosses]
    return len(leaves), sum(bool(leaf.translation) for leaf in leaves), -sum(bool(leaf.title) for leaf in leaves)


def _translated(gloss: Gloss) -> bool:
    return any(leaf.translation for _, leaf in gloss.leaves())


def _extent(lines: Sequence[str], conventions: Conventions) -> int:
    """How many of the lines may belong to the example that begins with the first."""
    start = indent(lines[0])
    hangs = len(lines) > 1 and indent(lines[1]) > start
    first = NUMBER_START.match(lines[0].strip())
    rest = first["rest"] if first else ""
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


def _is_prose(lines: Sequence[str], conventions: Conventions, *, apart: bool, marked: bool) -> bool:
    """Whether lines that begin with `(9)`, and of which none glosses another, are a paragraph or part of one."""
    match = NUMBER_START.match(lines[0])
    if match is None or marked:
        return False
    rest, opening, closed = match["rest"].strip(), conventions.opening, conventions.closed
    lettered = begins_part(rest, conventions) and (len(lines) > 1 or len(rest) < MAX_SENTENCE)
    judged = JUDGEMENT.match(rest) is not None or match["number"][0] in MARKS
    if lettered or judged or any(line.strip()[0] in opening and closed.search(line.strip()) for line in lines[1:]):
        return False
    hangs = len(lines) > 1 and {indent(line) for line in lines[1:]} == {match.start("rest")}
    beside = closed.search(rest) is not None and any(f" {mark}" in rest for mark in opening)
    sentence = (not rest[:1].islower() or beside) and len(re.findall(r"[.!?]\s+\w", rest)) <= 1
    one_line = len(lines) == 1 and sentence and len(rest) <= MAX_SENTENCE
    return not (apart and (len(match["gap"]) > 1 or match["gap"] == "\t" or hangs or one_line))


def indent(line: str) -> int:
    """The columns of white space before a line."""
    return _width(line[: len(line) - len(line.lstrip())].expandtabs(8))


def _width(text: str) -> int:
    """How many columns a text fills in a typeface of one width (Unicode Standard Annex 11)."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def rows_of(lines: Sequence[str]) -> list[Row]:
    """Lines as they stand, in a typeface of one width, or with tab stops where they have tabs between words."""
    place = _at_stops if any("\t" in line.strip() for line in lines) else _at_columns
    return [_row(place(line), y) for y, line in enumerate(lines)]


def _as_they_stand(lines: Sequence[str]) -> list[Row]:
    """The lines of an example in their columns, its number out in the margin.

    There are none where single spaces alone separate their words, or where words run to the left.
    """
    spaced = any("\t" in line or "  " in line.strip() for line in lines)
    if not spaced or any(map(_RTL.search, lines)):
        return []
    first, *others = rows_of(lines)
    number = _row([(-STEP, first.words[0].text)], 0)
    return [Row((*number.words, *first.words[1:])), *others]


def _at_stops(line: str) -> list[Placed]:
    placed: list[Placed] = []
    for stop, cell in enumerate(line.rstrip().split("\t")):
        words = cell.split()
        widths = accumulate((CHAR * len(word) + 3.0 for word in words[:-1]), initial=stop * TAB_STOP)
        placed += zip(widths, words, strict=False)
    return placed


def _at_columns(line: str) -> list[Placed]:
    wide = line.expandtabs(8)
    return [(CHAR * _width(wide[: match.start()]), match.group()) for match in re.finditer(r"\S+", wide)]


def _row(placed: Iterable[Placed], index: int, font: str = "") -> Row:
    y = (index + 1) * LEADING
    runs = (Run(word, x, y - 8, x + CHAR * len(word), y + 2, y, SIZE, font) for x, word in placed)
    return Row(tuple(Word((run,)) for run in runs))


def _by_count(lines: Sequence[TextLine], conventions: Conventions) -> list[Row]:
    """Lines whose words correspond by their count: letters in columns of their own, references at the right."""
    settled = _settled(lines, conventions)
    counts = [len(line.words) for line in settled]
    depths = accumulate((1 + len(line.letters) for line in settled), max)
    placed: list[list[Placed]] = []
    for at, (line, depth) in enumerate(zip(settled, depths, strict=True)):
        row = [(0.0, line.number)] if line.number else []
        row += [(STEP * place, letter) for place, letter in enumerate(line.letters, start=depth - len(line.letters))]
        # Words that run to the left are put in order only where they are a tier.
        tier = counts[at] in (*counts[max(0, at - 1) : at], *counts[at + 1 : at + 2])
        words = line.words if tier or not _RTL.search(line.text) else (line.text,)
        starts = accumulate((CHAR * len(word) + GAP for word in words), initial=STEP * depth)
        placed.append([*row, *zip(starts, words, strict=False)])
    # A reference begins behind all words, so that it stands in none of their columns.
    widths = (CHAR * len(line.reference) + 2 * SIZE if line.reference else 0.0 for line in settled)
    right = max(x + CHAR * len(word) for row in placed for x, word in row) + max(widths)
    for row, line in zip(placed, settled, strict=True):
        bare = not line.number and not line.letters and BRACKETED.match(line.text)
        reference = line.text if bare else line.reference
        if reference:
            row[:] = [*([] if bare else row), (right - CHAR * len(reference), reference)]
    return [_row(row, index, BY_COUNT) for index, row in enumerate(placed)]


def _settled(lines: Sequence[TextLine], conventions: Conventions) -> list[TextLine]:
    """Lines with references off the tiers, and with quotation marks around translations that have none: the last line
    of a part, below two that correspond."""
    settled = list(lines)
    first = settled[0]
    # A reference that stands alone beside the number goes to the line below it.
    if len(lines) > 1 and not first.letters and BRACKETED.match(first.text) and re.search(r"\d", first.text):
        settled[:2] = replace(first, words=()), replace(lines[1], reference=lines[1].reference or first.text)
    for at in range(len(settled) - 1):
        behind = REFERENCE_END.match(settled[at].text)
        if behind and len(behind["text"].split()) == len(settled[at + 1].words) != len(settled[at].words):
            words = tuple(behind["text"].split())
            settled[at] = replace(settled[at], words=words, reference=behind["reference"])
    for at, line in enumerate(settled):
        whole = len(line.words) == 1 and " " in line.words[0]
        last = at + 1 == len(settled) or settled[at + 1].letters or whole
        if not last or at < 2 or line.letters or not line.text[:1].isalpha() or BRACKETED.match(line.text):
            continue
        one, two = settled[at - 2 : at]
        if len(one.words) == len(two.words) > 1 and not two.letters and _is_free(line, one, two):
            opening, closing = conventions.examples.translation[:2]
            settled[at] = replace(line, words=tuple(f"{opening}{line.text}{closing}".split(" ")))
    return settled


def _is_free(line: TextLine, above: TextLine, glosses: TextLine) -> bool:
    """Whether a line below two that correspond is their translation: by its count of words, or since it has no labels
    while the glosses have some."""
    if len(line.words) == len(glosses.words):
        return any(map(is_label, glosses.words)) and not any(map(is_label, line.words))
    n_labels = [sum(map(is_label, each.words)) for each in (above, glosses)]
    single = len(line.words) == 1 and " " in line.words[0]
    return single or (len(line.words) > 1 and n_labels[1] > 0)


def _cut_line(line: str, conventions: Conventions) -> TextLine:
    """A line into its number, letters and words; punctuation that stands alone joins the word before it."""
    left = line.split()
    label = conventions.label(left)
    number = " ".join(left[: label[1]]) if label else ""
    left = left[label[1] :] if label else left
    letters = list(takewhile(conventions.letter, left[:-1]))
    text = " ".join(left[len(letters) :])
    leading = REFERENCE_START.match(text) if number else None
    words = cluster(
        text[leading.end() if leading else 0 :].split(),
        lambda parts, word: word in _STOPS or _MARK_ONLY.match("".join(parts)) is not None,
    )
    reference = leading["reference"] if leading else None
    return TextLine(number, tuple(letters), tuple(map("".join, words)), reference)


def _cut_cells(cells: Sequence[str], conventions: Conventions) -> TextLine:
    """A row of a table: number, letters and marks of judgement in cells of their own, then words."""
    left = [cell for cell in cells if cell]
    number = ""
    letters: list[str] = []
    while left:
        if not number and not letters and conventions.number(left[0]):
            number = left.pop(0)
        elif len(left) > 1 and conventions.letter(left[0]):
            letters.append(left.pop(0))
        elif len(left) > 1 and _MARK_ONLY.match(left[0]):
            left[:2] = [left[0] + left[1]]
        else:
            break
    return TextLine(number, tuple(letters), tuple(left))


def _joined(lines: Sequence[TextLine], conventions: Conventions) -> list[TextLine]:
    """The lines of an example without gloss: a sentence that goes on in the next line is one line, and a translation
    on its line becomes a line of its own."""
    parted: list[TextLine] = []
    for line in lines:
        match = conventions.translated.match(line.text)
        parted.append(replace(line, words=tuple(match["text"].split())) if match else line)
        if match:
            parted.append(TextLine(words=tuple(match["translation"].split())))

    def goes_on(before: list[TextLine], line: TextLine) -> bool:
        opens = line.letters or line.text[:1] in conventions.opening or BRACKETED.match(line.text)
        return not opens and bool(before[-1].words) and before[-1].text[-1] not in '.!?:”’"»)]'

    sentences = cluster(parted, goes_on)
    return [replace(first, words=sum((line.words for line in rest), first.words)) for first, *rest in sentences]
