"""Token sequences as trees that share their beginnings, set out in rows for one forward pass.

A row holds one or more trees, node after node, each tree in preorder. A node is a token that is fed; sequences that
begin alike share nodes, so what they share is computed once. In preorder the nodes below a node stand right after it,
so `k` stands above `q`, or is `q`, just where k <= q < end[k]: that is the whole attention mask.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Row:
    """Nodes in preorder, and the way of each sequence through them.

    ids     the token of each node; `depths` its place in its sequence, from 0; `ends` where its subtree ends, exclusive
    paths   for each sequence its number and its nodes, in order
    """

    ids: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    paths: list[tuple[int, list[int]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def shared(self, sequence: Sequence[int]) -> int:
        """How many nodes a sequence would share with the one that was added last."""
        if not self.paths:
            return 0
        _, path = self.paths[-1]
        count = 0
        for node, token in zip(path, sequence, strict=False):
            if self.ids[node] != token:
                break
            count += 1
        return count

    def add(self, number: int, sequence: Sequence[int]) -> None:
        """Adds a sequence that is not smaller than the one before it."""
        kept = self.shared(sequence)
        before = self.paths[-1][1] if self.paths else []
        for node in before[kept:]:
            self.ends[node] = min(self.ends[node], len(self))
        path = before[:kept]
        # What stands open ends with the row, until a later sequence leaves it.
        for depth in range(kept, len(sequence)):
            path.append(len(self))
            self.ids.append(sequence[depth])
            self.depths.append(depth)
            self.ends.append(_OPEN)
        self.paths.append((number, path))

    def close(self) -> None:
        """Ends what stands open; no sequence can be added after it."""
        self.ends = [min(end, len(self)) for end in self.ends]


_OPEN = 2**62


def pack(sequences: Sequence[Sequence[int]], *, capacity: int, most: int) -> list[Row]:
    """Rows that hold every sequence once, with at most `most` sequences each.

    A row ends before it outgrows `capacity` nodes. A sequence that is more than half of that may stand with as much
    again, so that long ones can share too. Row paths give each sequence's index in `sequences`.
    """
    rows: list[Row] = []
    row = Row()
    for number in sorted(range(len(sequences)), key=lambda index: tuple(sequences[index])):
        sequence = sequences[number]
        size = len(row) + len(sequence) - row.shared(sequence)
        full = len(row.paths) >= most or size > max(capacity, 2 * len(sequence))
        if row.paths and full:
            rows.append(row)
            row = Row()
        row.add(number, sequence)
    if row.paths:
        rows.append(row)
    for row in rows:
        row.close()
    return rows


def alone(sequences: Sequence[Sequence[int]]) -> list[Row]:
    """One row a sequence, sharing nothing."""
    rows = []
    for number, sequence in enumerate(sequences):
        row = Row()
        row.add(number, sequence)
        row.close()
        rows.append(row)
    return rows


def batches(rows: Sequence[Row], *, tokens: int, most: int) -> list[list[Row]]:
    """Rows of like length together, the longest first: at most `tokens` with padding, and `most` sequences, a batch.

    A row that is larger than that on its own is a batch of its own.
    """
    found: list[list[Row]] = []
    batch: list[Row] = []
    held = 0
    for row in sorted(rows, key=lambda row: -len(row)):
        full = bool(batch) and ((len(batch) + 1) * len(batch[0]) > tokens or held + len(row.paths) > most)
        if full:
            found.append(batch)
            batch, held = [], 0
        batch.append(row)
        held += len(row.paths)
    if batch:
        found.append(batch)
    return found
