"""What other readers of PDF make of a page, in the terms of these benchmarks."""

import contextlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pymupdf

from common import NotHere

HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+)$")
MARKUP = re.compile(r"\*\*|__|[*_`]|<br>|</?[a-z]+>|\[\^?\d+\]")
RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
Grid = list[list[str]]


@cache
def markdown_pages(path: Path) -> tuple[str, ...]:
    """The Markdown that pymupdf4llm makes of each page. Raises NotHere where it is not installed."""
    pymupdf.set_messages(stream=sys.stderr)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            import pymupdf4llm
        except ImportError:
            raise NotHere("pymupdf4llm is not installed") from None
        chunks = pymupdf4llm.to_markdown(str(path), page_chunks=True, show_progress=False)
    return tuple(chunk["text"] for chunk in chunks)


def markdown_headings(path: Path) -> Iterator[tuple[int, str, int]]:
    """Page, text and level, counted from 1, of each heading."""
    for page, text in enumerate(markdown_pages(path), start=1):
        for line in text.splitlines():
            if found := HEADING.match(line.strip()):
                yield page, plain(found["title"]), len(found["marks"])


def markdown_tables(path: Path) -> Iterator[list[Grid]]:
    """The tables of each page; a column's invented name such as `Col2` counts as an empty cell."""
    for text in markdown_pages(path):
        found: list[Grid] = []
        inside = False
        for line in map(str.strip, text.splitlines()):
            row = line.startswith("|") and line.endswith("|")
            if row and not inside:
                found.append([])
            if row and not RULE.match(line):
                found[-1].append([re.sub(r"^Col\d+$", "", plain(cell)) for cell in line[1:-1].split("|")])
            inside = row
        yield found


def pymupdf_tables(path: Path) -> Iterator[list[Grid]]:
    with pymupdf.open(path) as document:
        for page in document:
            yield [squeezed(table.extract()) for table in page.find_tables().tables]


def pdfplumber_tables(path: Path) -> Iterator[list[Grid]]:
    try:
        import pdfplumber
    except ImportError:
        raise NotHere("pdfplumber is not installed") from None
    with pdfplumber.open(path) as document:
        for page in document.pages:
            yield [squeezed(grid) for grid in page.extract_tables()]


def squeezed(grid: list[list[str | None]]) -> Grid:
    return [[" ".join((cell or "").split()) for cell in row] for row in grid]


def plain(text: str) -> str:
    return " ".join(MARKUP.sub(" ", text.replace("<br>", " ")).split())
