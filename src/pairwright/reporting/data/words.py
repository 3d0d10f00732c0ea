"""The words and the numbers of reports in a language, from `[report]` of the languages' files."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from gettext import c2py
from pathlib import Path
from string import Formatter
from typing import Any, Literal, get_args

from pairwright.errors import ConfigError
from pairwright.languages import load_language

CellFormat = Literal["text", "count", "percent", "whole", "points", "number", "p", "amount"]
"""percent: a share with one decimal; whole: without; points: a difference of shares in percentage points with its sign;
number: two decimals; amount: four"""
NO_VALUE = "–"
MOST_LISTED = 10


class Words(Formatter):
    """The texts of a report in a language, by their keys; what its file lacks is English.

    code   of the language; `en` where its file has no texts
    own    its texts by key, such as `sections.overall`
    """

    def __init__(self, code: str, own: Mapping[str, str], english: "Words | None" = None) -> None:
        self.code = code
        self.own, self._english = own, english
        self._form = c2py(self("plural"))
        self._form(0)
        self._signs = str.maketrans({",": self("thousands"), ".": self("decimal")})

    def get(self, key: str) -> str | None:
        """A text as it stands in the file; None where English lacks it, too."""
        return self.own.get(key) or (self._english.get(key) if self._english else None)

    def __call__(self, key: str, **values: object) -> str:
        """A text with its values filled in; `{n:pair|pairs}` is the form for n, `{share:percent}` a cell's format."""
        if key not in self.own and self._english is not None:
            return self._english(key, **values)
        return self.vformat(self.own[key], (), values)

    def name(self, group: str, code: str) -> str:
        """What a code is called; itself where the group lacks it, as names and ids do."""
        return self.get(f"{group}.{code}") or code

    def group(self, name: str) -> dict[str, str]:
        """The texts of a group by the rest of their keys, as they stand in the file."""
        english = self._english.group(name) if self._english else {}
        start = f"{name}."
        return english | {key[len(start) :]: text for key, text in self.own.items() if key.startswith(start)}

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            forms = format_spec.split("|")
            return forms[min(self._form(value) if isinstance(value, int) else 0, len(forms) - 1)]
        kind: Any = format_spec if format_spec in get_args(CellFormat) else "count"
        return self.cell(value, kind)

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


def report_words(code: str = "en", workspace: Path | None = None) -> Words:
    """The words of reports in a language. Raises ConfigError where its file has a text that can't be used."""
    english = _english()
    own = dict(_flat(load_language(code, workspace).report)) if code != "en" else {}
    if not own:
        return english
    for key, text in own.items():
        if fault := _fault(text, english.get(key)):
            raise ConfigError(f"languages/{code}.toml: 'report.{key}': {fault}")
    try:
        return Words(code, own, english)
    except (ValueError, ArithmeticError) as fault:
        raise ConfigError(f"languages/{code}.toml: 'report.plural': {fault}; write it as gettext does") from None


def english_instead(code: str, words: Words) -> list[str]:
    """What to say where the words of a language are English, as its file has none; empty where they are its own."""
    return [] if words.code == code else [f"in English, as languages/{code}.toml has no words under [report]"]


@cache
def _english() -> Words:
    return Words("en", dict(_flat(load_language("en").report)))


def _flat(texts: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    """Texts in tables of tables by their whole keys."""
    for key, text in texts.items():
        if isinstance(text, Mapping):
            yield from _flat(text, f"{start}{key}.")
        else:
            yield f"{start}{key}", text


def _fault(text: object, english: str | None) -> str:
    """Why a text can't stand in place of the English one; empty where it can."""
    if english is None:
        return "no such text; the names are those of [report] in the English file"
    if not isinstance(text, str):
        return "no text; write it in quotes"
    try:
        unknown = sorted(set(places(text)) - set(places(english)))
    except ValueError as fault:
        return f"{fault}; write every place as {{name}}"
    return f"there is no {{{unknown[0]}}} to fill in; known: {', '.join(places(english)) or 'none'}" if unknown else ""


def places(text: str) -> list[str]:
    """The names in braces of a text. Raises ValueError where a brace is not closed, or stands within braces."""
    parsed = [(name, form) for _, name, form, _ in Formatter().parse(text) if name is not None]
    if any("{" in (form or "") for _, form in parsed):
        raise ValueError("a brace within braces")
    return sorted({name for name, _ in parsed})
