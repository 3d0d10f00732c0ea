"""How long the cluster bootstrap takes, and how much memory: `python benchmarks/stats_bootstrap.py`.

10,000 resamples of the verdicts of 20 models on 100,000 pairs, with as many clusters as pairs (the most work), with
20,000 sentence families and with 500 rules.
"""

import resource
import time

import numpy as np

from pairwright.stats.bootstrap import RESAMPLES, cluster_sums, resampled_sums, share_interval

N_MODELS, N_PAIRS = 20, 100_000


def main() -> None:
    generator = np.random.default_rng(1)
    able = generator.uniform(0.55, 0.95, N_MODELS)
    right = generator.random((N_PAIRS, N_MODELS)) < able
    columns = np.column_stack([right, np.ones(N_PAIRS, dtype=bool)])
    print(f"{RESAMPLES:,} resamples, {N_MODELS} models, {N_PAIRS:,} pairs")
    print(f"{'clusters':>10}  {'seconds':>8}  {'peak MB':>8}  interval of the first model")
    for n_clusters in (500, 20_000, N_PAIRS):
        start = time.perf_counter()
        sums = cluster_sums(columns, np.arange(N_PAIRS) % n_clusters)
        drawn = resampled_sums(sums)
        intervals = [share_interval(sums[:, m], sums[:, -1], drawn[:, m], drawn[:, -1]) for m in range(N_MODELS)]
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        first = intervals[0]
        assert first is not None
        print(f"{n_clusters:>10,}  {seconds:>8.1f}  {peak:>8.0f}  {first.low:.4f}-{first.high:.4f}")


if __name__ == "__main__":
    main()
