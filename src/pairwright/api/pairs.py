"""Minimal pairs as tables: from files of any benchmark, from a release, and through the checks."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairwright.core.config import CheckSettings
from pairwright.core.errors import SourceError, counted
from pairwright.core.ids import content_id
from pairwright.core.records import BASELINE, Candidate, CheckedPair, Rejection, Rule
from pairwright.core.records.release import ReleaseInfo
from pairwright.core.tables import refuse_doubled
from pairwright.core.text import squeeze
from pairwright.languages import Language, load_language
from pairwright.pairfiles import PairRow, pair_candidate, pair_columns, read_rows

ID, GOOD, BAD = "id", "sentence_good", "sentence_bad"
# Places of faulty rows that a message names.
MOST_PLACES = 20
PARADIGM = ("paradigm_id", "condition")
"""The columns of a pair's place in a paradigm."""
_FIELDS = ["id", "good", "bad", "rule_id", "source_id", "method", "parent_id", "exception", "translation", "note"]


@dataclass(frozen=True)
class LoadedRelease:
    """A verified release: `sha256` is that of MANIFEST.sha256, `pairs` has the columns of pairs.parquet."""

    path: Path
    sha256: str
    info: ReleaseInfo
    pairs: pd.DataFrame
    rules: tuple[Rule, ...]


def load_pairs(
    source: str | Path | pd.DataFrame | Iterable[Candidate],
    *,
    good: str | None = None,
    bad: str | None = None,
    by: str | Sequence[str] = (),
    encoding: str | None = None,
    rejected: list[Rejection] | None = None,
) -> pd.DataFrame:
    """Loads minimal pairs as a table with the columns `id`, `sentence_good`, `sentence_bad`, and others of the file.

    source     a CSV file with any separator, TSV, JSON Lines, JSON or Parquet; a DataFrame; what `make_pairs` returned
    good, bad  the columns of the sentences, where they have none of the names that published benchmarks use
    by         the other columns to keep, such as the phenomenon; all of them where you leave it out
    encoding   of a text file that is neither UTF-8 nor UTF-16, such as `cp1257`
    rejected   takes up the rows that can't be used, each with its reason; without it, they are an error

    The index, `line`, is the line in the file, counted from 1, or the row where there are no lines. Ids are those of
    the file where it has one for each pair, else they come from the rule and the sentences. White space around cells of
    other columns is left out. Raises SourceError, in one line, where the file can't be read or a column is missing, and
    with all rows of which a sentence is empty, or both are the same.
    """
    if isinstance(source, str | Path):
        rows = list(read_rows(Path(source), good=good, bad=bad, encoding=encoding))
    else:
        frame = source if isinstance(source, pd.DataFrame) else pd.DataFrame(map(dict, source), columns=_FIELDS)
        rows = list(_frame_rows(frame, good, bad))
    if not rows:
        raise SourceError("no pairs: the table has no row")
    names = list(dict.fromkeys(name for row in rows for name in row.cells if name))
    kept = require_columns(listed(by), names, rows[0].place) if by else names
    usable = _usable(rows, rejected)
    rows, sentences = [row for row, _ in usable], [sentences for _, sentences in usable]
    taken = {ID, GOOD, BAD, *(rows[0].columns[field] for field in ("good", "bad"))}
    table: dict[str, list[Any]] = {ID: _ids(rows, sentences)}
    table[GOOD], table[BAD] = map(list, zip(*sentences, strict=True))
    table |= {name: [_label(row.cells.get(name)) for row in rows] for name in kept if name not in taken}
    return pd.DataFrame(table, index=pd.Index([row.line for row in rows], name="line"))


def load_paradigms(
    baseline: str | Path,
    conditions: Mapping[str, str | Path],
    *,
    good: str | None = None,
    bad: str | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Loads files of the same pairs in several conditions as one table with the columns `paradigm_id` and `condition`.

    baseline    the file of the pairs as they were before, in the condition `baseline`
    conditions  the other files by condition, such as `OVS`; the nth pair of each belongs to the nth of the baseline

    `good`, `bad` and `encoding` as in `load_pairs`. Raises SourceError as that does, where a file has another number of
    pairs than the baseline, and where a condition is called `baseline`.
    """
    if BASELINE in conditions:
        raise SourceError(f"{conditions[BASELINE]}: '{BASELINE}' is the condition of {baseline}; name it otherwise")
    tables: list[pd.DataFrame] = []
    for condition, file in {BASELINE: baseline, **conditions}.items():
        table = load_pairs(file, good=good, bad=bad, encoding=encoding)
        if tables and len(table) != len(tables[0]):
            raise SourceError(
                f"{file}: {counted(len(table), 'pair')}, and {len(tables[0]):,} in {baseline}; "
                "give files whose rows belong together"
            )
        tables.append(table.assign(paradigm_id=range(1, len(table) + 1), condition=condition).drop(columns=ID))
    return load_pairs(pd.concat(tables, ignore_index=True))


def listed(names: str | Sequence[str]) -> list[str]:
    """One name or several, as a list."""
    return [names] if isinstance(names, str) else list(names)


def require_columns(names: list[str], present: Iterable[object], place: str) -> list[str]:
    """The names themselves. Raises SourceError for the first that is none of the columns present."""
    columns = list(map(str, present))
    for name in names:
        if name not in columns:
            raise SourceError(f"{place}: no column '{name}'; found: {', '.join(columns)}")
    return names


def _frame_rows(frame: pd.DataFrame, good: str | None, bad: str | None) -> Iterator[PairRow]:
    names = tuple(map(str, frame.columns))
    refuse_doubled(names, "DataFrame", SourceError)
    columns = pair_columns(names, "DataFrame", good, bad)
    numbered = frame.index.name == "line" and pd.api.types.is_integer_dtype(frame.index)
    lines = frame.index.tolist() if numbered else range(1, len(frame) + 1)
    values = frame.astype(object).where(frame.notna(), None)
    for line, cells in zip(lines, values.itertuples(index=False, name=None), strict=True):
        # Parquet gives lists as arrays.
        plain = (cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells)
        row = dict(zip(names, plain, strict=True))
        yield PairRow(f"DataFrame, row {line}", line, "", row, columns)


def _label(cell: Any) -> Any:
    return " ".join(cell.split()) if isinstance(cell, str) else cell


def _usable(rows: Iterable[PairRow], rejected: list[Rejection] | None) -> list[tuple[PairRow, tuple[str, str]]]:
    """The rows that can be used, with their sentences; SourceError names the others, unless they go to `rejected`."""
    usable: list[tuple[PairRow, tuple[str, str]]] = []
    faulty: defaultdict[str, list[PairRow]] = defaultdict(list)
    for row in rows:
        try:
            usable.append((row, _sentences(row)))
        except SourceError as fault:
            faulty[str(fault).removeprefix(f"{row.place}: ")].append(row)
    if rejected is None or not usable:
        if not faulty:
            return usable
        parts = (f"{_places(own)}: {reason}" for reason, own in faulty.items())
        remedy = "or leave such rows out: --skip-unusable, in Python rejected=[]"
        raise SourceError(f"{'; '.join(parts)}; {remedy if usable else 'no other row is left'}")
    for reason, row in ((reason, row) for reason, own in faulty.items() for row in own):
        file = row.place.removesuffix(f":{row.line}")
        rejected += [Rejection(stage="pairs", source_id="", reason=reason, text=row.quote, file=file, line=row.line)]
    return usable


def _places(rows: Sequence[PairRow]) -> str:
    more = f" and {len(rows) - MOST_PLACES:,} more" if len(rows) > MOST_PLACES else ""
    return ", ".join(row.place for row in rows[:MOST_PLACES]) + more


def _sentences(row: PairRow) -> tuple[str, str]:
    """The two sentences. Raises SourceError where a field can't be used."""
    good, bad, *_ = map(row.text, ("good", "bad", "id", "rule"))
    for field, sentence in (("good", good), ("bad", bad)):
        if not sentence.strip():
            raise SourceError(f"{row.place}: '{row.columns[field]}' is empty; write the sentence or take the row out")
    if squeeze(good) == squeeze(bad):
        both = f"'{row.columns['good']}' and '{row.columns['bad']}'"
        raise SourceError(f"{row.place}: {both} are the same sentence; correct one of them")
    return good, bad


def _ids(rows: Sequence[PairRow], sentences: Sequence[tuple[str, str]]) -> list[str]:
    """The ids of the file where each pair has one of its own, else ids that come from rule and sentences."""
    ids = [row.text("id") for row in rows]
    if all(ids) and len(set(ids)) == len(ids):
        return ids
    repeats: defaultdict[tuple[str, ...], Iterator[int]] = defaultdict(count)
    pairs = [(row.text("rule"), *pair) for row, pair in zip(rows, sentences, strict=True)]
    return [content_id("pair", *pair, *filter(None, [next(repeats[pair])])) for pair in pairs]


def load_release(directory: str | Path) -> LoadedRelease:
    """Loads a release after verifying every file of it. Raises ReleaseError where one has changed or is missing."""
    from pairwright.core.store import read_jsonl
    from pairwright.release.verify import verified

    release = verified(Path(directory))
    return LoadedRelease(
        path=release.path,
        sha256=release.sha256,
        info=release.info,
        pairs=pd.read_parquet(release.path / "pairs.parquet"),
        rules=tuple(read_jsonl(release.path / "rules.jsonl", Rule)),
    )


def check_pairs(
    pairs: pd.DataFrame | Iterable[Candidate],
    language: str | Language,
    *,
    rules: Iterable[Rule] = (),
    settings: CheckSettings | None = None,
) -> list[CheckedPair]:
    """Checks minimal pairs and returns each with its findings and a verdict, in order. docs/checks.md lists the checks.

    pairs     what `load_pairs` or `make_pairs` returned
    language  such as `lt`; it decides letters, spelling and word forms
    rules     what `find_rules` returned: its examples say how far the pairs of a rule may differ

    A pair with an error gets the verdict `reject`; of several equal pairs the first passes. Raises MorphologyError
    where a dictionary of the language can't be read.
    """
    from pairwright.checks.registry import check_pairs as run_checks

    if isinstance(pairs, pd.DataFrame):
        pairs = [pair_candidate(row, "pairs", "pairs") for row in _frame_rows(pairs, None, None)]
    chosen = load_language(language) if isinstance(language, str) else language
    return list(run_checks(pairs, {rule.id: rule for rule in rules}, chosen, settings or CheckSettings()))


def sentence_pairs(pairs: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Id, good and bad sentence of each pair of a table. Raises SourceError as `load_pairs` does."""
    table: Any = pairs if {ID, GOOD, BAD} <= set(pairs.columns) else load_pairs(pairs)
    return list(zip(table[ID], table[GOOD], table[BAD], strict=True))
