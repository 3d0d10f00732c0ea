"""Token sequences as trees that share their beginnings, laid out in rows for one forward pass.

A row holds one or more trees, node after node, each tree in preorder. A node is a token that the model reads. Sequences
that begin alike share nodes, so what they share is computed once. In preorder the nodes below a node stand right after
it, so node `k` is `q` or stands above it exactly where k <= q < subtree_ends[k]: that is the whole attention mask.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from pairwright.models.load.batches import padded_batches

_OPEN = 2**62
# Nodes of a row of sequences that share much: the mask over them stands in memory.
_LARGEST = 4096


@dataclass
class PackedRow:
    """Nodes in preorder, and the path of each sequence through them."""

    ids: list[int] = field(default_factory=list)  # the token of each node
    depths: list[int] = field(default_factory=list)  # each node's position in its sequence, from 0
    subtree_ends: list[int] = field(default_factory=list)  # where the subtree of each node ends, exclusive
    paths: list[tuple[int, list[int]]] = field(default_factory=list)  # each sequence's number and its nodes

    def __len__(self) -> int:
        return len(self.ids)

    def shared(self, sequence: Sequence[int]) -> int:
        """How many nodes a sequence would share with the one that was added last."""
        path = self.paths[-1][1] if self.paths else []
        same = (self.ids[node] == token for node, token in zip(path, sequence, strict=False))
        return sum(takewhile(bool, same))

    def add(self, number: int, sequence: Sequence[int]) -> None:
        """Adds a sequence that is not smaller than the one before it."""
        n_shared = self.shared(sequence)
        previous = self.paths[-1][1] if self.paths else []
        for node in previous[n_shared:]:
            self.subtree_ends[node] = min(self.subtree_ends[node], len(self))
        n_new = len(sequence) - n_shared
        self.paths.append((number, [*previous[:n_shared], *range(len(self), len(self) + n_new)]))
        self.ids += sequence[n_shared:]
        self.depths += range(n_shared, len(sequence))
        # An open subtree ends with the row, unless a later sequence leaves it.
        self.subtree_ends += [_OPEN] * n_new

    def close(self) -> None:
        """Ends all open subtrees; no sequence can be added afterwards."""
        self.subtree_ends = [min(end, len(self)) for end in self.subtree_ends]


def pack(sequences: Sequence[Sequence[int]], *, capacity: int, most: int) -> list[PackedRow]:
    """Rows that hold every sequence once, with at most `most` sequences each.

    A row ends before it outgrows `capacity` nodes. A sequence longer than half of that gets a row of up to twice its
    own length, so that long sequences can share too, and one that shares much, as prompts share their examples, a row
    of four times that. The paths give each sequence's index in `sequences`.
    """
    rows: list[PackedRow] = []
    row = PackedRow()
    for number in sorted(range(len(sequences)), key=lambda index: tuple(sequences[index])):
        sequence = sequences[number]
        shared = row.shared(sequence)
        largest = max(capacity, 2 * len(sequence), min(4 * shared, _LARGEST))
        if row.paths and (len(row.paths) >= most or len(row) + len(sequence) - shared > largest):
            rows.append(row)
            row = PackedRow()
        row.add(number, sequence)
    if row.paths:
        rows.append(row)
    for row in rows:
        row.close()
    return rows


def unpacked_rows(sequences: Sequence[Sequence[int]]) -> list[PackedRow]:
    """One row a sequence, sharing nothing."""
    rows = [PackedRow() for _ in sequences]
    for number, (row, sequence) in enumerate(zip(rows, sequences, strict=True)):
        row.add(number, sequence)
        row.close()
    return rows


def row_batches(rows: Sequence[PackedRow], *, tokens: int, most: int) -> list[list[PackedRow]]:
    """Rows of similar length together, the longest first: at most `tokens` with padding, and `most` sequences, a batch.

    A row that is larger than that is a batch of its own.
    """
    longest_first = sorted(rows, key=lambda row: -len(row))
    return padded_batches(longest_first, len, tokens=tokens, most=most, size=lambda row: len(row.paths))
