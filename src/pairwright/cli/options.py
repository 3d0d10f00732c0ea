"""The options that commands and flows share, each declared once. Nothing heavy is imported before a command runs.

An options decorator turns what click parsed into one typed argument of the function that it decorates.
"""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from pairwright.pipeline.options import LLMOptions, ReadingOptions, SourceOptions
from pairwright.workspace import Workspace

Function = Callable[..., Any]
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _stacked(function: Function, *options: Callable[[Function], Function]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function


def workspace_option(function: Function) -> Function:
    """`--workspace DIR` as `workspace`."""
    return click.option(
        "--workspace",
        type=click.Path(file_okay=False, path_type=Path),
        default=".",
        show_default=True,
        help="Folder with sources, annotations and output.",
    )(function)


def password_option(function: Function) -> Function:
    """`--password` as `password`, which is None where neither the user nor the environment gives one."""

    @wraps(function)
    def command(*, password: str | None, **others: Any) -> object:
        return function(password=password or os.environ.get("PAIRWRIGHT_PDF_PASSWORD"), **others)

    return click.option(
        "--password",
        prompt=True,
        prompt_required=False,
        hide_input=True,
        help="Of an encrypted PDF; asked for where no text follows. PAIRWRIGHT_PDF_PASSWORD does the same.",
    )(command)


def source_argument(function: Function) -> Function:
    """SOURCE as `source`: a folder, an id or a document file."""
    return click.argument("source", type=click.Path(path_type=Path))(function)


def source_options(function: Function) -> Function:
    """SOURCE as `source`, and what a bare file can't say itself as `described`."""

    @wraps(function)
    def command(
        *, kind: str | None, language: str | None, notation: str | None, encoding: str | None, **others: Any
    ) -> object:
        return function(described=SourceOptions(kind, language, notation, encoding), **others)

    return _stacked(
        command,
        source_argument,
        click.option("--kind", help="error-list, grammar-book or treebank; by default by the file's ending."),
        click.option("--language", help="Language of the document, such as lt."),
        click.option("--notation", help="How the list marks errors; by default read off the text."),
        click.option("--encoding", help="Encoding of a text that is not UTF-8, such as cp1257."),
    )


def reading_options(function: Function) -> Function:
    """How a grammar book is read, as `reading`. The password of a document is kept for this process alone."""

    @password_option
    @wraps(function)
    def command(*, reader: Any, strict: bool, dask: str | None, password: str | None, **others: Any) -> object:
        if password is not None:
            from pairwright.ingest.pdf.document import set_document_password

            set_document_password(password)
        return function(reading=ReadingOptions(reader, strict, dask), **others)

    return _stacked(
        command,
        click.option("--reader", type=click.Choice(["text", "ocr"]), help="For all pages; else chosen page by page."),
        click.option("--strict", is_flag=True, help="Stop at the first page that can't be read."),
        click.option("--dask", metavar="ADDRESS", help="Read pages on the Dask cluster of this scheduler."),
    )


def llm_options(function: Function) -> Function:
    """Which language model helps, and what it may cost, as `llm`."""

    @wraps(function)
    def command(
        *,
        llm: Any,
        offline: bool,
        estimate: bool,
        batch: bool,
        max_money: float | None,
        max_tokens: int | None,
        **others: Any,
    ) -> object:
        return function(llm=LLMOptions(llm, offline, estimate, batch, max_money, max_tokens), **others)

    return _stacked(
        command,
        click.option(
            "--llm",
            type=click.Choice(["none", "local", "server"]),
            help="Who helps to find rules and to write pairs; by default as the source was last built, else none.",
        ),
        click.option("--offline", is_flag=True, help="Only use answers that are in the cache."),
        click.option("--estimate", is_flag=True, help="Say what the next stage would cost, and ask nothing."),
        click.option("--batch", is_flag=True, help="Ask by the server's batch API, at half the price."),
        click.option("--max-money", type=click.FloatRange(min=0), help="The most money that this run may spend."),
        click.option("--max-tokens", type=click.IntRange(min=0), help="The most tokens that this run may spend."),
    )


def recheck_option(function: Function) -> Function:
    """`--recheck TABLE` as `recheck`."""
    return click.option(
        "--recheck",
        metavar="TABLE",
        type=FILE,
        help="A table with pair_id and reason: put these pairs before their reviewers a second time.",
    )(function)


def release_options(function: Function) -> Function:
    """What a release is called and what is in it."""
    return _stacked(
        function,
        click.option("--name", required=True, help="Name of the release, such as lt-cases."),
        click.option("--version", required=True, help="Version of the release, such as 1.0.0."),
        click.option("--source", "source_ids", multiple=True, help="Id of a source to release; may be repeated."),
        click.option("--because", metavar="TEXT", help="Why the version makes a larger step than the change asks for."),
        click.option("--date", metavar="YYYY-MM-DD", help="Day of the release, for its citation; else none is named."),
        click.option("--evaluate", "score", is_flag=True, help="Score the release with the models, too."),
        click.option(
            "--model", "models", multiple=True, default=("embedded",), show_default=True, help="Model of --evaluate."
        ),
    )


def model_options(function: Function) -> Function:
    """The models to score as `models`, from names and from models.toml files; those of the files alone as `listed`."""

    @wraps(function)
    def command(*, names: tuple[str, ...], lists: tuple[Path, ...], **others: Any) -> object:
        from pairwright.lm.settings import ModelSettings, read_models

        listed = [model for path in lists for model in read_models(path)]
        named = names or (() if listed else ("embedded",))
        models = [*(ModelSettings(name=name) for name in named), *listed]
        return function(models=models, listed=tuple(listed), **others)

    return _stacked(
        command,
        click.option("--model", "names", multiple=True, help="Model to score; embedded where none is given."),
        click.option("--models", "lists", multiple=True, type=FILE, help="A models.toml with many."),
    )


def report_options(function: Function) -> Function:
    """What is set beside the scores in a report, as `inputs`. Needs `model_options` and `workspace_option`."""

    @wraps(function)
    def command(
        *,
        workspace: Path,
        models: list[Any],
        listed: tuple[Any, ...],
        report_only: bool,
        judgements: Path | None,
        frequencies: Path | None,
        segmentation: Path | None,
        lm_eval: tuple[str, ...],
        euroeval: tuple[Path, ...],
        minicons: tuple[str, ...],
        **others: Any,
    ) -> object:
        from pairwright.lm.settings import read_models
        from pairwright.report.analysis.inputs import ReportFiles

        models_file = Workspace(workspace).models_file
        inputs = ReportFiles(
            models=listed or (read_models(models_file) if models_file.exists() else ()),
            judgements=judgements,
            frequencies=frequencies,
            segmentation=segmentation,
            lm_eval=lm_eval,
            euroeval=euroeval,
            minicons=minicons,
        )
        return function(workspace=workspace, models=[] if report_only else models, inputs=inputs, **others)

    return _stacked(
        command,
        click.option("--report-only", is_flag=True, help="Score nothing; write the report of what was scored before."),
        click.option("--judgements", type=FILE, help="Ratings or choices of people: CSV or JSONL."),
        click.option("--frequencies", type=FILE, help="Words and their counts, for the confounds."),
        click.option(
            "--segmentation", type=FILE, help="Words cut into morphemes, against which tokenizers are measured."
        ),
        click.option(
            "--lm-eval", multiple=True, metavar="[MODEL=]PATH", help="Samples of lm-evaluation-harness to set beside."
        ),
        click.option("--euroeval", multiple=True, type=FILE, help="EuroEval's results to set beside."),
        click.option("--minicons", multiple=True, metavar="MODEL=PATH", help="A CSV of minicons's scores to compare."),
    )
