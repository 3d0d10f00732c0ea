"""Measures where the sentences of a column stand: translations beside their words, the names of lines before them."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pairwright.documents.interlinear.translation import starts_translation
from pairwright.documents.lines.alignment import LEAST_ALIGNMENT, alignment, is_glossed
from pairwright.documents.lines.data import Profile
from pairwright.documents.lines.rows import Row, filled_rows
from pairwright.languages.conventions import Conventions

# Words of one column begin no farther apart, in points.
SLACK = 3.0
# The number of a sentence or line in the margin: `12`, `1.3`, `[7]`.
MARGIN_NUMBER = re.compile(r"^[\[(]?(?P<number>\d{1,4}(?:\.\d{1,4})*[a-z]?)[\])]?[.:]?$")


@dataclass(frozen=True)
class Place:
    """Where examples are read: the style of the book, the edges of the column or of an example's content, the left edge
    of translations that stand beside the words (infinite where there are none), and where words begin behind the names
    of lines."""

    profile: Profile
    left: float
    right: float
    beside: float = float("inf")
    named: float = 0.0

    @property
    def edge(self) -> float:
        """Where the words end at the right."""
        return min(self.right, self.beside)


def beside_edge(members: Sequence[Row], left: float, right: float) -> float:
    """The left edge of translations beside the words, where the rows of a column have such; else infinite."""
    starts: Counter[int] = Counter()
    for one, two in pairwise(members):
        x, n_words = one.cells[-1].x0, len(one.cells[-1].words)
        if len(one.cells) > 1 < n_words and left + 0.35 * (right - left) < x:
            words = _words_until(one, two, x)
            starts[round(x)] += len(words) == 2 and is_glossed(*words)
    x, count = max(starts.items(), key=lambda item: item[1], default=(0, 0))
    return x - SLACK if count > 2 else float("inf")


def quoted_edge(members: Sequence[Row], conventions: Conventions) -> float:
    """The left edge of a translation in quotation marks beside the words of one example; infinite without one."""
    for one, two in pairwise(members):
        for x in (cell.x0 for cell in one.cells[1:] if starts_translation(cell, conventions)):
            words = _words_until(one, two, x)
            if len(words) == 2 and alignment(*words) >= LEAST_ALIGNMENT:
                return x - SLACK
    return float("inf")


def _words_until(one: Row, two: Row, x: float) -> list[Row]:
    """The words of two rows left of `x`, without a number before the first."""
    above = [word for word in one.words if two.x0 - SLACK < word.x0 < x - SLACK]
    return filled_rows([above, [word for word in two.words if word.x0 < x - SLACK]])


def cut_beside(members: Sequence[Row], x: float) -> tuple[list[Row], list[Row]]:
    """The rows of an example left of `x`, and those of what stands beside them, from there on."""
    left, right = (
        filled_rows([word for word in row.words if (word.x0 >= x) is side] for row in members) for side in (False, True)
    )
    return left, right


def named_edge(members: Sequence[Row]) -> float:
    """Where the words begin behind the names of lines, such as Words, Morphemes and Free, which recur in a column; 0
    where lines have no names. Behind first words, which may recur, too, words begin in many places."""
    names: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    begun: Counter[int] = Counter()
    for first, second, *_ in (row.cells for row in members if len(row.cells) > 1):
        names[round(first.x0), round(second.x0)][first.text] += 1
        begun[round(first.x0)] += 1
    edges = [
        x
        for (start, x), texts in names.items()
        if sum(count > 1 for count in texts.values()) > 2 and texts.total() > 0.7 * begun[start]
    ]
    return min(edges, default=0) - 3.0 if edges else 0.0


def without_name(row: Row, x: float) -> Row:
    """The part of a row behind the name of its line."""
    named = row.words[0].x0 < x and any(abs(word.x0 - x - 3) < 2 for word in row.words)
    return Row(tuple(word for word in row.words if word.x0 >= x)) if named else row


def margin_number(row: Row, below: Row) -> str | None:
    """The number that stands in the margin beside a row, where the row below begins with the row's second word."""
    label = MARGIN_NUMBER.match(row.words[0].text)
    if label is None or len(row.words) < 2 or below is row:
        return None
    content = row.words[1].x0
    apart = content - row.words[0].x1 > 0.5 * row.size
    return label["number"] if apart and abs(below.x0 - content) < 2 else None
