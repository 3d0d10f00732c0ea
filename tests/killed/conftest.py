"""Workspaces as they are before a command that is killed."""

import csv
import io
import shutil
from pathlib import Path

import pymupdf
import pytest
from kills import start
from tiny_model import save_tiny_model
from workspace_parts import approve_all

from pairwright.ids import file_sha256

SETTINGS = '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 2\n'
STEMS = ("kaln", "mišk", "ežer", "nam", "stal", "lang", "lauk", "draug", "vaik", "tilt", "kiem", "pien", "med", "laik")
VERBS = ("Nematau", "Neturiu", "Neradau", "Negirdžiu", "Nesuprantu", "Nepiešiu", "Nevaizduoju", "Neaprašau")
SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar" / "book.pdf"


def register(workspace: Path, document: Path, kind: str) -> None:
    """A source with one document, inside the workspace, so that copies of the workspace are alike."""
    folder = workspace / "sources" / document.stem
    folder.mkdir(parents=True)
    shutil.move(document, folder)
    (folder / "source.toml").write_text(
        f'id = "{document.stem}"\ntitle = "{document.stem}"\nlanguage = "lt"\nkind = "{kind}"\nlicence = "unknown"\n'
        f'citation = "{document.name}"\n[[files]]\npath = "{document.name}"\n'
        f'sha256 = "{file_sha256(folder / document.name)}"\n',
        encoding="utf-8",
    )


def run(*arguments: str | Path) -> None:
    process = start(*arguments)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a reviewer's sheet."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny-gpt2")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    root = tmp_path / "before"
    root.mkdir()
    (root / "pairwright.toml").write_text(SETTINGS, encoding="utf-8")
    return root


@pytest.fixture
def listed(empty: Path, tmp_path: Path) -> Path:
    """A workspace with an error list of some hundred corrections, of which nothing is built."""
    rules = (
        f"## 1.{number}. Galininkas nevartotinas po {verb}:\n"
        + "".join(f"- {verb} {stem}ą (= {stem}o) prie kelio.\n" for stem in STEMS)
        for number, verb in enumerate(VERBS, start=1)
    )
    document = tmp_path / "sarasas.md"
    document.write_text("# Linksniai\n\n" + "\n".join(rules), encoding="utf-8")
    register(empty, document, "error-list")
    return empty


@pytest.fixture
def decided(listed: Path) -> Path:
    """The same workspace, built, and both reviewers have approved every pair in their sheets."""
    run("build", "sarasas", "--workspace", listed)
    approve_all(listed)
    return listed


@pytest.fixture
def book(empty: Path, tmp_path: Path) -> Path:
    """A workspace with a grammar book of eight pages."""
    path = tmp_path / "kalba.pdf"
    with pymupdf.open(SAMPLE) as document:
        document.select(range(8))
        document.save(path)
    register(empty, path, "grammar-book")
    return empty
