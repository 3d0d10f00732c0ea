"""Pages read by processes of their own: the same blocks, each page once, and no page that stops the rest."""

import zlib
from pathlib import Path
from typing import Literal

import pymupdf
import pytest

from made_records import make_source
from pairwright.core.config import IngestSettings, OcrSettings
from pairwright.core.errors import ConfigError, SourceError
from pairwright.documents.read.pool import ReadJob, book_job, linked_pages, prepare_book, read_into
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.languages import load_language


def book_of(path: Path, n_pages: int) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(1, n_pages + 1):
        page = document.new_page(width=400, height=600)
        page.insert_text((50, 80), f"{number} Noun classes of kind {number}", fontsize=16, fontname="hebo")
        for line in range(12):
            page.insert_text(
                (50, 120 + 14 * line), f"The noun of line {line} on page {number} stands alone.", fontsize=10
            )
    document.save(path)
    return document


def fill_page(document: pymupdf.Document, number: int, content: bytes) -> None:
    """Puts a content stream of `content` on a page, packed."""
    page = document[number - 1]
    reference = page.get_contents()[0]
    document.update_stream(reference, b" ", compress=False)
    document.xref_set_key(reference, "Filter", "/FlateDecode")
    document.update_stream(reference, zlib.compress(content, 9), compress=False, new=False)
    document.xref_set_key(reference, "Filter", "/FlateDecode")


def job_of(path: Path, reader: Literal["text", "ocr"] | None = None, **settings: object) -> ReadJob:
    source = make_source(path, id="grammar", kind="grammar-book")
    changed = IngestSettings.model_validate(settings)
    return book_job(path, source, source.files[0], load_language("lt"), changed, path.parent / "cache", reader)


@pytest.fixture
def job(tmp_path: Path) -> ReadJob:
    path = tmp_path / "grammar.pdf"
    book_of(path, 5)
    return job_of(path)


def test_processes_give_what_one_reader_gives(job: ReadJob) -> None:
    book = prepare_book(job)
    seen: list[int] = []
    failed = read_into(job, range(1, 6), workers=2, on_page=seen.append)
    assert failed == {}
    assert sorted(seen) == [1, 2, 3, 4, 5]
    job.page_path(2).unlink()
    assert job.missing(range(1, 6)) == [2]
    read_into(job, [2], workers=1)
    alone = link(read_pages(learn_book(job.path, "grammar", name="grammar.pdf")))
    assert list(linked_pages(book, job, range(1, 6), failed)) == list(alone)


def test_other_settings_other_pages(job: ReadJob) -> None:
    assert job_of(job.path, "ocr").directory != job.directory
    assert job_of(job.path, ocr=OcrSettings(threads=7), page_memory_mb=300).directory == job.directory


@pytest.mark.slow
def test_a_page_that_takes_all_memory_is_rejected_and_the_rest_read(job: ReadJob) -> None:
    with pymupdf.open(job.path) as document:
        fill_page(document, 3, b"BT /hebo 9 Tf 50 99 Td (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n" * 120_000)
        document.save(job.path.with_name("bomb.pdf"))
    small = job_of(job.path.with_name("bomb.pdf"), page_memory_mb=300)
    book = prepare_book(small)
    failed = read_into(small, range(1, 6), workers=1)
    pages = list(linked_pages(book, small, range(1, 6), failed))
    assert [bool(page.blocks) for page in pages] == [True, True, False, True, True]
    assert pages[2].rejections[0].page == 3
    with pytest.raises(SourceError, match=r"bomb\.pdf: page 3: "):
        read_into(small, [3], workers=1, strict=True)


@pytest.mark.slow
def test_a_page_that_takes_too_long_is_rejected_and_the_rest_read(job: ReadJob) -> None:
    with pymupdf.open(job.path) as document:
        fill_page(document, 3, b"BT /hebo 9 Tf 50 99 Td (aaaa) Tj ET\n" * 30_000_000)
        document.save(job.path.with_name("slow.pdf"))
    slow = job_of(job.path.with_name("slow.pdf"), page_memory_mb=100_000, page_seconds=10)
    book = prepare_book(slow)
    failed = read_into(slow, range(1, 6), workers=1)
    assert list(failed) == [3]
    assert "10 seconds" in failed[3]
    assert len([page for page in linked_pages(book, slow, range(1, 6), failed) if page.blocks]) == 4


@pytest.mark.slow
def test_a_missing_model_stops_the_run(job: ReadJob) -> None:
    ocr = job_of(job.path, "ocr", ocr=OcrSettings(recognition="no_such_rec"))
    prepare_book(ocr)
    with pytest.raises(ConfigError, match="no_such_rec"):
        read_into(ocr, [1, 2], workers=1)
