"""Tells by the places of words whether rows stand over each other in columns, as an object line and its glosses do."""

import re
from collections.abc import Iterable
from unicodedata import normalize

from pairwright.documents.lines.rows import Row, Word, is_text

CATEGORY = re.compile(r"(?<![^\W\d_])(?:[A-ZÀ-Ž]{2,}|[123](?:[A-Z]{2}|sg|pl|du|SG|PL|DU)?)(?![^\W\d_])")
_INNER_CUT = re.compile(r"\w[-=]\w")
# How far apart words of one column may begin, in points.
TOLERANCE = 1.6
# How well an object line and its glosses stand in columns at least, 0-1.
LEAST_ALIGNMENT = 0.6


def begins_at(word: Word, starts: Iterable[float]) -> bool:
    """Whether a word stands at the start of a column."""
    return any(abs(word.x0 - start) < TOLERANCE for start in starts)


def alignment(one: Row, two: Row) -> float:
    """How well the words of two rows stand in columns, 0-1: the share of words that begin where one of the other does.

    Rows that do not align by place, as in plain text, count 0.8 where they have as many words, each pair of which has
    as many hyphens and equals signs (rule 2 of the Leipzig Glossing Rules).
    """
    by_place = _share_of_starts(one, two)
    if by_place < 0.8 and len(one.words) > 1 and _have_equal_cuts(one, two):
        return 0.8
    return by_place


def stand_over(one: Row, two: Row) -> bool:
    """Whether the words of a row stand over those of the next by their places alone."""
    return _share_of_starts(one, two) >= 0.8


def is_glossed(one: Row, two: Row) -> bool:
    """Whether a row shows that it glosses the row above it: its words stand below, and have more grammatical categories
    or as many hyphens and equals signs, word by word."""
    if not stand_over(one, two):
        return False
    categories = [sum(_has_category(word.text) for word in row.words) for row in (one, two)]
    return categories[0] < categories[1] or _have_equal_cuts(one, two)


def has_categories(row: Row) -> bool:
    """Whether any word of a row has a grammatical category, as glosses have."""
    return any(_has_category(word.text) for word in row.words)


def is_label(text: str) -> bool:
    """Whether a word of a line of text is a gloss by its looks: with a category or a hyphen."""
    return CATEGORY.search(text) is not None or "-" in text


def _has_category(text: str) -> bool:
    """Whether a word has a category, and is no bare figure."""
    return CATEGORY.search(text) is not None and any(map(str.isalpha, text))


def _share_of_starts(one: Row, two: Row) -> float:
    if is_text(one) and len(one.words) == len(two.words):
        return 1.0
    starts = [word.x0 for word in two.words]
    return sum(begins_at(word, starts) for word in one.words) / max(len(one.words), len(two.words))


def _have_equal_cuts(one: Row, two: Row) -> bool:
    if len(one.words) != len(two.words):
        return False
    cuts = [[sum(char in "-=" for char in word.text) for word in row.words] for row in (one, two)]
    # A list of affixes has hyphens at their edges alone.
    return cuts[0] == cuts[1] and any(_INNER_CUT.search(word.text) for word in one.words)


def letters(words: Iterable[str]) -> str:
    """The small base letters of words: without accents and marks of tones, which a segmentation often leaves out."""
    return "".join(char for word in words for char in normalize("NFD", word.casefold()) if char.isalpha())
