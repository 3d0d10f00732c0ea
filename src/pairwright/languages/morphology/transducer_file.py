"""Files of finite-state transducers: the optimized-lookup format of HFST (`.hfstol`), and the text format of AT&T.

A transducer reads one side of its arcs and writes the other. Here both sides are equal, so a file serves for analysis
and for generation. Weights are left out of account.
"""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairwright.core.errors import MorphologyError, at
from pairwright.core.files import read_file, read_lines

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
    return OptimizedLookup(_body(read_file(path, MAX_BYTES, MorphologyError), path), path)


class OptimizedLookup:
    """A transducer in the format of `hfst-fst2fst -O`, with weights or without: symbols, index table, transitions.

    State 0 is the first. `inputs` and `outputs` are the symbols of either side.
    """

    def __init__(self, content: bytes, path: Path) -> None:
        try:
            self._n_inputs, n_symbols, n_index, n_arcs, _, _, weighted, *_ = _HEADER.unpack_from(content)
            symbols, start = _symbols(content, n_symbols)
            self._index = np.frombuffer(content, _INDEX, n_index, start)
            arc = np.dtype([*_ARC, ("weight", "<f4")] if weighted else _ARC)
            self._arcs: Any = np.frombuffer(content, arc, n_arcs, start + n_index * _INDEX.itemsize)
        except (ValueError, struct.error):
            raise MorphologyError(f"{path}: the transducer is cut short or damaged; get the file again") from None
        self._symbols = symbols
        self._check(path)
        arcs = self._arcs[self._arcs["input"] != _NO_SYMBOL]
        self.inputs, self.outputs = (self._names(arcs[side]) for side in ("input", "output"))
        # Each state's arcs end where the next state's row begins.
        self._ends = np.append(np.flatnonzero(self._arcs["input"] == _NO_SYMBOL), n_arcs)

    def arcs(self, state: int) -> Iterator[Arc]:
        """The arcs that leave a state. A state of the index table names the place of its arcs by their symbols."""
        first = state - _TRANSITIONS + 1 if state >= _TRANSITIONS else self._first_arc(state)
        if first is None:
            return
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

    def _first_arc(self, state: int) -> int | None:
        rows = self._index[state + 1 : state + 1 + self._n_inputs]
        # Rows of other states lie between; a state's own row has the symbol of its place.
        places = rows["target"][rows["symbol"] == np.arange(len(rows))]
        return int(places.min()) - _TRANSITIONS if len(places) else None

    def _names(self, numbers: Any) -> frozenset[str]:
        return frozenset(self._symbols[number] for number in np.unique(numbers).tolist())

    def _check(self, path: Path) -> None:
        """Raises MorphologyError where a row leads out of the tables."""
        arcs = self._arcs[self._arcs["input"] != _NO_SYMBOL]
        starts = self._index[self._index["symbol"] != _NO_SYMBOL]["target"]
        targets = np.concatenate([arcs["target"], starts])
        rows = targets[targets >= _TRANSITIONS] - _TRANSITIONS
        states = arcs["target"][arcs["target"] < _TRANSITIONS]
        symbols = np.concatenate([arcs["input"], arcs["output"]])
        sound = (
            len(self._index) > 0
            and (starts >= _TRANSITIONS).all()
            and (rows < len(self._arcs)).all()
            and (states < len(self._index)).all()
            and (symbols < len(self._symbols)).all()
        )
        if not sound:
            raise MorphologyError(f"{path}: the transducer's tables are damaged; get the file again")


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


def _body(content: bytes, path: Path) -> bytes:
    """What follows HFST's own header. Raises MorphologyError where that names another format, or is missing."""
    if not content.startswith(_HFST3):
        raise MorphologyError(
            f"{path}: not a transducer of HFST; name a .hfstol file, or an .att file of hfst-fst2txt, foma or pyfoma"
        )
    length = int.from_bytes(content[5:7], "little")
    fields = content[8 : 8 + length].split(b"\0")
    kind = dict(zip(fields[::2], fields[1::2], strict=False)).get(b"type", b"").decode("utf-8", "replace")
    if kind not in ("HFST_OL", "HFST_OLW"):
        raise MorphologyError(
            f"{path}: a transducer in the format {kind or 'of no name'}; convert it: "
            f"hfst-fst2fst -O -i {path.name} -o {path.stem}.hfstol"
        )
    return content[8 + length :]


def _symbols(content: bytes, n_symbols: int) -> tuple[list[str], int]:
    """The symbols by number and the place after them. Raises ValueError where they are cut short or not UTF-8."""
    place, symbols = _HEADER.size, []
    for _ in range(n_symbols):
        end = content.index(b"\0", place)
        symbols.append(content[place:end].decode())
        place = end + 1
    return ["", *symbols[1:]], place


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
