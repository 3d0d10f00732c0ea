"""The commands of pairwright, and whether a command line is one of them, without running any."""

from collections.abc import Iterator

import click


def parse(words: list[str], command: click.Command, parent: click.Context | None = None) -> None:
    """Follows words through the commands. Raises click.UsageError where there is no such command or option."""
    context = click.Context(command, parent=parent)
    if isinstance(command, click.Group):
        name, inner, rest = command.resolve_command(context, words)
        assert inner is not None, name
        parse(rest, inner, context)
    else:
        command.make_parser(context).parse_args(list(words))


def every_command(command: click.Command, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all below it, by their words."""
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            yield from every_command(below, *names, name)
