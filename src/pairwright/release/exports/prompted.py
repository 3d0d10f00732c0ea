"""Items for programs that ask models: inspect_ai's dataset of samples, and tasks for lm-evaluation-harness.

    inspect_ai.dataset.json_dataset("TASKS/inspect_ai/minimal-pair.jsonl")
    lm_eval --model hf --model_args pretrained=MODEL --include_path TASKS/lm_eval --tasks GROUP

Options of which the data does not say whether they are right are left out of the choices.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template, ascii_uppercase

import yaml

from pairwright.core.codes import language_name
from pairwright.core.errors import ReleaseError
from pairwright.core.records.items import Item, TaskName
from pairwright.release.exports.files import template, write_rows
from pairwright.release.exports.lm_eval import write_group


def write_samples(directory: Path, items: Mapping[TaskName, Sequence[Item]]) -> None:
    """inspect_ai's samples: `<task>.jsonl`, which pairwright asks too, and `<task>.examples.jsonl`.

    `target` is a letter for each right choice, and the reference of a translation. Raises ReleaseError for an item with
    more choices than letters.
    """
    words: dict[str, dict[str, str]] = tomllib.loads(template("tasks.toml"))
    for task, own in items.items():
        for split, name in (("test", f"{task}.jsonl"), ("few_shot", f"{task}.examples.jsonl")):
            if rows := [_sample(item, words[task]) for item in own if item.split == split]:
                write_rows(directory / name, rows)


def _sample(item: Item, words: Mapping[str, str]) -> dict[str, object]:
    choices = [(at, option.text) for at, option in enumerate(item.options) if at not in item.unknown]
    if len(choices) > len(ascii_uppercase):
        raise ReleaseError(f"{item.id}: {len(choices)} options, and letters end at Z; leave the item out")
    letters = [ascii_uppercase[number] for number, (at, _) in enumerate(choices) if at in item.answers]
    metadata = item.model_dump(include={"task", "language", "condition", "split", "rule_ids", "pair_ids", "canary"})
    return {
        "id": item.id,
        "input": "\n".join(_lines(item, words)),
        "choices": [text for _, text in choices] or None,
        "target": letters if choices else item.reference,
        "metadata": metadata,
    }


def _lines(item: Item, words: Mapping[str, str]) -> Iterator[str]:
    """A question in words, for programs that show the choices themselves."""
    if item.question:
        yield f"Rule: {item.question}"
    translations = item.translations or ("",) * len(item.context)
    for text, translated in zip(item.context, translations, strict=True):
        yield f"{'Text' if item.task == 'translation' else 'Sentence'}: {text}"
        if translated:
            yield f"Translation: {translated}"
    yield ""
    key = item.condition.partition(" ")[0] if item.task == "translation" else "ask"
    asked = words["single"] if "single" in words and item.context else words[key]
    yield Template(asked).safe_substitute(language=language_name(item.language) if item.language else "the language")


def write_harness(directory: Path, items: Mapping[TaskName, Sequence[Item]], group: str, version: str) -> None:
    """A group of tasks, one for each condition of each task that has options; the translations have none. Options that
    are not yes and no are shown with letters, which are the choices.

    Of several right options, the most probable option has to be one.
    """
    asked = (item for own in items.values() for item in own if item.options and item.split == "test")
    conditions = sorted({(item.task, item.condition) for item in asked})
    if not conditions:
        return
    tasks: dict[str, tuple[str, str]] = {}
    for task, condition in conditions:
        name = re.sub("[^a-z0-9]+", "_", f"{group}_{task} {condition}".lower()).strip("_")
        while name in tasks:  # another condition that differs in signs or other letters alone
            name += "_2"
        quoted = yaml.safe_dump(condition, default_style='"', allow_unicode=True, width=math.inf).strip()
        tasks[name] = name, f"  task: {task}\n  condition: {quoted}"
    write_group(directory, "items", f"{group}_tasks", tasks, version)
