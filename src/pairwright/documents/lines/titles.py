"""Tells lines that stand by themselves, as titles without numbers do, from lines of text, examples and tables."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pairwright.documents.lines.rows import Row, count_while, style

# The least white around a title, from baseline to baseline, in parts of the leading.
ABOVE, BELOW = 1.25, 1.05
MAX_TITLE = 100
# Fonts whose small letters are small capitals, by their names.
SMALL_CAPITALS = re.compile(r"CSC\d|Caps|SC(?=\d|-|$)")


class TitleSpace(NamedTuple):
    """The place of what may be a title: distances from the rows around it in points, and how the rows below it run.

    filled   the row below it reaches the right edge, as the first row of a paragraph does and a gloss does not
    aligned  it begins at the left edge or is centred, as titles are and sentences set off as examples are not
    """

    above: float
    below: float
    filled: bool
    aligned: bool

    def is_apart(self, leading: float) -> bool:
        """Whether a title stands here; its paragraph may begin right below it."""
        return self.aligned and self.above > ABOVE * leading and (self.filled or self.below > BELOW * leading)


def in_capitals(row: Row) -> bool:
    """Whether a row is set in capitals or small capitals, and is no single label such as `SG`."""
    letters = [char for char in row.text if char.isalpha()]
    upper = all(map(str.isupper, letters)) or SMALL_CAPITALS.search(row.main.font) is not None
    return upper and len(letters) > 3


def is_set_like(row: Row, first: Row) -> bool:
    """Whether a row goes on in the type of a title's first row, and in capitals where that is."""
    small = SMALL_CAPITALS.search(first.main.font) is not None
    capitals = small or not in_capitals(first) or row.text == row.text.upper()
    return capitals and style(row.words[0].main) == style(first.words[0].main)


def title_space(upcoming: Sequence[Row], n_rows: int, above: float) -> TitleSpace | None:
    """The place of the first `n_rows` of `upcoming`; None where they can't be a title, or nothing comes below them."""
    rows, rest = upcoming[:n_rows], upcoming[n_rows:]
    text = " ".join(row.text for row in rows)
    letter = next((char for char in text if char.isalpha()), "")
    small = SMALL_CAPITALS.search(rows[0].main.font) is not None
    if not rest or not letter or (letter.islower() and not small) or len(text) > MAX_TITLE or text[-1] in ".,;:":
        return None
    if any(len(row.cells) > 1 for row in rows):
        return None
    size, left, right = rows[0].size, min(row.x0 for row in rest), max(row.x1 for row in upcoming)
    centred = all(abs(row.x0 + row.x1 - left - right) < 2 * size for row in rows)
    return TitleSpace(
        above=above,
        below=rest[0].baseline - rows[-1].baseline,
        filled=rest[0].x1 > right - 3 * size,
        aligned=rows[0].x0 < left + 2 or centred,
    )


def count_title_rows(upcoming: Sequence[Row]) -> int:
    """How many rows go on in the style of the first, as those of a title that is too long for one."""
    first = upcoming[0].main
    return count_while(
        upcoming,
        lambda index: (
            all(style(word.main) == style(first) for word in upcoming[index].words)
            and is_set_like(upcoming[index], upcoming[0])
            and upcoming[index].baseline - upcoming[index - 1].baseline < 1.6 * first.size
        ),
    )
