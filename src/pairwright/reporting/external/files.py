"""Text files that people and other tools wrote: JSON Lines, tables and word lists, each row with its line."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pairwright.core.errors import ReleaseError, at
from pairwright.core.files import read_lines, read_text
from pairwright.core.tables import read_objects, read_table
from pairwright.core.text import nfc

_MOST_BYTES = 200_000_000


def read_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file of JSON Lines, or the rows of a table (`,` `;` or tabs) with a header, with their lines.

    Titles of columns are in small letters. Raises ReleaseError.
    """
    text = read_text(path, _MOST_BYTES, ReleaseError)
    if text.lstrip().startswith(("{", "[")):
        return ((row.line, row.cells) for row in read_objects(path, text, ReleaseError))
    _, rows = read_table(path, text, ",;\t", ReleaseError)
    return ((row.line, {title.lower(): cell for title, cell in row.cells.items()}) for row in rows)


def read_frequencies(path: Path) -> dict[str, float]:
    """log10 of the counts of words, from a text file with a word, a tab or space, and its count on each line.

    Words are in small letters; the counts of spellings that differ in case alone are added up.
    Raises ReleaseError with the line that can't be read.
    """
    counts = defaultdict[str, float](float)
    for number, line in read_lines(path, ReleaseError):
        word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
        try:
            value = float(count)
        except ValueError:
            value = 0.0
        if not word or not 0 < value < float("inf"):
            raise ReleaseError(f"{at(path, number)}: not a word and its count, such as `namas\t1200`")
        counts[nfc(word).lower()] += value
    if not counts:
        raise ReleaseError(f"{path}: no word in it; it needs a word, a tab and its count on each line")
    return {word: float(np.log10(count)) for word, count in counts.items()}
