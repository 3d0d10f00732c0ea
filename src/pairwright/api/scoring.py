"""Minimal pairs through a language model: scores as a table, and accuracy with intervals."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import ValidationError

from pairwright.api.pairs import ID, listed, require_columns, sentence_pairs
from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ConfigError, SourceError
from pairwright.core.records import Rejection
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import ReleasePair
from pairwright.models.load.settings import ModelSettings
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.stats.clustered import clustered_share
from pairwright.stats.intervals import Interval
from pairwright.stats.intervals import accuracy as share_right

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from pairwright.evaluate.scoring.inputs.outcomes import Scorer

Measure = Literal["sum_logprob", "mean_nll", "slor"]
MEASURES: tuple[Measure, ...] = ("sum_logprob", "mean_nll", "slor")
RESULTS = ("measure", "n", "correct", "ties", "accuracy", "low", "high", "interval", "level")
CONFIDENCE = 0.95
# The settings under which other programs' numbers come out.
LIKE: dict[str, dict[str, Any]] = {
    # The task blimp: a space before each sentence counts, and EOS stands where there is no BOS.
    "lm-eval": {"bos": "or-eos", "prefix": " ", "prefix_scored": True},
}


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
    model: "str | Path | ModelSettings | tuple[PreTrainedModel, PreTrainedTokenizerBase]" = "embedded",
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
    settings    everything else, such as what stands before a sentence or whether words are scored
    like        `lm-eval`: what stands before a sentence is as in the task blimp of lm-evaluation-harness; its `acc` is
                then the accuracy by sum_logprob with ties counted as correct
    directory   keeps the scores in a folder of the model's name in it; a second call with the same pairs, model and
                settings reads them from there, and one that was stopped goes on where it was
    progress    called with the number of pairs done
    notice      called with a line about a run that this one waits for, or about shards that are scored again

    Raises ModelError where the model can't be loaded or can't score, SourceError where `pairs` are no pairs, StoreError
    where `directory` holds scores of the same pairs under other settings, ConfigError for settings of no meaning.
    """
    if isinstance(model, tuple) and (device or dtype or directory):
        raise TypeError("a model in memory has its own device and dtype, and no name by which scores could be kept")
    if like is not None and like not in LIKE:
        raise ConfigError(f"like: no program is called '{like}'; give one of {', '.join(LIKE)}")
    if not isinstance(model, tuple | ModelSettings):
        # A blank name is refused where models are found.
        model = ModelSettings(name=str(model) or " ")
    asked = {"device": device, "dtype": dtype, "batch_size": batch_size, **LIKE.get(like or "", {})}
    chosen = _settings(model, settings or ScoreSettings(), asked)
    items = [scored_pair(*pair) for pair in sentence_pairs(pairs)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(directory or temporary)
        return kept_scores(folder / _run(items, model, chosen, folder, progress, notice).model.slug)


def _run(
    items: list[ReleasePair],
    model: "ModelSettings | tuple[Any, Any]",
    settings: ScoreSettings,
    folder: Path,
    progress: Callable[[int], None],
    notice: Callable[[str], None],
) -> "EvaluationRun":
    """The finished run of a model in a folder; one that answers the same request is not repeated."""
    from pairwright.evaluate.scoring.runs.evaluation import answered_run, evaluate
    from pairwright.evaluate.scoring.runs.shards import pairs_sha256
    from pairwright.evaluate.scoring.scorers.registry import request_key

    plan = {"release": "pairs", "release_sha256": pairs_sha256(items)}
    if isinstance(model, ModelSettings):
        plan["request"] = request_key(model, settings, plan["release_sha256"]) or ""
        if run := answered_run(folder, plan["request"], model.label):
            return run
    with _scorer(model, settings) as scorer:
        own = folder / scorer.info.slug
        return evaluate(items, scorer, settings, own, **plan, progress=progress, notice=notice)


def kept_scores(folder: Path) -> Scores:
    """The scores in the folder of a model, as `score` keeps them. Raises StoreError where its files have changed."""
    from pairwright.core.store import read_jsonl
    from pairwright.evaluate.scoring.runs.evaluation import REJECTED, SCORES, read_run

    run = read_run(folder)
    scores = Scores(pd.read_parquet(folder / SCORES))
    scores.run, scores.rejected = run, tuple(read_jsonl(folder / REJECTED, Rejection))
    return scores


def scored_pair(identity: str, good: str, bad: str, **more: Any) -> ReleasePair:
    """A pair that nobody reviewed or released, as the scorers and the report take pairs."""
    blank = {"phenomenon": "", "rule_code": "", "rule": "", "rule_id": "", "source_id": "pairs", "changes": ()}
    unreleased = {"exception": False, "votes": (), "agreement": None, "citation": "", "licence": "", "split": "test"}
    return ReleasePair(
        id=identity, sentence_good=good, sentence_bad=bad, method="manual", **{**blank, **unreleased, **more}
    )


def _settings(model: object, settings: ScoreSettings, asked: dict[str, object]) -> ScoreSettings:
    from pairwright.evaluate.scoring.scorers.registry import settings_for

    given = {name: value for name, value in asked.items() if value is not None}
    try:
        chosen = ScoreSettings.model_validate(settings.model_dump() | given)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        raise ConfigError(f"score: '{first['loc'][0]}': {first['msg']}") from None
    return settings_for(model, chosen) if isinstance(model, ModelSettings) else chosen


@contextmanager
def _scorer(model: "ModelSettings | tuple[Any, Any]", settings: ScoreSettings) -> "Iterator[Scorer]":
    from pairwright.evaluate.scoring.scorers.registry import SCORERS, open_scorer
    from pairwright.models.load.models import wrap_model

    if not isinstance(model, tuple):
        yield open_scorer(model, settings)
        return
    # Dropout would change the scores; afterwards a training goes on as it was.
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
    pairs as independent, or `clustered`, where a group has at least five clusters and fewer than pairs; see
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
        rows += [labels | _estimate(part, name, clusters) for name in chosen]
    return pd.DataFrame(rows, columns=[*groups, *RESULTS])


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


def _estimate(part: pd.DataFrame, measure: Measure, clusters: Sequence[str]) -> dict[str, object]:
    part = part[part[measure].notna()]
    estimate = share_right(part[measure].to_numpy())
    row: dict[str, object] = {"measure": measure, "n": 0, "correct": 0, "ties": 0, "level": CONFIDENCE}
    if estimate is None:
        return row
    over_clusters = next(filter(None, (_clustered(part[measure] > 0, part[name]) for name in clusters)), None)
    interval, kind = (over_clusters, "clustered") if over_clusters else (estimate.interval, "wilson")
    row |= estimate.model_dump(include={"n", "correct", "ties"})
    return row | {"accuracy": estimate.value, "low": interval.low, "high": interval.high, "interval": kind}


def _clustered(right: "pd.Series[bool]", clusters: "pd.Series[Any]") -> Interval | None:
    """The interval that a report gives; None with too few clusters to tell how they vary."""
    names = clusters.astype(str).to_numpy()
    if not FEWEST_CLUSTERS <= len(np.unique(names)) < len(right):
        return None
    return clustered_share(right.to_numpy(), names)[1]
