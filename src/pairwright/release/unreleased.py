"""Any pairs as a table, and as a release that nobody reviewed: they are scored and shown as released ones are."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairwright.core.errors import SourceError, counted
from pairwright.core.ids import content_id
from pairwright.core.records import BASELINE, Candidate, Rejection
from pairwright.core.records.release import Release, ReleaseInfo, ReleasePair, ReleaseSource, pairs_sha256
from pairwright.core.tables import refuse_doubled
from pairwright.core.text import squeeze
from pairwright.core.workspace import Workspace
from pairwright.languages.linguistics.sentences import changes
from pairwright.pairfiles import COLUMNS, PairRow, pair_columns, pair_files, paired, read_rows

ID, GOOD, BAD = "id", "sentence_good", "sentence_bad"
# The column with the file of each pair, where several were read.
FILE = "file"
# Columns that group pairs in published benchmarks and in our releases.
GROUPINGS = frozenset((*COLUMNS["rule"], "field", "phenomenon_type", "subtype", FILE))
PARADIGM = ("paradigm_id", "condition")
"""The columns of a pair's place in a paradigm."""
# Places of faulty rows that a message names.
MOST_PLACES = 20
_FIELDS = ["id", "good", "bad", "rule_id", "source_id", "method", "parent_id", "exception", "translation", "note"]
Pairs = str | Path | pd.DataFrame | Iterable[str | Path] | Iterable[Candidate] | Iterable[tuple[str, str]]


def load_pairs(
    source: Pairs,
    *,
    good: str | None = None,
    bad: str | None = None,
    by: str | Sequence[str] = (),
    encoding: str | None = None,
    strict: bool = False,
) -> pd.DataFrame:
    """Loads minimal pairs as a table with the columns `id`, `sentence_good`, `sentence_bad`, and others of the file.

    source     a CSV file with any separator, TSV, JSON Lines, JSON or Parquet; a folder of them, a pattern such as
               `blimp/*.jsonl`, or a list of all these; a DataFrame; tuples of a good and a bad sentence; what
               `make_pairs` returned
    good, bad  the columns of the sentences, where they have none of the names that published benchmarks use; the fields
               of nested objects have dotted names, such as `pair.good`
    by         the other columns to keep, such as the phenomenon; all of them where you leave it out
    encoding   of a text file that is neither UTF-8 nor UTF-16, such as `cp1257`
    strict     rows that can't be used are an error

    A row has both sentences, or one with a label and the id of its pair. Rows of which a sentence is empty or both are
    the same are left out; `pairs.attrs["rejected"]` has them as Rejection records, with the reason.

    The index, `line`, is the line in the file, counted from 1, or the row where there are no lines. Of several files,
    the column `file` has the name without its ending. Ids are those of the file where it has one for each pair, else
    they come from the rule and the sentences. White space around cells of other columns is left out. Raises
    SourceError, in one line, where a file can't be read, a column is missing, or no row can be used.
    """
    rows = list(_rows(source, good, bad, encoding))
    if not rows:
        raise SourceError("no pairs: the table has no row")
    names = list(dict.fromkeys(name for row in rows for name in row.cells if name))
    kept = require_columns(listed(by), names, rows[0].place) if by else names
    usable, rejected = _usable(rows, strict=strict)
    rows, sentences = [row for row, _ in usable], [sentences for _, sentences in usable]
    taken = {ID, GOOD, BAD, *(rows[0].columns[field] for field in ("good", "bad"))}
    table: dict[str, list[Any]] = {ID: _ids(rows, sentences)}
    table[GOOD], table[BAD] = map(list, zip(*sentences, strict=True))
    table |= {name: [_label(row.cells.get(name)) for row in rows] for name in kept if name not in taken}
    pairs = pd.DataFrame(table, index=pd.Index([row.line for row in rows], name="line"))
    earlier = source.attrs.get("rejected", ()) if isinstance(source, pd.DataFrame) else ()
    pairs.attrs["rejected"] = (*earlier, *rejected)
    return pairs


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

    `good`, `bad` and `encoding` as in `load_pairs`; every row has to be usable. Raises SourceError as that does, where
    a file has another number of pairs than the baseline, and where a condition is called `baseline`.
    """
    if BASELINE in conditions:
        raise SourceError(f"{conditions[BASELINE]}: '{BASELINE}' is the condition of {baseline}; name it otherwise")
    tables: list[pd.DataFrame] = []
    for condition, file in {BASELINE: baseline, **conditions}.items():
        table = load_pairs(file, good=good, bad=bad, encoding=encoding, strict=True)
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
            raise SourceError(f"{place}: no column '{name}'; found: {', '.join(columns) or 'none'}")
    return names


def _rows(source: Pairs, good: str | None, bad: str | None, encoding: str | None) -> Iterable[PairRow]:
    if isinstance(source, str | Path):
        source = [source]
    if isinstance(source, pd.DataFrame):
        return frame_rows(source, good, bad)
    items: list[Any] = list(source)
    if not all(isinstance(item, str | Path) for item in items):
        plain = all(isinstance(item, tuple) and len(item) == 2 for item in items)
        frame = (
            pd.DataFrame(items, columns=["good", "bad"]) if plain else pd.DataFrame(map(dict, items), columns=_FIELDS)
        )
        return frame_rows(frame, good, bad)
    files = pair_files(items)
    folder = Path(os.path.commonpath([file.parent for file in files]))
    return (
        row._replace(
            cells={**row.cells, FILE: str(file.relative_to(folder).with_suffix(""))} if files[1:] else row.cells
        )
        for file in files
        for row in read_rows(file, good=good, bad=bad, encoding=encoding)
    )


def frame_rows(frame: pd.DataFrame, good: str | None = None, bad: str | None = None) -> list[PairRow]:
    """The rows of a table of pairs. Raises SourceError as `pair_columns` does."""
    names = tuple(map(str, frame.columns))
    refuse_doubled(names, "DataFrame", SourceError)
    columns = pair_columns(names, "DataFrame", good, bad)
    numbered = frame.index.name == "line" and pd.api.types.is_integer_dtype(frame.index)
    lines = frame.index.tolist() if numbered else range(1, len(frame) + 1)
    values = frame.astype(object).where(frame.notna(), None)
    rows = []
    for line, cells in zip(lines, values.itertuples(index=False, name=None), strict=True):
        # Parquet gives lists as arrays.
        plain = (cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells)
        rows.append(PairRow(f"DataFrame, row {line}", line, "", dict(zip(names, plain, strict=True)), columns))
    return paired(rows)


def _label(cell: Any) -> Any:
    return " ".join(cell.split()) if isinstance(cell, str) else cell


def _usable(rows: Iterable[PairRow], *, strict: bool) -> tuple[list[tuple[PairRow, tuple[str, str]]], list[Rejection]]:
    """The rows that can be used, with their sentences, and the others.

    SourceError names the others in `strict` reading, and where no row is left.
    """
    usable: list[tuple[PairRow, tuple[str, str]]] = []
    faulty: defaultdict[str, list[PairRow]] = defaultdict(list)
    for row in rows:
        try:
            usable.append((row, _sentences(row)))
        except SourceError as fault:
            faulty[str(fault).removeprefix(f"{row.place}: ")].append(row)
    if faulty and (strict or not usable):
        parts = []
        for reason, own in faulty.items():
            more = f" and {len(own) - MOST_PLACES:,} more" if len(own) > MOST_PLACES else ""
            parts.append(f"{', '.join(row.place for row in own[:MOST_PLACES])}{more}: {reason}")
        raise SourceError("; ".join(parts) + ("" if usable else "; no other row is left"))
    rejected = []
    for reason, row in ((reason, row) for reason, own in faulty.items() for row in own):
        file = row.place.removesuffix(f":{row.line}")
        rejected += [Rejection(stage="pairs", source_id="", reason=reason, text=row.quote, file=file, line=row.line)]
    return usable, rejected


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
    """The ids of the file where each pair has one of its own, else ids that come from rule and sentences.

    Those of several files may be the same, and have the name of the file before them.
    """
    own = [row.text("id") for row in rows]
    for ids in (own, [f"{row.cells.get(FILE)}-{it}" if it else "" for row, it in zip(rows, own, strict=True)]):
        if all(ids) and len(set(ids)) == len(ids):
            return ids
    repeats: defaultdict[tuple[str, ...], Iterator[int]] = defaultdict(count)
    pairs = [(row.text("rule"), *pair) for row, pair in zip(rows, sentences, strict=True)]
    return [content_id("pair", *pair, *filter(None, [next(repeats[pair])])) for pair in pairs]


def repeated(pairs: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """The ids of pairs whose two sentences an earlier pair has, each with the id of that one."""
    first: dict[tuple[str, str], str] = {}
    for identity, *sentences in sentence_pairs(pairs):
        earlier = first.setdefault((sentences[0], sentences[1]), identity)
        if earlier != identity:
            yield identity, earlier


def sentence_pairs(pairs: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Id, good and bad sentence of each pair of a table. Raises SourceError as `load_pairs` does."""
    table: Any = pairs if {ID, GOOD, BAD} <= set(pairs.columns) else load_pairs(pairs)
    return list(zip(table[ID], table[GOOD], table[BAD], strict=True))


def grouping_columns(pairs: pd.DataFrame, by: str | Sequence[str] = (), place: str = "pairs") -> list[str]:
    """The columns that group pairs, fewest values first: those named, which must exist, else those of usual names.

    Of several files, each counts as a group where no other column tells as many apart.
    """
    if by:
        names = require_columns(listed(by), pairs.columns.difference([ID, GOOD, BAD], sort=False), place)
    else:
        usual = [name for name in map(str, pairs.columns) if name.strip().lower().rpartition(".")[2] in GROUPINGS]
        names = [name for name in usual if pairs[name].nunique() > 1]
        if FILE in names and any(pairs[name].nunique() >= pairs[FILE].nunique() for name in names if name != FILE):
            names.remove(FILE)
    return sorted(names, key=lambda name: pairs[name].nunique())


def unreleased(
    pairs: pd.DataFrame,
    folder: Path,
    title: str,
    groups: Sequence[str] = (),
    language: str | None = None,
) -> Release:
    """Pairs of a table as a release without a version, in memory; `folder` is where others will look for its files.

    groups  columns, fewest values first: the last has the rules and the one before it the phenomena

    Raises SourceError where a paradigm has two pairs in one condition.
    """
    places = pairs[[*PARADIGM]].dropna() if set(PARADIGM) <= set(pairs.columns) else pd.DataFrame()
    if len(double := places[places.duplicated()]):
        paradigm, condition = double.iloc[0]
        raise SourceError(f"pairs: paradigm {paradigm} has two pairs in the condition '{condition}'; keep one")
    labels = {name: pairs[name].fillna("").astype(str).replace("", "(none)").tolist() for name in groups}
    # Conditions are compared by themselves: the same grammar is asked in each.
    grammar = [name for name in groups if name not in PARADIGM]
    rules = labels[grammar[-1]] if grammar else [""] * len(pairs)
    phenomena = labels[grammar[-2]] if len(grammar) > 1 else [""] * len(pairs)
    paradigms = [pairs[name] if len(places) else [None] * len(pairs) for name in PARADIGM]
    items = tuple(
        ReleasePair(
            id=identity,
            sentence_good=good,
            sentence_bad=bad,
            phenomenon=phenomenon,
            rule_code="",
            rule=rule,
            rule_id=rule,
            source_id="pairs",
            method="manual",
            exception=False,
            changes=changes(good, bad),
            votes=(),
            agreement=None,
            citation="",
            licence="",
            split="test",
            language=language or "",
            paradigm_id=str(paradigm) if pd.notna(paradigm) else None,
            condition=str(condition) if pd.notna(condition) else None,
        )
        for (identity, good, bad), phenomenon, rule, paradigm, condition in zip(
            sentence_pairs(pairs), phenomena, rules, *paradigms, strict=True
        )
    )
    blank = {"licence": "", "citation": "", "url": None, "files": ()}
    sources = (ReleaseSource(id="pairs", title=title, language=language, **blank),) if language else ()
    counts = {"votes_needed": 0, "n_exceptions": 0, "n_reviewers": 0, "n_conflicts": 0}
    counts |= {"n_pairs": len(items), "n_rules": len(set(rules)) if grammar else 0}
    counts["n_excluded"] = len(pairs.attrs.get("rejected", ()))
    info = ReleaseInfo(name=title, version="", sources=sources, **counts)
    return Release(path=folder, sha256=pairs_sha256(items), info=info, pairs=items)


class ResultFolders(Workspace):
    """A workspace in which the results on pairs of no release lie in folders that the user names."""

    def __init__(self, root: Path | str, evaluations: Path, report: Path) -> None:
        super().__init__(root)
        self._evaluations, self._report = evaluations, report

    def evaluations(self, release: str) -> Path:
        return self._evaluations

    def report(self, release: str) -> Path:
        return self._report
