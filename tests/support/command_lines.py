"""The commands of pairwright: run in this process, and whether a command line is one of them, without running any."""

from collections.abc import Callable, Iterator

import click


class Run:
    """Runs a command in this process; gives exit code, stdout and stderr."""

    def __init__(self, call: Callable[..., tuple[int, str, str]]) -> None:
        self._call = call

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        return self._call(*arguments)

    def done(self, *arguments: object) -> str:
        """What a command prints that has to succeed without a complaint."""
        code, out, err = self._call(*arguments)
        assert (code, err) == (0, "")
        return out

    def refused(self, *arguments: object) -> str:
        """The only line of complaint of a command that has to end with a fault."""
        code, _, err = self._call(*arguments)
        assert (code, err.count("\n"), err[:7]) == (2, 1, "error: "), err
        return err


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
