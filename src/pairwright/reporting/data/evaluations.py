"""Reads and checks the scores of models on one release. What can't be used is named, never silently dropped."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from pairwright.core.errors import ModelError, ReleaseError, counted
from pairwright.core.records import Record
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import Release
from pairwright.languages.locale import Words, load_words
from pairwright.reporting.data.model_family import Lineage, lineage
from pairwright.reporting.data.score_differences import ScoreDifferences, pair_columns, score_differences

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
    "asked-otherwise",
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


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredModel(ScoreDifferences):
    """One model on a release."""

    label: str
    run: EvaluationRun
    lineage: Lineage


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
            models.append(ScoredModel(**vars(result), label=label, run=run, lineage=lineage(run.model, lineages)))
        else:
            kind: FaultKind = "other-release" if run.release_sha256 != release.sha256 else "other-pairs"
            reasons.append(f"{label} {result}")
            faults.append(ReportFault(kind=kind, subject=label, values={"reason": result}))
    if required and not models:
        raise ReleaseError(reasons[0])
    faults += _faults(models)
    models.sort(key=lambda model: (-model.accuracy(), model.label))
    conditionings = list(dict.fromkeys(model.run.conditioning for model in models))
    return sorted(models, key=lambda model: conditionings.index(model.run.conditioning)), faults


def distinct_weights(models: Sequence[ScoredModel]) -> list[ScoredModel]:
    """The first model of each weights: under several labels, dtypes or policies they are evidence of one model."""
    first: dict[tuple[str | None, ...], ScoredModel] = {}
    for model in models:
        first.setdefault(model.run.model.weights, model)
    return list(first.values())


def _checked(release: Release, columns: Mapping[str, Any], table: Any, run: EvaluationRun) -> ScoreDifferences | str:
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
            label += _policy_label(run, [other for other in runs if other.model.slug == run.model.slug])
        labels.append(label)
    double = next((label for label, count in Counter(labels).items() if count > 1), None)
    if double is not None:
        raise ModelError(f"model {double}: given twice; keep one of its evaluations")
    return labels


def _policy_label(run: EvaluationRun, same: Sequence[EvaluationRun]) -> str:
    return f" ({', '.join(_settings(run, same)) or 'same policy'})"


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


def _faults(models: Sequence[ScoredModel]) -> Iterator[ReportFault]:
    """Pairs without a finite score, models that were scored under several policies, and labels for the same weights."""
    by_variant: dict[object, list[ScoredModel]] = defaultdict(list)
    by_weights: dict[object, list[str]] = defaultdict(list)
    gaps: tuple[FaultKind, ...] = ("missing", "not-finite")
    for model in models:
        for kind, ids in zip(gaps, (model.missing, model.unusable), strict=True):
            if ids:
                values: dict[str, Any] = {"n": len(ids), "of": len(model.n_tokens)}
                yield ReportFault(kind=kind, subject=model.label, values=values, pair_ids=ids)
        # Labels may differ, so weights tell which models are the same.
        by_variant[model.run.model.variant].append(model)
        by_weights[model.run.model.weights, model.run.conditioning].append(model.label)
    for same in by_variant.values():
        if (n := len({model.run.policy for model in same})) > 1:
            policies = (_policy_label(model.run, [other.run for other in same]) for model in same)
            named = (f"{it.label.removesuffix(own)}{own}" for it, own in zip(same, policies, strict=True))
            values = {"n": n, "labels": "; ".join(named)}
            yield ReportFault(kind="two-policies", subject=same[0].run.model.name, values=values)
    for labels in by_weights.values():
        if len(labels) > 1:
            yield ReportFault(kind="same-weights", subject=labels[0], values={"labels": tuple(labels)})
