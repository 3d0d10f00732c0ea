"""The scores of models on one release, checked and brought into tables; what can't be used is named, never dropped."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pairwright.errors import ModelError, ReleaseError
from pairwright.records import Record, Side
from pairwright.releases import Release, ReleasePair
from pairwright.report.lineage import Lineage, lineage
from pairwright.runs import EvaluationRun, Score
from pairwright.text import nfc

Measure = Literal["sum", "mean", "slor"]
FaultKind = Literal["other-release", "other-pairs", "damaged", "missing", "not-finite", "two-policies", "one-pair"]
Floats = NDArray[np.float64]
Evaluation = tuple[Sequence[Score], EvaluationRun]
NAMED = 10


class Fault(Record):
    """Something wrong with what a report was given. `subject` is the model or the group; `message` is one line."""

    kind: FaultKind
    subject: str
    message: str
    pair_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scored:
    """One model on a release. Arrays have an entry a pair of the release, in its order.

    margins   by measure, the score of the good sentence minus that of the bad one, in nats (sum) or nats per token
              (mean, slor); NaN where the pair has no usable score
    n_tokens  the scored tokens of the good and of the bad sentence, 0 where there is no score
    unigram   the difference of the unigram log-probabilities in nats, NaN where there is none
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
    evaluations: Sequence[Evaluation],
    lineages: Mapping[str, Lineage | Mapping[str, str]] | None = None,
) -> tuple[list[Scored], list[Fault]]:
    """The models in the order of their accuracy by the sum, best first, and what is wrong with their evaluations.

    An evaluation of another release, of other pairs or other sentences is left out and named. A model that was scored
    under two policies stays in twice, under two labels. Raises ModelError where a model is given twice under one
    policy or none is given, and ReleaseError where every one had to be left out.
    """
    if not evaluations:
        raise ModelError("no model was scored; score the release with a model before the report")
    faults: list[Fault] = []
    kept: list[Scored] = []
    labels = _labels([run for _, run in evaluations])
    for (scores, run), label in zip(evaluations, labels, strict=True):
        try:
            kept.append(_scored(release, scores, run, label, lineage(run.model, lineages)))
        except ReleaseError as fault:
            kind: FaultKind = "other-release" if run.release_sha256 != release.sha256 else "other-pairs"
            faults.append(Fault(kind=kind, subject=label, message=f"{fault}; left out"))
    if not kept:
        raise ReleaseError(faults[0].message.removesuffix("; left out"))
    faults += [fault for model in kept for fault in _gaps(model)]
    faults += _policies(kept)
    kept.sort(key=lambda model: (-_share_right(model), model.label))
    return kept, faults


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
    return ", ".join(f"{name} {settings[name]!s}" for name in differing) or "same policy"


def _scored(release: Release, scores: Sequence[Score], run: EvaluationRun, label: str, kin: Lineage) -> Scored:
    if run.release_sha256 != release.sha256:
        raise ReleaseError(
            f"{label} was scored on {run.release} ({run.release_sha256[:12]}), not on {release.name} "
            f"{release.version} ({release.sha256[:12]}); score this release with it"
        )
    found = _by_pair(release.pairs, label, scores)
    n_pairs = len(release.pairs)
    margins: dict[Measure, Floats] = {name: np.full(n_pairs, np.nan) for name in ("sum", "mean", "slor")}
    unigram, n_tokens = np.full(n_pairs, np.nan), np.zeros((n_pairs, 2), dtype=np.int64)
    missing, unusable = [], []
    for row, pair in enumerate(release.pairs):
        sides = found.get(pair.id, {})
        if len(sides) < 2:
            missing.append(pair.id)
            continue
        good, bad = sides["good"], sides["bad"]
        if not (math.isfinite(good.sum_logprob) and math.isfinite(bad.sum_logprob)):
            unusable.append(pair.id)
            continue
        margins["sum"][row] = good.sum_logprob - bad.sum_logprob
        margins["mean"][row] = bad.mean_nll - good.mean_nll
        n_tokens[row] = good.n_tokens, bad.n_tokens
        if good.slor is not None and bad.slor is not None:
            margins["slor"][row] = good.slor - bad.slor
            unigram[row] = (good.unigram_sum_logprob or 0.0) - (bad.unigram_sum_logprob or 0.0)
    if not np.isfinite(margins["slor"]).any():
        del margins["slor"]
    return Scored(label, run, kin, margins, n_tokens, unigram, tuple(missing), tuple(unusable))


def _by_pair(pairs: Sequence[ReleasePair], label: str, scores: Sequence[Score]) -> dict[str, dict[Side, Score]]:
    """The scores by pair and side. Refuses those of other pairs or sentences than the release's, and double ones."""
    sentences = {pair.id: {"good": pair.sentence_good, "bad": pair.sentence_bad} for pair in pairs}
    found: dict[str, dict[Side, Score]] = defaultdict(dict)
    for score in scores:
        if score.pair_id not in sentences:
            raise ReleaseError(f"{label}: scores {score.pair_id}, which is not in the release; score the release again")
        if nfc(score.sentence) != nfc(sentences[score.pair_id][score.side]):
            raise ReleaseError(
                f"{label}: the {score.side} sentence of {score.pair_id} is another one in the release; "
                "score the release again"
            )
        if score.side in found[score.pair_id]:
            raise ReleaseError(f"{label}: scores the {score.side} sentence of {score.pair_id} twice; score again")
        found[score.pair_id][score.side] = score
    return found


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
    by_weights: dict[tuple[str | None, ...], list[Scored]] = defaultdict(list)
    for model in models:
        info = model.run.model
        by_weights[info.name, info.revision, info.weights_sha256, info.dtype].append(model)
    return [
        Fault(
            kind="two-policies",
            subject=same[0].run.model.name,
            message=f"{same[0].run.model.name} was scored under {len({m.run.policy for m in same})} policies: "
            f"{'; '.join(model.label for model in same)}; they stand apart and are not compared with each other",
        )
        for same in by_weights.values()
        if len({model.run.policy for model in same}) > 1
    ]
