"""Tasks for EleutherAI's lm-evaluation-harness: a group, and in it one task a rule; exceptions are a task of their own.

    lm_eval --model hf --model_args pretrained=MODEL --include_path RELEASE/lm_eval --tasks GROUP

`target_delimiter` is empty: with its default, a space, the harness would score " Sentence", which is another string of
tokens. acc compares sums of log-probabilities, acc_norm the sums by the characters of the sentence.
"""

import re
from pathlib import Path

from pairwright import store
from pairwright.release.contents.contents import Material

EXCEPTIONS = "exceptions"

TEMPLATE = """\
custom_dataset: !function pairs.load
output_type: multiple_choice
test_split: test
doc_to_text: ""
doc_to_target: 0
doc_to_choice: "{{{{[sentence_good, sentence_bad]}}}}"
target_delimiter: ""
num_fewshot: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
metadata:
  version: "{version}"
"""

LOADER = '''\
"""The pairs of a rule for lm-evaluation-harness, read from the folder blimp beside this one."""

import json
from pathlib import Path

import datasets

BLIMP = Path(__file__).resolve().parent.parent / "blimp"


def load(uid=None, exception=False, **_):
    """All splits of a rule as one: no example is ever shown. Without a rule, the pairs of all rules."""
    rows = []
    for path in sorted(BLIMP.glob(f"{uid}.jsonl" if uid else "*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            rows += [row for row in map(json.loads, lines) if row["exception"] == exception]
    return {"test": datasets.Dataset.from_list(rows)}
'''


def group_name(name: str) -> str:
    """The name of a release as the name of its group of tasks."""
    return re.sub(r"[^a-z0-9]+", "_", name)


def task_name(group: str, uid: str) -> str:
    """The name of a rule's task; a rule whose UID begins with the group's name needs no other."""
    return uid if uid.startswith(f"{group}_") else f"{group}_{uid}"


def write_lm_eval(directory: Path, material: Material) -> str | None:
    """The group, its tasks and the few lines that load their pairs."""
    group = group_name(material.info.name)
    version = material.info.version
    regular = material.by_uid(exceptions=False)
    if not regular:
        return "all pairs are exceptions, and the group of tasks holds regular pairs"
    store.write_text(directory / "_template_yaml", TEMPLATE.format(version=version))
    store.write_text(directory / "pairs.py", LOADER)
    for uid in regular:
        store.write_text(directory / f"{uid}.yaml", _task(task_name(group, uid), f"  uid: {uid}\n  exception: false\n"))
    if material.info.n_exceptions:
        store.write_text(directory / f"{EXCEPTIONS}.yaml", _task(f"{group}_{EXCEPTIONS}", "  exception: true\n"))
    tasks = "".join(f"  - {task_name(group, uid)}\n" for uid in regular)
    means = "".join(
        f"  - metric: {metric}\n    aggregation: mean\n    weight_by_size: true\n" for metric in ("acc", "acc_norm")
    )
    store.write_text(
        directory / f"_{group}.yaml",
        f'group: {group}\ntask:\n{tasks}aggregate_metric_list:\n{means}metadata:\n  version: "{version}"\n',
    )
    return None


def _task(task: str, arguments: str) -> str:
    return f"include: _template_yaml\ntask: {task}\ndataset_kwargs:\n{arguments}"
