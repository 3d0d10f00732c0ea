"""Tasks for EleutherAI's lm-evaluation-harness: a group, and in it one task a rule; exceptions are a task of their own.

    lm_eval --model hf --model_args pretrained=MODEL --include_path RELEASE/lm_eval --tasks GROUP

`target_delimiter` is empty: with its default, a space, the harness would score " Sentence", which is another string of
tokens. acc compares sums of log-probabilities, acc_norm the sums by the characters of the sentence.
"""

import re
from pathlib import Path

from pairwright.core import store
from pairwright.core.records.release import ReleaseInfo
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import filled_template, template

EXCEPTIONS = "exceptions"


def group_name(name: str) -> str:
    """The name of a release as the name of its group of tasks."""
    return re.sub(r"[^a-z0-9]+", "_", name)


def describe_lm_eval(info: ReleaseInfo) -> str:
    """The group of tasks, and the task of the exceptions where there are any."""
    group = group_name(info.name)
    exceptions = f", and `{group}_{EXCEPTIONS}` apart" if info.n_exceptions else ""
    return f"tasks for lm-evaluation-harness: group `{group}`{exceptions}"


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
    members = "\n".join(f"  - {task}" for task, _ in tasks.values())
    if info.n_exceptions:
        tasks[EXCEPTIONS] = (f"{group}_{EXCEPTIONS}", "  exception: true")
    files = {
        "_template_yaml": filled_template("lm_eval_template.yaml", version=info.version),
        f"_{group}.yaml": filled_template("lm_eval_group.yaml", group=group, tasks=members, version=info.version),
    }
    for name, (task, arguments) in tasks.items():
        files[f"{name}.yaml"] = filled_template("lm_eval_task.yaml", task=task, arguments=arguments)
    for name, text in files.items():
        store.write_text(directory / name, text)
    store.write_text(directory / "pairs.py", template("lm_eval_pairs.py.txt"))
    return None
