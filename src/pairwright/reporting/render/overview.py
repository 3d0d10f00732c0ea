"""The accuracies of a report as a table for a terminal, as papers print it: phenomena, their paradigms, and means."""

from collections.abc import Iterator, Sequence

from pairwright.core.records.release import Release
from pairwright.reporting.analysis.frames import Row
from pairwright.reporting.analysis.groups import rule_labels
from pairwright.reporting.analysis.summary import Summary

# More rules are in the tables of the report alone.
MOST_RULES = 100
LABEL, CELL = 46, 23


def overview(release: Release, summary: Summary, column: str = "") -> Iterator[str]:
    """Lines with the accuracy on each phenomenon and each rule below it, on all pairs, and the mean over the rules.

    One model is shown by both measures, with intervals; of several, each by sum_logprob. The `column` is that whose
    values are the rules where the pairs are those of files.
    """
    models = list(summary.runs)
    if not models:
        return
    columns = [(models[0], "sum_logprob"), (models[0], "mean_nll")]
    heads = ["by sum_logprob", "by mean_nll"]
    if len(models) > 1:
        columns, heads = [(model, "sum_logprob") for model in models], [_short(model, CELL - 2) for model in models]
    groups = {(it["kind"], it["group"], it["model"], it["measure"]): it for it in summary.rows("groups")}
    means = {(it["model"], it["measure"]): it for it in summary.rows("rule_means")}

    def line(label: str, n: int | str, rows: Sequence[Row | None]) -> str:
        cells = ["" if row is None else _share(row, alone=len(models) == 1) for row in rows]
        return f"{_short(label, LABEL):<{LABEL}} {n:>9}  {''.join(f'{cell:<{CELL}}' for cell in cells)}".rstrip()

    def group(kind: str, name: str, indent: str = "") -> str:
        rows = [groups.get((kind, name, *column)) for column in columns]
        return line(indent + name, next((f"{row['n_pairs']:,}" for row in rows if row), "0"), rows)

    yield (
        f"{'' if len(models) > 1 else _short(models[0], LABEL):<{LABEL}} {'pairs':>9}  "
        + "".join(f"{head:<{CELL}}" for head in heads).rstrip()
    )
    yield from (group(*which) for which in _grammar(release))
    yield group("overall", "all pairs")
    for label, own in _conditions(summary):
        rows = [own.get(it) for it in columns]
        yield line(label, next((f"{row['n']:,}" for row in rows if row), "0"), rows)
    for label, found in _means([means.get(it) for it in columns], f"groups by {column}" if column else "rules"):
        yield line(label, "", found)


def _grammar(release: Release) -> Iterator[tuple[str, str, str]]:
    """The phenomena, each before its rules: kind, name and indent. Where it is one rule, one line says it all."""
    below: dict[str, dict[str, None]] = {}
    for pair, label in zip(release.pairs, rule_labels(release.pairs), strict=True):
        below.setdefault(pair.phenomenon, {})[label] = None
    shown = sum(map(len, below.values())) <= MOST_RULES
    for phenomenon, labels in below.items():
        if phenomenon:
            yield "phenomenon", phenomenon, ""
        if shown and not (phenomenon and len(labels) == 1):
            yield from (("rule", label, "  " if phenomenon else "") for label in labels if label)


def _means(rows: Sequence[Row | None], what: str) -> Iterator[tuple[str, Sequence[Row | None]]]:
    """The mean over rules where it is over as many for each column, and without those of a single pair."""
    numbers = {(row["n_rules"], row["n_single"], row["without_single"] is None) for row in rows if row}
    if len(numbers) != 1 or (only := numbers.pop())[0] < 2:
        return
    n_rules, n_single, is_empty = only
    yield f"mean over {n_rules} {what}", rows
    if n_single and not is_empty:
        ends = dict.fromkeys(("accuracy_low", "accuracy_high"))
        yield "  those with several pairs", [row and {"accuracy": row["without_single"], **ends} for row in rows]


def _conditions(summary: Summary) -> Iterator[tuple[str, dict[tuple[str, str], Row]]]:
    """The conditions of paradigms, each with its row of every model and measure."""
    found: dict[tuple[str, str], dict[tuple[str, str], Row]] = {}
    for row in summary.rows("conditions"):
        found.setdefault((row["phenomenon"], row["condition"]), {})[row["model"], row["measure"]] = row
    for (phenomenon, condition), own in found.items():
        yield f"{phenomenon}, {condition}" if phenomenon else condition, own


def _share(row: Row, *, alone: bool) -> str:
    share = f"{row['accuracy']:6.1%}"
    ends = row["accuracy_low"], row["accuracy_high"]
    if not alone or None in ends:
        return share
    return f"{share} ({ends[0]:.1%}-{ends[1]:.1%})".replace("%-", "-")


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
