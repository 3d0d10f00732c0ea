"""The release for other tools: each export is a folder that the tool loads as it is.

To add one, write a module with a function as `Write` describes it, give it a line in `EXPORTS`, where the key is the
name of its folder, and one in the table of files in `card.md.j2`.
"""

from collections.abc import Callable
from pathlib import Path

from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.tables import write_blimp, write_cldf, write_minicons
from pairwright.release.exports.tasks import write_euroeval, write_lm_eval, write_tasks

# Makes a folder from the contents. If the release has nothing for this tool, it writes nothing and returns the reason.
Write = Callable[[Path, ReleaseContents], str | None]

EXPORTS: dict[str, Write] = {
    "blimp": write_blimp,
    "lm_eval": write_lm_eval,
    "euroeval": write_euroeval,
    "minicons": write_minicons,
    "cldf": write_cldf,
    "tasks": write_tasks,
}
