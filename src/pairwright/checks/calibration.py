"""How far an LLM judge can be trusted: its judgments against what people decided on the same pairs.

People see the pairs that the judge accepts and a random share of those that it rejects. So all shares are of what the
judge says, or of what people approve within one order; kappa would depend on how many rejected pairs people see.
"""

from collections.abc import Iterable, Mapping

from pairwright.core.records import DecisionWord, LLMJudgment, Record, Verdict
from pairwright.stats.intervals import Interval, wilson

Judged = tuple[LLMJudgment, Verdict]
"""What a judge says of a pair, and what people say of it."""


class Rate(Record):
    """A share: `count` of `of` pairs."""

    count: int
    of: int

    @property
    def interval(self) -> Interval | None:
        """The 95% Wilson interval; None if `of` is 0."""
        return wilson(self.count, self.of) if self.of else None

    def __str__(self) -> str:
        if self.interval is None:
            return "none"
        return f"{self.count}/{self.of} {self.count / self.of:.3f}  [{self.interval.low:.3f}, {self.interval.high:.3f}]"


class Calibration(Record):
    """A judge against people, on `n` pairs about which people are clear.

    wrong_accepts  of the pairs that the judge accepts, those that people reject
    wrong_rejects  of the pairs that it rejects or holds back and people saw all the same, those that people approve
    good_doubted   of the pairs in doubt, those that people approve
    """

    n: int
    wrong_accepts: Rate
    wrong_rejects: Rate
    good_doubted: Rate


def human_verdict(decisions: Iterable[DecisionWord]) -> Verdict | None:
    """What the majority of reviewers say of a pair as it stands; None if they are even, unsure, or there are none.

    A pair that has to be corrected is not right as it stands, so `fix` counts against it.
    """
    balance = sum({"approve": 1, "fix": -1, "reject": -1, "unsure": 0}[decision] for decision in decisions)
    return None if balance == 0 else "pass" if balance > 0 else "reject"


def judged_by_both(judgments: Iterable[LLMJudgment], votes: Mapping[str, Mapping[str, DecisionWord]]) -> list[Judged]:
    """The judgments on pairs about which people are clear; `votes` go by pair and reviewer."""
    verdicts = ((judgment, human_verdict(votes.get(judgment.pair_id, {}).values())) for judgment in judgments)
    return [(judgment, verdict) for judgment, verdict in verdicts if verdict is not None]


def calibrate(judged: Iterable[Judged]) -> Calibration:
    """Compares a judge with people on the same pairs, without those that it can't tell."""
    pairs = [(judgment, people) for judgment, people in judged if judgment.decided_by != "nothing"]
    said: dict[str, list[Judged]] = {"pass": [], "doubt": [], "reject": []}
    for judgment, people in pairs:
        said["reject" if judgment.held else judgment.verdict].append((judgment, people))
    return Calibration(
        n=len(pairs),
        wrong_accepts=_share(said["pass"], "reject"),
        wrong_rejects=_share(said["reject"], "pass"),
        good_doubted=_share(said["doubt"], "pass"),
    )


def _share(judged: list[Judged], verdict: Verdict) -> Rate:
    """Of some pairs, those of which people say this."""
    return Rate(count=sum(people == verdict for _, people in judged), of=len(judged))


def calibration_text(calibration: Calibration) -> str:
    """A calibration as lines of text."""
    if not calibration.n:
        return "no pair has both a judgment of the judge and a clear decision of people; judge pairs that were reviewed"
    lines = [
        f"pairs judged by both  {calibration.n}",
        f"wrongly accepted      {calibration.wrong_accepts} of the pairs that it accepts",
        f"wrongly rejected      {calibration.wrong_rejects} of its rejections that people saw",
        f"good, and doubted     {calibration.good_doubted} of the pairs that it doubts",
    ]
    return "\n".join([*lines, "", "95% intervals after Wilson"])
