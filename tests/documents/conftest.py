"""Documents that tests write to disk and read again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from made_records import make_source
from pairwright.core.records import Block, SourceKind
from pairwright.documents.flowing.reader import read_text_document


@pytest.fixture(scope="session")
def read_file() -> Callable[..., list[Block]]:
    """Reads a file, as a grammar or an error list, that the source calls `texts/<name>`."""

    def read(path: Path, max_bytes: int = 5_000_000, kind: SourceKind = "grammar-book") -> list[Block]:
        return list(read_text_document(path, f"texts/{path.name}", make_source(kind=kind), max_bytes))

    return read


@pytest.fixture(scope="session")
def read_text(
    read_file: Callable[..., list[Block]], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Block]]:
    """Reads a text, as a grammar or an error list, of the format that its ending names."""
    folder = tmp_path_factory.mktemp("texts")

    def read(text: str, suffix: str, kind: SourceKind = "grammar-book") -> list[Block]:
        path = folder / f"grammar{suffix}"
        path.write_text(text, encoding="utf-8")
        return read_file(path, kind=kind)

    return read
