"""One run at a time writes into the folder of an evaluation."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pairwright.errors import StoreError
from pairwright.files import read_file
from pairwright.scoring.runs.shards import Notice
from pairwright.store import write_text

# A run that waits says so again after this time.
WAITING_SECONDS = 60
MAX_HOLDER_BYTES = 1000


@contextmanager
def sole_writer(directory: Path, notice: Notice, model: str = "") -> Iterator[str]:
    """Waits until no other run writes into `directory`, and yields since when this one may: ISO 8601, in seconds.

    model  what a wait is for, where the folder's name does not say it; `notice` gets it with the other run's process,
           host and start, and again each minute

    The lock is the operating system's, beside the folder, so it ends with the process that holds it, also by `kill -9`.
    """
    from filelock import FileLock, Timeout

    directory.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(directory.with_name(f".{directory.name}.lock"))
    holder = directory.with_name(f".{directory.name}.holder")
    patience = 0.0
    while not lock.is_locked:
        try:
            lock.acquire(timeout=patience, poll_interval=0.2)
        except Timeout:
            notice(f"{model or directory}: {_holder(holder)} evaluates this model; waiting for its end")
            patience = WAITING_SECONDS
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        write_text(holder, f"process {os.getpid()} on {platform.node()}, since {since},\n")
        yield since
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _holder(path: Path) -> str:
    try:
        return read_file(path, MAX_HOLDER_BYTES, StoreError).decode("utf-8", "replace").strip()
    except StoreError:
        return "another process"
