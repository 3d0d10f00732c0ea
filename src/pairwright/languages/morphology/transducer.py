"""Finite-state transducers as lexicons, as of GiellaLT and Apertium: `.hfstol` files, and AT&T's text format.

The side with the tags is that of the analyses, whichever a file reads: one file analyses and generates. Flag diacritics
are kept, weights left out. No path closes a loop that reads nothing, and a word that takes more than `MAX_STEPS` is one
that the lexicon lacks, so every look-up ends. Arcs for unknown letters, by which some analysers guess, are left out.
"""

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairwright.core.errors import MorphologyError, at
from pairwright.core.files import read_file, read_lines
from pairwright.languages.features import Tagset
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis

# The analysers of large languages have some tens of megabytes.
MAX_BYTES = 1_000_000_000

_HEADER = struct.Struct("<HHIIII9I")
_HFST3 = b"HFST\0"
_NO_SYMBOL = 0xFFFF
_NO_TARGET = 0xFFFFFFFF
# Targets from here on are rows of the transition table; those below are rows of the index table.
_TRANSITIONS = 0x80000000
_INDEX = np.dtype([("symbol", "<u2"), ("target", "<u4")])
_ARC = [("input", "<u2"), ("output", "<u2"), ("target", "<u4")]
_EPSILON = ("@0@", "@_EPSILON_SYMBOL_@", "@EPSILON@")


class Arc(NamedTuple):
    """An arc of a transducer; "" is epsilon, the empty symbol."""

    input: str
    output: str
    target: int


def read_transducer(path: Path) -> "OptimizedLookup | Listed":
    """Read a transducer. Raises MorphologyError, with the path and the remedy, for any other or damaged file."""
    if path.suffix == ".att":
        return _read_att(path)
    content = read_file(path, MAX_BYTES, MorphologyError)
    if not content.startswith(_HFST3):
        raise MorphologyError(
            f"{path}: not a transducer of HFST; name a .hfstol file, or an .att file of hfst-fst2txt, foma or pyfoma"
        )
    # HFST's own header, which names the format.
    length = int.from_bytes(content[5:7], "little")
    fields = content[8 : 8 + length].split(b"\0")
    kind = dict(zip(fields[::2], fields[1::2], strict=False)).get(b"type", b"").decode("utf-8", "replace")
    if kind not in ("HFST_OL", "HFST_OLW"):
        raise MorphologyError(
            f"{path}: a transducer in the format {kind or 'of no name'}; convert it: "
            f"hfst-fst2fst -O -i {path.name} -o {path.stem}.hfstol"
        )
    return OptimizedLookup(content[8 + length :], path)


class OptimizedLookup:
    """A transducer in the format of `hfst-fst2fst -O`, with weights or without: symbols, index table, transitions.

    State 0 is the first. `inputs` and `outputs` are the symbols of either side.
    """

    def __init__(self, content: bytes, path: Path) -> None:
        try:
            self._n_inputs, n_symbols, n_index, n_arcs, _, _, weighted, *_ = _HEADER.unpack_from(content)
            # The last piece is what follows the symbols, where these are not cut short.
            *symbols, rest = content[_HEADER.size :].split(b"\0", n_symbols)
            if len(symbols) < n_symbols:
                raise ValueError
            self._symbols = ["", *(symbol.decode() for symbol in symbols[1:])]
            self._index = np.frombuffer(rest, _INDEX, n_index)
            arc = np.dtype([*_ARC, ("weight", "<f4")] if weighted else _ARC)
            self._arcs: Any = np.frombuffer(rest, arc, n_arcs, n_index * _INDEX.itemsize)
        except (ValueError, struct.error):
            raise MorphologyError(f"{path}: the transducer is cut short or damaged; get the file again") from None
        arcs = self._arcs[self._arcs["input"] != _NO_SYMBOL]
        starts = self._index[self._index["symbol"] != _NO_SYMBOL]["target"]
        targets = np.concatenate([arcs["target"], starts])
        rows = targets[targets >= _TRANSITIONS] - _TRANSITIONS
        states = arcs["target"][arcs["target"] < _TRANSITIONS]
        # No row may lead out of the tables.
        sound = (
            len(self._index) > 0
            and (starts >= _TRANSITIONS).all()
            and (rows < len(self._arcs)).all()
            and (states < len(self._index)).all()
            and all((arcs[side] < len(self._symbols)).all() for side in ("input", "output"))
        )
        if not sound:
            raise MorphologyError(f"{path}: the transducer's tables are damaged; get the file again")
        sides = (np.unique(arcs[side]).tolist() for side in ("input", "output"))
        self.inputs, self.outputs = (frozenset(self._symbols[number] for number in side) for side in sides)
        # Each state's arcs end where the next state's row begins.
        self._ends = np.append(np.flatnonzero(self._arcs["input"] == _NO_SYMBOL), n_arcs)

    def arcs(self, state: int) -> Iterator[Arc]:
        """The arcs that leave a state. A state of the index table names the place of its arcs by their symbols."""
        first = state - _TRANSITIONS + 1
        if state < _TRANSITIONS:
            rows = self._index[state + 1 : state + 1 + self._n_inputs]
            # Rows of other states lie between; a state's own row has the symbol of its place.
            places = rows["target"][rows["symbol"] == np.arange(len(rows))]
            if not len(places):
                return
            first = int(places.min()) - _TRANSITIONS
        end = self._ends[np.searchsorted(self._ends, first)]
        for source, target, state_after, *_ in self._arcs[first:end].tolist():
            yield Arc(self._symbols[source], self._symbols[target], state_after)

    def is_final(self, state: int) -> bool:
        """Whether a path may end in a state."""
        if state < _TRANSITIONS:
            row = self._index[state]
            return bool(row["symbol"] == _NO_SYMBOL and row["target"] != _NO_TARGET)
        row = self._arcs[state - _TRANSITIONS]
        return bool(row["input"] == _NO_SYMBOL and row["output"] == _NO_SYMBOL and row["target"] == 1)


class Listed:
    """A transducer whose arcs are listed, with the same methods."""

    def __init__(self, arcs: Mapping[int, list[Arc]], final: frozenset[int]) -> None:
        self._arcs, self._final = arcs, final
        every = [arc for listed in arcs.values() for arc in listed]
        self.inputs = frozenset(arc.input for arc in every)
        self.outputs = frozenset(arc.output for arc in every)

    def arcs(self, state: int) -> Iterator[Arc]:
        """The arcs that leave a state."""
        return iter(self._arcs.get(state, ()))

    def is_final(self, state: int) -> bool:
        """Whether a path may end in a state."""
        return state in self._final


def _read_att(path: Path) -> Listed:
    """Arcs, `source target input output [weight]`, and final states, `state [weight]`, in columns, a line each."""
    arcs: dict[int, list[Arc]] = {}
    final: set[int] = set()
    for number, line in read_lines(path, MorphologyError):
        columns = line.split("\t")
        try:
            if len(columns) in (4, 5):
                arc = Arc(_att_symbol(columns[2]), _att_symbol(columns[3]), int(columns[1]))
                arcs.setdefault(int(columns[0]), []).append(arc)
            else:
                final.add(int(columns[0]))
        except ValueError:
            raise MorphologyError(
                f"{at(path, number)}: no arc and no final state in AT&T format; export it again"
            ) from None
    return Listed(arcs, frozenset(final))


def _att_symbol(text: str) -> str:
    return "" if text in _EPSILON else text.replace("@_SPACE_@", " ").replace("@_TAB_@", "\t")


# A form takes some hundreds of steps, a paradigm with thousands of forms some ten thousands. This takes about a second.
MAX_STEPS = 50_000

_FLAG = re.compile(r"@(?P<operation>[PNRDCU])\.(?P<feature>[^.@]+)(?:\.(?P<value>[^@]+))?@")
_SPECIAL = re.compile("@.+@")
_STATES = 200_000
_PARADIGMS = 512

Flags = frozenset[tuple[str, str]]
"""The values of flag diacritics by feature; one that begins with `!` is any other value."""


class Step(NamedTuple):
    """An arc as one direction takes it.

    reads   the symbol that it reads, and `length` the letters of the text that this takes: a tag is not in the text
    writes  the symbol that it writes
    target  the state to which it leads
    flag    its flag diacritic, if it is one
    """

    reads: str
    length: int
    writes: str
    target: int
    flag: re.Match[str] | None


Steps = dict[str, list[Step]]
"""The steps from a state, by what they read; those with a flag diacritic read nothing."""


class _Place(NamedTuple):
    """Where a path stands: its state, how far the text is read, its flags, its steps, and its states since it read."""

    state: int
    position: int = 0
    flags: Flags = frozenset()
    path: tuple[Step, ...] = ()
    passed: frozenset[tuple[int, Flags]] = frozenset()


class TransducerLexicon:
    """A transducer whose tags a tagset explains.

    Raises MorphologyError where the file can't be read, has no arcs, or has no tag of the tagset.
    """

    def __init__(self, path: Path, tagset: Tagset) -> None:
        self._path, self._tagset = path, tagset
        self._transducer = read_transducer(path)
        self._is_tag = cache(self._tells_tag)
        sides = self._transducer.inputs, self._transducer.outputs
        meaningful = [sum(self._has_meaning(symbol) for symbol in side) for side in sides]
        if not any(meaningful):
            tags = sorted(filter(self._is_tag, sides[0] | sides[1]))
            why = "the transducer is empty; compile it again"
            if tags:
                title = tagset.title
                why = (
                    f"none of its tags, such as {tags[0]}, has a meaning in the tagset '{title}'; name another tagset, "
                )
                why += "or write one into tagsets/"
            elif any(sides):
                why = "the transducer has no tags on either side; name an analyser or a generator, not a speller"
            raise MorphologyError(f"{path}: {why}")
        self._tags_are_read = meaningful[0] >= meaningful[1]
        surface = sides[1] if self._tags_are_read else sides[0]
        self._lengths = sorted({len(symbol) for symbol in surface if symbol and not _SPECIAL.fullmatch(symbol)})
        self._analysing = lru_cache(_STATES)(lambda state: self._steps(state, tags_are_read=False))
        self._generating = lru_cache(_STATES)(lambda state: self._steps(state, tags_are_read=True))
        self.paradigm = lru_cache(_PARADIGMS)(self._forms_of)

    def readings(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, without repetition."""
        paths = self._paths(form, self._letter_steps)
        return tuple(dict.fromkeys(self._analysis([step.writes for step in path]) for path in paths))

    def tags_without_meaning(self) -> list[str]:
        """The tags that add nothing to an analysis, because the tagset does not have them."""
        symbols = self._transducer.inputs | self._transducer.outputs
        return sorted(symbol for symbol in symbols if self._is_tag(symbol) and not self._has_meaning(symbol))

    def _forms_of(self, lemma: str) -> tuple[AnalysedForm, ...]:
        """All forms of all words with this lemma; words that are derived from it are not among them."""
        forms = (
            AnalysedForm("".join(step.writes for step in path), self._analysis([step.reads for step in path]))
            for path in self._paths(lemma, self._lemma_steps)
        )
        return tuple(dict.fromkeys(item for item in forms if item.analysis.lemma == lemma))

    def _paths(self, text: str, steps: Callable[[str, _Place], Iterable[Step]]) -> list[tuple[Step, ...]]:
        """The paths that read a text, in the order of the file; none for a word that takes more than `MAX_STEPS`."""
        places, paths = [_Place(0)], list[tuple[Step, ...]]()
        for _ in range(MAX_STEPS):
            if not places:
                return paths
            place = places.pop()
            if place.position == len(text) and self._transducer.is_final(place.state):
                paths.append(place.path)
            following = (self._after(place, step) for step in steps(text, place))
            places += reversed([place for place in following if place])
        return []

    def _after(self, place: _Place, step: Step) -> _Place | None:
        """Where a step leads; None where its flag forbids it, or where it closes a loop that reads nothing."""
        flags = _set_flag(place.flags, step.flag) if step.flag else place.flags
        if flags is None:
            return None
        passed = frozenset() if step.length else place.passed | {(place.state, place.flags)}
        if (step.target, flags) in passed:
            return None
        return _Place(step.target, place.position + step.length, flags, (*place.path, step), passed)

    def _letter_steps(self, form: str, place: _Place) -> Iterator[Step]:
        steps, rest = self._analysing(place.state), form[place.position :]
        yield from steps.get("", ())
        for length in self._lengths:
            if length <= len(rest):
                yield from steps.get(rest[:length], ())

    def _lemma_steps(self, lemma: str, place: _Place) -> Iterator[Step]:
        for symbol, steps in self._generating(place.state).items():
            if self._is_tag(symbol):
                yield from () if self._derives(place.path, symbol) else steps
            elif lemma.startswith(symbol, place.position):
                yield from steps

    def _derives(self, path: tuple[Step, ...], tag: str) -> bool:
        """Whether a tag makes another word: a part of speech after one, with other tags between."""
        if not self._tagset.is_part_of_speech(tag):
            return False
        are = [self._tagset.is_part_of_speech(step.reads) for step in path if self._is_tag(step.reads)]
        return any(are) and not are[-1]

    def _steps(self, state: int, *, tags_are_read: bool) -> Steps:
        steps: Steps = {}
        for arc in self._transducer.arcs(state):
            reads, writes = arc[:2] if tags_are_read == self._tags_are_read else arc[1::-1]
            flag = _FLAG.fullmatch(reads) or _FLAG.fullmatch(writes)
            if flag:
                steps.setdefault("", []).append(Step("", 0, "", arc.target, flag))
            elif not _SPECIAL.fullmatch(reads) and not _SPECIAL.fullmatch(writes):
                length = 0 if tags_are_read and self._is_tag(reads) else len(reads)
                steps.setdefault(reads, []).append(Step(reads, length, writes, arc.target, None))
        return steps

    def _analysis(self, symbols: Iterable[str]) -> Analysis:
        """The analysis that symbols spell. Tags before the last part of speech are those of other parts of the word."""
        symbols = list(symbols)
        lemma = "".join(symbol for symbol in symbols if not self._is_tag(symbol))
        tags = [symbol for symbol in symbols if self._is_tag(symbol)]
        last = max((n for n, tag in enumerate(tags) if self._tagset.is_part_of_speech(tag)), default=0)
        return Analysis(lemma, *self._tagset.meaning(*tags[last:]), self._path.name, "".join(tags))

    def _tells_tag(self, symbol: str) -> bool:
        """Whether a symbol is a tag: of several characters, and no letters such as `dž`, unless the tagset has them."""
        if len(symbol) < 2 or _SPECIAL.fullmatch(symbol):
            return False
        return not symbol.isalpha() or not self._tagset.unknown(symbol)

    def _has_meaning(self, symbol: str) -> bool:
        return self._is_tag(symbol) and not self._tagset.unknown(symbol)


def _set_flag(flags: Flags, flag: re.Match[str]) -> Flags | None:
    """The flags after a flag diacritic; None where it does not let the path pass."""
    operation, feature, value = flag["operation"], flag["feature"], flag["value"]
    now = dict(flags).get(feature)
    others = frozenset(item for item in flags if item[0] != feature)
    if operation == "C":
        return others
    if operation in "PN":
        return others | {(feature, value if operation == "P" else f"!{value}")}
    same = now is not None if value is None else now == value
    if operation == "U":
        fits = now is None or same or (now.startswith("!") and now != f"!{value}")
        return others | {(feature, value)} if fits else None
    return flags if same == (operation == "R") else None
