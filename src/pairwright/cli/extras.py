"""The commands of the extras, made of their functions."""

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import click

from pairwright.cli.options import Place, described_options, llm_options, stacked, workspace_option
from pairwright.cli.terminal import terminal_context
from pairwright.pipeline.extra import Extra, Option
from pairwright.pipeline.options import LLMOptions, SourceOptions

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_SHARED: dict[Any, Decorator] = {SourceOptions: described_options, LLMOptions: llm_options}


def extra_command(extra: Extra) -> click.Command:
    """The command of an extra, or the group of its commands."""
    if len(extra.commands) == 1:
        return _command(extra.name, *extra.commands)
    group = click.Group(extra.name, help=extra.about)
    for function in extra.commands:
        group.add_command(_command(function.__name__, function))
    return group


def _command(name: str, function: Callable[..., Any]) -> click.Command:
    """Runs function(context, ...) with what is typed. Some types stand for several options, shared with the steps."""
    _, *parameters = signature(function).parameters.values()
    options = [_SHARED.get(it.annotation) or _typed(it) for it in parameters]

    def run(workspace: Path, **typed: Any) -> Any:
        return function(terminal_context(workspace), **typed)

    return click.command(name, help=function.__doc__)(stacked(*options, workspace_option)(run))


def _typed(parameter: Parameter) -> Decorator:
    """The argument or option of a parameter."""
    kind, said = parameter.annotation, Option()
    if get_origin(kind) is Annotated:
        kind, said = get_args(kind)
    if get_origin(kind) is UnionType:
        kind = get_args(kind)[0]
    several = get_origin(kind) is tuple
    if several:
        kind = get_args(kind)[0]
    type_: Any = Place() if kind is Path else kind
    if get_origin(kind) is Literal:
        type_ = click.Choice(get_args(kind), case_sensitive=False)
    elif said.least is not None and kind is float:
        type_ = click.FloatRange(said.least, said.most, min_open=True)
    elif said.least is not None:
        type_ = click.IntRange(said.least)
    if parameter.kind is not Parameter.KEYWORD_ONLY:
        return click.argument(parameter.name, type=type_, nargs=-1 if several else 1, required=True)
    default = None if parameter.default is Parameter.empty else parameter.default
    return click.option(
        f"--{said.name or parameter.name.replace('_', '-')}",
        parameter.name,
        type=None if kind is bool else type_,
        is_flag=kind is bool,
        multiple=several,
        required=parameter.default is Parameter.empty,
        default=default,
        show_default=default not in (None, "", (), False),
        metavar=said.metavar,
        help=said.help,
    )
