"""How the tokenizers of scored models cut the words of a segmentation file, kept beside their scores."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pairwright.errors import StoreError
from pairwright.files import read_file
from pairwright.store import MAX_RECORD_BYTES, write_text

FILE = "segments.json"


def write_segments(directory: Path, tokenizer: Any, words: Iterable[Sequence[str]]) -> None:
    """Writes the pieces of each word, as a word inside a sentence, which a space comes before."""
    pieces = {word: _pieces(tokenizer, word) for word in ("".join(parts) for parts in words)}
    write_text(directory / FILE, json.dumps(pieces, ensure_ascii=False) + "\n")


def _pieces(tokenizer: Any, word: str) -> list[str]:
    spans = tokenizer(f" {word}", add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return [word[max(start - 1, 0) : end - 1] for start, end in spans if end > 1]


def read_segments(directory: Path) -> Callable[[str], Sequence[str]] | None:
    """What cuts a word as the model of this evaluation does; None where its cuts were not kept. Raises StoreError."""
    path = directory / FILE
    if not path.exists():
        return None
    try:
        pieces = TypeAdapter(dict[str, list[str]]).validate_json(read_file(path, MAX_RECORD_BYTES, StoreError))
    except ValidationError:
        raise StoreError(f"{path}: not words with their pieces; delete it and evaluate with --segmentation") from None
    return lambda word: pieces.get(word, [])
