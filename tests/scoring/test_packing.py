"""Packing: every sequence keeps its tokens, its places and its own ancestors, and what is shared stands once."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.evaluate.scoring.forward import PackedRow, pack, row_batches, unpacked_rows

sequences = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=8), min_size=1, max_size=12)


def seen_from(row: PackedRow, node: int) -> list[int]:
    """The nodes that a node may look at, by the rule of the mask."""
    return [other for other in range(node + 1) if node < row.subtree_ends[other]]


@given(sequences, st.integers(1, 20), st.integers(1, 5))
def test_every_sequence_sees_its_own_tokens_in_order_and_nothing_else(
    given_sequences: list[list[int]], capacity: int, most: int
) -> None:
    rows = pack(given_sequences, capacity=capacity, most=most)
    found = {}
    for row in rows:
        assert len(row.paths) <= most
        for number, path in row.paths:
            found[number] = [row.ids[node] for node in path]
            for place, node in enumerate(path):
                assert row.depths[node] == place
                assert seen_from(row, node) == path[: place + 1]
    assert found == dict(enumerate(given_sequences))


@given(sequences)
def test_a_beginning_that_is_shared_stands_once(given_sequences: list[list[int]]) -> None:
    [row] = pack(given_sequences, capacity=1000, most=1000)
    beginnings = {tuple(sequence[:end]) for sequence in given_sequences for end in range(1, len(sequence) + 1)}
    assert len(row) == len(beginnings)


@given(sequences, st.integers(1, 20))
def test_rows_keep_to_their_capacity_or_to_four_times_a_long_sequence(
    given_sequences: list[list[int]], capacity: int
) -> None:
    for row in pack(given_sequences, capacity=capacity, most=1000):
        longest = max(len(path) for _, path in row.paths)
        assert len(row) <= max(capacity, 4 * longest)


@given(sequences, st.integers(1, 30), st.integers(1, 4))
def test_batches_hold_every_row_once_within_the_budget(
    given_sequences: list[list[int]], tokens: int, most: int
) -> None:
    rows = unpacked_rows(given_sequences)
    cut = row_batches(rows, tokens=tokens, most=most)
    assert sorted(id(row) for batch in cut for row in batch) == sorted(map(id, rows))
    for batch in cut:
        if len(batch) > 1:
            assert len(batch) <= most
            assert len(batch) * max(len(row) for row in batch) <= tokens
