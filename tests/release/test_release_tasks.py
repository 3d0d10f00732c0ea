"""The items of a release: frozen and verified with it, made again in other numbers, loaded by other tools."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from release_parts import Build, matrix

from pairwright.core.errors import ReleaseError, StoreError
from pairwright.core.ids import file_sha256
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item, Option, TaskName
from pairwright.core.store import read_jsonl
from pairwright.release.consistency import verify_contents
from pairwright.release.exports.tasks import make_tasks, write_harness, write_samples
from pairwright.release.verify import MANIFEST, read_manifest
from pairwright.tasks.make import TASKS, ItemSettings, read_items
from pairwright.tasks.questions import TextFile

FROZEN: tuple[TaskName, ...] = (*TASKS, "matrix")


@pytest.fixture
def release(rich: Path, tmp_path: Path) -> Path:
    """A release of its own for a test to change."""
    return Path(shutil.copytree(rich, tmp_path / rich.name))


def test_a_release_is_frozen_with_its_items_and_verified_with_them(rich: Path) -> None:
    verify_contents(rich)
    assert [(item.split, bool(item.canary)) for item in read_items(rich / "tasks", "matrix")] == [
        ("train", True),
        ("test", True),
        ("test", True),
    ]
    for task in TASKS:
        items = list(read_items(rich / "tasks", task))
        assert sum(item.split != "few_shot" for item in items) <= 60
        assert bool(items) == (task != "sentences-rules")  # three rules: too few for four options
    card = (rich / "README.md").read_text(encoding="utf-8")
    assert "| `tasks/` | questions with options made from the pairs, at most 60 a task" in card
    assert "No item of sentences-rules" in (rich / "tasks" / "README.md").read_text(encoding="utf-8")


def test_without_items_a_release_has_no_tasks_and_says_why(build: Build) -> None:
    result = build(settings={"items": 0})
    assert "is 0" in result.info.left_out["tasks"]
    assert not [name for name in read_manifest(result.path / MANIFEST) if name.startswith("tasks/")]
    with pytest.raises(StoreError, match="no items; make them: pairwright tasks"):
        read_items(result.path / "tasks", "minimal-pair")


def test_items_made_afterwards_are_those_of_the_release(rich: Path, tmp_path: Path) -> None:
    make_tasks(rich, tmp_path / "again", ItemSettings(items=60))
    files = sorted(path for path in (tmp_path / "again").rglob("*") if path.is_file())
    assert files
    for path in files:
        own = rich / "tasks" / path.relative_to(tmp_path / "again")
        assert file_sha256(path) == file_sha256(own), path


def test_texts_of_a_user_that_lack_a_side_are_among_the_rejected(rich: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.tsv").write_text("lt\ten\nLyja.\tIt rains.\n\tIt snows.\n", encoding="utf-8")
    make_tasks(rich, tmp_path / "items", ItemSettings(items=1), TextFile(tmp_path / "texts.tsv", "lt", "en"))
    asked = {(item.condition, item.context, item.reference) for item in read_items(tmp_path / "items", "translation")}
    assert asked >= {("from texts", ("Lyja.",), "It rains."), ("into texts", ("It rains.",), "Lyja.")}
    rejected = list(read_jsonl(tmp_path / "items" / "items.rejected.jsonl", Rejection))
    own = [(line.file, line.line, line.text, line.reason) for line in rejected if line.source_id == "texts"]
    assert own == [("texts.tsv", 3, "It snows.", "the cell 'lt' is empty")]


def test_items_never_overwrite_a_folder_and_never_come_from_a_changed_release(release: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ReleaseError, match="there: exists already; give a new folder"):
        make_tasks(release, tmp_path / "there", ItemSettings())
    with (release / "pairs.jsonl").open("a", encoding="utf-8") as handle:
        handle.write("\n")
    with pytest.raises(ReleaseError, match=r"pairs\.jsonl: changed since"):
        make_tasks(release, tmp_path / "new", ItemSettings())
    assert not (tmp_path / "new").exists()


def test_samples_of_inspect_ask_all_that_the_item_says(rich: Path) -> None:
    for task in FROZEN:
        items = {item.id: item for item in read_items(rich / "tasks", task) if item.split == "test"}
        path = rich / "tasks" / "inspect_ai" / f"{task}.jsonl"
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if items else []
        assert [row["id"] for row in rows] == list(items)
        for row in rows:
            item = items[row["id"]]
            assert all(text in row["input"] for text in (*item.context, item.question, *item.translations))
            if task == "translation":
                assert (row["choices"], row["target"]) == (None, item.reference)
            else:
                right = {row["choices"]["ABCDEFGHIJ".index(letter)] for letter in row["target"]}
                assert right == {item.options[place].text for place in item.answers}


def test_inspect_reads_its_samples(rich: Path) -> None:
    dataset: Any = pytest.importorskip("inspect_ai.dataset", reason="inspect_ai is not installed")
    for path in (rich / "tasks" / "inspect_ai").iterdir():
        samples = dataset.json_dataset(str(path))
        assert [sample.id for sample in samples] == [json.loads(line)["id"] for line in path.open(encoding="utf-8")]


def test_datasets_loads_each_task_as_it_is(rich: Path, offline: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    for task in FROZEN:
        items = [item.model_dump(mode="json") for item in read_items(rich / "tasks", task)]
        if items:
            loaded = datasets.load_dataset(str(rich / "tasks"), task, cache_dir=str(offline / "cache"))
            assert list(loaded["test"]) == items


def test_lm_eval_finds_a_task_for_each_condition_with_its_choices(rich: Path, offline: Path) -> None:
    pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(rich / "tasks" / "lm_eval"), include_defaults=False)
    tasks: dict[str, Any] = manager.load(["mini_cases_tasks"])["tasks"]
    read = set()
    for task in tasks.values():
        for document in task.test_docs():
            choices, gold = task.doc_to_choice(document), task.doc_to_target(document)
            text = task.doc_to_text(document)
            assert text.startswith(document["input"])
            assert choices == document["choices"] or all(option in text for option in document["choices"])
            assert len(choices) == len(document["choices"])
            gold = (gold,) if isinstance(gold, int) else tuple(gold)
            read.add((document["id"], tuple(document["choices"]), gold))
    items = [item for task in (*TASKS[:5], FROZEN[-1]) for item in read_items(rich / "tasks", task)
             if item.split == "test"]  # fmt: skip
    assert read == {(item.id, tuple(option.text for option in item.options), item.answers) for item in items}
    verify_contents(rich)


def test_conditions_that_differ_in_signs_alone_are_tasks_of_their_own(tmp_path: Path) -> None:
    conditions = ["by-agent", "by agent", "BY agent", "тип", "вид", 'a "quoted" one']
    items = [matrix(number).model_copy(update={"condition": one}) for number, one in enumerate(conditions)]
    write_harness(tmp_path, {"matrix": items}, "mini", "1.0.0")
    files = [path for path in tmp_path.glob("*.yaml") if not path.name.startswith("_")]
    tasks = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}
    assert sorted(task["dataset_kwargs"]["condition"] for task in tasks.values()) == sorted(conditions)
    assert all(task["task"] == name for name, task in tasks.items())
    group = yaml.safe_load((tmp_path / "_mini_tasks.yaml").read_text(encoding="utf-8"))
    assert sorted(group["task"]) == sorted(tasks)


def test_more_choices_than_letters_are_named(tmp_path: Path) -> None:
    options = tuple(Option(text=f"Lyja {n}.") for n in range(27))
    item = Item(id="item-1", task="matrix", language="lt", context=("Ji rašo.",), options=options, answers=(26,))
    with pytest.raises(ReleaseError, match="item-1: 27 options, and letters end at Z"):
        write_samples(tmp_path, {"matrix": [item]})


def test_tasks_make_from_the_command_line(run: Callable[..., tuple[int, str, str]], rich: Path, tmp_path: Path) -> None:
    out = tmp_path / "swept"
    arguments = ("tasks", rich, "--sweep", "--seed", 3, "--items", 20, "--workspace", tmp_path, "--out")
    code, said, _ = run(*arguments, out)
    assert code == 0
    assert "n=3 section" in said
    assert "sentences-rules       0  the release has no material for it" in said
    items = list(read_items(out, "rule-sentences"))
    assert {item.seed for item in items} == {3}
    assert {item.condition for item in items} >= {"n=2 broken", "n=5 broken"}
    code, _, fault = run(*arguments, out)
    assert (code, fault.count("\n")) == (2, 1)
    code, _, fault = run("tasks", "nowhere-1.0.0", "--workspace", tmp_path, "--out", tmp_path / "none")
    assert code == 2
    assert "nowhere-1.0.0: no such release" in fault
