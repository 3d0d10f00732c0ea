"""Commands made of functions, and how each is run: a fault is one line on standard error and exit code 2.

What is typed follows from a function's parameters, and from an `Option` beside a type. Nothing heavy is imported before
a command runs.
"""

import errno
import io
import os
import re
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import partial
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast, get_args, get_origin

import click

from pairwright.core.errors import ConfigError, EstimateOnly, PairwrightError, printable
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context, Executor


STOPPED = "stopped; what was finished is kept, and the next run goes on from there"

# What the operating system refuses and what to do about it, by the names of `errno`, which no system has all.
_REMEDIES = {
    "ENOSPC": "the disk is full: free some space and run again; what was finished is kept",
    "EDQUOT": "your share of the disk is used up: free some space and run again; what was finished is kept",
    "EFBIG": "larger than a file may be here: raise the limit (ulimit -f) or use another disk, and run again",
    "EROFS": "the disk is read-only: choose a folder that can be written",
    "EACCES": "no permission: change the rights of the file or of its folder, or close the program that holds it",
    "EPERM": "not permitted: change the rights of the file or of its folder",
    "EISDIR": "a folder, where a file is expected: move it away and run again",
    "ENOTDIR": "a file stands where a folder is expected: move it away and run again",
    "ENOTEMPTY": "a folder with files in it, where a new one is expected: move it away and run again",
    "EEXIST": "it is there already: move it away and run again",
    "ENOENT": "no such file or folder: put it there, or make it by running the step that writes it",
    "ENAMETOOLONG": "the name is too long: choose a shorter one",
    "ELOOP": "links that lead in a circle: check the link",
    "EMFILE": "too many files are open: raise the limit (ulimit -n) and run again",
    "ENFILE": "too many files are open on this machine: close other programs and run again",
    "EIO": "the disk can't be read or written: check the disk, and run again",
    "ESTALE": "the network disk has forgotten the file: run again",
    "ENOMEM": "not enough memory: close other programs and run again",
    "EBUSY": "another program uses it: close that program and run again",
    "EXDEV": "on another disk than its target: choose a folder on the same disk",
}
_REASONS = {getattr(errno, name): reason for name, reason in _REMEDIES.items() if hasattr(errno, name)}
_REPORT = "this is a fault of pairwright; run again with --debug and report it"
_LONGEST = 300  # characters of an unexpected message
_SECRET_NAME = re.compile(r"(^|_)(SECRET|TOKEN|API_?KEY)S?(_|\d|$)|PASSWORD|(^|_)(KEY|AUTH)(_ID|_?\d+)?$")
_URL_LOGIN = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]+):(?P<slashes>//)?(?P<rest>.*)", re.DOTALL)
_PAGES = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")

# What a step says


def echo(lines: Iterable[str] | None) -> None:
    """Prints lines, in which text of documents may not steer the terminal; tabs and line ends become spaces."""
    for line in lines or ():
        click.echo(printable(re.sub(r"[\t\n]", " ", line)))


class Terminal:
    """A reporter that prints lines to standard output and draws bars on standard error."""

    def say(self, label: str, text: str) -> None:
        """One line: the label of a kind of message, and the message."""
        echo([f"{label:<10} {text}"])

    @contextmanager
    def progress(self, task: str, total: int) -> Iterator[Callable[[int], None]]:
        """A bar with the pace and the time left, where someone looks on."""
        from rich import progress as rich
        from rich.console import Console

        console, pace = Console(stderr=True), rich.TaskProgressColumn(text_format="", show_speed=True)
        counts = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(), pace)
        columns, hidden = (*counts, rich.TimeRemainingColumn()), not console.is_terminal or not total
        with rich.Progress(*columns, console=console, transient=True, disable=hidden) as bar:
            task_id = bar.add_task(task, total=total)
            yield lambda done: bar.advance(task_id, done)


def terminal_context(folder: Path, executor: "Executor | None" = None) -> "Context":
    """The context of a step that begins."""
    from pairwright.cli import EXTRAS
    from pairwright.pipeline.context import Context, Direct

    return Context(Workspace(folder), Terminal(), executor or Direct(), EXTRAS)


# Every command line


@dataclass
class _Run:
    """What the user wants to see of a fault in this run."""

    debug: bool = False


class _Boundary(click.Command):
    """A command that click can't end itself: it takes each EPIPE for a closed terminal and each EOFError for Ctrl-C."""

    def __init__(self, command: click.Command) -> None:
        super().__init__(command.name)
        self.command = command

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **options: Any) -> click.Context:
        # A name in another encoding can't stand in the files that we write.
        if unreadable := next((text for text in args if text != text.encode(errors="replace").decode()), None):
            raise click.UsageError(f"{unreadable}: not UTF-8; rename the file, or write the option anew")
        return self.command.make_context(info_name, args, *more, **options)

    def invoke(self, context: click.Context) -> Any:
        try:
            return self.command.invoke(context)
        except (OSError, EOFError) as fault:
            raise _WrappedFault from fault


class _WrappedFault(Exception):
    """Wraps a fault that click would take for its own; the cause is the fault."""


def run_command(command: click.Command) -> None:
    """Runs a command with the arguments of this process. Exit codes: 2 a fault, 130 stopped by the user."""
    if not sys.warnoptions:
        # Libraries warn their users' programmers, with lines of code.
        warnings.simplefilter("ignore")
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks is shown as a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    run = _Run()
    try:
        _Boundary(command).main(standalone_mode=False, obj=run)
    except click.exceptions.NoArgsIsHelpError as fault:
        fault.show()
        sys.exit(2)
    except click.ClickException as fault:
        click.echo(f"error: {_usage_line(fault)}", err=True)
        sys.exit(2)
    except EstimateOnly as end:
        click.echo(str(end))
    except (KeyboardInterrupt, click.Abort):
        click.echo(STOPPED, err=True)
        sys.exit(130)
    except _WrappedFault as carried:
        _end(carried.__cause__ or carried, run)
    except Exception as fault:
        _end(fault, run)


def is_user_fault(fault: BaseException) -> bool:
    """Whether the user has to fix something before another try can succeed."""
    return isinstance(fault, PairwrightError) or (isinstance(fault, OSError) and fault.errno in _REASONS)


def debug_option() -> click.Option:
    """--debug, which every command has."""
    text = "Show the traceback of an error."
    return click.Option(["--debug"], is_flag=True, expose_value=False, callback=_set_debug, help=text)


def _set_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and isinstance(context.obj, _Run):
        context.obj.debug = True


def _end(fault: BaseException, run: _Run) -> None:
    """Ends the process with the line of a fault; without one where the reader of a pipe, such as `head`, has left."""
    printing = any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(fault.__traceback__))
    if printing:
        # Python would try again at its end, and complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if printing and isinstance(fault, BrokenPipeError):
        sys.exit(0)
    if run.debug:
        click.echo(_masked("".join(traceback.format_exception(fault))), err=True, nl=False)
    click.echo(f"error: {_fault_line(fault, 'standard output' if printing else '')}", err=True)
    sys.exit(2)


def _usage_line(fault: click.ClickException) -> str:
    """What click has against the arguments, in one line with the command."""
    message, context = fault.format_message(), fault.ctx if isinstance(fault, click.UsageError) else None
    if context is not None:
        message = f"{context.command_path}: {message.rstrip('.')}; see {context.command_path} --help"
    return _masked(printable(message))


def _fault_line(fault: BaseException, place: str) -> str:
    """What, where and what to do, in one line. `place` is where it happened if the fault doesn't say so."""
    line = str(fault)
    if isinstance(fault, OSError) and (fault.errno in _REASONS or fault.filename is not None):
        names = [os.fsdecode(name) for name in (fault.filename, fault.filename2) if isinstance(name, str | bytes)]
        if fault.errno == errno.ENOTDIR:
            names = [next((str(path) for path in Path(name).parents if path.is_file()), name) for name in names]
        line = f"{' -> '.join(names) or place or _place(fault)}: {_REASONS.get(fault.errno or 0, fault.strerror)}"
    elif isinstance(fault, MemoryError):
        line = f"{_place(fault)}: not enough memory: close other programs and run again; what was finished is kept"
    elif isinstance(fault, sqlite3.Error):
        line = f"{_place(fault)}: a database can't be used: {fault}: check the disk, or move the file away"
    elif not isinstance(fault, PairwrightError):
        what = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
        line = f"{what[:_LONGEST]} ({_place(fault)}): {_REPORT}"
    return _masked(printable(line))


def _place(fault: BaseException) -> str:
    """The innermost place in our code that a fault passed, as module:line."""
    place = "pairwright"
    for frame, line in traceback.walk_tb(fault.__traceback__):
        module = str(frame.f_globals.get("__name__"))
        if module.split(".")[0] == "pairwright" and module != __name__:
            place = f"{module}:{line}"
    return place


def _masked(text: str) -> str:
    """A text without the keys and passwords of this process's environment and of addresses."""
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET_NAME.search(name.upper()):
            text = text.replace(value, "***")
    return _URL_LOGIN.sub("***", text)


# Commands made of functions


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
                raise ConfigError(f"{fault.message.rstrip('.')}; check the name") from None
        scheme, rest = address["scheme"], address["rest"]
        if not address["slashes"] or not rest.strip("/ ") or (scheme in ("file", "local") and rest[0] != "/"):
            self.fail(f"{text!r} names no place; write {scheme}://, what holds it, and a path", param, ctx)
        return text


class Name(click.types.StringParamType):
    """A text that says something: an empty one, as of a variable that isn't set, would be taken for some name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = super().convert(value, param, ctx)
        if not text.strip():
            self.fail("empty; give a name", param, ctx)
        return text


_PLACES = {
    "file": Place(exists=True, dir_okay=False),
    "folder": Place(file_okay=False),
    "target": Place(addresses=True),
}


def command(declared: Callable[..., Any], name: str = "", run: Callable[..., Any] | None = None) -> click.Command:
    """The command of a function: its parameters are arguments, its keywords options. The lines it yields are printed.

    A parameter whose type is a dataclass stands for an option for each of its fields. A first parameter `context` or
    `workspace` is that of --workspace DIR. `run` is called in place of the function, with the folder of the workspace.
    """
    parameters = list(signature(declared).parameters.values())
    place = parameters.pop(0).name if parameters and parameters[0].name in ("context", "workspace") else ""
    records: dict[str, Any] = {it.name: it.annotation for it in parameters if is_dataclass(it.annotation)}
    options = [option for it in parameters for option in _options(it)]

    def called(**typed: Any) -> Any:
        for name, record in records.items():
            names = {item.name: f"{name}__{item.name}" for item in fields(record)}
            typed[name] = record(**{item: typed.pop(key) for item, key in names.items() if key in typed})
        if not place:
            return declared(**typed)
        folder = typed.pop("workspace")
        if run is not None:
            return run(folder, **typed)
        return declared(terminal_context(folder) if place == "context" else Workspace(folder), **typed)

    if place:
        options.append(_workspace_option())
    options.append(debug_option())
    text = declared.__doc__ or ""
    return click.Command(name or declared.__name__.strip("_"), params=options, callback=called, help=text)


def _options(it: Parameter) -> Iterator[click.Parameter]:
    if is_dataclass(it.annotation):
        for item in fields(it.annotation):
            yield _typed(f"{it.name}__{item.name}", item.type, item.default, is_argument=False)
    else:
        default = MISSING if it.default is Parameter.empty else it.default
        yield _typed(it.name, it.annotation, default, is_argument=it.kind is not Parameter.KEYWORD_ONLY)


def _typed(name: str, kind: Any, default: Any, *, is_argument: bool) -> click.Parameter:
    """The argument or the option of a parameter."""
    said, required = Option(), default is MISSING
    if get_origin(kind) is Annotated:
        kind, said = get_args(kind)
    if get_origin(kind) in (UnionType, Union):
        kind = get_args(kind)[0]
    several = get_args(kind)[-1:] == (Ellipsis,) and said.kind != "names"
    if several:
        kind = get_args(kind)[0]
    type_: Any = _PLACES.get(said.kind) or {Path: Place(), str: kind if default == "" else Name()}.get(kind, kind)
    if said.kind in ("names", "pages", "language", "password"):
        type_ = str
    elif get_origin(kind) is Literal:
        type_ = click.Choice(get_args(kind), case_sensitive=False)
    elif kind in (int, float) and said.least is not None:
        of_range: Any = click.IntRange if kind is int else click.FloatRange
        type_ = of_range(said.least, said.most, min_open=said.most is not None and kind is float)
    callback = {"language": partial(_language, required=required), "pages": _page_range, "names": _names}.get(said.kind)
    if is_argument:
        count = -1 if several else 1
        return click.Argument([name], type=type_, nargs=count, required=required, callback=callback)
    # A default that says something.
    shown = default if default not in (MISSING, None, "", (), False) else None
    flags = [f"--{said.name or name.rpartition('__')[2].replace('_', '-')}", name]
    if said.kind == "password":
        secret: dict[str, Any] = {"prompt": True, "prompt_required": False, "hide_input": True}
        return click.Option(flags, help=said.help, callback=_set_password, expose_value=False, **secret)
    # click takes a default of None for a value of an option that has to be given.
    given: dict[str, Any] = {} if required else {"default": None if said.kind == "names" else default}
    return click.Option(
        flags,
        type=None if kind is bool else type_,
        is_flag=kind is bool,
        multiple=several,
        required=required and said.kind != "language",
        **given,
        show_default=shown is not None,
        metavar=said.metavar,
        help=said.help,
        callback=callback,
    )


def _workspace_option() -> click.Option:
    """--workspace DIR. It comes first, as its only language is the default of --language."""
    text = "Folder with sources, annotations and output."
    return click.Option(
        ["--workspace"], type=Place(), callback=_existing, default=".", show_default=True, help=text, is_eager=True
    )


def _existing(_: click.Context, __: click.Parameter, folder: Path) -> Path:
    """A workspace that is there, as a misspelt name would look like an empty one, with settings that can be used."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such workspace; check the name, or create it: pairwright init {folder}")
    Workspace(folder).config()
    return folder


def _language(context: click.Context, parameter: click.Parameter, code: str | None, *, required: bool) -> str | None:
    """The code that the standard prefers to the one given; else that of the workspace's only language."""
    from pairwright.core.codes import preferred_code

    folder = context.params.get("workspace")
    if code is None and folder is not None and len(languages := Workspace(folder).languages()) == 1:
        (code,) = languages
    if code is None and required:
        raise click.UsageError(f"Missing option '--language': {language_choices()}", context)
    return code and preferred_code(code)


def language_choices() -> str:
    """Which languages there are to choose from, for a message."""
    from pairwright.core.codes import language_name
    from pairwright.languages import resource_names

    shipped = ", ".join(f"{code} ({language_name(code)})" for code in resource_names("languages"))
    return f"{shipped}, or the ISO 639 code of any other, such as sje"


def _page_range(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """The first and the last page of `17-31`, or of `17` for one page."""
    match = _PAGES.fullmatch(text or "")
    if text is not None and not match:
        raise click.BadParameter(f"'{text}' is no range of pages; write the first and the last, as 17-31")
    return (int(match[1]), int(match[2] or match[1])) if match else None


def _names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, (text or "").split(","))))


def _set_password(_: click.Context, __: click.Parameter, text: str | None) -> None:
    """Keeps a document's password for this process alone."""
    if text is not None:
        from pairwright.documents.pages.pdf import set_document_password

        set_document_password(text)


class Commands(click.Group):
    """A group of commands: each a place `module:function` below pairwright, which is imported when it is asked for.

    Its help ends with an example.
    """

    def __init__(self, name: str, about: str, places: Mapping[str, str | click.Command], example: str = "") -> None:
        ending = f"Example: {example}" if example else None
        super().__init__(name, cast("Any", places), params=[debug_option()], help=about, epilog=ending)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place: Any = self.commands.get(cmd_name)
        if not isinstance(place, str):
            return cast("click.Command | None", place)
        module, _, function = place.partition(":")
        return command(getattr(import_module(f"pairwright.{module}"), function), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(place)) for name, place in sorted(self.commands.items())])


def _summary(place: str | click.Command) -> str:
    """The first line of a docstring, read from the file: to import all functions would take `--help` too long."""
    if isinstance(place, click.Command):
        return place.get_short_help_str(limit=100)
    module, _, function = place.partition(":")
    text = (Path(__file__).parents[1] / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    first = re.search(rf'^def {function}\(.*?"""(.+?)(?:"""|\n)', text, re.MULTILINE | re.DOTALL)
    return first[1] if first else ""
