"""A model's family, its size, and whether it was tuned to follow instructions."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from pairwright.core.records import Record
from pairwright.core.records.evaluation import ModelInfo
from pairwright.models.load.settings import ModelSettings

ModelVariant = Literal["base", "instruct"]

_SIZE = re.compile(r"(?P<size>\d+(?:\.\d+)?[bmk])(?:-a\d+(?:\.\d+)?b)?", re.IGNORECASE)
_TUNED = frozenset({"instruct", "it", "chat", "sft", "dpo", "rlhf", "assistant"})
_NO_NAME = frozenset({"base", "pt", "pretrained", "hf", "gguf"})
_FORMAT = re.compile(r"(q\d.*|k|m|s|f16|bf16|fp16|float32|v\d+(\.\d+)*)", re.IGNORECASE)
_UNITS = ((1e9, "B"), (1e6, "M"), (1e3, "k"))


class Lineage(Record):
    """The family, size and variant of a model.

    size  as people write it, such as 1.7B; base and tuned models of one size are matched by it
    """

    family: str
    size: str
    variant: ModelVariant


def from_name(name: str, n_parameters: int) -> Lineage:
    """Reads family, size and variant from a model's name: `Qwen/Qwen3-0.6B-Base` is Qwen3, 0.6B, base.

    Where the name has no size, it is the number of parameters, rounded. What stands in brackets at the end is left out.
    """
    bare = name.rsplit("/", 1)[-1].partition(" (")[0].removesuffix(".gguf")
    size = _SIZE.search(bare)
    words = re.split(r"[-_ ]", bare[: size.start()] if size and size.start() else bare)
    kept = [w for w in words if w and w.lower() not in _TUNED | _NO_NAME and not _FORMAT.fullmatch(w)]
    return Lineage(
        family="-".join(kept) or bare,
        size=size.group(0).upper() if size else parameters(n_parameters),
        variant="instruct" if _TUNED.intersection(re.split(r"[-_. ]", bare.lower())) else "base",
    )


def parameters(count: int) -> str:
    """A number of parameters as people write it, such as 268M or 1.7B; a question mark for 0, which is unknown."""
    for unit, letter in _UNITS:
        if count >= unit:
            return f"{count / unit:.1f}{letter}" if count < 10 * unit else f"{count / unit:.0f}{letter}"
    return str(count) if count else "?"


def size_of(size: str) -> float:
    """A size such as 1.7B as a number, 0 where it can't be read."""
    number = size.upper().split("-")[0]
    unit = {letter.upper(): unit for unit, letter in _UNITS}.get(number[-1:], 1.0)
    try:
        return float(number.rstrip("KMB")) * unit
    except ValueError:
        return 0.0


def lineage(model: ModelInfo, stated_by_name: Mapping[str, Mapping[str, str]] | None = None) -> Lineage:
    """The lineage of a model: as stated under its name, its slug or the name it was requested by, else from its name.

    stated_by_name  any of `family`, `size` and `variant`
    """
    guessed = from_name(model.name, model.n_parameters)
    for key in (model.requested, model.name, model.slug):
        stated = (stated_by_name or {}).get(key)
        if stated:
            return Lineage.model_validate({**guessed.model_dump(), **stated})
    return guessed


def lineages(models: Iterable[ModelSettings]) -> dict[str, Mapping[str, str]]:
    """The families, sizes and variants that a models.toml states, by the names and labels of its models."""
    stated_by_name: dict[str, Mapping[str, str]] = {}
    for model in models:
        stated = model.model_dump(include={"family", "size", "variant"}, exclude_none=True)
        if stated:
            stated_by_name |= {name: stated for name in (model.name, model.label) if name}
    return stated_by_name
