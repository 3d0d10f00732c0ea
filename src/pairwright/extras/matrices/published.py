"""Reads published matrices: a TAB-separated table with a problem a row, as the Blackbird Language Matrices have it.

The columns are ID, Sent_1 to Sent_N, and of each answer its text (Answer_1), why it is wrong (Answer_label_1), whether
it is right (Answer_value_1, True or False) and the pattern that it fills (Answer_template_1).

Source: Samo, Nastase, Jiang and Merlo (2023), BLM-s/lE: A structured dataset of English spray-load verb alternations.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from pairwright.core.errors import SourceError, at, counted
from pairwright.core.files import read_text
from pairwright.core.ids import content_id, digest
from pairwright.core.records.items import Item, Option
from pairwright.core.tables import read_table

_MOST_BYTES = 200_000_000
_SENTENCE, _ANSWER = re.compile(r"Sent_(\d{1,3})"), re.compile(r"Answer_(\d{1,3})")
_SET_NUMBER = re.compile(r"\d+(?!\S)")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class Published(NamedTuple):
    """The problems of a published table, and in a line each what of the table is not as it was published."""

    items: list[Item]
    notes: list[str]


def read_published(path: Path, language: str, test_share: float = 0.1, seed: int = 0) -> Published:
    """The problems of a published table, in its order. The condition of each is the name of the file.

    Wrong answers that are equal in all rows are one; rows in which others are equal are left out.

    test_share  how many of the problems are for testing, at least; problems with one right answer stay together

    Raises SourceError with file and line where an answer is missing, not exactly one is right, or a wrong one is equal
    to it.
    """
    problems, notes = _problems(path, language)
    if not problems:
        raise SourceError(f"{path}: no problem in it; give a table with one a row")
    by_right: dict[str, list[Item]] = defaultdict(list)
    for item in problems:
        by_right[item.options[item.answers[0]].text].append(item)
    held_out: set[str] = set()
    for right in sorted(by_right, key=lambda text: digest([seed, text])):
        if len(held_out) < test_share * len(problems):
            held_out |= {item.id for item in by_right[right]}
    splits = ("test" if item.id in held_out else "train" for item in problems)
    items = [item.model_copy(update={"split": split}) for item, split in zip(problems, splits, strict=True)]
    return Published(items, notes)


def _problems(path: Path, language: str) -> tuple[list[Item], list[str]]:
    header, rows = read_table(path, read_text(path, _MOST_BYTES, SourceError), "\t", SourceError)
    sentences = sorted((name for name in header if _SENTENCE.fullmatch(name)), key=_number)
    numbers = sorted(_number(name) for name in header if _ANSWER.fullmatch(name))
    wanted = {f"Answer_{part}_{number}" for part in ("label", "value") for number in numbers}
    if not sentences or len(numbers) < 2 or (missing := sorted(wanted - set(header))):
        lacking = "Sent_1" if not sentences else "Answer_1 and Answer_2" if len(numbers) < 2 else missing[0]
        raise SourceError(f"{at(path, 1)}: no column {lacking}; matrices are TAB-separated tables with a problem a row")
    read = [(at(path, row.line), row.cells) for row in rows]
    columns: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number in numbers:
        columns[tuple(row[f"Answer_{number}"].strip() for _, row in read)].append(number)
    answers = list(columns.values())
    notes = [f"answers {', '.join(map(str, own))} are equal in all rows: one answer" for own in answers if own[1:]]
    seen: dict[str, str] = {}
    items, left_out = [], []
    for place, row in read:
        item = _problem(place, row, sentences, answers, (language, path.stem))
        if item is None:
            left_out.append(place)
        elif seen.setdefault(item.id, place) != place:
            raise SourceError(f"{place}: the same problem as {seen[item.id]}; take one of them out")
        else:
            items.append(item)
    if left_out:
        notes.append(f"{counted(len(left_out), 'row')} left out, as two wrong answers are equal: first {left_out[0]}")
    return items, notes


def _problem(
    place: str,
    row: Mapping[str, str],
    sentences: Sequence[str],
    answers: Sequence[Sequence[int]],
    names: tuple[str, str],
) -> Item | None:
    """A problem with its answers shuffled: in published tables the right one comes first. None with equal wrong ones.

    answers  the numbers of each answer's columns, several where they are equal in all rows
    """
    numbers = sorted(number for own in answers for number in own)
    for column in (*sentences, *(f"Answer_{number}" for number in numbers)):
        if not row[column].strip():
            raise SourceError(f"{place}: {column} is empty; fill it in, or take the line out")
    right = [number for number in numbers if _truth(place, row, number)]
    if len(right) != 1:
        raise SourceError(f"{place}: {len(right)} answers are right by Answer_value; exactly one has to be")
    said = [row[f"Answer_{number}"].strip() for number in numbers]
    if said.count(row[f"Answer_{right[0]}"].strip()) > 1:
        raise SourceError(f"{place}: the right answer stands there twice, as a wrong one too; tell them apart")
    texts = {own[0]: row[f"Answer_{own[0]}"].strip() for own in answers}
    if len(set(texts.values())) < len(texts):
        return None
    label_of = {own[0]: "/".join(dict.fromkeys(_label(row, number, right[0]) for number in own)) for own in answers}
    context = tuple(row[column].strip() for column in sentences)
    shown = sorted(texts, key=lambda number: digest([context, texts[number]]))
    options = tuple(Option(text=texts[number], label=label_of[number]) for number in shown)
    language, condition = names
    content = {"task": "matrix", "language": language, "context": context, "condition": condition}
    made = {
        "id": content_id("item", content, [option.text for option in options]),
        "options": options,
        "answers": (shown.index(right[0]),),
    }
    try:
        return Item.model_validate(content | made)
    except ValidationError as fault:
        raise SourceError(f"{place}: {fault.errors(include_url=False)[0]['msg']}; correct the line") from None


def _label(row: Mapping[str, str], number: int, right: int) -> str:
    """As of problems that are made of templates: nothing where right, else the kind of error and the pattern.

    The numbers in a pattern only tell lexical sets apart.
    """
    label = "_".join(row[f"Answer_label_{number}"].split()) or "wrong"
    pattern = _SET_NUMBER.sub("", row.get(f"Answer_template_{number}", ""))
    return "" if number == right else " ".join([label, *pattern.split()])


def _truth(place: str, row: Mapping[str, str], number: int) -> bool:
    name = f"Answer_value_{number}"
    try:
        return _TRUTHS[row[name].strip().casefold()]
    except KeyError:
        raise SourceError(f"{place}: {name} is '{row[name]}', not True or False; correct the cell") from None


def _number(column: str) -> int:
    return int(column.rpartition("_")[2])
