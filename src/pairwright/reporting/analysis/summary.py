"""The numbers of a report on one release: accuracies, how sure they are, and what else could explain them."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, InstanceOf

from pairwright.core.records import Record
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import Release
from pairwright.reporting.analysis.comparisons import (
    FamilyComparison,
    ModelComparison,
    Power,
    compare_families,
    compare_models,
    power,
)
from pairwright.reporting.analysis.conditions import ConditionGroup, compare_conditions
from pairwright.reporting.analysis.confounds import Confound, confounds
from pairwright.reporting.analysis.groups import (
    Group,
    GroupKind,
    MacroAccuracy,
    clusters_of,
    macro,
    make_groups,
    rule_labels,
)
from pairwright.reporting.analysis.human import HumanResults, compare_people
from pairwright.reporting.analysis.inputs import ReportInputs
from pairwright.reporting.analysis.pairs import Returned, ScoredPair, pair_lists
from pairwright.reporting.analysis.tasks.results import TaskResults, task_results
from pairwright.reporting.analysis.tasks.translation import TranslationMetrics
from pairwright.reporting.data.evaluations import (
    Evaluation,
    ReportFault,
    ScoredModel,
    conditioning_settings,
    distinct_weights,
    largest_comparable,
    read_evaluations,
)
from pairwright.reporting.data.model_family import Lineage
from pairwright.reporting.data.responses import AskedTasks, check_answers
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.external.results import ExternalResults, compare_tools
from pairwright.stats.bootstrap import SEED
from pairwright.stats.difficulty import Difficulty, fit_difficulty


class MeasureAgreement(Record):
    """On how many pairs a model is right by both measures, by one of them alone, and by neither."""

    both: int
    sum_only: int
    mean_only: int
    neither: int


class ModelSummary(Record):
    """One model on the whole release.

    verdicts  by measure, a letter for each pair of the release: 1 right, 0 not right (a tie is not), - without a score
    scored    the score differences behind all this; None in a summary that was read from a file, which lacks them
    """

    label: str
    lineage: Lineage
    run: EvaluationRun
    missing: tuple[str, ...]
    unusable: tuple[str, ...]
    agreement: MeasureAgreement
    macro: dict[Measure, MacroAccuracy]
    verdicts: dict[Measure, str]
    scored: InstanceOf[ScoredModel] | None = Field(default=None, exclude=True, repr=False)


class Summary(Record):
    """What a report shows. Models of one conditioning stand together, the most accurate by sum_logprob first.

    clusters the cluster of each pair as models are compared: its rule, or its family of sentences where rules are few
    models   those that were scored on pairs; models that were only asked questions are in `tasks` alone, and where
             there are no others, nothing but `tasks` and `faults` is filled
    faults   problems of the input; nothing of them is in any number
    returned pairs that go back to the reviewers
    """

    release: str
    version: str
    release_sha256: str
    pair_ids: tuple[str, ...]
    clusters: tuple[int, ...] = ()
    faults: tuple[ReportFault, ...]
    models: tuple[ModelSummary, ...] = ()
    groups: tuple[Group, ...] = ()
    comparisons: tuple[ModelComparison, ...] = ()
    families: tuple[FamilyComparison, ...] = ()
    power: Power | None = None
    difficulty: Difficulty | None = None
    confounds: tuple[Confound, ...] = ()
    hardest: tuple[ScoredPair, ...] = ()
    n_wrong: int = 0
    flips: tuple[ScoredPair, ...] = ()
    n_flips: int = 0
    discriminating: tuple[ScoredPair, ...] = ()
    returned: tuple[Returned, ...] = ()
    human: HumanResults | None = None
    conditions: tuple[ConditionGroup, ...] = ()
    external: ExternalResults | None = None
    tasks: TaskResults | None = None

    def of_kind(self, kind: GroupKind) -> tuple[Group, ...]:
        """The groups of one kind, in their order."""
        return tuple(group for group in self.groups if group.kind == kind)

    @property
    def overall(self) -> Group:
        return self.groups[0]

    def comparable(self) -> list[tuple[tuple[str, ...], "Summary"]]:
        """The same for the models of each conditioning alone, with the settings in which it differs from the others."""
        runs = [model.run for model in self.models]
        parts = []
        for conditioning in dict.fromkeys(run.conditioning for run in runs):
            places = [index for index, run in enumerate(runs) if run.conditioning == conditioning]
            groups = (
                group.model_copy(update={"results": tuple(group.results[place] for place in places)})
                for group in self.groups
            )
            own = {"models": tuple(self.models[place] for place in places), "groups": tuple(groups)}
            parts.append((conditioning_settings(runs[places[0]], runs), self.model_copy(update=own)))
        return parts

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that any model has."""
        names: tuple[Measure, ...] = ("sum", "mean", "slor")
        results = self.overall.results if self.groups else ()
        return tuple(name for name in names if any(name in result for result in results))


def summarise(
    release: Release,
    evaluations: Iterable[Evaluation],
    inputs: ReportInputs | None = None,
    asked: AskedTasks | None = None,
) -> Summary:
    """The numbers of a report on a release, from the scores and the run record of each model, one after the other.

    asked  what models answered to the release's items; with it, no model needs to be scored

    A pair counts for a model where both of its sentences have a finite score. What can't be used is in `faults`.
    Raises ModelError where no model is given or one twice, ReleaseError where no evaluation is of this release.
    """
    inputs = inputs or ReportInputs()
    answering, task_faults = check_answers(release, asked) if asked else ([], [])
    models, faults = read_evaluations(release, evaluations, inputs.lineages, required=not answering)
    accuracies = {model.run.model.name: model.accuracy() for model in largest_comparable(models)}
    fields: dict[str, Any] = {
        "release": release.name,
        "version": release.version,
        "release_sha256": release.sha256,
        "pair_ids": tuple(pair.id for pair in release.pairs),
        "faults": (*faults, *task_faults),
        "tasks": task_results(answering, accuracies, TranslationMetrics(inputs.spbleu, inputs.comet)),
    }
    if not models:
        return Summary(**fields)
    pairs, clusters = release.pairs, clusters_of(release.pairs)
    groups, comparisons = make_groups(pairs, models, clusters), compare_models(models, clusters)
    fields["faults"] = (*faults, *_one_pair_faults(groups), *task_faults)
    return Summary(
        **fields,
        **pair_lists(pairs, models)._asdict(),
        models=tuple(_model_summary(model, clusters.rules) for model in models),
        clusters=tuple(clusters.compared.tolist()),
        groups=groups,
        comparisons=comparisons,
        families=compare_families(models, clusters),
        power=power(comparisons, len(pairs)),
        difficulty=_difficulty(release, distinct_weights(largest_comparable(models))),
        confounds=confounds(pairs, models, clusters, inputs.frequencies),
        human=compare_people(pairs, models, inputs.judgements),
        conditions=compare_conditions(pairs, models, inputs.judgements),
        external=compare_tools(models, pairs, inputs.pair_results, inputs.task_results),
    )


def _model_summary(model: ScoredModel, rules: NDArray[np.intp]) -> ModelSummary:
    scored = model.scored("sum")
    by_sum, by_mean = model.right("sum")[scored], model.right("mean")[scored]
    neither, mean_only, sum_only, both = np.bincount(2 * by_sum + by_mean, minlength=4).tolist()
    averages = {measure: macro(model, measure, rules) for measure in model.differences}
    return ModelSummary(
        label=model.label,
        lineage=model.lineage,
        run=model.run,
        missing=model.missing,
        unusable=model.unusable,
        agreement=MeasureAgreement(both=both, sum_only=sum_only, mean_only=mean_only, neither=neither),
        macro={measure: average for measure, average in averages.items() if average is not None},
        verdicts={measure: _letters(model, measure) for measure in model.differences},
        scored=model,
    )


def _letters(model: ScoredModel, measure: Measure) -> str:
    letters = np.where(model.scored(measure), np.where(model.right(measure), "1", "0"), "-")
    return "".join(letters.tolist())


def _one_pair_faults(groups: Sequence[Group]) -> list[ReportFault]:
    rules = [group for group in groups if group.kind == "rule"]
    single = [group.label for group in rules if group.n_pairs == 1]
    values: dict[str, Any] = {"n": len(single), "of": len(rules), "labels": tuple(single)}
    return [ReportFault(kind="one-pair", subject="rules", values=values)] if single else []


def _difficulty(release: Release, models: Sequence[ScoredModel]) -> Difficulty | None:
    scored = np.all([model.scored("sum") for model in models], axis=0)
    if not scored.any():
        return None
    right = np.stack([model.right("sum")[scored] for model in models])
    rules = [label for label, kept in zip(rule_labels(release.pairs), scored, strict=True) if kept]
    return fit_difficulty(right, [model.label for model in models], rules, seed=SEED)
