"""The exports in the tools that they are for, each from its own package; a tool that is not installed skips."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pairwright.core.records.items import LABELS, Item, Option
from pairwright.core.records.release import Release
from pairwright.evaluate.asking.questions import Examples, Form, load_wording, make_question
from pairwright.release.verify import read_release, verify_files


@pytest.fixture(scope="module")
def release(rich: Path) -> Release:
    return read_release(rich)


def test_datasets_loads_splits_and_features(release: Release, offline: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    loaded = datasets.load_dataset(str(release.path), cache_dir=str(offline / "cache"))
    assert {split: rows.num_rows for split, rows in loaded.items()} == release.info.splits
    for rows in loaded.values():
        assert tuple(rows.column_names) == release.info.columns
    rows_by_id = {row["id"]: row for rows in loaded.values() for row in rows}
    for pair in release.pairs:
        row = rows_by_id[pair.id]
        expected = pair.model_dump(mode="json")
        assert row == expected


def test_croissant_is_valid_and_gives_the_records(
    release: Release, offline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # absl, which it imports, closes the stderr of its import when logging is configured anew, as a web server does.
    monkeypatch.setattr("sys.stderr", sys.__stderr__)
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = croissant.Dataset(jsonld=str(release.path / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert (list(issues.errors), list(issues.warnings)) == ([], [])
    records = list(dataset.records("pairs"))
    assert [(row["pairs/id"].decode(), row["pairs/sentence_good"].decode()) for row in records] == [
        (pair.id, pair.sentence_good) for pair in release.pairs
    ]
    assert len(list(dataset.records("votes"))) == 2 * len(release.pairs)


def test_cldf_validate_accepts_the_examples(release: Release) -> None:
    pycldf = pytest.importorskip("pycldf", reason="pycldf is not installed")
    metadata = release.path / "cldf" / "Generic-metadata.json"
    done = subprocess.run(
        [sys.executable, "-m", "pycldf", "validate", str(metadata)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    dataset = pycldf.Dataset.from_metadata(metadata)
    (example,) = dataset["ExampleTable"]
    assert example["Analyzed_Word"] == ["Man", "∅", "trūksta", "laik-o"]
    assert example["Gloss"] == ["1SG.DAT", "…", "lack.PRS.3", "time-GEN.SG"]
    assert (example["Translated_Text"], example["Comment"]) == ("I lack time; badly", 'a note, "quoted"')
    assert [source.id for source in dataset.sources] == ["mini"]


def test_lm_eval_finds_the_group_and_reads_every_pair_letter_by_letter(release: Release, offline: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(release.path / "lm_eval"), include_defaults=False)
    assert "mini_cases" in manager.all_groups
    tasks: dict[str, Any] = manager.load(["mini_cases", "mini_cases_exceptions"])["tasks"]
    read = set()
    for task in tasks.values():
        for document in task.test_docs():
            assert task.doc_to_text(document) == ""
            assert task.config.target_delimiter == ""
            read.add((document["pairID"], *task.doc_to_choice(document)))
    assert read == {(pair.id, pair.sentence_good, pair.sentence_bad) for pair in release.pairs}
    verify_files(release.path)


EUROEVAL = """
import json, sys
from pathlib import Path
from euroeval.data_loading import load_raw_data
from euroeval.dataset_configs import get_dataset_config
from euroeval.enums import GenerativeType
from euroeval.generation_utils import apply_prompt, extract_few_shot_examples

config = get_dataset_config("mini-cases", Path(sys.argv[1]))
data = load_raw_data(config, sys.argv[2])
examples = extract_few_shot_examples(data, config, type("Settings", (), {"few_shot": True, "run_with_cli": True}), 0)
rows = {split: [(row["text"], row["label"]) for row in data[split]] for split in data}
asked, chat = {"text": [data["test"][0]["text"]]}, GenerativeType.INSTRUCTION_TUNED
[messages] = apply_prompt(dict(asked), examples, None, config, chat, False, None)["messages"]
[prompt] = apply_prompt(dict(asked), examples, None, config, None, False, None)["text"]
drawn = [(one["text"], one["label"]) for one in examples]
print(json.dumps([rows, config.prompt_label_mapping, drawn, prompt, messages]))
"""


def test_euroeval_loads_the_data_and_draws_its_examples(release: Release, offline: Path) -> None:
    if importlib.util.find_spec("euroeval") is None:
        pytest.skip("euroeval is not installed")
    # In a process without the flows: their evaluate.py hides a package of this name, which EuroEval uses.
    paths = [path for path in sys.path if path and Path(path).name != "flows"]
    done = subprocess.run(
        [sys.executable, "-c", EUROEVAL, str(release.path / "euroeval" / "custom_datasets.py"), str(offline / "cache")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows, words, examples, prompt, messages = json.loads(done.stdout.splitlines()[-1])
    for split, name in (("few_shot", "train"), ("validation", "val"), ("test", "test")):
        own = [pair for pair in release.pairs if pair.split == split]
        expected = {(pair.sentence_good, "correct") for pair in own} | {
            (pair.sentence_bad, "incorrect") for pair in own
        }
        assert {(text, label) for text, label in rows[name]} == expected
    assert words == {"correct": "taip", "incorrect": "ne"}
    n_pairs = release.info.splits["few_shot"]
    assert len(examples) == min(12, 2 * n_pairs)
    assert sum(label == "correct" for _, label in examples) == len(examples) // 2
    # The same examples make the same prompts, for base models and for chat.
    shown = Examples(1, tuple(labelled(text, label) for text, label in examples))
    item, wording = labelled(*rows["test"][0]), load_wording("lt")
    # EuroEval takes away the space at the end where the tokenizer puts it into the label, as ours does.
    assert make_question(item, wording, shown, Form(is_open=True)).text == prompt.strip()
    conversation = make_question(item, wording, shown, Form()).conversation.messages
    assert [{"role": one.role, "content": one.content} for one in conversation] == messages
    verify_files(release.path)


def labelled(text: str, label: str) -> Item:
    options = tuple(Option(text=name) for name in LABELS)
    answers = (0 if label == "correct" else 1,)
    return Item(id=text, task="acceptability", language="lt", context=(text,), options=options, answers=answers)
