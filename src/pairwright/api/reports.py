"""The report page of any scored pairs, whether they were ever released or not."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pairwright.api.pairs import BAD, GOOD, ID, PARADIGM, listed, require_columns, sentence_pairs
from pairwright.api.scoring import Scores, scored_pair
from pairwright.core.errors import ModelError, SourceError
from pairwright.core.records.release import Release, ReleaseInfo, ReleaseSource
from pairwright.languages.linguistics.edits import changes
from pairwright.pairfiles import COLUMNS

# Columns that group pairs in published benchmarks and in our releases.
GROUPINGS = frozenset((*COLUMNS["rule"], "field", "phenomenon_type", "subtype"))


def report(
    scores: Scores | Sequence[Scores],
    pairs: pd.DataFrame,
    directory: str | Path,
    *,
    title: str = "Minimal pairs",
    by: str | Sequence[str] = (),
    language: str | None = None,
    judgements: str | Path | None = None,
    page_language: str = "en",
    page_tokens: int | None = None,
) -> Path:
    """Writes the report page of scored pairs and returns its path, `index.html` in the directory.

    scores      what `score` returned, for one model or for several
    pairs       the pairs that were scored
    directory   the folder of the page
    title       the heading of the page
    by          the columns that group the pairs, such as phenomenon and rule; those that published benchmarks have
                where you leave it out. Pairs with the same value in the one with most values count as dependent
    language    of the sentences, such as `lt`
    judgements  a table with ratings or choices of people; docs/models.md has its columns
    page_language  of the page's words: `en` or `lt`
    page_tokens    the most tokens with surprisals in the page, 5,000,000 where you leave it out

    Where the pairs have the columns `paradigm_id` and `condition`, as `load_paradigms` gives them, the page compares
    conditions with the baseline. Beside the page lie `report.md`, `summary.json`, `figures/` and `tables/`. Raises
    ModelError where the scores are of other pairs or a model is given twice, SourceError where a column is missing,
    ReviewError where a judgement can't be used, ConfigError for an unknown language code.
    """
    import pyarrow as pa

    from pairwright.evaluate.scoring.runs.evaluation import MEASURED
    from pairwright.evaluate.scoring.runs.shards import schema
    from pairwright.languages.locale import load_words
    from pairwright.reporting.analysis.inputs import ReportFiles, read_inputs
    from pairwright.reporting.analysis.summary import summarise
    from pairwright.reporting.render.page import write_report

    several = [scores] if isinstance(scores, pd.DataFrame) else list(scores)
    if not all(isinstance(one, Scores) for one in several):
        raise TypeError("report(scores, pairs, directory): give the scores as score() returned them")
    release = _unreleased(pairs, grouping_columns(pairs, by), title, language)
    for one in several:
        if one.run.release_sha256 != release.sha256:
            raise ModelError(f"{one.run.model.name} was scored on other pairs; score these pairs with it")
    columns = pa.schema([schema().field(name) for name in MEASURED])
    tables = (pa.Table.from_pandas(one[list(MEASURED)], schema=columns, preserve_index=False) for one in several)
    inputs = read_inputs(ReportFiles(judgements=Path(judgements) if judgements else None), release)
    summary = summarise(release, zip(tables, [one.run for one in several], strict=True), inputs)
    words = load_words("report", page_language)
    return write_report(Path(directory), release, summary, words=words, most_tokens=page_tokens)


def grouping_columns(pairs: pd.DataFrame, by: str | Sequence[str] = (), place: str = "pairs") -> list[str]:
    """The columns that group pairs, fewest values first: those named, which must exist, else those of usual names."""
    if by:
        names = require_columns(listed(by), pairs.columns.difference([ID, GOOD, BAD], sort=False), place)
    else:
        usual = [name for name in map(str, pairs.columns) if name.strip().lower() in GROUPINGS]
        names = [name for name in usual if pairs[name].nunique() > 1]
    return sorted(names, key=lambda name: pairs[name].nunique())


def _unreleased(pairs: pd.DataFrame, groups: Sequence[str], title: str, language: str | None) -> Release:
    """The pairs as the report takes them: a release without a version, which nobody reviewed."""
    from pairwright.evaluate.scoring.runs.shards import pairs_sha256

    labels = {name: pairs[name].fillna("").astype(str).replace("", "(none)").tolist() for name in groups}
    # Conditions are compared by themselves: the same grammar is asked in each.
    grammar = [name for name in groups if name not in PARADIGM]
    rules = labels[grammar[-1]] if grammar else [""] * len(pairs)
    phenomena = labels[grammar[-2]] if len(grammar) > 1 else [""] * len(pairs)
    paradigms = [pairs[name] if set(PARADIGM) <= set(pairs.columns) else [None] * len(pairs) for name in PARADIGM]
    _require_one_pair_a_condition(pairs)
    items = tuple(
        scored_pair(
            *pair,
            phenomenon=phenomenon,
            rule=rule,
            rule_id=rule,
            changes=changes(pair[1], pair[2]),
            paradigm_id=str(paradigm) if pd.notna(paradigm) else None,
            condition=str(condition) if pd.notna(condition) else None,
        )
        for pair, phenomenon, rule, paradigm, condition in zip(
            sentence_pairs(pairs), phenomena, rules, *paradigms, strict=True
        )
    )
    blank = {"licence": "", "citation": "", "url": None, "files": ()}
    sources = (ReleaseSource(id="pairs", title=title, language=language, **blank),) if language else ()
    counts = {"votes_needed": 0, "n_exceptions": 0, "n_reviewers": 0, "n_excluded": 0, "n_conflicts": 0}
    info = ReleaseInfo(
        name=title, version="", n_pairs=len(items), n_rules=len(set(rules)) if grammar else 0, sources=sources, **counts
    )
    return Release(path=Path(), sha256=pairs_sha256(items), info=info, pairs=items)


def _require_one_pair_a_condition(pairs: pd.DataFrame) -> None:
    """Raises SourceError where a paradigm has two pairs in one condition."""
    if set(PARADIGM) <= set(pairs.columns):
        places = pairs[list(PARADIGM)].dropna()
        double = places[places.duplicated()]
        if len(double):
            paradigm, condition = double.iloc[0]
            raise SourceError(f"pairs: paradigm {paradigm} has two pairs in the condition '{condition}'; keep one")
