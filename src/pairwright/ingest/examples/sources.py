"""Knows where an example comes from: a text, a recording or a work, at the right margin or on a line of its own."""

import re

from pairwright.ingest.page.rows import Row

BRACKETED = re.compile(r"^[\[(].*[\])][\w*.,]{0,2}$")
# A reference has figures, or initials, or square brackets; "(lit.: ...)" has none.
REFERENCE = re.compile(r"^\[|\d|^\([?*]?[A-Z]{1,4}(?:, ?[?*]?[A-Z]{1,4})*\)")
MAX_REFERENCE = 60
QUOTES = "‘’“”«»\"'"


def is_source(row: Row, right: float) -> bool:
    """Whether a row is only a bracketed reference at the right margin."""
    return len(row.cells) == 1 and row.x1 > right - 12 and BRACKETED.match(row.text) is not None and len(row.text) < 60


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


def without_brackets(text: str) -> str:
    """A reference without the brackets around it."""
    match = re.match(r"^[\[(](.*)[\])](\w?)[.,]?$", text)
    return f"{match[1]} {match[2]}".strip() if match else text
