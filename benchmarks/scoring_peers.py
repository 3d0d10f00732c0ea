"""The scorer beside minicons and lm-evaluation-harness: the same model, data and threads, the same numbers.

Each run is a process of its own, which loads the embedded model and is then timed. Every peer is told to put BOS before
the sentence and to add up all tokens, so that the sums can be compared. The folder DATA/peers has the peers that are
not installed; those that can't be imported are named in the place of their figures. `MODEL`, `DEVICE`,
`DTYPE` and `BATCH` of the environment choose another model and a GPU.
"""

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from common import Cost, NotHere, apart, measured
from error_lists import read_published
from pairwright.core.config import ScoreSettings
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context, Silent
from pairwright.pipeline.evaluate import evaluate
from pairwright.pipeline.options import EvaluationOptions, PairOptions
from scoring_material import blimp_like, embedded, packaged_models, peers

Sums = dict[str, float]
Labelled = tuple[str, int]  # a sentence, and the index of the option that is right
N_THREADS, N_EXAMPLES, N_ITEMS = 2, 12, 200
TASK = """\
include: {template}
task: own_pairs
dataset_path: json
dataset_kwargs:
  data_files:
    train: {pairs}
"""


def setup() -> "Setup":
    given = os.environ.get
    return Setup(
        given("MODEL") or embedded(), given("DEVICE", "cpu"), given("DTYPE", "float32"), int(given("BATCH", "16"))
    )


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
    from pairwright.evaluate.scoring.inputs import SentenceScore
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


CONTENDERS: dict[str, Callable[[Setup], Callable[[list[str]], Sums]]] = {
    "pairwright": pairwright,
    "lm-eval": lm_eval,
    "minicons": minicons,
}


def sentence_run(name: str, data: Path, own: Setup, sentences: list[str]) -> Cost:
    """One run in this process."""
    import torch

    peers(data)
    torch.set_num_threads(N_THREADS)
    run = CONTENDERS[name](own)
    run(sentences[:4])
    cost = measured(run, sentences)
    on_gpu = torch.device(own.device).type == "cuda"
    return cost._replace(peak=torch.cuda.max_memory_allocated(own.device) / 2**20) if on_gpu else cost


def in_turn(work: Callable[..., Cost], names: list[str], data: Path, *arguments: Any) -> dict[str, Cost | str]:
    """What each contender took in a process of its own, or why it did not run."""
    costs: dict[str, Cost | str] = {}
    for name in names:
        try:
            costs[name] = apart(work, name, data, *arguments)
        except ImportError as fault:
            costs[name] = f"not measured: {fault}"
    return costs


def float32_rate() -> float:
    """The GFLOP/s of torch's own large float32 products here, the best of 20."""
    import torch

    torch.set_num_threads(N_THREADS)
    left, right = torch.rand(1024, 2048), torch.rand(2048, 2048)
    return max(2 * 1024 * 2048 * 2048 / 1e9 / measured(torch.mm, left, right).clock for _ in range(20))


def work(directory: str, texts: list[str]) -> dict[str, float]:
    """GFLOP of the products in a model that reads each text alone: its head, its attention scores, all others."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(directory)
    lengths = Counter(map(len, tokenizer(texts)["input_ids"]))
    totals = {"head": 0.0, "body": 0.0, "attention": 0.0}
    network: Any = AutoModelForCausalLM.from_pretrained(directory)
    with torch.inference_mode():
        for length, count in lengths.items():
            with FlopCounterMode(display=False) as counter:
                network(input_ids=torch.zeros(1, length, dtype=torch.long), use_cache=False)
            operations = counter.get_flop_counts()
            head = sum(operations[f"{type(network).__name__}.lm_head"].values())
            attention = sum(n for name, n in operations["Global"].items() if "bmm" in str(name) or "dot" in str(name))
            parts = (head, counter.get_total_flops() - head - attention, attention)
            totals = {name: totals[name] + count * n / 1e9 for name, n in zip(totals, parts, strict=True)}
    return totals


def beside_ours(name: str, cost: Cost | str, ours: Cost, count: int, unit: str) -> dict[str, str]:
    if isinstance(cost, str):
        return {"": name, unit: cost}
    row = {"": name, unit: f"{count / cost.clock:.1f}", "times ours": f"{cost.clock / ours.clock:.2f}"}
    return row | {"by processor time": f"{cost.processor / ours.processor:.2f}", "peak MB": f"{cost.peak:,.0f}"}


def sentences(data: Path) -> pd.DataFrame:
    """Sentences a second; times are ratios, so more is slower.

    The share of peak is the work that a set is for a model that reads each sentence alone, by the clock, over the rate
    of large float32 products on the same threads. Beginnings that are read once can take it above 100 %.
    """
    own, rows = setup(), []
    published = [(row.good, row.bad) for row in read_published(data)]
    # Each sentence of the last 40 pairs behind the eight good ones before it.
    before = [" ".join(good for good, _ in published[k - 8 : k]) for k in range(len(published) - 40, len(published))]
    long = [(f"{text} {good}", f"{text} {bad}") for text, (good, bad) in zip(before, published[-40:], strict=True)]
    sets = {"Lithuanian": published, "BLiMP-like": blimp_like(2000), "long": long}
    for title, pairs in sets.items():
        texts = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
        costs = in_turn(sentence_run, list(CONTENDERS), data, own, texts)
        ours, parts, peak = costs["pairwright"], apart(work, own.directory, texts), apart(float32_rate)
        if isinstance(ours, str):
            raise NotHere(ours)
        total = sum(parts.values())
        shares = ", ".join(f"{name} {part / total:.0%}" for name, part in parts.items())
        rows.append({"pairs": f"{title}, {len(pairs)}", "": f"{total:,.0f} GFLOP: {shares}", "GFLOP/s": f"{peak:.0f}"})
        for name, cost in costs.items():
            row = {"pairs": f"{title}, {len(pairs)}", **beside_ours(name, cost, ours, len(texts), "sentences/s")}
            if isinstance(cost, Cost):
                worst = max(abs(cost.result[text] - ours.result[text]) for text in texts)
                row |= {"max diff nats": f"{worst:.1e}", "GFLOP/s": f"{total / cost.clock:.0f}"}
                row["of peak"] = f"{total / cost.clock / peak:.0%}"
            rows.append(row)
    return pd.DataFrame(rows)


# --- options after a prompt with shared examples


class Words(NamedTuple):
    """The words of a prompt, and the options."""

    description: str
    question: str
    options: tuple[str, str]


LITHUANIAN = Words("Tai sakiniai ir ar jie taisyklingi.", "Sakinys: {}\nTaisyklingas:", ("taip", "ne"))


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


def own_choices(task: Task) -> Cost:
    from pairwright.evaluate.scoring.choices import ChoiceRequest, ChoiceScorer
    from pairwright.evaluate.scoring.scorers.registry import load_for_scoring
    from pairwright.models.load.settings import ModelSettings

    settings = ScoreSettings(dtype="float32", device="cpu")
    scorer = ChoiceScorer(load_for_scoring(ModelSettings(name=task.model), settings), settings)
    prefix, options = task.prefix(), tuple(f" {option}" for option in task.words.options)
    requests = [ChoiceRequest(prefix + task.words.question.format(text), options) for text, _ in task.items]

    def run() -> list[list[float]]:
        outcomes = scorer.score(requests)
        return [[score.sum_logprob for score in outcome] for outcome in outcomes if isinstance(outcome, tuple)]

    return measured(run)


def harness_choices(task: Task) -> Cost:
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

        runs.append(measured(run))
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
    return runs[0]._replace(result=[[float(answer[0]) for answer in sample["filtered_resps"]] for sample in samples])


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


def choice_run(name: str, data: Path, task: Task) -> Cost:
    import torch

    peers(data)
    torch.set_num_threads(N_THREADS)
    return own_choices(task) if name == "pairwright" else harness_choices(task)


def choices(data: Path) -> pd.DataFrame:
    """Two options after a prompt of twelve examples and a sentence, beside a task of the harness with the same text."""
    pairs = [(row.good, row.bad) for row in read_published(data)][: N_EXAMPLES + N_ITEMS]
    # One sentence of each pair, right and wrong ones in turn.
    labelled = [(pair[number % 2], number % 2) for number, pair in enumerate(pairs)]
    task = Task(setup().directory, LITHUANIAN, labelled[:N_EXAMPLES], labelled[N_EXAMPLES:], 4)
    costs, rows = in_turn(choice_run, ["pairwright", "lm-eval"], data, task), []
    ours = costs["pairwright"]
    if isinstance(ours, str):
        raise NotHere(ours)
    for name, cost in costs.items():
        row = beside_ours(name, cost, ours, len(task.items), "items/s")
        if isinstance(cost, Cost):
            both = list(zip(ours.result, cost.result, strict=True))
            apart_by = max(abs(a - b) for mine, other in both for a, b in zip(mine, other, strict=True))
            row["equal choices"] = str(sum(mine.index(max(mine)) == other.index(max(other)) for mine, other in both))
            row["max diff nats"] = f"{apart_by:.1e}"
        rows.append(row)
    return pd.DataFrame(rows)


# --- the same verdicts as the harness


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
    evaluate(context, str(pairs), PairOptions(out=folder), given)
    (printed,) = re.findall(r"ties as correct: acc ([\d.]+)", "\n".join(lines))
    (path,) = folder.glob("scores/*/scores.parquet")
    scores = pd.read_parquet(path)
    return float(printed), dict(zip(scores["sentence"], scores["sum_logprob"], strict=True))


def like_lm_eval(data: Path) -> pd.DataFrame:
    """`pairwright score --like lm-eval` beside the harness's own task blimp, on pairs as in BLiMP."""
    peers(data)
    rows = []
    for model, count in ((embedded(), 100), (packaged_models(data)[0][0], 200)):
        pairs = blimp_like(count)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            path = folder / "pairs.jsonl"
            lines = [json.dumps({"sentence_good": good, "sentence_bad": bad}) + "\n" for good, bad in pairs]
            path.write_text("".join(lines), encoding="utf-8")
            theirs, their_sums, right = by_lm_eval(folder_of(model), path, folder)
            ours, sums = by_pairwright(model, path, folder)
        differ = sum((sums[a] >= sums[b]) != is_right for (a, b), is_right in zip(pairs, right, strict=True))
        worst = max(abs(sums[sentence] - their_sums[sentence]) for pair in pairs for sentence in pair)
        figures = {
            "acc": f"{ours:.4f}",
            "lm-eval": f"{theirs:.4f}",
            "decided otherwise": differ,
            "max nats": f"{worst:.1e}",
        }
        rows.append({"model": Path(model).name, "pairs": count, **figures})
    return pd.DataFrame(rows)


def folder_of(model: str) -> str:
    """The folder that other programs load: of a GGUF file, what it was converted to."""
    from pairwright.models.load.embedded import gguf_model

    return str(gguf_model(model).directory) if model.endswith(".gguf") else model
