"""Where a model stands among its kin: its family, its size, and whether it was tuned to follow instructions."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from pairwright.lm.settings import ModelSettings
from pairwright.records import Record
from pairwright.records.evaluation import ModelInfo

Variant = Literal["base", "instruct"]

_SIZE = re.compile(r"(?P<size>\d+(?:\.\d+)?[bmk])(?:-a\d+(?:\.\d+)?b)?", re.IGNORECASE)
_TUNED = frozenset({"instruct", "it", "chat", "sft", "dpo", "rlhf", "assistant"})
_NO_NAME = frozenset({"base", "pt", "pretrained", "hf", "gguf"})
_FORMAT = re.compile(r"(q\d.*|k|m|s|f16|bf16|fp16|float32|v\d+(\.\d+)*)", re.IGNORECASE)


class Lineage(Record):
    """A model among its kin. `stated` is False where it was read from the model's name alone.

    size  as people write it, such as 1.7B; what base and tuned models of one size are matched by
    """

    family: str
    size: str
    variant: Variant
    stated: bool = False


def from_name(name: str, n_parameters: int) -> Lineage:
    """Family, size and variant from a model's name: `Qwen/Qwen3-0.6B-Base` is Qwen3, 0.6B, base.

    The size is the number of parameters, rounded, where the name says none.
    """
    bare = name.rsplit("/", 1)[-1].removesuffix(".gguf")
    size = _SIZE.search(bare)
    words = re.split(r"[-_ ]", bare)
    lower = {word.lower() for word in words}
    kept = [
        word
        for word in re.split(r"[-_ ]", bare[: size.start()] if size and size.start() else bare)
        if word and word.lower() not in _TUNED | _NO_NAME and not _FORMAT.fullmatch(word)
    ]
    return Lineage(
        family="-".join(kept) or bare,
        size=size.group(0).upper() if size else parameters(n_parameters),
        variant="instruct" if lower & _TUNED else "base",
    )


def parameters(count: int) -> str:
    """A number of parameters as people say it, such as 268M or 1.7B; a question mark where nobody knows it."""
    for unit, letter in ((10**9, "B"), (10**6, "M"), (10**3, "k")):
        if count >= unit:
            return f"{count / unit:.1f}{letter}" if count < 10 * unit else f"{count / unit:.0f}{letter}"
    return str(count) if count else "?"


def lineage(model: ModelInfo, given: Mapping[str, Lineage | Mapping[str, str]] | None = None) -> Lineage:
    """The lineage of a model: as it was stated under its name, its slug or what was requested, else from its name."""
    guessed = from_name(model.name, model.n_parameters)
    for key in (model.requested, model.name, model.slug):
        stated = (given or {}).get(key)
        if isinstance(stated, Lineage):
            return stated
        if stated:
            return Lineage.model_validate({**guessed.model_dump(), **stated, "stated": True})
    return guessed


def lineages(models: Iterable[ModelSettings]) -> dict[str, Mapping[str, str]]:
    """What models.toml says of the kin of its models, by their names and labels."""
    found: dict[str, Mapping[str, str]] = {}
    for model in models:
        stated = model.model_dump(include={"family", "size", "variant"}, exclude_none=True)
        if stated:
            found |= {name: stated for name in (model.name, model.label) if name}
    return found
