"""`pairwright language add CODE`: the file of a language: five keys with examples first, then all others."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Annotated, Any

from pairwright.core.codes import language_name
from pairwright.core.errors import ConfigError
from pairwright.core.store import write_text
from pairwright.core.workspace import Workspace
from pairwright.languages import Key, Language, SectionWords, load_language, resource_names
from pairwright.languages.spelling import dictionary_names
from pairwright.pipeline.options import Option

_HEAD = """\
# What pairwright knows of {name}. Nothing has to be filled in: each comment says what you lose without a key.
# To fill one in, remove the # before it and put your words in place of the example."""
_FIRST = "# ---- The five keys that matter most. The examples are Lithuanian. ----"
_REST = "# ---- All other keys, for when you miss something. ----"
_KEYS = ("letters", "spelling", "abbreviations", "function_words", "morphology")

_WIDTH = 118


def add(workspace: Workspace, code: Annotated[str, Option(kind="language")]) -> Iterator[str]:
    """Write languages/CODE.toml with every key, explained.

    CODE is ISO 639, such as sje.
    """
    if (base := code.split("-")[0]) in resource_names("languages"):
        variety = "" if base == code else f", as {base}"
        yield f"language {code}: comes with pairwright{variety}; no file is needed"
        return
    text = _language_file(code)
    path = workspace.root / "languages" / f"{code}.toml"
    if path.exists():
        raise ConfigError(f"{path}: the file exists; edit it")
    write_text(path, text)
    load_language(code, workspace.root)
    yield f"{path}: fill in the first five keys if you can; the comments say what you lose without each"


def _language_file(code: str) -> str:
    """A file with every key and its comment. A line that begins with `#` and no space is a key without a value yet."""
    name, example = language_name(code), load_language("lt")
    keys = Language.keys()
    known = {"code": code, "name": name, "autonym": name, "spelling": next(iter(dictionary_names(code)), None)}
    parts = [_HEAD.format(name=name), ""]
    for key in ("code", "name", "autonym"):
        parts += (f"# {_sentence(keys.pop(key).meaning)}", f"{key} = {_value(known[key])}")
    parts += ("", _FIRST)
    for key in _KEYS:
        parts += ("", *_comment(_explained(keys[key])))
        known.setdefault(key, None)
        value = f'[{{ kind = "unimorph", path = "morphology/{code}", tagset = "unimorph" }}]'
        if key != "morphology":
            sample = getattr(example, key)
            value = _value(known[key] or (sample if isinstance(sample, str) else sample[:8]))
        parts.append(f"{'' if known[key] else '#'}{key} = {value}")
        del keys[key]
    parts += ("", _REST)
    for without in dict.fromkeys(key.without for key in keys.values()):
        group = [name for name, key in keys.items() if key.without == without]
        parts += ("", *(_comment(f"Without these: {without}.") if len(group) > 1 else ()))
        for key in group:
            text = _sentence(keys[key].meaning) if len(group) > 1 else _explained(keys[key])
            parts += (*_comment(text), *(f"#{line}" for line in _lines(key, _sample(key))))
    return "\n".join(parts) + "\n"


def _explained(key: Key) -> str:
    return f"{_sentence(key.meaning)} Without: {key.without}."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH)]


def _sample(key: str) -> Any:
    """What stands in the place of a value: English in tables, else the default."""
    if key == "sections":
        return SectionWords().model_dump(mode="json")
    value = load_language("en").model_dump(mode="json", exclude_none=True)[key]
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
