"""Runs a command line: a user's fault is one line on standard error and exit code 2, never a traceback."""

import sys

import click

from pairwright.errors import PairwrightError, PlannedEnd

STOPPED = "stopped; what was finished is kept, and the next run goes on from there"


def run_command(command: click.Command) -> None:
    """Runs a command with the arguments of this process. Exit codes: 2 a user's fault, 130 stopped by the user."""
    try:
        command.main(standalone_mode=False)
    except click.ClickException as fault:
        fault.show()
        sys.exit(2)
    except PlannedEnd as end:
        click.echo(str(end))
    except PairwrightError as fault:
        click.echo(f"error: {fault}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo(STOPPED, err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe, such as `head`, has gone: it has what it wants.
        sys.stderr.close()
        sys.exit(0)
