"""Made-up items, and what models answer that know all answers, guess."""

import random
from collections.abc import Iterable, Sequence

from pairwright.core.ids import content_id
from pairwright.core.records.items import LABELS, Item, Option, Response, TaskName, TaskRun
from pairwright.reporting.analysis.groups import Row
from pairwright.reporting.analysis.tasks import pooled, task_scores
from pairwright.reporting.data import AnsweredItem

N_RULES, N_ITEMS = 60, 500
# The conditions of each task and, after them, how many options and right ones an item has.
_DESIGN: dict[TaskName, tuple[tuple[str, int, int], ...]] = {
    "sentence-rules": (("n=2 section", 2, 1), ("n=2 far", 2, 1), ("n=4 far", 4, 2)),
    "rule-sentences": (("n=1 broken", 2, 1),),
    "sentences-rules": (("m=2 n=4 far", 4, 2),),
    "minimal-pair": (("rule", 2, 1), ("no rule", 2, 1)),
    "acceptability": (("", 2, 1),),
}


def made_items(n: int = N_ITEMS, seed: int = 0) -> list[Item]:
    """Items with made-up words, `n` of each task, a rule each in turn."""
    generator = random.Random(seed)
    return [
        _item(task, *conditions[number % len(conditions)], number, generator)
        for task, conditions in _DESIGN.items()
        for number in range(n)
    ]


def _item(task: TaskName, condition: str, n_options: int, n_right: int, number: int, generator: random.Random) -> Item:
    is_labelled = task == "acceptability" or condition.startswith("n=1 ")
    texts = LABELS if is_labelled else [f"Option {number}.{place}" for place in range(n_options)]
    n_unknown = int(n_options > 2 and generator.random() < 0.1)
    drawn = generator.sample(range(n_options), n_right + n_unknown)
    return Item(
        id=content_id("item", task, condition, number),
        task=task,
        language="lt",
        context=(f"Sentence {number}.",),
        options=tuple(Option(text=text) for text in texts),
        answers=tuple(sorted(drawn[:n_right])),
        unknown=tuple(sorted(drawn[n_right:])),
        rule_ids=(f"rule-{number % N_RULES:02}",),
        condition=condition,
    )


def response(item: Item, chosen: Iterable[int], model: str = "made", draw: int = 0) -> Response:
    """An answer to an item whose options were shown in an order of the item's own."""
    shown = list(range(len(item.options)))
    random.Random(item.id).shuffle(shown)
    return Response(
        item_id=item.id,
        model=model,
        draw=draw,
        prompt="ask@1 0",
        shown=() if item.is_labelled else tuple(shown),
        outcome="answered",
        raw=item.reference or "",
        chosen=tuple(sorted(chosen)),
    )


def oracle(items: Sequence[Item], seed: int = 0) -> list[AnsweredItem]:
    """What a model answers that knows all answers."""
    return [AnsweredItem(item, response(item, item.answers)) for item in items]


def guessing(items: Sequence[Item], seed: int = 0) -> list[AnsweredItem]:
    """What a model answers that draws as many options as are right at random."""
    generator = random.Random(seed)
    return [
        AnsweredItem(item, response(item, generator.sample(range(len(item.options)), len(item.answers))))
        for item in items
    ]


def scores(rows: Sequence[AnsweredItem]) -> list[Row]:
    """The scores of the first table."""
    return [
        {"task": task, "condition": condition, **score}
        for (task, condition), own in pooled(rows).items()
        for score in task_scores(task, own)
        if score["metric"] in ("accuracy", "MCC")
    ]


def run_of(release: str, sha256: str, model: str = "made") -> TaskRun:
    """The record of a run by a chat model."""
    return TaskRun(release=release, release_sha256=sha256, model=model, requested=model, policy="chat")
