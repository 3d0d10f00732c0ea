"""The numbers of a report on one release: accuracies, how sure they are, and what else could explain them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pandas import DataFrame
from pydantic import Field, InstanceOf, PlainSerializer, PlainValidator, TypeAdapter

from pairwright.core.records import Record
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.items import TaskRun
from pairwright.core.records.release import Release
from pairwright.reporting.analysis.comparisons import (
    compare_conditions,
    compare_models,
    compare_people,
    compare_tools,
    confounds,
    pair_results,
    power,
)
from pairwright.reporting.analysis.groups import Row, clusters_of, group_accuracies, rows_of, rule_means
from pairwright.reporting.analysis.inputs import ReportInputs
from pairwright.reporting.analysis.tasks import task_results
from pairwright.reporting.data import (
    AskedModel,
    AskedTasks,
    Evaluation,
    Measure,
    ReportFault,
    ScoredModel,
    check_answers,
    conditioning_settings,
    read_evaluations,
)

_COLUMNS = TypeAdapter(dict[str, list[Any]])
Frame = Annotated[
    DataFrame,
    PlainValidator(lambda it: it if isinstance(it, DataFrame) else DataFrame(_COLUMNS.validate_python(it))),
    PlainSerializer(lambda frame: frame.astype(object).where(frame.notna(), None).to_dict("list")),
]


class Summary(Record):
    """What a report shows. Models of one conditioning stand together, the most accurate by sum_logprob first.

    runs       by label, those that were scored on pairs; models that were only asked questions are in `task_runs`, and
               where there are no others, only frames of tasks and the ids of the pairs are there
    faults     problems of the input; nothing of them is in any number
    verdicts   by model and measure, a letter for each pair of the release: 1 right, 0 not right (a tie is not), -
               without a score
    frames     tidy tables of numbers by name, as the functions of `reporting.analysis` describe them; those that are
               empty are left out
    scored     the score differences behind all this, and `asked` the responses; empty where it was read from a file
    """

    release: str
    version: str
    release_sha256: str
    faults: tuple[ReportFault, ...]
    runs: dict[str, EvaluationRun]
    task_runs: dict[str, TaskRun]
    verdicts: dict[str, dict[Measure, str]]
    frames: dict[str, Frame]
    scored: tuple[InstanceOf[ScoredModel], ...] = Field(default=(), exclude=True, repr=False)
    asked: tuple[InstanceOf[AskedModel], ...] = Field(default=(), exclude=True, repr=False)

    def __getitem__(self, name: str) -> DataFrame:
        """A frame by its name, empty where there is nothing of the kind."""
        return self.frames.get(name, DataFrame())

    def rows(self, name: str, **values: object) -> list[Row]:
        """The rows of a frame whose columns have these values; what is missing is None."""
        frame = self[name]
        for column, value in values.items():
            if column not in frame:
                return []
            frame = frame[frame[column] == value]
        return rows_of(frame)

    def accuracies(
        self, measure: Measure = "sum_logprob", kind: str = "overall", group: str = "all pairs"
    ) -> dict[str, Row]:
        """The row of each model that has one, in the order of the models."""
        found = {row["model"]: row for row in self.rows("groups", kind=kind, group=group, measure=measure)}
        return {label: found[label] for label in self.runs if label in found}

    def groups(self, kind: str) -> dict[str, int]:
        """The groups of a kind with their numbers of pairs, in their order."""
        return {row["group"]: row["n_pairs"] for row in self.rows("groups", kind=kind)}

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that any model has."""
        names: tuple[Measure, ...] = ("sum_logprob", "mean_nll", "slor")
        return tuple(name for name in names if any(name in own for own in self.verdicts.values()))

    def comparable(self) -> dict[tuple[str, ...], list[str]]:
        """The models of each conditioning, by the settings in which it differs from the others."""
        parts: dict[Any, list[str]] = {}
        for label, run in self.runs.items():
            parts.setdefault(run.conditioning, []).append(label)
        runs = list(self.runs.values())
        return {conditioning_settings(self.runs[labels[0]], runs): labels for labels in parts.values()}


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
    frames = task_results(answering)
    frames |= (
        _of_models(release, models, inputs)
        if models
        else {"pairs": DataFrame({"pair_id": [it.id for it in release.pairs]})}
    )
    return Summary(
        release=release.name,
        version=release.version,
        release_sha256=release.sha256,
        faults=(*faults, *task_faults, *_faults_of(frames, "rules" if release.version else "groups")),
        runs={model.label: model.run for model in models},
        task_runs={model.label: model.run for model in answering},
        verdicts={
            model.label: {
                it: "".join(np.where(model.scored(it), np.where(model.right(it), "1", "0"), "-").tolist())
                for it in model.differences
            }
            for model in models
        },
        frames={name: frame for name, frame in frames.items() if len(frame)},
        scored=tuple(models),
        asked=tuple(answering),
    )


def _of_models(release: Release, models: Sequence[ScoredModel], inputs: ReportInputs) -> dict[str, DataFrame]:
    pairs, clusters = release.pairs, clusters_of(release.pairs)
    comparisons = compare_models(models, clusters)
    return {
        "models": DataFrame([_model(model) for model in models]),
        "groups": group_accuracies(pairs, models, clusters),
        "rule_means": rule_means(models, clusters.rules) if any(it.rule_id for it in pairs) else DataFrame(),
        "comparisons": comparisons,
        "power": power(comparisons, len(pairs)),
        "confounds": confounds(pairs, models, clusters, inputs.frequencies),
        "pairs": pair_results(pairs, models, clusters.compared),
        **compare_people(pairs, models, inputs.judgements),
        "conditions": compare_conditions(pairs, models),
        **compare_tools(models, pairs, inputs.pair_results, inputs.task_results),
    }


def _model(model: ScoredModel) -> Row:
    """A model, how many pairs it scored, and on how many it is right by both measures, by one alone, by neither."""
    scored = model.scored("sum_logprob")
    by_sum, by_mean = (model.right(measure)[scored] for measure in ("sum_logprob", "mean_nll"))
    neither, mean_only, sum_only, both = np.bincount(2 * by_sum + by_mean, minlength=4).tolist()
    agreement = {"both": both, "sum_only": sum_only, "mean_only": mean_only, "neither": neither}
    return {"model": model.label, **dict(model.lineage), "n": int(scored.sum()), **agreement}


def _faults_of(frames: Mapping[str, DataFrame], grouping: str) -> Iterator[ReportFault]:
    """Rules of a single pair, and the models that were asked other items or shots than most."""
    if "groups" in frames:
        rules = frames["groups"].query("kind == 'rule'").drop_duplicates("group")
        if single := tuple(rules["group"][rules["n_pairs"] == 1]):
            values: dict[str, Any] = {"n": len(single), "of": len(rules), "labels": single}
            yield ReportFault(kind="one-pair", subject=grouping, values=values)
    if len(headline := frames.get("task_headline", DataFrame())):
        for model, rows in headline[headline["way"] != ""].groupby("model"):
            labels = tuple(dict.fromkeys(rows["column"]))
            yield ReportFault(kind="asked-otherwise", subject=str(model), values={"labels": labels})
