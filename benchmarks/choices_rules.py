"""Which options a loaded model chose by each way of comparing them, from what `pairwright evaluate --tasks` kept.

    python benchmarks/choices_rules.py ITEMS RESPONSES

ITEMS is a folder of items, RESPONSES the responses.jsonl of a model. A line for each task and way has the share
of items with exactly the right options, of options that are chosen, and of items by how many are chosen. A way that
always chooses all options, none, or the same label says nothing of the items.
"""

import sys
from collections import Counter, defaultdict
from pathlib import Path

from pairwright.core.records.items import Item, Response
from pairwright.core.store import read_jsonl
from pairwright.reporting.analysis.tasks import is_right
from pairwright.stats.choice import by_sum, calibrated, choose, per_character, per_token
from pairwright.tasks.make import TASKS, read_items


def main(folder: Path, responses: Path) -> None:
    items = {item.id: item for task in TASKS for item in read_items(folder, task)}
    by_task: dict[str, list[tuple[Item, Response]]] = defaultdict(list)
    for response in read_jsonl(responses, Response):
        if response.scores:
            by_task[items[response.item_id].task].append((items[response.item_id], response))
    print("| task | way | answers | right | options chosen | chosen by item, or label |\n|---|---|--:|--:|--:|---|")
    for task, rows in by_task.items():
        for measure in (by_sum, per_token, per_character, calibrated):
            chosen = [(item, choose(said.scores, said.denials, measure)) for item, said in rows]
            right = sum(is_right(item, indices) for item, indices in chosen) / len(rows)
            share = sum(len(indices) for _, indices in chosen) / sum(len(item.options) for item, _ in chosen)
            counts = Counter(
                item.options[indices[0]].text if item.is_labelled else str(len(indices)) for item, indices in chosen
            )
            listed = ", ".join(f"{name}: {count / len(rows):.0%}" for name, count in sorted(counts.items()))
            print(f"| {task} | {measure.__name__} | {len(rows):,} | {right:.1%} | {share:.1%} | {listed} |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
