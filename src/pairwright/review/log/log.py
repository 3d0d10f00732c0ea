"""The logs of a queue: entries of its reviewers, and how logs are read. They only grow."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pairwright.core.errors import StoreError, at
from pairwright.core.records import Decision, Judgement, QueueKind, Record
from pairwright.core.store import log_faults, read_log
from pairwright.core.text import squeeze

Entry = Decision | Judgement
Key = tuple[str, str]
"""An item and a reviewer."""

R = TypeVar("R", bound=Record)

FROM_VERSION_CONTROL = "take the file back from the version control"
# What these logs lose comes back: from the sheets, or at the price of repeated doubts.
_RESTORED = ("decisions.jsonl", "judgements.jsonl", "quarantine.jsonl")


def entry_type(kind: QueueKind) -> type[Decision] | type[Judgement]:
    """The record that reviewers' answers become in a kind of queue."""
    return Decision if kind == "pairs" else Judgement


def key_of(entry: Entry) -> Key:
    """The item that an entry answers, and who answers."""
    return (entry.pair_id if isinstance(entry, Decision) else entry.item_id), entry.reviewer


def is_answer(entry: Entry) -> bool:
    """Whether an entry holds an answer, not only a comment or the withdrawal of an earlier answer."""
    if isinstance(entry, Decision):
        return entry.decision is not None
    return entry.prefers is not None or entry.rating is not None


def says(entry: Entry) -> tuple[object, ...]:
    """What an entry says, regardless of when and by which way it came, and of white space in its comment."""
    said = (entry.decision, entry.good, entry.bad) if isinstance(entry, Decision) else (entry.prefers, entry.rating)
    return *said, squeeze(entry.comment)


def latest_entries(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The last entry of each reviewer on each item, comments and withdrawals included."""
    return {key_of(entry): entry for entry in entries}


def read_queue_log(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a log in a queue's folder; none if it is missing. Raises StoreError that says how to repair it."""
    try:
        yield from read_log(path, kind)
    except OSError as fault:
        raise StoreError(f"{path}: can't be read: {fault.strerror}; {FROM_VERSION_CONTROL}") from None
    except StoreError as fault:
        raise StoreError(f"{fault}; {_remedy(path)}") from None


def damaged_logs(folder: Path) -> Iterator[str]:
    """The logs of a queue that are not as they were written: the first such line, how many more, and the remedy."""
    for path in sorted(folder.glob("*.jsonl")):
        try:
            numbers = log_faults(path)
        except OSError as fault:
            yield f"{path}: can't be read: {fault.strerror}; {_remedy(path)}"
            continue
        if numbers:
            more = f", nor are {len(numbers) - 1} more lines" if len(numbers) > 1 else ""
            yield f"{at(path, numbers[0])}: not as it was written{more}; {_remedy(path)}"


def _remedy(path: Path) -> str:
    if path.name in _RESTORED:
        return f"{FROM_VERSION_CONTROL}, or delete the line: what the sheets have comes back with the next import"
    # What git ignores.
    return "take it back from a backup, or delete it and begin anew" if path.name[0] == "." else FROM_VERSION_CONTROL
