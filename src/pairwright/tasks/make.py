"""Makes the items of all tasks from a release. Equal releases and seeds give equal items on every machine."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from pairwright.core import store
from pairwright.core.errors import StoreError
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item, ItemsInfo, TaskName
from pairwright.tasks.instances import ItemMaker, Material
from pairwright.tasks.questions import (
    Size,
    acceptability,
    groups,
    minimal_pair,
    rule_sentences,
    rules_of_sentences,
    translation,
)

TASKS: tuple[TaskName, ...] = (
    "sentence-rules",
    "rule-sentences",
    "sentences-rules",
    "minimal-pair",
    "acceptability",
    "translation",
)
# The sizes of the base conditions, and those that a sweep adds: 2 to 10 rules or sentences, and a grid of both.
BASE: dict[TaskName, tuple[Size, ...]] = {
    "sentence-rules": (Size(rules=2),),
    "rule-sentences": (Size(sentences=1),),
    "sentences-rules": (Size(2, 4),),
}
SWEEP: dict[TaskName, tuple[Size, ...]] = {
    "sentence-rules": tuple(Size(rules=n) for n in range(2, 11)),
    "rule-sentences": tuple(Size(sentences=n) for n in range(1, 11)),
    "sentences-rules": tuple(Size(m, n) for m in (2, 3, 4) for n in (4, 6, 8, 10) if n > m),
}
# So many items of a task are for examples, at most, beside those that are asked.
EXAMPLES = 125


class ItemSettings(NamedTuple):
    """How many items of each task are asked at most, with a sweep of each size; and the seed of all draws."""

    items: int = 500
    sweep: bool = False
    seed: int = 0


class ItemSet(NamedTuple):
    """The items of each task, by id, and what none could be made of.

    not_made  how often what was drawn for a task gave no item: too few wrong rules at a distance, a pair without a rule
              that can be shown, a rule whose words hold the answer
    """

    items: Mapping[TaskName, tuple[Item, ...]]
    rejected: tuple[Rejection, ...]
    not_made: Mapping[TaskName, int]


def make_items(material: Material, settings: ItemSettings, canary: str = "") -> ItemSet:
    """The items of each task that the release has material for.

    Rules, and their good and bad sentences, take turns, so that a task that is cut at `settings.items` keeps them all.
    """
    maker = ItemMaker(material, settings.seed, canary)
    items: dict[TaskName, tuple[Item, ...]] = {}
    not_made: Counter[TaskName] = Counter()
    for task, sources in _sources(maker, settings).items():
        chosen: dict[str, Item] = {}
        for source in sources:
            chosen |= {item.id: item for item in _first(source, settings.items, not_made, task)}
        items[task] = tuple(chosen[key] for key in sorted(chosen))
    return ItemSet(items, tuple(maker.rejected), dict(not_made))


def _sources(maker: ItemMaker, settings: ItemSettings) -> dict[TaskName, list[Iterator[Item | None]]]:
    """The items of each task in the order in which they are wanted, for each size apart."""
    sizes = SWEEP if settings.sweep else BASE
    pairs = maker.in_turn(maker.material.pairs, lambda pair: pair.rule_id, lambda pair: pair.id)
    alone = [(instance,) for instance in maker.instances]
    together = {n: groups(maker, n, settings.items) for n in {size.sentences for size in sizes["sentences-rules"]}}

    def each(make: Callable[..., Iterator[Item | None]], drawn: Iterable[object], *size: Size) -> Iterator[Item | None]:
        return chain.from_iterable(make(maker, one, *size) for one in drawn)

    return {
        "sentence-rules": [each(rules_of_sentences, alone, size) for size in sizes["sentence-rules"]],
        "rule-sentences": [each(rule_sentences, maker.instances, size) for size in sizes["rule-sentences"]],
        "sentences-rules": [
            each(rules_of_sentences, together[size.sentences], size) for size in sizes["sentences-rules"]
        ],
        "minimal-pair": [each(minimal_pair, pairs)],
        "acceptability": [acceptability(maker)],
        "translation": [each(translation, pairs)],
    }


def _first(source: Iterator[Item | None], most: int, not_made: Counter[TaskName], task: TaskName) -> Iterator[Item]:
    """The first `most` different items, and those for examples among them; counts what gave none on the way.

    Acceptability, which is asked after examples, has as many of them however few items are asked.
    """
    seen: set[str] = set()
    is_shown, left = task == "acceptability", {True: EXAMPLES, False: most}
    for item in source:
        if item is None:
            not_made[task] += 1
        elif item.id not in seen and left[item.split == "few_shot"]:
            left[item.split == "few_shot"] -= 1
            seen.add(item.id)
            yield item
        if not left[False] and not (is_shown and left[True]):
            return


INFO = "items.json"
REJECTED = "items.rejected.jsonl"


def write_items(folder: Path, made: ItemSet, settings: ItemSettings, release: str, canary: str) -> ItemsInfo:
    """Writes the items of each task to `<task>.jsonl`. Equal items give equal bytes. Raises OSError."""
    counts = {task: Counter(item.condition for item in items) for task, items in made.items.items()}
    info = ItemsInfo(
        release=release,
        items=settings.items,
        sweep=settings.sweep,
        seed=settings.seed,
        canary=canary,
        counts={task: dict(sorted(of_task.items())) for task, of_task in counts.items()},
        not_made=dict(made.not_made),
    )
    for task, items in made.items.items():
        if items:
            store.write_jsonl(folder / f"{task}.jsonl", items)
    store.write_jsonl(folder / REJECTED, made.rejected)
    store.write_json(folder / INFO, info.model_dump(mode="json"))
    return info


def read_items(folder: Path, task: TaskName) -> Iterator[Item]:
    """The items of a task by id, none where the release has no material for it.

    Raises StoreError where the folder holds no items, and with the line that is no item.
    """
    if not (folder / INFO).is_file():
        raise StoreError(f"{folder}: no items; make them: pairwright tasks RELEASE --out FOLDER")
    return store.read_if_there(folder / f"{task}.jsonl", Item)
