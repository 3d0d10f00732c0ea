"""Where a model stands among its kin: its family, its size, and whether it was tuned to follow instructions."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pairwright.errors import ModelError
from pairwright.records import Record
from pairwright.runs import ModelInfo

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


class _Given(Record):
    family: str | None = None
    size: str | None = None
    variant: Variant | None = None


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


def read_lineages(path: Path) -> dict[str, Mapping[str, str]]:
    """What models.toml says of the kin of its models: `family`, `size`, `variant` of each `[[model]]`, by its `name`.

    Other keys of the table are for scoring and are not looked at. Raises ModelError where a value can't be used.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("model", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ModelError(f"{path}: not a list of models: {fault}") from None
    found: dict[str, Mapping[str, str]] = {}
    for table in tables if isinstance(tables, Sequence) else []:
        name, stated = table.get("name"), {key: table[key] for key in _Given.model_fields if key in table}
        try:
            kept = _Given.model_validate(stated).model_dump(exclude_none=True)
        except ValidationError as fault:
            first = fault.errors(include_url=False)[0]
            raise ModelError(f"{path}: model {name}: {first['loc'][0]}: {first['msg']}") from None
        if isinstance(name, str) and kept:
            found[name] = kept
    return found
