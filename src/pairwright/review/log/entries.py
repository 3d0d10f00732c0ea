"""Entries of a queue's log: decisions on pairs, or judgements in an experiment."""

from collections.abc import Iterable

from pairwright.core.records import Decision, Judgement, QueueKind

Entry = Decision | Judgement
Key = tuple[str, str]
"""An item and a reviewer."""


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


def same_answer(one: Entry, other: Entry) -> bool:
    """Whether two entries say the same, regardless of when and by which way they came."""
    return one == other.model_copy(update={"at": one.at, "seconds": one.seconds, "via": one.via})


def latest_entries(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The last entry of each reviewer on each item, comments and withdrawals included."""
    return {key_of(entry): entry for entry in entries}
