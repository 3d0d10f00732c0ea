"""The lines of CoNLL-U files (https://universaldependencies.org/format.html), for trees and for word forms."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.core.errors import one_line

_ID = re.compile(r"(?P<first>\d{1,6})(?:(?P<sign>[-.])(?P<last>\d{1,6}))?")


class ConlluError(ValueError):
    """Why a line can't be read. `line` is its number in the file."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Row(NamedTuple):
    """A line of a sentence, its columns as they are written.

    first, last  the numbers of the words that it stands for: one for a word, several for a multiword token
    is_word      it is a word, and neither a multiword token nor an empty node
    spaced       a space follows in the text
    """

    line: int
    first: int
    last: int
    is_word: bool
    form: str
    lemma: str
    upos: str
    feats: str
    head: str
    deprel: str
    spaced: bool


class ConlluSentence(NamedTuple):
    """A sentence: its comments by key, the first of each, and the texts of its lines with their numbers."""

    comments: dict[str, str]
    lines: list[tuple[int, str]]

    def rows(self) -> Iterator[Row]:
        """Its words and multiword tokens, without empty nodes. Raises ConlluError."""
        return (row for number, line in self.lines if (row := read_row(number, line)))


def sentences(lines: Iterable[tuple[int, str]]) -> Iterator[ConlluSentence]:
    """The sentences of a file's numbered lines: blank lines separate them."""
    comments: dict[str, str] = {}
    rows: list[tuple[int, str]] = []
    for number, line in lines:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments.setdefault(key.strip(), value.strip())
        elif line.strip():
            rows.append((number, line))
        else:
            if rows:
                yield ConlluSentence(comments, rows)
            comments, rows = {}, []
    if rows:
        yield ConlluSentence(comments, rows)


def read_row(number: int, line: str) -> Row | None:
    """Read a line; None for an empty node. Raises ConlluError."""
    columns = line.split("\t")
    if len(columns) != 10:
        raise ConlluError(number, f"{len(columns)} columns and not the ten of CoNLL-U, separated by tabs")
    place = _ID.fullmatch(columns[0])
    if place is None:
        raise ConlluError(number, f"'{one_line(columns[0], 40)}' is not a valid ID")
    if place["sign"] == ".":
        return None
    _, form, lemma, upos, _, feats, head, deprel, _, misc = columns
    if not form.strip():
        raise ConlluError(number, "no form")
    first = int(place["first"])
    spaced = "SpaceAfter=No" not in misc.split("|")
    return Row(
        number,
        first,
        int(place["last"] or first),
        place["sign"] is None,
        form,
        lemma,
        upos,
        feats,
        head,
        deprel,
        spaced,
    )
