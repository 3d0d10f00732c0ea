"""Tells how many rows are the head of a table: by a rule, style, space, empty corner, or other kinds of words."""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from statistics import median

from pairwright.ingest.layout.tables.columns import TableColumn, words_by_column
from pairwright.ingest.page.data import RuledLine
from pairwright.ingest.page.rows import Row, Word, style

# No head has more rows; a row apart from the others by this much of their distance is a head.
MOST, APART = 3, 1.3


def count_head_rows(members: Sequence[Row], columns: Sequence[TableColumn], rules: Sequence[RuledLine] = ()) -> int:
    """How many of the first rows are the head of a table without rules over its whole width, 0 where none is.

    The last of `columns` is the table's end.
    """
    rows = [words_by_column(row, columns) for row in members]
    if len(rows) < 3:
        return 0
    n_head = _ruled_off(members, rules) or _with_empty_corner(rows)
    if not n_head:
        n_head = int(_set_apart(members) or _over_columns(rows, len(columns) - 1) or _of_other_kind(rows))
    return n_head


def _ruled_off(members: Sequence[Row], rules: Sequence[RuledLine]) -> int:
    """The rows above the last rule, or rules beside each other, over most of the width, where they are few."""
    left, right = min(row.x0 for row in members), max(row.x1 for row in members)
    n_head = 0
    for rule in rules:
        level = [other for other in rules if other.horizontal and abs(other.y0 - rule.y0) < 1]
        drawn = sum(max(min(other.x1, right) - max(other.x0, left), 0.0) for other in level)
        above = sum(row.baseline < rule.y0 for row in members) if drawn > 0.6 * (right - left) else 0
        if 0 < above <= min(MOST, len(members) - 2) and rule.y0 < members[above].baseline - 0.5 * members[above].size:
            n_head = max(n_head, above) if len(level) > 1 else n_head or above
    return n_head


def _with_empty_corner(rows: Sequence[dict[int, list[Word]]]) -> int:
    """The first rows without a label, where nearly all others have one.

    The label column may have its head in the first row, if other heads in it reach over columns.
    """
    first = int(0 in rows[0] and 1 < len(rows[0]) < len(rows[1]) + 1)
    n_head = first + len(list(takewhile(lambda row: 0 not in row, rows[first:])))
    labels = sum(0 in row for row in rows[n_head:])
    return n_head if first < n_head <= MOST and labels >= max(2, 0.8 * (len(rows) - n_head)) else 0


def _set_apart(members: Sequence[Row]) -> bool:
    """Whether the first row is bold, and the second is not, or a gap follows it."""
    first, second = members[:2]
    heavier = all(word.main.bold for word in first.words) and not all(word.main.bold for word in second.words)
    gaps = [two.baseline - one.baseline for one, two in pairwise(members)]
    return heavier or gaps[0] > APART * median(gaps[1:])


def _over_columns(rows: Sequence[dict[int, list[Word]]], n_columns: int) -> bool:
    """Whether the first row leaves half of the columns empty, and no other leaves any."""
    return 1 < len(rows[0]) <= n_columns / 2 and all(len(row) == n_columns for row in rows[1:])


def _of_other_kind(rows: Sequence[dict[int, list[Word]]]) -> bool:
    """Whether each cell of the first row, but the first, differs in kind or style from nearly all below it."""
    columns = [at for at in rows[0] if at]
    for at in columns:
        below = [row[at][0] for row in rows[1:] if at in row]
        head = rows[0][at][0]
        alike = [_kind(word.text) == _kind(head.text) and style(word.main) == style(head.main) for word in below]
        if len(below) < 2 or sum(alike) > 0.1 * len(below):
            return False
    return len(columns) == max(map(len, rows)) - 1 > 0


def _kind(text: str) -> str:
    """What a word begins with: a capital, a small letter, a digit, or the sign itself."""
    first = text[0]
    return "upper" if first.isupper() else "letter" if first.isalpha() else "digit" if first.isdigit() else first
