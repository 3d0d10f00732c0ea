"""Items made from a release: a folder that `datasets` loads task by task, with exports for programs that ask models."""

from collections import defaultdict
from collections.abc import Sequence
from math import comb
from pathlib import Path
from statistics import fmean

import yaml

from pairwright.core import store
from pairwright.core.errors import counted
from pairwright.core.records.items import Item, ItemsInfo
from pairwright.core.records.release import ReleaseInfo
from pairwright.release.contents.contents import TEXT, ColumnType, ReleaseContents
from pairwright.release.exports.files import filled_template
from pairwright.release.exports.lm_eval import group_name
from pairwright.release.exports.prompted import write_harness, write_samples
from pairwright.tasks.instances import Material
from pairwright.tasks.make import ItemSet, ItemSettings, make_items, write_items

INTEGER = "int64"
_OTHER_THAN_TEXT: dict[str, ColumnType] = {
    "context": [TEXT],
    "translations": [TEXT],
    "options": [{"text": TEXT, "label": TEXT, "rule_id": TEXT}],
    "answers": [INTEGER],
    "unknown": [INTEGER],
    "rule_ids": [TEXT],
    "pair_ids": [TEXT],
    "seed": INTEGER,
}
COLUMNS: dict[str, ColumnType] = {name: _OTHER_THAN_TEXT.get(name, TEXT) for name in Item.model_fields}


def write_tasks(directory: Path, contents: ReleaseContents) -> str | None:
    """The items that a release is frozen with, at most as many of a task as release.json says."""
    info = contents.info
    if not info.items and not contents.matrices:
        return "`items` under [release] is 0, so none are made"
    settings = ItemSettings(items=info.items)
    made = make_items(Material(contents.pairs, contents.rules, contents.excluded), settings, info.canary)
    write_item_folder(directory, with_matrices(made, contents.matrices, info), settings, info)
    return None


def with_matrices(made: ItemSet, matrices: Sequence[Item], release: ReleaseInfo) -> ItemSet:
    """The items with a release's problems of matrices, which are made from templates and not from its pairs."""
    own = {item.id: item.model_copy(update={"canary": release.canary}) for item in matrices}
    return made._replace(items={**made.items, "matrix": tuple(own[key] for key in sorted(own))}) if own else made


def write_item_folder(directory: Path, made: ItemSet, settings: ItemSettings, release: ReleaseInfo) -> ItemsInfo:
    """Fills a folder: the items, a card with the metadata that `datasets` reads, and the exports. Raises OSError."""
    name = f"{release.name}-{release.version}"
    info = write_items(directory, made, settings, name, release.canary)
    asked = {task: [item for item in own if item.split != "train"] for task, own in made.items.items()}
    write_samples(directory / "inspect_ai", asked)
    group = group_name(release.name)
    write_harness(directory / "lm_eval", asked, group, release.version)
    store.write_text(directory / "README.md", _card(info, made, group))
    return info


def _counted(*items: Item, name: str) -> str:
    asked = [item for item in items if item.split == "test"]
    chances = [1 / comb(len(item.options), len(item.answers)) for item in asked if item.options]
    chance = f"{100 * fmean(chances):.0f}%" if chances else "-"
    return f"| {name} | {len(items)} | {len(asked)} | {chance} |"


def _feature(kind: ColumnType) -> dict[str, object]:
    """The type of a column, as `datasets` writes it into the metadata of a card."""
    if isinstance(kind, str):
        return {"dtype": kind}
    item = kind[0]
    return {"list": item if isinstance(item, str) else [{"name": name, "dtype": one} for name, one in item.items()]}


def _card(info: ItemsInfo, made: ItemSet, group: str) -> str:
    """README.md: the tasks as configurations of a dataset, how many items each has, and what is missing."""
    tasks = [task for task, items in made.items.items() if items]
    configs = [{"config_name": task, "data_files": [{"split": "test", "path": f"{task}.jsonl"}]} for task in tasks]
    features = [{"name": name, **_feature(kind)} for name, kind in COLUMNS.items()]
    described = [{"config_name": task, "features": features} for task in tasks]
    metadata = str(yaml.safe_dump({"configs": configs, "dataset_info": described}, sort_keys=False, width=10_000))
    by_condition: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for task, items in made.items.items():
        for item in items:
            by_condition[task, item.condition].append(item)
    rows = [_counted(*by_condition[key], name=" | ".join((key[0], key[1] or "-"))) for key in sorted(by_condition)]
    if "matrix" in tasks:
        note = "Problems of matrices are made from templates and their words; those of the split `train` are for "
        rows += ["", f"{note}training, and the exports leave them out."]
    missing = [task for task, items in made.items.items() if not items]
    lines = [f"No item of {task}: the release has no material for it." for task in missing]
    lines += [f"{task}: {n} times what was drawn gave no item." for task, n in info.not_made.items()]
    lines += [f"{counted(len(made.rejected), 'line')} of `items.rejected.jsonl`."] if made.rejected else []
    return filled_template(
        "tasks_readme.md",
        metadata=metadata.strip(),
        release=info.release,
        most=str(info.items),
        each="size of a question" if info.sweep else "task",
        seed=str(info.seed),
        canary=info.canary,
        counts="\n".join(rows),
        missing="\n".join(f"- {line}" for line in lines or ["Nothing."]),
        example=tasks[0] if tasks else "minimal-pair",
        group=group,
    )
