"""The sample grammar: its files are whole, its script makes them, and its truth says what its pages show."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from pairwright.core.records import Source
from pairwright.core.toml import read_toml

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "sources" / "lt-sample-grammar"
SCAN = ROOT / "sources" / "lt-sample-grammar-scan"
SIZE_LIMIT = 1_500_000

Record = dict[str, Any]


def read_truth(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def page_texts(path: Path) -> list[str]:
    with pymupdf.open(path) as document:
        return [page.get_text() for page in document]


def letters(text: str) -> str:
    """What is left when line breaks, divided words, the case of small capitals and footnote marks do not count."""
    return re.sub(r"[\s\d\u00ad]", "", text).casefold()


@pytest.fixture(scope="module")
def truth() -> list[Record]:
    return read_truth(BOOK / "truth.jsonl")


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return page_texts(BOOK / "book.pdf")


@pytest.fixture(scope="module")
def examples(truth: list[Record]) -> list[Record]:
    return [record for record in truth if record["kind"] == "gloss"]


@pytest.mark.parametrize("folder", [BOOK, SCAN], ids=lambda folder: folder.name)
def test_source_toml_describes_the_pdf_beside_it(folder: Path) -> None:
    source = read_toml(folder / "source.toml", Source)
    assert source.id == folder.name
    assert (source.language, source.kind, source.licence) == ("lt", "grammar-book", "CC0-1.0")
    for file in source.files:
        content = (folder / file.path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file.sha256
        assert len(content) < SIZE_LIMIT


def test_the_scan_shows_the_same_pages_as_images_without_text(pages: list[str]) -> None:
    with pymupdf.open(SCAN / "book-scan.pdf") as scan:
        assert len(scan) == len(pages)
        for page in scan:
            assert page.get_text().strip() == ""
            [image] = page.get_images()
            dots_per_inch = image[2] / page.rect.width * 72
            assert dots_per_inch == pytest.approx(200, rel=0.01)


def test_the_script_makes_the_same_text_and_the_same_truth(tmp_path: Path, pages: list[str]) -> None:
    pytest.importorskip("typst", reason="the typesetter is a development requirement: pip install typst")
    script = ROOT / "scripts" / "build_sample_grammar.py"
    subprocess.run([sys.executable, script, "--no-scan", "--out", tmp_path], check=True, capture_output=True)
    assert page_texts(tmp_path / BOOK.name / "book.pdf") == pages
    assert read_truth(tmp_path / BOOK.name / "truth.jsonl") == read_truth(BOOK / "truth.jsonl")


def test_every_line_of_an_example_stands_on_its_page(examples: list[Record], pages: list[str]) -> None:
    assert len({example["number"] for example in examples}) > 20
    for example in examples:
        text = letters(pages[example["page"] - 1])
        mark = example["judgement"] or ""
        first, *others = example["object"]
        words = [mark + first, *others, *(example["segmented"] or ()), *(example["gloss"] or ())]
        assert [word for word in words if letters(word) not in text] == []
        assert letters(example["translation"] or "") in text
        assert letters(f"[{example['reference']}]" if example["reference"] else "") in text


def test_every_other_piece_stands_on_its_page(truth: list[Record], pages: list[str]) -> None:
    for record in truth:
        first: int = record["page"]
        last: int = record.get("page_end", first)
        cells = [cell for row in record["cells"] for cell in row] if record["kind"] == "table" else [record["text"]]
        if record["kind"] == "gloss":
            continue
        if first == last:
            assert [cell for cell in cells if letters(cell) not in letters(pages[first - 1])] == []
        else:
            assert letters(record["text"])[:60] in letters(pages[first - 1])
            assert letters(record["text"])[-30:] in letters(pages[last - 1])


def test_the_outline_holds_the_headings(truth: list[Record]) -> None:
    headings = [
        [record["level"], f"{record['number'] or ''} {record['text']}".strip(), record["page"]]
        for record in truth
        if record["kind"] == "heading"
    ]
    with pymupdf.open(BOOK / "book.pdf") as document:
        assert [entry[:3] for entry in document.get_toc()] == headings


def test_each_marked_sentence_has_an_acceptable_counterpart(examples: list[Record]) -> None:
    by_name = {example["number"] + (example["letter"] or ""): example for example in examples}
    marked = [example for example in examples if example["judgement"]]
    assert {example["judgement"] for example in marked} == {"*", "??", "#"}
    for example in marked:
        good = by_name[example["counterpart"]]
        assert good["judgement"] is None
        assert good["text"] != example["text"]


def test_the_book_has_the_traps_of_real_grammars(truth: list[Record], examples: list[Record], pages: list[str]) -> None:
    page_of = {example["number"] + (example["letter"] or ""): example["page"] for example in examples}
    assert any(page_of.get(f"{n}b", 0) < page_of.get(f"{n}c", 0) for n in range(1, 60)), "letters go on over a page"
    assert any(example["footnote"] for example in examples), "an example in a footnote"
    assert any(record["text"].startswith("(9)") for record in truth if record["kind"] == "paragraph")
    assert {record["style"] for record in truth if record["kind"] == "table"} == {"ruled", "booktabs"}
    assert sum(text.count("\u00ad\n") for text in pages) >= 10, "words divided at the end of a line"
    assert any("page_end" in record for record in truth), "a paragraph that runs on to the next page"
