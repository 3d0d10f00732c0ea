"""Locks between processes. Whoever waits for one is told who holds it; so is `pairwright doctor`."""

import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pairwright.core.errors import StoreError, one_line

# In seconds: before the first word to whoever waits, before each further one, and between two tries.
FIRST_NOTICE, NEXT_NOTICE, POLL = 2.0, 60.0, 0.05


def on_standard_error(line: str) -> None:
    """Tells whoever waits."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def held(
    path: Path, what: str = "", notice: Callable[[str], None] = on_standard_error, patience: float = math.inf
) -> Iterator[str]:
    """Holds the lock of a file or folder, and yields since when: ISO 8601, in seconds.

    what      is waited for, where the path does not say it
    notice    gets the process, host and start of who holds it, after 2 s and each minute
    patience  in seconds

    The lock is the operating system's, `.NAME.lock` beside the path, so it ends with its process, also by `kill -9`.
    Raises StoreError at the end of the patience, and OSError.
    """
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock, begun, waits = FileLock(path.with_name(f".{path.name}.lock")), time.monotonic(), FIRST_NOTICE
    while not lock.is_locked:
        left = begun + patience - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(waits, left)), poll_interval=POLL)
        except Timeout:
            who = f"{what or path}: {_holder(path)} is at work there"
            if left <= waits:
                raise StoreError(f"{who}; try again when it is done") from None
            notice(f"{who}; waiting for its end")
            waits = NEXT_NOTICE
    holder = path.with_name(f".{path.name}.holder")
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        holder.write_text(f"process {os.getpid()} on {platform.node()}, since {since}", encoding="utf-8")
        yield since
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def locks_held(folder: Path) -> Iterator[str]:
    """The locks in a folder and below it that a process holds, each with its holder."""
    from filelock import FileLock, Timeout

    for lock in sorted(folder.rglob(".*.lock")):
        with suppress(OSError):
            try:
                with FileLock(lock, blocking=False):
                    pass
            except Timeout:
                yield f"{lock}: {_holder(lock.with_name(lock.name[1:-5]))}"


def _holder(path: Path) -> str:
    try:
        with path.with_name(f".{path.name}.holder").open(encoding="utf-8", errors="replace") as file:
            return one_line(file.read(1000)) or "another process"
    except OSError:
        return "another process"
