"""Minimal pairs through language models: scores as a table, accuracy with intervals, comparisons, and the report."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import ValidationError

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ConfigError, ModelError, SourceError
from pairwright.core.records import Rejection
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import FrozenRelease, Release
from pairwright.core.store import read_jsonl, write_jsonl
from pairwright.models.load.settings import ModelSettings
from pairwright.release.unreleased import (
    ID,
    ResultFolders,
    grouping_columns,
    listed,
    require_columns,
    unreleased,
)
from pairwright.release.verify import PAIRS
from pairwright.reporting.analysis.groups import RESULTS, as_result, clusters_of, estimates

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from pairwright.evaluate.scoring.inputs import Scorer
    from pairwright.reporting.data import Evaluation

    Model = str | Path | ModelSettings | tuple[PreTrainedModel, PreTrainedTokenizerBase]

Measure = Literal["sum_logprob", "mean_nll", "slor"]
MEASURES: tuple[Measure, ...] = ("sum_logprob", "mean_nll", "slor")


class Scores(pd.DataFrame):
    """The scores of one model, two rows a pair, the good sentence first, with the columns of scores.parquet.

    `sum_logprob` is in nats, `mean_nll` and `slor` are in nats per token; docs/api.md explains all columns. What you
    compute from the table is a plain DataFrame, without these attributes:

    run       the model as it was loaded, the scoring policy, how many pairs were scored, how fast
    rejected  the sentences that the model can't score, each with the reason; their pairs are not in the table
    """

    _metadata: ClassVar[list[str]] = ["run", "rejected"]
    run: EvaluationRun
    rejected: tuple[Rejection, ...]


def score(
    pairs: pd.DataFrame,
    model: "Model" = "embedded",
    *,
    device: str | None = None,
    dtype: str | None = None,
    batch_size: int | None = None,
    settings: ScoreSettings | None = None,
    like: str | None = None,
    directory: str | Path | None = None,
    progress: Callable[[int], None] = lambda done: None,
    notice: Callable[[str], None] = lambda text: None,
) -> Scores:
    """Scores both sentences of each pair with a language model, and returns one row a sentence.

    pairs       what `load_pairs` returned, or any table of pairs that it takes
    model       `embedded` (Gemma 3 270M, needs no network), a folder with safetensors, a GGUF file, an id of the
                Hugging Face hub, the address of a server that returns log-probabilities, or a transformers model that
                you loaded, as a tuple with its tokenizer
    device      `auto`, `cpu`, `cuda`, ...; `auto` takes a GPU where there is one
    dtype       `auto`, `float32`, `float64`, `bfloat16` or `float16`; `auto` is bfloat16 on a GPU, else float32
    batch_size  the most sentences in one forward pass
    settings    everything else, such as what stands before a sentence or whether tokens are kept
    like        `lm-eval`: what stands before a sentence is as in the task blimp of lm-evaluation-harness; its `acc` is
                then the accuracy by sum_logprob with ties counted as correct
    directory   keeps the scores in a folder of the model's name in it; a second call with the same pairs, model and
                settings reads them from there, and one that was stopped goes on where it was
    progress    called with the number of pairs done
    notice      called with a line about a run that this one waits for, or about shards that are scored again

    Raises ModelError where the model can't be loaded or can't score, SourceError where `pairs` are no pairs, StoreError
    where `directory` holds scores of the same pairs under other settings, ConfigError for settings of no meaning.
    """
    from pairwright.core.workspace import Workspace
    from pairwright.pipeline.context import Context
    from pairwright.pipeline.models import LIKE, ScoringJob, score_model, scored_like

    if isinstance(model, tuple) and (device or dtype or directory):
        raise TypeError("a model in memory has its own device and dtype, and no name by which scores could be kept")
    if like is not None and like not in LIKE:
        raise ConfigError(f"like: no program is called '{like}'; give one of {', '.join(LIKE)}")
    asked = {"device": device, "dtype": dtype, "batch_size": batch_size, **LIKE.get(like or "", {})}
    chosen = _settings(settings or ScoreSettings(), asked)
    opened: Any = _in_memory(model, chosen) if isinstance(model, tuple) else nullcontext()
    with tempfile.TemporaryDirectory() as temporary, opened as scorer:
        release = unreleased(pairs, Path(temporary) / "pairs", "pairs")
        write_jsonl(release.path / PAIRS, release.pairs)
        folder = Path(directory or temporary)
        context = Context(ResultFolders(Workspace().root, folder, folder), _Calls(progress, notice))
        # A blank name is refused where models are found.
        named = ModelSettings(name=scorer.info.name if scorer else str(model) or " ")
        named = model if isinstance(model, ModelSettings) else named
        named = scored_like(named, like) if like else named
        frozen = FrozenRelease(path=release.path, sha256=release.sha256, info=release.info)
        return load_scores(folder / score_model(ScoringJob(context, frozen, named, chosen, opened=scorer)).model.slug)


class _Calls:
    """A reporter that calls the functions which the user gave."""

    def __init__(self, progress: Callable[[int], None], notice: Callable[[str], None]) -> None:
        self._progress, self._notice = progress, notice

    def say(self, label: str, text: str) -> None:
        if label == "warning":
            self._notice(text)

    @contextmanager
    def progress(self, task: str, total: int) -> Iterator[Callable[[int], None]]:
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            self._progress(done)

        yield advance


def load_scores(directory: str | Path) -> Scores:
    """The scores in the folder of a model, as `score` keeps them. Raises StoreError where its files have changed."""
    from pairwright.evaluate.scoring.runs.evaluation import REJECTED, SCORES, read_run

    run = read_run(Path(directory))
    scores = Scores(pd.read_parquet(Path(directory) / SCORES))
    scores.run, scores.rejected = run, tuple(read_jsonl(Path(directory) / REJECTED, Rejection))
    return scores


def _settings(settings: ScoreSettings, asked: dict[str, object]) -> ScoreSettings:
    given = {name: value for name, value in asked.items() if value is not None}
    try:
        return ScoreSettings.model_validate(settings.model_dump() | given)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        raise ConfigError(f"score: '{first['loc'][0]}': {first['msg']}") from None


@contextmanager
def _in_memory(model: tuple[Any, Any], settings: ScoreSettings) -> "Iterator[Scorer]":
    """The scorer of a model without dropout, which would change the scores; afterwards a training goes on as it was."""
    from pairwright.evaluate.scoring.scorers.registry import SCORERS
    from pairwright.models.load.models import wrap_model

    modes = {module: module.training for module in model[0].modules()}
    loaded = wrap_model(model[0].eval(), model[1])
    try:
        yield SCORERS[loaded.kind](loaded, settings)
    finally:
        for module, training in modes.items():
            module.training = training


def accuracy(
    scores: pd.DataFrame,
    pairs: pd.DataFrame | None = None,
    *,
    by: str | Sequence[str] = (),
    measure: Measure | None = None,
    cluster: str | Sequence[str] = (),
) -> pd.DataFrame:
    """Counts how often a model prefers the good sentence, with 95% intervals; one row a group and measure.

    scores   what `score` returned, or its columns from elsewhere
    pairs    the table of pairs that has the columns `by` and `cluster`; not needed without them
    by       the columns whose values make the groups; all pairs are one group where you leave it out
    measure  one of `MEASURES`; each that the scores have, in rows of its own, where you leave it out
    cluster  a column whose values keep together pairs that resemble each other, such as the rule; of several columns
             the first that gives a group enough clusters counts

    The columns are those of `by`, then `measure`, `n` (the pairs), `correct`, `ties` (equal scores, which count as not
    correct), `accuracy` (correct / n, 0-1), `low`, `high`, `interval` and `level`. `interval` is `wilson`, which takes
    pairs as independent, or `clustered`, where a group has at least five clusters, as in the report; see
    docs/statistics.md. Pairs without two finite scores are not counted. Raises SourceError where a column is missing,
    one of `by` or `cluster` is called as a column of results, or `pairs` lacks a pair that was scored.
    """
    groups, clusters = require_free_names(listed(by)), require_free_names(listed(cluster))
    chosen = [measure] if measure else [name for name in MEASURES if name in scores and scores[name].notna().any()]
    differences = _differences(scores, chosen)
    if groups or clusters:
        differences = differences.join(_columns(differences.index, pairs, [*groups, *clusters]))
    rows: list[dict[str, object]] = []
    parts = differences.groupby(groups, sort=False, dropna=False) if groups else [((), differences)]
    for key, part in parts:
        labels = dict(zip(groups, key, strict=True))
        over = {name: part[name].astype(str).to_numpy() for name in clusters}
        found = estimates(part[chosen].to_numpy(), over)
        rows += [labels | as_result(name, row) for name, row in zip(chosen, found, strict=True)]
    return pd.DataFrame(rows, columns=[*groups, *RESULTS])


def plot(
    scores: Scores | Sequence[Scores],
    pairs: pd.DataFrame | None = None,
    *,
    by: str = "",
    measure: Measure = "sum_logprob",
    cluster: str | Sequence[str] = (),
) -> "Figure":
    """Draws the accuracy of one model or several, in each group of a column: points with 95% intervals, chance dashed.

    scores   what `score` returned, for one model or for several
    pairs    the table of pairs that has the columns `by` and `cluster`; not needed without them
    by       the column whose values make the rows; all pairs are one row where you leave it out
    measure  one of `MEASURES`
    cluster  as in `accuracy`

    Returns a matplotlib figure, 4.8 inches wide. Raises SourceError as `accuracy` does.
    """
    from pairwright.reporting.render.figures import drawn, estimate_mark, percent_axis, row_labels, series_style

    several = [scores] if isinstance(scores, pd.DataFrame) else list(scores)
    tables = [accuracy(one, pairs, by=by or (), measure=measure, cluster=cluster) for one in several]
    found = pd.concat([table.assign(series=number) for number, table in enumerate(tables)], ignore_index=True)
    found["row"] = found[by].fillna("").astype(str) if by else "all pairs"
    rows, step = list(dict.fromkeys(found["row"])), 0.7 / max(1, len(several))

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for number, one in enumerate(several):
            style = series_style(number)
            for row in found[found["series"] == number].to_dict("records"):
                place = rows.index(row["row"]) + (number - (len(several) - 1) / 2) * step
                estimate_mark(axes, place, row["accuracy"], row["low"], row["high"], style)
            axes.plot([], [], style[1], color=style[0], label=one.run.model.name)
        row_labels(axes, rows)
        percent_axis(axes, [*found["low"], *found["high"]], "%")
        if len(several) > 1:
            figure.legend(loc="outside upper left", ncols=min(3, len(several)))

    return drawn(draw, height=0.9 + len(rows) * (0.2 + 0.14 * len(several)))


def require_free_names(names: list[str]) -> list[str]:
    """The names of columns of pairs. Raises SourceError for one that a column of `accuracy` or of scores has."""
    if taken := next((name for name in names if name in (*RESULTS, *MEASURES)), None):
        raise SourceError(f"pairs: '{taken}' is the name of a column of results; rename that column of the pairs")
    return names


def _differences(scores: pd.DataFrame, measures: Sequence[Measure]) -> pd.DataFrame:
    """By pair, how much better the good sentence scores; NaN where a score is missing."""
    require_columns(["pair_id", "side", *measures], scores.columns, "scores")
    good, bad = (scores[scores["side"] == side].set_index("pair_id")[list(measures)] for side in ("good", "bad"))
    if good.index.has_duplicates or bad.index.has_duplicates:
        raise SourceError("scores: a pair is scored twice; give the scores of one model")
    with np.errstate(invalid="ignore"):
        differences = (good.astype(float) - bad.astype(float)).replace([np.inf, -np.inf], np.nan)
    return differences.assign(**{name: -differences[name] for name in measures if name == "mean_nll"})


def _columns(ids: pd.Index, pairs: pd.DataFrame | None, names: Sequence[str]) -> pd.DataFrame:
    if pairs is None:
        raise SourceError(f"accuracy by '{names[0]}': give the pairs as well, as accuracy(scores, pairs, by=...)")
    require_columns([ID, *names], pairs.columns, "pairs")
    table = pairs.drop_duplicates(ID).set_index(ID)[list(dict.fromkeys(names))]
    missing = ids[~ids.isin(table.index)]
    if len(missing):
        raise SourceError(f"pairs: {missing[0]} was scored and is not among them; give the pairs that were scored")
    return table


def report(
    scores: Scores | Sequence[Scores],
    pairs: pd.DataFrame,
    directory: str | Path,
    *,
    title: str = "Minimal pairs",
    by: str | Sequence[str] = (),
    language: str | None = None,
    judgements: str | Path | None = None,
    page_language: str = "en",
    page_tokens: int | None = None,
) -> Path:
    """Writes the report page of scored pairs and returns its path, `index.html` in the directory.

    scores      what `score` returned, for one model or for several
    pairs       the pairs that were scored
    directory   the folder of the page
    title       the heading of the page
    by          the columns that group the pairs, such as phenomenon and rule; those that published benchmarks have
                where you leave it out. Pairs with the same value in the one with most values count as dependent
    language    of the sentences, such as `lt`
    judgements  a table with ratings or choices of people; docs/models.md has its columns
    page_language  of the page's words: `en` or `lt`
    page_tokens    the most tokens with surprisals in the page, 5,000,000 where you leave it out

    Where the pairs have the columns `paradigm_id` and `condition`, as `load_paradigms` gives them, the page compares
    conditions with the baseline. Beside the page lie `report.md`, `summary.json`, `figures/` and `tables/`. Raises
    ModelError where the scores are of other pairs or a model is given twice, SourceError where a column is missing,
    ReviewError where a judgement can't be used, ConfigError for an unknown language code.
    """
    from pairwright.languages.locale import load_words
    from pairwright.reporting.analysis.inputs import read_inputs
    from pairwright.reporting.analysis.summary import summarise
    from pairwright.reporting.render.page import write_report

    release, evaluations = _released(scores, pairs, by, title, language)
    inputs = read_inputs(release, judgements=Path(judgements) if judgements else None)
    summary, words = summarise(release, evaluations, inputs), load_words("report", page_language)
    return write_report(Path(directory), release, summary, words=words, most_tokens=page_tokens)


def compare(scores: Sequence[Scores], pairs: pd.DataFrame, *, by: str | Sequence[str] = ()) -> pd.DataFrame:
    """Compares models on the same pairs, each with each, as the report does; one row two models and a measure.

    scores  what `score` returned for two models or more
    pairs   the pairs that were scored
    by      the columns that group the pairs, as in `report`: they say which pairs are dependent

    `difference` is the accuracy of `a` minus that of `b`, with the ends of its 95% interval; `p_holm` and `p_bh` adjust
    `p` over all comparisons of a measure. Models that were scored under different policies are not compared. Raises
    ModelError and SourceError as `report` does.
    """
    from pairwright.reporting.analysis.comparisons import compare_models
    from pairwright.reporting.data import read_evaluations

    release, evaluations = _released(scores, pairs, by)
    models, _ = read_evaluations(release, evaluations)
    return compare_models(models, clusters_of(release.pairs))


def _released(
    scores: Scores | Sequence[Scores],
    pairs: pd.DataFrame,
    by: str | Sequence[str],
    title: str = "pairs",
    language: str | None = None,
) -> "tuple[Release, list[Evaluation]]":
    """The pairs as a release that nobody reviewed, and the scores as evaluations of it."""
    import pyarrow as pa

    from pairwright.evaluate.scoring.runs.evaluation import MEASURED, schema

    several = [scores] if isinstance(scores, pd.DataFrame) else list(scores)
    if not all(isinstance(one, Scores) for one in several):
        raise TypeError("give the scores as score() returned them")
    release = unreleased(pairs, Path(), title, grouping_columns(pairs, by), language)
    for one in several:
        if one.run.release_sha256 != release.sha256:
            raise ModelError(f"{one.run.model.name} was scored on other pairs; score these pairs with it")
    columns = pa.schema([schema().field(name) for name in MEASURED])
    tables = [pa.Table.from_pandas(one[list(MEASURED)], schema=columns, preserve_index=False) for one in several]
    return release, list(zip(tables, [one.run for one in several], strict=True))
