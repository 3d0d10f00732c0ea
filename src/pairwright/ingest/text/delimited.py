"""Reads CSV and TSV as one table."""

import csv
import io
from collections.abc import Iterator

from pairwright.errors import SourceError
from pairwright.ingest.text.pieces import TextPiece, table


def delimited_pieces(text: str) -> Iterator[TextPiece]:
    """A delimited text as one table; of `; , tab |`, the first line's commonest parts cells. Raises SourceError."""
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(";,\t|", key=first.count))
    rows: list[list[list[str]]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append([[cell] for cell in row])
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise SourceError(f"line {line}: not a CSV row: {fault}") from None
    if rows:
        yield table(rows, lines[0], lines)
