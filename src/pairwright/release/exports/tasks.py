"""The release as tasks: for lm-evaluation-harness and EuroEval, and as a folder of items that `datasets` loads.

lm_eval's `target_delimiter` is empty: with its default, a space, it would score " Sentence", which is another string of
tokens. EuroEval reads local data from CSV files alone; their cells are the plain sentences, since an apostrophe against
formulas would be scored. Options of which the data does not say whether they are right are no choices.
"""

import math
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import comb
from pathlib import Path
from statistics import fmean
from string import Template, ascii_uppercase

import yaml

from pairwright.core import store
from pairwright.core.codes import language_name
from pairwright.core.errors import ReleaseError, counted
from pairwright.core.records import Rejection, Rule
from pairwright.core.records.items import Item, ItemsInfo, TaskName
from pairwright.core.records.release import ExcludedPair, ReleaseInfo, ReleasePair, Split
from pairwright.release.contents.contents import TEXT, ColumnType, ReleaseContents
from pairwright.release.exports.tables import filled_template, template, write_csv, write_rows
from pairwright.release.verify import EXCLUDED, RULES, read_matrices, read_records, read_release
from pairwright.tasks.instances import Material, lowest_split
from pairwright.tasks.make import ItemSet, ItemSettings, make_items, write_items
from pairwright.tasks.questions import TextFile, labelled_sentences, text_items

EXCEPTIONS = "exceptions"


def group_name(name: str) -> str:
    """The name of a release as the name of its group of tasks."""
    return re.sub(r"[^a-z0-9]+", "_", name)


def _write_group(directory: Path, kind: str, group: str, tasks: Mapping[str, tuple[str, str]], version: str) -> None:
    """A group of tasks and the lines that load its pairs or items, which `kind` says. `tasks` have their names and
    arguments by file; that of the exceptions is in no group."""
    names = (f"  - {name}" for file, (name, _) in tasks.items() if file != EXCEPTIONS)
    group_file = filled_template("lm_eval_group.yaml", group=group, tasks="\n".join(names), version=version)
    files = {"_template_yaml": filled_template(f"lm_eval_{kind}_template.yaml", version=version)}
    files |= {f"_{group}.yaml": group_file, f"{kind}.py": template(f"lm_eval_{kind}.py.txt")}
    for file, (name, arguments) in tasks.items():
        files[f"{file}.yaml"] = filled_template("lm_eval_task.yaml", task=name, arguments=arguments)
    for file, text in files.items():
        store.write_text(directory / file, text)


def write_lm_eval(directory: Path, contents: ReleaseContents) -> str | None:
    """The group, its tasks and the few lines that load their pairs."""
    info = contents.info
    group = group_name(info.name)
    uids = dict.fromkeys(pair.uid for pair in contents.pairs if not pair.exception)
    if not uids:
        return "all pairs are exceptions, and the group of tasks holds regular pairs"
    # A rule whose UID begins with the group's name needs no other.
    names = {uid: uid if uid.startswith(f"{group}_") else f"{group}_{uid}" for uid in uids}
    tasks = {uid: (name, f"  uid: {uid}\n  exception: false") for uid, name in names.items()}
    if info.n_exceptions:
        tasks[EXCEPTIONS] = (f"{group}_{EXCEPTIONS}", "  exception: true")
    _write_group(directory, "pairs", group, tasks, info.version)
    return None


# EuroEval's names of the splits.
_EUROEVAL_SPLITS: dict[Split, str] = {"few_shot": "train", "validation": "val", "test": "test"}
_EUROEVAL_EXAMPLES = 12

Row = tuple[str, str]


def write_euroeval(directory: Path, contents: ReleaseContents) -> str | None:
    """`<language>/train.csv`, `val.csv` and `test.csv`, and `custom_datasets.py`, which EuroEval loads.

    A sentence that is good in one pair and bad in another has no one label; it stands in `<language>/left_out.jsonl`.
    """
    questions: dict[str, dict[str, str]] = tomllib.loads(template("euroeval.toml"))
    configs, reasons, constants = [], [], []
    for language in contents.languages:
        if language not in questions:
            reasons.append(f"no prompts in {language}, which EuroEval would ask in")
            continue
        labelled, contradictory = euroeval_rows(pair for pair in contents.pairs if pair.language == language)
        empty = [split for split, name in _EUROEVAL_SPLITS.items() if not labelled[name]]
        if empty:
            reasons.append(f"no {language} pair in the split {' and '.join(empty)}, without which EuroEval can't load")
            continue
        for name, rows in labelled.items():
            write_csv(directory / language / f"{name}.csv", ("text", "label"), rows)
        if contradictory:
            reason = "good in one pair and bad in another"
            left_out = ({"text": text, "reason": reason} for text in contradictory)
            write_rows(directory / language / "left_out.jsonl", left_out)
        constants.append(questions[language]["constant"])
        configs.append(_euroeval_config(contents, language, questions[language], labelled["train"]))
    if configs:
        head = filled_template("euroeval_head.py.txt", canary=contents.info.canary, constants=", ".join(constants))
        store.write_text(directory / "custom_datasets.py", head + "\n".join(configs))
    return "; ".join(reasons) or None


def euroeval_rows(pairs: Iterable[ReleasePair]) -> tuple[dict[str, list[Row]], list[str]]:
    """Text and label by EuroEval's split, each sentence once; and the sentences that have both labels."""
    rows: dict[str, list[Row]] = {name: [] for name in _EUROEVAL_SPLITS.values()}
    contradictory: list[str] = []
    for text, (labels, own) in labelled_sentences(pairs).items():
        if len(labels) == 1:
            rows[_EUROEVAL_SPLITS[lowest_split(own)]].append((text, "correct" if True in labels else "incorrect"))
        else:
            contradictory.append(text)
    return rows, contradictory


def _euroeval_config(contents: ReleaseContents, language: str, question: dict[str, str], train: list[Row]) -> str:
    group = group_name(contents.info.name)
    name = group.replace("_", "-")
    fewest = min(sum(row[1] == label for row in train) for label in ("correct", "incorrect"))
    texts = {
        "name": f"{name}-{language}" if len(contents.languages) > 1 else name,
        "title": contents.info.title,
        "language": language,
        **{key: text for key, text in question.items() if key != "constant"},
    }
    return filled_template(
        "euroeval_dataset.py.txt",
        variable=f"{group}_{language.replace('-', '_')}_CONFIG".upper(),
        constant=question["constant"],
        # As many of each label: what EuroEval draws in turn.
        examples=str(min(_EUROEVAL_EXAMPLES, 2 * fewest)),
        **{key: repr(text) for key, text in texts.items()},
    )


_INTEGER = "int64"
_OTHER_THAN_TEXT: dict[str, ColumnType] = {
    "context": [TEXT],
    "translations": [TEXT],
    "options": [{"text": TEXT, "label": TEXT, "rule_id": TEXT}],
    "answers": [_INTEGER],
    "unknown": [_INTEGER],
    "rule_ids": [TEXT],
    "pair_ids": [TEXT],
    "seed": _INTEGER,
}
_ITEM_COLUMNS: dict[str, ColumnType] = {name: _OTHER_THAN_TEXT.get(name, TEXT) for name in Item.model_fields}


def write_tasks(directory: Path, contents: ReleaseContents) -> str | None:
    """The items that a release is frozen with, at most as many of a task as release.json says."""
    info = contents.info
    if not info.items and not contents.matrices:
        return "`items` under [release] is 0, so none are made"
    settings = ItemSettings(items=info.items)
    made = make_items(Material(contents.pairs, contents.rules, contents.excluded), settings, info.canary)
    _write_item_folder(directory, _with_matrices(made, contents.matrices, info), settings, info)
    return None


def make_tasks(directory: Path, out: Path, settings: ItemSettings, texts: TextFile | None = None) -> ItemsInfo:
    """Writes the items of a release that is frozen already into a new folder, whole or not at all.

    texts  to translate, beside the release's own sentences

    Raises SourceError where these can't be read, and ReleaseError where the release is of several languages and there
    are any, where the release has changed since it was frozen, and where `out` is there or can't be written.
    """
    if os.path.lexists(out):
        raise ReleaseError(f"{out}: exists already; give a new folder by --out")
    release = read_release(directory)
    rules = tuple(read_records(directory / RULES, Rule))
    excluded = tuple(read_records(directory / EXCLUDED, ExcludedPair))
    made = make_items(Material(release.pairs, rules, excluded), settings, release.info.canary)
    made = _with_matrices(made, tuple(read_matrices(directory)), release.info)
    if texts is not None:
        languages = sorted({pair.language for pair in release.pairs})
        if len(languages) != 1:
            raise ReleaseError(
                f"{texts.path}: the release is of {', '.join(languages)}; texts need one of a single language"
            )
        of_texts = list(text_items(texts, languages[0], settings.seed))
        items = [*made.items["translation"], *(item for item in of_texts if isinstance(item, Item))]
        rejected = (item for item in of_texts if isinstance(item, Rejection))
        translations = tuple(item for _, item in sorted({item.id: item for item in items}.items()))
        made = made._replace(items={**made.items, "translation": translations}, rejected=(*made.rejected, *rejected))
    try:
        with store.whole_folder(out) as building:
            return _write_item_folder(building, made, settings, release.info)
    except OSError as fault:
        raise ReleaseError(f"{out}: can't be written: {fault.strerror}") from None


def _with_matrices(made: ItemSet, matrices: Sequence[Item], release: ReleaseInfo) -> ItemSet:
    """The items with a release's problems of matrices, which are made from templates and not from its pairs."""
    own = {item.id: item.model_copy(update={"canary": release.canary}) for item in matrices}
    return made._replace(items={**made.items, "matrix": tuple(own[key] for key in sorted(own))}) if own else made


def _write_item_folder(directory: Path, made: ItemSet, settings: ItemSettings, release: ReleaseInfo) -> ItemsInfo:
    """Fills a folder: the items, a card with the metadata that `datasets` reads, and the exports. Raises OSError."""
    name = f"{release.name}-{release.version}"
    info = write_items(directory, made, settings, name, release.canary)
    asked = {task: [item for item in own if item.split != "train"] for task, own in made.items.items()}
    write_samples(directory / "inspect_ai", asked)
    group = group_name(release.name)
    write_harness(directory / "lm_eval", asked, group, release.version)
    store.write_text(directory / "README.md", _tasks_card(info, made, group))
    return info


def _count_row(*items: Item, name: str) -> str:
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


def _tasks_card(info: ItemsInfo, made: ItemSet, group: str) -> str:
    """README.md: the tasks as configurations of a dataset, how many items each has, and what is missing."""
    tasks = [task for task, items in made.items.items() if items]
    configs = [{"config_name": task, "data_files": [{"split": "test", "path": f"{task}.jsonl"}]} for task in tasks]
    features = [{"name": name, **_feature(kind)} for name, kind in _ITEM_COLUMNS.items()]
    described = [{"config_name": task, "features": features} for task in tasks]
    metadata = str(yaml.safe_dump({"configs": configs, "dataset_info": described}, sort_keys=False, width=10_000))
    by_condition: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for task, items in made.items.items():
        for item in items:
            by_condition[task, item.condition].append(item)
    rows = [_count_row(*by_condition[key], name=" | ".join((key[0], key[1] or "-"))) for key in sorted(by_condition)]
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
        "input": "\n".join(_question_lines(item, words)),
        "choices": [text for _, text in choices] or None,
        "target": letters if choices else item.reference,
        "metadata": metadata,
    }


def _question_lines(item: Item, words: Mapping[str, str]) -> Iterator[str]:
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
    _write_group(directory, "items", f"{group}_tasks", tasks, version)
