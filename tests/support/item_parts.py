"""Items of an imagined release."""

from pairwright.core.records.items import Item, Option, TaskName
from pairwright.evaluate.asking.questions import load_wording

LITHUANIAN = load_wording("lt")


def options(*texts: str) -> tuple[Option, ...]:
    return tuple(Option(text=text) for text in texts)


def make_item(task: TaskName = "minimal-pair", number: int = 0, **fields: object) -> Item:
    of_task: dict[str, dict[str, object]] = {
        "minimal-pair": {"options": options(f"She reads {number} books.", f"She read {number} book.")},
        "sentence-rules": {
            "context": (f"She reads {number} books.",),
            "options": options("Verbs agree", "Verbs come last", "Objects come first"),
        },
        "rule-sentences": {
            "question": "Verbs agree",
            "context": (f"She reads {number} books.",),
            "options": options("no", "yes"),
            "answers": (1,),
        },
        "matrix": {
            "context": (f"Tom broke vase {number}.", f"Vase {number} was broken."),
            "options": options(f"Tom broke {number}.", f"Vase {number} broke."),
        },
        "acceptability": {"context": (f"She reads {number} books.",), "options": options("no", "yes"), "answers": (1,)},
        "translation": {"context": (f"Ji skaito {number} knygas.",), "reference": "x", "condition": "from no rule"},
    }
    said = {"id": f"item-{task}-{number}", "task": task, "language": "lt", "context": (), "answers": (0,)}
    return Item.model_validate(said | of_task[task] | ({"answers": ()} if task == "translation" else {}) | fields)
