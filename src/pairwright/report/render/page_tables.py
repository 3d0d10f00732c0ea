"""The tables of a report, from its summary."""

from collections import Counter
from collections.abc import Sequence

from pairwright.report.analysis.groups import Estimate, Group, GroupKind
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.score_differences import Measure
from pairwright.report.render.tables import Between, Cell, Column, Table, between

MEASURE_WORDS: dict[Measure, str] = {"sum": "Sum", "mean": "Mean", "slor": "SLOR"}
GROUP_WORDS: dict[GroupKind, str] = {
    "overall": "Pairs taken",
    "source": "Source",
    "phenomenon": "Phenomenon",
    "rule": "Rule",
    "construction": "Construction",
}
MEASURES_NOTE = "Sum: by sum_logprob, the sum of log-probabilities; mean: by mean_nll, per token."


def ranking(summary: Summary) -> Table:
    """All models, best first, with intervals, and the mean over rules beside the mean over pairs."""
    measures = summary.measures
    shares = [Column(label=MEASURE_WORDS[m], kind="percent") for m in measures]
    macros = [Column(label=f"{MEASURE_WORDS[m]}, mean over rules", kind="percent") for m in measures]
    rows: list[tuple[Cell, ...]] = []
    for model, result in zip(summary.models, summary.overall.results, strict=True):
        n_pairs = max((estimate.accuracy.n for estimate in result.values()), default=0)
        averages = [model.macro.get(measure) for measure in measures]
        rows.append(
            (
                model.label,
                model.lineage.size,
                n_pairs,
                *(_estimate(result.get(measure)) for measure in measures),
                *(between(average.value, average.interval) if average else None for average in averages),
            )
        )
    columns = (Column(label="Model"), Column(label="Size"), Column(label="Pairs", kind="count"), *shares, *macros)
    return Table(
        id="ranking",
        title="Accuracy on all pairs",
        columns=columns,
        rows=tuple(rows),
        note="Percent of pairs in which the good sentence is the more probable one, with 95% intervals. "
        f"{MEASURES_NOTE}",
    )


def _estimate(estimate: Estimate | None) -> Between | None:
    return between(estimate.value, estimate.interval) if estimate is not None else None


def base_and_instruct(summary: Summary) -> Table:
    """The first table of a paper: families and sizes down, base and tuned models across, by the mean and by the sum.

    Where several models would share a cell, as under two policies, each has a row of its own, by its label.
    """
    shared = Counter((model.lineage.family, model.lineage.size, model.lineage.variant) for model in summary.models)
    cells: dict[tuple[str, str], dict[tuple[str, Measure], Estimate]] = {}
    for model, result in zip(summary.models, summary.overall.results, strict=True):
        kin = model.lineage
        alone = shared[kin.family, kin.size, kin.variant] == 1
        row = cells.setdefault((kin.family if alone else model.label, kin.size), {})
        row |= {(kin.variant, measure): estimate for measure, estimate in result.items()}
    order = sorted(cells, key=lambda key: (key[0].lower(), size_of(key[1])))
    columns = [Column(label="Family"), Column(label="Size")]
    kinds: list[tuple[str, Measure]] = [(v, m) for m in ("mean", "sum") for v in ("base", "instruct")]
    columns += [Column(label=f"{variant.capitalize()}, {measure}", kind="percent") for variant, measure in kinds]
    rows = [(*key, *(_value(cells[key].get(kind)) for kind in kinds)) for key in order]
    return Table(
        id="table-1",
        title="Accuracy of base and instruct models",
        columns=tuple(columns),
        rows=tuple(rows),
        note=f"Percent of the pairs that each model scored. {MEASURES_NOTE}",
    )


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate is not None else None


def size_of(size: str) -> float:
    """A size such as 1.7B as a number, 0 where it can't be read."""
    number = size.upper().split("-")[0]
    unit = {"K": 1e3, "M": 1e6, "B": 1e9}.get(number[-1:], 1.0)
    try:
        return float(number.rstrip("KMB")) * unit
    except ValueError:
        return 0.0


def heat(summary: Summary, kind: GroupKind, measure: Measure) -> Table:
    """Groups down and models across: the second table of a paper."""
    groups = summary.of_kind(kind)
    word = GROUP_WORDS[kind]
    columns = [Column(label=word), Column(label="Pairs", kind="count")]
    columns += [Column(label=model.label, kind="percent", heat=True) for model in summary.models]
    rows = [(g.label, g.n_pairs, *(_value(result.get(measure)) for result in g.results)) for g in groups]
    return Table(
        id=("table-2" if measure == "sum" else "table-2-mean") if kind == "rule" else f"{kind}-{measure}",
        title=f"Accuracy by {word.lower()} and model, by the {measure}",
        columns=tuple(columns),
        rows=tuple(rows),
        note=f"Percent of pairs; blue is above chance, orange below.{few_note(groups)}",
    )


def few_note(groups: Sequence[Group]) -> str:
    """Which rows rest on fewer than ten pairs, as a sentence; empty where none does."""
    few = sum(group.few for group in groups)
    if not few:
        return ""
    rest = "row rests" if few == 1 else "rows rest"
    return f" {few} of {len(groups)} {rest} on fewer than 10 pairs: too few to tell models apart."


def groups_in_full(summary: Summary, kind: GroupKind) -> Table:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them."""
    groups = summary.of_kind(kind)
    several = len(summary.models) > 1
    columns = [Column(label=GROUP_WORDS[kind]), *([Column(label="Model")] if several else [])]
    columns += [Column(label="Pairs", kind="count")]
    columns += [Column(label=MEASURE_WORDS[measure], kind="percent") for measure in summary.measures]
    columns += [Column(label="Ties", kind="count")]
    rows: list[tuple[Cell, ...]] = []
    for group in groups:
        for model, result in zip(summary.models, group.results, strict=True):
            estimates = [result.get(measure) for measure in summary.measures]
            ties = result["sum"].accuracy.ties if "sum" in result else None
            n_pairs = result["sum"].accuracy.n if "sum" in result else 0
            names = (group.label, model.label) if several else (group.label,)
            rows.append((*names, n_pairs, *map(_estimate, estimates), ties))
    return Table(
        id={"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s"),
        title="Accuracy with and without exceptions"
        if kind == "overall"
        else f"Accuracy by {GROUP_WORDS[kind].lower()}",
        columns=tuple(columns),
        rows=tuple(rows),
        note=f"Percent of pairs, with 95% intervals; ties by the sum are not right.{few_note(groups)}",
    )


def comparisons(summary: Summary) -> Table:
    """All paired comparisons of models."""
    columns = (
        Column(label="A"),
        Column(label="B"),
        Column(label="Relation"),
        Column(label="Measure"),
        Column(label="Pairs", kind="count"),
        Column(label="Only A right", kind="count"),
        Column(label="Only B right", kind="count"),
        Column(label="A − B", kind="points"),
        Column(label="p", kind="p"),
        Column(label="p, Holm", kind="p"),
        Column(label="p, Benjamini-Hochberg", kind="p"),
    )
    rows = [
        (
            item.a,
            item.b,
            item.relation.replace("-", " and "),
            item.measure,
            item.test.n,
            item.test.only_a,
            item.test.only_b,
            between(item.test.difference, item.interval),
            item.test.p,
            item.p_holm,
            item.p_bh,
        )
        for item in sorted(summary.comparisons, key=lambda item: "base-instruct size family other".index(item.relation))
    ]
    return Table(
        id="comparisons",
        title="Model against model on the same pairs",
        columns=columns,
        rows=tuple(rows),
        note="Differences in percentage points with 95% cluster-bootstrap intervals; p of the exact McNemar test, and "
        "adjusted over all comparisons of the measure.",
    )


def families(summary: Summary) -> Table:
    """Family against family."""
    columns = (
        Column(label="A"),
        Column(label="B"),
        Column(label="Models", kind="text"),
        Column(label="Measure"),
        Column(label="Pairs", kind="count"),
        Column(label="A − B", kind="points"),
    )
    rows = [
        (i.a, i.b, f"{i.n_models[0]} and {i.n_models[1]}", i.measure, i.n, between(i.difference, i.interval))
        for i in summary.families
    ]
    return Table(
        id="families",
        title="Family against family",
        columns=columns,
        rows=tuple(rows),
        note="The mean accuracy of the models of one family minus that of the other, in percentage points, with 95% "
        "cluster-bootstrap intervals. Families differ in the sizes that were measured.",
    )


def measures(summary: Summary) -> Table:
    """On how many pairs the sum and the mean agree."""
    columns = [Column(label="Model")]
    columns += [Column(label=label, kind="count") for label in ("Both right", "Sum alone", "Mean alone", "Neither")]
    rows = [(m.label, *_agreement(m)) for m in summary.models]
    return Table(
        id="measures", title="Pairs by the measures that find them right", columns=tuple(columns), rows=tuple(rows)
    )


def _agreement(model: ModelSummary) -> tuple[int, int, int, int]:
    found = model.agreement
    return found.both, found.sum_only, found.mean_only, found.neither


def difficulty(summary: Summary) -> Table | None:
    """Rules by difficulty, the hardest first; None where it was not fitted."""
    found = summary.difficulty
    if found is None:
        return None
    rows = [("rule", item.label, item.value, item.sd) for item in sorted(found.difficulties, key=lambda i: -i.value)]
    rows += [("model", item.label, item.value, item.sd) for item in sorted(found.abilities, key=lambda i: -i.value)]
    sample = (
        "" if found.n_pairs == found.n_known else f" Fitted to a sample of {found.n_pairs} of {found.n_known} pairs."
    )
    return Table(
        id="difficulty",
        title="Difficulty of rules and ability of models",
        columns=(
            Column(label="Of a"),
            Column(label="Name"),
            Column(label="Logits", kind="number"),
            Column(label="Posterior SD", kind="number"),
        ),
        rows=tuple(rows),
        note="A logistic mixed model over models and pairs, by the sum. A rule of difficulty 0 is middling, +1 "
        "takes one "
        f"logit from every model's chance.{sample}",
    )


def confounds(summary: Summary) -> Table | None:
    """The standardised coefficients of length, tokens and frequency; None where no regression could be fitted."""
    if not summary.confounds:
        return None
    rows = [
        (
            item.model,
            item.measure,
            coefficient.name,
            between(coefficient.value, coefficient.interval),
            coefficient.p,
            item.regression.r2,
            item.regression.n,
        )
        for item in summary.confounds
        for coefficient in item.regression.coefficients
    ]
    columns = (
        Column(label="Model"),
        Column(label="Measure"),
        Column(label="Difference in"),
        Column(label="Coefficient", kind="number"),
        Column(label="p", kind="p"),
        Column(label="R²", kind="number"),
        Column(label="Pairs", kind="count"),
    )
    return Table(
        id="confounds",
        title="What else goes with a model's margins",
        columns=columns,
        rows=tuple(rows),
        note="Standardised coefficients of differences between the two sentences, good minus bad, with 95% "
        "intervals that "
        "take pairs of a rule as dependent. A large R² says that margins follow from more than grammar.",
    )
