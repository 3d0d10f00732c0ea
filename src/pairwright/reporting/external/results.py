"""Results of other tools for the same models, compared with ours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pairwright.core.errors import ReleaseError
from pairwright.core.records import Record
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import squeeze
from pairwright.reporting.data.evaluations import ScoredModel, largest_comparable
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.correlation import FEWEST_MODELS, Correlation, both_correlations


class PairResults(Record):
    """The verdicts of another tool on pairs of the release: whether it prefers the good sentence, by pair id.

    measure   what the tool compared: the sum of log-probabilities, or the mean per token
    unmatched how many of its pairs the release lacks; `ties` are counted as not right
    """

    tool: str
    file: str
    model: str
    measure: Measure
    verdicts: dict[str, bool]
    unmatched: int
    ties: int


class TaskResult(Record):
    """A model's score on a task of another benchmark, 0-1 (a correlation coefficient: -1 to 1)."""

    tool: str
    model: str
    dataset: str
    task: str
    languages: tuple[str, ...]
    metric: str
    value: float


class ToolComparison(Record):
    """Another tool's accuracy and ours on the pairs that both scored. `differ` are those with different verdicts."""

    tool: str
    file: str
    theirs: str
    ours: str
    measure: Measure
    n: int
    their_accuracy: float
    our_accuracy: float
    differ: tuple[str, ...]


class TaskCorrelation(Record):
    """How our accuracy by the sum correlates with a score on another task, over comparable models that have both."""

    dataset: str
    task: str
    metric: str
    models: tuple[str, ...]
    pearson: Correlation | None
    spearman: Correlation | None


class ExternalResults(Record):
    """The results of other tools. `unmatched` names their models that were not scored here."""

    tools: tuple[ToolComparison, ...]
    tasks: tuple[TaskResult, ...]
    correlations: tuple[TaskCorrelation, ...]
    unmatched: tuple[str, ...]


def model_key(name: str) -> str:
    """What two tools' names of one model have in common: `org/Model@main` and `Model` are the same."""
    return name.split("@")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1].lower()


def pair_results(
    scored: Iterable[tuple[str, str, float]],
    pairs: Sequence[ReleasePair],
    *,
    tool: str,
    file: str,
    model: str,
    measure: Measure,
) -> PairResults:
    """Another tool's verdicts on the pairs of a release, from good sentence, bad sentence and score difference.

    Sentences are compared in NFC with single spaces; the last of several differences of a pair counts. Raises
    ReleaseError where no pair of the release is among them.
    """
    ids = {(squeeze(pair.sentence_good), squeeze(pair.sentence_bad)): pair.id for pair in pairs}
    differences: dict[str, float] = {}
    unmatched = 0
    for good, bad, difference in scored:
        pair_id = ids.get((squeeze(good), squeeze(bad)))
        if pair_id is None:
            unmatched += 1
        else:
            differences[pair_id] = difference
    if not differences:
        raise ReleaseError(f"{file or 'no file'}: no pair of this release is in it")
    return PairResults(
        tool=tool,
        file=file,
        model=model,
        measure=measure,
        verdicts={pair_id: difference > 0 for pair_id, difference in differences.items()},
        unmatched=unmatched,
        ties=sum(difference == 0 for difference in differences.values()),
    )


def compare_tools(
    models: Sequence[ScoredModel],
    pairs: Sequence[ReleasePair],
    results: Sequence[PairResults],
    tasks: Sequence[TaskResult],
) -> ExternalResults | None:
    """Compares other tools' results with the models of a report; None where there are none."""
    if not results and not tasks:
        return None
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    ours = {model_key(name): model for model in reversed(models) for name in _names(model)}
    comparable = largest_comparable(models)
    tools, unmatched = [], []
    for result in results:
        model = ours.get(model_key(result.model))
        comparison = _comparison(result, model, rows) if model is not None else None
        if comparison is None:
            unmatched.append(f"{result.model} ({result.tool})")
        else:
            tools.append(comparison)
    unmatched += [f"{item.model} ({item.tool})" for item in tasks if model_key(item.model) not in ours]
    tasks = [item for item in tasks if model_key(item.model) in ours]
    return ExternalResults(
        tools=tuple(tools),
        tasks=tuple(tasks),
        correlations=tuple(_correlations(ours, [item for item in tasks if ours[model_key(item.model)] in comparable])),
        unmatched=tuple(dict.fromkeys(unmatched)),
    )


def _names(model: ScoredModel) -> tuple[str, ...]:
    return model.run.model.name, model.run.model.requested, model.run.model.slug, model.label


def _comparison(result: PairResults, model: ScoredModel, rows: Mapping[str, int]) -> ToolComparison | None:
    """None where the model scored none of the pairs of the result."""
    scored, right = model.scored(result.measure), model.right(result.measure)
    both = [pair_id for pair_id in result.verdicts if scored[rows[pair_id]]]
    if not both:
        return None
    return ToolComparison(
        tool=result.tool,
        file=result.file,
        theirs=result.model,
        ours=model.label,
        measure=result.measure,
        n=len(both),
        their_accuracy=sum(result.verdicts[pair_id] for pair_id in both) / len(both),
        our_accuracy=sum(bool(right[rows[pair_id]]) for pair_id in both) / len(both),
        differ=tuple(pair_id for pair_id in both if right[rows[pair_id]] != result.verdicts[pair_id]),
    )


def _correlations(ours: Mapping[str, ScoredModel], tasks: Sequence[TaskResult]) -> Iterator[TaskCorrelation]:
    scores: dict[tuple[str, str, str], dict[str, tuple[ScoredModel, float]]] = {}
    for item in tasks:
        model = ours[model_key(item.model)]
        if model.scored("sum").any():
            scores.setdefault((item.dataset, item.task, item.metric), {})[model.label] = model, item.value
    for (dataset, task, metric), points in scores.items():
        if len(points) < FEWEST_MODELS:
            continue
        x, y = zip(*((model.accuracy(), value) for model, value in points.values()), strict=True)
        pearson, spearman = both_correlations(x, y)
        yield TaskCorrelation(
            dataset=dataset, task=task, metric=metric, models=tuple(points), pearson=pearson, spearman=spearman
        )
