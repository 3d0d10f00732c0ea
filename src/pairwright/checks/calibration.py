"""How far a judge can be trusted: its opinions against what people decided on the same pairs."""

from collections.abc import Iterable, Mapping

from pairwright.records import DecisionWord, Opinion, Record, Verdict
from pairwright.stats.intervals import Interval, wilson

Judged = tuple[Opinion, Verdict]
"""A judge's opinion on a pair, and what people say of it."""


class Rate(Record):
    """`count` of `of` pairs, with the 95% Wilson interval; no interval where there is none to count."""

    count: int
    of: int
    interval: Interval | None


class Kappa(Record):
    """Cohen's kappa, 1 where both always agree and 0 where chance would do as well, with its 95% interval.

    The interval is the normal one of Fleiss, Cohen and Everitt (1969), Large sample standard errors of kappa and
    weighted kappa, Psychological Bulletin 72, 323-327, cut at -1 and 1.
    """

    value: float
    interval: Interval


class Threshold(Record):
    """What comes of accepting the pairs that the judge accepts with at least this score."""

    score: int
    accepted: int
    false_accepts: Rate
    false_rejects: Rate


class Calibration(Record):
    """A judge against people.

    n              pairs that both judged
    agreement      pairs on which the two say the same
    kappa          None where one of them says the same of all pairs, so that there is nothing to agree on
    false_accepts  of the pairs that people reject, those that the judge accepts
    false_rejects  of the pairs that people approve, those that the judge rejects
    exchanged      of the pairs that people approve, those of which it takes the bad sentence for the good one
    chose_a        of the pairs where it names one breach, those where it takes A for the right sentence: far from a
                   half, it goes by the place
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
    """What reviewers say of a pair as it stands: the majority; None where they are even, unsure, or there is none.

    A pair that has to be corrected is not right as it stands, so `fix` counts against it.
    """
    balance = 0
    for decision in decisions:
        balance += {"approve": 1, "fix": -1, "reject": -1, "unsure": 0}[decision]
    return None if balance == 0 else "pass" if balance > 0 else "reject"


def judged_by_both(opinions: Iterable[Opinion], votes: Mapping[str, Mapping[str, DecisionWord]]) -> list[Judged]:
    """The opinions on pairs of which people say something clear; `votes` go by pair and reviewer."""
    verdicts = ((opinion, human_verdict(votes.get(opinion.pair_id, {}).values())) for opinion in opinions)
    return [(opinion, verdict) for opinion, verdict in verdicts if verdict is not None]


def calibrate(judged: Iterable[Judged]) -> Calibration:
    """A judge's opinions against what people say of the same pairs; with no pairs, rates without intervals."""
    pairs = list(judged)
    table = _table(pairs)
    right = [opinion for opinion, human in pairs if human == "pass"]
    named = [opinion for opinion, _ in pairs if opinion.exchanged or opinion.bad_breaks_rule]
    return Calibration(
        n=len(pairs),
        agreement=_rate(table[0][0] + table[1][1], len(pairs)),
        kappa=_kappa(table),
        false_accepts=_rate(table[1][0], sum(table[1])),
        false_rejects=_rate(table[0][1], sum(table[0])),
        exchanged=_rate(sum(opinion.exchanged for opinion in right), len(right)),
        chose_a=_rate(sum((it.good_shown_as == "A") != it.exchanged for it in named), len(named)),
        thresholds=tuple(_threshold(pairs, score) for score in sorted({opinion.score for opinion, _ in pairs})),
    )


def calibration_text(found: Calibration) -> str:
    """The same for people, in lines."""
    if not found.n:
        return "no pair has both an opinion of the judge and a clear decision of people; judge pairs that were reviewed"
    kappa = "none, as one side says the same of all pairs"
    if found.kappa:
        low, high = found.kappa.interval.low, found.kappa.interval.high
        kappa = f"{found.kappa.value:.3f}  [{low:.3f}, {high:.3f}]"
    lines = [
        f"pairs judged by both        {found.n}",
        f"agreement                   {_told(found.agreement)}",
        f"Cohen's kappa               {kappa}",
        f"false accepts               {_told(found.false_accepts)} of the pairs that people reject",
        f"false rejects               {_told(found.false_rejects)} of the pairs that people approve",
        f"took bad for good           {_told(found.exchanged)} of the pairs that people approve",
        f"took A for the right one    {_told(found.chose_a)} of the pairs where it names one breach",
        "",
        "score from  accepted  false accepts               false rejects",
    ]
    for line in found.thresholds:
        lines.append(
            f"{line.score:>10}  {line.accepted:>8}  {_told(line.false_accepts):<26}  {_told(line.false_rejects)}"
        )
    return "\n".join([*lines, "", "95% intervals: Wilson for shares, normal for kappa"])


def _table(pairs: list[Judged]) -> list[list[int]]:
    """Counts by what people say (rows: pass, reject) and what the judge says (columns)."""
    table = [[0, 0], [0, 0]]
    for opinion, human in pairs:
        table[human == "reject"][opinion.verdict == "reject"] += 1
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
    accepted = [opinion.verdict == "pass" and opinion.score >= score for opinion, _ in pairs]
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


def _told(rate: Rate) -> str:
    if rate.interval is None:
        return "none"
    share = rate.count / rate.of
    return f"{rate.count}/{rate.of} {share:.3f}  [{rate.interval.low:.3f}, {rate.interval.high:.3f}]"
