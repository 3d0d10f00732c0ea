"""pairwright: from grammar books and official error lists to reviewed minimal-pair benchmarks and scored models.

    import pairwright as pw

    blocks = pw.read_source("error-list.md", language="lt")
    pairs = pw.make_pairs(pw.find_rules(blocks))
    checked = pw.check_pairs(pairs, "lt")

    pairs = pw.load_pairs("pairs.csv")
    scores = pw.score(pairs, "embedded")
    pw.accuracy(scores, pairs, by="phenomenon")
    pw.report(scores, pairs, "my-report")

Nothing here needs a workspace. Each name is loaded when you first use it, so that the import itself takes no time. The
import switches off the telemetry of the libraries that are used.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pairwright.api.scoring import Scores, accuracy, compare, load_scores, plot, report, score
    from pairwright.api.sources import (
        LoadedRelease,
        SourceRecords,
        check_pairs,
        find_rules,
        findings,
        load_release,
        make_pairs,
        read_source,
    )
    from pairwright.core.config import CheckSettings, ScoreSettings
    from pairwright.core.errors import ConfigError, ModelError, PairwrightError, ReleaseError, SourceError, StoreError
    from pairwright.core.records import Block, Candidate, CheckedPair, Example, Finding, Rejection, Rule, Source
    from pairwright.core.workspace import Workspace
    from pairwright.models.load.settings import ModelSettings
    from pairwright.release.unreleased import load_pairs, load_paradigms

__version__ = "0.1.0"

# Nothing leaves the machine unasked. Libraries read these when they are imported, in this process and in those that it
# starts: telemetry, searches for new versions, looks at whether hosts of models answer. What the user has set stays.
for _name in (
    "DO_NOT_TRACK",
    "HF_HUB_DISABLE_TELEMETRY",
    "HF_HUB_DISABLE_UPDATE_CHECK",
    "ORT_DISABLE_TELEMETRY",
    "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK",
):
    os.environ.setdefault(_name, "1")

__all__ = [
    "Block",
    "Candidate",
    "CheckSettings",
    "CheckedPair",
    "ConfigError",
    "Example",
    "Finding",
    "LoadedRelease",
    "ModelError",
    "ModelSettings",
    "PairwrightError",
    "Rejection",
    "ReleaseError",
    "Rule",
    "ScoreSettings",
    "Scores",
    "Source",
    "SourceError",
    "SourceRecords",
    "StoreError",
    "Workspace",
    "__version__",
    "accuracy",
    "check_pairs",
    "compare",
    "find_rules",
    "findings",
    "load_pairs",
    "load_paradigms",
    "load_release",
    "load_scores",
    "make_pairs",
    "plot",
    "read_source",
    "report",
    "score",
]

_HOMES = {
    "api.scoring": ("Scores", "accuracy", "compare", "load_scores", "plot", "report", "score"),
    "api.sources": (
        *("LoadedRelease", "check_pairs", "findings", "load_release"),
        *("SourceRecords", "find_rules", "make_pairs", "read_source"),
    ),
    "core.config": ("CheckSettings", "ScoreSettings"),
    "core.errors": ("ConfigError", "ModelError", "PairwrightError", "ReleaseError", "SourceError", "StoreError"),
    "models.load.settings": ("ModelSettings",),
    "core.records": ("Block", "Candidate", "CheckedPair", "Example", "Finding", "Rejection", "Rule", "Source"),
    "core.workspace": ("Workspace",),
    "release.unreleased": ("load_pairs", "load_paradigms"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

# Type checkers know the names from above, and that there are no others.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'pairwright' has no attribute '{name}'")
        value = getattr(import_module(f"pairwright.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
