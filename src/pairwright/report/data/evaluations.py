"""The scores of models on one release, checked and brought into tables; what can't be used is named, never dropped."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pairwright.errors import ModelError, ReleaseError
from pairwright.records import Record
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import Release
from pairwright.report.data.model_family import Lineage, lineage
from pairwright.report.data.score_differences import Columns, Floats, Margins, Measure, columns_of, margins_of

FaultKind = Literal["other-release", "other-pairs", "damaged", "missing", "not-finite", "two-policies", "one-pair"]
Evaluation = tuple[Any, EvaluationRun]
"""A model's scores, as `score.evaluation.read_table` gives them (see `margins.margins_of`), and its run record."""

NAMED = 10
# Settings whose value may be empty or hold spaces.
TEXTS = ("prefix", "chat")


class Fault(Record):
    """Something wrong with what a report was given. `subject` is the model or the group; `message` is one line."""

    kind: FaultKind
    subject: str
    message: str
    pair_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scored:
    """One model on a release.

    `margins` and what follows is what `margins.Margins` says.
    """

    label: str
    run: EvaluationRun
    lineage: Lineage
    margins: dict[Measure, Floats]
    n_tokens: NDArray[np.int64]
    unigram: Floats
    missing: tuple[str, ...]
    unusable: tuple[str, ...]

    def right(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the model prefers the good sentence; False where there is no score."""
        return np.nan_to_num(self.margins[measure]) > 0

    def known(self, measure: Measure) -> NDArray[np.bool_]:
        """Whether the pair has usable scores."""
        return np.isfinite(self.margins[measure])


def read_evaluations(
    release: Release,
    evaluations: Iterable[Evaluation],
    lineages: Mapping[str, Lineage | Mapping[str, str]] | None = None,
) -> tuple[list[Scored], list[Fault]]:
    """The models in the order of their accuracy by the sum, best first, and what is wrong with their evaluations.

    Evaluations are taken one after the other, so that the scores of one alone stand in memory. One of another release,
    of other pairs or other sentences is left out and named. A model that was scored under two policies stays in twice,
    under two labels. Raises ModelError where a model is given twice under one policy or none is given, and ReleaseError
    where every one had to be left out.
    """
    columns = columns_of(release.pairs)
    found = [(run, _measured(release, columns, table, run)) for table, run in evaluations]
    if not found:
        raise ModelError("no model was scored; score the release with a model before the report")
    faults: list[Fault] = []
    kept: list[Scored] = []
    for (run, measured), label in zip(found, _labels([run for run, _ in found]), strict=True):
        if isinstance(measured, Margins):
            kept.append(Scored(label, run, lineage(run.model, lineages), *measured))
        else:
            kind: FaultKind = "other-release" if run.release_sha256 != release.sha256 else "other-pairs"
            faults.append(Fault(kind=kind, subject=label, message=f"{label} {measured}; left out"))
    if not kept:
        raise ReleaseError(faults[0].message.removesuffix("; left out"))
    faults += [fault for model in kept for fault in _gaps(model)]
    faults += _policies(kept)
    kept.sort(key=lambda model: (-_share_right(model), model.label))
    return kept, faults


def _measured(release: Release, columns: Columns, table: Any, run: EvaluationRun) -> Margins | str:
    """The margins of a model, or why its evaluation can't be used."""
    if run.release_sha256 != release.sha256:
        return (
            f"was scored on {run.release} ({run.release_sha256[:12]}), not on {release.name} {release.version} "
            f"({release.sha256[:12]}); score this release with it"
        )
    try:
        return margins_of(columns, table)
    except ReleaseError as fault:
        return str(fault)


def _labels(runs: Sequence[EvaluationRun]) -> list[str]:
    """A label a run: the model's name, its slug where two share the name, and the policy where two share that too."""
    names, slugs = Counter(run.model.name for run in runs), Counter(run.model.slug for run in runs)
    labels = []
    for run in runs:
        label = run.model.name if names[run.model.name] == 1 else run.model.slug
        if slugs[run.model.slug] > 1:
            label = f"{label} ({_policy_label(run, [item for item in runs if item.model.slug == run.model.slug])})"
        labels.append(label)
    double = next((label for label, count in Counter(labels).items() if count > 1), None)
    if double is not None:
        raise ModelError(f"model {double}: given twice; keep one of its evaluations")
    return labels


def _policy_label(run: EvaluationRun, same: Sequence[EvaluationRun]) -> str:
    """The settings in which a run's policy differs from the others of the same model."""
    settings = run.policy.model_dump()
    differing = [name for name in settings if len({str(item.policy.model_dump().get(name)) for item in same}) > 1]
    told = {name: repr(settings[name]) if name in TEXTS else str(settings[name]) for name in differing}
    return ", ".join(f"{name} {value}" for name, value in told.items()) or "same policy"


def _share_right(model: Scored) -> float:
    return float(model.right("sum").sum()) / max(int(model.known("sum").sum()), 1)


def _gaps(model: Scored) -> list[Fault]:
    """The pairs of a model without a score, and those with one that is not finite."""
    gaps: list[tuple[FaultKind, str, tuple[str, ...]]] = [
        ("missing", "no score", model.missing),
        ("not-finite", "a score that is not a finite number", model.unusable),
    ]
    return [
        Fault(
            kind=kind,
            subject=model.label,
            message=f"{model.label} has {what} for {len(ids)} of {len(model.n_tokens)} pairs, which are in none of its "
            f"numbers: {named(ids)}",
            pair_ids=ids,
        )
        for kind, what, ids in gaps
        if ids
    ]


def named(ids: Sequence[str]) -> str:
    """The first ten of some ids, and how many more there are."""
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f"{', '.join(ids[:NAMED])}{more}"


def _policies(models: Sequence[Scored]) -> list[Fault]:
    """The models that were scored in several ways, by their weights: labels of one model may differ."""
    by_weights: dict[tuple[str | None, ...], list[Scored]] = defaultdict(list)
    for model in models:
        info = model.run.model
        name = None if info.weights_sha256 else info.requested
        by_weights[name, info.revision, info.weights_sha256, info.dtype, info.quantisation].append(model)
    return [
        Fault(
            kind="two-policies",
            subject=same[0].run.model.name,
            message=f"{same[0].run.model.name} was scored under {len({m.run.policy for m in same})} policies: "
            f"{'; '.join(_label_and_policy(model, same) for model in same)}; they stand apart and are not "
            "compared with each other",
        )
        for same in by_weights.values()
        if len({model.run.policy for model in same}) > 1
    ]


def _label_and_policy(model: Scored, same: Sequence[Scored]) -> str:
    differs = f"({_policy_label(model.run, [item.run for item in same])})"
    return model.label if model.label.endswith(differs) else f"{model.label} {differs}"
