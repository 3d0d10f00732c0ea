"""Commands made of functions: what is typed follows from their parameters, and from an `Option` beside a type.

Nothing heavy is imported before a command runs.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import click

from pairwright.cli.faults import debug_option
from pairwright.cli.terminal import terminal_context
from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]+):(?P<slashes>//)?(?P<rest>.*)", re.DOTALL)
_PAGES = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


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
