"""Reads the translation of a glossed example, without its quotation marks and label, and the source behind it."""

import re
from collections.abc import Sequence

from pairwright.ingest.page.rows import Row

OPENING = "‘“\"'«„‹‚`「"
CLOSING = "’”\"'»“›‘」"
# A translation ends in its quotation mark, perhaps with a full stop, a footnote's mark or a bracket after it.
CLOSED = re.compile(r"[’”\"'»“›」][.,;]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*[)\]]?[.]?$")
QUOTED = re.compile(r"^[‘“\"'«„‹‚`「](?P<text>.*)[’”\"'»“›‘」](?P<after>[^’”»]*)$", re.DOTALL)
TRAILING_SOURCE = re.compile(
    r"^(?P<text>.*[’”\"'»“›」][.,;]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*)\s*(?P<source>[\[(][^\[\]()]+[\])]\S?)$", re.DOTALL
)
# What a sentence that is ungrammatical was meant to say.
INTENDED = re.compile(r"^\(?(?:intended|int\.|intended (?:meaning|reading)):? ?(?=[‘“\"'«„‹‚`「])", re.IGNORECASE)


def starts_translation(row: Row) -> bool:
    """Whether a row begins with an opening quotation mark that is not closed within its first word of several.

    A label such as `(intended:` may stand before it.
    """
    text = row.text
    if INTENDED.match(text):
        return True
    if text[0] not in OPENING or len(text) < 3:
        return False
    first = row.words[0].text
    return not (len(row.cells) > 1 and len(first) > 2 and first[-1] in CLOSING and len(row.words) > 2)


def is_loose(lines: Sequence[Row], start: int) -> bool:
    """Whether the rows from `start` end as a translation does, although its opening mark is missing.

    On a scan the recogniser may have left it out, and the closing mark stands at the end of one of the next rows.
    """
    measured = start < len(lines) and lines[start].confidence is not None
    return any(
        CLOSED.search(row.text) or (measured and TRAILING_SOURCE.match(row.text))
        for row in lines[start : start + (4 if measured else 1)]
    )


def unquoted(text: str) -> str:
    """A translation without its quotation marks; what follows the closing mark is kept."""
    match = QUOTED.match(text.strip())
    if not match:
        bare = text.strip().lstrip(OPENING).strip()
        return bare if any(mark in bare[:-1] for mark in OPENING) else bare.rstrip(CLOSING).strip()
    return f"{match['text']}{match['after'].rstrip('.')}".strip()


def read_translation(
    lines: Sequence[Row], start: int, leading: float, loose: bool
) -> tuple[str | None, int, str | None]:
    """The translation that begins at row `start`, the row after it, and a source that stands behind it.

    A `loose` one lacks its opening mark, or has words before it. `leading` is the distance of baselines, in points.
    """
    if start >= len(lines) or not (loose or starts_translation(lines[start])):
        return None, start, None
    parts: list[str] = []
    end = start
    while end < len(lines) and len(parts) < 12:
        text = lines[end].text
        if parts and (starts_translation(lines[end]) or lines[end].baseline - lines[end - 1].baseline > 1.7 * leading):
            break
        parts.append(text)
        end += 1
        found = TRAILING_SOURCE.match(text)
        if CLOSED.search(text) or found:
            break
    joined = _unlabelled(_join_lines(parts))
    found = TRAILING_SOURCE.match(joined)
    if found:
        return unquoted(found["text"]), end, found["source"]
    return unquoted(joined), end, None


def _unlabelled(text: str) -> str:
    """A translation without its label and the brackets around both, as in `(intended: ‘I go.’)`."""
    label = INTENDED.match(text)
    if label is None:
        return text
    bare = text[label.end() :]
    return bare[:-1] if text.startswith("(") and bare.endswith(")") else bare


def _join_lines(parts: Sequence[str]) -> str:
    text = parts[0]
    for part in parts[1:]:
        hyphenated = len(text) > 1 and text[-1] in "-\u00ad" and text[-2].isalpha() and part[0].islower()
        text = text[:-1] + part if hyphenated else f"{text} {part}"
    return text
