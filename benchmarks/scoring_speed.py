"""Sentences per second and peak memory of the scorer beside its peers, on the same model, data and threads.

    python benchmarks/scoring_speed.py MODEL --lithuanian PAIRS.csv [--peers DIR] [--limit 305 2000 1000]
        [--rounds 2] [--threads 2] [--only NAME ...]

MODEL is what `load_model` takes. Three sets: the Lithuanian pairs of a CSV file, pairs as in BLiMP and long pairs,
both made here. Each run is a process of its own, which loads the model in float32 on the CPU and is then timed. The
rounds go through the peers forth and back, so that a machine that grows busier harms all alike; the table has medians.
Beside wall time stands processor time, which other programs on the machine disturb less. `--peers` is a folder made by
`pip install --target DIR --no-deps minicons lm_eval` with what they need; those that can't be imported are left out.
Every peer is told to put BOS before the sentence and to add up all tokens, so that the sums can be compared.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring_data import Pair, blimp_like, long_pairs, read_pairs

Sums = dict[str, float]
# The batch size that both peers are run with.
MINICONS_BATCH, LM_EVAL_BATCH = 16, 16


def pairwright(directory: str) -> Callable[[list[str]], Sums]:
    from pairwright.config import ScoreSettings
    from pairwright.score.causal import CausalScorer
    from pairwright.score.models import load_model
    from pairwright.score.outcomes import SentenceScore

    scorer = CausalScorer(load_model(directory, dtype="float32", device="cpu"), ScoreSettings())

    def run(sentences: list[str]) -> Sums:
        found = list(scorer.score(sentences))
        return {one.sentence: one.sum_logprob for one in found if isinstance(one, SentenceScore)}

    return run


def minicons(directory: str) -> Callable[[list[str]], Sums]:
    import torch
    from minicons import scorer as minicons_scorer

    model: Any = minicons_scorer.IncrementalLMScorer(directory, "cpu", torch_dtype=torch.float32)
    # Asked for BOS it puts one more before that of tokenizers which bring their own.
    bare = model.tokenizer("a")["input_ids"][0] != model.tokenizer.bos_token_id

    def run(sentences: list[str]) -> Sums:
        found: Sums = {}
        for start in range(0, len(sentences), MINICONS_BATCH):
            batch = sentences[start : start + MINICONS_BATCH]
            sums = model.sequence_score(batch, reduction=lambda scores: scores.sum(0).item(), bos_token=bare)
            found.update(zip(batch, sums, strict=True))
        return found

    return run


def lm_eval(directory: str) -> Callable[[list[str]], Sums]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model: Any = HFLM(pretrained=directory, device="cpu", dtype="float32", batch_size=LM_EVAL_BATCH, add_bos_token=True)

    def run(sentences: list[str]) -> Sums:
        requests = [
            Instance(request_type="loglikelihood", doc={}, arguments=("", sentence), idx=number)
            for number, sentence in enumerate(sentences)
        ]
        found = model.loglikelihood(requests, disable_tqdm=True)
        return {sentence: value for sentence, (value, _) in zip(sentences, found, strict=True)}

    return run


def loop(directory: str) -> Callable[[list[str]], Sums]:
    """The published way: one sentence at a time, the loss of the model by the number of its tokens."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(directory)
    loader: Any = AutoModelForCausalLM
    network = loader.from_pretrained(directory, dtype=torch.float32).eval()

    def run(sentences: list[str]) -> Sums:
        found: Sums = {}
        for sentence in sentences:
            ids = tokenizer(sentence, return_tensors="pt").input_ids
            with torch.no_grad():
                loss = network(ids, labels=ids).loss.item()
            found[sentence] = -loss * (ids.shape[1] - 1)
        return found

    return run


CONTENDERS: dict[str, Callable[[str], Callable[[list[str]], Sums]]] = {
    "pairwright": pairwright,
    "lm-eval": lm_eval,
    "minicons": minicons,
    "loop": loop,
}


def work(name: str, directory: str, data: Path, threads: int) -> None:
    """One run in this process; prints what was measured as a line of JSON."""
    import torch

    torch.set_num_threads(threads)
    sentences: list[str] = json.loads(data.read_text(encoding="utf-8"))
    run = CONTENDERS[name](directory)
    run(sentences[:4])
    wall, cpu = time.perf_counter(), time.process_time()
    sums = run(sentences)
    measured = {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "sums": [sums.get(sentence, math.nan) for sentence in sentences],
    }
    print(json.dumps(measured))


def start(name: str, directory: str, data: Path, options: argparse.Namespace) -> dict[str, Any] | None:
    """One run in a process of its own; None where it fails, and then the last line of its error is printed."""
    command = [sys.executable, __file__, directory, "--work", name, str(data), "--threads", str(options.threads)]
    if options.peers:
        command += ["--peers", str(options.peers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}", file=sys.stderr)
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}: {found['seconds']:.1f} s, processor {found['cpu']:.1f} s", file=sys.stderr, flush=True)
    return found


def compare(title: str, pairs: list[Pair], directory: str, options: argparse.Namespace) -> None:
    """Runs all contenders on a set of pairs and prints its table."""
    before = " " if options.leading_space else ""
    sentences = list(dict.fromkeys(before + sentence for pair in pairs for sentence in pair))
    data = options.scratch / f"{title}.json"
    data.write_text(json.dumps(sentences, ensure_ascii=False), encoding="utf-8")
    names = list(options.only or CONTENDERS)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for number in range(options.rounds):
        for name in names if number % 2 == 0 else names[::-1]:
            measured = start(name, directory, data, options)
            if measured is not None:
                runs[name].append(measured)
    base = runs[names[0]]
    if not base:
        return
    print(f"\n| {title}, {len(pairs)} pairs | sentences/s | times ours | by processor time | peak MB | max diff nats |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in names:
        if runs[name]:
            print(_line(name, runs[name], base, len(sentences)), flush=True)


def _line(name: str, runs: list[dict[str, Any]], base: list[dict[str, Any]], count: int) -> str:
    seconds = statistics.median(run["seconds"] for run in runs)
    wall = statistics.median(other["seconds"] / own["seconds"] for own, other in zip(base, runs, strict=False))
    cpu = statistics.median(other["cpu"] / own["cpu"] for own, other in zip(base, runs, strict=False))
    peak = max(run["peak_mb"] for run in runs)
    worst = max(abs(own - other) for own, other in zip(base[0]["sums"], runs[0]["sums"], strict=True))
    return f"| {name} | {count / seconds:.1f} | {wall:.2f} | {cpu:.2f} | {peak:,.0f} | {worst:.1e} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--lithuanian", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--limit", type=int, nargs=3, default=(305, 2000, 1000))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--leading-space", action="store_true", help="score ' Sentence', as the blimp task of lm-eval")
    parser.add_argument("--only", nargs="+", choices=list(CONTENDERS))
    parser.add_argument("--scratch", type=Path, default=Path("/tmp"), help="where the sentences are put for the runs")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers:
        # Behind what is installed: the peers bring no torch of their own.
        sys.path.append(str(options.peers))
    if options.work:
        work(options.work[0], options.model, Path(options.work[1]), options.threads)
        return 0
    from pairwright.score.embedded import embedded_model

    directory = str(embedded_model().directory) if options.model == "embedded" else options.model
    sets = {"BLiMP-like": blimp_like(options.limit[1]), "long": long_pairs(options.limit[2])}
    if options.lithuanian:
        sets = {"Lithuanian": read_pairs(options.lithuanian, options.limit[0]), **sets}
    for title, pairs in sets.items():
        if pairs:
            compare(title, pairs, directory, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
