"""Sets lines of text and rows of cells on a page of typed words, where the finder of examples can read them.

A line is set as it stands, where columns or tabs align its words, or by the number of its words (rule 1 of the Leipzig
Glossing Rules: the words of the object line and of the gloss line correspond one by one).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile, zip_longest
from unicodedata import combining, east_asian_width

from pairwright.ingest.examples.finder import LANGUAGE
from pairwright.ingest.examples.sources import BRACKETED
from pairwright.ingest.page.alignment import CATEGORY
from pairwright.ingest.page.data import Profile, Run
from pairwright.ingest.page.rows import Row, Word, cluster
from pairwright.languages.conventions import usual_conventions
from pairwright.languages.linguistics.marks import SIGNS

# The page on which lines are set, in points: sizes as in a book, letters as wide as each other.
SIZE, LEADING, CHAR, GAP, STEP, TAB_STOP = 10.0, 12.0, 5.0, 4.0, 40.0, 1_000.0
PROFILE = Profile(body_size=SIZE, leading=LEADING)
# Where a word begins, and the word.
Placed = tuple[float, str]
REFERENCE_END = re.compile(r"^(?P<text>.*?\S)\s+(?P<reference>[\[(][^\[\]()]*\d[^\[\]()]*[\])])\S?$")
REFERENCE_START = re.compile(r"^(?P<reference>\[[^\[\]]*\d[^\[\]]*\])\s+(?=\S)")
_STOPS = {",", ".", ";", ":", "!", "?"}
_RTL = re.compile(r"[\u0590-\u08ff]")
_MARK_ONLY = re.compile(rf"^{SIGNS}$")


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
        return bool(self.words) and self.words[0][0] in usual_conventions().opening


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


def set_columns(lines: Sequence[str]) -> list[Row]:
    """Lines as they stand, in a typeface of one width, or with tab stops where they have tabs between words."""
    place = _at_stops if any("\t" in line.strip() for line in lines) else _at_columns
    return [_row(place(line), y) for y, line in enumerate(lines)]


def as_it_stands(lines: Sequence[str]) -> list[Row]:
    """The lines of an example in their columns, its number out in the margin.

    There are none where single spaces alone part their words, or where words run to the left.
    """
    spaced = any("\t" in line or "  " in line.strip() for line in lines)
    if not spaced or any(map(_RTL.search, lines)):
        return []
    first, *others = set_columns(lines)
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


def _row(placed: Iterable[Placed], index: int) -> Row:
    y = (index + 1) * LEADING
    runs = (Run(word, x, y - 8, x + CHAR * len(word), y + 2, y, SIZE, "") for x, word in placed)
    return Row(tuple(Word((run,)) for run in runs))


def cut_line(line: str) -> SetLine:
    """A line into its number, letters and words; punctuation that stands alone joins the word before it."""
    left = line.split()
    number = left.pop(0) if left and usual_conventions().number(left[0]) else ""
    letters = list(takewhile(usual_conventions().letter, left[:-1]))
    text = " ".join(left[len(letters) :])
    leading = REFERENCE_START.match(text) if number else None
    words = cluster(
        text[leading.end() if leading else 0 :].split(),
        lambda parts, word: word in _STOPS or _MARK_ONLY.match("".join(parts)) is not None,
    )
    reference = leading["reference"] if leading else None
    return SetLine(number, tuple(letters), tuple(map("".join, words)), reference=reference)


def cut_cells(cells: Sequence[str]) -> SetLine:
    """A row of a table: number, letters and marks of judgement in cells of their own, then words."""
    left = [cell for cell in cells if cell]
    number = ""
    letters: list[str] = []
    while left:
        if not number and not letters and usual_conventions().number(left[0]):
            number = left.pop(0)
        elif len(left) > 1 and usual_conventions().letter(left[0]):
            letters.append(left.pop(0))
        elif len(left) > 1 and _MARK_ONLY.match(left[0]):
            left[:2] = [left[0] + left[1]]
        else:
            break
    return SetLine(number, tuple(letters), tuple(left))


def grouped_cells(lines: Sequence[SetLine]) -> list[SetLine]:
    """Rows of cells with their groups; a single cell behind a group is its translation, quoted or not."""
    settled: list[SetLine] = []
    group = 0
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        before = settled[-1] if settled else None
        if line.letters or line.number or before is None or len(before.words) != len(line.words):
            group += 1
        if len(line.words) > 1:
            line = replace(line, group=group)
        elif before and before.group is not None and (not below or below.letters) and not BRACKETED.match(line.text):
            line = quoted(line)
        settled.append(line)
    return settled


def grouped(lines: Sequence[SetLine]) -> list[SetLine]:
    """Lines with the groups that the number of their words gives, where something else speaks for a gloss."""
    grouped_lines = list(lines)
    first = grouped_lines[0]
    # A reference that stands alone beside the number goes to the line below it.
    if len(lines) > 1 and not first.letters and BRACKETED.match(first.text) and re.search(r"\d", first.text):
        grouped_lines[:2] = replace(first, words=()), replace(lines[1], reference=lines[1].reference or first.text)
    start = group = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _corresponds(grouped_lines, start, end):
            end += 1
        title = grouped_lines[start].text
        if end - start > 2 and LANGUAGE.match(title) and title[-1] in "):":
            start += 1
        members = grouped_lines[start:end]
        if len(members) > 1 and _is_glossed(members, grouped_lines[end:]):
            size = _tiers(members)
            grouped_lines[start:end] = [replace(line, group=group + n // size) for n, line in enumerate(members)]
            group += -(-len(members) // size)
            if end < len(lines) and _is_translation(grouped_lines[end:]):
                grouped_lines[end] = quoted(grouped_lines[end])
        start = end
    return grouped_lines


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


def _is_glossed(members: Sequence[SetLine], following: Sequence[SetLine]) -> bool:
    """Whether more than the count speaks for lines being object and gloss: a translation, morphemes or categories."""
    closed = any(usual_conventions().ends_translation(line.text) for line in following)
    if closed and following[0].is_quoted:
        return True
    objects, glosses = members[0].words, members[-1].words
    cuts, gloss_cuts = list(map(_cuts, objects)), list(map(_cuts, glosses))
    morphemes = any(cuts) and cuts == gloss_cuts
    in_objects, in_glosses = (sum(bool(CATEGORY.search(word)) for word in side) for side in (objects, glosses))
    return len(objects) > 1 and (morphemes or in_objects < in_glosses >= 0.3 * len(objects))


def _cuts(word: str) -> int:
    return sum(char in "-=" for char in word.strip("-="))


def _tiers(lines: Sequence[SetLine]) -> int:
    """How many lines stand over each other: two where every second line of four or more has the categories."""
    counts = [sum(bool(CATEGORY.search(word)) or _cuts(word) > 0 for word in line.words) for line in lines]
    in_twos = len(lines) > 3 and len(lines) % 2 == 0
    wrapped = in_twos and all(one < two for one, two in zip(counts[::2], counts[1::2], strict=True))
    return 2 if wrapped else len(lines)


def _is_translation(lines: Sequence[SetLine]) -> bool:
    """Whether the first line, alone behind a group, is its translation, though it has no quotation marks."""
    line = lines[0]
    alone = not line.letters and (len(lines) == 1 or bool(lines[1].letters))
    return alone and len(line.words) > 1 and line.text[0].isalpha() and not BRACKETED.match(line.text)


def joined(lines: Sequence[SetLine]) -> list[SetLine]:
    """The lines of an example without gloss: a sentence that goes on in the next line is one line, and a translation
    on its line becomes a line of its own."""
    parted: list[SetLine] = []
    for line in lines:
        match = usual_conventions().translated.match(line.text)
        parted.append(replace(line, words=tuple(match["text"].split())) if match else line)
        if match:
            parted.append(SetLine(words=tuple(match["translation"].split())))

    def goes_on(before: list[SetLine], line: SetLine) -> bool:
        opens = line.letters or line.is_quoted or BRACKETED.match(line.text)
        return not opens and bool(before[-1].words) and before[-1].text[-1] not in '.!?:”’"»)]'

    sentences = cluster(parted, goes_on)
    return [replace(first, words=sum((line.words for line in rest), first.words)) for first, *rest in sentences]


def typeset(lines: Sequence[SetLine]) -> list[Row]:
    """Lines as a book would set them: groups in columns, letters in columns of their own, references at the right."""
    groups: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    for line in lines:
        if line.group is not None:
            groups[line.group].append(line.words)
    columns = {group: zip_longest(*members, fillvalue="") for group, members in groups.items()}
    widths = {group: [CHAR * max(map(len, words)) for words in column] for group, column in columns.items()}
    depths = accumulate((1 + len(line.letters) for line in lines), max)
    placed = [_placed(line, widths, depth) for line, depth in zip(lines, depths, strict=True)]
    right = 0.0
    for row, line in zip(placed, lines, strict=True):
        end = max((x + CHAR * len(word) for x, word in row), default=0.0)
        right = max(right, end + (CHAR * len(line.reference) + 2 * SIZE if line.reference else 0.0))
    for row, line in zip(placed, lines, strict=True):
        bare = not line.number and not line.letters and line.group is None and BRACKETED.match(line.text)
        reference = line.text if bare else line.reference
        if reference:
            row[:] = [*([] if bare else row), (right - CHAR * len(reference), reference)]
    return [_row(row, index) for index, row in enumerate(placed)]


def _placed(line: SetLine, widths: dict[int, list[float]], depth: int) -> list[Placed]:
    """The words of a line with their places; its content begins in column `depth`, its letters before it."""
    row = [(0.0, line.number)] if line.number else []
    row += [(STEP * place, letter) for place, letter in enumerate(line.letters, start=depth - len(line.letters))]
    x = STEP * depth
    words = (line.text,) if line.words and line.group is None and _RTL.search(line.text) else line.words
    for place, word in enumerate(words):
        row.append((x, word))
        x += (widths[line.group][place] if line.group is not None else CHAR * len(word)) + GAP
    return row
