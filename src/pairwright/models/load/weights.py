"""What a model's weight files hold, against what its configuration says: no weight is made up, and none is left out."""

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairwright.core.errors import ModelError

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel

DAMAGED = "save or download the model again"
# Transformers makes a list of so many before it builds anything; the deepest networks have some hundred layers.
MOST_COUNTED = 100_000
_COUNTED = re.compile("layer|label")
# Embeddings are built up to four times and tied afterwards; tables of positions need not be stored.
_TIMES, _NOT_STORED = 4, 4_000_000
# Up to so many weights are packed in an integer.
_PACKED = 16
# A constant that GPT-2 and its kin stored until transformers 4.28.
_CONSTANT = re.compile(r"\.masked_bias$")


def check_counts(config: Path, name: str) -> None:
    """Raises ModelError where a configuration counts more layers or labels than any model has."""
    for key, value in _numbers(json.loads(config.read_text(encoding="utf-8"))):
        if _COUNTED.search(key) and value > MOST_COUNTED:
            raise ModelError(f"{name}: its config.json says {key} = {value:,}, which no model has; {DAMAGED}")


def _numbers(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _numbers(part, str(inner))
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part, key)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        yield key, int(value)


@contextmanager
def no_larger_than(files: Iterable[Path], name: str) -> Iterator[None]:
    """Raises ModelError as soon as a network that is built inside has far more weights than safetensors files hold."""
    from torch.nn.modules.module import register_module_parameter_registration_hook

    most = _TIMES * sum(map(_stored, files)) + _NOT_STORED
    sizes: dict[tuple[int, str], int] = {}
    built, thread = 0, threading.get_ident()

    def count(module: "nn.Module", key: str, weight: "nn.Parameter | None") -> None:
        nonlocal built
        if weight is None or threading.get_ident() != thread:
            return
        # Weights that are read take the place of those that were only laid out.
        place = id(module), key
        built += weight.numel() - sizes.get(place, 0)
        sizes[place] = weight.numel()
        if built > most:
            raise ModelError(
                f"{name}: its config.json asks for over {most:,} weights, far more than its files hold; {DAMAGED}"
            )

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()


def _stored(path: Path) -> int:
    """How many weights a file may hold, by its header alone."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        tensors = [file.get_slice(key) for key in file.keys()]  # noqa: SIM118
        return sum(prod(it.get_shape()) * (_PACKED if it.get_dtype()[0] in "IU" else 1) for it in tensors)


def check_report(model: "PreTrainedModel", report: Mapping[str, Any], name: str, *, encoder: bool) -> None:
    """Raises ModelError where weights are missing, of another shape, or of the network and not used by it.

    report   transformers' loading info, without the keys that the model's class says it does without
    encoder  a model of hidden states, which don't pass through a pooler

    What stands beside the network's body, as the output layer of another task, may be left over.
    """
    missing = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if encoder:
        # A model that was trained to fill masks has none.
        missing = [key for key in missing if not key.startswith("pooler.")]
    if missing:
        raise ModelError(f"{name}: weights are missing or of another shape: {', '.join(missing[:3])}; {DAMAGED}")
    body = {key.partition(".")[0] for key in model.base_model.state_dict()}
    before = f"{model.base_model_prefix}."
    unused = sorted(
        key
        for key in report["unexpected_keys"]
        if key.removeprefix(before).partition(".")[0] in body and not _CONSTANT.search(key)
    )
    if unused:
        raise ModelError(
            f"{name}: its config.json does not use {len(unused)} of its weights, such as {', '.join(unused[:3])}; "
            "repair it, or save or download the model again"
        )
