"""Sets lines of text and rows of cells on a page of typed words, where the finder of examples can read them.

A line is set as it stands, where columns or tabs align its words, or by the number of its words (rule 1 of the Leipzig
Glossing Rules: the words of the object line and of the gloss line correspond one by one).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from unicodedata import combining, east_asian_width

from pairwright.ingest.examples.finder import EXAMPLE_NUMBER, LANGUAGE, LETTER
from pairwright.ingest.examples.interlinear import BRACKETED, CATEGORY
from pairwright.ingest.examples.translation import CLOSED, CLOSING, OPENING, TRAILING_SOURCE
from pairwright.ingest.page.data import Profile, Run
from pairwright.ingest.page.rows import Row, Word

# The page on which lines are set, in points: sizes as in a book, letters as wide as each other.
SIZE, LEADING, CHAR, GAP, STEP, TAB_STOP = 10.0, 12.0, 5.0, 4.0, 40.0, 1_000.0
PROFILE = Profile(body_size=SIZE, leading=LEADING)
REFERENCE_END = re.compile(r"^(?P<text>.*?\S)\s+(?P<reference>[\[(][^\[\]()]*\d[^\[\]()]*[\])])\S?$")
REFERENCE_START = re.compile(r"^(?P<reference>\[[^\[\]]*\d[^\[\]]*\])\s+(?=\S)")
TRANSLATED = re.compile(
    rf"^(?P<text>.*?\S)\s+(?P<translation>[{OPENING}]\S.*[{CLOSING}][.]?(?:\s*[\[(][^\[\]()]*[\])])?)$", re.DOTALL
)
_STOPS = {",", ".", ";", ":", "!", "?"}
_RTL = re.compile(r"[\u0590-\u08ff]")
_MARK_ONLY = re.compile(r"^[*?#%]{1,3}$")


@dataclass(frozen=True)
class SetLine:
    """A line of an example before it is set.

    number     the bracketed number that it begins with, or empty; `letters` are those of sub-examples after it
    words      its words or cells
    group      lines of one group have words that correspond one by one; None where the line corresponds to no other
    reference  where the example comes from, with its brackets
    """

    number: str = ""
    letters: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    group: int | None = None
    reference: str | None = None

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def is_quoted(self) -> bool:
        return bool(self.words) and self.words[0][0] in OPENING


def quoted(line: SetLine) -> SetLine:
    """A translation as a line in quotation marks, by which the finder knows it."""
    if not line.words or line.is_quoted:
        return line
    words = ["‘" + line.words[0], *line.words[1:]]
    words[-1] += "’"
    return replace(line, words=tuple(words))


def indent(line: str) -> int:
    """The columns of white space before a line."""
    return _width(line[: len(line) - len(line.lstrip())].expandtabs(8))


def _width(text: str) -> int:
    """How many columns a text fills in a typeface of one width (Unicode Standard Annex 11)."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def has_columns(lines: Sequence[str]) -> bool:
    """Whether lines can be set as they stand: more than single spaces parts their words, and none runs to the left."""
    spaced = any("\t" in line or "  " in line.strip() for line in lines)
    return spaced and not any(_RTL.search(line) for line in lines)


def set_columns(lines: Sequence[str]) -> list[Row]:
    """Lines as they stand, in a typeface of one width, or with tab stops where they have tabs between words."""
    tabbed = any("\t" in line.strip() for line in lines)
    found = []
    for index, line in enumerate(lines):
        placed = _at_stops(line) if tabbed else _at_columns(line)
        found.append(_row([(x, word, len(word) * CHAR) for x, word in placed], index))
    return found


def as_it_stands(lines: Sequence[str]) -> list[Row]:
    """The lines of an example in their columns, its number out in the margin."""
    first, *others = set_columns(lines)
    number = first.words[0].text
    return [Row((*_row([(-STEP, number, len(number) * CHAR)], 0).words, *first.words[1:])), *others]


def _at_stops(line: str) -> list[tuple[float, str]]:
    placed = []
    for stop, cell in enumerate(line.rstrip().split("\t")):
        x = stop * TAB_STOP
        for word in cell.split():
            placed.append((x, word))
            x += CHAR * len(word) + 3.0
    return placed


def _at_columns(line: str) -> list[tuple[float, str]]:
    wide = line.expandtabs(8)
    return [(CHAR * _width(wide[: match.start()]), match.group()) for match in re.finditer(r"\S+", wide)]


Placed = tuple[float, str, float]


def _row(placed: Iterable[Placed], index: int) -> Row:
    y = (index + 1) * LEADING
    runs = (Run(word, x, y - 8, x + width, y + 2, y, SIZE, "") for x, word, width in placed)
    return Row(tuple(Word((run,)) for run in runs))


def cut_line(line: str) -> SetLine:
    """A line into its number, letters and words; punctuation that stands alone joins the word before it."""
    left = line.split()
    number = ""
    letters: list[str] = []
    if left and EXAMPLE_NUMBER.match(left[0]):
        number = left.pop(0)
    while len(left) > 1 and LETTER.match(left[0]):
        letters.append(left.pop(0))
    leading = REFERENCE_START.match(" ".join(left)) if number else None
    if leading:
        left = " ".join(left)[leading.end() :].split()
    words: list[str] = []
    for word in left:
        joins = bool(words) and (word in _STOPS or _MARK_ONLY.match(words[-1]) is not None)
        words = [*words[:-1], words[-1] + word] if joins else [*words, word]
    return SetLine(number, tuple(letters), tuple(words), reference=leading["reference"] if leading else None)


def cut_cells(cells: Sequence[str]) -> SetLine:
    """A row of a table: number, letters and marks of judgement in cells of their own, then words."""
    left = [cell for cell in cells if cell]
    number, mark = "", ""
    letters: list[str] = []
    while left:
        if not number and not letters and EXAMPLE_NUMBER.match(left[0]):
            number = left.pop(0)
        elif LETTER.match(left[0]) and len(left) > 1:
            letters.append(left.pop(0))
        elif _MARK_ONLY.match(left[0]) and len(left) > 1:
            mark = left.pop(0)
            left[0] = mark + left[0]
        else:
            break
    return SetLine(number, tuple(letters), tuple(left))


def grouped_cells(lines: Sequence[SetLine]) -> list[SetLine]:
    """Rows of cells with their groups; a single cell behind a group is its translation, quoted or not."""
    found: list[SetLine] = []
    group = 0
    for index, line in enumerate(lines):
        before = found[-1] if found else None
        if line.letters or line.number or before is None or len(before.words) != len(line.words):
            group += 1
        if len(line.words) > 1:
            found.append(replace(line, group=group))
            continue
        last = index + 1 == len(lines) or bool(lines[index + 1].letters)
        free = before is not None and before.group is not None and last and not BRACKETED.match(line.text)
        found.append(quoted(line) if free else line)
    return found


def grouped(lines: Sequence[SetLine]) -> list[SetLine]:
    """Lines with the groups that the number of their words gives, where something else speaks for a gloss."""
    found = _with_reference_below(list(lines))
    start = group = 0
    while start < len(found):
        end = start + 1
        while end < len(found) and _corresponds(found, start, end):
            end += 1
        if end - start > 2 and LANGUAGE.match(found[start].text) and found[start].text[-1] in "):":
            start += 1
        if end - start > 1 and _is_glossed(found, start, end):
            size = _tiers(found[start:end])
            for index in range(start, end):
                found[index] = replace(found[index], group=group + (index - start) // size)
            group += (end - start + size - 1) // size
            found = _with_translation(found, end)
        start = end
    return found


def _with_reference_below(lines: list[SetLine]) -> list[SetLine]:
    """A reference that stands alone beside the number goes to the line below it."""
    if len(lines) > 1 and BRACKETED.match(lines[0].text) and re.search(r"\d", lines[0].text) and not lines[0].letters:
        lines[1] = replace(lines[1], reference=lines[1].reference or lines[0].text)
        lines[0] = replace(lines[0], words=())
    return lines


def _corresponds(lines: list[SetLine], start: int, end: int) -> bool:
    """Whether a line has as many words as the group's first, which may also carry a reference behind them."""
    one, two = lines[start], lines[end]
    if two.number or two.letters or two.is_quoted or one.is_quoted or not one.words or BRACKETED.match(two.text):
        return False
    if len(one.words) == len(two.words):
        return True
    behind = REFERENCE_END.match(one.text)
    if end == start + 1 and behind and len(behind["text"].split()) == len(two.words):
        lines[start] = replace(one, words=tuple(behind["text"].split()), reference=behind["reference"])
        return True
    return False


def _is_glossed(lines: Sequence[SetLine], start: int, end: int) -> bool:
    """Whether more than the count speaks for lines being object and gloss: a translation, morphemes or categories."""
    translated = end < len(lines) and lines[end].is_quoted and _closes(lines[end:])
    pairs = list(zip(lines[start].words, lines[end - 1].words, strict=True))
    cuts = [(_cuts(one), _cuts(two)) for one, two in pairs]
    morphemes = len(pairs) > 1 and any(one for one, _ in cuts) and all(one == two for one, two in cuts)
    categories = [sum(bool(CATEGORY.search(word)) for word in side) for side in zip(*pairs, strict=True)]
    return translated or morphemes or (len(pairs) > 1 and categories[0] < categories[1] >= 0.3 * len(pairs))


def _closes(lines: Sequence[SetLine]) -> bool:
    return any(CLOSED.search(line.text) or TRAILING_SOURCE.match(line.text) for line in lines)


def _cuts(word: str) -> int:
    return sum(char in "-=" for char in word.strip("-="))


def _tiers(lines: Sequence[SetLine]) -> int:
    """How many lines stand over each other: two where every second line of four or more has the categories."""
    counts = [sum(bool(CATEGORY.search(word)) or _cuts(word) > 0 for word in line.words) for line in lines]
    in_twos = len(lines) > 3 and len(lines) % 2 == 0
    wrapped = in_twos and all(one < two for one, two in zip(counts[::2], counts[1::2], strict=True))
    return 2 if wrapped else len(lines)


def _with_translation(lines: list[SetLine], index: int) -> list[SetLine]:
    """The one line that follows a group is its translation, though it has no quotation marks."""
    alone = index + 1 == len(lines) or (index + 1 < len(lines) and bool(lines[index + 1].letters))
    if index < len(lines) and alone and not lines[index].letters:
        line = lines[index]
        if len(line.words) > 1 and line.text[0].isalpha() and not BRACKETED.match(line.text):
            lines[index] = quoted(line)
    return lines


def joined(lines: Sequence[SetLine]) -> list[SetLine]:
    """The lines of an example without gloss: a sentence that goes on in the next line is one line, and a translation
    on its line becomes a line of its own."""
    found: list[SetLine] = []
    for line in chain.from_iterable(map(_without_translation, lines)):
        opens = not found or bool(line.letters) or line.is_quoted or BRACKETED.match(line.text) is not None
        if opens or not found[-1].words or found[-1].text[-1] in '.!?:”’"»)]':
            found.append(line)
        else:
            found[-1] = replace(found[-1], words=found[-1].words + line.words)
    return found


def _without_translation(line: SetLine) -> list[SetLine]:
    match = TRANSLATED.match(line.text)
    if not match:
        return [line]
    return [replace(line, words=tuple(match["text"].split())), SetLine(words=tuple(match["translation"].split()))]


def typeset(lines: Sequence[SetLine]) -> list[Row]:
    """Lines as a book would set them: groups in columns, letters in columns of their own, references at the right."""
    widths: dict[int, list[float]] = {}
    for line in lines:
        if line.group is not None:
            columns = widths.setdefault(line.group, [0.0] * len(line.words))
            for index, word in enumerate(line.words):
                columns[index] = max(columns[index], CHAR * len(word))
    depths = accumulate((1 + len(line.letters) for line in lines), max)
    placed = [_placed(line, widths, depth) for line, depth in zip(lines, depths, strict=True)]
    ends = [max((x + width for x, _, width in row), default=0.0) for row in placed]
    right = max(
        end + (CHAR * len(line.reference) + 2 * SIZE if line.reference else 0.0)
        for end, line in zip(ends, lines, strict=True)
    )
    for row, line in zip(placed, lines, strict=True):
        bare = not line.number and not line.letters and line.group is None and BRACKETED.match(line.text)
        reference = line.text if bare else line.reference
        if reference:
            row[:] = [] if bare else row
            row.append((right - CHAR * len(reference), reference, CHAR * len(reference)))
    return [_row(row, index) for index, row in enumerate(placed)]


def _placed(line: SetLine, widths: dict[int, list[float]], depth: int) -> list[Placed]:
    """The words of a line with their places; its content begins in column `depth`, its letters before it."""
    row = [(0.0, line.number, CHAR * len(line.number))] if line.number else []
    for place, letter in enumerate(line.letters, start=depth - len(line.letters)):
        row.append((STEP * place, letter, CHAR * len(letter)))
    x = STEP * depth
    words = (line.text,) if line.words and line.group is None and _RTL.search(line.text) else line.words
    for place, word in enumerate(words):
        row.append((x, word, CHAR * len(word)))
        x += (widths[line.group][place] if line.group is not None else CHAR * len(word)) + GAP
    return row
