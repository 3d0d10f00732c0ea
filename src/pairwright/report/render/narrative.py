"""What was found, in sentences that come from the numbers and never from habit."""

from collections.abc import Sequence

from pairwright.report.analysis.comparisons import Comparison
from pairwright.report.analysis.groups import FEW, Estimate
from pairwright.report.analysis.human import ALL
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.evaluations import named
from pairwright.report.render.tables import shown, signed

LEVEL = 0.05
MEASURES_DIFFER = (
    "A longer sentence tends to have a lower sum of log-probabilities; the mean per token takes the length out. Where "
    "the two disagree on a pair, the result hangs on the measure."
)
DISCRIMINATING = (
    "Being right on these pairs goes most with being right on all others: a good model gets them right and a weak one "
    "does not. The number is the corrected item-total correlation."
)


def percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f}%"


def interval(estimate: Estimate) -> str:
    """The ends of the interval that a report shows, in percent, without the sign."""
    return f"{100 * estimate.interval.low:.1f}–{100 * estimate.interval.high:.1f}"


def result_words(summary: Summary) -> list[str]:
    """The main result, a sentence a model; of more than three models the first and the last alone."""
    models, results = summary.models, summary.overall.results
    told = range(len(models)) if len(models) <= 3 else (0, len(models) - 1)
    words = [_result(models[index], results[index].get("sum"), results[index].get("mean")) for index in told]
    if len(models) > 3:
        words.insert(0, f"{len(models)} models were measured; these are the best and the last by the sum.")
    return words


def _result(model: ModelSummary, by_sum: Estimate | None, by_mean: Estimate | None) -> str:
    if by_sum is None or by_mean is None:
        return f"{model.label} has usable scores for no pair."
    return (
        f"{model.label} finds the good sentence more probable in {by_sum.accuracy.correct} of "
        f"{by_sum.accuracy.n} pairs "
        f"({percent(by_sum)}, 95% interval {interval(by_sum)}) by the sum of log-probabilities, and in "
        f"{by_mean.accuracy.correct} ({percent(by_mean)}, {interval(by_mean)}) by the mean per token."
    )


def accuracy_line(summary: Summary, place: int) -> str:
    """One model's accuracy as a line for the command line."""
    model, result = summary.models[place], summary.overall.results[place]
    by_sum, by_mean = result.get("sum"), result.get("mean")
    if by_sum is None or by_mean is None:
        return f"{model.label}: no pair has both scores"
    ends = [(found.value, found.interval.low, found.interval.high) for found in (by_sum, by_mean)]
    told = [
        f"{value:.3f} by {name} (95% interval {low:.3f}-{high:.3f})"
        for (value, low, high), name in zip(ends, ("sum_logprob", "mean_nll"), strict=True)
    ]
    return f"{model.label}: {told[0]}, {told[1]}"


def overall_words(summary: Summary) -> list[str]:
    """What so many pairs can show at all."""
    found = summary.power
    if found is None:
        return []
    basis = (
        "were one pair in five right for one of them alone" if found.assumed else "at the usual disagreement of these"
    )
    if found.smallest_clustered is None or found.smallest is None:
        return [f"With {found.n} pairs no two models can be told apart four times in five."]
    words = (
        f"With {found.n} pairs, two models have to differ by about {100 * found.smallest_clustered:.0f} "
        "percentage points "
        f"to be told apart four times in five ({basis}"
    )
    if found.assumed:
        return [f"{words})."]
    return [
        f"{words} models, who disagree on {100 * found.discordance:.0f}% of pairs; {100 * found.smallest:.0f} "
        "points if "
        "pairs of a rule were independent)."
    ]


def lineage_words(summary: Summary) -> list[str]:
    """What tuning and size change, and where families and sizes were read from names."""
    words = [
        text
        for relation, what in (("base-instruct", "Instruct against base"), ("size", "Sizes within a family"))
        if (text := _found(what, [item for item in summary.comparisons if item.relation == relation]))
    ]
    guessed = [model.label for model in summary.models if not model.lineage.stated]
    if guessed:
        words.append(
            f"Family, size and tuning were read from the names of {_some(guessed)}; models.toml can state them."
        )
    return words


def _found(what: str, items: Sequence[Comparison]) -> str:
    own = [item for item in items if item.measure == "sum"]
    if not own:
        return ""
    certain = [item for item in own if item.p_holm < LEVEL]
    comparisons = "comparison" if len(own) == 1 else "comparisons"
    largest = max(own, key=lambda item: abs(item.test.difference))
    points = signed(100 * largest.test.difference, 1)
    return (
        f"{what}: {len(certain)} of {len(own)} {comparisons} found a difference beyond chance after Holm's "
        "adjustment; the "
        f"largest is {points} points, {largest.a} against {largest.b}."
    )


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels) if len(labels) <= 3 else f"{len(labels)} models"


def rule_words(summary: Summary) -> list[str]:
    """The hardest and the easiest rule with enough pairs, over all models."""
    means = {}
    for group in summary.of_kind("rule"):
        values = [result["sum"].value for result in group.results if "sum" in result]
        if values and group.n_pairs >= FEW:
            means[group.label] = sum(values) / len(values)
    if len(means) < 2:
        return []
    hard, easy = min(means, key=lambda label: means[label]), max(means, key=lambda label: means[label])
    whose = "" if len(summary.models) == 1 else " on average over the models"
    return [
        f"Of the {len(means)} rules with {FEW} pairs or more the hardest is {hard} "
        f"({100 * means[hard]:.0f}%{whose}), the "
        f"easiest {easy} ({100 * means[easy]:.0f}%)."
    ]


def comparison_words(summary: Summary) -> list[str]:
    """How many comparisons stand after adjustment; empty for a single model."""
    own = [item for item in summary.comparisons if item.measure == "sum"]
    if not own:
        return []
    holm, discovery = (sum(getattr(item, name) < LEVEL for item in own) for name in ("p_holm", "p_bh"))
    pairs = "pair" if len(own) == 1 else "pairs"
    return [
        f"Of {len(own)} {pairs} of models, {holm} differ at the 5% level by the sum after Holm's adjustment and "
        f"{discovery} "
        "after Benjamini and Hochberg's. No difference found is not the same as no difference."
    ]


def flip_words(summary: Summary) -> str:
    """How many pairs turn, and which of them are shown."""
    several = len(summary.models) > 1
    if not summary.n_flips:
        return "No pair turns between the two measures."
    turns = "pair turns" if summary.n_flips == 1 else "pairs turn"
    words = f"{summary.n_flips} {turns}{' for at least one model' if several else ''}"
    if summary.n_flips > len(summary.flips):
        words += f"; these {len(summary.flips)} turn {'for most models or ' if several else ''}by the widest margin"
    return f"{words}. A margin above zero is for the good sentence."


def hardest_words(summary: Summary) -> str:
    """How many pairs are missed, and which of them are shown."""
    several = len(summary.models) > 1
    if not summary.n_wrong:
        return "No pair is wrong by the sum of log-probabilities."
    are = "pair is" if summary.n_wrong == 1 else "pairs are"
    words = f"{summary.n_wrong} {are} not right by the sum{' for at least one model' if several else ''}"
    if summary.n_wrong > len(summary.hardest):
        words += f"; these {len(summary.hardest)} are furthest from it"
    if summary.returned:
        back = "pair is" if len(summary.returned) == 1 else "pairs are"
        return f"{words}. {len(summary.returned)} {back} missed by every model and should be looked at again."
    return f"{words}. A pair that every model misses may be a faulty pair: look at it again."


def confound_words(summary: Summary) -> list[str]:
    """The largest R² by each measure."""
    words = []
    for measure in ("sum", "mean"):
        own = [item for item in summary.confounds if item.measure == measure]
        if own:
            most = max(own, key=lambda item: item.regression.r2)
            names = ", ".join(c.name for c in most.regression.coefficients)
            upto = "up to " if len(own) > 1 else ""
            words.append(
                f"By the {measure}, {upto}{100 * most.regression.r2:.0f}% of the variance of a model's margins follows "
                f"from differences in {names} ({most.model})."
            )
    return words


def human_words(summary: Summary) -> list[str]:
    """Who judged, what is not in the release, and how well models go with people."""
    human = summary.human
    if human is None:
        return []
    words = [f"{human.n_raters} people judged."]
    if human.preferences:
        sure = sum(item.n_prefer == item.n_raters for item in human.preferences)
        words.append(f"In {sure} of {len(human.preferences)} phenomena all of them prefer the good sentences.")
    if human.unknown:
        words.append(
            f"{len(human.unknown)} judged pairs are not in this release and stand beside no model: "
            f"{named(human.unknown)}."
        )
    whole = [item for item in human.alignments if item.phenomenon == ALL and item.measure == "sum" and item.pearson]
    best = max(whole, key=lambda item: item.pearson.value if item.pearson else -1, default=None)
    if best is not None and best.pearson is not None:
        words.append(
            f"{best.model}'s margins go best with people's ratings: r = {shown(best.pearson.value, 'number')} over "
            f"{best.pearson.n} pairs, by the sum."
        )
    return words


def outside_words(summary: Summary) -> list[str]:
    """How often other tools judge otherwise, and whose results had no counterpart."""
    found = summary.outside
    if found is None:
        return []
    words = []
    if found.beside:
        differ, n = sum(len(item.differ) for item in found.beside), sum(item.n for item in found.beside)
        words.append(f"Other tools judge {differ} of {n} pairs otherwise than ours.")
    if found.tasks and not found.correlations:
        words.append("Fewer than 3 models have a score on the same task: no correlation is given.")
    if found.unmatched:
        words.append(f"Not scored here, and so beside nothing: {named(found.unmatched)}.")
    return words
