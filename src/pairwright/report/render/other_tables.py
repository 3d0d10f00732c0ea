"""The tables of a report on people, on other tools and on tokenizers, and the table of all pairs."""

from collections.abc import Sequence

from pairwright.records.release import ReleasePair
from pairwright.report.analysis.summary import Summary
from pairwright.report.render.tables import Column, Table, between, correlated


def preferences(summary: Summary) -> Table | None:
    """How many raters prefer the acceptable sentences, by phenomenon."""
    if summary.human is None or not summary.human.preferences:
        return None
    rows = [
        (
            item.phenomenon,
            item.n_raters,
            item.n_prefer,
            item.n_tied,
            item.n_prefer / item.n_raters if item.n_raters else None,
            item.difference,
            item.standard_error,
        )
        for item in summary.human.preferences
    ]
    return Table(
        id="human-preferences",
        title="What raters prefer",
        columns=(
            Column(label="Phenomenon"),
            Column(label="Raters", kind="count"),
            Column(label="Prefer the good one", kind="count"),
            Column(label="No difference", kind="count"),
            Column(label="Share", kind="percent"),
            Column(label="Difference in z", kind="number"),
            Column(label="Standard error", kind="number"),
        ),
        rows=tuple(rows),
        note="A rater prefers the good sentences of a phenomenon where their mean rating is higher. z: each "
        "rater's own "
        "mean and spread taken out; the mean over raters.",
    )


def choices(summary: Summary) -> Table | None:
    """Forced choices of people beside the models on the same pairs."""
    if summary.human is None or not summary.human.choices:
        return None
    columns = [
        Column(label="Phenomenon"),
        Column(label="Pairs", kind="count"),
        Column(label="Choices", kind="count"),
        Column(label="People", kind="percent"),
        Column(label="Majority right", kind="count"),
        *(Column(label=model.label, kind="percent", heat=True) for model in summary.models),
    ]
    rows = [
        (i.phenomenon, i.n_pairs, i.n_choices, between(i.share, i.interval), i.majority, *i.models)
        for i in summary.human.choices
    ]
    return Table(
        id="human-choices",
        title="Forced choices of people and models",
        columns=tuple(columns),
        rows=tuple(rows),
        note="Percent of choices, and of pairs for models by the sum, in which the good sentence is taken. The "
        "interval "
        "takes choices as independent.",
    )


def alignments(summary: Summary) -> Table | None:
    """How margins go with ratings."""
    if summary.human is None or not summary.human.alignments:
        return None
    rows = [
        (
            item.model,
            item.measure,
            item.phenomenon,
            item.pearson.n if item.pearson else 0,
            correlated(item.pearson),
            correlated(item.spearman),
        )
        for item in summary.human.alignments
    ]
    return Table(
        id="human-alignment",
        title="Margins of models against ratings of people",
        columns=(
            Column(label="Model"),
            Column(label="Measure"),
            Column(label="Phenomenon"),
            Column(label="Pairs", kind="count"),
            Column(label="Pearson", kind="number"),
            Column(label="Spearman", kind="number"),
        ),
        rows=tuple(rows),
        note="Correlations over pairs of the difference of mean z-scores with the difference of the model's "
        "scores, with "
        "95% intervals. No number: fewer than 3 pairs, or one side never varies.",
    )


def beside(summary: Summary) -> Table | None:
    """Other tools' accuracies beside ours."""
    if summary.outside is None or not summary.outside.beside:
        return None
    rows = [
        (i.tool, i.ours, i.measure, i.n, i.their_accuracy, i.our_accuracy, len(i.differ))
        for i in summary.outside.beside
    ]
    return Table(
        id="other-tools",
        title="Other tools on the same pairs",
        columns=(
            Column(label="Tool"),
            Column(label="Model"),
            Column(label="Measure"),
            Column(label="Pairs", kind="count"),
            Column(label="Theirs", kind="percent"),
            Column(label="Ours", kind="percent"),
            Column(label="Judged otherwise", kind="count"),
        ),
        rows=tuple(rows),
        note="Tools differ in the token before a sentence and in whether its first token counts.",
    )


def tasks(summary: Summary) -> Table | None:
    """The models' scores on other benchmarks' tasks."""
    if summary.outside is None or not summary.outside.tasks:
        return None
    rows = [(i.model, i.dataset, i.task, ", ".join(i.languages), i.metric, i.value) for i in summary.outside.tasks]
    columns = [Column(label=name) for name in ("Model", "Data set", "Task", "Language", "Metric")]
    return Table(
        id="other-tasks",
        title="The same models on tasks of EuroEval",
        columns=(*columns, Column(label="Score", kind="percent")),
        rows=tuple(rows),
    )


def task_correlations(summary: Summary) -> Table | None:
    """How accuracy on minimal pairs goes with other tasks."""
    if summary.outside is None or not summary.outside.correlations:
        return None
    rows = [
        (i.dataset, i.task, i.metric, len(i.models), correlated(i.pearson), correlated(i.spearman))
        for i in summary.outside.correlations
    ]
    return Table(
        id="task-correlations",
        title="Accuracy on minimal pairs against other tasks",
        columns=(
            Column(label="Data set"),
            Column(label="Task"),
            Column(label="Metric"),
            Column(label="Models", kind="count"),
            Column(label="Pearson", kind="number"),
            Column(label="Spearman", kind="number"),
        ),
        rows=tuple(rows),
        note="Over models, by the sum, with 95% intervals. Models of one family are not independent.",
    )


def morphology(summary: Summary) -> Table | None:
    """How tokenizers cut words."""
    if not summary.morphology:
        return None
    rows = [
        (
            item.model,
            item.alignment.n,
            item.alignment.distance,
            item.alignment.exact / item.alignment.n,
            item.alignment.over / item.alignment.n,
            item.alignment.under / item.alignment.n,
            item.alignment.precision,
            item.alignment.recall,
            len(item.unusable),
        )
        for item in summary.morphology
    ]
    return Table(
        id="morphology",
        title="Cuts of tokenizers against morphemes",
        columns=(
            Column(label="Model"),
            Column(label="Words", kind="count"),
            Column(label="Edits a word", kind="number"),
            Column(label="Exact", kind="percent"),
            Column(label="Cut too often", kind="percent"),
            Column(label="Cut too rarely", kind="percent"),
            Column(label="Boundary precision", kind="percent"),
            Column(label="Boundary recall", kind="percent"),
            Column(label="Not usable", kind="count"),
        ),
        rows=tuple(rows),
        note="Damerau-Levenshtein distance between the pieces and the morphemes of a word. Not usable: words that the "
        "pieces do not make up again.",
    )


def faults(summary: Summary) -> Table | None:
    """What is wrong with the input."""
    if not summary.faults:
        return None
    return Table(
        id="faults",
        title="What could not be used",
        columns=(Column(label="Kind"), Column(label="Of"), Column(label="What")),
        rows=tuple((item.kind.replace("-", " "), item.subject, item.message) for item in summary.faults),
    )


def back_to_review(summary: Summary, pairs: Sequence[ReleasePair]) -> Table | None:
    """The pairs that go back to the reviewers, with the reason."""
    if not summary.returned:
        return None
    found = {pair.id: pair for pair in pairs}
    rows = [
        (i.pair_id, found[i.pair_id].sentence_good, found[i.pair_id].sentence_bad, found[i.pair_id].rule_code, i.reason)
        for i in summary.returned
    ]
    names = ("pair_id", "sentence_good", "sentence_bad", "rule_code", "reason")
    return Table(
        id="back-to-review",
        title="Pairs to look at again",
        columns=tuple(Column(label=name) for name in names),
        rows=tuple(rows),
    )


def all_pairs(summary: Summary, pairs: Sequence[ReleasePair]) -> Table:
    """Every pair with every model's verdicts: 1 right, 0 not, empty without a score."""
    kinds = [(model, measure) for model in summary.models for measure in model.verdicts]
    columns = [Column(label=name) for name in ("pair_id", "rule_code", "phenomenon", "sentence_good", "sentence_bad")]
    columns += [Column(label=f"{model.label}, {measure}", kind="count") for model, measure in kinds]
    rows = []
    for place, pair in enumerate(pairs):
        letters = [model.verdicts[measure][place] for model, measure in kinds]
        rows.append(
            (
                *(pair.id, pair.rule_code, pair.phenomenon, pair.sentence_good, pair.sentence_bad),
                *(None if letter == "-" else int(letter) for letter in letters),
            )
        )
    return Table(id="pairs", title="All pairs", columns=tuple(columns), rows=tuple(rows))
