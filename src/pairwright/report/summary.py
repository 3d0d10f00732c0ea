"""From the scores of a release to the numbers of a report: accuracy by two measures, and the pairs behind it."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pairwright.errors import ModelError, ReleaseError
from pairwright.records import Record, Side
from pairwright.releases import Release, ReleasePair
from pairwright.runs import EvaluationRun, Score
from pairwright.stats.intervals import Accuracy, accuracy
from pairwright.text import nfc

SHOWN = 10


class Margin(NamedTuple):
    """How far a model prefers the good sentence of a pair to the bad one: above zero it is right.

    by_sum    the difference of sum_logprob, in nats
    by_mean   the difference of minus mean_nll, in nats per token
    n_tokens  the scored tokens of the good and of the bad sentence
    """

    by_sum: float
    by_mean: float
    n_tokens: tuple[int, int]

    @property
    def flips(self) -> bool:
        """Whether the two measures disagree on who is right."""
        return (self.by_sum > 0) != (self.by_mean > 0)


class Measured(Record):
    """One model on one group of pairs; None where no pair of the group has both scores."""

    by_sum: Accuracy | None
    by_mean: Accuracy | None


class Group(Record):
    """A group of `n_pairs` released pairs, and what each model makes of it, in the order of the models."""

    label: str
    n_pairs: int
    results: tuple[Measured, ...]


class Agreement(Record):
    """On how many pairs a model is right by both measures, by one of them alone, and by neither."""

    both: int
    sum_only: int
    mean_only: int
    neither: int


class ModelSummary(Record):
    """One model on the whole release.

    label    its name, or its slug where two models share the name
    missing  ids of the pairs that lack the score of a sentence; `unusable` of those with a score that is not finite.
             Neither is in any accuracy
    flips    ids of the pairs that one measure finds right and the other wrong
    """

    label: str
    run: EvaluationRun
    missing: tuple[str, ...]
    unusable: tuple[str, ...]
    agreement: Agreement
    flips: tuple[str, ...]


class JudgedPair(Record):
    """A pair with the margin of each model, in the order of the models; None where the model did not score it."""

    pair: ReleasePair
    margins: tuple[Margin | None, ...]


class Summary(Record):
    """What a report shows. The models stand in the order of their accuracy by sum_logprob, best first.

    overall  all pairs; and, where the release has exceptions, the pairs without them and the exceptions alone
    hardest  pairs that most models get wrong by sum_logprob, the widest margin first; at most 10
    flips    pairs that turn for most models between the measures, the widest margin first; at most 10
    """

    models: tuple[ModelSummary, ...]
    overall: tuple[Group, ...]
    by_phenomenon: tuple[Group, ...]
    by_rule: tuple[Group, ...]
    by_method: tuple[Group, ...]
    hardest: tuple[JudgedPair, ...]
    n_wrong: int
    flips: tuple[JudgedPair, ...]
    n_flips: int


class _Evaluated(NamedTuple):
    run: EvaluationRun
    margins: dict[str, Margin]
    missing: tuple[str, ...]
    unusable: tuple[str, ...]


def summarise(release: Release, evaluations: Sequence[tuple[Sequence[Score], EvaluationRun]]) -> Summary:
    """The numbers of a report on a release, from the scores and the run record of each model.

    A pair counts where both of its sentences have a finite score; the others are named in `missing` and `unusable`.
    Raises ReleaseError where scores are of other pairs or sentences than the release's or a run is of another
    release, and ModelError where no model, a model twice or a sentence twice is given.
    """
    _refuse_mixed_runs(release, [run for _, run in evaluations])
    evaluated = [_evaluated(release.pairs, run, scores) for scores, run in evaluations]
    evaluated.sort(key=lambda entry: (-_share_right(entry.margins), entry.run.model.slug))
    names = [entry.run.model.name for entry in evaluated]
    margins = [entry.margins for entry in evaluated]
    hardest = _judged(release.pairs, margins, lambda margin: margin.by_sum <= 0, lambda margin: -margin.by_sum)
    flips = _judged(release.pairs, margins, lambda margin: margin.flips, lambda margin: abs(margin.by_mean))
    return Summary(
        models=tuple(_model_summary(entry, names.count(entry.run.model.name) == 1) for entry in evaluated),
        overall=_overall(release.pairs, margins),
        by_phenomenon=_groups(release.pairs, lambda pair: pair.phenomenon, margins),
        by_rule=_groups(release.pairs, _rule_label(release.pairs), margins),
        by_method=_groups(release.pairs, lambda pair: pair.method, margins),
        hardest=hardest[:SHOWN],
        n_wrong=len(hardest),
        flips=flips[:SHOWN],
        n_flips=len(flips),
    )


def _refuse_mixed_runs(release: Release, runs: Sequence[EvaluationRun]) -> None:
    if not runs:
        raise ModelError("no model was scored; score the release with a model before the report")
    slugs = [run.model.slug for run in runs]
    double = next((slug for slug in slugs if slugs.count(slug) > 1), None)
    if double is not None:
        raise ModelError(f"model {double}: given twice; keep one of its evaluations")
    other = next((run for run in runs if run.release_sha256 != release.sha256), None)
    if other is not None:
        raise ReleaseError(
            f"{other.model.slug} was scored on {other.release} ({other.release_sha256[:12]}), not on {release.name} "
            f"{release.version} ({release.sha256[:12]}); score this release with it"
        )


def _evaluated(pairs: Sequence[ReleasePair], run: EvaluationRun, scores: Sequence[Score]) -> _Evaluated:
    found = _by_pair(pairs, run, scores)
    margins, missing, unusable = {}, [], []
    for pair in pairs:
        sides = found.get(pair.id, {})
        if len(sides) < 2:
            missing.append(pair.id)
            continue
        good, bad = sides["good"], sides["bad"]
        if math.isfinite(good.sum_logprob) and math.isfinite(bad.sum_logprob):
            margins[pair.id] = Margin(
                by_sum=good.sum_logprob - bad.sum_logprob,
                by_mean=bad.mean_nll - good.mean_nll,
                n_tokens=(good.n_tokens, bad.n_tokens),
            )
        else:
            unusable.append(pair.id)
    return _Evaluated(run, margins, tuple(missing), tuple(unusable))


def _by_pair(pairs: Sequence[ReleasePair], run: EvaluationRun, scores: Sequence[Score]) -> dict[str, dict[Side, Score]]:
    """The scores by pair and side. Refuses those of other pairs or sentences than the release's, and double ones."""
    slug = run.model.slug
    sentences = {pair.id: {"good": pair.sentence_good, "bad": pair.sentence_bad} for pair in pairs}
    found: dict[str, dict[Side, Score]] = defaultdict(dict)
    for score in scores:
        if score.pair_id not in sentences:
            raise ReleaseError(f"{slug}: scores {score.pair_id}, which is not in the release; score the release again")
        if nfc(score.sentence) != nfc(sentences[score.pair_id][score.side]):
            raise ReleaseError(
                f"{slug}: the {score.side} sentence of {score.pair_id} is another one in the release; "
                "score the release again"
            )
        if score.side in found[score.pair_id]:
            raise ModelError(f"{slug}: scores the {score.side} sentence of {score.pair_id} twice; score again")
        found[score.pair_id][score.side] = score
    return found


def _share_right(margins: Mapping[str, Margin]) -> float:
    return sum(margin.by_sum > 0 for margin in margins.values()) / max(len(margins), 1)


def _model_summary(entry: _Evaluated, named_once: bool) -> ModelSummary:
    margins = entry.margins.values()
    both = sum(margin.by_sum > 0 and margin.by_mean > 0 for margin in margins)
    sum_only = sum(margin.by_sum > 0 >= margin.by_mean for margin in margins)
    mean_only = sum(margin.by_mean > 0 >= margin.by_sum for margin in margins)
    return ModelSummary(
        label=entry.run.model.name if named_once else entry.run.model.slug,
        run=entry.run,
        missing=entry.missing,
        unusable=entry.unusable,
        agreement=Agreement(
            both=both, sum_only=sum_only, mean_only=mean_only, neither=len(margins) - both - sum_only - mean_only
        ),
        flips=tuple(pair_id for pair_id, margin in entry.margins.items() if margin.flips),
    )


def _rule_label(pairs: Sequence[ReleasePair]) -> Callable[[ReleasePair], str]:
    """Code and title of a pair's rule, with its source where two rules would else get the same label."""
    rules: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        rules[f"{pair.rule_code} {pair.rule}"].add(pair.rule_id)

    def label(pair: ReleasePair) -> str:
        plain = f"{pair.rule_code} {pair.rule}"
        return plain if len(rules[plain]) == 1 else f"{plain} ({pair.source_id})"

    return label


def _overall(pairs: Sequence[ReleasePair], margins: Sequence[Mapping[str, Margin]]) -> tuple[Group, ...]:
    everything = _group("all pairs", pairs, margins)
    exceptions = [pair for pair in pairs if pair.exception]
    if not exceptions:
        return (everything,)
    regular = [pair for pair in pairs if not pair.exception]
    return (
        everything,
        *([_group("without exceptions", regular, margins)] if regular else []),
        _group("exceptions alone", exceptions, margins),
    )


def _groups(
    pairs: Sequence[ReleasePair], label: Callable[[ReleasePair], str], margins: Sequence[Mapping[str, Margin]]
) -> tuple[Group, ...]:
    """One group a label, in the order in which the labels first come."""
    members: dict[str, list[ReleasePair]] = defaultdict(list)
    for pair in pairs:
        members[label(pair)].append(pair)
    return tuple(_group(name, held, margins) for name, held in members.items())


def _group(label: str, pairs: Sequence[ReleasePair], margins: Sequence[Mapping[str, Margin]]) -> Group:
    results = []
    for by_pair in margins:
        scored = [by_pair[pair.id] for pair in pairs if pair.id in by_pair]
        results.append(
            Measured(
                by_sum=accuracy(margin.by_sum for margin in scored),
                by_mean=accuracy(margin.by_mean for margin in scored),
            )
        )
    return Group(label=label, n_pairs=len(pairs), results=tuple(results))


def _judged(
    pairs: Sequence[ReleasePair],
    margins: Sequence[Mapping[str, Margin]],
    counts: Callable[[Margin], bool],
    width: Callable[[Margin], float],
) -> list[JudgedPair]:
    """The pairs that count for any model: those that count for most models first, then by the widest margin."""
    ranked = []
    for position, pair in enumerate(pairs):
        given = tuple(by_pair.get(pair.id) for by_pair in margins)
        widths = [width(margin) for margin in given if margin is not None and counts(margin)]
        if widths:
            ranked.append((-len(widths), -max(widths), position, JudgedPair(pair=pair, margins=given)))
    return [judged for *_, judged in sorted(ranked, key=lambda entry: entry[:3])]
