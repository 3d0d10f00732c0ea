"""What reviewers and users do to a workspace between the steps."""

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def sheet(workspace: Path, reviewer: str) -> Path:
    return workspace / "annotations" / "sarasas" / f"{reviewer}.csv"


def sheet_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a sheet."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))


def save_sheet(path: Path, rows: Sequence[Mapping[str, str]], encoding: str = "utf-8-sig") -> None:
    """Saves rows as a spreadsheet program would."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, rows[0].keys(), delimiter=";", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding, errors="replace"))


def decide(path: Path, word: str) -> None:
    """Writes one decision into every row that has none."""
    save_sheet(path, [row | {"Sprendimas": row["Sprendimas"] or word} for row in sheet_rows(path)])


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON Lines, as another program reads them."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def license_source(workspace: Path) -> None:
    path = workspace / "sources" / "sarasas" / "source.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"unknown"', '"CC0-1.0"'), encoding="utf-8")


def approve_all(workspace: Path) -> None:
    """Both reviewers approve every pair, and the source gets a licence."""
    license_source(workspace)
    for reviewer in ("ana", "jonas"):
        decide(sheet(workspace, reviewer), "gerai")


def write_words(workspace: Path, language: str, texts: str) -> None:
    """Texts of sheets and of the review page of a workspace's own."""
    path = workspace / "locale" / language / "review.ftl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(texts, encoding="utf-8")


@contextmanager
def no_superuser() -> Iterator[None]:
    """Without the rights of root, who may read every file."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
