"""Workspaces as they are before a command that is killed."""

from pathlib import Path

import pymupdf
import pytest
from killed_parts import SAMPLE, SETTINGS, STEMS, VERBS, register, run
from workspace_parts import approve_all


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
