"""`pairwright check FILE`: what the checks find in a user's own pairs."""

from collections import Counter
from pathlib import Path

from pairwright.checks.registry import check_pairs
from pairwright.core.errors import at, counted
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.pairfiles import read_pairs

_ORDER = ("error", "warning", "info")


def check_lines(
    workspace: Workspace, file: Path, code: str, level: str, good: str | None = None, bad: str | None = None
) -> tuple[list[str], int]:
    """One line a finding of at least the level, then the counts; and how many pairs have an error.

    good, bad  the columns of the sentences, where they have no usual names
    """
    settings, language = workspace.config().checks, load_language(code, workspace.root)
    candidates = read_pairs(file, good=good, bad=bad, encoding=language.legacy_encoding)
    shown = _ORDER[: _ORDER.index(level) + 1]
    lines: list[str] = []
    counts: Counter[str] = Counter()
    pairs = rejected = 0
    for checked in check_pairs(candidates, {}, language, settings):
        pairs += 1
        rejected += checked.verdict == "reject"
        for finding in checked.findings:
            counts[finding.check] += 1
            if finding.level in shown:
                side = f" ({finding.side} sentence)" if finding.side else ""
                place = at(file, checked.candidate.evidence.line)
                lines.append(f"{place}: {finding.level}: {finding.check}: {finding.message}{side}")
    lines.append(f"{counted(pairs, 'pair')}, {rejected} with errors")
    lines += [f"  {name} {count}" for name, count in counts.most_common()]
    return lines, rejected
