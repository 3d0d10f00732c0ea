"""TOML files as validated models, with one line for what is wrong in them."""

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pairwright.errors import ConfigError, PairwrightError, at
from pairwright.files import read_text

MAX_TOML_BYTES = 10_000_000

S = TypeVar("S", bound=BaseModel)


def read_toml(path: Path, model: type[S], error: type[PairwrightError] = ConfigError) -> S:
    """A TOML file as a validated model. Raises `error` with file, line where known, and the remedy."""
    return validate(load_toml(path, error), model, path, error)


def load_toml(path: Path, error: type[PairwrightError] = ConfigError) -> dict[str, Any]:
    """The raw table of a TOML file. Raises `error` where it is missing, no file, not UTF-8 or not TOML."""
    try:
        return tomllib.loads(read_text(path, MAX_TOML_BYTES, error))
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{path}: not valid TOML: {fault}") from None
    except RecursionError:
        raise error(f"{path}: tables nested too deeply; write them one below the other") from None


def validate(table: dict[str, Any], model: type[S], path: Path, error: type[PairwrightError] = ConfigError) -> S:
    """A raw table as a validated model. Raises `error` for the first fault, naming its key and line."""
    try:
        return model.model_validate(table)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        # A fault in a key itself stands at the key.
        place = [part for part in first["loc"] if part != "[key]"]
        key, unknown = ".".join(map(str, place)), first["type"] == "extra_forbidden"
        problem = f"unknown key '{key}'" if unknown else f"'{key}': {first['msg'].removeprefix('Value error, ')}"
        hint = f"; known keys: {', '.join(model.model_fields)}" if unknown and len(place) == 1 else ""
        # An entry of a list has no line of its own.
        name = next((part for part in reversed(place) if isinstance(part, str)), "")
        raise error(f"{at(path, _line_of(path, name))}: {problem}{hint}") from None


def _line_of(path: Path, key: str) -> int | None:
    """The first line that gives a key its value, or opens a table of that name."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        table = line.strip().strip("[]").split(".")[-1] if line.lstrip().startswith("[") else line.split("=")[0]
        if table.strip().strip('"') == key:
            return number
    return None
