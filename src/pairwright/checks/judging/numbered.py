"""Asks about several things in one request, and about those that the answer leaves out again."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pairwright.llm import Answer, Completer, Request, ask_about

X = TypeVar("X")
_ATTEMPTS = 3


class Entry(Protocol):
    """What an answer says of one item; `id` is the item's number, from 1."""

    id: str


E = TypeVar("E", bound=Entry)


class About(NamedTuple, Generic[X, E]):
    """An item with its entry of an answer; None if the answer has no place for it, or can't be used."""

    item: X
    entry: E | None
    answer: Answer[Any]


def ask_in_batches(
    completer: Completer,
    batches: Sequence[Sequence[X]],
    request_of: Callable[[Sequence[X], int], Request[Any]],
) -> Iterator[About[X, Any]]:
    """Every item once, with what the answers say of it. An entry counts if its number stands in the answer once.

    Items without one are asked about again in ever smaller requests; `request_of` makes one of a batch and the number
    of the attempt. The answers have `language_known`, which ends the asking where it is False, and `judgements`.
    """
    for attempt in range(_ATTEMPTS):
        left: list[Sequence[X]] = []
        last = attempt == _ATTEMPTS - 1
        for batch, answer in ask_about(completer, ((batch, request_of(batch, attempt)) for batch in batches)):
            entries = _by_number(answer.value.judgements) if answer.value else {}
            unknown = answer.value is not None and not answer.value.language_known
            missing = []
            for number, item in enumerate(batch, start=1):
                entry = None if unknown else entries.get(str(number))
                if entry or unknown or last:
                    yield About(item, entry, answer)
                else:
                    missing.append(item)
            left += batched(missing, max(1, len(batch) // 2))
        batches = left


def batched(items: Sequence[X], size: int) -> Iterator[Sequence[X]]:
    """Items in groups of `size`, the last one smaller."""
    rest = iter(items)
    while group := tuple(islice(rest, size)):
        yield group


def _by_number(entries: Sequence[E]) -> dict[str, E]:
    """Entries by their numbers, without those whose number stands twice."""
    numbers = [match[0] if (match := re.search(r"\d+", entry.id)) else "" for entry in entries]
    counts = Counter(numbers)
    return {number: entry for number, entry in zip(numbers, entries, strict=True) if counts[number] == 1}
