"""The words of sheets, pages and questions in a language: Fluent files, English where a language lacks a text.

`locale/<code>/review.ftl` has what reviewers read and write, `tasks.ftl` the questions to models, `report.ftl` the
pages of results. A workspace adds or replaces single texts by files of its own at the same places. The format is that
of https://projectfluent.org; plural forms and signs in numbers are those of CLDR.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from babel import Locale, UnknownLocaleError
from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import ast, visitor

from pairwright.core.errors import ConfigError
from pairwright.core.files import read_text

LocaleFile = Literal["review", "tasks", "report"]
CellFormat = Literal["text", "count", "percent", "whole", "points", "number", "p", "amount"]
"""percent: a share with one decimal; whole: without; points: a difference of shares in percentage points with its sign;
number: two decimals; amount: four"""
NO_VALUE = "–"
MOST_LISTED = 10
_SEPARATORS = str.maketrans({".": "-", " ": "-"})


class Words:
    """The texts of a language by their keys, such as `sections.overall`; what its files lack is English.

    code    of the language; `en` where it has no texts
    places  the names that each of its own texts is filled in with, by message id
    """

    def __init__(self, code: str, english: "Words | None" = None) -> None:
        try:
            locale = Locale.parse(code, sep="-")
        except (UnknownLocaleError, ValueError):
            locale = Locale("en")
        self.code, self._english = code, english
        self.places: dict[str, frozenset[str]] = {}
        symbols = locale.number_symbols["latn"]
        self._signs = str.maketrans({",": symbols["group"], ".": symbols["decimal"]})
        formats = {kind.upper(): self._formatter(kind) for kind in get_args(CellFormat)}
        self._bundle = FluentBundle([str(locale)], functions=formats, use_isolating=False)

    def add(self, path: Path, content: str) -> None:
        """Adds the texts of a file. Raises ConfigError where one can't be used."""
        resource = FluentResource(content)
        for entry in resource.body:
            if isinstance(entry, ast.Junk):
                line = entry.annotations[0].message if entry.annotations else "not a message"
                raise ConfigError(f"{path}: '{(entry.content or '').splitlines()[0]}': {line}; write it as KEY = TEXT")
            if not isinstance(entry, ast.Message) or entry.value is None:
                continue
            places = _Places()
            places.visit(entry)
            known = self._english.places.get(entry.id.name) if self._english else places.names
            if known is None:
                raise ConfigError(f"{path}: '{entry.id.name}': no such text; the names are those of the English file")
            if unknown := sorted(places.names - known):
                there = ", ".join(sorted(known)) or "none"
                raise ConfigError(f"{path}: '{entry.id.name}': there is no ${unknown[0]} to fill in; known: {there}")
            self.places[entry.id.name] = frozenset(places.names)
        self._bundle.add_resource(resource, allow_overrides=True)

    def __contains__(self, key: str) -> bool:
        return _id(key) in self.places or (self._english is not None and key in self._english)

    def __call__(self, key: str, **values: object) -> str:
        """A text with its values filled in. Raises KeyError for an unknown text or a missing value."""
        name = _id(key)
        if name not in self.places:
            if self._english is None:
                raise KeyError(key)
            return self._english(key, **values)
        shown = {place: NO_VALUE if value is None else value for place, value in values.items()}
        pattern = self._bundle.get_message(name).value
        assert pattern is not None
        text, faults = self._bundle.format_pattern(pattern, shown)
        if faults:
            raise KeyError(f"{key}: {faults[0]}")
        return str(text)

    def name(self, group: str, code: str) -> str:
        """What a code is called; itself where the group lacks it, as names and ids do."""
        key = f"{group}.{code}"
        return self(key) if key in self else code

    def group(self, name: str) -> dict[str, str]:
        """The texts of a group by the rest of their keys, with `{place}` where values go; of all, for an empty name."""
        start = f"{_id(name)}-" if name else ""
        names = [it for it in self.places if it.startswith(start)]
        own = {it[len(start) :]: self(it, **{place: f"{{{place}}}" for place in self.places[it]}) for it in names}
        return (self._english.group(name) if self._english else {}) | own

    def _formatter(self, kind: CellFormat) -> Any:
        return lambda value: self.cell(value if isinstance(value, str) else float(value), kind)

    def cell(self, value: str | float | None, kind: CellFormat) -> str:
        """A value as people read it."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return NO_VALUE
        if isinstance(value, str):
            return value
        if kind in ("percent", "whole"):
            return f"{100 * value:.{int(kind == 'percent')}f}".translate(self._signs)
        if kind == "points":
            return self.signed(100 * value, 1)
        if kind == "p":
            return ("<0.001" if value < 0.001 else f"{value:.3f}").translate(self._signs)
        if kind == "amount":
            return f"{value:,.4f}".translate(self._signs)
        return f"{value:,}".translate(self._signs) if kind == "count" else self.signed(value, 2).removeprefix("+")

    def signed(self, value: float, digits: int) -> str:
        """A number with its sign; a zero has none."""
        text = f"{value:+.{digits}f}"
        return (text.replace("-", "−") if float(text) else text[1:]).translate(self._signs)

    def listed(self, names: Sequence[str], most: int = MOST_LISTED) -> str:
        """The first of some names, and how many more there are."""
        shown = ", ".join(names[:most])
        return self("more", names=shown, n=len(names) - most) if len(names) > most else shown


class _Places(visitor.Visitor):
    """Collects the names that a message is filled in with."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:
        self.names.add(node.id.name)


def load_words(file: LocaleFile, code: str = "en", workspace: Path | None = None) -> Words:
    """The words of a language; `de-AT` without files of its own has those of `de`.

    Raises ConfigError where a text can't be used.
    """
    roots = [Path(str(files("pairwright"))), *([workspace] if workspace else [])]
    names = dict.fromkeys((code.split("-")[0], code))
    paths = [path for name in names for root in roots if (path := root / "locale" / name / f"{file}.ftl").is_file()]
    own = tuple((path, read_text(path, error=ConfigError)) for path in paths if path != _shipped_english(file))
    return _parsed(file, code, own) if own else _english(file)


# To parse a file of texts takes longer than to write a reviewer's sheet with them.
@lru_cache(maxsize=32)
def _parsed(file: LocaleFile, code: str, own: tuple[tuple[Path, str], ...]) -> Words:
    words = Words(code, _english(file))
    for path, content in own:
        words.add(path, content)
    return words


def english_instead(code: str, words: Words) -> list[str]:
    """What to say where the words of a language are English, as it has none; empty where they are its own."""
    return [] if words.code == code else [f"in English, as there is no locale/{code}/report.ftl"]


def decision_words(words: Words) -> Mapping[str, tuple[str, ...]]:
    """The words that reviewers write for each decision, the best first. Raises ConfigError for one of two senses."""
    spelled = {decision: tuple(text.split(", ")) for decision, text in words.group("decisions").items()}
    meaning: dict[str, str] = {}
    for decision, spellings in spelled.items():
        for word in spellings:
            if meaning.setdefault(word.casefold(), decision) != decision:
                other = meaning[word.casefold()]
                raise ConfigError(f"locale/{words.code}/review.ftl: '{word}' means both {other} and {decision}")
    return spelled


@cache
def _english(file: LocaleFile) -> Words:
    words, path = Words("en"), _shipped_english(file)
    words.add(path, read_text(path, error=ConfigError))
    return words


def _shipped_english(file: LocaleFile) -> Path:
    return Path(str(files("pairwright"))) / "locale" / "en" / f"{file}.ftl"


def _id(key: str) -> str:
    """The id of a message: of a key with dots and codes such as `prefix ' '`, which Fluent's ids can't have."""
    return re.sub(r"[^A-Za-z0-9_-]", lambda sign: f"_{ord(sign[0]):x}", key.translate(_SEPARATORS))
