"""The tables of a report: for each, which items of the summary it lists and what its columns show of them."""

from collections import Counter
from collections.abc import Sequence

from pairwright.report.analysis.groups import FEW, AccuracyEstimate, Group, GroupKind
from pairwright.report.analysis.human import ForcedChoice
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.model_family import size_of
from pairwright.report.data.score_differences import Measure
from pairwright.report.render.tables import ReportColumn, ReportTable, between, table, with_interval

MEASURE_NAMES: dict[Measure, str] = {"sum": "Sum", "mean": "Mean", "slor": "SLOR"}
MEASURES_NOTE = "Sum: by sum_logprob, the sum of log-probabilities; mean: by mean_nll, per token."
_RELATIONS = ("base-instruct", "size", "family", "other")
_Results = dict[Measure, AccuracyEstimate]
# A family or label and a size, with the accuracies of its variants by measure.
_FamilyRow = tuple[tuple[str, str], dict[tuple[str, Measure], AccuracyEstimate]]


def ranking(summary: Summary) -> ReportTable | None:
    """All models, best first, with intervals, and the mean over rules beside the mean over pairs."""

    def share(measure: Measure) -> ReportColumn[tuple[ModelSummary, _Results]]:
        return ReportColumn(MEASURE_NAMES[measure], lambda row: with_interval(row[1].get(measure)), "percent")

    def macro(measure: Measure) -> ReportColumn[tuple[ModelSummary, _Results]]:
        label = f"{MEASURE_NAMES[measure]}, mean over rules"
        return ReportColumn(label, lambda row: with_interval(row[0].macro.get(measure)), "percent")

    return table(
        "ranking",
        "Accuracy on all pairs",
        list(zip(summary.models, summary.overall.results, strict=True)),
        ReportColumn("Model", lambda row: row[0].label),
        ReportColumn("Size", lambda row: row[0].lineage.size),
        ReportColumn("Pairs", lambda row: max((item.accuracy.n for item in row[1].values()), default=0), "count"),
        *map(share, summary.measures),
        *map(macro, summary.measures),
        note="Percent of pairs in which the good sentence is the more probable one, with 95% intervals. "
        + MEASURES_NOTE,
    )


def base_and_instruct(summary: Summary) -> ReportTable | None:
    """The first table of a paper: families and sizes down, base and tuned models across, by the mean and by the sum.

    Where several models would share a cell, as under two policies, each has a row of its own, by its label.
    """
    shared = Counter((model.lineage.family, model.lineage.size, model.lineage.variant) for model in summary.models)
    cells: dict[tuple[str, str], dict[tuple[str, Measure], AccuracyEstimate]] = {}
    for model, result in zip(summary.models, summary.overall.results, strict=True):
        lineage = model.lineage
        alone = shared[lineage.family, lineage.size, lineage.variant] == 1
        row = cells.setdefault((lineage.family if alone else model.label, lineage.size), {})
        row |= {(lineage.variant, measure): estimate for measure, estimate in result.items()}

    def share(variant: str, measure: Measure) -> ReportColumn[_FamilyRow]:
        label = f"{variant.capitalize()}, {measure}"
        return ReportColumn(label, lambda row: _value(row[1].get((variant, measure))), "percent")

    return table(
        "table-1",
        "Accuracy of base and instruct models",
        sorted(cells.items(), key=lambda row: (row[0][0].lower(), size_of(row[0][1]))),
        ReportColumn("Family", lambda row: row[0][0]),
        ReportColumn("Size", lambda row: row[0][1]),
        *(share("base", "mean"), share("instruct", "mean"), share("base", "sum"), share("instruct", "sum")),
        note=f"Percent of the pairs that each model scored. {MEASURES_NOTE}",
    )


def _value(estimate: AccuracyEstimate | None) -> float | None:
    return estimate.value if estimate is not None else None


def heat(summary: Summary, measure: Measure) -> ReportTable | None:
    """Rules down and models across: the second table of a paper. None for a single rule."""
    groups = summary.of_kind("rule")

    def accuracy(place: int) -> ReportColumn[Group]:
        label = summary.models[place].label
        return ReportColumn(label, lambda group: _value(group.results[place].get(measure)), "percent", heat=True)

    return table(
        "table-2" if measure == "sum" else f"table-2-{measure}",
        f"Accuracy by rule and model, by the {measure}",
        groups if len(groups) > 1 else [],
        ReportColumn("Rule", lambda group: group.label),
        ReportColumn("Pairs", lambda group: group.n_pairs, "count"),
        *map(accuracy, range(len(summary.models))),
        note=f"Percent of pairs; blue is above chance, orange below.{_few_note(groups)}",
    )


def _few_note(groups: Sequence[Group]) -> str:
    """How many rows rest on few pairs, as a sentence; empty where none does."""
    few = sum(group.few for group in groups)
    if not few:
        return ""
    rest = "row rests" if few == 1 else "rows rest"
    return f" {few} of {len(groups)} {rest} on fewer than {FEW} pairs: too few to tell models apart."


def groups_in_full(summary: Summary, kind: GroupKind) -> ReportTable | None:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them.

    None where the kind has a single group, which is all pairs.
    """
    groups = summary.of_kind(kind)
    rows = [(g, *item) for g in groups for item in zip(summary.models, g.results, strict=True)]
    name = "Pairs taken" if kind == "overall" else kind.capitalize()

    def share(measure: Measure) -> ReportColumn[tuple[Group, ModelSummary, _Results]]:
        return ReportColumn(MEASURE_NAMES[measure], lambda row: with_interval(row[2].get(measure)), "percent")

    return table(
        {"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s"),
        "Accuracy with and without exceptions" if kind == "overall" else f"Accuracy by {kind}",
        rows if len(groups) > 1 else [],
        ReportColumn(name, lambda row: row[0].label),
        *([ReportColumn("Model", lambda row: row[1].label)] if len(summary.models) > 1 else []),
        ReportColumn("Pairs", lambda row: row[2]["sum"].accuracy.n if "sum" in row[2] else 0, "count"),
        *map(share, summary.measures),
        ReportColumn("Ties", lambda row: row[2]["sum"].accuracy.ties if "sum" in row[2] else None, "count"),
        note=f"Percent of pairs, with 95% intervals; ties by the sum are not right.{_few_note(groups)}",
    )


def comparisons(summary: Summary) -> ReportTable | None:
    """All paired comparisons of models."""
    return table(
        "comparisons",
        "Model against model on the same pairs",
        sorted(summary.comparisons, key=lambda item: _RELATIONS.index(item.relation)),
        ReportColumn("A", lambda item: item.a),
        ReportColumn("B", lambda item: item.b),
        ReportColumn("Relation", lambda item: item.relation.replace("-", " and ")),
        ReportColumn("Measure", lambda item: item.measure),
        ReportColumn("Pairs", lambda item: item.test.n, "count"),
        ReportColumn("Only A right", lambda item: item.test.only_a, "count"),
        ReportColumn("Only B right", lambda item: item.test.only_b, "count"),
        ReportColumn("A − B", lambda item: between(item.test.difference, item.interval), "points"),
        ReportColumn("p", lambda item: item.test.p, "p"),
        ReportColumn("p, Holm", lambda item: item.p_holm, "p"),
        ReportColumn("p, Benjamini-Hochberg", lambda item: item.p_bh, "p"),
        note="Differences in percentage points with 95% cluster-bootstrap intervals; p of the exact McNemar test, and "
        "adjusted over all comparisons of the measure.",
    )


def families(summary: Summary) -> ReportTable | None:
    """Family against family."""
    return table(
        "families",
        "Family against family",
        summary.families,
        ReportColumn("A", lambda item: item.a),
        ReportColumn("B", lambda item: item.b),
        ReportColumn("Models", lambda item: f"{item.n_models[0]} and {item.n_models[1]}"),
        ReportColumn("Measure", lambda item: item.measure),
        ReportColumn("Pairs", lambda item: item.n, "count"),
        ReportColumn("A − B", lambda item: between(item.difference, item.interval), "points"),
        note="The mean accuracy of the models of one family minus that of the other, in percentage points, with 95% "
        "cluster-bootstrap intervals. Families differ in the sizes that were measured.",
    )


def measures(summary: Summary) -> ReportTable | None:
    """On how many pairs the sum and the mean agree."""
    return table(
        "measures",
        "Pairs by the measures that find them right",
        summary.models,
        ReportColumn("Model", lambda model: model.label),
        ReportColumn("Both right", lambda model: model.agreement.both, "count"),
        ReportColumn("Sum alone", lambda model: model.agreement.sum_only, "count"),
        ReportColumn("Mean alone", lambda model: model.agreement.mean_only, "count"),
        ReportColumn("Neither", lambda model: model.agreement.neither, "count"),
    )


def difficulty(summary: Summary) -> ReportTable | None:
    """Rules by difficulty, then models by ability, the largest first; None where they were not fitted."""
    fit = summary.difficulty
    if fit is None:
        return None
    effects = [("rule", effect) for effect in sorted(fit.difficulties, key=lambda effect: -effect.value)]
    effects += [("model", effect) for effect in sorted(fit.abilities, key=lambda effect: -effect.value)]
    sample = "" if fit.n_pairs == fit.n_scored else f" Fitted to a sample of {fit.n_pairs} of {fit.n_scored} pairs."
    return table(
        "difficulty",
        "Difficulty of rules and ability of models",
        effects,
        ReportColumn("Of a", lambda row: row[0]),
        ReportColumn("Name", lambda row: row[1].label),
        ReportColumn("Logits", lambda row: row[1].value, "number"),
        ReportColumn("Posterior SD", lambda row: row[1].sd, "number"),
        note="A logistic mixed model over models and pairs, by the sum. A rule of difficulty 0 is middling; difficulty "
        f"+1 takes one logit from every model's chance.{sample}",
    )


def confounds(summary: Summary) -> ReportTable | None:
    """The standardised coefficients of length, tokens and frequency; None where no regression could be fitted."""
    return table(
        "confounds",
        "What else goes with a model's score differences",
        [(item, coefficient) for item in summary.confounds for coefficient in item.regression.coefficients],
        ReportColumn("Model", lambda row: row[0].model),
        ReportColumn("Measure", lambda row: row[0].measure),
        ReportColumn("Difference in", lambda row: row[1].name),
        ReportColumn("Coefficient", lambda row: with_interval(row[1]), "number"),
        ReportColumn("p", lambda row: row[1].p, "p"),
        ReportColumn("R²", lambda row: row[0].regression.r2, "number"),
        ReportColumn("Pairs", lambda row: row[0].regression.n, "count"),
        note="Standardised coefficients of differences between the two sentences, good minus bad, with 95% intervals "
        "that take pairs of a rule as dependent. A large R² says that the scores follow from more than grammar.",
    )


def preferences(summary: Summary) -> ReportTable | None:
    """How many raters prefer the good sentences, by phenomenon."""
    return table(
        "human-preferences",
        "What raters prefer",
        summary.human.preferences if summary.human else (),
        ReportColumn("Phenomenon", lambda item: item.group),
        ReportColumn("Raters", lambda item: item.n_raters, "count"),
        ReportColumn("Prefer the good one", lambda item: item.n_prefer, "count"),
        ReportColumn("No difference", lambda item: item.n_tied, "count"),
        ReportColumn("Share", lambda item: item.n_prefer / item.n_raters if item.n_raters else None, "percent"),
        ReportColumn("Difference in z", lambda item: item.mean_difference, "number"),
        ReportColumn("Standard error", lambda item: item.standard_error, "number"),
        note="A rater prefers the good sentences of a phenomenon if their mean rating is higher. z: ratings as "
        "distances from the rater's mean in the rater's standard deviations; the mean over raters.",
    )


def choices(summary: Summary) -> ReportTable | None:
    """Forced choices of people, and the models on the same pairs."""

    def accuracy(place: int) -> ReportColumn[ForcedChoice]:
        return ReportColumn(summary.models[place].label, lambda item: item.models[place], "percent", heat=True)

    return table(
        "human-choices",
        "Forced choices of people and models",
        summary.human.choices if summary.human else (),
        ReportColumn("Phenomenon", lambda item: item.phenomenon),
        ReportColumn("Pairs", lambda item: item.n_pairs, "count"),
        ReportColumn("Choices", lambda item: item.n_choices, "count"),
        ReportColumn("People", lambda item: between(item.share, item.interval), "percent"),
        ReportColumn("Majority right", lambda item: item.majority, "count"),
        *map(accuracy, range(len(summary.models))),
        note="Percent of choices, and of pairs for models by the sum, in which the good sentence is taken. The "
        "interval takes choices as independent.",
    )


def alignments(summary: Summary) -> ReportTable | None:
    """How score differences correlate with ratings."""
    return table(
        "human-alignment",
        "Score differences of models against ratings of people",
        summary.human.alignments if summary.human else (),
        ReportColumn("Model", lambda item: item.model),
        ReportColumn("Measure", lambda item: item.measure),
        ReportColumn("Phenomenon", lambda item: item.phenomenon),
        ReportColumn("Pairs", lambda item: item.pearson.n if item.pearson else 0, "count"),
        ReportColumn("Pearson", lambda item: with_interval(item.pearson), "number"),
        ReportColumn("Spearman", lambda item: with_interval(item.spearman), "number"),
        note="Correlations over pairs of the difference of mean z-scores with the difference of the model's scores, "
        "with 95% intervals. No number: fewer than 3 pairs, or one side never varies.",
    )


def other_tools(summary: Summary) -> ReportTable | None:
    """Other tools' accuracies and ours."""
    return table(
        "other-tools",
        "Other tools on the same pairs",
        summary.external.tools if summary.external else (),
        ReportColumn("Tool", lambda item: item.tool),
        ReportColumn("Model", lambda item: item.ours),
        ReportColumn("Measure", lambda item: item.measure),
        ReportColumn("Pairs", lambda item: item.n, "count"),
        ReportColumn("Theirs", lambda item: item.their_accuracy, "percent"),
        ReportColumn("Ours", lambda item: item.our_accuracy, "percent"),
        ReportColumn("Judged otherwise", lambda item: len(item.differ), "count"),
        note="Tools differ in the token before a sentence and in whether its first token counts.",
    )


def tasks(summary: Summary) -> ReportTable | None:
    """The models' scores on other benchmarks' tasks."""
    return table(
        "other-tasks",
        "The same models on tasks of EuroEval",
        summary.external.tasks if summary.external else (),
        ReportColumn("Model", lambda item: item.model),
        ReportColumn("Data set", lambda item: item.dataset),
        ReportColumn("Task", lambda item: item.task),
        ReportColumn("Language", lambda item: ", ".join(item.languages)),
        ReportColumn("Metric", lambda item: item.metric),
        ReportColumn("Score", lambda item: item.value, "percent"),
    )


def task_correlations(summary: Summary) -> ReportTable | None:
    """How accuracy on minimal pairs correlates with other tasks."""
    return table(
        "task-correlations",
        "Accuracy on minimal pairs against other tasks",
        summary.external.correlations if summary.external else (),
        ReportColumn("Data set", lambda item: item.dataset),
        ReportColumn("Task", lambda item: item.task),
        ReportColumn("Metric", lambda item: item.metric),
        ReportColumn("Models", lambda item: len(item.models), "count"),
        ReportColumn("Pearson", lambda item: with_interval(item.pearson), "number"),
        ReportColumn("Spearman", lambda item: with_interval(item.spearman), "number"),
        note="Over models, by the sum, with 95% intervals. Models of one family are not independent.",
    )


def morphology(summary: Summary) -> ReportTable | None:
    """How tokenizers cut words."""
    return table(
        "morphology",
        "Cuts of tokenizers against morphemes",
        summary.morphology,
        ReportColumn("Model", lambda item: item.model),
        ReportColumn("Words", lambda item: item.alignment.n, "count"),
        ReportColumn("Edits a word", lambda item: item.alignment.distance, "number"),
        ReportColumn("Exact", lambda item: item.alignment.exact / item.alignment.n, "percent"),
        ReportColumn("Cut too often", lambda item: item.alignment.over / item.alignment.n, "percent"),
        ReportColumn("Cut too rarely", lambda item: item.alignment.under / item.alignment.n, "percent"),
        ReportColumn("Boundary precision", lambda item: item.alignment.precision, "percent"),
        ReportColumn("Boundary recall", lambda item: item.alignment.recall, "percent"),
        ReportColumn("Not usable", lambda item: len(item.unusable), "count"),
        note="Damerau-Levenshtein distance between the pieces and the morphemes of a word. Not usable: words that the "
        "pieces don't add up to.",
    )


def faults(summary: Summary) -> ReportTable | None:
    """What is wrong with the input."""
    return table(
        "faults",
        "What could not be used",
        summary.faults,
        ReportColumn("Kind", lambda item: item.kind.replace("-", " ")),
        ReportColumn("Of", lambda item: item.subject),
        ReportColumn("What", lambda item: item.message),
    )
