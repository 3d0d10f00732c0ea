"""Opens the files that people name, ordinary ones alone, as a pipe may keep a reader waiting and a device never end.

And locks between processes: whoever waits for one is told who holds it.
"""

import errno
import math
import os
import platform
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from typing import Protocol, TypeVar

from pairwright.core.errors import PairwrightError, StoreError, at, one_line

# The largest file that is read at once, where a reader needs no more, and its longest line.
MAX_BYTES, MAX_LINE = 50_000_000, 1_000_000
# As many rows as spreadsheet programs have; no table of sentences comes near so many cells, nor a small one near these.
MAX_ROWS, MAX_CELLS = 1_048_576, 20_000_000
_LEAST_CELLS, _CELLS_A_BYTE = 250_000, 2
# Of a lock, in seconds: before the first word to whoever waits, before each further one, and between two tries.
FIRST_NOTICE, NEXT_NOTICE, POLL = 2.0, 60.0, 0.05


class _Row(Protocol):
    @property
    def cells(self) -> Sized: ...


R = TypeVar("R", bound=_Row)

# Between the look at a name and its opening a pipe may have taken its place: not even opening it may wait.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_REASONS = {
    errno.ENOENT: "no such file; check the path",
    errno.ENOTDIR: "no such file; check the path",
    errno.ELOOP: "its links lead in a circle; name the file itself",
    errno.EACCES: "may not be read; give yourself permission to read it",
    errno.EPERM: "may not be read; give yourself permission to read it",
    errno.ENAMETOOLONG: "no file can have a name as long as this",
}


def open_file(path: Path, error: type[PairwrightError] = PairwrightError) -> BufferedReader:
    """An ordinary file, opened to read its bytes; it never waits.

    Raises `error` where the file is missing or may not be read, and for a folder, pipe, socket or device.
    """
    try:
        str(path).encode()
        _refuse_others(os.stat(path), path, error)
        handle = os.fdopen(os.open(path, _FLAGS), "rb")
        try:
            _refuse_others(os.fstat(handle.fileno()), path, error)
        except BaseException:
            handle.close()
            raise
        return handle
    except OSError as fault:
        reason = _REASONS.get(fault.errno or 0) or fault.strerror or type(fault).__name__
        if fault.errno == errno.ENOENT and path.is_symlink():
            reason = f"a link to {os.readlink(path)}, which is missing"
        raise error(f"{path}: {reason}") from None
    except ValueError:
        raise error(f"{path}: a name with a NUL, or not in UTF-8; rename it") from None


def user_path(name: str | Path) -> Path:
    """A path as users write it: a `~` in front is a home folder. The home of an unknown user stays as written."""
    return Path(os.path.expanduser(name))


def read_file(path: Path, max_bytes: int = MAX_BYTES, error: type[PairwrightError] = PairwrightError) -> bytes:
    """The bytes of an ordinary file, read at once. Raises `error` as `open_file`, and over `max_bytes`."""
    with open_file(path, error) as handle:
        return read_all(handle, path, max_bytes, error)


def read_all(
    file: BufferedReader, path: Path, max_bytes: int = MAX_BYTES, error: type[PairwrightError] = PairwrightError
) -> bytes:
    """The bytes of an opened file, as `read_file`; `path` is its name in messages."""
    # More than was said to be there comes where somebody is writing to the file.
    size = os.fstat(file.fileno()).st_size
    data = b"" if size > max_bytes else file.read(max_bytes + 1)
    if (most := max(size, len(data))) > max_bytes:
        raise error(f"{path}: {most:,} bytes, more than the {max_bytes:,} that are read; split the file")
    return data


def read_text(path: Path, max_bytes: int = MAX_BYTES, error: type[PairwrightError] = PairwrightError) -> str:
    """A text file in UTF-8, without its byte-order mark, with `\\n` line ends.

    Raises `error` as `read_file`, and with line and column for a byte that is not UTF-8.
    """
    return _utf8(path, read_file(path, max_bytes, error), error).replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, error: type[PairwrightError] = PairwrightError) -> Iterator[tuple[int, str]]:
    """The lines of a text file of any size that are not blank, with their numbers.

    Raises `error` as `read_text`, and for a line of more than `MAX_LINE` bytes.
    """
    with open_file(path, error) as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), start=1):
            refuse_long(line, path, number, error)
            text = _utf8(path, line, error, number).rstrip("\r\n")
            if text.strip():
                yield number, text


def refuse_long(line: str | bytes, path: Path, number: int, error: type[PairwrightError]) -> None:
    """Raises `error` for a line that is longer than any that people write."""
    if len(line) > MAX_LINE:
        raise error(f"{at(path, number)}: a line of {len(line):,} characters or more ({MAX_LINE:,} are read); part it")


def bounded(rows: Iterable[R], path: Path, n_bytes: int, error: type[PairwrightError]) -> Iterator[R]:
    """The rows of a table as they are read.

    Raises `error` where there are more rows or cells than a table in a file of so many bytes may have.
    """
    most, n_cells = min(MAX_CELLS, _LEAST_CELLS + _CELLS_A_BYTE * n_bytes), 0
    for number, row in enumerate(rows, start=1):
        n_cells += 1 + len(row.cells)
        if number > MAX_ROWS or n_cells > most:
            raise error(
                f"{path}: more than {MAX_ROWS:,} rows or {most:,} cells in a file of {n_bytes:,} bytes; split it"
            )
        yield row


def _utf8(path: Path, data: bytes, error: type[PairwrightError], first_line: int = 1) -> str:
    try:
        return data.decode("utf-8-sig" if first_line == 1 else "utf-8")
    except UnicodeDecodeError as fault:
        raise error(f"{not_decoded(path, fault, first_line)} is not UTF-8; save the file as UTF-8") from None


def not_decoded(path: Path, fault: UnicodeDecodeError, first_line: int = 1) -> str:
    """The place, as `file:line:column`, and the value of the first byte that is not in the encoding.

    first_line  the number of the line with which the decoded bytes begin
    """
    before = fault.object[: fault.start].decode(fault.encoding, "replace").removeprefix("\ufeff")
    place = at(path, first_line + before.count("\n"), len(before) - before.rfind("\n"))
    return f"{place}: byte 0x{fault.object[fault.start]:02x}"


def _refuse_others(status: os.stat_result, path: Path, error: type[PairwrightError]) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise error(f"{path}: {_KINDS.get(kind, 'no ordinary file')}, not a file that can be read; name a file")


# Locks


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
