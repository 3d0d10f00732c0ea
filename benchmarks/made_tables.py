"""Forty tables in the manner of linguistics books, set from `data/tables/tables.toml` with their truth.

Paradigms with heads over several columns, merged row labels, wrapped glosses, notes under letters, charts of sounds,
tables side by side, tables that run over two pages; with all rules, some and none.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from common import HERE, Json
from layouts import set_pages

DATA = HERE / "data" / "tables"
MARK = re.compile(r"\[\^(?P<mark>[^]]+)\]$")
LABEL = re.compile(r"^table [\d.]+[.:]?|^\(\d+\)", re.IGNORECASE)

INDENT = "~"
# How a table is set where its entry does not say otherwise: lengths in em, columns counted from 0.
STYLE: Json = {
    "span_align": "c",
    "size": 1.0,
    "leading": 0.5,
    "hang": 0.0,
    "inset": [0.6, 0.3],
    "partial": False,
    "centred": False,
    "zebra": False,
    "head_shade": False,
    "head_style": "plain",
    "stub_style": "italic",
    "italic": [],
    "script": None,
    "script_columns": [],
    "caption_below": False,
    "notes_run": False,
}


class DataError(Exception):
    """The data of a table does not make a table."""


@dataclass(frozen=True)
class Cell:
    """A cell at its first row and column, counted from 0; `mark` is the mark of a note that stands behind its text."""

    row: int
    column: int
    rows: int
    columns: int
    text: str
    mark: str | None


@dataclass(frozen=True)
class Part:
    """The rows of a table on one page, without the last; `head_repeated` where the head stands again above them."""

    page: int
    first_row: int
    end_row: int
    caption: str
    head_repeated: bool


@dataclass(frozen=True)
class Table:
    """A table as it is printed.

    cells    the text of each place, row by row, without the marks of notes; "" where a merged cell covers the place
    merged   the cells that take several places
    marked   the cells that carry the mark of a note
    parts    one for each page that the table stands on
    """

    id: str
    book: str
    rules: str
    caption: str
    head_rows: int
    cells: list[list[str]]
    merged: list[Cell]
    marked: list[Cell]
    notes: list[dict[str, str]]
    parts: list[Part] = field(default_factory=list)


def read_cells(drawing: str) -> list[Cell]:
    """The cells of a drawing: a row a line, places between bars; `<` continues the cell to the left, `^` the one above.

    Raises:
        DataError: The rows have different lengths, or merged places do not make a rectangle.
    """
    rows = [[place.strip() for place in line.split("|")] for line in drawing.strip("\n").splitlines()]
    if len({len(row) for row in rows}) != 1:
        raise DataError(f"rows of {sorted({len(row) for row in rows})} places: {rows[0]}")
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for r, row in enumerate(rows):
        for c, place in enumerate(row):
            owners[r, c] = owners[r, c - 1] if place == "<" else owners[r - 1, c] if place == "^" else (r, c)
    cells = []
    for r, c in sorted(set(owners.values())):
        places = [place for place, owner in owners.items() if owner == (r, c)]
        height, width = max(p[0] for p in places) - r + 1, max(p[1] for p in places) - c + 1
        if len(places) != height * width:
            raise DataError(f"the cell {rows[r][c]!r} is no rectangle")
        mark = MARK.search(rows[r][c])
        cells.append(Cell(r, c, height, width, MARK.sub("", rows[r][c]), mark["mark"] if mark else None))
    return cells


def read_table(entry: Json) -> Table:
    cells = read_cells(entry["cells"])
    height, width = max(c.row + c.rows for c in cells), max(c.column + c.columns for c in cells)
    texts = [["" for _ in range(width)] for _ in range(height)]
    for cell in cells:
        texts[cell.row][cell.column] = cell.text.removeprefix(INDENT)
    notes = [dict(zip(("mark", "text"), note.split(" ", 1), strict=True)) for note in entry.get("notes", [])]
    return Table(
        id=entry["id"],
        book=entry["book"],
        rules=entry["rules"],
        caption=entry.get("caption", ""),
        head_rows=entry["head"],
        cells=texts,
        merged=[cell for cell in cells if cell.rows * cell.columns > 1],
        marked=[cell for cell in cells if cell.mark],
        notes=[{"mark": "", "text": note["text"]} if note["mark"] == "-" else note for note in notes],
    )


def slices(table: Table, entry: Json) -> Iterator[Part]:
    """The parts of a table, as yet without pages."""
    ends = [*entry.get("breaks", []), len(table.cells)]
    for first, end in zip([0, *ends], ends, strict=False):
        again = first > 0
        caption = entry.get("continued", "") if again else table.caption
        yield Part(0, first, end, caption, again and entry.get("repeat_head", True))


def placed_cells(table: Table, entry: Json, part: Part) -> list[Cell]:
    """The cells of a part, with rows counted from the part's first; a repeated head comes first."""
    head = table.head_rows if part.head_repeated else 0
    cells = read_cells(entry["cells"])
    repeated = [cell for cell in cells if cell.row < head]
    own = [cell for cell in cells if part.first_row <= cell.row < part.end_row]
    return repeated + [replace(cell, row=cell.row - part.first_row + head) for cell in own]


def layout_part(table: Table, entry: Json, part: Part) -> Json:
    """A part as layout.typ reads it."""
    cells = placed_cells(table, entry, part)
    label = LABEL.match(part.caption)
    width = len(table.cells[0])
    own = {
        "id": f"{table.id}/{part.first_row}",
        "columns": width,
        "rows": max(cell.row + cell.rows for cell in cells),
        "head": table.head_rows if part.head_repeated or not part.first_row else 0,
        "cells": [
            {"x": cell.column, "y": cell.row, "w": cell.columns, "h": cell.rows, "mark": cell.mark}
            | {"text": cell.text.removeprefix(INDENT), "indent": cell.text.startswith(INDENT)}
            for cell in cells
        ],
        "caption": part.caption,
        "label": label[0] if label else "",
        "notes": table.notes if part.end_row == len(table.cells) else [],
    }
    return STYLE | {"widths": [0] * width, "align": "l" * width} | entry | own


def exhibits(entries: list[Json], prose: list[str]) -> list[Json]:
    """The tables of a book among paragraphs; a table that stands `beside` another shares its place."""
    result: list[Json] = []
    for entry in entries:
        table = read_table(entry)
        parts = [layout_part(table, entry, part) for part in slices(table, entry)]
        if entry.get("beside"):
            result[-1]["rows"][0] += parts
            continue
        number = len(result)
        tail = [prose[(2 * number + step) % len(prose)] for step in range(2)]
        texts = {"heading": entry.get("heading", ""), "lead": [entry["lead"]], "tail": tail}
        result.append({**texts, "page_break": bool(entry.get("breaks")), "rows": [[part] for part in parts]})
    return result


def make_book(book: Json, entries: list[Json], prose: list[str]) -> tuple[bytes, list[Table]]:
    """The PDF of a book, and its tables with the pages on which they were set."""
    pdf, places = set_pages(DATA / "layout.typ", {**book, "exhibits": exhibits(entries, prose)})
    pages = {place["id"]: place["page"] for place in places}
    tables = []
    for entry in entries:
        table = read_table(entry)
        for part in slices(table, entry):
            page = pages[f"{table.id}/{part.first_row}"]
            table.parts.append(Part(page, part.first_row, part.end_row, part.caption, part.head_repeated))
        tables.append(table)
    return pdf, tables


def make(folder: Path) -> list[Table]:
    """Writes the books and `truth.jsonl`; returns the tables in the order in which they are printed."""
    data = tomllib.loads((DATA / "tables.toml").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    tables: list[Table] = []
    for book in data["book"]:
        entries = [entry for entry in data["table"] if entry["book"] == book["id"]]
        pdf, printed = make_book(book, entries, book["prose"])
        (folder / f"{book['id']}.pdf").write_bytes(pdf)
        tables += printed
    lines = [json.dumps(asdict(table), ensure_ascii=False) + "\n" for table in tables]
    (folder / "truth.jsonl").write_text("".join(lines), encoding="utf-8")
    return tables
