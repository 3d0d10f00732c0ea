"""`pairwright score --like lm-eval` beside lm-evaluation-harness itself, pair by pair.

    python benchmarks/scoring_lm_eval.py MODEL [MODEL ...] --peers DIR [--limit 300] [--pairs PAIRS.csv]

MODEL is what `load_model` takes, such as `embedded`. The pairs are made here, as in BLiMP, or those of a CSV file. They
are written as a file of JSON lines, which the harness reads by a task that includes the template of its own task blimp,
and which `pairwright score` is given as a user would. Both compute in float32 on the CPU. Printed are both accuracies,
the pairs that one has right and the other not, each with its margin, and the largest difference of a sentence's sum.
`--peers` is as in `scoring_speed.py`.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context, Silent
from pairwright.pipeline.evaluate import evaluate
from pairwright.pipeline.options import EvaluationOptions, PairOptions
from scoring_data import Pair, blimp_like, folder_of, read_pairs

TASK = """\
include: {template}
task: own_pairs
dataset_path: json
dataset_kwargs:
  data_files:
    train: {pairs}
"""


def by_lm_eval(directory: str, pairs: Path, folder: Path) -> tuple[float, dict[str, float], list[bool]]:
    """The accuracy, the sum of each sentence and whether each pair is right, in the order of the file."""
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    template = Path(lm_eval.__file__).parent / "tasks" / "blimp" / "_template_yaml"
    (folder / "own_pairs.yaml").write_text(TASK.format(template=template, pairs=pairs), encoding="utf-8")
    model: Any = HFLM(pretrained=directory, device="cpu", dtype="float32", batch_size=16)
    tasks = TaskManager(include_path=str(folder), include_defaults=False)
    found: Any = lm_eval.simple_evaluate(model=model, tasks=["own_pairs"], task_manager=tasks, bootstrap_iters=0)
    samples = sorted(found["samples"]["own_pairs"], key=lambda sample: sample["doc_id"])
    sums: dict[str, float] = {}
    for sample in samples:
        names = ("sentence_good", "sentence_bad")
        sums |= {sample["doc"][name]: value[0] for name, (value, *_) in zip(names, sample["resps"], strict=True)}
    return found["results"]["own_pairs"]["acc,none"], sums, [sample["acc"] == 1 for sample in samples]


def by_pairwright(model: str, pairs: Path, folder: Path) -> tuple[float, dict[str, float]]:
    """The accuracy that the command prints, to four places, and the sum of each sentence."""
    lines: list[str] = []
    reporter = Silent()
    vars(reporter)["say"] = lambda label, text: lines.append(text)
    context, given = Context(Workspace(folder), reporter), EvaluationOptions((model,), like="lm-eval")
    evaluate(context, [pairs], given, described=PairOptions(out=folder))
    (printed,) = re.findall(r"ties as correct: acc ([\d.]+)", "\n".join(lines))
    (path,) = folder.glob("scores/*/scores.parquet")
    scores = pd.read_parquet(path)
    return float(printed), dict(zip(scores["sentence"], scores["sum_logprob"], strict=True))


def compare(model: str, pairs: list[Pair]) -> bool:
    """Prints what both give for a model; whether they agree on every pair."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rows = [{"sentence_good": good, "sentence_bad": bad} for good, bad in pairs]
        path = folder / "pairs.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        theirs, their_sums, right = by_lm_eval(folder_of(model), path, folder)
        ours, sums = by_pairwright(model, path, folder)
    differ = [
        f"  {sums[good] - sums[bad]:+.2e} ours, {their_sums[good] - their_sums[bad]:+.2e} theirs: {good} / {bad}"
        for (good, bad), is_right in zip(pairs, right, strict=True)
        if (sums[good] >= sums[bad]) != is_right
    ]
    worst = max(abs(sums[sentence] - their_sums[sentence]) for pair in pairs for sentence in pair)
    print(f"{Path(model).name}, {len(pairs)} pairs: acc {ours:.4f}, lm-eval {theirs:.4f}")
    print(f"pairs decided otherwise: {len(differ)}; largest difference of a sum: {worst:.1e} nats", *differ, sep="\n")
    return not differ and f"{theirs:.4f}" == f"{ours:.4f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--pairs", type=Path, help="a CSV file of pairs in place of those made here")
    options = parser.parse_args()
    # Behind what is installed: the peers bring no torch of their own.
    sys.path.append(str(options.peers))
    pairs = read_pairs(options.pairs, options.limit) if options.pairs else blimp_like(options.limit)
    return 0 if all([compare(model, pairs) for model in options.models]) else 1


if __name__ == "__main__":
    sys.exit(main())
