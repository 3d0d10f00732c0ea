"""`pairwright show`: what a person sees of a block, and one line for each fault."""

import shutil
from pathlib import Path

import pytest
from command_lines import Run
from source_folders import SAMPLE, sample_blocks, write_source

from pairwright.core.ids import content_id
from pairwright.core.records import Block
from pairwright.core.store import StageInput, read_jsonl, run_stage, write_jsonl
from pairwright.documents import STAGE


def add_source(root: Path, source_id: str, *files: Path) -> Path:
    """A source folder with copies of documents."""
    folder = root / "sources" / source_id
    folder.mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder / file.name)
    return write_source(folder, *(file.name for file in files), title=source_id, kind="grammar-book")


def add_blocks(root: Path, source_id: str, blocks: list[Block]) -> list[Block]:
    write_jsonl(root / "output" / "work" / source_id / "blocks.jsonl", blocks)
    return blocks


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample grammar, read, and with a list that is a text document."""
    root = tmp_path_factory.mktemp("workspace")
    add_source(root, "grammar", SAMPLE)
    add_blocks(root, "grammar", sample_blocks())
    text = root / "list.md"
    text.write_text("# Linksniai\n\nTrūksta \x1b[31m laiko.\n", encoding="utf-8")
    add_source(root, "list", text)
    known = {"source_id": "list", "file": "list.md", "page": 1, "reader": "text-document/1", "kind": "paragraph"}
    add_blocks(
        root,
        "list",
        [Block.model_validate({**known, "id": "block-" + 16 * "a", "text": "Trūksta \x1b[31m laiko.", "line": 3})],
    )
    return root


def blocks_of(workspace: Path) -> list[Block]:
    return list(read_jsonl(workspace / "output" / "work" / "grammar" / "blocks.jsonl", Block))


class TestPreview:
    def test_one_file_for_the_pages_in_a_folder_or_of_a_name_of_ones_own(
        self, workspace: Path, tmp_path: Path, run: Run
    ) -> None:
        path = workspace / "output" / "previews" / "grammar-4-5_7.html"
        out = run.done("show", "grammar", "--pages", "4-5,7", "--workspace", workspace)
        assert out.startswith(f"{path}: 3 pages, ")
        assert [item.name for item in path.parent.iterdir()] == [path.name]
        assert path.read_text(encoding="utf-8").count("<img ") == 3
        folder = workspace / "sources" / "grammar"
        run.done("show", folder, "--pages", "1", "--workspace", workspace, "--out", tmp_path / "own.html")
        run.done("show", folder, "--pages", "1", "--workspace", workspace, "--out", tmp_path / "new")
        assert (tmp_path / "own.html").exists()
        assert (tmp_path / "new" / "grammar-1.html").exists()

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("grammar", "--pages", "1-999"), "more than 300 pages"),
            (("grammar", "--pages", "99"), "page 99 of "),
            (("../../nowhere",), "no source of this id"),
            (("grammar", "--pages", "1", "--file", "other.pdf"), "no file 'other.pdf'; its files: book.pdf"),
            (("list", "--pages", "2"), "page 2 of 1"),
        ],
    )
    def test_a_fault_is_one_line_and_exit_code_2(
        self, workspace: Path, run: Run, arguments: tuple[str, ...], message: str
    ) -> None:
        assert message in run.refused("show", *arguments, "--workspace", workspace)

    def test_a_document_that_is_unread_has_changed_or_is_gone(self, workspace: Path, tmp_path: Path, run: Run) -> None:
        def fault() -> str:
            return run.refused("show", "grammar", "--pages", "1", "--workspace", tmp_path)

        document = add_source(tmp_path, "grammar", SAMPLE) / SAMPLE.name
        assert f"no blocks yet; run pairwright build grammar --workspace {tmp_path}" in fault()
        before = [StageInput(name=SAMPLE.name, sha256="0" * 64)]
        run_stage(tmp_path / "output" / "work" / "grammar", STAGE, before, lambda: iter(blocks_of(workspace)))
        assert "book.pdf is not the file that was read; run pairwright build" in fault()
        document.write_bytes(document.read_bytes() + b"\n")
        assert "has changed" in fault()
        document.unlink()
        assert "is missing" in fault()

    def test_one_of_several_files(self, workspace: Path, tmp_path: Path, run: Run) -> None:
        other = tmp_path / "other.pdf"
        other.write_bytes(SAMPLE.read_bytes() + b"% another\n")
        add_source(tmp_path, "grammar", SAMPLE, other)
        found = blocks_of(workspace)
        more = [item.model_copy(update={"file": "other.pdf", "id": content_id("block", item.id)}) for item in found]
        add_blocks(tmp_path, "grammar", [*found, *more])
        assert "several files (book.pdf, other.pdf); say which with --file" in run.refused(
            "show", "grammar", "--pages", "4", "--workspace", tmp_path
        )
        out = run.done("show", "grammar", "--pages", "4", "--file", "other.pdf", "--workspace", tmp_path)
        page = (tmp_path / "output" / "previews" / "grammar-other-4.html").read_text(encoding="utf-8")
        assert f"1 page, {sum(item.page == 4 for item in found)} blocks" in out
        assert all((item.id in page) == (item.page == 4) for item in more)
        assert not any(item.id in page for item in found)
