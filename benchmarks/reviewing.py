"""Reviewing by simulation: hours until rules have ten approved pairs, and how often samples of derived pairs pass.

Sixty rules have from 15 to 200 pairs each. A pair is good in the proportion of its rule, drawn from a Beta(6, 2); the
checks warn of a quarter of the pairs, which are good half as often. A reviewer approves a good pair with 0.95 and a bad
one with 0.05, and takes 20 seconds for a pair, 30 where it is doubtful. Two reviewers take turns; a pair is approved
when both approve it. A rule that cannot get ten pairs, because it lacks good ones, is left out. Every order sees the
same pairs and the same reviewers.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev

import pandas as pd

from pairwright.review.assign.design import PendingPair, active_order, random_order
from pairwright.review.web.session import AHEAD

TARGET = 10
N_RULES = 60
REVIEWERS = ("a", "b")


@dataclass
class World:
    """Pairs whose worth is known to nobody, and what each reviewer would say of them."""

    pairs: list[PendingPair]
    says: dict[tuple[str, str], bool]
    rules: list[str]

    @classmethod
    def draw(cls, seed: int) -> "World":
        draw = random.Random(seed)
        pairs: list[PendingPair] = []
        says: dict[tuple[str, str], bool] = {}
        both: dict[str, int] = {}
        for rule in (f"rule{number}" for number in range(N_RULES)):
            share = draw.betavariate(6, 2)
            for number in range(int(15 * (200 / 15) ** draw.random())):
                doubtful = draw.random() < 0.25
                pair = PendingPair(f"{rule} {number}", rule, 2 if doubtful else 0)
                good = draw.random() < share * (0.5 if doubtful else 1)
                for reviewer in REVIEWERS:
                    says[pair.id, reviewer] = draw.random() < (0.95 if good else 0.05)
                both[rule] = both.get(rule, 0) + all(says[pair.id, reviewer] for reviewer in REVIEWERS)
                pairs.append(pair)
        return cls(pairs, says, [rule for rule, count in both.items() if count >= TARGET])


@dataclass
class Bench:
    """Two reviewers at work."""

    world: World
    order: str
    seconds: float = 0.0
    approvals: dict[str, int] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    approved: dict[str, int] = field(default_factory=dict)

    def run(self) -> tuple[float, float]:
        """Hours, of both reviewers together, until nine tenths of the rules and until all of them have ten pairs."""
        waiting = {reviewer: self._first_order() for reviewer in REVIEWERS}
        reached: list[float] = []
        done: set[str] = set()
        by_id = {pair.id: pair for pair in self.world.pairs}
        turn = 0
        while len(done) < len(self.world.rules):
            reviewer = REVIEWERS[turn % 2]
            turn += 1
            if not waiting[reviewer]:
                continue
            if self.order == "active, page" and turn % (2 * AHEAD) < 2:
                waiting[reviewer] = self._reordered([by_id[pair_id] for pair_id in waiting[reviewer]])
            self._decide(by_id[waiting[reviewer].pop(0)], reviewer)
            for rule in self.world.rules:
                if rule not in done and self.approved.get(rule, 0) >= TARGET:
                    done.add(rule)
                    reached.append(self.seconds / 3600)
        return reached[-(-len(reached) * 9 // 10) - 1], reached[-1]

    def _first_order(self) -> list[str]:
        if self.order == "random":
            return random_order(self.world.pairs, 1)
        if self.order == "source":
            return [pair.id for pair in self.world.pairs]
        return active_order(self.world.pairs, {}, TARGET)

    def _reordered(self, waiting: Sequence[PendingPair]) -> list[str]:
        known = [
            pair._replace(approvals=0 if pair.id in self.refused else self.approvals.get(pair.id, 0))
            for pair in waiting
        ]
        return active_order(known, self.approved, TARGET)

    def _decide(self, pair: PendingPair, reviewer: str) -> None:
        self.seconds += 30 if pair.doubt else 20
        if not self.world.says[pair.id, reviewer]:
            self.refused.add(pair.id)
            return
        self.approvals[pair.id] = self.approvals.get(pair.id, 0) + 1
        if self.approvals[pair.id] == len(REVIEWERS):
            self.approved[pair.rule_id] = self.approved.get(pair.rule_id, 0) + 1


def order(data: Path, runs: int = 20) -> pd.DataFrame:
    """Mean hours that both reviewers spend, and standard deviations over twenty runs.

    "page" is made anew as decisions come in; the order of a "sheet" is fixed before the first decision.
    """
    worlds, rows = [World.draw(seed) for seed in range(runs)], []
    for name in ("active, page", "active, sheet", "random", "source"):
        found = zip(*(Bench(world, name).run() for world in worlds), strict=True)
        cells = (f"{mean(hours):.1f} ({stdev(hours):.1f})" for hours in found)
        rows.append({"order": name, **dict(zip(("90 % of the rules", "all rules"), cells, strict=True))})
    return pd.DataFrame(rows)
