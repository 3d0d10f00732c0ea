"""A reader of error lists for the tests: text in, rules and rejections out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from made_records import make_source
from pairwright.core.records import Rejection, Rule
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import load_language
from pairwright.sources.error_list.reader import read_error_list

ReadList = Callable[..., tuple[list[Rule], list[Rejection]]]


@pytest.fixture
def read_list(tmp_path: Path) -> ReadList:
    """Reads a list given as text; `suffix` is its format, `notation` and `language` as in source.toml;
    `workspace` may have the language's morphology."""

    def read(
        text: str,
        suffix: str = ".md",
        notation: str | None = "vlkk",
        language: str = "lt",
        workspace: Path | None = None,
    ) -> tuple[list[Rule], list[Rejection]]:
        path = tmp_path / f"list{suffix}"
        path.write_text(text, encoding="utf-8")
        source = make_source(path, language=language, notation=notation)
        blocks = read_text_document(path, path.name, source, "utf-8", 5_000_000)
        found = list(read_error_list(blocks, source, load_language(language, workspace), workspace))
        return [i for i in found if isinstance(i, Rule)], [i for i in found if isinstance(i, Rejection)]

    return read


@pytest.fixture
def read_pairs(read_list: ReadList) -> Callable[..., list[tuple[str, str]]]:
    """The (bad, good) pairs of a sentence or list in the order in which they come out."""

    def read(text: str, **options: str) -> list[tuple[str, str]]:
        rules, rejected = read_list(text, **options)
        assert rejected == []
        return [(e.bad, e.good) for rule in rules for e in rule.examples if e.bad is not None]

    return read
