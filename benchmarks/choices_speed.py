"""Options of prompts with shared examples: how fast they are compared, and whether lm-evaluation-harness chooses alike.

    python benchmarks/choices_speed.py MODEL [--pairs PAIRS.csv] [--items 200] [--examples 12] [--peers DIR]
        [--rounds 1] [--threads 2] [--batch 4] [--words lt]

MODEL is what `load_model` takes. Each item is a sentence, right or wrong, after the same examples, and the options are
two words. The sentences are made here, or are those of a CSV file of pairs; `--words` is the language of the prompt.
lm-evaluation-harness runs a task of its own with these sentences, its own few-shot examples (the first ones of their
split) and the same text, which is checked; `--batch` is how many sequences it reads at a time. Each run is a process of
its own, which loads the model, in float32 on the CPU, and then times what lies between requests and log-probabilities.
The rounds go forth and back. Beside wall time stands processor time, which other programs on the machine disturb less.
`--peers` is a folder made by `pip install --target DIR --no-deps lm_eval` with what it needs.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from scoring_data import blimp_like, read_pairs

Labelled = tuple[str, int]  # a sentence, and the index of the option that is right


class Words(NamedTuple):
    """The words of a prompt, and the options."""

    description: str
    question: str
    options: tuple[str, str]


WORDS = {
    "en": Words("These are sentences and whether they are correct.", "Sentence: {}\nCorrect:", ("yes", "no")),
    "lt": Words("Tai sakiniai ir ar jie taisyklingi.", "Sakinys: {}\nTaisyklingas:", ("taip", "ne")),
}


class Task(NamedTuple):
    """What is asked of a model in a folder."""

    model: str
    words: Words
    examples: list[Labelled]
    items: list[Labelled]
    batch: int

    def prefix(self) -> str:
        shown = [f"{self.words.question.format(text)} {self.words.options[label]}" for text, label in self.examples]
        return "".join(f"{part}\n\n" for part in (self.words.description, *shown))


class Measured(NamedTuple):
    """A run: the log-probabilities of each item's options in nats, and what it took."""

    sums: list[list[float]]
    seconds: float
    processor: float
    peak_mb: float


def pairwright(task: Task) -> Measured:
    from pairwright.core.config import ScoreSettings
    from pairwright.evaluate.scoring.choices.requests import ChoiceRequest
    from pairwright.evaluate.scoring.choices.scorer import ChoiceScorer
    from pairwright.evaluate.scoring.scorers.registry import load_for_scoring
    from pairwright.models.load.settings import ModelSettings

    settings = ScoreSettings(dtype="float32", device="cpu")
    scorer = ChoiceScorer(load_for_scoring(ModelSettings(name=task.model), settings), settings)
    prefix, options = task.prefix(), tuple(f" {option}" for option in task.words.options)
    requests = [ChoiceRequest(prefix, task.words.question.format(text), options) for text, _ in task.items]

    def run() -> list[list[float]]:
        outcomes = scorer.score(requests)
        return [[score.sum_logprob for score in outcome] for outcome in outcomes if isinstance(outcome, tuple)]

    return measure(run)


def harness(task: Task) -> Measured:
    import lm_eval
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    model: Any = HFLM(pretrained=task.model, device="cpu", dtype="float32", batch_size=task.batch, add_bos_token=True)
    answer_all, runs = model.loglikelihood, []

    def timed(requests: Any) -> Any:
        answers: list[Any] = []

        def run() -> list[list[float]]:
            answers.extend(answer_all(requests, disable_tqdm=True))
            return []

        runs.append(measure(run))
        return answers

    model.loglikelihood = timed
    with tempfile.TemporaryDirectory() as folder:
        name = harness_task(task, Path(folder))
        tasks = TaskManager(include_path=folder, include_defaults=False)
        results: Any = lm_eval.simple_evaluate(
            model, tasks=[name], task_manager=tasks, bootstrap_iters=0, log_samples=True
        )
    samples = sorted(results["samples"][name], key=lambda sample: sample["doc_id"])
    for sample, (text, _) in zip(samples, task.items, strict=True):
        prompts = {argument[0] for argument in sample["arguments"]}
        if prompts != {task.prefix() + task.words.question.format(text)}:
            raise SystemExit(f"lm-eval asks otherwise: {prompts}")
    return runs[0]._replace(sums=[[float(answer[0]) for answer in sample["filtered_resps"]] for sample in samples])


def harness_task(task: Task, folder: Path) -> str:
    """Writes a task of lm-evaluation-harness, whose name it gives."""
    for split, rows in (("train", task.examples), ("test", task.items)):
        lines = [json.dumps({"text": text, "label": label}, ensure_ascii=False) for text, label in rows]
        (folder / f"{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    settings = {
        "task": "acceptability",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {split: str(folder / f"{split}.jsonl") for split in ("train", "test")}},
        "test_split": "test",
        "fewshot_split": "train",
        "fewshot_config": {"sampler": "first_n"},
        "num_fewshot": len(task.examples),
        "description": f"{task.words.description}\n\n",
        "output_type": "multiple_choice",
        "doc_to_text": task.words.question.format("{{text}}"),
        "doc_to_choice": list(task.words.options),
        "doc_to_target": "label",
        "metric_list": [{"metric": "acc"}],
    }
    # JSON is YAML.
    (folder / "acceptability.yaml").write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    return "acceptability"


def measure(run: Callable[[], list[list[float]]]) -> Measured:
    wall, processor = time.perf_counter(), time.process_time()
    sums = run()
    seconds, processor = time.perf_counter() - wall, time.process_time() - processor
    return Measured(sums, seconds, processor, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


CONTENDERS: dict[str, Callable[[Task], Measured]] = {"pairwright": pairwright, "lm-eval": harness}


def work(name: str, path: Path, threads: int) -> None:
    """One run, in a process of its own."""
    import torch

    torch.set_num_threads(threads)
    task = Task(**json.loads(path.read_text(encoding="utf-8")))
    print(json.dumps(CONTENDERS[name](task._replace(words=Words(*task.words)))))


def start(name: str, path: Path, options: argparse.Namespace) -> Measured | None:
    """One run in a process of its own; None where it fails, and then the last line of its error is printed."""
    command = [sys.executable, __file__, options.model, "--work", name, str(path), "--threads", str(options.threads)]
    command += ["--peers", str(options.peers)] if options.peers else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}", file=sys.stderr)
        return None
    return Measured(*json.loads(done.stdout.splitlines()[-1]))


def compare(task: Task, options: argparse.Namespace) -> None:
    """Runs the contenders and prints their table."""
    runs: dict[str, list[Measured]] = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task._asdict(), ensure_ascii=False), encoding="utf-8")
        for number in range(options.rounds):
            for name in list(CONTENDERS)[:: 1 if number % 2 == 0 else -1]:
                if measured := start(name, path, options):
                    runs[name].append(measured)
                    print(f"{name}: {measured.seconds:.1f} s, processor {measured.processor:.1f} s", file=sys.stderr)
    title = f"{len(task.items)} items, {len(task.examples)} examples"
    columns = ["items/s", "times ours", "by processor time", "peak MB", "equal choices", "max diff nats"]
    print(f"| {title} | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    own = runs["pairwright"]
    for name in CONTENDERS:
        if own and runs[name]:
            print(_line(name, runs[name], own), flush=True)


def _line(name: str, runs: list[Measured], own: list[Measured]) -> str:
    pairs = list(zip(own, runs, strict=False))
    wall = statistics.median(other.seconds / mine.seconds for mine, other in pairs)
    processor = statistics.median(other.processor / mine.processor for mine, other in pairs)
    rows = list(zip(own[0].sums, runs[0].sums, strict=True))
    equal = sum(mine.index(max(mine)) == other.index(max(other)) for mine, other in rows)
    apart = max(abs(a - b) for mine, other in rows for a, b in zip(mine, other, strict=True))
    pace = len(rows) / statistics.median(run.seconds for run in runs)
    peak = max(run.peak_mb for run in runs)
    return f"| {name} | {pace:.1f} | {wall:.2f} | {processor:.2f} | {peak:,.0f} | {equal} | {apart:.1e} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--pairs", type=Path, help="a CSV file of pairs, one sentence of each of which is taken")
    parser.add_argument("--words", choices=list(WORDS), default="en")
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--examples", type=int, default=12)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=4, help="sequences that the peer reads at a time")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peers:
        # Behind what is installed: the peers bring no torch of their own.
        sys.path.append(str(options.peers))
    if options.work:
        work(options.work[0], Path(options.work[1]), options.threads)
        return 0
    from pairwright.models.load.embedded import embedded_model

    count = options.examples + options.items
    pairs = read_pairs(options.pairs, count) if options.pairs else blimp_like(count)
    if len(pairs) < count:
        raise SystemExit(f"{len(pairs)} pairs, and {count} are needed; ask for {len(pairs) - options.examples} --items")
    # One sentence of each pair, right and wrong ones in turn.
    rows = [(pair[number % 2], number % 2) for number, pair in enumerate(pairs)]
    model = str(embedded_model().directory) if options.model == "embedded" else options.model
    examples, items = rows[: options.examples], rows[options.examples :]
    compare(Task(model, WORDS[options.words], examples, items, options.batch), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
