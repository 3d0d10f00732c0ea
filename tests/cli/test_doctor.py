"""What the doctor says of a workspace: what it lacks, what that costs, and what to do."""

from pathlib import Path

import pytest

from pairwright.cli.inspect.doctor import doctor_lines
from pairwright.ids import file_sha256
from pairwright.workspace import Workspace


def lacks(root: Path) -> list[str]:
    return [line.split("missing: ")[1] for line in doctor_lines(Workspace(root)) if line.startswith("  missing: ")]


def source(root: Path, source_id: str, language: str, licence: str) -> Path:
    folder = root / "sources" / source_id
    folder.mkdir(parents=True)
    path = folder / "list.md"
    path.write_text(f"{source_id} (= x).", encoding="utf-8")
    (folder / "source.toml").write_text(
        f'id = "{source_id}"\ntitle = "T"\nlanguage = "{language}"\nkind = "error-list"\nlicence = "{licence}"\n'
        f'citation = "C"\n[[files]]\npath = "list.md"\nsha256 = "{file_sha256(path)}"\n',
        encoding="utf-8",
    )
    return path


def test_an_empty_workspace_lacks_a_source(tmp_path: Path) -> None:
    assert lacks(tmp_path) == ["no source yet; run: pairwright build FILE --language CODE"]


def test_each_lack_says_what_it_costs_and_what_to_do(tmp_path: Path) -> None:
    source(tmp_path, "one", "sje", "unknown")
    source(tmp_path, "two", "lb", "CC0-1.0")
    source(tmp_path, "three", "lt", "CC0-1.0").write_text("changed", encoding="utf-8")
    said = lacks(tmp_path)
    assert any("source one has no licence: no release may hold it" in line for line in said)
    assert any("source three can't be read" in line and "has changed" in line for line in said)
    assert any("language sje has no file" in line and "pairwright language add sje" in line for line in said)
    assert any("language lb has no spelling dictionary" in line for line in said)
    assert not any("language lt" in line for line in said)


def test_a_missing_tesseract_is_named_with_the_packages_that_bring_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pairwright.ingest.ocr.tesseract import installed_models

    monkeypatch.setenv("PATH", str(tmp_path))
    installed_models.cache_clear()
    try:
        (line,) = [line for line in doctor_lines(Workspace(tmp_path)) if line.startswith("tesseract")]
    finally:
        installed_models.cache_clear()
    assert "missing" in line
    assert "apt-get install tesseract-ocr tesseract-ocr-eng tesseract-ocr-ltz tesseract-ocr-lit" in line
