"""Joins rows of running text and undoes hyphenation."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pairwright.documents.lines.data import Profile
from pairwright.documents.lines.rows import Row

# What is no letter at the ends of a word; combining marks belong to letters.
_EDGES = re.compile(r"^[^\w\u0300-\u036f]+|(?:[^\w\u0300-\u036f]|[⁰¹²³⁴⁵⁶⁷⁸⁹])+$")
_CUT = re.compile(r"[^\W\d_][\u0300-\u036f]*[-‐]$")
# The least letters of the halves of a compound that is cited; other words with a hyphen have more.
COMPOUND = 3


def is_cut(text: str, following: str) -> bool:
    """Whether a line end may cut a word: a text ends in a letter with a hyphen, and what follows begins small."""
    return following[:1].islower() and _CUT.search(text) is not None


def joined(text: str, following: str) -> str:
    """A text with what follows on the next line, and the word between them whole."""
    return text[:-1] + following if is_cut(text, following) else f"{text} {following}".strip()


def join_rows(members: Sequence[Row], profile: Profile) -> str:
    """Rows as one text; a word that is cut at a line's end is joined, its hyphen kept only where the book has it so."""
    text = members[0].text
    for above, row in pairwise(members):
        following = row.text
        if is_cut(text, following):
            head, tail = text.split()[-1], following.split()[0]
            keep = _is_hyphenated(head, tail, _is_cited(above, row), profile.words)
            text = (text if keep else text[:-1]) + following
        elif len(text) > 1 and text[-1] in "-‐/" and text[-2].isalnum():
            text += following
        else:
            text = f"{text} {following}"
    return text


def _is_cited(above: Row, row: Row) -> bool:
    """Whether the word that is cut at a line's end is set in italics within the text, as forms that are cited are."""
    head, tail = above.words[-1].main, row.words[0].main
    return head.italic and tail.italic and not (above.main.italic and row.main.italic)


def _is_hyphenated(head: str, tail: str, cited: bool, book_words: frozenset[str]) -> bool:
    """Whether the hyphen between two halves of a word belongs to it: the book has it so, or has both halves and not the
    whole. A short half counts in a form that is cited, where the book has it as a morpheme."""
    tail, bare = _EDGES.sub("", tail).lower(), _EDGES.sub("", head[:-1]).lower()
    if bare + tail in book_words:
        return False
    if f"{bare}-{tail}" in book_words:
        return True
    first, last = bare.split("-")[-1], tail.split("-")[0]
    begins, goes_on = not book_words.isdisjoint({f"{first}-", f"-{first}"}), f"-{last}" in book_words
    if cited and begins and goes_on:
        return True
    stand_alone = bare in book_words, tail in book_words
    if cited:
        return all(stand_alone) and min(len(bare), len(tail)) >= COMPOUND
    is_half = begins or stand_alone[0], goes_on or stand_alone[1]
    return all(is_half) and min(len(bare), len(tail)) > COMPOUND
