"""Contrasts: how minimal pairs are made of the sentences of treebanks. One TOML file a language, data and no code.

A workspace adds to them with `contrasts/<code>.toml`, and a language to `any.toml`; a file with `replaces = true` adds
to none. A contrast takes the place of one of the same name.
"""

import re
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from pairwright.contrasts.model import DeclaredContrast, WordAgreement, WordConditions, WordPattern, check_features
from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError, at
from pairwright.core.ids import line_of, read_toml
from pairwright.languages import find_resource

__all__ = ["DeclaredContrast", "WordAgreement", "WordConditions", "WordPattern", "load_contrasts", "read_contrasts"]


class _File(Settings):
    """A contrast file, its contrasts as they are written."""

    contrast: tuple[dict[str, Any], ...] = ()
    features: tuple[str, ...] = ()
    lists: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    replaces: bool = False


def load_contrasts(code: str, workspace: Path | None = None) -> tuple[DeclaredContrast, ...]:
    """The contrasts of a language: of the workspace's file, then of pairwright's, then of `any.toml`.

    Raises ConfigError, with file and line, for an unknown key, feature, relation or word, and for an impossible change.
    """
    found: dict[str, DeclaredContrast] = {}
    names = dict.fromkeys((code, code.split("-")[0], "any"))
    places = (find_resource("contrasts", name, root) for name in names for root in (workspace, None))
    for path in dict.fromkeys(filter(None, places)):
        contrasts, replaces = read_contrasts(path)
        found |= {contrast.name: contrast for contrast in contrasts if contrast.name not in found}
        if replaces:
            break
    return tuple(found.values())


def read_contrasts(path: Path) -> tuple[list[DeclaredContrast], bool]:
    """The contrasts of a file, and whether it replaces those of more general ones. Raises as `load_contrasts`."""
    file, text = read_toml(path, _File), path.read_text(encoding="utf-8")
    contrasts = list[DeclaredContrast]()
    for number in range(len(file.contrast)):
        contrast = _contrast(number, file, path, text)
        if any(other.name == contrast.name for other in contrasts):
            raise ConfigError(f"{at(path, contrast.line)}: a second contrast '{contrast.name}'; rename one")
        contrasts.append(contrast)
    return contrasts, file.replaces


def _contrast(number: int, file: _File, path: Path, text: str) -> DeclaredContrast:
    begin = line_of(text, ["contrast", number]) or 1
    try:
        contrast = DeclaredContrast.model_validate(_with_lists(file.contrast[number], file.lists))
        check_features(contrast.bundles(), file.features)
        return contrast.model_copy(update={"file": f"contrasts/{path.name}", "line": begin})
    except ValidationError as fault:
        faults = fault.errors(include_url=False)
        # A misspelt key comes before what is missing because of it.
        first = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        keys = [part for part in first["loc"] if isinstance(part, str)]
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            reason = "unknown key; `pairwright docs`, A treebank, explains the keys of a contrast"
        elif first["type"] == "missing":
            reason = f"missing; write it below [[contrast]], as {keys[-1]} = ..."
        named = re.search(r"^([\w.]+)(?: names|:)", reason)
        place = first["loc"] or (named[1].split(".") if named else ())
        line = line_of(text, ["contrast", number, *place])
        raise ConfigError(f"{at(path, line)}: {'.'.join(keys)}{': ' if keys else ''}{reason}") from None
    except ValueError as fault:
        quoted = re.search(r"'([^']+)'", str(fault))
        rows = text.split("\n")[begin - 1 :]
        line = next((n for n, row in enumerate(rows, start=begin) if quoted and quoted[1] in row), begin)
        raise ConfigError(f"{at(path, line)}: {fault}") from None


def _with_lists(value: Any, lists: dict[str, tuple[str, ...]]) -> Any:
    """A table in which each `@name` is the words of the list of this name."""
    if isinstance(value, dict):
        return {key: _with_lists(item, lists) for key, item in value.items()}
    if isinstance(value, list):
        parts = [_with_lists(item, lists) for item in value]
        return [word for part in parts for word in (part if isinstance(part, list | tuple) else [part])]
    if isinstance(value, str) and value.startswith("@"):
        if value[1:] not in lists:
            raise ValueError(f"'{value}' is no list; known: {', '.join(lists) or 'none'}; write it under [lists]")
        return lists[value[1:]]
    return value
