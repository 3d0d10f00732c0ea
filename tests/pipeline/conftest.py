"""A small book, and a small release."""

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from workspace_parts import approve_all

Run = Callable[..., tuple[int, str, str]]
SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A bare copy of the first five pages of the sample grammar."""
    path = tmp_path / "kalba.pdf"
    with pymupdf.open(SAMPLE / "book.pdf") as document:
        document.select(range(5))
        document.save(path)
    return path


@pytest.fixture
def frozen(run: Run, workspace: Path, document: Path) -> Path:
    """A release of pairs that both reviewers approved."""
    at = ["--workspace", workspace]
    assert run("build", document, "--language", "lt", *at)[0] == 0
    approve_all(workspace)
    assert run("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)[0] == 0
    return workspace / "output" / "releases" / "lt-test-1.0.0"
