"""The results of a report in sentences, all of them from the numbers."""

from collections.abc import Iterator, Sequence

from pairwright.reporting.analysis.comparisons import ModelComparison
from pairwright.reporting.analysis.groups import FEW, AccuracyEstimate
from pairwright.reporting.analysis.human import ALL
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.data.evaluations import abbreviated
from pairwright.reporting.external.results import FEWEST_MODELS
from pairwright.reporting.render.tables import format_cell, format_signed
from pairwright.reporting.render.tasks import narrative as task_narrative

LEVEL = 0.05
MEASURES_DIFFER = (
    "A longer sentence tends to have a lower sum of log-probabilities; the mean per token takes length out. Where the "
    "two disagree on a pair, the result depends on the measure."
)
DISCRIMINATING = (
    "Models that are right on these pairs tend to be right on all others, too: a good model gets them right, a weak "
    "one does not. The number is the corrected item-total correlation."
)


def finding(summary: Summary) -> list[str]:
    """The main result: a sentence for each set of models whose sums compare, then one on the tasks."""
    asked = [task_narrative.results(summary.tasks)] if summary.tasks else []
    if not summary.models:
        return asked
    parts = summary.comparable()
    return [*(f"{f'{name[0].upper()}{name[1:]}: ' if name else ''}{_finding(part)}" for name, part in parts), *asked]


def _finding(summary: Summary) -> str:
    """The best of models whose sums compare, how many of the others can't be told from it, and the last."""
    models, estimates = summary.models, [result.get("sum") for result in summary.overall.results]
    best, last = estimates[0], estimates[-1]
    if best is None:
        return f"{models[0].label} has no usable scores for any pair."
    interval = f"{100 * best.interval.low:.1f}–{100 * best.interval.high:.1f}"
    share = f"{100 * best.value:.1f}% of {best.accuracy.n:,} pairs"
    if len(models) == 1:
        return (
            f"{models[0].label} finds the good sentence more probable in {share} (95% interval {interval}; "
            f"chance is 50%).{_chance(estimates)}"
        )
    own = [item for item in summary.comparisons if item.measure == "sum" and models[0].label in (item.a, item.b)]
    alike = sum(item.p_holm >= LEVEL for item in own)
    sentence = (
        f"Of {len(models)} models, {models[0].label} finds the good sentence more probable most often, in {share} (95% "
        f"interval {interval}; chance is 50%)"
    )
    if alike:
        others = f"{alike} others" if alike > 1 else "the other" if len(models) == 2 else "one other"
        sentence += f", though its lead over {others} may be chance"
    if last is not None:
        sentence += f", and {models[-1].label} least often, in {100 * last.value:.1f}%"
    return f"{sentence}.{_chance(estimates)}"


def _chance(estimates: Sequence[AccuracyEstimate | None]) -> str:
    """A sentence on the models whose interval does not lie above chance; empty where there is none."""
    unproven = sum(item is not None and item.interval.low <= 0.5 for item in estimates)
    if not unproven:
        return ""
    if len(estimates) == 1:
        return " That is not shown to be better than chance."
    if unproven == len(estimates):
        return " None of them is shown to do better than chance."
    return f" {unproven} of the {len(estimates)} {'is' if unproven == 1 else 'are'} not shown to do better than chance."


def results(summary: Summary) -> list[str]:
    """Accuracy by both measures, a sentence a model; nothing for more than three models, which have a table."""
    if len(summary.models) > 3:
        return []
    rows = zip(summary.models, summary.overall.results, strict=True)
    return [_result(model, result.get("sum"), result.get("mean")) for model, result in rows]


def _result(model: ModelSummary, by_sum: AccuracyEstimate | None, by_mean: AccuracyEstimate | None) -> str:
    if by_sum is None or by_mean is None:
        return f"{model.label} has no usable scores for any pair."
    shares = [f"{100 * item.value:.1f}%" for item in (by_sum, by_mean)]
    ranges = [f"{100 * item.interval.low:.1f}–{100 * item.interval.high:.1f}" for item in (by_sum, by_mean)]
    return (
        f"{model.label} finds the good sentence more probable in {by_sum.accuracy.correct:,} of {by_sum.accuracy.n:,} "
        f"pairs ({shares[0]}, 95% interval {ranges[0]}) by the sum of log-probabilities, and in "
        f"{by_mean.accuracy.correct:,} ({shares[1]}, {ranges[1]}) by the mean per token."
    )


def accuracy_line(summary: Summary, place: int) -> str:
    """One model's accuracy as a line for the command line."""
    model, result = summary.models[place], summary.overall.results[place]
    if "sum" not in result or "mean" not in result:
        return f"{model.label}: no pair has both scores"
    by_sum, by_mean = (
        f"{item.value:.3f} by {name} (95% interval {item.interval.low:.3f}-{item.interval.high:.3f})"
        for item, name in ((result["sum"], "sum_logprob"), (result["mean"], "mean_nll"))
    )
    return f"{model.label}: {by_sum}, {by_mean}"


def overall(summary: Summary) -> Iterator[str]:
    """The smallest difference that this number of pairs can show."""
    power = summary.power
    if power is None:
        return
    if power.smallest_clustered is None or power.smallest is None:
        yield f"With {power.n:,} pairs, no two models can be told apart four times in five."
        return
    basis = "if one of them alone were right on one pair in five"
    if not power.assumed:
        basis = (
            f"if they disagree as often as these models, on {100 * power.discordance:.0f}% of pairs; "
            f"{100 * power.smallest:.0f} points if pairs of a rule were independent"
        )
    yield (
        f"With {power.n:,} pairs, two models have to differ by about {100 * power.smallest_clustered:.0f} percentage "
        f"points to be told apart four times in five ({basis})."
    )


def families(summary: Summary) -> Iterator[str]:
    """What tuning and size change, and which models' families were read from names; nothing for a single model."""
    if len(summary.models) < 2:
        return
    for relation, name in (("base-instruct", "Instruct against base"), ("size", "Sizes within a family")):
        own = [item for item in summary.comparisons if item.measure == "sum" and item.relation == relation]
        if own:
            yield _differences(name, own)
    guessed = [model.label for model in summary.models if not model.lineage.stated]
    if guessed:
        names = ", ".join(guessed) if len(guessed) <= 3 else f"{len(guessed)} models"
        yield f"Family, size and tuning were read from the names of {names}; models.toml can state them."


def _differences(name: str, comparisons: Sequence[ModelComparison]) -> str:
    certain = sum(item.p_holm < LEVEL for item in comparisons)
    largest = max(comparisons, key=lambda item: abs(item.test.difference))
    return (
        f"{name}: {certain} of {_counted(len(comparisons), 'comparison')} found a difference beyond chance after "
        f"Holm's adjustment; the largest is {format_signed(100 * largest.test.difference, 1)} points, {largest.a} "
        f"against {largest.b}."
    )


def _counted(n: int, one: str, several: str = "") -> str:
    return f"{n} {one if n == 1 else several or f'{one}s'}"


def rules(summary: Summary) -> Iterator[str]:
    """The only rule, or the hardest and the easiest with enough pairs, over all models."""
    groups, means = summary.of_kind("rule"), {}
    if len(groups) == 1 and groups[0].label:
        yield f"All pairs are of one rule: {groups[0].label}."
    for group in groups:
        values = [result["sum"].value for result in group.results if "sum" in result]
        if values and group.n_pairs >= FEW:
            means[group.label] = sum(values) / len(values)
    if len(means) < 2:
        return
    hard, easy = (choose(means, key=lambda label: means[label]) for choose in (min, max))
    over = "" if len(summary.models) == 1 else " on average over the models"
    yield (
        f"Of the {len(means)} rules with {FEW} pairs or more, the hardest is {hard} ({100 * means[hard]:.0f}%{over}), "
        f"the easiest {easy} ({100 * means[easy]:.0f}%)."
    )


def comparisons(summary: Summary) -> Iterator[str]:
    """How many comparisons stand after adjustment; nothing for a single model."""
    by_sum = [item for item in summary.comparisons if item.measure == "sum"]
    holm, discovery = sum(item.p_holm < LEVEL for item in by_sum), sum(item.p_bh < LEVEL for item in by_sum)
    if by_sum:
        yield (
            f"Of {_counted(len(by_sum), 'pair')} of models, {holm} {'differs' if holm == 1 else 'differ'} "
            f"at the 5% level by the sum after Holm's "
            f"adjustment and {discovery} after Benjamini and Hochberg's. That no difference was found does not show "
            "that there is none."
        )


def flips(summary: Summary) -> str:
    """How many pairs flip between the measures, and which of them are shown."""
    several = len(summary.models) > 1
    if not summary.n_flips:
        return "No pair flips between the two measures."
    sentence = f"{_counted(summary.n_flips, 'pair flips', 'pairs flip')} between the two measures"
    sentence += " for at least one model" if several else ""
    if summary.n_flips > len(summary.flips):
        sentence += f"; these {len(summary.flips)} flip {'for most models or ' if several else ''}by the most"
    return f"{sentence}. A score difference above zero favours the good sentence."


def hardest(summary: Summary) -> str:
    """How many pairs are missed, and which of them are shown."""
    if not summary.n_wrong:
        return "No pair is wrong by the sum of log-probabilities."
    sentence = f"{_counted(summary.n_wrong, 'pair is', 'pairs are')} not right by the sum"
    sentence += " for at least one model" if len(summary.models) > 1 else ""
    if summary.n_wrong > len(summary.hardest):
        sentence += f"; these {len(summary.hardest)} are furthest from it"
    if summary.returned:
        missed = _counted(len(summary.returned), "pair is", "pairs are")
        return f"{sentence}. {missed} missed by every model and should be looked at again."
    return f"{sentence}. A pair that every model misses may be faulty: look at it again."


def confounds(summary: Summary) -> Iterator[str]:
    """The largest R² by each measure."""
    for measure in ("sum", "mean"):
        own = [item for item in summary.confounds if item.measure == measure]
        if own:
            most = max(own, key=lambda item: item.regression.r2)
            names = ", ".join(coefficient.name for coefficient in most.regression.coefficients)
            yield (
                f"By the {measure}, {'up to ' if len(own) > 1 else ''}{100 * most.regression.r2:.0f}% of the variance "
                f"of a model's score differences follows from differences in {names} ({most.model})."
            )


def people(summary: Summary) -> Iterator[str]:
    """Who judged, which pairs are not in the release, and which model agrees best with people."""
    human = summary.human
    if human is None:
        return
    yield f"{human.n_raters} people judged."
    if human.preferences:
        unanimous = sum(item.n_prefer == item.n_raters for item in human.preferences)
        yield f"In {unanimous} of {len(human.preferences)} phenomena all raters prefer the good sentences."
    if human.unknown:
        unknown = _counted(len(human.unknown), "judged pair")
        yield f"{unknown} not in this release, so not compared with models: {abbreviated(human.unknown)}."
    correlations = [
        (item.pearson.value, item.pearson.n, item.model)
        for item in human.alignments
        if item.phenomenon == ALL and item.measure == "sum" and item.pearson
    ]
    if correlations:
        r, n, model = max(correlations, key=lambda item: item[0])
        yield (
            f"{model}'s score differences agree best with people's ratings: r = {format_cell(r, 'number')} over {n} "
            "pairs, by the sum."
        )


def external(summary: Summary) -> Iterator[str]:
    """How often other tools disagree with us, and which results had no counterpart."""
    results = summary.external
    if results is None:
        return
    if results.tools:
        differ, n = sum(len(item.differ) for item in results.tools), sum(item.n for item in results.tools)
        yield f"Other tools come to another verdict than ours on {differ} of {n} pairs."
    if results.tasks and not results.correlations:
        yield f"Fewer than {FEWEST_MODELS} models have a score on the same task, so no correlation is given."
    if results.unmatched:
        yield f"Models without scores of ours to compare with: {abbreviated(results.unmatched)}."
