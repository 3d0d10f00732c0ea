"""A small book."""

from pathlib import Path

import pymupdf
import pytest

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A bare copy of the first five pages of the sample grammar."""
    path = tmp_path / "kalba.pdf"
    with pymupdf.open(SAMPLE / "book.pdf") as document:
        document.select(range(5))
        document.save(path)
    return path
