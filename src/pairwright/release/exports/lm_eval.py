"""Tasks for EleutherAI's lm-evaluation-harness: a group, and in it one task a rule; exceptions are a task of their own.

    lm_eval --model hf --model_args pretrained=MODEL --include_path RELEASE/lm_eval --tasks GROUP

`target_delimiter` is empty: with its default, a space, the harness would score " Sentence", which is another string of
tokens. acc compares sums of log-probabilities, acc_norm the sums by the characters of the sentence.
"""

import re
from pathlib import Path

from pairwright import store
from pairwright.records.release import ReleaseInfo
from pairwright.release.contents.contents import ReleaseContents

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

GROUP = """\
group: {group}
task:
{tasks}aggregate_metric_list:
  - metric: acc
    aggregation: mean
    weight_by_size: true
  - metric: acc_norm
    aggregation: mean
    weight_by_size: true
metadata:
  version: "{version}"
"""

TASK = """\
include: _template_yaml
task: {task}
dataset_kwargs:
{arguments}"""

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


def describe_lm_eval(info: ReleaseInfo) -> str:
    """The group of tasks, and the task of the exceptions where there are any."""
    group = group_name(info.name)
    exceptions = f", and `{group}_{EXCEPTIONS}` apart" if info.n_exceptions else ""
    return f"tasks for lm-evaluation-harness: group `{group}`{exceptions}"


def write_lm_eval(directory: Path, contents: ReleaseContents) -> str | None:
    """The group, its tasks and the few lines that load their pairs."""
    info = contents.info
    group = group_name(info.name)
    uids = list(contents.by_uid(exceptions=False))
    if not uids:
        return "all pairs are exceptions, and the group of tasks holds regular pairs"
    tasks = {uid: (task_name(group, uid), f"  uid: {uid}\n  exception: false\n") for uid in uids}
    members = "".join(f"  - {task}\n" for task, _ in tasks.values())
    if info.n_exceptions:
        tasks[EXCEPTIONS] = (f"{group}_{EXCEPTIONS}", "  exception: true\n")
    files = {
        "_template_yaml": TEMPLATE.format(version=info.version),
        "pairs.py": LOADER,
        f"_{group}.yaml": GROUP.format(group=group, tasks=members, version=info.version),
    }
    files |= {f"{name}.yaml": TASK.format(task=task, arguments=arguments) for name, (task, arguments) in tasks.items()}
    for name, text in files.items():
        store.write_text(directory / name, text)
    return None
