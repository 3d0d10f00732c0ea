"""Reads the entries of an error list in plain text, and CSV."""

import csv
import io
import re
from collections.abc import Iterator

from pairwright.core.errors import SourceError
from pairwright.documents.flowing.pieces import TextPiece, of_lines, table

BULLET = re.compile(r"^\s*[-•*–‣·◦]\s+(?=\S)")
CODE = re.compile(r"^\s*\d+(?:\.\d+)+\.?\s")


def list_pieces(text: str) -> Iterator[TextPiece]:
    """The entries of an error list in plain text, each with the lines that go on in it."""
    entry: list[str] = []
    bulleted = False
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        bullet = BULLET.match(line)
        content = BULLET.sub("", line).strip()
        begins = bullet or CODE.match(line) or not content
        if entry and not begins and _goes_on("\n".join(entry), content):
            entry.append(content)
            continue
        if entry:
            yield of_lines("list_item" if bulleted else "paragraph", entry, number - len(entry), joint="\n")
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
