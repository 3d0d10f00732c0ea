"""Folders of sources, as a user keeps them under `sources/`."""

import json
from functools import cache
from pathlib import Path

from pairwright.core.ids import file_sha256
from pairwright.core.records import Block
from pairwright.documents.read.reader import learn_book, link, read_pages

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar" / "book.pdf"


def write_source(folder: Path, *documents: str, more: str = "", **fields: str) -> Path:
    """Writes the source.toml of a folder that holds these documents; `more` are further lines of it."""
    plain = {"id": folder.name, "title": "x", "language": "lt", "kind": "error-list", "licence": "CC0-1.0"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in (plain | {"citation": "x"} | fields).items()]
    lines += [more] if more else []
    for name in documents:
        lines += ["[[files]]", f'path = "{name}"', f'sha256 = "{file_sha256(folder / name)}"']
    (folder / "source.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@cache
def sample_blocks() -> list[Block]:
    """What is read of the sample grammar, as a source `grammar`."""
    found = (block for page in link(read_pages(learn_book(SAMPLE, "grammar"))) for block in page.blocks)
    return [block.model_copy(update={"file": SAMPLE.name}) for block in found]
