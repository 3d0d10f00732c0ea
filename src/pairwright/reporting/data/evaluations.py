"""Reads and checks the scores of models on one release. What can't be used is named, never silently dropped."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pairwright.core.errors import ModelError, ReleaseError, counted
from pairwright.core.records import Record
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import Release
from pairwright.languages.locale import Words, load_words
from pairwright.reporting.data.model_family import Lineage, lineage
from pairwright.reporting.data.score_differences import (
    Measure,
    PairColumns,
    ScoreDifferences,
    SentenceTokens,
    pair_columns,
    score_differences,
)
from pairwright.stats.bootstrap import Floats

FaultKind = Literal[
    "other-release",
    "other-pairs",
    "missing",
    "not-finite",
    "two-policies",
    "same-weights",
    "one-pair",
    "other-items",
    "not-answered",
    "not-scored",
]
Evaluation = tuple[Any, EvaluationRun]
"""A model's scores as a pyarrow table (its columns: see `score_differences`), and its run record."""

# Settings whose value may be empty or contain spaces.
_TEXT_SETTINGS = ("prefix", "chat")


class ReportFault(Record):
    """Something wrong with the input of a report. `subject` is the model or the group; `values` fill in its words."""

    kind: FaultKind
    subject: str
    values: dict[str, int | str | tuple[str, ...]] = Field(default_factory=dict)
    pair_ids: tuple[str, ...] = ()

    def text(self, words: Words) -> str:
        """One line that says what is wrong."""
        lists = {"ids": self.pair_ids} | {name: it for name, it in self.values.items() if isinstance(it, tuple)}
        values = self.values | {name: words.listed(items) for name, items in lists.items()}
        return words(f"faults.{self.kind}", subject=self.subject, **values)

    @property
    def message(self) -> str:
        """The same in English."""
        return self.text(load_words("report"))


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """One model on a release; for `differences` and the fields after it see `ScoreDifferences`."""

    label: str
    run: EvaluationRun
    lineage: Lineage
    differences: dict[Measure, Floats]
    n_tokens: NDArray[np.int64]
    unigram: Floats
    missing: tuple[str, ...]
    unusable: tuple[str, ...]
    tokens: SentenceTokens | None

    def right(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the model prefers the good sentence, pair by pair; False where there is no score."""
        return np.nan_to_num(self.differences[measure]) > 0

    def scored(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the pair has usable scores, pair by pair."""
        return np.isfinite(self.differences[measure])

    def accuracy(self) -> float:
        """The share of scored pairs that are right by sum_logprob, 0 where no pair is scored."""
        return float(self.right("sum_logprob").sum()) / max(int(self.scored("sum_logprob").sum()), 1)


def read_evaluations(
    release: Release,
    evaluations: Iterable[Evaluation],
    lineages: Mapping[str, Mapping[str, str]] | None = None,
    *,
    required: bool = True,
) -> tuple[list[ScoredModel], list[ReportFault]]:
    """The models of a report and what is wrong with their evaluations.

    Models of one conditioning stand together, the most accurate by sum_logprob first, as does its conditioning.

    Evaluations are read one at a time, so that the scores of a single model are in memory. An evaluation of another
    release or of other sentences is left out and named. A model that was scored under two policies appears twice, with
    two labels. Raises ModelError where a model is given twice under one policy or no model is given, and ReleaseError
    where every evaluation had to be left out; neither where no model is `required`.
    """
    columns = pair_columns(release.pairs)
    checked = [(run, _checked(release, columns, table, run)) for table, run in evaluations]
    if required and not checked:
        raise ModelError("no model was scored; score the release with a model before the report")
    faults: list[ReportFault] = []
    models: list[ScoredModel] = []
    reasons: list[str] = []
    for (run, result), label in zip(checked, _labels([run for run, _ in checked]), strict=True):
        if isinstance(result, ScoreDifferences):
            models.append(ScoredModel(label, run, lineage(run.model, lineages), *result))
        else:
            kind: FaultKind = "other-release" if run.release_sha256 != release.sha256 else "other-pairs"
            reasons.append(f"{label} {result}")
            faults.append(ReportFault(kind=kind, subject=label, values={"reason": result}))
    if required and not models:
        raise ReleaseError(reasons[0])
    faults += [fault for model in models for fault in _gaps(model)]
    faults += _policy_faults(models)
    faults += _weights_faults(models)
    models.sort(key=lambda model: (-model.accuracy(), model.label))
    conditionings = list(dict.fromkeys(model.run.conditioning for model in models))
    models.sort(key=lambda model: conditionings.index(model.run.conditioning))
    return models, faults


def largest_comparable(models: Sequence[ScoredModel]) -> list[ScoredModel]:
    """The models of the conditioning that most of them share, in their order; of equally many the first."""
    counts = Counter(model.run.conditioning for model in models)
    return [model for model in models if model.run.conditioning == max(counts, key=lambda key: counts[key])]


def distinct_weights(models: Sequence[ScoredModel]) -> list[ScoredModel]:
    """The first model of each weights: under several labels, dtypes or policies they are evidence of one model."""
    first: dict[tuple[str | None, ...], ScoredModel] = {}
    for model in models:
        first.setdefault(model.run.model.weights, model)
    return list(first.values())


def _checked(release: Release, columns: PairColumns, table: Any, run: EvaluationRun) -> ScoreDifferences | str:
    """The score differences of a model, or why its evaluation can't be used."""
    if run.release_sha256 != release.sha256:
        return (
            f"was scored on {run.release} ({run.release_sha256[:12]}), not on {release.name} {release.version} "
            f"({release.sha256[:12]}); score this release with it"
        )
    if run.n_pairs != len(release.pairs):
        return f"was scored on {run.n_pairs}, not on {counted(len(release.pairs), 'pair')}; score this release with it"
    try:
        return score_differences(columns, table)
    except ReleaseError as fault:
        return str(fault)


def _labels(runs: Sequence[EvaluationRun]) -> list[str]:
    """A label a run: the model's name, its slug where two share the name, and the policy where two share the slug."""
    slugs = Counter(run.model.slug for run in runs)
    names = Counter(name for name, _ in {(run.model.name, run.model.slug) for run in runs})
    labels = []
    for run in runs:
        label = run.model.name if names[run.model.name] == 1 else run.model.slug
        if slugs[run.model.slug] > 1:
            label = f"{label} ({_policy_label(run, [other for other in runs if other.model.slug == run.model.slug])})"
        labels.append(label)
    double = next((label for label, count in Counter(labels).items() if count > 1), None)
    if double is not None:
        raise ModelError(f"model {double}: given twice; keep one of its evaluations")
    return labels


def _policy_label(run: EvaluationRun, same: Sequence[EvaluationRun]) -> str:
    return ", ".join(_settings(run, same)) or "same policy"


def _settings(run: EvaluationRun, same: Sequence[EvaluationRun]) -> list[str]:
    """The settings in which a run's policy differs from those of other runs, each with its value."""
    return [
        f"{name} {value!r}" if name in _TEXT_SETTINGS else f"{name} {value}"
        for name, value in run.policy.model_dump().items()
        if len({str(getattr(other.policy, name)) for other in same}) > 1
    ]


def conditioning_settings(run: EvaluationRun, runs: Sequence[EvaluationRun]) -> tuple[str, ...]:
    """In what a run's conditioning differs from those of others, a setting with its value each."""
    differs = len({other.first_token_scored for other in runs}) > 1
    first = f"first token {'' if run.first_token_scored else 'not '}scored"
    return (*_settings(run, runs), *([first] if differs else []))


def _gaps(model: ScoredModel) -> list[ReportFault]:
    """The pairs of a model without a score, and those with one that is not finite."""
    gaps: list[tuple[FaultKind, tuple[str, ...]]] = [("missing", model.missing), ("not-finite", model.unusable)]
    return [
        ReportFault(kind=kind, subject=model.label, values={"n": len(ids), "of": len(model.n_tokens)}, pair_ids=ids)
        for kind, ids in gaps
        if ids
    ]


def _policy_faults(models: Sequence[ScoredModel]) -> list[ReportFault]:
    """The models that were scored under several policies. Labels may differ, so weights tell which are the same."""
    by_variant: dict[tuple[str | None, ...], list[ScoredModel]] = defaultdict(list)
    for model in models:
        by_variant[model.run.model.variant].append(model)
    return [
        ReportFault(
            kind="two-policies",
            subject=same[0].run.model.name,
            values={
                "n": len({model.run.policy for model in same}),
                "labels": "; ".join(_label_and_policy(model, same) for model in same),
            },
        )
        for same in by_variant.values()
        if len({model.run.policy for model in same}) > 1
    ]


def _weights_faults(models: Sequence[ScoredModel]) -> list[ReportFault]:
    """The labels that stand for the same weights under one policy."""
    labels: dict[object, list[str]] = defaultdict(list)
    for model in models:
        labels[model.run.model.weights, model.run.conditioning].append(model.label)
    return [
        ReportFault(kind="same-weights", subject=same[0], values={"labels": tuple(same)})
        for same in labels.values()
        if len(same) > 1
    ]


def _label_and_policy(model: ScoredModel, same: Sequence[ScoredModel]) -> str:
    policy = f"({_policy_label(model.run, [other.run for other in same])})"
    return model.label if model.label.endswith(policy) else f"{model.label} {policy}"
