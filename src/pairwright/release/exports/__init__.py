"""The release for other tools: each export is a folder that the tool loads as it is.

To add one, write a module with a function as `Write` describes it, and give it a line in `EXPORTS`: the key is the
name of its folder, and the card of the release lists it as the line says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pairwright.core.records.release import ReleaseInfo
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.blimp import write_blimp
from pairwright.release.exports.cldf import write_cldf
from pairwright.release.exports.euroeval import write_euroeval
from pairwright.release.exports.lm_eval import EXCEPTIONS, group_name, write_lm_eval
from pairwright.release.exports.minicons import write_minicons
from pairwright.release.exports.tasks import write_tasks

# Makes a folder from the contents. If the release has nothing for this tool, it writes nothing and returns the reason.
Write = Callable[[Path, ReleaseContents], str | None]


@dataclass(frozen=True)
class Export:
    """What writes an export, and its row in the card's table of files: name and description, in Markdown."""

    write: Write
    file: str
    describe: Callable[[ReleaseInfo], str]


EXPORTS = {
    "blimp": Export(
        write_blimp, "blimp/", lambda _: "one JSONL file a rule in BLiMP's layout (`UID`, `pairID`, `linguistics_term`)"
    ),
    "lm_eval": Export(
        write_lm_eval,
        "lm_eval/",
        lambda info: (
            f"tasks for lm-evaluation-harness: group `{group_name(info.name)}`"
            + (f", and `{group_name(info.name)}_{EXCEPTIONS}` apart" if info.n_exceptions else "")
        ),
    ),
    "euroeval": Export(
        write_euroeval, "euroeval/", lambda _: "acceptability data and `custom_datasets.py` for EuroEval"
    ),
    "minicons": Export(
        write_minicons, "minicons/pairs.jsonl", lambda _: "cue words and critical region, under TurBLiMP's names"
    ),
    "cldf": Export(write_cldf, "cldf/", lambda _: "the glossed examples of the rules as a CLDF dataset"),
    "tasks": Export(
        write_tasks,
        "tasks/",
        lambda info: (
            f"questions with options made from the pairs, at most {info.items} a task; `tasks/README.md` lists them"
        ),
    ),
}
