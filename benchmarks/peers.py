"""What pymupdf4llm makes of a PDF, in the terms of these benchmarks: its Markdown read back, page by page."""

import contextlib
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pymupdf

HEADING = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+)$")
MARKUP = re.compile(r"\*\*|__|[*_`]|<br>|</?[a-z]+>|\[\^?\d+\]")
RULE = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")


def markdown_pages(path: Path) -> list[str]:
    """The Markdown of each page."""
    pymupdf.set_messages(stream=sys.stderr)
    with contextlib.redirect_stdout(sys.stderr):
        peer = importlib.import_module("pymupdf4llm")
        chunks = peer.to_markdown(str(path), page_chunks=True, show_progress=False)
    return [chunk["text"] for chunk in chunks]


def headings(markdown: str) -> Iterator[tuple[int, str]]:
    """The headings of a page: their level, counted from 1, and their text."""
    for line in markdown.splitlines():
        found = HEADING.match(line.strip())
        if found:
            yield len(found["marks"]), plain(found["title"])


def tables(markdown: str) -> list[list[list[str]]]:
    """The tables of a page, row by row; a column's invented name such as `Col2` counts as an empty cell."""
    found: list[list[list[str]]] = []
    inside = False
    for line in markdown.splitlines():
        bare = line.strip()
        row = bare.startswith("|") and bare.endswith("|")
        if row and not inside:
            found.append([])
        if row and not RULE.match(bare):
            found[-1].append([re.sub(r"^Col\d+$", "", plain(cell)) for cell in bare[1:-1].split("|")])
        inside = row
    return found


def plain(text: str) -> str:
    return " ".join(MARKUP.sub(" ", text.replace("<br>", " ")).split())
