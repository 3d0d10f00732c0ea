"""How far an LLM judge can be trusted: its judgments against what people decided on the same pairs."""

from collections.abc import Iterable, Mapping

from pairwright.records import DecisionWord, LLMJudgment, Record, Verdict
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
        return f"{self.count}/{self.of} {_show(self.count / self.of, self.interval)}" if self.interval else "none"


class Kappa(Record):
    """Cohen's kappa with its 95% interval: 1 if both always agree, 0 if they agree as often as by chance.

    The interval is the normal one of Fleiss, Cohen and Everitt (1969), Large sample standard errors of kappa and
    weighted kappa, Psychological Bulletin 72, 323-327, cut at -1 and 1.
    """

    value: float
    interval: Interval

    def __str__(self) -> str:
        return _show(self.value, self.interval)


def _show(value: float, interval: Interval) -> str:
    return f"{value:.3f}  [{interval.low:.3f}, {interval.high:.3f}]"


class Threshold(Record):
    """What follows if only the pairs that the judge accepts with at least this score are accepted."""

    score: int
    accepted: int
    false_accepts: Rate
    false_rejects: Rate


class Calibration(Record):
    """A judge against people.

    n              pairs that both judged; on `agreement` of them the two say the same
    kappa          None if one of them says the same of all pairs, so that it is not defined
    false_accepts  of the pairs that people reject, those that the judge accepts
    false_rejects  of the pairs that people approve, those that the judge rejects
    exchanged      of the pairs that people approve, those of which it takes the bad sentence for the good one
    chose_a        of the pairs where it names one violation, those where it takes A for the right sentence: a judge
                   far from one half goes by the position
    thresholds     for every score that the judge gave
    """

    n: int
    agreement: Rate
    kappa: Kappa | None
    false_accepts: Rate
    false_rejects: Rate
    exchanged: Rate
    chose_a: Rate
    thresholds: tuple[Threshold, ...]


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
    """Compares a judge with people on the same pairs."""
    pairs = list(judged)
    right, wrong = ([judgment for judgment, human in pairs if human == verdict] for verdict in ("pass", "reject"))
    named = [judgment for judgment, _ in pairs if judgment.exchanged or judgment.bad_breaks_rule]
    true_accepts, false_accepts = _accepted(right), _accepted(wrong)
    true_rejects, false_rejects = len(wrong) - false_accepts, len(right) - true_accepts
    return Calibration(
        n=len(pairs),
        agreement=Rate(count=true_accepts + true_rejects, of=len(pairs)),
        kappa=_kappa([[true_accepts, false_rejects], [false_accepts, true_rejects]]),
        false_accepts=Rate(count=false_accepts, of=len(wrong)),
        false_rejects=Rate(count=false_rejects, of=len(right)),
        exchanged=Rate(count=sum(judgment.exchanged for judgment in right), of=len(right)),
        chose_a=Rate(count=sum((it.good_shown_as == "A") != it.exchanged for it in named), of=len(named)),
        thresholds=tuple(
            Threshold(
                score=score,
                accepted=_accepted(right, score) + _accepted(wrong, score),
                false_accepts=Rate(count=_accepted(wrong, score), of=len(wrong)),
                false_rejects=Rate(count=len(right) - _accepted(right, score), of=len(right)),
            )
            for score in sorted({judgment.score for judgment, _ in pairs})
        ),
    )


def _accepted(judgments: list[LLMJudgment], least: int = 0) -> int:
    return sum(judgment.verdict == "pass" and judgment.score >= least for judgment in judgments)


def calibration_text(calibration: Calibration) -> str:
    """A calibration as lines of text."""
    if not calibration.n:
        return "no pair has both a judgment of the judge and a clear decision of people; judge pairs that were reviewed"
    lines = [
        f"pairs judged by both        {calibration.n}",
        f"agreement                   {calibration.agreement}",
        f"Cohen's kappa               {calibration.kappa or 'none, as one side says the same of all pairs'}",
        f"false accepts               {calibration.false_accepts} of the pairs that people reject",
        f"false rejects               {calibration.false_rejects} of the pairs that people approve",
        f"took bad for good           {calibration.exchanged} of the pairs that people approve",
        f"took A for the right one    {calibration.chose_a} of the pairs where it names one breach",
        "",
        "score from  accepted  false accepts               false rejects",
    ]
    for line in calibration.thresholds:
        lines.append(f"{line.score:>10}  {line.accepted:>8}  {line.false_accepts!s:<26}  {line.false_rejects}")
    return "\n".join([*lines, "", "95% intervals: Wilson for shares, normal for kappa"])


def _kappa(table: list[list[int]]) -> Kappa | None:
    """Kappa of counts by what people say (rows: pass, reject) and what the judge says (columns)."""
    from statsmodels.stats.inter_rater import cohens_kappa

    if not all(map(sum, [*table, *zip(*table, strict=True)])):
        return None
    result = cohens_kappa(table)
    low, high = max(-1.0, float(result.kappa_low)), min(1.0, float(result.kappa_upp))
    return Kappa(value=float(result.kappa), interval=Interval(low=low, high=high))
