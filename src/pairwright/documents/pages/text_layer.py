"""Reads one page of a PDF as typed page data, from PyMuPDF's trace of the drawing.

Letters that a font's table names in UTF-16 with swapped bytes, as in U+6600 U+6900 for the ligature "fi", are corrected
where the font has no other Chinese on the page. U+6600 U+CF00 is such a name of "ffi", whose end has one code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise, takewhile
from math import dist
from string import ascii_letters
from typing import Any
from unicodedata import category, east_asian_width, normalize

from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import (
    RAISED,
    SPACING_ACCENTS,
    USUAL_FORMS,
    BBox,
    GlyphCount,
    GlyphForms,
    PageData,
    RuledLine,
    Run,
    compose,
    family,
    is_combining,
    is_leftward,
    replaced,
    turn_box,
)
from pairwright.documents.pages.pdf import MupdfDocument, MupdfPage, load_pymupdf, page_of, watch_damage

Span = dict[str, Any]
# The letters that such names stand for.
_SWAPPED = {ord(letter) << 8: letter for letter in ascii_letters} | {0xCF00: "fi"}


def correct_letters(spans: list[Span]) -> list[Span]:
    """The spans of a page with the letters that its fonts name wrongly, but for fonts that have Chinese characters."""
    chinese: dict[str, set[int]] = defaultdict(set)
    for span in spans:
        chinese[span["font"]].update(char[0] for char in span["chars"] if 0x3400 <= char[0] < 0xA000)
    swapped = {font for font, codes in chinese.items() if codes and codes <= _SWAPPED.keys()}
    for span in (span for span in spans if span["font"] in swapped):
        span["chars"] = [
            (ord(letter), char[1] if place == 0 else -1, *char[2:])
            for char in span["chars"]
            for place, letter in enumerate(_SWAPPED.get(char[0], chr(char[0])))
        ]
    return spans


MAX_GLYPHS = 200_000
MAX_RULES = 4_000
WORD_GAP = 0.14
# MuPDF's flag for a bold font misses families that name their weight by a letter, such as LinLibertine_RB and _RZ.
BOLD_NAMES = ("bold", "black", "heavy", "demi")
BOLD_SUFFIXES = ("_RB", "_RZ", "_RZI", "_RBI", "ZI", "-BX", "-B", "CMBX", "SFBX")
HIDDEN = 3
UNMAPPED = 0xFFFD


def read_page_data(document: MupdfDocument, number: int, forms: GlyphForms = USUAL_FORMS) -> PageData:
    """The typed data of page `number`, counted from 1. Raises SourceError where it is damaged or over a limit."""
    with watch_damage() as damage:
        page, spans = _trace(document, number)
        rules = list(_rules(page))
        pictures = [tuple(info["bbox"]) for info in page.get_image_info()]
    directions: Counter[int] = Counter()
    for span in spans:
        directions[_direction(span["dir"])] += len(span["chars"])
    # The turn that makes most of the page's text stand upright.
    turn = directions.most_common(1)[0][0] if directions else 0
    # MuPDF's trace knows nothing of the page's own rotation: its places are those of the page before it.
    shown = page.rect.width, page.rect.height
    width, height = shown if page.rotation in {0, 180} else shown[::-1]
    reader = _SpanReader(forms, turn, width, height, _advances(spans))
    runs = [run for span in spans for run in reader.runs(span)]
    if turn:
        rules = [RuledLine(*_upright(rule, turn, width, height)) for rule in rules]
        pictures = [_upright(box, turn, width, height) for box in pictures]
    if turn in {90, 270}:
        width, height = height, width
    return PageData(
        number=number,
        width=width,
        height=height,
        runs=tuple(map(_nfc, with_marks(runs))),
        rules=tuple(rules),
        pictures=tuple(pictures),
        turn=(turn - page.rotation) % 360,
        n_glyphs=sum(len(span["chars"]) for span in spans),
        n_unmapped=reader.n_unmapped,
        n_hidden=sum(len(span["chars"]) for span in spans if span["type"] == HIDDEN),
        reader=f"pymupdf {load_pymupdf().VersionBind}",
        damage=tuple(damage),
    )


def count_glyphs(document: MupdfDocument, number: int, counts: GlyphCount) -> None:
    """Adds to `counts` the letters and figures of a page by font, character, glyph and advance in 1/1000 em."""
    for span in _trace(document, number)[1]:
        chars, size, font = span["chars"], span["size"], span["font"]
        if not size or font is None:
            continue
        for (code, glyph, _, box), (_, following, *_) in zip(chars, [*chars[1:], (0, 0)], strict=True):
            if glyph >= 0 and following >= 0 and (97 <= code <= 122 or 65 <= code <= 90 or 48 <= code <= 57):
                counts[font, chr(code), glyph, round(1000 * (box[2] - box[0]) / size)] += 1


def _trace(document: MupdfDocument, number: int) -> tuple[MupdfPage, list[dict[str, Any]]]:
    with page_of(document, number) as page:
        spans = page.get_texttrace()
    if sum(len(span["chars"]) for span in spans) > MAX_GLYPHS:
        raise SourceError(f"{document.name}: page {number}: more than {MAX_GLYPHS} characters; leave the page out")
    codes = {char[0] for span in spans for char in span["chars"]}
    if any(0xD800 <= code <= 0xDFFF for code in codes):
        # Halves of surrogate pairs are no characters.
        for span in spans:
            span["chars"] = [(UNMAPPED if 0xD800 <= code <= 0xDFFF else code, *rest) for code, *rest in span["chars"]]
    if any(is_combining(chr(code)) for code in codes):
        spans = [_without_doubles(span) for span in spans]
    return page, correct_letters(_named(page, spans))


def _without_doubles(span: dict[str, Any]) -> dict[str, Any]:
    """The span without the glyphs of marks that the glyph of their letter names already.

    Some writers name all of a letter with its marks at its first glyph; a glyph behind it may have no name of its own.
    """
    chars = span["chars"]
    doubled = {
        at
        for at, (char, before) in enumerate(zip(chars[1:], chars, strict=False), start=1)
        if before[1] < 0 <= char[1] and is_combining(chr(before[0])) and char[0] in {before[0], UNMAPPED}
    }
    return {**span, "chars": [char for at, char in enumerate(chars) if at not in doubled]} if doubled else span


def _named(page: MupdfPage, spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The spans as the document's `ActualText` names them: characters without a name, and marks of a letter.

    Some writers name a letter's glyph with the marks of its first use, and say in `ActualText` where it has others.
    """
    every = [char for span in spans for char in span["chars"]]
    if not any(char[0] == UNMAPPED or (char[1] < 0 and is_combining(chr(char[0]))) for char in every):
        return spans
    lines = [line for block in page.get_text("rawdict")["blocks"] for line in block.get("lines", ())]
    chars = [char for line in lines for span in line["spans"] for char in span["chars"]]
    mapped = [char for char in chars if ord(char["c"]) != UNMAPPED]
    # After a combining mark the pen has not moved: the first of the characters at one place is the mark.
    names = {_rounded(char["origin"]): ord(char["c"]) for char in reversed(mapped)}
    marked: dict[tuple[tuple[float, float], str], list[int]] = {}
    for char in mapped:
        if not is_combining(char["c"]):
            marks = marked.setdefault((_rounded(char["origin"]), char["c"]), [])
        elif marked and ord(char["c"]) not in marks:
            marks.append(ord(char["c"]))

    def named(char: tuple[Any, ...]) -> tuple[Any, ...]:
        return (names.get(_rounded(char[2]), UNMAPPED), *char[1:]) if char[0] == UNMAPPED else char

    return [{**span, "chars": _marked(list(map(named, span["chars"])), marked)} for span in spans]


def _marked(
    chars: list[tuple[Any, ...]], marked: dict[tuple[tuple[float, float], str], list[int]]
) -> list[tuple[Any, ...]]:
    """The characters with the marks that a letter has at its place, where its glyph names some itself."""
    result: list[tuple[Any, ...]] = []
    index = 0
    while index < len(chars):
        letter, end = chars[index], index + 1
        while end < len(chars) and is_combining(chr(chars[end][0])):
            end += 1
        marks = marked.get((_rounded(letter[2]), chr(letter[0])))
        named = marks is None or all(char[1] >= 0 for char in chars[index + 1 : end])
        n_unnamed = sum(1 for _ in takewhile(lambda char: char[0] == UNMAPPED, islice(chars, index + 1, None)))
        if marks and n_unnamed == len(marks):
            # The marks have glyphs of their own without names.
            end, named = index + 1 + n_unnamed, False
        result += chars[index:end] if named else [letter, *((mark, -1, *letter[2:]) for mark in marks or ())]
        index = end
    return result


def _rounded(origin: tuple[float, float]) -> tuple[float, float]:
    return round(origin[0], 1), round(origin[1], 1)


def _direction(vector: tuple[float, float]) -> int:
    x, y = vector
    if abs(x) >= abs(y):
        return 0 if x > 0 else 180
    return 90 if y < 0 else 270


def _upright(box: tuple[float, ...], turn: int, width: float, height: float) -> BBox:
    """A box of the page as shown as a box of the page turned upright; `width` and `height` are the shown page's."""
    x0, y0, x1, y1 = box
    return turn_box((x0, y0, x1, y1), -turn % 360, width, height)


def _advances(spans: list[dict[str, Any]]) -> dict[tuple[str, int], float]:
    """The advance of each glyph of a font, in em. MuPDF gives the last glyph of a span a whole em."""
    advances: dict[tuple[str, int], float] = {}
    for span in spans:
        font, size, level = span["font"], span["size"] or 1.0, span["dir"][0] > 0.9
        # The box of turned text is turned too: there the pen's way to the next glyph of a word tells.
        for (_, glyph, origin, box), after in pairwise(span["chars"]):
            advance = (box[2] - box[0] if level else dist(origin, after[2])) / size
            if advance < advances.get((font, glyph), 9.0):
                advances[font, glyph] = advance
    return advances


def is_bold(font: str, flags: int) -> bool:
    """Whether a font is heavier than its family's text weight, by MuPDF's flag or by its name."""
    name = font.lower()
    return bool(flags & 16) or any(word in name for word in BOLD_NAMES) or font.endswith(BOLD_SUFFIXES)


@dataclass
class _SpanReader:
    """Cuts the spans of a page into runs, and counts the glyphs without a Unicode value."""

    forms: GlyphForms
    turn: int
    width: float
    height: float
    advances: dict[tuple[str, int], float]
    n_unmapped: int = 0

    def runs(self, span: dict[str, Any]) -> Iterator[Run]:
        chars, size, font = span["chars"], span["size"], span["font"] or ""
        # What runs in another direction than the page's text is a stamp in the margin or the like.
        if size <= 0 or _direction(span["dir"]) != self.turn:
            return
        for text, places in self._pieces(chars, size, font):
            x0, baseline, _ = places[0]
            joined = "".join(text)
            # Letters that are read from right to left may have been drawn from left to right.
            drawn_reversed = is_leftward(joined) and places[-1][0] > x0
            yield Run(
                text=joined[::-1] if drawn_reversed else joined,
                x0=x0,
                y0=baseline - 0.8 * size,
                x1=max(place[2] for place in places),
                y1=places[-1][1] + 0.25 * size,
                baseline=baseline,
                size=size,
                font=family(font),
                bold=is_bold(font, span["flags"]),
                italic=bool(span["flags"] & 2),
                xs=tuple(place[0] for part, place in zip(text, places, strict=True) for _ in part),
            )

    def _pieces(
        self, chars: list[tuple[Any, ...]], size: float, font: str
    ) -> Iterator[tuple[list[str], list[tuple[float, float, float]]]]:
        text: list[str] = []
        places: list[tuple[float, float, float]] = []
        small: set[int] = set()
        name = family(font)
        for code, glyph, origin, box in chars:
            char = chr(code)
            if box[2] - box[0] > 0.99 * size and self.turn == 0:
                usual = 1.0 if east_asian_width(char) in "WF" else 0.5
                box = (box[0], box[1], origin[0] + size * self.advances.get((font, glyph), usual), box[3])
            x, y, end = self._place(origin, box)
            blank = char.isspace() or code < 32
            shown = replaced(char, name)
            accent = shown in SPACING_ACCENTS or (bool(text) and text[-1] in SPACING_ACCENTS)
            if blank or (places and glyph >= 0 and (accent or not _follows((x, y), places[-1], size))):
                if text:
                    yield _capitals(text, small), places
                text, places, small = [], [], set()
            if blank:
                continue
            self.n_unmapped += code == UNMAPPED or category(shown[0]) == "Co"
            if glyph < 0 and text:
                text[-1] += char
                continue
            if (font, glyph) in self.forms.small:
                small.add(len(text))
            elif (font, glyph) in self.forms.raised:
                shown = shown.translate(RAISED)
            text.append(shown)
            places.append((x, y, end))
        if text:
            yield _capitals(text, small), places

    def _place(self, origin: tuple[float, float], box: BBox) -> tuple[float, float, float]:
        if self.turn == 0:
            return origin[0], origin[1], box[2]
        x, y, _, _ = _upright((*origin, *origin), self.turn, self.width, self.height)
        return x, y, _upright(box, self.turn, self.width, self.height)[2]


def _follows(pen: tuple[float, float], before: tuple[float, float, float], size: float) -> bool:
    """Whether a character stands on the line of the one before it, and near enough to be of its word."""
    return abs(pen[1] - before[1]) <= 0.05 * size and -0.4 * size < pen[0] - before[2] < WORD_GAP * size


def _capitals(text: list[str], small: set[int]) -> list[str]:
    """Letters drawn as small capitals as capitals; a single odd form among other letters is only a variant."""
    for index in small:
        neighbours = [near for near in (index - 1, index + 1) if 0 <= near < len(text) and text[near].isalpha()]
        if not neighbours or any(near in small for near in neighbours):
            text[index] = text[index].upper()
    return text


def _nfc(run: Run) -> Run:
    """The run in NFC. Its text may become shorter; where letters begin is only needed to the nearest letter."""
    text = normalize("NFC", run.text)
    return run if text == run.text else run._replace(text=text, xs=run.xs[: len(text)])


def _rules(page: MupdfPage) -> Iterator[RuledLine]:
    """The straight lines, thin boxes and sides of boxes that the page draws, as rules."""
    items = ((drawing["type"], *item) for drawing in page.get_cdrawings() for item in drawing["items"])
    for style, kind, *points in islice(items, MAX_RULES):
        if kind == "l":
            (ax, ay), (bx, by) = points
            x0, x1, y0, y1, thin = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by), 0.6
        elif kind == "re":
            (x0, y0, x1, y1), thin = points[0], 2
        else:
            continue
        if y1 - y0 < thin and x1 - x0 > 3:
            yield RuledLine(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2)
        elif x1 - x0 < thin and y1 - y0 > 3:
            yield RuledLine((x0 + x1) / 2, y0, (x0 + x1) / 2, y1)
        elif kind == "re" and "s" in style:
            yield from (RuledLine(x0, y, x1, y) for y in (y0, y1))
            yield from (RuledLine(x, y0, x, y1) for x in (x0, x1))


def with_marks(runs: Iterable[Run]) -> list[Run]:
    """The runs; a mark or spacing accent that is drawn by itself, before its letter or after it, goes to the letter."""
    merged: list[Run] = []
    waiting: list[Run] = []
    for run in chain.from_iterable(map(_without_first_marks, runs)):
        if run.text in SPACING_ACCENTS or all(map(is_combining, run.text)):
            if merged and not waiting and (marked := _with_mark(merged[-1], run)):
                merged[-1] = marked
            else:
                waiting.append(run)
            continue
        left = list[Run]()
        for mark in waiting:
            marked = _with_mark(run, mark)
            run, left = (marked, left) if marked else (run, [*left, mark])
        merged += [*left, run]
        waiting = []
    return [*merged, *waiting]


def _without_first_marks(run: Run) -> Iterator[Run]:
    """The marks with which a run begins, which belong to the letter before it, and the rest."""
    n_marks = next((n for n, char in enumerate(run.text) if not is_combining(char)), 0)
    if n_marks and len(run.xs) == len(run.text):
        yield run._replace(text=run.text[:n_marks], xs=run.xs[:n_marks], x1=run.xs[n_marks])
        run = run._replace(text=run.text[n_marks:], xs=run.xs[n_marks:], x0=run.xs[n_marks])
    yield run


def _with_mark(run: Run, accent: Run) -> Run | None:
    """The run with a mark on the letter that it stands over, or an accent that lies over it by most of its width; None
    where there is none."""
    rise = run.baseline - accent.baseline
    if accent.text not in SPACING_ACCENTS:
        if abs(rise) >= 0.6 * run.size or not run.x0 - 1 <= accent.x0 <= run.x1 + 0.5 * run.size:
            return None
        at = sum(x <= accent.x0 + 0.02 * accent.size for x in run.xs) or 1
        xs = (*run.xs[:at], *([accent.x0] * len(accent.text)), *run.xs[at:])
        return run._replace(text=run.text[:at] + accent.text + run.text[at:], xs=xs, x1=max(run.x1, accent.x1))
    if not -0.2 * run.size < rise < 0.6 * run.size or len(run.xs) != len(run.text):
        return None
    edges = [*run.xs, run.x1]
    width = accent.x1 - accent.x0
    shared = [min(accent.x1, end) - max(accent.x0, start) for start, end in pairwise(edges)]
    at = max(range(len(shared)), key=shared.__getitem__)
    if shared[at] < 0.5 * min(width, edges[at + 1] - edges[at]) or not run.text[at].isalpha():
        return None
    letter = compose(accent.text, run.text[at])
    xs = (*run.xs[:at], *([run.xs[at]] * len(letter)), *run.xs[at + 1 :])
    return run._replace(text=run.text[:at] + letter + run.text[at + 1 :], xs=xs, x0=min(run.x0, accent.x0))
