"""A folder of items: items.json, a file of items for each task that has any, and what no item could be made of."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pairwright import store
from pairwright.errors import StoreError
from pairwright.items.make import ItemSet, ItemSettings
from pairwright.records.items import Item, ItemsInfo, TaskName

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
        raise StoreError(f"{folder}: no items; make them: pairwright tasks make RELEASE --out FOLDER")
    return store.read_if_there(folder / f"{task}.jsonl", Item)
