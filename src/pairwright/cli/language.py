"""`pairwright language add CODE`: the file of a language, with every key and what it costs to leave it out."""

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from pairwright.core.codes import language_name
from pairwright.core.errors import ConfigError
from pairwright.core.store import write_text
from pairwright.languages import Language, SectionWords, load_language, resource_names
from pairwright.languages.spelling import dictionary_names

_HEAD = """\
# What pairwright knows of {name}. Everything below the first three keys may stay as it is: each comment says what is
# lost without. To fill in a key, take the # before it away."""

_WIDTH = 118


def language_lines(workspace: Path, code: str) -> Iterator[str]:
    """Writes `languages/<code>.toml` of a workspace, and yields a line that says so, or that none is needed.

    Raises ConfigError for an unknown code, and where the file exists.
    """
    if (base := code.split("-")[0]) in resource_names("languages"):
        variety = "" if base == code else f", as {base}"
        yield f"language {code}: comes with pairwright{variety}; no file is needed"
        return
    text = _language_file(code)
    path = workspace / "languages" / f"{code}.toml"
    if path.exists():
        raise ConfigError(f"{path}: the file exists; edit it")
    write_text(path, text)
    load_language(code, workspace)
    yield f"{path}: fill in what you can; its comments say what each key is for, and what is lost without"


def _language_file(code: str) -> str:
    """A file with every key and its comment. A line that begins with `#` and no space is a key without a value yet."""
    name, english = language_name(code), load_language("en")
    filled: dict[str, Any] = {
        "code": code,
        "name": name,
        "autonym": name,
        "spelling": next(iter(dictionary_names(code)), ""),
    }
    samples = {
        "sections": SectionWords().model_dump(mode="json"),
        "morphology": [{"kind": "unimorph", "path": f"morphology/{code}", "tagset": "unimorph"}],
    }
    parts = [_HEAD.format(name=name)]
    for key, (meaning, without) in Language.keys().items():
        comment = f"{meaning[0].upper()}{meaning[1:]}." + (f" Without: {without}." if without else "")
        parts += ["", *(f"# {line}" for line in wrap(comment, _WIDTH))]
        if filled.get(key):
            parts.append(f"{key} = {_value(filled[key])}")
        else:
            parts += (f"#{line}" for line in _lines(key, samples.get(key) or _sample(english, key)))
    return "\n".join(parts) + "\n"


def _sample(english: Language, key: str) -> Any:
    """What stands in the place of a value: English in tables, else the default."""
    value = english.model_dump(mode="json", exclude_none=True)[key]
    if isinstance(value, dict) or (value and isinstance(value, list) and isinstance(value[0], dict)):
        return value
    default = Language.model_fields[key].default
    return "" if default is None else default


def _lines(key: str, value: Any) -> Iterator[str]:
    """A key with its value as TOML."""
    if isinstance(value, dict):
        yield f"[{key}]"
        yield from (f"{name} = {_value(item)}" for name, item in value.items())
    elif value and isinstance(value, list):
        yield f"[[{key}]]"
        yield from (f"{name} = {_value(item)}" for name, item in value[0].items())
    else:
        yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    """Text, or a list of texts, whose escapes JSON and TOML share."""
    return json.dumps(value, ensure_ascii=False)
