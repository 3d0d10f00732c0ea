"""Grammars that tests write to disk and read again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.ingest.text.reader import read_grammar
from pairwright.records import Block, Source, SourceFile


@pytest.fixture(scope="session")
def read_file() -> Callable[..., list[Block]]:
    """Reads a grammar file as the source calls it `texts/<name>`."""
    source = Source(
        id="grammar",
        title="A grammar",
        language="lt",
        kind="grammar-book",
        licence="CC0-1.0",
        citation="A grammar",
        files=(SourceFile(path="grammar.md", sha256="0" * 64),),
    )

    def read(path: Path, encoding: str = "utf-8", max_bytes: int = 5_000_000) -> list[Block]:
        return list(read_grammar(path, f"texts/{path.name}", source, encoding, max_bytes))

    return read


@pytest.fixture(scope="session")
def read_text(
    read_file: Callable[..., list[Block]], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Block]]:
    """Reads a text as a grammar of the format that its ending names."""
    folder = tmp_path_factory.mktemp("grammars")

    def read(text: str, suffix: str) -> list[Block]:
        path = folder / f"grammar{suffix}"
        path.write_text(text, encoding="utf-8")
        return read_file(path)

    return read
