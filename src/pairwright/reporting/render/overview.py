"""The accuracies of a report as a table for a terminal, as papers print it: phenomena, their paradigms, and means."""

from collections import defaultdict
from collections.abc import Iterator

from pairwright.core.records.release import Release
from pairwright.reporting.analysis.groups import Row, rule_labels
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
    columns, heads = [(model, "sum_logprob") for model in models], [_short(model, CELL - 2) for model in models]
    if len(models) == 1:
        columns, heads = [(models[0], "sum_logprob"), (models[0], "mean_nll")], ["by sum_logprob", "by mean_nll"]
    found: dict[tuple[str, str], dict[tuple[str, str], Row]] = defaultdict(dict)
    for kind, name, row in _rows(summary, f"groups by {column}" if column else "rules"):
        found[kind, name][row["model"], row["measure"]] = row
    shown = [*_grammar(release), ("overall", "all pairs", "")]
    shown += [(kind, name, "") for kind, name in found if kind in ("condition", "mean")]

    def line(label: str, n: str, cells: list[str]) -> str:
        return f"{_short(label, LABEL):<{LABEL}} {n:>9}  {''.join(f'{cell:<{CELL}}' for cell in cells)}".rstrip()

    yield line("" if len(models) > 1 else models[0], "pairs", heads)
    for kind, name, indent in shown:
        rows = [found[kind, name].get(column) for column in columns]
        n = next((row.get("n_pairs", row["n"]) for row in rows if row), 0) if kind != "mean" else None
        cells = [_share(row, alone=len(models) == 1) if row else "" for row in rows]
        yield line(indent + name, "" if n is None else f"{n:,}", cells)


def _rows(summary: Summary, rules: str) -> Iterator[tuple[str, str, Row]]:
    """Kind, label and row of all groups, conditions of paradigms, and means over rules."""
    for row in summary.rows("groups"):
        yield row["kind"], row["group"], row
    for row in summary.rows("conditions"):
        yield "condition", ", ".join(filter(None, (row["phenomenon"], row["condition"]))), row
    for row in summary.rows("rule_means"):
        if row["n_rules"] > 1:
            yield "mean", f"mean over {row['n_rules']} {rules}", row


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


def _share(row: Row, *, alone: bool) -> str:
    share = f"{row['accuracy']:6.1%}"
    ends = row["accuracy_low"], row["accuracy_high"]
    if not alone or None in ends:
        return share
    return f"{share} ({ends[0]:.1%}-{ends[1]:.1%})".replace("%-", "-")


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
