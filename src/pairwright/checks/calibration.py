"""How far an LLM judge can be trusted: its judgments against what people decided on the same pairs."""

from collections.abc import Iterable, Mapping

from pairwright.records import DecisionWord, LLMJudgment, Record, Verdict
from pairwright.stats.intervals import Interval, wilson

Judged = tuple[LLMJudgment, Verdict]
"""What a judge says of a pair, and what people say of it."""


class Rate(Record):
    """A share: `count` of `of` pairs, with the 95% Wilson interval; None if `of` is 0."""

    count: int
    of: int
    interval: Interval | None


class Kappa(Record):
    """Cohen's kappa with its 95% interval: 1 if both always agree, 0 if they agree as often as by chance.

    The interval is the normal one of Fleiss, Cohen and Everitt (1969), Large sample standard errors of kappa and
    weighted kappa, Psychological Bulletin 72, 323-327, cut at -1 and 1.
    """

    value: float
    interval: Interval


class Threshold(Record):
    """What follows if only the pairs that the judge accepts with at least this score are accepted."""

    score: int
    accepted: int
    false_accepts: Rate
    false_rejects: Rate


class Calibration(Record):
    """A judge against people.

    n              pairs that both judged
    agreement      pairs on which the two say the same
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
    balance = 0
    for decision in decisions:
        balance += {"approve": 1, "fix": -1, "reject": -1, "unsure": 0}[decision]
    return None if balance == 0 else "pass" if balance > 0 else "reject"


def judged_by_both(judgments: Iterable[LLMJudgment], votes: Mapping[str, Mapping[str, DecisionWord]]) -> list[Judged]:
    """The judgments on pairs about which people are clear; `votes` go by pair and reviewer."""
    verdicts = ((judgment, human_verdict(votes.get(judgment.pair_id, {}).values())) for judgment in judgments)
    return [(judgment, verdict) for judgment, verdict in verdicts if verdict is not None]


def calibrate(judged: Iterable[Judged]) -> Calibration:
    """Compares a judge with people on the same pairs. Without pairs, the rates have no intervals."""
    pairs = list(judged)
    table = _table(pairs)
    right = [judgment for judgment, human in pairs if human == "pass"]
    named = [judgment for judgment, _ in pairs if judgment.exchanged or judgment.bad_breaks_rule]
    return Calibration(
        n=len(pairs),
        agreement=_rate(table[0][0] + table[1][1], len(pairs)),
        kappa=_kappa(table),
        false_accepts=_rate(table[1][0], sum(table[1])),
        false_rejects=_rate(table[0][1], sum(table[0])),
        exchanged=_rate(sum(judgment.exchanged for judgment in right), len(right)),
        chose_a=_rate(sum((it.good_shown_as == "A") != it.exchanged for it in named), len(named)),
        thresholds=tuple(_threshold(pairs, score) for score in sorted({judgment.score for judgment, _ in pairs})),
    )


def calibration_text(calibration: Calibration) -> str:
    """A calibration as lines of text."""
    if not calibration.n:
        return "no pair has both a judgment of the judge and a clear decision of people; judge pairs that were reviewed"
    kappa = "none, as one side says the same of all pairs"
    if calibration.kappa:
        low, high = calibration.kappa.interval.low, calibration.kappa.interval.high
        kappa = f"{calibration.kappa.value:.3f}  [{low:.3f}, {high:.3f}]"
    lines = [
        f"pairs judged by both        {calibration.n}",
        f"agreement                   {_shown(calibration.agreement)}",
        f"Cohen's kappa               {kappa}",
        f"false accepts               {_shown(calibration.false_accepts)} of the pairs that people reject",
        f"false rejects               {_shown(calibration.false_rejects)} of the pairs that people approve",
        f"took bad for good           {_shown(calibration.exchanged)} of the pairs that people approve",
        f"took A for the right one    {_shown(calibration.chose_a)} of the pairs where it names one breach",
        "",
        "score from  accepted  false accepts               false rejects",
    ]
    for line in calibration.thresholds:
        lines.append(
            f"{line.score:>10}  {line.accepted:>8}  {_shown(line.false_accepts):<26}  {_shown(line.false_rejects)}"
        )
    return "\n".join([*lines, "", "95% intervals: Wilson for shares, normal for kappa"])


def _table(pairs: list[Judged]) -> list[list[int]]:
    """Counts by what people say (rows: pass, reject) and what the judge says (columns)."""
    table = [[0, 0], [0, 0]]
    for judgment, human in pairs:
        table[human == "reject"][judgment.verdict == "reject"] += 1
    return table


def _kappa(table: list[list[int]]) -> Kappa | None:
    from statsmodels.stats.inter_rater import cohens_kappa

    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    if not all(rows) or not all(columns):
        return None
    result = cohens_kappa(table)
    low, high = max(-1.0, float(result.kappa_low)), min(1.0, float(result.kappa_upp))
    return Kappa(value=float(result.kappa), interval=Interval(low=low, high=high))


def _threshold(pairs: list[Judged], score: int) -> Threshold:
    accepted = [judgment.verdict == "pass" and judgment.score >= score for judgment, _ in pairs]
    right = [human == "pass" for _, human in pairs]
    false_accepts = sum(judge and not human for judge, human in zip(accepted, right, strict=True))
    false_rejects = sum(human and not judge for judge, human in zip(accepted, right, strict=True))
    return Threshold(
        score=score,
        accepted=sum(accepted),
        false_accepts=_rate(false_accepts, len(right) - sum(right)),
        false_rejects=_rate(false_rejects, sum(right)),
    )


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, interval=wilson(count, of) if of else None)


def _shown(rate: Rate) -> str:
    if rate.interval is None:
        return "none"
    share = rate.count / rate.of
    return f"{rate.count}/{rate.of} {share:.3f}  [{rate.interval.low:.3f}, {rate.interval.high:.3f}]"
