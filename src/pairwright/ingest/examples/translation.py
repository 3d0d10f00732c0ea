"""Reads the translation of a glossed example, without its quotation marks and label, and what stands behind it."""

from collections.abc import Sequence
from functools import reduce

from pairwright.ingest.page.rows import Row, count_while
from pairwright.languages.conventions import Conventions


def starts_translation(row: Row, conventions: Conventions) -> bool:
    """Whether a row begins with a quotation mark that its first word of several does not close, or with a label such as
    `(intended:` before one."""
    first = row.words[0].text
    closed = len(row.cells) > 1 and len(first) > 2 and first[-1] in conventions.closing and len(row.words) > 2
    opens = row.text[0] in conventions.opening and len(row.text) > 2 and not closed
    return bool(conventions.intended.match(row.text)) or opens


def _is_loose(lines: Sequence[Row], start: int, conventions: Conventions) -> bool:
    """Whether the rows from `start` end as a translation does, although its opening mark is missing: on a scan the
    recogniser may have left it out, and the closing mark stands at the end of one of the next rows."""
    if not lines[start].measured:
        return conventions.closed.search(lines[start].text) is not None
    return any(conventions.ends_translation(row.text) for row in lines[start : start + 4])


def read_translation(
    lines: Sequence[Row], start: int, leading: float, conventions: Conventions
) -> tuple[str | None, int, str | None]:
    """The translation that begins at row `start`, the row after it, and what stands behind it.

    Its opening mark may be missing. `leading` is the distance of baselines, in points.
    """
    if start >= len(lines) or not (
        starts_translation(lines[start], conventions) or _is_loose(lines, start, conventions)
    ):
        return None, start, None
    members = lines[start : start + 12]

    def goes_on(index: int) -> bool:
        row, before = members[index], members[index - 1]
        ended = conventions.ends_translation(before.text) or starts_translation(row, conventions)
        return not (ended or row.baseline - before.baseline > 1.7 * leading)

    n_rows = count_while(members, goes_on)
    text = reduce(_joined, (row.text for row in members[:n_rows]))
    if label := conventions.intended.match(text):
        # Brackets may stand around the label and the translation, as in `(intended: ‘I go.’)`.
        bare = text[label.end() :]
        text = bare.removesuffix(")") if text.startswith("(") else bare
    text, behind = conventions.cut_behind(text)
    return conventions.unquoted(text), start + n_rows, behind


def _joined(text: str, part: str) -> str:
    hyphenated = len(text) > 1 and text[-1] in "-\u00ad" and text[-2].isalpha() and part[0].islower()
    return text[:-1] + part if hyphenated else f"{text} {part}"
