"""The examples that stand before an item, drawn by hashes.

Source: EuroEval draws other examples for each of its ten iterations, with the labels in turn (Nielsen 2023, "ScandEval:
A Benchmark for Scandinavian Natural Language Processing", NoDaLiDa).
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest

from pairwright.core.ids import digest
from pairwright.core.records.items import Item


def draw_examples(pool: Sequence[Item], shots: int, draw: int, seed: int) -> tuple[Item, ...]:
    """At most `shots` items of the pool, with as many of each answer as there are, in an order of the draw's own.

    Another item in the pool changes a draw by that item at the most.
    """

    def place(item: Item) -> str:
        return digest([seed, draw, item.id])

    by_answer: dict[tuple[int, ...], list[Item]] = defaultdict(list)
    for item in sorted(pool, key=place):
        by_answer[item.answers].append(item)
    in_turn = chain.from_iterable(zip_longest(*(by_answer[answers] for answers in sorted(by_answer))))
    return tuple(sorted([item for item in in_turn if item is not None][:shots], key=place))
