"""The numbers of a report on one release: what models know, how sure that is, and what would make it doubtful."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pairwright.records import Record
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import Release
from pairwright.report.analysis.comparisons import (
    Comparison,
    FamilyComparison,
    Power,
    compare_families,
    compare_models,
    power,
)
from pairwright.report.analysis.confounds import Confound, confounds
from pairwright.report.analysis.groups import (
    Group,
    GroupKind,
    Macro,
    clusters_of,
    macro,
    make_groups,
    of_kind,
    one_pair_groups,
    rule_labels,
)
from pairwright.report.analysis.human import Human, align
from pairwright.report.analysis.pairs import JudgedPair, Returned, pair_lists
from pairwright.report.data.evaluations import Evaluation, Fault, Scored, named, read_evaluations
from pairwright.report.data.model_family import Lineage
from pairwright.report.data.score_differences import Measure
from pairwright.report.external.judgements import Judgement
from pairwright.report.external.results import Outside, PairResults, TaskResult, put_beside
from pairwright.report.external.segmentation import Morphology, Tokenizer, morphology
from pairwright.stats.bootstrap import SEED
from pairwright.stats.difficulty import Difficulty, fit_difficulty


class Agreement(Record):
    """On how many pairs a model is right by both measures, by one of them alone, and by neither."""

    both: int
    sum_only: int
    mean_only: int
    neither: int


class ModelSummary(Record):
    """One model on the whole release. `verdicts` has a letter a pair of the release, in its order, by measure: 1 right,
    0 not right, - without a score; a tie is not right."""

    label: str
    lineage: Lineage
    run: EvaluationRun
    missing: tuple[str, ...]
    unusable: tuple[str, ...]
    agreement: Agreement
    macro: dict[Measure, Macro]
    verdicts: dict[Measure, str]


class Extras(Record):
    """What a report can be given beside scores. `frequencies` are log10 of the counts of words."""

    lineages: dict[str, Lineage | dict[str, str]] = Field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    frequencies: dict[str, float] = Field(default_factory=dict)
    pair_results: tuple[PairResults, ...] = ()
    task_results: tuple[TaskResult, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()


class Summary(Record):
    """What a report shows. The models stand in the order of their accuracy by sum_logprob, best first.

    faults   what is wrong with the input; none of it is in any number
    returned pairs that go back to the reviewers
    """

    release: str
    version: str
    release_sha256: str
    pair_ids: tuple[str, ...]
    models: tuple[ModelSummary, ...]
    faults: tuple[Fault, ...]
    groups: tuple[Group, ...]
    comparisons: tuple[Comparison, ...]
    families: tuple[FamilyComparison, ...]
    power: Power | None
    difficulty: Difficulty | None
    confounds: tuple[Confound, ...]
    hardest: tuple[JudgedPair, ...]
    n_wrong: int
    flips: tuple[JudgedPair, ...]
    n_flips: int
    discriminating: tuple[JudgedPair, ...]
    returned: tuple[Returned, ...]
    human: Human | None
    outside: Outside | None
    morphology: tuple[Morphology, ...]

    def of_kind(self, kind: GroupKind) -> tuple[Group, ...]:
        """The groups of one kind."""
        return of_kind(self.groups, kind)

    @property
    def overall(self) -> Group:
        return self.groups[0]

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that any model has."""
        names: tuple[Measure, ...] = ("sum", "mean", "slor")
        return tuple(name for name in names if any(name in result for result in self.overall.results))


def summarise(
    release: Release,
    evaluations: Iterable[Evaluation],
    extras: Extras | None = None,
    tokenizers: Mapping[str, Tokenizer] | None = None,
) -> Summary:
    """The numbers of a report on a release, from the scores and the run record of each model, one after the other.

    tokenizers  by the slug of a model, what cuts a word into pieces; for the words of `extras`

    A pair counts for a model where both of its sentences have a finite score. What can't be used is in `faults`.
    Raises ModelError where no model is given or one twice, ReleaseError where no evaluation is of this release.
    """
    given = extras or Extras()
    models, faults = read_evaluations(release, evaluations, given.lineages)
    pairs, clusters = release.pairs, clusters_of(release.pairs)
    groups = make_groups(pairs, models, clusters)
    comparisons = compare_models(models, clusters)
    lists = pair_lists(pairs, models)
    return Summary(
        release=release.name,
        version=release.version,
        release_sha256=release.sha256,
        pair_ids=tuple(pair.id for pair in pairs),
        models=tuple(_model_summary(model, clusters.rules) for model in models),
        faults=(*faults, *_one_pair_faults(groups)),
        groups=groups,
        comparisons=comparisons,
        families=compare_families(models, clusters),
        power=power(comparisons, len(pairs)),
        difficulty=_difficulty(release, models),
        confounds=confounds(pairs, models, clusters, given.frequencies),
        hardest=lists.hardest,
        n_wrong=lists.n_wrong,
        flips=lists.flips,
        n_flips=lists.n_flips,
        discriminating=lists.discriminating,
        returned=lists.returned,
        human=align(pairs, models, given.judgements),
        outside=put_beside(models, pairs, given.pair_results, given.task_results),
        morphology=morphology(
            given.words,
            {model.label: cut for model in models if (cut := (tokenizers or {}).get(model.run.model.slug))},
        ),
    )


def _model_summary(model: Scored, rules: NDArray[np.intp]) -> ModelSummary:
    known = model.known("sum")
    by_sum, by_mean = model.right("sum")[known], model.right("mean")[known]
    averages = {measure: macro(model, measure, rules) for measure in model.margins}
    return ModelSummary(
        label=model.label,
        lineage=model.lineage,
        run=model.run,
        missing=model.missing,
        unusable=model.unusable,
        agreement=Agreement(
            both=int((by_sum & by_mean).sum()),
            sum_only=int((by_sum & ~by_mean).sum()),
            mean_only=int((by_mean & ~by_sum).sum()),
            neither=int((~by_sum & ~by_mean).sum()),
        ),
        macro={measure: average for measure, average in averages.items() if average is not None},
        verdicts={measure: _letters(model, measure) for measure in model.margins},
    )


def _letters(model: Scored, measure: Measure) -> str:
    letters = np.where(model.known(measure), np.where(model.right(measure), "1", "0"), "-")
    return "".join(letters.tolist())


def _one_pair_faults(groups: Sequence[Group]) -> list[Fault]:
    single = one_pair_groups(of_kind(groups, "rule"))
    if not single:
        return []
    return [
        Fault(
            kind="one-pair",
            subject="rules",
            message=f"{len(single)} of {len(of_kind(groups, 'rule'))} rules have a single pair, which shows nothing of "
            f"the rule; the mean over rules is given with and without them: {named(single)}",
        )
    ]


def _difficulty(release: Release, models: Sequence[Scored]) -> Difficulty | None:
    known = np.all([model.known("sum") for model in models], axis=0)
    if not known.any():
        return None
    right = np.stack([model.right("sum")[known] for model in models])
    rules = [label for label, kept in zip(rule_labels(release.pairs), known, strict=True) if kept]
    return fit_difficulty(right, [model.label for model in models], rules, seed=SEED)
