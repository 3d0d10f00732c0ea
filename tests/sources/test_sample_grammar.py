"""The sample grammar: its files are whole, and its script makes them and their truth."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from pairwright.core.ids import read_toml
from pairwright.core.records import Source

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


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return page_texts(BOOK / "book.pdf")


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
