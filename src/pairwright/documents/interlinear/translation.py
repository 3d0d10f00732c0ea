"""Reads the translation of a glossed example, without its quotation marks and label, and what stands behind it."""

import re
from collections.abc import Sequence
from functools import reduce

from pairwright.documents.lines.hyphens import joined
from pairwright.documents.lines.rows import Row, count_while
from pairwright.languages.conventions import Conventions
from pairwright.languages.letters import script
from pairwright.languages.linguistics.marks import MARKS, STARS


def starts_translation(row: Row, conventions: Conventions) -> bool:
    """Whether a row begins with a quotation mark that its first word of several does not close, or with a label such as
    `(intended:` before one."""
    first = row.words[0].text
    closed = len(row.cells) > 1 and len(first) > 2 and first[-1] in conventions.closing and len(row.words) > 2
    opens = row.text[0] in conventions.opening and len(row.text) > 2 and not closed
    return bool(conventions.intended.match(row.text)) or opens


def read_translation(
    lines: Sequence[Row], start: int, leading: float, conventions: Conventions
) -> tuple[str | None, int, str | None]:
    """The translation that begins at row `start`, the row after it, and what stands behind it.

    `leading` is the distance of baselines, in points.
    """
    if start >= len(lines) or not starts_translation(lines[start], conventions):
        return None, start, None
    members = lines[start : start + 12]

    def goes_on(index: int) -> bool:
        row, before = members[index], members[index - 1]
        ended = conventions.ends_translation(before.text) or starts_translation(row, conventions)
        return not (ended or row.baseline - before.baseline > 1.7 * leading)

    n_rows = count_while(members, goes_on)
    text = reduce(joined, (row.text for row in members[:n_rows]))
    if label := conventions.intended.match(text):
        # Brackets may stand around the label and the translation, as in `(intended: ‘I go.’)`.
        bare = text[label.end() :]
        text = bare.removesuffix(")") if text.startswith("(") else bare
    text, behind = conventions.cut_behind(text)
    return conventions.unquoted(text), start + n_rows, behind


BRACKETED = re.compile(rf"^[\[(].*[\])][\w{STARS}.,]{{0,2}}$")
# A reference has figures, or initials, or square brackets; "(lit.: ...)" has none.
REFERENCE = re.compile(rf"^\[|\d|^\([{MARKS}]?[A-Z]{{1,4}}(?:, ?[{MARKS}]?[A-Z]{{1,4}})*\)")
MAX_REFERENCE = 60
# How far from the right margin what stands at it may end, in points.
MARGIN = 12
QUOTES = "‘’“”«»\"'"


def is_source(row: Row, right: float) -> bool:
    """Whether a row is only a bracketed reference at the right margin."""
    bracketed = BRACKETED.match(row.text) is not None and len(row.text) < MAX_REFERENCE
    return len(row.cells) == 1 and row.x1 > right - MARGIN and bracketed


def is_reference(text: str) -> bool:
    """Whether a line below a translation says where the example comes from: figures, initials or one or two words in
    brackets, or names with figures such as `Smith 1987:34`."""
    if len(text) >= MAX_REFERENCE or any(mark in text for mark in QUOTES):
        return False
    if BRACKETED.match(text):
        return REFERENCE.search(text) is not None or len(text.split()) < 3
    parts = text.split()
    named = all(part[0].isupper() or len(part) < 4 or any(map(str.isdigit, part)) for part in parts)
    return named and text[-1].isdigit() and any(part[0].isalpha() and len(part) > 3 for part in parts)


def is_attribution(row: Row, translated: Row, left: float, right: float) -> bool:
    """Whether a row right below a translation says by its setting alone where the example comes from: in smaller type,
    or at the right margin. `left` and `right` are the edges of the example."""
    small = row.size < 0.95 * translated.size
    aside = row.x1 > right - MARGIN and row.x0 > left + 0.35 * (right - left)
    plain = len(row.text) < MAX_REFERENCE and not any(mark in row.text for mark in QUOTES)
    # Another wording of the sentence ends as one, or is in another script.
    plain = plain and row_script(row) == row_script(translated) and row.text[-1] not in ".!?:…"
    return plain and (small or aside) and len(row.cells) == 1 and row.x0 > left - 2.5 and row.text[0] not in "(["


def cut_aside(row: Row, right: float, conventions: Conventions) -> tuple[Row, str | None]:
    """A row that ends a translation without the source at the right margin behind it, and the source."""
    *cells, last = row.cells
    ended = bool(cells) and conventions.closed.search(cells[-1].text) is not None and last.x1 > right - MARGIN
    if not ended or len(last.text) >= MAX_REFERENCE or any(mark in last.text for mark in QUOTES):
        return row, None
    return Row(tuple(word for cell in cells for word in cell.words)), without_brackets(last.text)


def without_brackets(text: str) -> str:
    """A reference without the brackets around it, or the dash before it."""
    text = re.sub(r"^[–—]\s+", "", text)
    match = re.match(r"^[\[(](.*)[\])](\w?)[.,]?$", text)
    return f"{match[1]} {match[2]}".strip() if match else text


def row_script(row: Row) -> str:
    """The script of a row's first letter."""
    return next(filter(None, map(script, row.text)), "")
