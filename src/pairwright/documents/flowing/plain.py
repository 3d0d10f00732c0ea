"""Reads the entries of an error list in plain text, CSV, and workbooks."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from pairwright.core.errors import SourceError
from pairwright.core.packed import packed_rows
from pairwright.documents.flowing.pieces import TextPiece, heading, of_lines, table

BULLET = re.compile(r"^\s*[-•*–‣·◦]\s+(?=\S)")
# A few words in a line, without a mark: between empty lines and before more text, a heading.
_TITLE = re.compile(r"[^\W\d_](?:[\w ,–-]{0,60}\w)?:?\s*")
CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")


def list_pieces(text: str) -> Iterator[TextPiece]:
    """The entries of an error list in plain text, each with the lines that go on in it; its headings."""
    entry: list[str] = []
    bulleted = False
    lines = ["", *text.split("\n"), ""]
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    for number, line in enumerate(lines[1:], start=1):
        bullet = BULLET.match(line)
        content = BULLET.sub("", line).strip()
        begins = bullet or CODE.match(line) or not content
        if entry and not begins and _goes_on("\n".join(entry), content):
            entry.append(content)
            continue
        if entry:
            yield of_lines("list_item" if bulleted else "paragraph", entry, number - len(entry), joint="\n")
        if _TITLE.fullmatch(line) and number < last and not lines[number - 1].strip() and not lines[number + 1].strip():
            yield heading(content.rstrip(":"), number, 1)
            content = ""
        entry, bulleted = [content] if content else [], bullet is not None


def _goes_on(text: str, following: str) -> bool:
    """Whether a text goes on in the line that follows it: a bracket is open, or no sentence has ended; a numbered
    heading ends with its line unless the next one begins small."""
    ended = text[-1] in ".!?…:)" or (CODE.match(text + " ") is not None and not following[0].islower())
    return text.count("(") > text.count(")") or not ended


def delimited_pieces(text: str) -> Iterator[TextPiece]:
    """A delimited text as one table, cut at the commonest of `; , tab |` in its first line. Raises SourceError."""
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,\t|", key=first.count))
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    if rows:
        yield table([[[cell] for cell in row] for row in rows], lines[0], lines)


def workbook_pieces(path: Path, data: bytes) -> Iterator[TextPiece]:
    """The sheets of a workbook, each as a table. Raises SourceError."""
    for _, rows in groupby(packed_rows(path, data, SourceError), key=lambda row: row.table):
        kept = [row for row in rows if any(map(str.strip, row.cells))]
        if kept:
            yield table([[[cell] for cell in row.cells] for row in kept], kept[0].number, [row.number for row in kept])
