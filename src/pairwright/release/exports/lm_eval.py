"""Tasks for EleutherAI's lm-evaluation-harness: a group, and in it one task a rule; exceptions are a task of their own.

    lm_eval --model hf --model_args pretrained=MODEL --include_path RELEASE/lm_eval --tasks GROUP

`target_delimiter` is empty: with its default, a space, the harness would score " Sentence", which is another string of
tokens. acc compares sums of log-probabilities, acc_norm the sums by the characters of the sentence.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from pairwright.core import store
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import filled_template, template

EXCEPTIONS = "exceptions"


def group_name(name: str) -> str:
    """The name of a release as the name of its group of tasks."""
    return re.sub(r"[^a-z0-9]+", "_", name)


def write_group(directory: Path, kind: str, group: str, tasks: Mapping[str, tuple[str, str]], version: str) -> None:
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
    write_group(directory, "pairs", group, tasks, info.version)
    return None
