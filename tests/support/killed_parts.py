"""What is built before a command is killed."""

import csv
import io
import shutil
from pathlib import Path

from kills import Preloaded
from source_folders import write_source

SETTINGS = '[review]\nreviewers = ["ana", "jonas"]\n[ingest]\nworkers = 2\n'
STEMS = ("kaln", "mišk", "ežer", "nam", "stal", "lang", "lauk", "draug", "vaik", "tilt", "kiem", "pien", "med", "laik")
VERBS = ("Nematau", "Neturiu", "Neradau", "Negirdžiu", "Nesuprantu", "Nepiešiu", "Nevaizduoju", "Neaprašau")
SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar" / "book.pdf"


def register(workspace: Path, document: Path, kind: str) -> None:
    """A source with one document, inside the workspace, so that copies of the workspace are alike."""
    folder = workspace / "sources" / document.stem
    folder.mkdir(parents=True)
    shutil.move(document, folder)
    write_source(folder, document.name, kind=kind, licence="unknown")


def run(*arguments: str | Path) -> None:
    process = Preloaded(*arguments)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a reviewer's sheet."""
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))
