"""Pairs that contrasts make of treebanks: how many of each contrast pass the checks.

Forms of a treebank's words come from itself, and for Lithuanian from the dictionary in DATA as well.
"""

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from common import NotHere, measured, miss, need
from error_lists import with_and_without_morphology
from pairwright.core.records import Candidate, CheckedPair
from pairwright.core.records.pairs import TreebankChange
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import find_source, ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.pairs import generate


def treebanks(data: Path, pattern: str = "*") -> list[Path]:
    paths = sorted(need(data / "treebanks").glob(f"{pattern}.conllu"))
    if not paths:
        raise NotHere("no treebank is in `DATA/treebanks`")
    return paths


def pairs(data: Path) -> pd.DataFrame:
    """Pairs of each treebank: how many are made, pass, have a warning, are there twice."""
    rows = []
    for path in treebanks(data):
        for label, workspace in with_and_without_morphology(data) if path.name.startswith("lt_") else [("", None)]:
            with tempfile.TemporaryDirectory() as folder:
                for path_of in workspace.absolute().iterdir() if workspace else ():
                    (Path(folder) / path_of.name).symlink_to(path_of)
                cost = measured(built, Context(Workspace(folder)), path)
            rows.append({"treebank": path.stem + label, **figures(cost.result), "s": f"{cost.clock:.0f}"})
    return pd.DataFrame(rows)


def built(context: Context, path: Path) -> list[CheckedPair]:
    """The checked pairs of a treebank, whose language its name begins with."""
    source = find_source(context.workspace, path, SourceOptions(language=path.name.partition("_")[0]))
    ingest(context, source)
    return list(read_jsonl(generate(context, source)[-1].path, CheckedPair))


def figures(found: list[CheckedPair]) -> dict[str, Any]:
    passing = [pair.candidate for pair in found if pair.verdict == "pass"]
    made, passed = Counter(contrast(pair.candidate) for pair in found), Counter(map(contrast, passing))
    for name, count in made.most_common():
        miss(f"{name:<34} {count:>5} {passed[name]:>5}")
    for pair in random.Random(1).sample(passing, min(200, len(passing))):
        miss(f"{contrast(pair)}: {pair.good} / {pair.bad}")
    sentences = [(pair.good, pair.bad) for pair in passing]
    warned = sum(any(finding.level == "warning" for finding in pair.findings) for pair in found)
    return {
        "pairs": len(found),
        "pass": f"{len(passing)} ({len(passing) / max(1, len(found)):.1%})",
        "contrasts": len(passed),
        "with a warning": f"{warned / max(1, len(found)):.1%}",
        "twice": len(sentences) - len(set(sentences)),
        "good = bad": sum(good == bad for good, bad in sentences),
    }


def contrast(pair: Candidate) -> str:
    return pair.derivation.contrast if isinstance(pair.derivation, TreebankChange) else pair.method


# --- ScaLA
