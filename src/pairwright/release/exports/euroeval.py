"""Acceptability data for EuroEval: each sentence by itself, labelled correct or incorrect.

    euroeval --model MODEL --dataset DATASET --custom-datasets-file RELEASE/euroeval/custom_datasets.py

EuroEval's train split, from which it takes its examples, is few_shot. It reads local data from CSV files alone, and its
cells are the plain sentences: an apostrophe against formulas would be scored.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from pairwright.core import store
from pairwright.core.records.release import ReleasePair, Split
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import filled_template, template, write_csv, write_rows
from pairwright.release.exports.lm_eval import group_name
from pairwright.tasks.drawing import lowest_split
from pairwright.tasks.sentence_tasks import labelled_sentences

# EuroEval's names of the splits.
SPLITS: dict[Split, str] = {"few_shot": "train", "validation": "val", "test": "test"}
EXAMPLES = 12

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
        empty = [split for split, name in SPLITS.items() if not labelled[name]]
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
        configs.append(_config(contents, language, questions[language], labelled["train"]))
    if configs:
        head = filled_template("euroeval_head.py.txt", canary=contents.info.canary, constants=", ".join(constants))
        store.write_text(directory / "custom_datasets.py", head + "\n".join(configs))
    return "; ".join(reasons) or None


def euroeval_rows(pairs: Iterable[ReleasePair]) -> tuple[dict[str, list[Row]], list[str]]:
    """Text and label by EuroEval's split, each sentence once; and the sentences that have both labels."""
    rows: dict[str, list[Row]] = {name: [] for name in SPLITS.values()}
    contradictory: list[str] = []
    for text, (labels, own) in labelled_sentences(pairs).items():
        if len(labels) == 1:
            rows[SPLITS[lowest_split(own)]].append((text, "correct" if True in labels else "incorrect"))
        else:
            contradictory.append(text)
    return rows, contradictory


def _config(contents: ReleaseContents, language: str, question: dict[str, str], train: list[Row]) -> str:
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
        examples=str(min(EXAMPLES, 2 * fewest)),
        **{key: repr(text) for key, text in texts.items()},
    )
