"""Reads the translation of a glossed example, without its quotation marks and label, and the source behind it."""

import re
from collections.abc import Sequence
from functools import reduce

from pairwright.ingest.page.rows import Row, count_while

OPENING = "‘“\"'«„‹‚`「"
CLOSING = "’”\"'»“›‘」"
# A translation ends in its quotation mark, perhaps with a full stop, a footnote's mark or a bracket after it.
CLOSED = re.compile(r"[’”\"'»“›」][.,;]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*[)\]]?[.]?$")
QUOTED = re.compile(r"^[‘“\"'«„‹‚`「](?P<text>.*)[’”\"'»“›‘」](?P<after>[^’”»]*)$", re.DOTALL)
TRAILING_SOURCE = re.compile(
    r"^(?P<text>.*[’”\"'»“›」][.,;]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*)\s*(?P<source>[\[(][^\[\]()]+[\])]\S?)$", re.DOTALL
)
# What a sentence that is ungrammatical was meant to say; a bracket alone may say so.
INTENDED = re.compile(
    r"^(?:\(?(?:intended|int\.?|intended (?:meaning|reading)):? ?|\()(?=[‘“\"'«„‹‚`「])", re.IGNORECASE
)


def starts_translation(row: Row) -> bool:
    """Whether a row begins with a quotation mark that its first word of several does not close, or with a label such as
    `(intended:` before one."""
    first = row.words[0].text
    closed = len(row.cells) > 1 and len(first) > 2 and first[-1] in CLOSING and len(row.words) > 2
    return bool(INTENDED.match(row.text)) or (row.text[0] in OPENING and len(row.text) > 2 and not closed)


def _is_loose(lines: Sequence[Row], start: int) -> bool:
    """Whether the rows from `start` end as a translation does, although its opening mark is missing: on a scan the
    recogniser may have left it out, and the closing mark stands at the end of one of the next rows."""
    measured = lines[start].measured
    ends = [row.text for row in lines[start : start + (4 if measured else 1)]]
    return any(CLOSED.search(text) or (measured and TRAILING_SOURCE.match(text)) for text in ends)


def unquoted(text: str) -> str:
    """A translation without its quotation marks; what follows the closing mark is kept."""
    match = QUOTED.match(text.strip())
    if match:
        return f"{match['text']}{match['after'].rstrip('.')}".strip()
    bare = text.strip().lstrip(OPENING).strip()
    return bare if any(mark in bare[:-1] for mark in OPENING) else bare.rstrip(CLOSING).strip()


def read_translation(lines: Sequence[Row], start: int, leading: float) -> tuple[str | None, int, str | None]:
    """The translation that begins at row `start`, the row after it, and a source that stands behind it.

    Its opening mark may be missing. `leading` is the distance of baselines, in points.
    """
    if start >= len(lines) or not (starts_translation(lines[start]) or _is_loose(lines, start)):
        return None, start, None
    members = lines[start : start + 12]

    def goes_on(index: int) -> bool:
        row, before = members[index], members[index - 1]
        ended = CLOSED.search(before.text) or TRAILING_SOURCE.match(before.text)
        return not (ended or starts_translation(row) or row.baseline - before.baseline > 1.7 * leading)

    n_rows = count_while(members, goes_on)
    text = reduce(_joined, (row.text for row in members[:n_rows]))
    if label := INTENDED.match(text):
        # Brackets may stand around the label and the translation, as in `(intended: ‘I go.’)`.
        bare = text[label.end() :]
        text = bare.removesuffix(")") if text.startswith("(") else bare
    sourced = TRAILING_SOURCE.match(text)
    return unquoted(sourced["text"] if sourced else text), start + n_rows, sourced["source"] if sourced else None


def _joined(text: str, part: str) -> str:
    hyphenated = len(text) > 1 and text[-1] in "-\u00ad" and text[-2].isalpha() and part[0].islower()
    return text[:-1] + part if hyphenated else f"{text} {part}"
