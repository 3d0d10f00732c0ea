"""The documents that the benchmarks set, and the page of their figures."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

import all as all_benchmarks
import layouts as made_grammars
import made_tables

Json = dict[str, Any]
LIGATURES = str.maketrans({"ﬃ": "ffi", "ﬄ": "ffl", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl"})


def squeezed(text: str) -> str:
    """A text without spaces, ligatures and capitals."""
    return "".join(text.translate(LIGATURES).casefold().split())


def page_texts(path: Path) -> list[str]:
    with pymupdf.open(path) as document:
        return [page.get_text() for page in document]


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Json]]:
    folder = tmp_path_factory.mktemp("layouts")
    return folder, made_grammars.make(folder)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[made_tables.Table]]:
    folder = tmp_path_factory.mktemp("tables")
    return folder, made_tables.make(folder)


def test_every_cell_stands_on_the_page_of_its_part(tables: tuple[Path, list[made_tables.Table]]) -> None:
    folder, truth = tables
    pages = {book: page_texts(folder / f"{book}.pdf") for book in {table.book for table in truth}}
    for table in truth:
        for part in table.parts:
            text = squeezed(pages[table.book][part.page - 1])
            cells = [cell for row in table.cells[part.first_row : part.end_row] for cell in row]
            assert [cell for cell in [part.caption, *cells] if squeezed(cell) not in text] == []
    assert len(truth) == 40


@pytest.mark.parametrize("name", ["one", "two", "three", "four"])
def test_every_star_on_the_pages_is_a_pair_or_a_trap(layouts: tuple[Path, dict[str, Json]], name: str) -> None:
    folder, truths = layouts
    truth = truths[name]
    on_pages = "".join(page_texts(folder / f"{name}.pdf")).count("*")
    starred = sum(line["judgement"] == "*" for example in truth["examples"] for line in example["lines"])
    choices = [pair for pair in truth["pairs"] if pair["kind"] in ("alternative", "optional", "obligatory")]
    words = [pair for pair in truth["pairs"] if pair["kind"] == "words"]
    whole = [trap for trap in truth["traps"] if trap["text"] in {f"*{line}" for line in object_lines(truth)}]
    # A choice stands in the line as it is said and in the line of morphemes; a note has its mark twice.
    times = 2 if name == "two" else 1
    expected = starred + times * len(choices) + len(words) + len(truth["traps"]) - len(whole) + 1
    assert on_pages == expected
    assert starred == len(truth["pairs"]) - len(choices) - len(words) + len(whole)


def object_lines(truth: Json) -> Iterator[str]:
    for line in (line for example in truth["examples"] for line in example["lines"]):
        yield line["surface"] or line["segmentation"]


def test_every_command_of_the_page_has_a_benchmark() -> None:
    page = all_benchmarks.PAGE.read_text(encoding="utf-8")
    names = [match["name"].split(".") for match in all_benchmarks.COMMAND.finditer(page)]
    assert page.count("all.py DATA ") == len(names) + 1  # the command that writes the whole page
    for module, function in names:
        assert callable(getattr(importlib.import_module(module), function))


def test_figures_that_cannot_be_measured_stay_and_say_why(tmp_path: Path) -> None:
    old = "    python benchmarks/all.py DATA grammars.examples    # 1 May 2026\n\n| book |\n|---|\n| A |\n\n"
    match = all_benchmarks.COMMAND.search(old)
    assert match
    for _ in range(2):  # the reason stands there once, however often it is said
        text = all_benchmarks.renewed(match, tmp_path, [], timings=False)
        assert text.splitlines()[0].endswith("# 1 May 2026")
        assert text.count("*Not measured:") == 1
        assert "| A |" in text
        match = all_benchmarks.COMMAND.search(text)
        assert match
