"""Tasks made of a release: whether their figures can fail."""

from pathlib import Path

import pandas as pd

from answering import dealt, guessing, made_items, oracle, scores
from common import miss

N_SEEDS = 20


def chance(data: Path) -> pd.DataFrame:
    """An oracle has to come to 100 %, one that guesses to chance, the oracle's answers dealt to others to `shuffled`.

    The items are made up, 500 a task from 60 rules. "Within" counts the seeds whose 95 % interval has what is expected:
    about one guess in twenty may lie outside.
    """
    items, rows = made_items(), []
    truth = {(score["task"], score["condition"], score["metric"]): score for score in scores(oracle(items))}
    for name, answering in {"oracle": oracle, "guessing": guessing, "dealt": dealt}.items():
        by_seed, apart, within = [scores(answering(items, seed)) for seed in range(N_SEEDS)], 0.0, N_SEEDS
        for place, first in enumerate(by_seed[0]):
            own = [of_seed[place] for of_seed in by_seed]
            key = first["task"], first["condition"], first["metric"]
            expected = {"oracle": 1.0, "guessing": first["chance"], "dealt": truth[key]["shuffled"]}[name]
            mean = sum(score["value"] for score in own) / len(own)
            inside = sum(score["value_low"] <= expected <= score["value_high"] for score in own)
            miss(f"{name} {' '.join(key)}: {mean:.3f}, expected {expected:.3f}, within {inside} of {N_SEEDS}")
            apart, within = max(apart, abs(mean - expected)), min(within, inside)
        figures = {"furthest mean from what is expected": f"{apart:.3f}", "within, at least": f"{within} of {N_SEEDS}"}
        rows.append({"answers": name, "tasks": len(by_seed[0]), **figures})
    return pd.DataFrame(rows)
