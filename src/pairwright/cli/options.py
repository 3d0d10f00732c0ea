"""The options that commands and flows share, each declared once. Nothing heavy is imported before a command runs.

Options that belong together reach the decorated function as one typed argument.
"""

import os
import re
from collections.abc import Callable
from functools import partial, reduce, wraps
from pathlib import Path
from typing import Any

import click

from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import LLMOptions, ReadingOptions, SourceOptions, TaskOptions
from pairwright.plug import EXTRAS

Function = Callable[..., Any]
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]+):(?P<slashes>//)?(?P<rest>.*)", re.DOTALL)


class Place(click.Path):
    """A file or folder, as a Path. With `addresses`, as text: also `scheme://place` of fsspec, and `hf:owner/name`.

    An empty name would be the folder where the command runs, or the root of a disk.
    """

    def __init__(self, *, addresses: bool = False, **options: Any) -> None:
        super().__init__(path_type=str if addresses else Path, **options)
        self._addresses = addresses

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = os.fspath(value)
        address = _ADDRESS.fullmatch(text) if self._addresses else None
        if not text.strip():
            self.fail("empty, so it names no place; give a name", param, ctx)
        if address is None or address["scheme"] == "hf":
            try:
                return super().convert(value, param, ctx)
            except click.BadParameter as fault:
                raise ConfigError(f"{fault.message.rstrip('.')}; mend the name") from None
        scheme, rest = address["scheme"], address["rest"]
        if not address["slashes"] or not rest.strip("/ ") or (scheme in ("file", "local") and rest[0] != "/"):
            self.fail(f"{text!r} names no place; write {scheme}://, what holds it, and a path", param, ctx)
        return text


FILE = Place(exists=True, dir_okay=False)


def stacked(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """One decorator of several, the first of them outermost and first in the help."""
    return lambda function: reduce(lambda inner, option: option(inner), reversed(options), function)


def _gathered(argument: str, make: Function, *names: str) -> Callable[[Function], Function]:
    """Makes one argument of what click parsed under these names, which `make` takes in this order."""

    def decorator(function: Function) -> Function:
        @wraps(function)
        def command(**parsed: Any) -> object:
            value = make(*[parsed.pop(name) for name in names])
            return function(**{argument: value}, **parsed)

        return command

    return decorator


def _reading(reader: Any, strict: bool, dask: str | None, password: str | None) -> ReadingOptions:
    if password is not None:
        from pairwright.documents.pages.pdf import set_document_password

        set_document_password(password)
    return ReadingOptions(reader, strict, dask)


def _existing_workspace(_: click.Context, __: click.Parameter, folder: Path) -> Path:
    """A workspace that is there, as a misspelt name would look like an empty one, with settings that can be used."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such workspace; mend the name, or make it: pairwright init {folder}")
    Workspace(folder).config()
    return folder


def preferred_language(_: click.Context, __: click.Parameter, code: str | None) -> str | None:
    """The code of a language that the standard prefers, where one is given."""
    from pairwright.core.codes import preferred_code

    return code and preferred_code(code)


# --workspace DIR as `workspace`.
workspace_option = click.option(
    "--workspace",
    type=Place(),
    callback=_existing_workspace,
    default=".",
    show_default=True,
    help="Folder with sources, annotations and output.",
    # Its only language is the default of --language.
    is_eager=True,
)
# --password as `password`, which is None where neither the user nor the environment gives one.
password_option = stacked(
    click.option(
        "--password",
        prompt=True,
        prompt_required=False,
        hide_input=True,
        help="Of an encrypted PDF; asked for where no text follows. PAIRWRIGHT_PDF_PASSWORD does the same.",
    ),
    _gathered("password", lambda text: text or os.environ.get("PAIRWRIGHT_PDF_PASSWORD"), "password"),
)
# The columns of a file of pairs, as `good` and `bad`.
columns_options = stacked(
    click.option("--good", help="Column of the acceptable sentence, where it has no usual name."),
    click.option("--bad", help="Column of the unacceptable sentence, likewise."),
)


def _language(context: click.Context, parameter: click.Parameter, code: str | None, *, required: bool) -> str | None:
    """The code that was given, else that of the workspace's only language."""
    code = preferred_language(context, parameter, code)
    folder = context.params.get("workspace")
    if code is None and folder is not None and len(languages := Workspace(folder).languages()) == 1:
        (code,) = languages
    if code is None and required:
        raise click.UsageError(f"Missing option '--language': {language_choices()}", context)
    return code


def language_choices() -> str:
    """Which languages there are to choose from, for a message."""
    from pairwright.core.codes import language_name
    from pairwright.languages import resource_names

    shipped = ", ".join(f"{code} ({language_name(code)})" for code in resource_names("languages"))
    return f"{shipped}, or the ISO 639 code of any other, such as sje"


def language_option(*, required: bool = False, **attributes: Any) -> Callable[[Function], Function]:
    """--language CODE as `language`, in the code that the standard prefers; else the workspace's only language."""
    return click.option("--language", callback=partial(_language, required=required), **attributes)


def _page_range(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """The first and the last page of `17-31`, or of `17` for one page."""
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text or "")
    if text is not None and not match:
        raise click.BadParameter(f"'{text}' is no range of pages; write the first and the last, as 17-31")
    return (int(match[1]), int(match[2] or match[1])) if match else None


# SOURCE as `source`: a folder, an id or a document file.
source_argument = click.argument("source", type=Place())
encoding_option = click.option("--encoding", help="Encoding of a text that is not UTF-8, such as cp1257.")
# What a bare file can't say itself as `described`, and with SOURCE as `source`.
described_options = stacked(
    click.option("--kind", help="error-list, grammar-book or treebank; by default by the file's ending."),
    language_option(help="Language of the document, such as lt."),
    click.option("--notation", help="How the list marks errors; by default read off the text."),
    encoding_option,
    click.option("--pages", callback=_page_range, metavar="FIRST-LAST", help="Of a book, as 17-31; else all are read."),
    _gathered("described", SourceOptions, "kind", "language", "notation", "encoding", "pages"),
)
source_options = stacked(source_argument, described_options)
# How a grammar book is read, as `reading`. The password of a document is kept for this process alone.
reading_options = stacked(
    click.option("--reader", type=click.Choice(["text", "ocr"]), help="For all pages; else chosen page by page."),
    click.option("--strict", is_flag=True, help="Stop at the first page that can't be read."),
    click.option("--dask", metavar="ADDRESS", help="Read pages on the Dask cluster of this scheduler."),
    password_option,
    _gathered("reading", _reading, "reader", "strict", "dask", "password"),
)
# How a server is asked, and what it may cost.
_asking_options = stacked(
    click.option("--offline", is_flag=True, help="Only use answers that are in the cache."),
    click.option("--estimate", is_flag=True, help="Say what the stages to the end would cost, and ask nothing."),
    click.option("--batch", is_flag=True, help="Ask by the server's batch API, at half the price."),
    click.option("--max-money", type=click.FloatRange(min=0), help="The most money that this run may spend."),
    click.option("--max-tokens", type=click.IntRange(min=0), help="The most tokens that this run may spend."),
)
_ASKING = ("offline", "estimate", "batch", "max_money", "max_tokens")
# Which language model helps, and what it may cost, as `llm`.
llm_options = stacked(
    click.option(
        "--llm",
        type=click.Choice(["none", "local", "server"]),
        help="Who helps to find rules and to write pairs; by default as the source was last built, else none.",
    ),
    _asking_options,
    _gathered("llm", LLMOptions, "llm", *_ASKING),
)
# --recheck TABLE as `recheck`.
recheck_option = click.option(
    "--recheck",
    metavar="TABLE",
    type=FILE,
    help="A table with pair_id and reason: put these pairs before their reviewers a second time.",
)
# What a release is called and what is in it.
draft_options = stacked(
    click.option("--name", required=True, help="Name of the release, such as lt-cases."),
    click.option("--version", required=True, help="Version of the release, such as 1.0.0."),
    click.option("--source", "source_ids", multiple=True, help="Id of a source to release; may be repeated."),
    click.option("--because", metavar="TEXT", help="Why the version makes a larger step than the change asks for."),
    click.option("--date", metavar="YYYY-MM-DD", help="Day of the release, for its citation; else none is named."),
)
release_options = stacked(
    draft_options,
    click.option("--evaluate", "score", is_flag=True, help="Score the release with the models, too."),
    click.option(
        "--model", "models", multiple=True, default=("embedded",), show_default=True, help="Model of --evaluate."
    ),
)


def _models_and_files(function: Function) -> Function:
    """Models by name and of models.toml files as `models`, the files beside the scores as `inputs`."""

    @wraps(function)
    def command(
        *, workspace: Path, names: tuple[str, ...], lists: tuple[Path, ...], report_only: bool, **others: Any
    ) -> object:
        from pairwright.models.load.settings import ModelSettings, read_models
        from pairwright.reporting.analysis.inputs import ReportFiles

        listed = [model for path in lists for model in read_models(path)]
        models = [*(ModelSettings(name=name) for name in names or (() if listed else ("embedded",))), *listed]
        own = Workspace(workspace).models_file
        stated = listed or (read_models(own) if own.exists() else ())
        files = {name: others.pop(name) for name in ReportFiles.model_fields.keys() & others.keys()}
        extras = {it.name: file for it in EXTRAS if it.file and (file := others.pop(it.name))}
        inputs = ReportFiles(models=stated, extras=extras, **files)
        return function(workspace=workspace, models=[] if report_only else models, inputs=inputs, **others)

    return command


def _task_options(names: str | None, items: Path | None, *asking: Any) -> TaskOptions:
    return TaskOptions(
        tuple(filter(None, map(str.strip, (names or "").split(",")))), items, LLMOptions("server", *asking)
    )


# The tasks that models are asked beside, as `tasks`.
task_options = stacked(
    click.option("--tasks", "task_names", metavar="NAMES", help="Also ask these tasks, by commas; all asks each."),
    click.option(
        "--items",
        type=Place(exists=True, file_okay=False),
        help="Items of `tasks make`, in place of those in the release.",
    ),
    _asking_options,
    _gathered("tasks", _task_options, "task_names", "items", *_ASKING),
)
# --page-language CODE as `page_language`.
page_language_option = click.option(
    "--page-language", metavar="CODE", help="Language of the page, such as lt; else as set under [report], or English."
)
# The models to score as `models`, and what is set beside the scores in a report as `inputs`.
evaluation_options = stacked(
    click.option("--model", "names", multiple=True, help="Model to score; embedded where none is given."),
    click.option("--models", "lists", multiple=True, type=FILE, help="A models.toml with many."),
    click.option("--dask", metavar="ADDRESS", help="Score on the Dask cluster of this scheduler."),
    click.option("--report-only", is_flag=True, help="Score nothing; write the report of what was scored before."),
    click.option("--judgements", type=FILE, help="Ratings or choices of people: CSV or JSONL."),
    click.option("--frequencies", type=FILE, help="Words and their counts, for the confounds."),
    *(click.option(f"--{extra.name}", type=FILE, help=extra.file) for extra in EXTRAS if extra.file),
    click.option(
        "--lm-eval", multiple=True, metavar="[MODEL=]PATH", help="Samples of lm-evaluation-harness to set beside."
    ),
    click.option("--euroeval", multiple=True, type=FILE, help="EuroEval's results to set beside."),
    click.option("--minicons", multiple=True, metavar="MODEL=PATH", help="A CSV of minicons's scores to compare."),
    click.option("--spbleu", type=FILE, help="A SentencePiece model, such as FLORES-200's: spBLEU of translations."),
    click.option("--comet", type=FILE, help="A checkpoint of COMET, where it is installed: COMET of translations."),
    page_language_option,
    click.option(
        "--page-tokens",
        type=click.IntRange(min=0),
        help="The most tokens that the page shows; else 5000000.",
    ),
    _models_and_files,
)
