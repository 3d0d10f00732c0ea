"""The tables that list single pairs of a release, which are files only."""

from collections.abc import Sequence
from typing import Any

from pairwright.records.release import ReleasePair
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.score_differences import Measure
from pairwright.report.render.tables import ReportColumn, ReportTable, table


def back_to_review(summary: Summary, pairs: Sequence[ReleasePair]) -> ReportTable | None:
    """The pairs that go back to the reviewers, with the reason."""
    by_id = {pair.id: pair for pair in pairs}
    return table(
        "back-to-review",
        "Pairs to look at again",
        [(item.reason, by_id[item.pair_id]) for item in summary.returned],
        *_pair_columns("id", "sentence_good", "sentence_bad", "rule_code"),
        ReportColumn("reason", lambda row: row[0]),
    )


def all_pairs(summary: Summary, pairs: Sequence[ReleasePair]) -> ReportTable | None:
    """Every pair with every model's verdicts: 1 right, 0 not, empty without a score."""

    def verdict(model: ModelSummary, measure: Measure) -> ReportColumn[tuple[int, ReleasePair]]:
        letters = model.verdicts[measure]
        label = f"{model.label}, {measure}"
        return ReportColumn(label, lambda row: None if letters[row[0]] == "-" else int(letters[row[0]]), "count")

    return table(
        "pairs",
        "All pairs",
        enumerate(pairs),
        *_pair_columns("id", "rule_code", "phenomenon", "sentence_good", "sentence_bad"),
        *(verdict(model, measure) for model in summary.models for measure in model.verdicts),
    )


def _pair_columns(*names: str) -> list[ReportColumn[tuple[Any, ReleasePair]]]:
    """Fields of a pair, which is the second part of each item; the id is `pair_id`."""

    def column(name: str) -> ReportColumn[tuple[Any, ReleasePair]]:
        return ReportColumn("pair_id" if name == "id" else name, lambda row: getattr(row[1], name))

    return [column(name) for name in names]
