"""Sentence vectors, kept in a file for each encoder under the hash of the sentence."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairwright.errors import StoreError
from pairwright.files import open_file
from pairwright.lm.encoders import Embedder, Vectors
from pairwright.store import replacing

_TOGETHER = 4096
"""So many sentences are embedded before the file is written, so that a run that is killed keeps them."""


class VectorCache:
    """The vectors of one encoder, in a safetensors file: `keys`, the first 16 bytes of SHA-256, and `vectors`."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._path = folder / f"{embedder.identity[:16]}.safetensors"
        self._vectors: dict[bytes, Vectors] = self._read() if self._path.exists() else {}

    def missing(self, sentences: Sequence[str]) -> list[str]:
        """The sentences without a vector, each once."""
        return [sentence for sentence in dict.fromkeys(sentences) if _key(sentence) not in self._vectors]

    def add(self, sentences: Sequence[str], advance: Callable[[int], None] = lambda done: None) -> None:
        """Embeds sentences and keeps their vectors. Raises ModelError as the encoder does, StoreError and OSError."""
        for start in range(0, len(sentences), _TOGETHER):
            together = sentences[start : start + _TOGETHER]
            vectors = self._embedder.embed(together, advance)
            self._vectors |= zip(map(_key, together), vectors, strict=True)
            self._write()

    def rows(self, sentences: Sequence[str]) -> Vectors:
        """A row for each sentence, all of which have a vector."""
        return np.stack([self._vectors[_key(sentence)] for sentence in sentences])

    def _read(self) -> dict[bytes, Vectors]:
        from safetensors import SafetensorError
        from safetensors.numpy import load

        with open_file(self._path, StoreError) as handle:
            content = handle.read()
        try:
            tensors = load(content)
            return dict(zip(map(bytes, tensors["keys"]), tensors["vectors"], strict=True))
        except (SafetensorError, KeyError, ValueError, TypeError):
            raise StoreError(f"{self._path}: damaged; delete it, and the sentences are embedded again") from None

    def _write(self) -> None:
        from safetensors.numpy import save_file

        ordered = sorted(self._vectors)
        tensors: dict[str, NDArray[Any]] = {
            "keys": np.frombuffer(b"".join(ordered), dtype=np.uint8).reshape(len(ordered), -1),
            "vectors": np.stack([self._vectors[key] for key in ordered]),
        }
        with replacing(self._path) as beside:
            save_file(tensors, beside)


def _key(sentence: str) -> bytes:
    return hashlib.sha256(sentence.encode()).digest()[:16]
