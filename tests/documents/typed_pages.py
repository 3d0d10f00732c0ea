"""Pages that tests set word by word, or draw in letters: runs of one font on a page of 480 x 680 points."""

import re
from collections.abc import Iterator

from pairwright.documents.lines.data import PageData, Profile, RuledLine, Run
from pairwright.documents.pages.layout import PagePiece

SIZE, LEADING, LEFT, RIGHT = 10.0, 12.0, 60.0, 420.0
PROFILE = Profile(body_font="Text", body_size=SIZE, leading=LEADING)
RULED = re.compile(r"[ ─]*─[ ─]*")


def width(text: str, size: float = SIZE) -> float:
    return 0.5 * size * len(text)


def word(text: str, x: float, y: float, size: float = SIZE, font: str = "Text") -> Run:
    return Run(text, x, y - 0.8 * size, x + width(text, size), y + 0.25 * size, y, size, font, bold=font == "Bold")


def line(text: str, y: float, x: float = LEFT, size: float = SIZE, font: str = "Text") -> list[Run]:
    """Words one after another, with normal spaces."""
    runs = []
    for part in text.split():
        runs.append(word(part, x, y, size, font))
        x += width(part, size) + 0.3 * size
    return runs


def _rows(picture: str, y: float) -> Iterator[tuple[float, str]]:
    """Rows of a picture with their baselines, or the heights of rules."""
    rows = picture.strip("\n").splitlines()
    for number, row in enumerate(rows):
        if RULED.fullmatch(row):
            yield y - (LEADING - 4 if number else LEADING - 2), row
        elif row == "·":
            y += LEADING / 2
        else:
            yield y, row
            y += LEADING


def drawn(picture: str, y: float = 130.0, x: float = LEFT) -> list[Run]:
    """The words of a picture of a page: a character is half as wide as the type is high, a row LEADING high.

    A word behind two spaces or more begins at its place in the picture, one behind a single space follows the word
    before it. `y` is the baseline of the first row, `x` the place of the first column. `─` are rules, which take no
    height, and a row of `·` is half a row of white.
    """
    rows = [(at, row) for at, row in _rows(picture, y) if not RULED.fullmatch(row)]
    parts = [(at, part) for at, row in rows for part in re.finditer(r"\S+( \S+)*", row)]
    return [run for at, part in parts for run in line(part[0], at, x + width(" " * part.start()))]


def rules_drawn(picture: str, y: float = 130.0, x: float = LEFT) -> list[RuledLine]:
    rows = [(at, row) for at, row in _rows(picture, y) if RULED.fullmatch(row)]
    return [
        RuledLine(x + 5.0 * it.start(), at, x + 5.0 * it.end(), at) for at, row in rows for it in re.finditer("─+", row)
    ]


def tabbed(cells: list[tuple[float, str]], y: float) -> list[Run]:
    return [run for x, text in cells for run in line(text, y, x)]


def page(runs: list[Run], rules: list[RuledLine] | None = None, number: int = 5) -> PageData:
    return PageData(
        number, 480, 680, tuple(runs), rules=tuple(rules or ()), n_glyphs=sum(len(run.text) for run in runs)
    )


def filled(y: float, n_lines: int = 3, x: float = LEFT, until: float = RIGHT) -> list[Run]:
    """A paragraph that fills its lines."""
    text = " ".join(["words"] * int((until - x) / (width("words") + 3)))
    return [run for index in range(n_lines) for run in line(text, y + index * LEADING, x)]


def kinds(pieces: list[PagePiece]) -> list[str]:
    return [piece.kind for piece in pieces]


def only(pieces: list[PagePiece], kind: str) -> PagePiece:
    found = [piece for piece in pieces if piece.kind == kind]
    assert len(found) == 1, kinds(pieces)
    return found[0]


def glossed(columns: list[tuple[str, str]], y: float, x: float = 90.0, gap: float = 6.0) -> list[Run]:
    """An object line and a gloss line whose words begin at the same places."""
    runs = []
    for surface, gloss in columns:
        runs += [word(surface, x, y), word(gloss, x, y + LEADING)]
        x += max(width(surface), width(gloss)) + gap
    return runs


COLUMNS = [("šuo", "dog.NOM"), ("loj-a", "bark-PRS.3"), ("garsiai", "loudly")]
