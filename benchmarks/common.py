"""What the benchmarks share: counts of what is right, tables, what is not here, and runs in a process of their own."""

import csv
import logging
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pairwright.core.records import Block
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.languages import Language
from pairwright.languages.morphology import Analyser, analyser_of

Json = dict[str, Any]
HERE = Path(__file__).parent
SOURCES = HERE.parent / "sources"
# What is missing or wrong, a line each; `all.py --show` prints it.
miss = logging.getLogger("miss").info


class NotHere(Exception):
    """A document, a model or a program that a figure needs is not on this machine."""


def need(path: Path) -> Path:
    """The path itself. Raises NotHere where it leads nowhere."""
    if not path.exists():
        raise NotHere(f"`{'/'.join(path.parts[-2:])}` is not here")
    return path


@dataclass
class Tally:
    """Right ones, ones that were read and ones that there are."""

    right: int = 0
    read: int = 0
    there: int = 0

    def add(self, read: Iterable[object], there: Iterable[object]) -> None:
        read, there = set(read), set(there)
        self.right += len(read & there)
        self.read += len(read)
        self.there += len(there)

    @property
    def precision(self) -> float:
        return self.right / max(self.read, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.there, 1)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(self.read + self.there, 1)

    def __str__(self) -> str:
        precision = f" ({self.precision:.2f})" if self.precision < 0.995 else ""
        return f"{self.right} of {self.there}{precision}" if self.there else ""


def share(part: int, whole: int) -> str:
    """Two counts with their share in percent."""
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "none"


def counts(rows: dict[str, Any], column: str = "figure") -> pd.DataFrame:
    """A table of two columns."""
    return pd.DataFrame(rows.items(), columns=["", column])


def read_tsv(name: str) -> list[dict[str, str]]:
    """The rows of a file in `data`."""
    with (HERE / "data" / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t"))


@cache
def blocks_of(path: Path, use_outline: bool = False) -> tuple[Block, ...]:
    """The blocks of a PDF; its outline is hidden from the reader where it is not told otherwise."""
    book = learn_book(path, path.stem, use_outline=use_outline)
    return tuple(block for page in link(read_pages(book)) for block in page.blocks)


@cache
def lithuanian(data: Path) -> tuple[Language, Analyser]:
    """Lithuanian with the forms of the tagged dictionary alone."""
    from made_records import language_with

    language = language_with(need(data / "morphology" / "lt-LT.dic"))
    analyser = analyser_of(language)
    assert analyser is not None
    return language, analyser


class Cost(NamedTuple):
    """What a run took: seconds by the clock and of the processor, the most memory in MiB, and what it returned."""

    clock: float
    processor: float
    peak: float
    result: Any

    @property
    def cells(self) -> dict[str, str]:
        return {"clock, s": f"{self.clock:.2f}", "processor, s": f"{self.processor:.2f}", "MiB": f"{self.peak:,.0f}"}


def measured(work: Callable[..., Any], *arguments: Any) -> Cost:
    """Runs something here."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work(*arguments)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return Cost(clock, processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result)


def apart(work: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns in a new process, so that its memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def timed(work: Callable[..., Any], *arguments: Any) -> Cost:
    """Runs something in a new process."""
    cost: Cost = apart(measured, work, *arguments)
    return cost


def by_kind(folder: Path, suffix: str, truth: str) -> Iterator[tuple[Path, Path]]:
    """The documents of a folder that have their truth beside them."""
    for path in sorted(folder.glob(f"*{suffix}")):
        if path.with_suffix(truth).exists():
            yield path, path.with_suffix(truth)
