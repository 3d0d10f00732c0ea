"""Ids and hashes, which come from content, never from position or run; and TOML files as validated models."""

import hashlib
import hmac
import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from pairwright.core.errors import ConfigError, PairwrightError, at
from pairwright.core.files import open_file, read_text

MAX_TOML_BYTES = 10_000_000

S = TypeVar("S", bound=BaseModel)
Keys = tuple[str | int, ...]
_NAME = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_NAMES = rf"(?P<names>(?:{_NAME.pattern})(?:\s*\.\s*(?:{_NAME.pattern}))*)"
_HEADING = re.compile(rf"\s*\[(?P<array>\[)?\s*{_NAMES}\s*\]")
_ASSIGNMENT = re.compile(rf"\s*{_NAMES}\s*=")

# What is wrong with a key and how to fix it, where pydantic's message has no word for TOML.
_MESSAGES = {
    "missing": " is missing; write it",
    "tuple_type": " is no list; write [...], or [[{key}]] above each of its tables",
    "dict_type": " is no table; write {{ ... }}, or its keys under [{key}]",
    "model_type": " is no table; write {{ ... }}, or its keys under [{key}]",
    "string_type": " is no text; write it in quotation marks",
    "too_short": " has {actual_length} entries; write {min_length} or more",
}


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list | tuple):
        return [_nfc(item) for item in value]
    if isinstance(value, dict):
        return {_nfc(key): _nfc(item) for key, item in value.items()}
    return value


def canonical_json(value: Any) -> str:
    """JSON of NFC text with sorted keys and no white space: equal values give equal text."""
    return json.dumps(_nfc(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def content_id(kind: str, *parts: Any) -> str:
    """A short id such as `pair-1f0c9a2b77d04e31`: the kind and the first 64 bits of the digest of the parts."""
    return f"{kind}-{digest([kind, *parts])[:16]}"


def pair_id(rule_id: str, good: str, bad: str) -> str:
    """The id of the minimal pair that a rule makes of two sentences, whoever proposes it."""
    return content_id("pair", rule_id, good, bad)


def pseudonyms(name: str, people: Iterable[str]) -> dict[str, str]:
    """R1, R2, … for each person, ordered by the SHA-256 of a name, such as a pair's id, and the person's own name.

    They stay the same while the group does. Whoever knows the people can find out who is who.
    """
    order = sorted(people, key=lambda person: hashlib.sha256(f"{name}\n{person}".encode()).hexdigest())
    return {person: f"R{number}" for number, person in enumerate(order, start=1)}


def keyed_pseudonym(key: bytes, name: str, person: str) -> str:
    """`R-` and the first 40 bits of the HMAC-SHA-256 of a name, such as a release's, and the person's own name.

    It doesn't change when others join or leave, and differs from name to name. A plain hash could be undone by trying
    the names of likely people; without the key that does not help.
    """
    return f"R-{keyed_digest(key, f'{name} {person}')[:10]}"


def keyed_digest(key: bytes, text: str) -> str:
    """The HMAC-SHA-256 of a text, as 64 hexadecimal digits."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def file_sha256(path: Path, error: type[PairwrightError] = PairwrightError) -> str:
    """SHA-256 of a file's bytes, read in pieces. Raises `error` where it is no ordinary file that can be read."""
    with open_file(path, error) as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


# TOML files, with one line for what is wrong in them


def read_toml(path: Path, model: type[S], error: type[PairwrightError] = ConfigError) -> S:
    """A TOML file as a validated model, shared by all who read it.

    Raises `error` with file, line where known, and the remedy.
    """
    try:
        shared: S = _validated(read_text(path, MAX_TOML_BYTES, error), model)
        return shared
    except (ValueError, RecursionError):
        return validate(load_toml(path, error), model, path, error)


def load_toml(path: Path, error: type[PairwrightError] = ConfigError) -> dict[str, Any]:
    """The raw table of a TOML file, shared by all who read it.

    Raises `error` where it is missing, no file, not UTF-8 or not TOML.
    """
    return parse_toml(read_text(path, MAX_TOML_BYTES, error), path, error)


def parse_toml(text: str, path: Path, error: type[PairwrightError] = ConfigError) -> dict[str, Any]:
    """The raw table of a TOML text that stands in a file. Raises `error` where it is not TOML that can be read."""
    try:
        return _parsed(text)
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{path}: not valid TOML: {fault}") from None
    except RecursionError:
        raise error(f"{path}: tables nested too deeply; write them one below the other") from None
    except ValueError:
        # The digits that Python turns into a number are limited.
        raise error(f"{path}: a number with thousands of digits; write a smaller one") from None


# Languages are loaded again for each sheet and page, and take far longer to parse and validate than to read.
_parsed = lru_cache(maxsize=64)(tomllib.loads)


@lru_cache(maxsize=64)
def _validated(text: str, model: type[S]) -> S:
    return model.model_validate(_parsed(text))


def validate(table: dict[str, Any], model: type[S], path: Path, error: type[PairwrightError] = ConfigError) -> S:
    """A raw table as a validated model. Raises `error` for the first fault, naming its key and line."""
    try:
        return model.model_validate(table)
    except ValidationError as fault:
        faults = fault.errors(include_url=False)
        # A misspelt key comes before what is missing because of it.
        first = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        # A fault in a key itself stands at the key.
        place = [part for part in first["loc"] if part != "[key]"]
        key, unknown = ".".join(map(str, place)), first["type"] == "extra_forbidden"
        said = _MESSAGES.get(first["type"], "").format(key=key, **first.get("ctx", {}))
        reason = f"'{key}'{said or ': ' + first['msg'].removeprefix('Value error, ')}"
        problem = f"unknown key '{key}'" if unknown else reason
        hint = f"; known keys: {', '.join(_keys_of_table(model, place[:-1]))}" if unknown else ""
        line = line_of(path.read_text(encoding="utf-8"), place)
        raise error(f"{at(path, line)}: {problem}{hint}") from None


def _keys_of_table(kind: Any, place: Sequence[str | int]) -> list[str]:
    """The keys that a model knows in the table at a place."""
    for part in place:
        if isinstance(kind, type) and issubclass(kind, BaseModel) and not isinstance(part, int):
            kind = kind.model_fields[part].annotation
        else:
            kind = next(argument for argument in reversed(get_args(kind)) if argument not in (..., type(None)))
    return list(kind.model_fields)


def line_of(text: str, keys: Sequence[str | int]) -> int | None:
    """The line of a TOML text that gives a key its value or opens its table, else that of the nearest key around it.

    keys  from the top down, with the places in arrays, as pydantic names what is at fault
    """
    lengths = Counter[Keys]()
    table, longest, line = Keys(), 0, None
    for number, row in enumerate(text.split("\n"), start=1):
        if match := _HEADING.match(row):
            path = table = _path(match["names"], Keys(), lengths, is_array=match["array"] is not None)
        elif match := _ASSIGNMENT.match(row):
            path = _path(match["names"], table, lengths)
        else:
            continue
        # A heading below a table opens it, too.
        n_common = min(len(path), len(keys))
        if n_common > longest and path[:n_common] == tuple(keys[:n_common]):
            longest, line = n_common, number
    return line


def _path(names: str, table: Keys, lengths: Counter[Keys], *, is_array: bool = False) -> Keys:
    """A dotted key from the top down. `lengths` counts the tables of each array so far; `is_array` begins another."""
    path, parts = table, [match[0].strip("\"'") for match in _NAME.finditer(names)]
    for number, part in enumerate(parts, start=1):
        path = (*path, part)
        lengths[path] += is_array and number == len(parts)
        if lengths[path]:
            path = (*path, lengths[path] - 1)
    return path
