"""Documents made to eat time or memory: each is read, or refused with one line, within its limits."""

import os
import re
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import docx
import psutil
import pypandoc
import pytest
from docx.oxml.ns import qn

from made_records import make_source
from pairwright.core.config import IngestSettings
from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Source, SourceFile
from pairwright.documents.flowing.reader import read_text_document
from pairwright.pipeline.ingest import read_document

MAX_BYTES = 5_000_000


def described(path: Path) -> tuple[Source, SourceFile]:
    source = make_source(path, kind="grammar-book")
    return source, source.files[0]


def read(path: Path) -> list[Block]:
    return list(read_text_document(path, path.name, described(path)[0], MAX_BYTES))


def read_apart(path: Path, **limits: float) -> tuple[Block, ...]:
    """In a process of its own, as the commands do."""
    read = read_document(path.parent, *described(path), IngestSettings().model_copy(update=limits))
    return tuple(record for record in read if isinstance(record, Block))


def docx_with_span(path: Path, span: int, n_rows: int = 1) -> Path:
    document = docx.Document()
    table = document.add_table(n_rows, 2)
    for row in table.rows:
        row.cells[0].text = "kalnas"
        table._tbl.tr_lst[0].tc_lst[0].get_or_add_tcPr().get_or_add_gridSpan().set(qn("w:val"), str(span))
    document.save(str(path))
    return path


def test_a_cell_fills_no_more_columns_than_a_table_can_have(tmp_path: Path) -> None:
    (table,) = read(docx_with_span(tmp_path / "book.docx", 200_000_000))
    assert table.cells is not None
    assert table.cells[0][0] == "kalnas"
    assert len(table.cells[0]) < 100


@pytest.mark.parametrize("name", ["book.epub", "book.docx"])
def test_entities_of_entities_are_not_expanded(tmp_path: Path, name: str) -> None:
    names = "abcdefghij"
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(names))
    declaration = f"<!DOCTYPE html [<!ENTITY a 'lol'>{entities}]>"
    path = tmp_path / name
    pypandoc.convert_text("one jot", name.rpartition(".")[2], "markdown", outputfile=str(path))
    with zipfile.ZipFile(path) as archive:
        members = {item: archive.read(item) for item in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for item, data in members.items():
            bomb = re.sub(rb"(<(?:html|w:document)\b)", declaration.encode() + rb"\1", data, count=1)
            archive.writestr(item, bomb.replace(b"one jot", b"one &j;") if b"one jot" in data else data)
    with suppress(SourceError):
        assert sum(len(block.text) for block in read(path)) < 2_000


def zip_bomb(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(20_000_000))
    return path


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "bomb.docx": (zip_bomb, "20,000,000 bytes unpacked"),
    "deep.html": (lambda path: path.write_text("<div>" * 100_000 + "words"), "nested too deeply"),
    "wide.html": (
        lambda path: path.write_text("<table><tr>" + "<td colspan=999999>x" * 2_000 + "</table>"),
        "more than 1,000,000 cells",
    ),
    "tall.html": (
        lambda path: path.write_text(
            "<table><tr><td rowspan=1000000000 colspan=1000>x" + "<tr><td>y" * 2_000 + "</table>"
        ),
        "more than 1,000,000 cells",
    ),
    "field.csv": (lambda path: path.write_text('a,"' + "x" * 4_000_000), "not a CSV row: field larger"),
    "long.csv": (lambda path: path.write_bytes(b"a" * 6_000_000), "bytes, more than the 5,000,000"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_made_to_swell_is_refused_with_one_line(name: str, tmp_path: Path) -> None:
    make, reason = REFUSED[name]
    make(tmp_path / name)
    with pytest.raises(SourceError, match=reason) as fault:
        read(tmp_path / name)
    assert name in str(fault.value)


@pytest.mark.parametrize("text", [">" * 20_000 + "a", "[" * 20_000, "*a_" * 5_000, "- " * 5_000 + "a", "`" * 20_001])
def test_markdown_that_nests_without_end_is_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.md"
    path.write_text(text, encoding="utf-8")
    started = time.process_time()
    read(path)
    assert time.process_time() - started < 5


def test_a_document_that_takes_too_long_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("word *and* word\n\n" * 100_000, encoding="utf-8")
    with pytest.raises(
        SourceError, match=r"long\.md: can't be read: took more than 0\.\d+ seconds; .*document_seconds"
    ):
        read_apart(path, document_seconds=0.5)


@pytest.mark.skipif(os.name != "posix", reason="no limit of memory elsewhere")
def test_a_document_that_takes_too_much_memory_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"words " * 8_000_000)
    with pytest.raises(SourceError, match=r"large\.txt: .*needs more than 256 MB"):
        read_apart(path, page_memory_mb=256, max_bytes=100_000_000)


def test_a_document_that_changes_after_it_was_described_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_text("Some words.", encoding="utf-8")
    source, file = described(path)
    path.write_text("Other words.", encoding="utf-8")
    with pytest.raises(SourceError, match=r"list\.md: the file has changed since it was looked at; run again"):
        read_document(tmp_path, source, file, IngestSettings())


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere no process ends those that it has started")
def test_a_reader_that_is_ended_takes_pandoc_along(tmp_path: Path) -> None:
    path = tmp_path / "grammar.tex"
    path.write_text(r"\begin{document}" + r"\textit{word} \begin{itemize}\item x\end{itemize} " * 200_000)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(read_apart, path, document_seconds=4)
        started: set[psutil.Process] = set()
        while not read.done():
            started.update(child for child in psutil.Process().children(recursive=True) if child.name() == "pandoc")
            time.sleep(0.1)
    with pytest.raises(SourceError, match=r"took more than"):
        read.result()
    assert started
    # A process that nobody has asked after is still listed, and holds nothing.
    assert all(not child.is_running() or child.status() == "zombie" for child in psutil.wait_procs(started, 5)[1])
