"""Which questions the items of a task make: the items for testing, after examples that are drawn from the others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from pairwright.core.config import AskSettings
from pairwright.core.ids import digest
from pairwright.core.records.items import Item
from pairwright.evaluate.asking.questions import Examples, Form, Question, make_question, unaskable
from pairwright.evaluate.asking.wording import Wording


@dataclass(frozen=True)
class TaskPlan:
    """The questions of a task, and its items that can't be asked, with the reason.

    shots  the examples that each question has at most; fewer where the release holds fewer
    """

    questions: tuple[Question, ...]
    unaskable: tuple[tuple[Item, str], ...]
    shots: int
    draws: int

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompts of all questions."""
        return tuple(sorted({question.prompt for question in self.questions}))


def plan_task(
    items: Sequence[Item], wordings: Mapping[str, Wording], settings: AskSettings, *, is_open: bool = False
) -> TaskPlan:
    """The questions of a task, draw by draw. Only acceptability has examples, so it alone is asked in several draws.

    wordings  by the items' languages
    """
    reasons = [(item, reason) for item in items if (reason := unaskable(item))]
    excluded = {item.id for item, _ in reasons}
    asked = [item for item in items if item.split == "test" and item.id not in excluded]
    pool = [item for item in items if item.split == "few_shot" and item.id not in excluded]
    is_shown = any(item.task == "acceptability" for item in asked) and bool(pool) and settings.shots > 0
    draws = range(1, settings.draws + 1) if is_shown else (0,)
    form = Form(settings.seed, is_open)
    questions = []
    for draw in draws:
        for code in sorted({item.language for item in asked}):
            of_language = [item for item in pool if item.language == code] if is_shown else []
            examples = Examples(draw, draw_examples(of_language, settings.shots, draw, settings.seed))
            own = (item for item in asked if item.language == code)
            questions += [make_question(item, wordings[code], examples, form) for item in own]
    shots = min(settings.shots, len(pool)) if is_shown else 0
    return TaskPlan(tuple(questions), tuple(reasons), shots, len(draws))


def draw_examples(pool: Sequence[Item], shots: int, draw: int, seed: int) -> tuple[Item, ...]:
    """At most `shots` items of the pool, with as many of each answer as there are, in an order of the draw's own.

    Another item in the pool changes a draw by that item at the most.

    Source: EuroEval draws other examples for each of its ten iterations, with the labels in turn (Nielsen 2023,
    "ScandEval: A Benchmark for Scandinavian Natural Language Processing", NoDaLiDa).
    """

    def place(item: Item) -> str:
        return digest([seed, draw, item.id])

    by_answer: dict[tuple[int, ...], list[Item]] = defaultdict(list)
    for item in sorted(pool, key=place):
        by_answer[item.answers].append(item)
    in_turn = chain.from_iterable(zip_longest(*(by_answer[answers] for answers in sorted(by_answer))))
    return tuple(sorted([item for item in in_turn if item is not None][:shots], key=place))
