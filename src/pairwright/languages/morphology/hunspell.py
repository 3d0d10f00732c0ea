"""Hunspell dictionaries as lexicons: options, aliases and affix rules of the `.aff` file, stems of the `.dic` file.

The dictionary of a highly inflected language stands for tens of millions of forms. To look one up, a suffix or two, and
a prefix, are removed, and the rest is looked up among the stems, as hunspell(5) describes: affix conditions, cross
products, continuation classes, NEEDAFFIX, CIRCUMFIX, FULLSTRIP. Compounds are not analysed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pairwright.core.errors import MorphologyError, at
from pairwright.core.files import not_decoded, read_file
from pairwright.core.text import text_encoding
from pairwright.languages.features import Features
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis

# The largest dictionaries have some tens of megabytes.
MAX_BYTES = 500_000_000

_SET = re.compile(rb"^(?:\xef\xbb\xbf)?\s*SET\s+(\S+)", re.MULTILINE)
_NUMBER = re.compile(r"\s*(\d+)")
_CONDITION = re.compile(r"\[(?P<negation>\^?)(?P<letters>[^\]]*)\]|(?P<any>\.)|.", re.DOTALL)


class Affix(NamedTuple):
    """An affix rule.

    strip      what is removed from the stem before `add` is added
    condition  a pattern of the stem before anything is removed; None where any stem will do
    further    flags of the affixes that may follow, and of NEEDAFFIX and CIRCUMFIX
    morph      the rule's morphological fields, such as `is:Masc_Sg_Gen`
    cross      whether prefixes and suffixes combine with it
    """

    flag: str
    strip: str
    add: str
    condition: re.Pattern[str] | None
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
            self._flags[text] = tuple(dict.fromkeys(self._split(self.alias("AF", text))))
        return self._flags[text]

    def alias(self, kind: str, text: str) -> str:
        """Flags, or morphological fields, an alias of `AF` or `AM` resolved. Raises ValueError where there is none."""
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
    match = _SET.search(content)
    name = match[1].decode("ascii", "replace") if match else "ISO8859-1"
    common = re.sub(r"^microsoft-", "", name, flags=re.IGNORECASE).replace("TIS620-2533", "tis-620")
    encoding = text_encoding(common)
    if encoding is None:
        raise MorphologyError(f"{path}: unknown encoding '{name}' after SET; save both files as UTF-8")
    affixes = AffixFile(encoding)
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
        condition=_condition(parts[4] if len(parts) > 4 else ".", kind == "SFX"),
        further=affixes.flags(further),
        morph=affixes.alias("AM", " ".join(parts[5:])) if len(parts) > 5 and not parts[5].startswith("#") else "",
        cross=headers[kind, flag],
    )
    if affixes.hidden.isdisjoint(affix.further):
        (affixes.suffixes if kind == "SFX" else affixes.prefixes).setdefault(flag, []).append(affix)


@cache
def _condition(text: str, at_end: bool) -> re.Pattern[str] | None:
    """Only brackets and the full stop have a meaning in a condition; everything else stands for itself."""
    if text == ".":
        return None
    pattern = _CONDITION.sub(_character, text)
    try:
        return re.compile(f".*{pattern}" if at_end else f"{pattern}.*", re.DOTALL)
    except re.error:
        raise ValueError(f"'{text}' is no condition") from None


def _character(piece: re.Match[str]) -> str:
    other = piece["any"] or re.escape(piece[0])
    return other if piece["letters"] is None else f"[{piece['negation']}{re.escape(piece['letters'])}]"


_PARADIGMS = 512
_FIELDS = re.compile(r"\s+(?=[a-z]{2}:)")
_SLASH = re.compile(r"(?<!^)(?<!\\)/")
_STEM = re.compile(r"(?:^|\s)st:(\S+)")

ByFlag = dict[str, list[Affix]]


class Entry(NamedTuple):
    """What a line of the `.dic` file says of its stem."""

    flags: tuple[str, ...]
    morph: str


class Segmentation(NamedTuple):
    """A form as stem and affixes. The suffixes stand in the order in which they are added; the prefix is added last."""

    stem: str
    entry: Entry
    suffixes: tuple[Affix, ...] = ()
    prefix: Affix | None = None

    @property
    def morph(self) -> str:
        """The morphological fields of all parts."""
        affixes = (*self.suffixes, self.prefix) if self.prefix else self.suffixes
        return " ".join(filter(None, (self.entry.morph, *(affix.morph for affix in affixes))))


# Suffix rules by what they add, by what they strip and by flag.
SuffixRules = dict[str, dict[str, ByFlag]]


def _by_ending(affixes: Iterable[Affix]) -> SuffixRules:
    rules: SuffixRules = {}
    for affix in affixes:
        rules.setdefault(affix.add, {}).setdefault(affix.strip, {}).setdefault(affix.flag, []).append(affix)
    return rules


class HunspellLexicon:
    """A dictionary whose morphological fields `meaning` reads. Raises MorphologyError where a file can't be read."""

    def __init__(self, dictionary: Path, meaning: Callable[[str], tuple[str | None, Features]]) -> None:
        self._affixes = read_affixes(dictionary.with_suffix(".aff"))
        self._stems = _read_stems(dictionary, self._affixes)
        self._source = dictionary.name
        self.meaning = cache(meaning)
        suffixes = list(chain.from_iterable(self._affixes.suffixes.values()))
        following = {flag for affix in suffixes for flag in affix.further} & self._affixes.suffixes.keys()
        self._last = _by_ending(suffixes)
        self._outer = _by_ending(affix for affix in suffixes if affix.flag in following)
        self._inner = _by_ending(affix for affix in suffixes if not following.isdisjoint(affix.further))
        self._prefixes: dict[str, list[Affix]] = {}
        for affix in chain.from_iterable(self._affixes.prefixes.values()):
            self._prefixes.setdefault(affix.add, []).append(affix)
        self.paradigm = lru_cache(_PARADIGMS)(self._forms_of)

    @property
    def suffixes(self) -> Mapping[str, Sequence[Affix]]:
        """The suffix rules by flag."""
        return self._affixes.suffixes

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """The stems, each with what a line of the dictionary says of it."""
        return ((stem, entry) for stem, entries in self._stems.items() for entry in entries)

    def readings(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, without repetition."""
        return tuple(dict.fromkeys(map(self.analysis, self.segmentations(form))))

    def segmentations(self, form: str) -> Iterator[Segmentation]:
        """The ways to segment a form; several may give the same reading."""
        yield from self._parts(form, None)
        for end in range(len(form) + 1):
            for prefix in self._prefixes.get(form[:end], ()):
                rest = prefix.strip + form[end:]
                if _begins(rest, prefix) and (end < len(form) or self._affixes.full_strip):
                    yield from self._parts(rest, prefix)

    def _parts(self, form: str, prefix: Affix | None) -> Iterator[Segmentation]:
        for entry in self._stems.get(form, ()):
            if self._is_form(entry, (), prefix):
                yield Segmentation(form, entry, (), prefix)
        for stem, entry, affix in self._unsuffixed(form, self._last, prefix):
            if self._is_form(entry, (affix,), prefix):
                yield Segmentation(stem, entry, (affix,), prefix)
        for middle, outer_rules in self._stripped(form, self._outer):
            for stem, entry, inner in self._unsuffixed(middle, self._inner, prefix):
                for outer in _named(outer_rules, inner.further):
                    if fits(middle, outer) and self._is_form(entry, (inner, outer), prefix):
                        yield Segmentation(stem, entry, (inner, outer), prefix)

    def _unsuffixed(self, form: str, rules: SuffixRules, prefix: Affix | None) -> Iterator[tuple[str, Entry, Affix]]:
        """The stems that a form may have, each with what a line says of it and the suffix that fits it."""
        for stem, by_flag in self._stripped(form, rules):
            for entry in self._stems.get(stem, ()):
                for affix in _named(by_flag, entry.flags + _added(entry, prefix)):
                    if fits(stem, affix):
                        yield stem, entry, affix

    def _stripped(self, form: str, rules: SuffixRules) -> Iterator[tuple[str, ByFlag]]:
        """What stands before each suffix that the form may end with, and the suffix's rules."""
        for end in range(len(form), -1 if self._affixes.full_strip else 0, -1):
            for strip, by_flag in rules.get(form[end:], {}).items():
                yield form[:end] + strip, by_flag

    def _is_form(self, entry: Entry, suffixes: tuple[Affix, ...], prefix: Affix | None) -> bool:
        """Whether the dictionary's flags allow a stem with these affixes as a form."""
        need, circumfix = self._affixes.need_affix, self._affixes.circumfix
        carrier = suffixes[-1].further if suffixes else entry.flags
        around = any(circumfix in suffix.further for suffix in suffixes)
        if prefix is None:
            return need not in carrier and not around
        # Suffixes that the prefix itself allows can't allow the prefix.
        by_suffix = any(prefix.flag in suffix.further for suffix in suffixes) and suffixes[0].flag in entry.flags
        permitted = prefix.flag in entry.flags or by_suffix
        crossing = not suffixes or (prefix.cross and all(suffix.cross for suffix in suffixes))
        # An affix that needs another has it in the other one, unless that needs one too.
        complete = need not in prefix.further or (bool(suffixes) and need not in carrier)
        return permitted and crossing and complete and (circumfix in prefix.further) == around

    def _forms_of(self, stem: str) -> tuple[AnalysedForm, ...]:
        """All forms of all words with this stem."""
        forms = (item for entry in self._stems.get(stem, ()) for item in self._forms(stem, entry))
        return tuple(dict.fromkeys(AnalysedForm(form, self.analysis(parts)) for form, parts in forms))

    def _forms(self, stem: str, entry: Entry) -> Iterator[tuple[str, Segmentation]]:
        for form, suffixes in self._suffixed(stem, entry.flags, ()):
            if self._is_form(entry, suffixes, None):
                yield form, Segmentation(stem, entry, suffixes)
            flags = dict.fromkeys((*entry.flags, *(flag for suffix in suffixes for flag in suffix.further)))
            for prefix in _named(self._affixes.prefixes, flags):
                yield from self._prefixed(form, Segmentation(stem, entry, suffixes, prefix))
        for prefix in _named(self._affixes.prefixes, entry.flags):
            for form, suffixes in self._suffixed(stem, _added(entry, prefix), ()):
                if suffixes:
                    yield from self._prefixed(form, Segmentation(stem, entry, suffixes, prefix))

    def _prefixed(self, form: str, parts: Segmentation) -> Iterator[tuple[str, Segmentation]]:
        prefix = parts.prefix
        if prefix and _begins(form, prefix) and self._is_form(parts.entry, parts.suffixes, prefix):
            rest = form[len(prefix.strip) :]
            if rest or self._affixes.full_strip:
                yield prefix.add + rest, parts

    def _suffixed(
        self, base: str, flags: Iterable[str], before: tuple[Affix, ...]
    ) -> Iterator[tuple[str, tuple[Affix, ...]]]:
        """The base and its forms with one or two more suffixes, whether or not they are complete forms."""
        yield base, before
        for affix in _named(self._affixes.suffixes, flags) if len(before) < 2 else ():
            root = base[: len(base) - len(affix.strip)]
            if fits(base, affix) and (root or self._affixes.full_strip):
                yield from self._suffixed(root + affix.add, affix.further, (*before, affix))

    def analysis(self, parts: Segmentation) -> Analysis:
        """The reading of a segmentation."""
        lemma, morph = _STEM.search(parts.entry.morph), parts.morph
        return Analysis(lemma[1] if lemma else parts.stem, *self.meaning(morph), self._source, morph)


def _named(rules: Mapping[str, list[Affix]], flags: Iterable[str]) -> Iterator[Affix]:
    return (affix for flag in flags if flag in rules for affix in rules[flag])


def _added(entry: Entry, prefix: Affix | None) -> tuple[str, ...]:
    """The flags that a prefix adds to those of a stem."""
    return tuple(flag for flag in prefix.further if flag not in entry.flags) if prefix else ()


def fits(stem: str, suffix: Affix) -> bool:
    """Whether a suffix can be added to a stem, by what it strips and by its condition."""
    return stem.endswith(suffix.strip) and (not suffix.condition or bool(suffix.condition.fullmatch(stem)))


def _begins(stem: str, prefix: Affix) -> bool:
    return stem.startswith(prefix.strip) and (not prefix.condition or bool(prefix.condition.fullmatch(stem)))


def _read_stems(path: Path, affixes: AffixFile) -> dict[str, tuple[Entry, ...]]:
    """The entries of each stem. Equal entries are one object, to save memory."""
    stems: dict[str, tuple[Entry, ...]] = {}
    shared: dict[tuple[str, str], tuple[Entry, ...]] = {}
    try:
        text = read_file(path, MAX_BYTES, MorphologyError).decode(affixes.encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        where = not_decoded(path, fault)
        raise MorphologyError(
            f"{where} is not {affixes.encoding}, which SET in the .aff file names; get the file again"
        ) from None
    for number, line in enumerate(text.split("\n"), start=1):
        # `stem/flags<TAB>fields`; a slash in the stem is written `\/`.
        head, _, fields = line.partition("\t")
        if not fields and ":" in head and " " in head:
            head, fields = (*_FIELDS.split(head, maxsplit=1), "")[:2]
        word, flags = (*_SLASH.split(head.strip(), maxsplit=1), "")[:2]
        word, flags, fields = word.replace("\\/", "/"), flags.strip(), fields.strip()
        if not word or (number == 1 and line.strip().isdigit()):
            continue
        if (flags, fields) not in shared:
            try:
                shared[flags, fields] = (Entry(affixes.flags(flags), affixes.alias("AM", fields)),)
            except ValueError as fault:
                raise MorphologyError(f"{at(path, number)}: {fault}; fix the file or get it again") from None
        entries = shared[flags, fields]
        if affixes.hidden.isdisjoint(entries[0].flags):
            stems[word] = stems[word] + entries if word in stems else entries
    return stems
