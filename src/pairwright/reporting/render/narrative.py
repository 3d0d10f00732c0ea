"""The results of a report in sentences, all of them from the numbers."""

from collections.abc import Iterator, Sequence

from pairwright.core.records import BASELINE
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEW, AccuracyEstimate
from pairwright.reporting.analysis.human import ALL
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.render.tasks import narrative as task_narrative
from pairwright.reporting.render.tasks.narrative import ALPHA
from pairwright.stats.correlation import FEWEST_MODELS


def finding(summary: Summary, words: Words) -> list[str]:
    """The main result: a sentence for each set of models whose sums compare, then one on the tasks."""
    asked = [task_narrative.results(summary.tasks, words)] if summary.tasks else []
    if not summary.models:
        return asked
    parts = summary.comparable()
    if len(parts) == 1:
        return [_finding(summary, words), *_conditions(summary, words), *asked]
    ways = (words("finding.way", way=way(settings, words), result=_finding(part, words)) for settings, part in parts)
    return [words("finding.ways", n=len(parts)), *ways, *_conditions(summary, words), *asked]


def _conditions(summary: Summary, words: Words) -> Iterator[str]:
    """That the pairs of all conditions are one set here, where there are several."""
    if names := dict.fromkeys(name for group in summary.conditions for name in group.conditions):
        shown = [words("columns.baseline") if name == BASELINE else name for name in names]
        yield words("text.conditions", n=len(shown), names=words.listed(shown))


def way(settings: Sequence[str], words: Words) -> str:
    """In which way models were scored, to follow a verb, from the settings in which they differ from others."""
    return ", ".join(words.name("settings", setting) for setting in settings)


def _finding(summary: Summary, words: Words) -> str:
    """The best of models whose sums compare, how many of the others can't be told from it, and the last."""
    # The same model under several labels counts once.
    places = sorted({model.run.model.variant: n for n, model in reversed([*enumerate(summary.models)])}.values())
    models = [summary.models[place] for place in places]
    estimates = [summary.overall.results[place].get("sum") for place in places]
    best, last = estimates[0], estimates[-1]
    if best is None:
        return words("finding.unusable", model=models[0].label)
    sentences = [
        words(
            "finding.best" if len(models) > 1 else "finding.single",
            model=models[0].label,
            n_models=len(models),
            share=best.value,
            n=best.accuracy.n,
            low=best.interval.low,
            high=best.interval.high,
        )
    ]
    labels = {model.label for model in models}
    own = [item for item in summary.comparisons if item.measure == "sum" and models[0].label in (item.a, item.b)]
    own = [item for item in own if {item.a, item.b} <= labels]
    if alike := sum(item.p_holm >= ALPHA for item in own):
        sentences.append(words("finding.alike", n=alike))
    if last is not None and len(models) > 1:
        sentences.append(words("finding.last", model=models[-1].label, share=last.value))
    return " ".join([*sentences, *_chance(estimates, words)])


def _chance(estimates: Sequence[AccuracyEstimate | None], words: Words) -> Iterator[str]:
    """A sentence on the models whose interval does not lie above chance, and one on those where it lies below."""
    unproven = sum(item is not None and item.interval.low <= 0.5 for item in estimates)
    if unproven:
        several = "all" if unproven == len(estimates) else "some"
        yield words(f"finding.chance_{'single' if len(estimates) == 1 else several}", n=unproven, of=len(estimates))
    if below := sum(item is not None and item.interval.high < 0.5 for item in estimates):
        yield words(f"finding.below_{'single' if len(estimates) == 1 else 'some'}", n=below, of=len(estimates))


def results(summary: Summary, words: Words) -> list[str]:
    """Accuracy by both measures, a sentence a model."""
    rows = zip(summary.models, summary.overall.results, strict=True) if summary.models else ()
    return [_result(model, result.get("sum"), result.get("mean"), words) for model, result in rows]


def _result(
    model: ModelSummary, by_sum: AccuracyEstimate | None, by_mean: AccuracyEstimate | None, words: Words
) -> str:
    if by_sum is None or by_mean is None:
        return words("finding.unusable", model=model.label)
    values: dict[str, object] = {"model": model.label, "n": by_sum.accuracy.n}
    for name, item in (("sum", by_sum), ("mean", by_mean)):
        values |= {name: item.value, f"{name}_low": item.interval.low, f"{name}_high": item.interval.high}
        values[f"{name}_right"] = item.accuracy.correct
    return words("text.result", **values)


def overall(summary: Summary, words: Words) -> Iterator[str]:
    """The smallest difference that this number of pairs can show."""
    power = summary.power
    if power is None:
        return
    if power.smallest_clustered is None or power.smallest is None:
        yield words("text.power_none", n=power.n)
        return
    measured = {"discordance": power.discordance, "points": power.smallest}
    basis = words("text.power_assumed") if power.assumed else words("text.power_measured", **measured)
    yield words("text.power", n=power.n, points=power.smallest_clustered, basis=basis)


def families(summary: Summary, words: Words) -> Iterator[str]:
    """What tuning and size change, and which models' families were read from names; nothing for a single model."""
    if len(summary.models) < 2:
        return
    for relation, key in (("base-instruct", "text.base_instruct"), ("size", "text.sizes")):
        own = [item for item in summary.comparisons if item.measure == "sum" and item.relation == relation]
        if own:
            certain = sum(item.p_holm < ALPHA for item in own)
            largest = max(own, key=lambda item: abs(item.test.difference))
            points = largest.test.difference
            yield words(key, n=certain, of=len(own), points=points, a=largest.a, b=largest.b)
    guessed = [model.label for model in summary.models if not model.lineage.stated]
    if guessed:
        many = "_many" if len(guessed) > 3 else ""
        yield words(f"text.guessed{many}", names=", ".join(guessed), n=len(guessed))


def rules(summary: Summary, words: Words) -> Iterator[str]:
    """The only rule, or the hardest and the easiest with enough pairs, over all models."""
    groups, means = summary.of_kind("rule"), {}
    if len(groups) == 1 and groups[0].label:
        yield words("text.one_rule", rule=groups[0].label)
    for group in groups:
        values = [result["sum"].value for result in group.results if "sum" in result]
        if values and group.n_pairs >= FEW:
            means[group.label] = sum(values) / len(values)
    if len(means) < 2:
        return
    hard, easy = (choose(means, key=lambda label: means[label]) for choose in (min, max))
    key = "text.rules" if len(summary.models) == 1 else "text.rules_on_average"
    yield words(key, n=len(means), few=FEW, hard=hard, low=means[hard], easy=easy, high=means[easy])


def comparisons(summary: Summary, words: Words) -> Iterator[str]:
    """How many comparisons stand after adjustment; nothing for a single model."""
    by_sum = [item for item in summary.comparisons if item.measure == "sum"]
    holm, discovery = sum(item.p_holm < ALPHA for item in by_sum), sum(item.p_bh < ALPHA for item in by_sum)
    if by_sum:
        yield words("text.comparisons", n=len(by_sum), holm=holm, bh=discovery)


def flips(summary: Summary, words: Words) -> str:
    """How many pairs flip between the measures, and which of them are shown."""
    return _counted("flips", summary, summary.n_flips, len(summary.flips), words)


def hardest(summary: Summary, words: Words) -> str:
    """How many pairs are missed, and which of them are shown."""
    sentence = _counted("hardest", summary, summary.n_wrong, len(summary.hardest), words)
    if not summary.n_wrong:
        return sentence
    n = len(summary.returned)
    return f"{sentence} {words('text.hardest_returned', n=n) if n else words('text.hardest_doubt')}"


def _counted(name: str, summary: Summary, n: int, shown: int, words: Words) -> str:
    if not n:
        return words(f"text.{name}_none")
    models, part = "_models" if len(summary.models) > 1 else "", "_shown" if n > shown else ""
    return words(f"text.{name}{models}{part}", n=n, shown=shown)


def confounds(summary: Summary, words: Words) -> Iterator[str]:
    """The largest R² by each measure."""
    for measure in ("sum", "mean"):
        own = [item for item in summary.confounds if item.measure == measure]
        if own:
            most = max(own, key=lambda item: item.regression.r2)
            names = ", ".join(
                words.name("terms.property", coefficient.name) for coefficient in most.regression.coefficients
            )
            yield words(f"text.confounds_{measure}", r2=most.regression.r2, names=names, model=most.model)


def people(summary: Summary, words: Words) -> Iterator[str]:
    """Who judged, which pairs are not in the release, and which model agrees best with people."""
    human = summary.human
    if human is None:
        return
    yield words("text.people", n=human.n_raters)
    if human.preferences:
        unanimous = sum(item.n_prefer == item.n_raters for item in human.preferences)
        yield words("text.people_unanimous", n=unanimous, of=len(human.preferences))
    if human.unknown:
        yield words("text.people_unknown", n=len(human.unknown), ids=words.listed(human.unknown))
    correlations = [
        (item.pearson.value, item.pearson.n, item.model)
        for item in human.alignments
        if item.phenomenon == ALL and item.measure == "sum" and item.pearson
    ]
    if correlations:
        r, n, model = max(correlations, key=lambda item: item[0])
        yield words("text.people_best", model=model, r=r, n=n)


def external(summary: Summary, words: Words) -> Iterator[str]:
    """How often other tools disagree with us, and which results had no counterpart."""
    results = summary.external
    if results is None:
        return
    if results.tools:
        differ, n = sum(len(item.differ) for item in results.tools), sum(item.n for item in results.tools)
        yield words("text.tools_differ", n=differ, of=n)
    if results.tasks and not results.correlations:
        yield words("text.tools_few", fewest=FEWEST_MODELS)
    if results.unmatched:
        yield words("text.tools_unmatched", names=words.listed(results.unmatched))
