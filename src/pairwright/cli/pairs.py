"""`pairwright check` and `pairwright tasks`: what is wrong with pairs of a file, and questions made of a release."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.checks.registry import check_pairs
from pairwright.core.errors import at, counted
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.pairfiles import read_pairs
from pairwright.pipeline.options import Language, Option
from pairwright.pipeline.release import find_release
from pairwright.release.exports.tasks import make_tasks
from pairwright.tasks.make import REJECTED, ItemSettings
from pairwright.tasks.sentence_tasks import TextFile

Column = Annotated[str | None, Option("Column of the sentence, if pairwright doesn't know its name.", metavar="COLUMN")]


def check(
    workspace: Workspace,
    file: Path,
    *,
    language: Language,
    good: Column = None,
    bad: Column = None,
) -> Iterator[str]:
    """Check the pairs of a file.

    FILE is CSV, TSV, JSONL, JSON or Parquet. The exit code is 1 if a pair has an error.
    """
    settings, loaded = workspace.config().checks, load_language(language, workspace.root)
    counts: Counter[str] = Counter()
    n_pairs = n_rejected = 0
    for checked in check_pairs(
        read_pairs(file, good=good, bad=bad, encoding=loaded.legacy_encoding), {}, loaded, settings
    ):
        n_pairs += 1
        n_rejected += checked.verdict == "reject"
        counts.update(finding.check for finding in checked.findings)
        for finding in checked.findings:
            if finding.level != "info":
                side = f" ({finding.side} sentence)" if finding.side else ""
                place = at(file, checked.candidate.evidence.line)
                yield f"{place}: {finding.level}: {finding.check}: {finding.message}{side}"
    yield f"{counted(n_pairs, 'pair')}, {n_rejected} with errors"
    yield from (f"  {name} {count}" for name, count in counts.most_common())
    if n_rejected:
        sys.exit(1)


def tasks(
    workspace: Workspace,
    release: str,
    *,
    out: Annotated[Path, Option("Folder to make.", kind="folder")],
    items: Annotated[int, Option("Most questions per task.", least=1)] = 500,
    sweep: Annotated[
        bool, Option("Also vary the number of rules and sentences from 2 to 10, with --items questions per size.")
    ] = False,
    seed: Annotated[int, Option("Random seed.")] = 0,
    texts: Annotated[Path | None, Option("Table of other texts to translate.")] = None,
    text_column: Annotated[str, Option("Column of --texts in the release's language.")] = "text",
    english_column: Annotated[str, Option("Column of --texts in English.")] = "english",
) -> Iterator[str]:
    """Make questions for language models from a release.

    RELEASE is a name with its version, or a folder. Releases already have questions: this makes other numbers of them,
    or questions for a release without any.
    """
    file = TextFile(texts, text_column, english_column) if texts else None
    info = make_tasks(find_release(workspace, release), out, ItemSettings(items, sweep, seed), file)
    for task, counts in info.counts.items():
        conditions = ", ".join(f"{condition} {n}" for condition, n in counts.items() if condition) or "one condition"
        yield f"{task:<16} {sum(counts.values()):>6,}  {conditions if counts else 'the release has no material for it'}"
    with (out / REJECTED).open(encoding="utf-8") as lines:
        n_rejected = sum(1 for _ in lines)
    if n_rejected:
        yield f"rejected         {n_rejected:>6,}  {REJECTED} says why"
    yield f"items of {info.release}: {out}"
