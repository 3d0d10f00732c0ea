"""Pairs x models: pairs scored, tasks asked, one model after the other, and the report written.

The pairs are those of a release, or of files, which are taken as a release that nobody reviewed.
"""

import glob
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pairwright.core.codes import preferred_code
from pairwright.core.errors import (
    BudgetError,
    ConfigError,
    EstimateOnly,
    LLMError,
    ModelError,
    SourceError,
    StoreError,
    UnknownModel,
    counted,
)
from pairwright.core.records.release import FrozenRelease
from pairwright.core.store import whole_folder, write_jsonl, write_text
from pairwright.core.tables import table_text
from pairwright.evaluate.asking.runs import FOLDER as TASKS
from pairwright.evaluate.scoring.runs.evaluation import read_table
from pairwright.evaluate.scoring.runs.workers import EvaluationOutcome
from pairwright.languages import load_language
from pairwright.languages.locale import Words, english_instead, load_words
from pairwright.models.load.settings import ModelSettings, read_models, release_memory
from pairwright.pairfiles import SUFFIXES
from pairwright.pipeline.context import Context
from pairwright.pipeline.extra import Reported
from pairwright.pipeline.models import (
    LIKE,
    READ,
    ScoringJob,
    ask_tasks,
    read_tasks,
    score_by_workers,
    score_model,
    scored_like,
)
from pairwright.pipeline.options import EvaluationOptions, PairOptions, TaskOptions
from pairwright.pipeline.release import find_release
from pairwright.release.verify import INFO, MANIFEST, PAIRS, verified, with_pairs
from pairwright.reporting.analysis.inputs import read_inputs
from pairwright.reporting.data import AskedTasks, ReportFault, read_responses
from pairwright.tasks.instances import Material
from pairwright.tasks.make import ItemSettings, make_items, read_items, write_items

if TYPE_CHECKING:
    from pairwright.reporting.analysis.summary import Summary

# Beside the report on files: the accuracy of each model on each group.
ACCURACIES, REJECTED = "accuracy.csv", "pairs.rejected.jsonl"
MOST_NAMED = 5
T = TypeVar("T")


def evaluate(
    context: Context,
    pairs: tuple[str, ...] | str,
    described: PairOptions = PairOptions(),
    given: EvaluationOptions = EvaluationOptions(),
    tasks: TaskOptions = TaskOptions(),
) -> Path:
    """Score a release or files of pairs, and write a report.

    PAIRS is a release (its folder, or its name with its version, such as lt-cases-1.0.0), or files of minimal pairs
    (CSV, TSV, JSONL, JSON, Parquet), folders of them or patterns such as "blimp/*.jsonl". A model is `embedded`
    (Gemma 3 270M, which needs no network), a folder with safetensors, a GGUF file, a hub id, or the address of a
    server that returns log-probabilities for a prompt. A models.toml lists several models with their settings. With
    --tasks, a server is asked as a chat model; for other models, the log-probabilities of the options are compared.
    Run the command again to add models: it scores only new ones, and the report has all of them.
    """
    places = [pairs] if isinstance(pairs, str) else list(pairs)
    context, frozen, groups = _opened(context, places, described, tasks)
    models, stated = _models(context, given)
    files = _extra_files(context, given)
    # What is wrong with a language's file is said before the work.
    language = given.page_language or context.workspace.config().report.language
    words = load_words("report", language, context.workspace.root)
    for line in english_instead(language, words):
        context.say("page", line)
    items = read_tasks(frozen, tasks) if tasks.names else {}
    jobs = _jobs(context, frozen, models, files, given.like)
    outcomes = score_by_workers(jobs) if context.executor.spreads and not tasks.estimate else {}
    failed, unknown = list[ReportFault](), list[str]()
    for number, job in enumerate(jobs):
        # The memory of the model before this one is needed now, and perhaps by other processes.
        release_memory()
        try:
            if not tasks.estimate:
                _score(job, outcomes.get(number), is_asked=bool(items))
            if items:
                release_memory()
                context.call("ask model", ask_tasks, context, frozen, job.model, items, tasks)
        except (ModelError, StoreError, LLMError, BudgetError) as fault:
            reason = str(fault) if Path(job.name).name in str(fault) else f"{job.name}: {fault}"
            context.say("failed", reason)
            if isinstance(fault, UnknownModel):
                unknown.append(job.name)
                continue
            failed.append(ReportFault(kind="not-scored", subject=job.name, values={"reason": reason}))
    if tasks.estimate:
        raise EstimateOnly("nothing was asked; run without --estimate to go on")
    unscored, name = [*(item.subject for item in failed), *unknown], frozen.path.name
    lost = f"{len(unscored)} of {counted(len(jobs), 'model')} could not be scored: {', '.join(unscored)}"
    if unscored and not context.workspace.finished_evaluations(name) and not context.workspace.finished_tasks(name):
        raise ModelError(lost)
    columns = [name for name in groups or () if name != "condition"]
    path, summary = context.call(
        "write report", _write, context, frozen, given, stated, files, failed, tasks.items, words
    )
    _say_report(context, frozen, path, summary, columns[-1] if columns else "", given.like)
    _write_accuracies(path.parents[1] / ACCURACIES, frozen, summary, groups)
    if unscored:
        raise ModelError(lost)
    return path


def _opened(
    context: Context, places: Sequence[str], described: PairOptions, tasks: TaskOptions
) -> tuple[Context, FrozenRelease, Mapping[str, Sequence[str]] | None]:
    """The release that is named, or the pairs of files as one, with the columns that group them."""
    if len(places) > 1 or _names_files(places[0]):
        return _unreleased(context, places, described, tasks)
    if described != PairOptions():
        raise ConfigError(f"{places[0]}: a release says how its pairs are read; leave out the options of files")
    return context, verified(find_release(context.workspace, places[0])), None


def _jobs(
    context: Context,
    frozen: FrozenRelease,
    models: Sequence[ModelSettings],
    files: Mapping[str, Path],
    like: str | None,
) -> list[ScoringJob]:
    settings = context.workspace.config().score
    if like:
        settings = settings.model_copy(update=LIKE[like])
        models = [scored_like(model, like) for model in models]
    return [ScoringJob(context, frozen, model, settings, files) for model in models]


def _write_accuracies(
    path: Path, frozen: FrozenRelease, summary: "Summary", groups: Mapping[str, Sequence[str]] | None
) -> None:
    """The accuracy of each model on all pairs of files, and on each group of each column, as a table of CSV."""
    from pairwright.reporting.analysis.groups import RESULTS, as_result, clusters_of, group_accuracies, rows_of

    if groups is not None and summary.scored:
        pairs = with_pairs(frozen).pairs
        found = rows_of(group_accuracies(pairs, summary.scored, clusters_of(pairs), groups))
        labels = [(row["model"], row["kind"] if row["kind"] != "overall" else "", row["group"]) for row in found]
        rows = [as_result(row["measure"], row) for row in found]
        cells = [(*label, *row.values()) for label, row in zip(labels, rows, strict=True)]
        write_text(path, table_text([("model", "by", "group", *RESULTS), *cells]))


def _names_files(place: str) -> bool:
    """Whether files of pairs are meant, and not a release."""
    path = Path(place)
    if path.is_dir():
        return not (path / MANIFEST).exists() and not (path / INFO).exists()
    return path.exists() or path.suffix.lower() in SUFFIXES or glob.has_magic(place)


def _unreleased(
    context: Context, places: Sequence[str], described: PairOptions, tasks: TaskOptions
) -> tuple[Context, FrozenRelease, dict[str, list[str]]]:
    """The pairs of files as a release in the folder of their results, and the values of the columns that group them.

    Says which rows are left out, and which pairs are doubled.
    Raises SourceError where a file holds no pairs.
    """
    # Starts pandas.
    from pairwright.release.unreleased import (
        ResultFolders,
        grouping_columns,
        load_pairs,
        load_paradigms,
        repeated,
        unreleased,
    )

    language = described.language and preferred_code(described.language)
    encoding = load_language(language, context.workspace.root).legacy_encoding if language else None
    columns: dict[str, Any] = {"good": described.good, "bad": described.bad, "encoding": encoding}
    if described.conditions:
        if len(places) > 1:
            raise SourceError(f"{places[1]}: --condition goes with one file, the baseline")
        pairs = load_paradigms(places[0], _conditions(described.conditions), **columns)
    else:
        pairs = load_pairs(places, **columns, strict=described.strict)
    groups = grouping_columns(pairs, described.by, places[0])
    groups = [*groups[:1], "condition"] if described.conditions else groups
    name = (
        "pairs" if len(places) > 1 else (Path(places[0]).parent if glob.has_magic(places[0]) else Path(places[0])).stem
    )
    out, rejected = described.out or Path(f"{name or 'pairs'}-scores"), pairs.attrs["rejected"]
    context.say("pairs", f"{len(pairs):,} from {', '.join(places)}{', by ' + ', '.join(groups) if groups else ''}")
    write_jsonl(out / REJECTED, rejected)
    if rejected:
        context.say("rejected", f"{counted(len(rejected), 'row')} left out, with reasons in {out / REJECTED}")
        left_out = defaultdict[str, list[str]](list)
        for item in rejected:
            left_out[item.reason].append(f"{item.file}:{item.line}")
        for reason, own in left_out.items():
            more = f" and {len(own) - MOST_NAMED:,} more" if len(own) > MOST_NAMED else ""
            context.say("left out", f"{len(own):,}: {reason} ({', '.join(own[:MOST_NAMED])}{more})")
    if double := list(repeated(pairs)):
        named = ", ".join(f"{pair} (as {earlier})" for pair, earlier in double[:MOST_NAMED])
        context.say("repeated", f"{counted(len(double), 'pair')} with the sentences of another: {named}")
    release = unreleased(pairs, out / "pairs", name, groups, language)
    write_jsonl(release.path / PAIRS, release.pairs)
    if tasks.names and not tasks.items:
        if not language:
            raise ConfigError("--tasks: say the language of the sentences, as --language lt")
        made = make_items(Material(release.pairs, ()), ItemSettings())
        with whole_folder(release.path / TASKS) as folder:
            write_items(folder, made, ItemSettings(), name, "")
    workspace = ResultFolders(context.workspace.root, out / "scores", out / "report")
    frozen = FrozenRelease(path=release.path, sha256=release.sha256, info=release.info)
    labels = {column: pairs[column].fillna("").astype(str).replace("", "(none)").tolist() for column in groups}
    return replace(context, workspace=workspace), frozen, labels


def _conditions(given: Sequence[str]) -> dict[str, Path]:
    """The files of conditions. Raises SourceError for what is not NAME=FILE, or a name given twice."""
    named: dict[str, Path] = {}
    for text in given:
        name, _, path = text.partition("=")
        if not name or not path or name in named:
            raise SourceError(f"--condition {text}: write each once, as NAME=FILE, such as OVS=pairs-ovs.csv")
        named[name] = Path(path)
    return named


def _models(context: Context, given: EvaluationOptions) -> tuple[list[ModelSettings], list[ModelSettings]]:
    """The models to score, and those of which a list states something: without a list, the workspace's models.toml.

    Raises ConfigError for a list that can't be used.
    """
    listed = [model for path in given.lists for model in read_models(path)]
    names = given.models or (() if listed else ("embedded",))
    stated = listed
    if not listed and (own := context.workspace.models_file).exists():
        try:
            stated = [*read_models(own)]
        except ModelError as fault:
            context.say("warning", f"{fault}; what it says of models is left out of the report")
    return [] if given.report_only else [*(ModelSettings(name=name) for name in names), *listed], stated


def _extra_files(context: Context, given: EvaluationOptions) -> dict[str, Path]:
    """The files of extras, by their names. Raises ConfigError where no such extra takes one, or it is missing."""
    takers, files = {it.name: it.file for it in context.extras if it.file}, dict[str, Path]()
    for text in given.extras:
        name, _, file = text.partition("=")
        if name not in takers or not Path(file).is_file():
            known = "; ".join(f"{taker}=FILE: {what}" for taker, what in takers.items())
            raise ConfigError(f"--extra {text}: no file for an extra; those that take one: {known}")
        files[name] = Path(file)
    return files


def _score(job: ScoringJob, outcome: EvaluationOutcome | None, *, is_asked: bool) -> None:
    """Scores the pairs by one model, unless workers did or failed to. A server that `is_asked` need not be able to."""
    try:
        job.context.call("score model", score_model, job, outcome)
    except ModelError as fault:
        if not (is_asked and job.model.is_served):
            raise
        job.context.say("not scored", f"pairs: {fault}")


def _write(
    context: Context,
    frozen: FrozenRelease,
    given: EvaluationOptions,
    stated: Sequence[ModelSettings],
    files: Mapping[str, Path],
    failed: Sequence[ReportFault],
    items: Path | None,
    words: Words,
) -> "tuple[Path, Summary]":
    """Writes the report; returns the path of its page and its numbers. Raises StoreError.

    stated  models of which a list states families, sizes and variants; `failed` are those that could not be scored
    files   of extras, by their names
    items   a folder with items that models were asked beside those of the release
    """
    # Starts pandas, which steps that only look for what to do can do without.
    from pairwright.reporting.analysis.summary import summarise
    from pairwright.reporting.render.page import write_report

    release = with_pairs(frozen)
    named = {name: getattr(given, name) for name in ("judgements", "frequencies", "lm_eval", "euroeval", "minicons")}
    inputs = read_inputs(release, models=stated, **named)
    evaluations = _whole(context, context.workspace.finished_evaluations(frozen.path.name), read_table)
    summary = summarise(release, evaluations, inputs, _asked(context, frozen, items))
    summary = summary.model_copy(update={"faults": (*failed, *summary.faults)})
    reported = Reported(context, context.workspace.evaluations(frozen.path.name), summary, files, words)
    more = [section for extra in context.extras for section in extra.sections(reported)]
    directory = context.workspace.report(release.path.name)
    return write_report(directory, release, summary, words, given.page_tokens, more), summary


def _say_report(
    context: Context, frozen: FrozenRelease, path: Path, summary: "Summary", column: str, like: str | None
) -> None:
    """Says what stands in the report; `column` as in `overview`, `like` a program that counts accuracies otherwise."""
    from pairwright.reporting.render import sentences
    from pairwright.reporting.render.overview import overview

    words, release = load_words("report"), with_pairs(frozen)
    for line in overview(release, summary, column):
        context.say("", line)
    for line in sentences.asked(summary, words):
        context.say("tasks", line)
    for fault in summary.faults:
        if fault.kind != "not-scored":
            context.say("warning", fault.message)
    if release.version and (returned := {row["pair_id"] for row in summary.rows("pairs", faulty=True)}):
        context.say("review", f"missed by every model: {counted(len(returned), 'pair')}; to have them looked at again:")
        for source in sorted({pair.source_id for pair in release.pairs if pair.id in returned}):
            table = path.parent / "tables" / "back-to-review.csv"
            context.say("review", f"pairwright review sync {source} --recheck {table}")
    context.say("report", str(path))
    for label, row in summary.accuracies().items():
        if like and label.endswith(f"({like})"):
            share = (row["correct"] + row["ties"]) / row["n"]
            context.say(like, f"{label}, ties as correct: acc {share:.4f} of {counted(row['n'], 'pair')}")


def _asked(context: Context, release: FrozenRelease, items: Path | None) -> AskedTasks | None:
    """What models answered so far; None where none was asked."""
    answers = list(_whole(context, context.workspace.finished_tasks(release.path.name), read_responses))
    if not answers:
        return None
    folders = [folder for folder in (release.path / TASKS, items) if folder is not None and folder.is_dir()]
    asked = (item for folder in folders for task in READ for item in read_items(folder, task))
    return AskedTasks({item.id: item for item in asked}, answers)


def _whole(context: Context, folders: Iterable[Path], read: Callable[[Path], T]) -> Iterator[T]:
    """What folders hold, one at a time; says which of them can't be read."""
    for folder in folders:
        try:
            yield read(folder)
        except StoreError as fault:
            context.say("left out", str(fault))
