"""Whether a command line is one of pairwright's, without running it."""

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
