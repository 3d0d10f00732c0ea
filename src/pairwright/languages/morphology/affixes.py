"""A Hunspell `.aff` file: options, aliases and affix rules. The format is that of hunspell(5)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pairwright.core.errors import MorphologyError, at
from pairwright.core.files import read_file
from pairwright.core.text import text_encoding

# The largest dictionaries have some tens of megabytes.
MAX_BYTES = 500_000_000

_SET = re.compile(rb"^(?:\xef\xbb\xbf)?\s*SET\s+(\S+)", re.MULTILINE)
_NUMBER = re.compile(r"\s*(\d+)")
_CONDITION = re.compile(r"\[(?P<negation>\^?)(?P<letters>[^\]]*)\]|(?P<any>\.)|.", re.DOTALL)


class Condition(NamedTuple):
    """What a stem must end with, for a suffix, or begin with, for a prefix: a pattern for `size` characters."""

    pattern: re.Pattern[str]
    size: int


class Affix(NamedTuple):
    """An affix rule.

    strip      what is removed from the stem before `add` is added
    condition  on the stem before anything is removed; None where any stem will do
    further    flags of the affixes that may follow, and of NEEDAFFIX and CIRCUMFIX
    morph      the rule's morphological fields, such as `is:Masc_Sg_Gen`
    cross      whether prefixes and suffixes combine with it
    """

    flag: str
    strip: str
    add: str
    condition: Condition | None
    further: tuple[str, ...]
    morph: str
    cross: bool


@dataclass
class AffixFile:
    """The content of an `.aff` file. Prefixes and suffixes are listed by flag, in the order of the file."""

    encoding: str
    flag_type: str = "short"
    full_strip: bool = False
    need_affix: str | None = None
    circumfix: str | None = None
    hidden: frozenset[str] = frozenset()
    prefixes: dict[str, list[Affix]] = field(default_factory=dict)
    suffixes: dict[str, list[Affix]] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=lambda: {"AF": [], "AM": []})
    _flags: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def flags(self, text: str) -> tuple[str, ...]:
        """The flags of a word or affix, an alias of `AF` resolved. Raises ValueError where there is no such alias."""
        if text not in self._flags:
            self._flags[text] = tuple(dict.fromkeys(self._split(self._alias("AF", text))))
        return self._flags[text]

    def morph(self, text: str) -> str:
        """Morphological fields, an alias of `AM` resolved. Raises ValueError where there is no such alias."""
        return self._alias("AM", text)

    def _alias(self, kind: str, text: str) -> str:
        aliases, number = self.aliases[kind], (text.split() or [""])[0]
        if not aliases or not number.isdecimal():
            return text  # as Hunspell does
        if not 1 <= int(number) < len(aliases):
            raise ValueError(f"there is no {kind} line {number}, only 1 to {len(aliases) - 1}")
        return aliases[int(number)]

    def _split(self, text: str) -> Iterator[str]:
        """The flags of a row. As in Hunspell, the valid part of a faulty row counts."""
        if self.flag_type == "num":
            yield from (match[1] for match in map(_NUMBER.match, text.split(",")) if match)
        elif self.flag_type == "long":
            yield from (text[index : index + 2] for index in range(0, len(text) - 1, 2))
        else:
            yield from text


def read_affixes(path: Path) -> AffixFile:
    """Read what an `.aff` file says of affixes. Raises MorphologyError, with file and line, where it can't be read."""
    content = read_file(path, MAX_BYTES, MorphologyError)
    affixes = AffixFile(_encoding(content, path))
    headers: dict[tuple[str, str], bool] = {}
    # Names of authors in comments often have another encoding.
    lines = content.decode(affixes.encoding, errors="replace").removeprefix("\ufeff").split("\n")
    for rules in (False, True):
        # Aliases and flag types may stand below the rules that use them.
        for number, line in enumerate(lines, start=1):
            parts = line.split()
            if not parts or parts[0].startswith("#") or (parts[0] in ("SFX", "PFX")) != rules:
                continue
            try:
                if rules:
                    _read_rule(affixes, parts, headers)
                else:
                    _read_option(affixes, parts, line)
            except ValueError as fault:
                raise MorphologyError(f"{at(path, number)}: {fault}; fix the file or get it again") from None
    return affixes


def _encoding(content: bytes, path: Path) -> str:
    match = _SET.search(content)
    name = match[1].decode("ascii", "replace") if match else "ISO8859-1"
    plain = re.sub(r"^microsoft-", "", name, flags=re.IGNORECASE).replace("TIS620-2533", "tis-620")
    encoding = text_encoding(plain)
    if encoding is None:
        raise MorphologyError(f"{path}: unknown encoding '{name}' after SET; save both files as UTF-8")
    return encoding


def _read_option(affixes: AffixFile, parts: list[str], line: str) -> None:
    name, value = parts[0], parts[1] if len(parts) > 1 else ""
    if name == "FLAG":
        affixes.flag_type = value.lower()
    elif name == "FULLSTRIP":
        affixes.full_strip = True
    elif name in ("NEEDAFFIX", "PSEUDOROOT"):
        affixes.need_affix = value
    elif name == "CIRCUMFIX":
        affixes.circumfix = value
    elif name in ("FORBIDDENWORD", "ONLYINCOMPOUND"):
        affixes.hidden |= {value}
    elif name in ("AF", "AM"):
        # The first line gives the number of aliases, so the list counts from 1.
        affixes.aliases[name].append(line.split(maxsplit=1)[1].strip() if name == "AM" and value else value)


def _read_rule(affixes: AffixFile, parts: list[str], headers: dict[tuple[str, str], bool]) -> None:
    if len(parts) < 4:
        raise ValueError(f"'{' '.join(parts)}' is no affix rule")
    kind, flag = parts[0], parts[1]
    if (kind, flag) not in headers:
        headers[kind, flag] = parts[2] == "Y"
        return
    add, _, further = parts[3].partition("/")
    affix = Affix(
        flag=flag,
        strip="" if parts[2] == "0" else parts[2],
        add="" if add == "0" else add,
        condition=_condition(parts[4] if len(parts) > 4 else "."),
        further=affixes.flags(further),
        morph=affixes.morph(" ".join(parts[5:])) if len(parts) > 5 and not parts[5].startswith("#") else "",
        cross=headers[kind, flag],
    )
    if affixes.hidden.isdisjoint(affix.further):
        (affixes.suffixes if kind == "SFX" else affixes.prefixes).setdefault(flag, []).append(affix)


@cache
def _condition(text: str) -> Condition | None:
    """Only brackets and the full stop have a meaning in a condition; everything else stands for itself."""
    if text == ".":
        return None
    pattern, size = _CONDITION.subn(_character, text)
    try:
        return Condition(re.compile(pattern, re.DOTALL), size)
    except re.error:
        raise ValueError(f"'{text}' is no condition") from None


def _character(piece: re.Match[str]) -> str:
    other = piece["any"] or re.escape(piece[0])
    return other if piece["letters"] is None else f"[{piece['negation']}{re.escape(piece['letters'])}]"
