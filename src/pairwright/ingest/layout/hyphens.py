"""Joins rows of running text and undoes hyphenation."""

import re
from collections.abc import Sequence

from pairwright.ingest.page.data import Profile
from pairwright.ingest.page.rows import Row


def join_rows(members: Sequence[Row], profile: Profile) -> str:
    """Rows as one text; a word that is cut at a line's end is joined, its hyphen kept only where the book has it so."""
    text = members[0].text
    for row in members[1:]:
        following = row.text
        if len(text) > 1 and text[-1] in "-‐" and text[-2].isalpha() and following[0].islower():
            keep = _is_compound(text.split()[-1], following.split()[0], profile.words)
            text = (text if keep else text[:-1]) + following
        elif len(text) > 1 and text[-1] in "-‐/" and text[-2].isalnum():
            text += following
        else:
            text = f"{text} {following}"
    return text


def _is_compound(head: str, tail: str, book_words: frozenset[str]) -> bool:
    """Whether the hyphen between two halves of a word belongs to it: the book has it so, or has both halves only."""
    tail = re.sub(r"\W+$", "", tail).lower()
    bare = re.sub(r"^\W+", "", head[:-1]).lower()
    if re.sub(r"^\W+", "", head[:-1] + tail).lower() in book_words:
        return False
    written = (head.lower() + tail).strip(".,;:()")
    return written in book_words or all(len(half) > 3 and half in book_words for half in (bare, tail))
