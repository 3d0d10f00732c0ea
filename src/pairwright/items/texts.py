"""Texts and their translations from a file of the user's, as items of the translation task."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pairwright.ids import content_id
from pairwright.items.instances import STAGE
from pairwright.pairfiles import read_rows
from pairwright.records import Rejection
from pairwright.records.items import Item
from pairwright.text import nfc


class TextFile(NamedTuple):
    """A table in any form that pairs may have, such as FLORES as TSV: a text a row, and its translation.

    text, english  the names of the two columns
    """

    path: Path
    text: str
    english: str


def text_items(file: TextFile, language: str, seed: int = 0) -> Iterator[Item | Rejection]:
    """Two items a row, out of the language and into it; their conditions name the file.

    A row that lacks one of the texts gives a Rejection. Raises SourceError with the line at fault.
    """
    for row in read_rows(file.path, good=file.text, bad=file.english):
        text, english = (nfc(row.text(field)).strip() for field in ("good", "bad"))
        if not (text and english):
            yield Rejection(
                stage=STAGE,
                source_id=file.path.stem,
                reason=f"the cell '{file.english if text else file.text}' is empty",
                text=text or english,
                file=file.path.name,
                line=row.line,
            )
            continue
        for direction, given, wanted in (("from", text, english), ("into", english, text)):
            content = {
                "task": "translation",
                "language": language,
                "context": (given,),
                "reference": wanted,
                "condition": f"{direction} {file.path.stem}",
            }
            yield Item.model_validate(content | {"id": content_id("item", content), "seed": seed})
