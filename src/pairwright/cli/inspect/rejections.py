"""Why pairs of a source were rejected: by which checks, by the judge and by reviewers, for each class of licence."""

from collections import Counter, defaultdict
from typing import NamedTuple

from pairwright.checks.calibration import audit
from pairwright.core.records import CheckedPair, LLMJudgment, Rule, Source
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.review.log.votes import Votes, source_votes

# The pairs that the source itself gives for rules without a stated licence, as in error lists.
_OWN = "the source's own"


class _Count:
    """The pairs of a class: how many, by which check they were first rejected, what reviewers said."""

    def __init__(self) -> None:
        self.pairs = self.refused = self.corrected = self.decided = 0
        self.errors = Counter[str]()

    def add(self, pair: CheckedPair, votes: Votes) -> None:
        self.pairs += 1
        if pair.verdict == "reject":
            self.errors[next(item.check for item in pair.findings if item.level == "error")] += 1
        words = set(votes.get(pair.candidate.id, {}).values()) - {"unsure"}
        self.decided += bool(words)
        self.refused += "reject" in words
        self.corrected += "fix" in words

    def __str__(self) -> str:
        line = f"{self.errors.total():,} of {self.pairs:,} pairs rejected by checks"
        if self.errors:
            line += f": {', '.join(f'{check} {count:,}' for check, count in self.errors.most_common())}"
        if self.decided:
            line += f"; of {self.decided:,} decided pairs, reviewers rejected {self.refused:,}"
            line += f" and corrected {self.corrected:,}" if self.corrected else ""
        return line


class Rejections(NamedTuple):
    """What was rejected, by class of licence; what people say of the judge's rejections that they were asked about."""

    by_licence: dict[str, str]
    audit: str | None


def rejections(workspace: Workspace, source: Source) -> Rejections:
    """The counts of a source that was built, in words. Raises StoreError where its files can't be read."""
    work = workspace.work(source.id)
    pairs = list(read_jsonl(work / "checked.jsonl", CheckedPair))
    votes = source_votes(workspace.annotations, source.id, {pair.candidate.id: pair.candidate for pair in pairs}).cast
    licences = {
        rule.id: rule.contrast.licence if rule.contrast else _OWN for rule in read_jsonl(work / "rules.jsonl", Rule)
    }
    counts: defaultdict[str, _Count] = defaultdict(_Count)
    for pair in pairs:
        licence, method = licences.get(pair.candidate.rule_id, _OWN), pair.candidate.method
        counts[f"{method} pairs" if licence == _OWN and method != "source" else licence].add(pair, votes)
    return Rejections({name: str(count) for name, count in counts.items()}, _audit(workspace, source, votes))


def _audit(workspace: Workspace, source: Source, votes: Votes) -> str | None:
    """What people say of the judge's rejections that they were asked about without being told; None without any."""
    found = audit(read_if_there(workspace.work(source.id) / "llm_judgments.jsonl", LLMJudgment), votes)
    if not found.shown:
        return None
    return (
        f"{found.shown:,} of {found.rejected:,} pairs that it rejects are asked about all the same, unmarked; "
        f"people approve {found.wrong}"
    )
