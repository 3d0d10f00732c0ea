"""Sentences per second and peak memory of the scorer beside its peers, on the same model, data and threads.

    python benchmarks/scoring_speed.py MODEL --lithuanian PAIRS.csv [--peers DIR] [--limit 305 2000 1000]
        [--rounds 2] [--threads 2] [--only NAME ...] [--device cuda --dtype bfloat16 --batch 64 --peak TFLOPS]

MODEL is what `load_model` takes. Three sets: the Lithuanian pairs of a CSV file, pairs as in BLiMP and long pairs,
both made here. Each run is a process of its own, which loads the model, in float32 on the CPU unless told otherwise,
and is then timed. The rounds go through the peers forth and back, so that a machine that grows busier harms all alike;
the table has medians. Beside wall time stands processor time, which other programs on the machine disturb less.
`--peers` is a folder made by `pip install --target DIR --no-deps minicons lm_eval` with what they need; those that
can't be imported are left out. Every peer is told to put BOS before the sentence and to add up all tokens, so that the
sums can be compared.

On a GPU the memory is the GPU's, and `--batch` is the peers' batch size, of which the best is to be found. With
`--peak`, what the card does in that kind of number in TFLOP/s, the table has tokens/s and their share of it: two
operations a parameter and token of each distinct sentence, computed or shared. `scoring_model.py` makes a model.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring_data import Pair, blimp_like, folder_of, long_pairs, read_pairs

Sums = dict[str, float]


@dataclass(frozen=True)
class Setup:
    """What is loaded and how; `batch` is the batch size of the peers."""

    directory: str
    device: str
    dtype: str
    batch: int

    @property
    def number(self) -> Any:
        """The kind of number as torch has it."""
        import torch

        return getattr(torch, self.dtype)


def pairwright(setup: Setup) -> Callable[[list[str]], Sums]:
    from pairwright.core.config import ScoreSettings
    from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore
    from pairwright.evaluate.scoring.scorers.registry import open_scorer
    from pairwright.models.load.settings import ModelSettings

    settings = ScoreSettings(dtype=setup.dtype, device=setup.device)
    scorer = open_scorer(ModelSettings(name=setup.directory), settings)

    def run(sentences: list[str]) -> Sums:
        outcomes = list(scorer.score(sentences))
        return {one.sentence: one.sum_logprob for one in outcomes if isinstance(one, SentenceScore)}

    return run


def minicons(setup: Setup) -> Callable[[list[str]], Sums]:
    from minicons import scorer as minicons_scorer

    model: Any = minicons_scorer.IncrementalLMScorer(setup.directory, setup.device, torch_dtype=setup.number)
    # Asked for BOS it puts one more before that of tokenizers which bring their own.
    bare = model.tokenizer("a")["input_ids"][0] != model.tokenizer.bos_token_id

    def run(sentences: list[str]) -> Sums:
        totals: Sums = {}
        for start in range(0, len(sentences), setup.batch):
            batch = sentences[start : start + setup.batch]
            sums = model.sequence_score(batch, reduction=lambda scores: scores.sum(0).item(), bos_token=bare)
            totals.update(zip(batch, sums, strict=True))
        return totals

    return run


def lm_eval(setup: Setup) -> Callable[[list[str]], Sums]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model: Any = HFLM(
        pretrained=setup.directory,
        device=setup.device,
        dtype=setup.dtype,
        batch_size=setup.batch,
        add_bos_token=True,
    )

    def run(sentences: list[str]) -> Sums:
        requests = [
            Instance(request_type="loglikelihood", doc={}, arguments=("", sentence), idx=number)
            for number, sentence in enumerate(sentences)
        ]
        answers = model.loglikelihood(requests, disable_tqdm=True)
        return {sentence: value for sentence, (value, _) in zip(sentences, answers, strict=True)}

    return run


def loop(setup: Setup) -> Callable[[list[str]], Sums]:
    """The published way: one sentence at a time, the loss of the model by the number of its tokens."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(setup.directory)
    loader: Any = AutoModelForCausalLM
    network = loader.from_pretrained(setup.directory, dtype=setup.number).to(setup.device).eval()

    def run(sentences: list[str]) -> Sums:
        totals: Sums = {}
        for sentence in sentences:
            ids = tokenizer(sentence, return_tensors="pt").input_ids.to(setup.device)
            with torch.no_grad():
                loss = network(ids, labels=ids).loss.item()
            totals[sentence] = -loss * (ids.shape[1] - 1)
        return totals

    return run


CONTENDERS: dict[str, Callable[[Setup], Callable[[list[str]], Sums]]] = {
    "pairwright": pairwright,
    "lm-eval": lm_eval,
    "minicons": minicons,
    "loop": loop,
}


def work(name: str, setup: Setup, data: Path, threads: int) -> None:
    """One run in this process; prints what was measured as a line of JSON."""
    import torch

    torch.set_num_threads(threads)
    sentences: list[str] = json.loads(data.read_text(encoding="utf-8"))
    run = CONTENDERS[name](setup)
    run(sentences[:4])
    wall, cpu = time.perf_counter(), time.process_time()
    sums = run(sentences)
    measured = {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "peak_mb": peak_mb(setup.device),
        "sums": [sums.get(sentence, math.nan) for sentence in sentences],
    }
    print(json.dumps(measured))


def peak_mb(device: str) -> float:
    """The most memory that this process had: of the GPU where it runs on one, else of the machine."""
    import torch

    if torch.device(device).type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def start(name: str, directory: str, data: Path, options: argparse.Namespace) -> dict[str, Any] | None:
    """One run in a process of its own; None where it fails, and then the last line of its error is printed."""
    command = [sys.executable, __file__, directory, "--work", name, str(data), "--threads", str(options.threads)]
    command += ["--device", options.device, "--dtype", options.dtype, "--batch", str(options.batch)]
    if options.peers:
        command += ["--peers", str(options.peers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}", file=sys.stderr)
        return None
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name}: {measured['seconds']:.1f} s, processor {measured['cpu']:.1f} s", file=sys.stderr, flush=True)
    return measured


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
    work_done = workload(directory, sentences) if options.peak else None
    columns = ["sentences/s", "times ours", "by processor time", "peak MB", "max diff nats"]
    columns += ["tokens/s", "share of peak"] if work_done else []
    print(f"\n| {title}, {len(pairs)} pairs | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for name in names:
        if runs[name]:
            shares = _shares(runs[name], work_done, options.peak) if work_done else ""
            print(_line(name, runs[name], base, len(sentences)) + shares, flush=True)


def workload(directory: str, sentences: list[str]) -> tuple[int, int]:
    """The tokens of distinct sentences with BOS, and the parameters that a token is multiplied by."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(directory)
    tokens = sum(len(ids) + 1 for ids in tokenizer(sentences, add_special_tokens=False).input_ids)
    with torch.device("meta"):
        loader: Any = AutoModelForCausalLM
        network = loader.from_config(AutoConfig.from_pretrained(directory))
    looked_up = network.get_input_embeddings().weight
    tied = looked_up is network.get_output_embeddings().weight
    return tokens, sum(part.numel() for part in network.parameters()) - (0 if tied else looked_up.numel())


def _shares(runs: list[dict[str, Any]], work_done: tuple[int, int], peak: float) -> str:
    tokens, parameters = work_done
    pace = tokens / statistics.median(run["seconds"] for run in runs)
    return f" {pace:,.0f} | {2 * parameters * pace / (peak * 1e12):.1%} |"


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
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--batch", type=int, default=16, help="sentences that a peer scores at a time")
    parser.add_argument("--peak", type=float, help="TFLOP/s of the card, to set the tokens/s beside")
    parser.add_argument("--leading-space", action="store_true", help="score ' Sentence', as the blimp task of lm-eval")
    parser.add_argument("--only", nargs="+", choices=list(CONTENDERS))
    parser.add_argument("--scratch", type=Path, default=Path("/tmp"), help="where the sentences are put for the runs")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers:
        # Behind what is installed: the peers bring no torch of their own.
        sys.path.append(str(options.peers))
    if options.work:
        setup = Setup(options.model, options.device, options.dtype, options.batch)
        work(options.work[0], setup, Path(options.work[1]), options.threads)
        return 0
    directory = folder_of(options.model)
    sets = {"BLiMP-like": blimp_like(options.limit[1]), "long": long_pairs(options.limit[2])}
    if options.lithuanian:
        sets = {"Lithuanian": read_pairs(options.lithuanian, options.limit[0]), **sets}
    for title, pairs in sets.items():
        if pairs:
            compare(title, pairs, directory, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
