"""What a report is made of: models with their families, their scores on a release, and their answers to its items.

What can't be used is named, never silently dropped.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pairwright.core.errors import ModelError, ReleaseError, StoreError, counted
from pairwright.core.ids import file_sha256
from pairwright.core.records import Record
from pairwright.core.records.evaluation import EvaluationRun, ModelInfo
from pairwright.core.records.items import Item, Response, TaskName, TaskRun
from pairwright.core.records.release import Release, ReleasePair
from pairwright.core.store import read_jsonl, read_record
from pairwright.core.text import nfc
from pairwright.languages.locale import Words, load_words
from pairwright.models.load.settings import ModelSettings
from pairwright.stats.bootstrap import Floats

Measure = Literal["sum_logprob", "mean_nll", "slor"]
ModelVariant = Literal["base", "instruct"]
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

GOOD, BAD = 0, 1
RUN, RESPONSES = "tasks.json", "responses.jsonl"
_SIDES = ("good", "bad")
_TASKS = get_args(TaskName)
# Settings whose value may be empty or contain spaces.
_TEXT_SETTINGS = ("prefix", "chat")
_SIZE = re.compile(r"(?P<size>\d+(?:\.\d+)?[bmk])(?:-a\d+(?:\.\d+)?b)?", re.IGNORECASE)
_TUNED = frozenset({"instruct", "it", "chat", "sft", "dpo", "rlhf", "assistant"})
_NO_NAME = frozenset({"base", "pt", "pretrained", "hf", "gguf"})
_FORMAT = re.compile(r"(q\d.*|k|m|s|f16|bf16|fp16|float32|v\d+(\.\d+)*)", re.IGNORECASE)
_UNITS = ((1e9, "B"), (1e6, "M"), (1e3, "k"))

# Families, sizes and variants of models


class Lineage(Record):
    """The family, size and variant of a model.

    size     as people write it, such as 1.7B; base and tuned models of one size are matched by it
    variant  whether it was tuned to follow instructions
    """

    family: str
    size: str
    variant: ModelVariant


def from_name(name: str, n_parameters: int) -> Lineage:
    """Reads family, size and variant from a model's name: `Qwen/Qwen3-0.6B-Base` is Qwen3, 0.6B, base.

    Where the name has no size, it is the number of parameters, rounded. What stands in brackets at the end is left out.
    """
    bare = name.rsplit("/", 1)[-1].partition(" (")[0].removesuffix(".gguf")
    size = _SIZE.search(bare)
    words = re.split(r"[-_ ]", bare[: size.start()] if size and size.start() else bare)
    kept = [w for w in words if w and w.lower() not in _TUNED | _NO_NAME and not _FORMAT.fullmatch(w)]
    return Lineage(
        family="-".join(kept) or bare,
        size=size.group(0).upper() if size else parameters(n_parameters),
        variant="instruct" if _TUNED.intersection(re.split(r"[-_. ]", bare.lower())) else "base",
    )


def parameters(count: int) -> str:
    """A number of parameters as people write it, such as 268M or 1.7B; a question mark for 0, which is unknown."""
    for unit, letter in _UNITS:
        if count >= unit:
            return f"{count / unit:.1f}{letter}" if count < 10 * unit else f"{count / unit:.0f}{letter}"
    return str(count) if count else "?"


def size_of(size: str) -> float:
    """A size such as 1.7B as a number, 0 where it can't be read."""
    number = size.upper().split("-")[0]
    unit = {letter.upper(): unit for unit, letter in _UNITS}.get(number[-1:], 1.0)
    try:
        return float(number.rstrip("KMB")) * unit
    except ValueError:
        return 0.0


def lineage(model: ModelInfo, stated_by_name: Mapping[str, Mapping[str, str]] | None = None) -> Lineage:
    """The lineage of a model: as stated under its name, its slug or the name it was requested by, else from its name.

    stated_by_name  any of `family`, `size` and `variant`
    """
    guessed = from_name(model.name, model.n_parameters)
    for key in (model.requested, model.name, model.slug):
        stated = (stated_by_name or {}).get(key)
        if stated:
            return Lineage.model_validate({**guessed.model_dump(), **stated})
    return guessed


def lineages(models: Iterable[ModelSettings]) -> dict[str, dict[str, str]]:
    """The families, sizes and variants that a models.toml states, by the names and labels of its models."""
    stated_by_name: dict[str, dict[str, str]] = {}
    for model in models:
        stated = model.model_dump(include={"family", "size", "variant"}, exclude_none=True)
        if stated:
            stated_by_name |= {name: stated for name in (model.name, model.label) if name}
    return stated_by_name


# Score differences: how far a model prefers the good sentence of each pair


class SentenceTokens(NamedTuple):
    """The tokens of sentences: those of the first pair's good sentence, of its bad one, and so on, one after the other.

    ends      where the tokens of each sentence end; one without kept tokens ends where the one before it does
    logprobs  in nats
    starts    where each token begins, in characters of the scored text
    """

    ends: NDArray[np.int64]
    logprobs: Floats
    starts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreDifferences:
    """A model's score differences. Arrays have an entry for each pair of the release, in its order.

    differences  by measure, above zero where the good sentence is preferred: good minus bad sum_logprob in nats, bad
                 minus good mean_nll and good minus bad slor in nats per token. NaN where the pair has no usable score;
                 without slor where no pair has it
    n_tokens     the scored tokens of the good and of the bad sentence, 0 where there is no usable score
    unigram      the difference of the unigram log-probabilities in nats, NaN where there is none
    missing      the ids of pairs that lack a score; `unusable` of those with one that is not finite
    tokens       None where no sentence has them
    """

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


def pair_columns(pairs: Sequence[ReleasePair]) -> dict[str, Any]:
    """Ids and sentences of the pairs of a release as pyarrow arrays, which every model's table is checked against."""
    import pyarrow as pa

    names = ("id", "sentence_good", "sentence_bad")
    return {name: pa.array([getattr(pair, name) for pair in pairs], pa.string()) for name in names}


def score_differences(columns: Mapping[str, Any], table: Any) -> ScoreDifferences:
    """The score differences of a model from a pyarrow table of its scores, one row a sentence.

    columns  of the release, as `pair_columns` gives them
    table  with the columns pair_id, side, sentence, n_tokens, sum_logprob, unigram_sum_logprob, token_logprobs and
           token_starts of `Score`

    Raises ReleaseError, worded to follow a model's name, for scores of other pairs or sentences and for double ones.
    """
    place, side = _places(columns, table)
    n_pairs = len(columns["id"])
    present = np.zeros((n_pairs, 2), dtype=bool)
    sums, unigrams = np.full((n_pairs, 2), np.nan), np.full((n_pairs, 2), np.nan)
    tokens = np.zeros((n_pairs, 2), dtype=np.int64)
    present[place, side] = True
    for name, values in (("sum_logprob", sums), ("unigram_sum_logprob", unigrams), ("n_tokens", tokens)):
        # NaN where there is no number.
        values[place, side] = table[name].combine_chunks().to_numpy(zero_copy_only=False)
    both: NDArray[np.bool_] = present[:, GOOD] & present[:, BAD]
    usable = both & np.isfinite(sums).all(axis=1)
    sums[~usable], unigrams[~usable], tokens[~usable] = np.nan, np.nan, 0
    per_token = np.where(usable[:, None], tokens, 1)
    means, slors = sums / per_token, (sums - unigrams) / per_token
    differences: dict[Measure, Floats] = {
        "sum_logprob": sums[:, GOOD] - sums[:, BAD],
        "mean_nll": means[:, GOOD] - means[:, BAD],
    }
    if np.isfinite(slors).all(axis=1).any():
        differences["slor"] = slors[:, GOOD] - slors[:, BAD]
    missing, unusable = (tuple(columns["id"].filter(chosen).to_pylist()) for chosen in (~both, both & ~usable))
    shown = _tokens(table, 2 * place + side, 2 * n_pairs)
    return ScoreDifferences(differences, tokens, unigrams[:, GOOD] - unigrams[:, BAD], missing, unusable, shown)


def _places(columns: Mapping[str, Any], table: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row of a table the place of its pair in the release, and its side."""
    import pyarrow.compute as pc

    ids, sentences = table["pair_id"].combine_chunks(), table["sentence"].combine_chunks()
    rows = pc.index_in(ids, value_set=columns["id"])
    if rows.null_count:
        other = ids.filter(pc.is_null(rows))[0].as_py()
        raise ReleaseError(f"scores {other}, which is not in the release; score the release again")
    is_good = pc.equal(table["side"].combine_chunks(), "good")
    expected = pc.if_else(is_good, columns["sentence_good"].take(rows), columns["sentence_bad"].take(rows))
    place = rows.to_numpy(zero_copy_only=False).astype(np.int64)
    side = np.where(is_good.to_numpy(zero_copy_only=False), GOOD, BAD)
    for row in np.flatnonzero(~pc.equal(sentences, expected).to_numpy(zero_copy_only=False)):
        if nfc(sentences[row].as_py()) != nfc(expected[row].as_py()):
            raise ReleaseError(
                f"scored another {_SIDES[side[row]]} sentence of {ids[row].as_py()} than the release has; "
                "score the release again"
            )
    double = np.flatnonzero(np.bincount(2 * place + side, minlength=1) > 1)
    if len(double):
        pair, which = divmod(int(double[0]), 2)
        raise ReleaseError(f"scores the {_SIDES[which]} sentence of {columns['id'][pair].as_py()} twice; score again")
    return place, side


def _tokens(table: Any, places: NDArray[np.int64], n_sentences: int) -> SentenceTokens | None:
    """The tokens of a table whose rows have these places among all sentences."""
    import pyarrow.compute as pc

    columns = [table[name].combine_chunks() for name in ("token_logprobs", "token_starts")]
    lengths, others = (pc.fill_null(pc.list_value_length(it), 0).to_numpy(zero_copy_only=False) for it in columns)
    kept = lengths == others
    if not lengths[kept].any():
        return None
    counts = np.zeros(n_sentences, dtype=np.int64)
    counts[places] = np.where(kept, lengths, 0)
    order = np.argsort(places)
    values = []
    for column, own in zip(columns, (lengths, others), strict=True):
        numbers, ends = column.flatten().to_numpy(zero_copy_only=False), np.cumsum(own)
        values.append(np.concatenate([numbers[ends[row] - own[row] : ends[row]] for row in order if kept[row]]))
    return SentenceTokens(np.cumsum(counts), *values)


# Evaluations of a release


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
        return f"was scored on {_other_release(run, release, 'on')}; score this release with it"
    if run.n_pairs != len(release.pairs):
        return f"was scored on {run.n_pairs}, not on {counted(len(release.pairs), 'pair')}; score this release with it"
    try:
        return score_differences(columns, table)
    except ReleaseError as fault:
        return str(fault)


def _other_release(run: EvaluationRun | TaskRun, release: Release, word: str) -> str:
    other, own = run.release_sha256[:12], release.sha256[:12]
    return f"{run.release} ({other}), not {word} {release.name} {release.version} ({own})"


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


# Answers to the items of a release


class TaskAnswers(NamedTuple):
    """How a model was asked, and its responses."""

    run: TaskRun
    responses: tuple[Response, ...]


class AskedTasks(NamedTuple):
    """The items of a release by id, and the answers of each model that was asked."""

    items: Mapping[str, Item]
    answers: Sequence[TaskAnswers]


class AnsweredItem(NamedTuple):
    """An item with a model's response to it."""

    item: Item
    response: Response


class AskedModel(NamedTuple):
    """A model with its label in the report and all its responses to items of the release, answered or not.

    rows  by task, in the order in which they are documented, and by condition
    """

    label: str
    run: TaskRun
    rows: tuple[AnsweredItem, ...]


def read_responses(folder: Path) -> TaskAnswers:
    """What a model answered, from the `tasks` folder of its evaluation.

    Raises StoreError where a file is missing, not as it was written, or not what its run recorded.
    """
    path = folder / RUN
    run = read_record(path, TaskRun, "the record of a run of tasks", "ask the model again")
    responses = folder / RESPONSES
    if file_sha256(responses, StoreError) != run.responses_sha256:
        raise StoreError(f"{responses}: changed since {run.model} was asked; ask the model again")
    return TaskAnswers(run, tuple(read_jsonl(responses, Response)))


def check_answers(release: Release, tasks: AskedTasks) -> tuple[list[AskedModel], list[ReportFault]]:
    """The models that were asked, by label, and what is wrong with their answers.

    Answers to another release are left out, and responses to items that the release lacks; both are named.
    """
    models: list[AskedModel] = []
    faults: list[ReportFault] = []
    labels = _labels_of_task_runs([answers.run for answers in tasks.answers])
    for label, answers in zip(labels, tasks.answers, strict=True):
        run, responses = answers
        if run.release_sha256 != release.sha256:
            reason = f"was asked about {_other_release(run, release, 'about')}; ask it about this release"
            faults.append(ReportFault(kind="other-release", subject=label, values={"reason": reason}))
            continue
        rows = tuple(
            sorted(
                (AnsweredItem(tasks.items[it.item_id], it) for it in responses if it.item_id in tasks.items),
                key=lambda row: (_TASKS.index(row.item.task), row.item.condition),
            )
        )
        models.append(AskedModel(label, run, rows))
        if unknown := tuple(dict.fromkeys(it.item_id for it in responses if it.item_id not in tasks.items)):
            values: dict[str, Any] = {"n": len(unknown), "labels": unknown}
            faults.append(ReportFault(kind="other-items", subject=label, values=values))
        if failed := [row for row in rows if row.response.outcome == "failed"]:
            values = {"n": len(failed), "of": len(rows), "labels": tuple(row.item.id for row in failed)}
            values["reason"] = failed[0].response.reason
            faults.append(ReportFault(kind="not-answered", subject=label, values=values))
    return sorted(models, key=lambda model: model.label.lower()), faults


def _labels_of_task_runs(runs: Sequence[TaskRun]) -> list[str]:
    """A label a run: the model's name, with what the user asked for where two share the name, and then a number."""
    names = Counter(run.model for run in runs)
    labels = [run.model if names[run.model] == 1 else f"{run.model} ({run.requested})" for run in runs]
    seen: Counter[str] = Counter()
    for index, label in enumerate(labels):
        seen[label] += 1
        labels[index] = label if seen[label] == 1 else f"{label} {seen[label]}"
    return labels
