"""Contrasts: how minimal pairs are made of the sentences of treebanks. One TOML file a language, data and no code.

A workspace adds or replaces them with `contrasts/<code>.toml`. `any.toml` serves languages without a file.
"""

import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pairwright.contrasts.model import Agreement, DeclaredContrast, WordConditions, WordPattern, check_features
from pairwright.errors import ConfigError, at
from pairwright.languages import find_resource
from pairwright.toml_files import load_toml

__all__ = ["Agreement", "DeclaredContrast", "WordConditions", "WordPattern", "load_contrasts"]

GENERAL = "any"
_KEYS = ("contrast", "features", "lists")


def load_contrasts(code: str, workspace: Path | None = None) -> tuple[DeclaredContrast, ...]:
    """The contrasts of a language, of `any.toml` where it has none of its own.

    Raises ConfigError, with file and line, for an unknown key, feature, relation or word, and for an impossible change.
    """
    for name in (code, code.split("-")[0], GENERAL):
        if path := find_resource("contrasts", name, workspace):
            return _read(path)
    return ()


def _read(path: Path) -> tuple[DeclaredContrast, ...]:
    table = load_toml(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    if unknown := next((key for key in table if key not in _KEYS), None):
        place = at(path, _line_of(lines, unknown))
        raise ConfigError(f"{place}: unknown key '{unknown}'; known keys: [[contrast]], features, [lists]")
    strings = {f"lists.{name}": words for name, words in dict(table.get("lists", {})).items()}
    strings["features"] = table.get("features", [])
    for key, words in strings.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            place = at(path, _line_of(lines, key.rpartition(".")[2]))
            raise ConfigError(f'{place}: {key} has to be a list of words, such as ["vienas", "kitas"]')
    begins = [number for number, line in enumerate(lines, start=1) if re.match(r"\s*\[\[\s*contrast\s*\]\]", line)]
    entries = table.get("contrast", [])
    if not isinstance(entries, list) or len(entries) != len(begins):
        raise ConfigError(f"{path}: write each contrast as a table [[contrast]]")
    contrasts = []
    for entry, begin, end in zip(entries, begins, [*begins[1:], len(lines) + 1], strict=True):
        contrasts.append(_contrast(entry, table, path, lines, range(begin, end)))
        if any(other.name == contrasts[-1].name for other in contrasts[:-1]):
            raise ConfigError(f"{at(path, begin)}: a second contrast '{contrasts[-1].name}'; rename one")
    return tuple(contrasts)


def _contrast(
    entry: dict[str, Any], table: dict[str, Any], path: Path, lines: list[str], place: range
) -> DeclaredContrast:
    file = f"contrasts/{path.name}"
    try:
        contrast = DeclaredContrast.model_validate(_with_lists(entry, table.get("lists", {})))
        check_features(contrast.bundles(), table.get("features", ()))
        return contrast.model_copy(update={"file": file, "line": place.start})
    except ValidationError as fault:
        faults = fault.errors(include_url=False)
        # A misspelt key comes before what is missing because of it.
        first = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        keys = [part for part in first["loc"] if isinstance(part, str)]
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            reason = "unknown key; docs/treebanks.md explains the keys of a contrast"
        named = re.search(r"^([\w.]+)(?: names|:)", reason)
        key = keys[-1] if keys else named[1].split(".")[:2][-1] if named else ""
        line = _line_of(lines, key, place) or place.start
        raise ConfigError(f"{at(path, line)}: {'.'.join(keys)}{': ' if keys else ''}{reason}") from None
    except ValueError as fault:
        quoted = re.search(r"'([^']+)'", str(fault))
        line = next((n for n in place if quoted and n <= len(lines) and quoted[1] in lines[n - 1]), place.start)
        raise ConfigError(f"{at(path, line)}: {fault}") from None


def _with_lists(value: Any, lists: dict[str, list[str]]) -> Any:
    """A table in which each `@name` is the words of the list of this name."""
    if isinstance(value, dict):
        return {key: _with_lists(item, lists) for key, item in value.items()}
    if isinstance(value, list):
        parts = [_with_lists(item, lists) for item in value]
        return [word for part in parts for word in (part if isinstance(part, list) else [part])]
    if isinstance(value, str) and value.startswith("@"):
        if value[1:] not in lists:
            raise ValueError(f"'{value}' is no list; known: {', '.join(lists) or 'none'}; write it under [lists]")
        return lists[value[1:]]
    return value


def _line_of(lines: list[str], key: str, place: range | None = None) -> int | None:
    """The first line that gives a key its value, opens its table, or has it in an inline table."""
    pattern = re.compile(rf'(?:^|[\s{{,.\[])"?{re.escape(key)}"?\s*[=\]]')
    numbers = place or range(1, len(lines) + 1)
    return next((number for number in numbers if number <= len(lines) and pattern.search(lines[number - 1])), None)
