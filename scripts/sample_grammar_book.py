"""The parts of sources/lt-sample-grammar/book.toml: their fields, their numbers and what must hold of them."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

BOOK = Path(__file__).resolve().parent.parent / "sources" / "lt-sample-grammar" / "book.toml"
CATEGORY = re.compile(r"(?<![A-Za-z])(?P<person>\d?)(?P<category>[A-Z]+)(?![a-z])")


class BookError(ValueError):
    """A fault of book.toml, in one line that names the piece."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(Part):
    """One glossed sentence. `intended` marks a translation of what the sentence was meant to say."""

    object: str
    gloss: str | None = None
    segmented: str | None = None
    translation: str | None = None
    judgement: Literal["", "*", "??", "#"] = ""
    intended: bool = False
    reference: str | None = None
    counterpart: str | None = None
    page_break: bool = False


class Cell(Part):
    text: str
    rows: int = 1
    columns: int = 1


class Footnote(Part):
    text: str
    line: tuple[Line, ...] = ()


class Block(Part):
    """A piece of the book. Which fields it uses depends on its kind."""

    kind: Literal["heading", "paragraph", "reference", "list", "terms", "wordlist", "table", "example"]
    id: str | None = None
    level: int = 0
    title: str = ""
    text: str = ""
    items: tuple[str, ...] = ()
    entries: tuple[str | tuple[str, str], ...] = ()
    line: tuple[Line, ...] = ()
    language: str | None = None
    side_by_side: bool = False
    caption: str = ""
    style: Literal["ruled", "booktabs"] = "ruled"
    header_rows: int = 0
    italic_columns: tuple[int, ...] = ()
    rows: tuple[tuple[str | Cell, ...], ...] = ()
    page_break: bool = False


class Book(Part):
    title: str
    subtitle: str
    author: str
    footnotes: dict[str, Footnote] = Field(default_factory=dict)
    block: tuple[Block, ...]


def read_book(path: Path = BOOK) -> Book:
    """The book as validated parts. Raises BookError for the first fault."""
    try:
        return Book.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as fault:
        raise BookError(f"not valid TOML: {fault}") from None
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BookError(f"{place} (blocks count from 0): {first['msg']}") from None


def number_pieces(book: Book) -> dict[str, str]:
    """The printed number of every heading, example and table that has an id; unnumbered headings have none."""
    counters, examples, tables = [0, 0, 0], 0, 0
    numbers: dict[str, str] = {}
    for block in book.block:
        if block.kind == "heading" and block.id:
            counters[block.level - 1] += 1
            counters[block.level :] = [0] * (3 - block.level)
            number = ".".join(str(count) for count in counters[: block.level])
        elif block.kind == "example":
            examples += 1
            number = str(examples)
        elif block.kind == "table":
            tables += 1
            number = str(tables)
        else:
            continue
        if not block.id or block.id in numbers:
            raise BookError(f"{block.kind} {number}: the id {block.id!r} is missing or used twice")
        numbers[block.id] = number
    return numbers


def check_alignment(name: str, words: dict[str, list[str]]) -> None:
    """Raises BookError unless the lines have equally many words, and a segmented word as many hyphens as its gloss."""
    if len({len(line) for line in words.values()}) > 1:
        counts = ", ".join(f"{kind} {len(line)}" for kind, line in words.items())
        raise BookError(f"{name}: the lines differ in the number of words ({counts})")
    for morphemes, gloss in zip(words.get("segmented", ()), words.get("gloss", ()), strict=False):
        if morphemes.count("-") != gloss.count("-"):
            raise BookError(f"{name}: {morphemes!r} and {gloss!r} differ in the number of morphemes")


def placed(rows: tuple[tuple[str | Cell, ...], ...]) -> Iterator[tuple[int, int, Cell]]:
    """Each cell with its column and row, counted from 0, past the places that merged cells cover."""
    taken: set[tuple[int, int]] = set()
    for y, row in enumerate(rows):
        x = 0
        for entry in row:
            cell = entry if isinstance(entry, Cell) else Cell(text=entry)
            while (x, y) in taken:
                x += 1
            taken |= {(x + dx, y + dy) for dx in range(cell.columns) for dy in range(cell.rows)}
            yield x, y, cell
