"""Text files that people and other tools wrote: JSON Lines, tables and word lists, each row with its line."""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pairwright.errors import ReleaseError, at
from pairwright.text import nfc


def read_text(path: Path) -> str:
    """A text file in UTF-8. Raises ReleaseError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise ReleaseError(f"{path}: can't be read as UTF-8 text: {fault}") from None


def json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSONL file with their lines. Raises ReleaseError for a line without one."""
    # A sentence may contain separators that str.splitlines takes for the end of a line.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as fault:
            raise ReleaseError(f"{at(path, number, fault.colno)}: not JSON: {fault.msg}") from None
        if not isinstance(row, dict):
            raise ReleaseError(f"{at(path, number)}: not a JSON object")
        yield number, row


def table_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a CSV file (`,` `;` or tabs) with a header, by column names in lower case, with their lines."""
    text = read_text(path)
    header, _, _ = text.partition("\n")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), restval="")
    for row in reader:
        yield reader.line_num, {str(name).strip().lower(): value for name, value in row.items() if name is not None}


def read_frequencies(path: Path) -> dict[str, float]:
    """log10 of the counts of words, from a text file with a word, a tab or space, and its count on each line.

    Words are in small letters; the counts of spellings that differ in case alone are added up.
    Raises ReleaseError with the line that can't be read.
    """
    counts = defaultdict[str, float](float)
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
        if not line.strip():
            continue
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
