"""Grammar books through `pairwright ingest`, as its user runs it."""

import shutil
from pathlib import Path

import pymupdf
import pytest
from command_lines import Run

from pairwright.core.records import Block, Rejection
from pairwright.core.store import read_jsonl

AES_256 = getattr(pymupdf, "PDF_ENCRYPT_AES_256")  # noqa: B009


def blocks_of(workspace: Path, source: str) -> list[Block]:
    return list(read_jsonl(workspace / "output" / "work" / source / "blocks.jsonl", Block))


def test_pages_are_chosen_and_those_that_were_read_are_not_read_again(workspace: Path, book: Path, run: Run) -> None:
    run("build", book, "--until", "blocks", "--language", "lt", "--workspace", workspace)
    whole = blocks_of(workspace, "kalba")
    assert {block.kind for block in whole} >= {"heading", "paragraph", "table", "gloss"}
    assert all(block.bbox and block.reader for block in whole)
    shutil.rmtree(workspace / "output" / "work")
    for number in (2, 5):
        next((workspace / "output" / "cache" / "pages").glob(f"*/0000{number}.json")).unlink()
    _, out, _ = run("build", "kalba", "--until", "blocks", "--workspace", workspace)
    assert "2 read from" in out
    assert blocks_of(workspace, "kalba") == whole
    toml = workspace / "sources" / "kalba" / "source.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text("pages = [2, 3]\n" + text, encoding="utf-8")
    run.done("build", "kalba", "--until", "blocks", "--workspace", workspace)
    assert {block.page for block in blocks_of(workspace, "kalba")} == {2, 3}
    toml.write_text("pages = [4, 9]\n" + text, encoding="utf-8")
    assert "pages 4-9 of 5" in run.refused("build", "kalba", "--until", "blocks", "--workspace", workspace)


def test_an_encrypted_book_asks_for_its_password(
    workspace: Path, book: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIRWRIGHT_PDF_PASSWORD", "")
    monkeypatch.delenv("PAIRWRIGHT_PDF_PASSWORD")
    locked = book.with_name("locked.pdf")
    with pymupdf.open(book) as document:
        document.save(locked, encryption=AES_256, user_pw="slaptas-raktas", owner_pw="x")
    err = run.refused("build", locked, "--until", "blocks", "--language", "lt", "--workspace", workspace)
    assert "--password" in err
    assert not (workspace / "sources").exists()
    arguments = (locked, "--language", "lt", "--workspace", workspace, "--password", "slaptas-raktas")
    run.done("build", *arguments, "--until", "blocks")
    assert blocks_of(workspace, "locked")
    for path in workspace.rglob("*"):
        assert path.is_dir() or b"slaptas-raktas" not in path.read_bytes()


@pytest.fixture
def torn(book: Path) -> Path:
    """The book with a third page whose picture says that it has more pixels than any memory."""
    path = book.with_name("torn.pdf")
    with pymupdf.open(book) as document:
        page = document.new_page(2)
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8), False))
        for side in ("Width", "Height"):
            document.xref_set_key(page.get_images()[0][0], side, "60000")
        document.save(path)
    return path


def test_a_page_that_can_not_be_read_keeps_its_reason_and_strict_stops_there(
    workspace: Path, torn: Path, run: Run
) -> None:
    arguments = ("build", torn, "--until", "blocks", "--language", "lt", "--workspace", workspace)
    # Strict before anything was read, and after that.
    for strict in (True, False, True):
        code, out, err = run(*arguments, *(["--strict"] if strict else []))
        assert (code, err.count("\n")) == ((2, 1) if strict else (0, 0))
        assert ("can't be read" in err or "page 3" in err) if strict else "1 rejected with reasons" in out
    [rejection] = read_jsonl(workspace / "output" / "work" / "torn" / "blocks.rejected.jsonl", Rejection)
    assert rejection.page == 3
    assert "60000" in rejection.reason
    assert {block.page for block in blocks_of(workspace, "torn")} == {1, 2, 4, 5, 6}
