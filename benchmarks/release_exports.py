"""Do lm-evaluation-harness and EuroEval see the release that we score? Pair by pair, with a real model.

    python benchmarks/release_exports.py RELEASE [--model embedded] [--limit N]

Needs the package lm-eval, and EuroEval for its part; a tool that is not installed is named and left out. The harness
runs its own tasks in the folder lm_eval of the release, in float32 on the CPU. A pair agrees when both find the same
sentence more probable. Of EuroEval, which asks for words instead of comparing probabilities, the data is compared:
every sentence, its label and its split.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import PairwrightError
from pairwright.core.records.release import Release, ReleasePair
from pairwright.evaluate.scoring.runs.evaluation import evaluate, read_scores
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel, load_model
from pairwright.release.exports.euroeval import SPLITS
from pairwright.release.exports.lm_eval import group_name
from pairwright.release.verify import read_release

EUROEVAL = """
import json, sys
from pathlib import Path
from euroeval.data_loading import load_raw_data
from euroeval.dataset_configs import get_dataset_config

data = load_raw_data(get_dataset_config(sys.argv[2], Path(sys.argv[1])), sys.argv[3])
print(json.dumps({split: [(row["text"], row["label"]) for row in data[split]] for split in data}))
"""


def own_scores(release: Release, pairs: list[ReleasePair], model: LoadedModel) -> dict[str, tuple[float, float]]:
    """The sums of log-probabilities of the good and the bad sentence of each pair by its id, in nats."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ScoreSettings(dtype="float32", device="cpu")
        evaluate(
            pairs,
            CausalScorer(model, settings),
            settings,
            Path(folder),
            release=release.name,
            release_sha256=release.sha256,
        )
        scores, _ = read_scores(Path(folder))
    sums = {(score.pair_id, score.side): score.sum_logprob for score in scores}
    return {pair.id: (sums[pair.id, "good"], sums[pair.id, "bad"]) for pair in pairs}


def harness_scores(release: Release, model: LoadedModel, limit: int | None) -> dict[str, tuple[float, float]]:
    """The same sums from lm-evaluation-harness, by its own loading of model, tasks and pairs."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    harness: Any = HFLM(pretrained=model.model, tokenizer=model.tokenizer, batch_size=16)
    tasks = TaskManager(include_path=str(release.path / "lm_eval"), include_defaults=False)
    group = group_name(release.name)
    results = lm_eval.simple_evaluate(
        harness, tasks=[group], task_manager=tasks, limit=limit, bootstrap_iters=0, log_samples=True
    )
    sums = {}
    for samples in results["samples"].values():
        for sample in samples:
            good, bad = (float(answer[0]) for answer in sample["filtered_resps"])
            sums[sample["doc"]["pairID"]] = (good, bad)
    return sums


def compare_harness(release: Release, model: LoadedModel, limit: int | None) -> bool:
    """Prints the agreement by rule and overall; True where all pairs agree."""
    theirs = harness_scores(release, model, limit)
    pairs = [pair for pair in release.pairs if pair.id in theirs]
    ours = own_scores(release, pairs, model)
    by_rule: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for pair in pairs:
        by_rule[pair.uid].append((ours[pair.id][0] > ours[pair.id][1], theirs[pair.id][0] > theirs[pair.id][1]))
    print(f"{'rule':<40}{'pairs':>6}{'ours':>8}{'lm-eval':>9}{'agree':>7}")
    for uid, verdicts in by_rule.items():
        own, other = (sum(verdict[at] for verdict in verdicts) / len(verdicts) for at in (0, 1))
        agree = sum(first == second for first, second in verdicts)
        print(f"{uid:<40}{len(verdicts):>6}{own:>8.3f}{other:>9.3f}{agree:>7}")
    n_agree = sum(first == second for verdicts in by_rule.values() for first, second in verdicts)
    apart = max(abs(a - b) for key in ours if key in theirs for a, b in zip(ours[key], theirs[key], strict=True))
    print(f"lm-eval: {n_agree} of {len(pairs)} pairs agree; sums differ by {apart:.2e} nats at most")
    return n_agree == len(pairs)


def compare_euroeval(release: Release) -> bool:
    """Prints how many pairs EuroEval's own loader gives with both labels in the right split."""
    # The flows' evaluate.py would hide a package of this name, which EuroEval uses.
    paths = [path for path in sys.path if path and Path(path).name != "flows"]
    with tempfile.TemporaryDirectory() as cache:
        arguments = [
            str(release.path / "euroeval" / "custom_datasets.py"),
            group_name(release.name).replace("_", "-"),
            cache,
        ]
        done = subprocess.run(
            [sys.executable, "-c", EUROEVAL, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        )
    if done.returncode:
        print(f"EuroEval: left out: {done.stderr.strip().splitlines()[-1]}")
        return True
    rows = {split: {tuple(row) for row in own} for split, own in json.loads(done.stdout.splitlines()[-1]).items()}
    right = sum(
        {(pair.sentence_good, "correct"), (pair.sentence_bad, "incorrect")} <= rows[SPLITS[pair.split]]
        for pair in release.pairs
    )
    print(f"EuroEval: {right} of {len(release.pairs)} pairs with both labels in their split")
    return right == len(release.pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--limit", type=int, help="Pairs of each rule that the harness takes.")
    arguments = parser.parse_args()
    try:
        release = read_release(arguments.release)
        agreed = [compare_euroeval(release)]
        model = load_model(arguments.model, dtype="float32", device="cpu")
        agreed.append(compare_harness(release, model, arguments.limit))
    except PairwrightError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    except ImportError as fault:
        print(f"lm-eval: left out: {fault}")
        return 2
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
