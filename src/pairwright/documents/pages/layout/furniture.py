"""Takes running heads, page numbers and footnotes out of the running text."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pairwright.documents.lines.data import Profile, RuledLine
from pairwright.documents.lines.glyphs import SUPERSCRIPTS
from pairwright.documents.lines.profile import PAGE_NUMBER
from pairwright.documents.lines.rows import Row, TextColumn, Word, is_raised

FOOTNOTE_MARK = re.compile(r"^(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d{1,3}[.)]?|[*†‡§¶]+|[a-z])$")
RAISED_MARK = re.compile(r"^[⁰¹²³⁴⁵⁶⁷⁸⁹]+|^[*†‡]+\s")


def without_furniture(page_rows: Sequence[Row], profile: Profile, height: float) -> list[Row]:
    """The rows of a page without its running head and page number."""
    kept = list(page_rows)
    while kept and _is_head(kept, profile, height):
        kept.pop(0)
    while kept and _is_foot(kept, profile, height):
        kept.pop()
    return kept


def _is_head(kept: Sequence[Row], profile: Profile, height: float) -> bool:
    row = kept[0]
    running = profile.head_below is not None and row.baseline < profile.head_below
    number = PAGE_NUMBER.match(row.text) is not None
    return running or (row.baseline < 0.1 * height and (number or _is_numbered(kept, profile)))


def _is_numbered(kept: Sequence[Row], profile: Profile) -> bool:
    """Whether the first row of a scanned page stands apart and has a page number at one of its ends."""
    row = kept[0]
    if not row.measured or len(kept) < 2 or len(row.words) < 2:
        return False
    apart = kept[1].baseline - row.baseline > 1.5 * max(profile.leading, 1.2 * row.size)
    return apart and any(re.match(r"^\d{1,4}$", word.text) for word in (row.words[0], row.words[-1]))


def _is_foot(kept: Sequence[Row], profile: Profile, height: float) -> bool:
    row = kept[-1]
    number = PAGE_NUMBER.match(row.text) is not None
    lonely = len(kept) < 2 or row.baseline - kept[-2].baseline > 1.1 * profile.leading
    running = profile.foot_above is not None and row.baseline > profile.foot_above
    return (running and (lonely or number)) or (row.baseline > 0.88 * height and number and lonely)


def split_footnotes(
    column: TextColumn, rules: Sequence[RuledLine], profile: Profile
) -> tuple[TextColumn, list[tuple[str, list[Row]]]]:
    """A column without its footnotes, and the mark and rows of each; the mark is empty where one goes on from before.

    They are the smaller rows at the column's foot, below a short rule or beginning with a raised mark.
    """
    start = _footnote_start(column, rules, profile)
    notes: list[tuple[str, list[Row]]] = []
    for row in column.rows[start:]:
        mark, rest = _mark(row)
        if mark or not notes:
            notes.append((mark, [rest]))
        else:
            notes[-1][1].append(row)
    return TextColumn(column.rows[:start], column.left, column.right), notes


def _footnote_start(column: TextColumn, rules: Sequence[RuledLine], profile: Profile) -> int:
    members = column.rows
    start = len(members)
    while start > 0 and members[start - 1].size < 0.95 * profile.body_size:
        start -= 1
    width = column.right - column.left
    for rule in rules:
        if rule.horizontal and abs(rule.x0 - column.left) < 8 and rule.x1 - rule.x0 < 0.6 * width:
            below = next((index for index, row in enumerate(members) if row.baseline > rule.y0), -1)
            if below >= start and (start == 0 or rule.y0 > members[start - 1].baseline - 1):
                return below
    # Small type alone may be a table or a quotation: then only a raised mark tells a footnote.
    return next((index for index in range(start, len(members)) if _mark(members[index])[0]), len(members))


def _mark(row: Row) -> tuple[str, Row]:
    """The mark at the head of a footnote and the row without it; an empty mark where there is none."""
    first = row.words[0]
    sign = RAISED_MARK.match(first.text)
    if sign or is_raised(first.runs[0], row.main):
        if len(row.words) > 1 and FOOTNOTE_MARK.match(first.text):
            return first.text.translate(SUPERSCRIPTS), Row(row.words[1:])
        letter = first.runs[0].text if re.match(r"^[a-z]$", first.runs[0].text) else ""
        if (sign or letter) and len(first.runs) > 1:
            return sign.group() if sign else letter, Row((Word(first.runs[1:]), *row.words[1:]))
    return "", row


def gaps(members: Sequence[Row]) -> list[float]:
    """The distance of each row from the one before; a large one before the first."""
    return [99.0, *(two.baseline - one.baseline for one, two in pairwise(members))]
