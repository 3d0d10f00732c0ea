"""A long run that is killed again and again: memory, what is scored twice, and whether the result is the same.

    python benchmarks/scoring_million.py [--pairs 1000000] [--kills 20] [--shard 1000] [--folder DIR]

A tiny model with random weights scores pairs that are made as they are read. The process is ended with SIGKILL as often
as is asked for, each time after some shards more, and started again; then it runs to its end, and once more undisturbed
in another folder. Printed are the memory of the undisturbed run as it goes on, shards that were written twice, and
whether both results are the same bytes.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from made_records import make_released
from pairwright.core.records.release import ReleasePair

NAMES = ("senator", "pilot", "teacher", "guard", "waiter", "lawyer", "customer", "surgeon")


def make_model(folder: Path) -> None:
    """A GPT-2 of one layer that reads bytes, with random weights."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={"<s>": 0, **{letter: n + 1 for n, letter in enumerate(alphabet)}}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    fast: Any = transformers.PreTrainedTokenizerFast
    fast(tokenizer_object=core, bos_token="<s>", eos_token="<s>").save_pretrained(folder)
    torch.manual_seed(5)
    config = transformers.GPT2Config(
        vocab_size=len(alphabet) + 1, n_embd=16, n_layer=1, n_head=2, n_positions=128, bos_token_id=0, eos_token_id=0
    )
    loader: Any = transformers.AutoModelForCausalLM
    loader.from_config(config).save_pretrained(folder)


def stream(count: int) -> Iterator[ReleasePair]:
    """Pairs that differ in agreement, made one by one."""
    for number in range(count):
        name = NAMES[number % len(NAMES)]
        good, bad = f"Line {number}: the {name} waits.", f"Line {number}: the {name} wait."
        yield make_released(good, bad, id=f"pair-{number:07d}", method="manual", changes=())


def work(model: str, folder: str, count: int, shard: int) -> None:
    """Scores in this process; prints the pairs done, the time and the memory in MB as shards finish."""
    import torch

    from pairwright.core.config import ScoreSettings
    from pairwright.evaluate.scoring.runs.evaluation import evaluate
    from pairwright.evaluate.scoring.scorers.causal import CausalScorer
    from pairwright.models.load.models import load_model

    torch.set_num_threads(1)
    settings = ScoreSettings(shard_pairs=shard)
    scorer = CausalScorer(load_model(model, device="cpu"), settings)

    def progress(done: int) -> None:
        if done % shard == 0 or done == count:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            print(done, f"{time.monotonic():.3f}", pages * 4096 // 2**20, flush=True)

    evaluate(
        stream(count), scorer, settings, Path(folder), release="made-1.0", release_sha256="a" * 64, progress=progress
    )


def run(options: argparse.Namespace, model: Path, folder: Path, shards: int | None) -> list[list[str]]:
    """A process that is killed after it wrote so many shards; None lets it end. Gives what it printed."""
    command = [sys.executable, __file__, "--work", str(model), str(folder)]
    command += ["--pairs", str(options.pairs), "--shard", str(options.shard)]
    lines: list[list[str]] = []
    before = len(list((folder / "shards").glob("*.parquet")))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.split())
            if shards is not None and len(list((folder / "shards").glob("*.parquet"))) >= before + shards:
                process.kill()
                break
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--shard", type=int, default=1000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], options.work[1], options.pairs, options.shard)
        return 0
    folder = options.folder or Path(tempfile.mkdtemp())
    make_model(folder / "model")
    step = max(1, options.pairs // options.shard // (options.kills + 1))
    written: dict[str, int] = {}
    twice = 0
    for _ in range(options.kills):
        run(options, folder / "model", folder / "killed", step)
        for path in (folder / "killed" / "shards").glob("*.parquet"):
            twice += written.setdefault(path.name, path.stat().st_mtime_ns) != path.stat().st_mtime_ns
    run(options, folder / "model", folder / "killed", None)
    lines = run(options, folder / "model", folder / "whole", None)
    for part in (0.1, 0.25, 0.5, 0.75, 1):
        done, _, memory = lines[max(0, round(part * len(lines)) - 1)]
        print(f"memory after {int(done):,} pairs: {memory} MB")
    seconds = float(lines[-1][1]) - float(lines[0][1])
    print(f"pairs/s: {(int(lines[-1][0]) - int(lines[0][0])) / max(seconds, 1e-9):,.0f}")
    same = all(
        hashlib.sha256((folder / "killed" / name).read_bytes()).digest()
        == hashlib.sha256((folder / "whole" / name).read_bytes()).digest()
        for name in ("scores.parquet", "scores.rejected.jsonl")
    )
    print(f"killed {options.kills} times: {len(written)} shards seen, {twice} written twice, same bytes: {same}")
    return 0 if same and not twice else 1


if __name__ == "__main__":
    sys.exit(main())
