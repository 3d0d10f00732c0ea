"""The commands that run the steps of the pipeline, made for any function that runs the step: here, or as a flow.

A flow passes itself, and gets the same options and the same help as the command of `pairwright`.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from pairwright.cli.options import (
    evaluation_options,
    llm_options,
    reading_options,
    recheck_option,
    release_options,
    source_argument,
    source_options,
    stacked,
    task_options,
    workspace_option,
)
from pairwright.cli.terminal import terminal_context

Step = Callable[..., Any]

INGEST = """Read a source: its documents become blocks, each with its place.

SOURCE is a source folder, the id of one under sources/, or a document file. Grammar books are read page by page, by
several processes; a run that was stopped goes on where it stopped.
"""
GENERATE = """Propose pairs from an ingested source: blocks to rules, rules to pairs, pairs through the checks.

Without a language model, rules and pairs come from the source's own examples. With one, rules are also found in a
grammar book's prose and tables, pairs are written for every rule that licenses them, and a judge looks at those.
"""
BUILD = """Build a source from its document to the reviewers' sheets: ingest, generate, review.

SOURCE is a source folder, the id of one under sources/, or a document file. A stage whose inputs and settings have not
changed is not run again.
"""
REVIEW = """Take over what reviewers decided and top up their sheets.

Reads the sheets under annotations/ that ask about pairs of SOURCE into the logs of decisions, turns corrections into
new pairs, and adds pairs that nobody was asked about yet to the sheets of annotations/SOURCE. A row that can't be
placed for certain is named and kept in quarantine; the others are taken over. --recheck puts pairs before their
reviewers a second time, such as those of a report's tables/back-to-review.csv.
"""
RELEASE = """Freeze the decided pairs as a release.

Without --source, all sources of the workspace that are built and have reviewers' sheets are in it.
"""
EVALUATE = """Score a release with language models, ask them its tasks, and write the report.

RELEASE is the folder of a release or its name under output/releases. A model is `embedded` (Gemma 3 270M, which needs
no network), a folder with safetensors, a GGUF file, a hub id, or the address of a server. Pairs are scored by
log-probabilities, which a server has to give of a prompt. With --tasks, a server is asked as a chat model; of any other
model the log-probabilities of the options are compared. A models.toml lists many models, each with its own settings.
The report takes in all models that were evaluated on the release so far, and what --judgements and the options after
it name.
"""


def ingest_command(step: Step) -> click.Command:
    """`ingest SOURCE`; runs step(workspace, source=, described=, reading=)."""
    return _command("ingest", INGEST, step, source_options, reading_options)


def generate_command(step: Step) -> click.Command:
    """`generate SOURCE`; runs step(workspace, source=, llm=)."""
    return _command("generate", GENERATE, step, source_argument, llm_options)


def build_command(step: Step) -> click.Command:
    """`build SOURCE`; runs step(workspace, source=, described=, reading=, llm=)."""
    return _command("build", BUILD, step, source_options, reading_options, llm_options)


def review_command(step: Step) -> click.Command:
    """`sync SOURCE`; runs step(workspace, source=, recheck=)."""
    return _command("sync", REVIEW, step, source_argument, recheck_option)


def release_command(step: Step, evaluate: Step) -> click.Command:
    """`create --name NAME --version VERSION`; runs step(workspace, name=, version=, source_ids=, because=, date=).

    With --evaluate, runs evaluate(workspace, release=, models=, inputs=) on what the step returns.
    """

    def create(workspace: Path, *, score: bool, models: tuple[str, ...], **options: Any) -> None:
        result = step(workspace, **options)
        if score:
            from pairwright.models.load.settings import ModelSettings
            from pairwright.reporting.analysis.inputs import ReportFiles

            named = [ModelSettings(name=name) for name in models]
            evaluate(workspace, release=result.path.name, models=named, inputs=ReportFiles())

    return _command("create", RELEASE, create, release_options)


def evaluate_command(step: Step) -> click.Command:
    """`evaluate RELEASE`; runs step(workspace, release=, models=, inputs=, tasks=, dask=)."""
    return _command("evaluate", EVALUATE, step, click.argument("release"), evaluation_options, task_options)


def _command(name: str, text: str, step: Step, *options: Callable[[Step], Step]) -> click.Command:
    def run(*, workspace: Path, **typed: Any) -> None:
        step(workspace, **typed)

    return click.command(name, help=text)(stacked(*options, workspace_option)(run))


def _here(module: str, name: str) -> Step:
    """A step of the pipeline, imported when it runs, in this process, with a terminal as its reporter."""

    def step(workspace: Path, **options: Any) -> Any:
        function = getattr(import_module(f"pairwright.pipeline.{module}"), name)
        return function(terminal_context(workspace), **options)

    return step


INGEST_HERE = ingest_command(_here("ingest", "ingest"))
GENERATE_HERE = generate_command(_here("pairs", "generate"))
BUILD_HERE = build_command(_here("build", "build"))
SYNC_HERE = review_command(_here("review", "sync"))
CREATE_HERE = release_command(_here("release", "create"), _here("evaluate", "evaluate"))
EVALUATE_HERE = evaluate_command(_here("evaluate", "evaluate"))
