"""Runs every command line: a fault is one line on standard error and exit code 2, a traceback with --debug."""

import errno
import io
import os
import re
import sqlite3
import sys
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from pairwright.core.errors import EstimateOnly, PairwrightError, printable

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
