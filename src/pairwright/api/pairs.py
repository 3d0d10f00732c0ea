"""Minimal pairs from a release and through the checks."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, CheckedPair, Finding, Rule
from pairwright.core.records.release import ReleaseInfo
from pairwright.languages import Language, load_language
from pairwright.pairfiles import pair_candidate
from pairwright.release.unreleased import frame_rows


@dataclass(frozen=True)
class LoadedRelease:
    """A verified release: `sha256` is that of MANIFEST.sha256, `pairs` has the columns of pairs.parquet."""

    path: Path
    sha256: str
    info: ReleaseInfo
    pairs: pd.DataFrame
    rules: tuple[Rule, ...]


def load_release(directory: str | Path) -> LoadedRelease:
    """Loads a release after verifying every file of it. Raises ReleaseError where one has changed or is missing."""
    from pairwright.core.store import read_jsonl
    from pairwright.release.verify import verified

    release = verified(Path(directory))
    return LoadedRelease(
        path=release.path,
        sha256=release.sha256,
        info=release.info,
        pairs=pd.read_parquet(release.path / "pairs.parquet"),
        rules=tuple(read_jsonl(release.path / "rules.jsonl", Rule)),
    )


def check_pairs(
    pairs: pd.DataFrame | Iterable[Candidate],
    language: str | Language,
    *,
    rules: Iterable[Rule] = (),
    settings: CheckSettings | None = None,
) -> list[CheckedPair]:
    """Checks minimal pairs and returns each with its findings and a verdict, in order. docs/checks.md lists the checks.

    pairs     what `load_pairs` or `make_pairs` returned
    language  such as `lt`; it decides letters, spelling and word forms
    rules     what `find_rules` returned: its examples say how far the pairs of a rule may differ

    A pair with an error gets the verdict `reject`; of several equal pairs the first passes. Raises MorphologyError
    where a dictionary of the language can't be read.
    """
    from pairwright.checks.registry import check_pairs as run_checks

    if isinstance(pairs, pd.DataFrame):
        pairs = [pair_candidate(row, "pairs", "pairs") for row in frame_rows(pairs)]
    chosen = load_language(language) if isinstance(language, str) else language
    return list(run_checks(pairs, {rule.id: rule for rule in rules}, chosen, settings or CheckSettings()))


def findings(checked: Iterable[CheckedPair]) -> pd.DataFrame:
    """What `check_pairs` found, one row a finding: `pair_id`, `line`, then the fields of Finding."""
    rows = [
        {"pair_id": pair.candidate.id, "line": pair.candidate.evidence.line, **dict(finding)}
        for pair in checked
        for finding in pair.findings
    ]
    return pd.DataFrame(rows, columns=["pair_id", "line", *Finding.model_fields])
