"""Transducers of a test: as AT&T text, and in HFST's format for optimized lookup."""

import struct
from pathlib import Path

from pairwright.languages.features import parse_features
from pairwright.languages.morphology import Analyser

_NO_SYMBOL, _NO_TARGET, _TRANSITIONS = 0xFFFF, 0xFFFFFFFF, 0x80000000
_EPSILON = "@0@"

Entry = tuple[tuple[str, ...], tuple[str, ...]]
"""The symbols of an analysis, and those of its form."""


def att(entries: list[Entry]) -> str:
    """A transducer that reads analyses and writes forms, a path for each entry."""
    lines, state = ["1"], 2
    for analysis, form in entries:
        pairs = [
            (analysis[n] if n < len(analysis) else _EPSILON, form[n] if n < len(form) else _EPSILON)
            for n in range(max(len(analysis), len(form)))
        ]
        states = [0, *range(state, state + len(pairs) - 1), 1]
        lines += [f"{states[n]}\t{states[n + 1]}\t{reads}\t{writes}" for n, (reads, writes) in enumerate(pairs)]
        state += len(pairs) - 1
    return "\n".join(lines) + "\n"


def write_optimized(text: str, path: Path, *, weighted: bool = True) -> Path:
    """Writes what AT&T text says in HFST's format: the first state into the index table, the others as transitions."""
    rows = [line.split("\t") for line in text.splitlines()]
    final = {row[0] for row in rows if len(row) < 4}
    arcs = [row for row in rows if len(row) > 3]
    names = dict.fromkeys([_EPSILON, *(row[2] for row in arcs), *(row[3] for row in arcs)])
    number = {name: place for place, name in enumerate(names)}
    # Flag diacritics stand with epsilon.
    order = {name: 0 if name == _EPSILON or name.startswith("@") else place for name, place in number.items()}
    states = sorted({"0", *(row[0] for row in arcs), *(row[1] for row in arcs), *final}, key=int)
    leaving = {
        state: sorted((row for row in arcs if row[0] == state), key=lambda row: order[row[2]]) for state in states
    }
    place, start = 0, {}
    for state in states:
        start[state] = place
        place += 1 + len(leaving[state])
    weight = struct.pack("<f", 0.0) if weighted else b""
    table = b""
    for state in states:
        table += struct.pack("<HHI", _NO_SYMBOL, _NO_SYMBOL, 1 if state in final else _NO_TARGET) + weight
        for row in leaving[state]:
            target = 0 if row[1] == "0" else _TRANSITIONS + start[row[1]]
            table += struct.pack("<HHI", number[row[2]], number[row[3]], target) + weight
    table += struct.pack("<HHI", _NO_SYMBOL, _NO_SYMBOL, _NO_TARGET) + weight
    first = {order[row[2]]: start["0"] + 1 + n for n, row in reversed(list(enumerate(leaving["0"])))}
    index = struct.pack("<HI", _NO_SYMBOL, 0 if "0" in final else _NO_TARGET)
    for symbol in range(len(names)):
        index += struct.pack("<HI", symbol if symbol in first else _NO_SYMBOL, first.get(symbol, 0) + _TRANSITIONS)
    sizes = (len(names), len(names), 1 + len(names), place + 1, len(states), len(arcs))
    header = struct.pack("<HHIIII9I", *sizes, weighted, *[0] * 8)
    symbols = b"".join(name.encode() + b"\0" for name in names)
    path.write_bytes(hfst_header("HFST_OLW" if weighted else "HFST_OL") + header + symbols + index + table)
    return path


def hfst_header(kind: str) -> bytes:
    """The beginning of every file of HFST."""
    fields = b"version\x003.3\0type\0" + kind.encode() + b"\0"
    return b"HFST\0" + struct.pack("<H", len(fields)) + b"\0" + fields


def forms(analyser: Analyser, lemma: str, features: str) -> set[str]:
    """The forms of a lemma that have some features, in all lexicons of an analyser."""
    cells = (cell for lexicon in analyser._lexicons for cell in lexicon.paradigm(lemma))
    return {cell.form for cell in cells if parse_features(features) <= cell.analysis.features}
