"""Seconds from a model in memory to its first scores, for made pairs as in BLiMP and for long ones.

    python benchmarks/scoring_start.py MODEL [--pairs 2000] [--threads 2]

MODEL is what `load_model` takes; float32 on the CPU. Counted is everything that a run does before its first number: the
policy, the tokens of a whole shard, the choice of the route, the packing, and the first batch.
"""

import argparse
import sys
import time

from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.embedded import embedded_model
from pairwright.models.load.models import load_model
from scoring_data import blimp_like, long_pairs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    directory = embedded_model().directory if options.model == "embedded" else options.model
    model = load_model(str(directory), dtype="float32", device="cpu")
    for title, make in (("BLiMP-like", blimp_like), ("long", long_pairs)):
        sentences = list(dict.fromkeys(sentence for pair in make(options.pairs) for sentence in pair))
        start = time.perf_counter()
        next(CausalScorer(model, ScoreSettings()).score(sentences))
        print(f"{title}, {len(sentences):,} sentences: first score after {time.perf_counter() - start:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
