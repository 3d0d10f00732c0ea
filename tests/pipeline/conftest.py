"""A workspace with a small list, and a tiny language model."""

from pathlib import Path

import pymupdf
import pytest
from tiny_model import save_tiny_model

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar"

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).
- Pastaba. Be neigimo galininkas – ne klaida: Matau kalnus.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with one source, two reviewers and nothing built."""
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "pairwright.toml").write_text(
        '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 1\n', encoding="utf-8"
    )
    return root


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "sarasas.md"
    path.write_text(LIST, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny-gpt2")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A bare copy of the first five pages of the sample grammar."""
    path = tmp_path / "kalba.pdf"
    with pymupdf.open(SAMPLE / "book.pdf") as document:
        document.select(range(5))
        document.save(path)
    return path
