"""How far the scorer is from a float64 run of one unpadded sentence at a time, in nats, and how fast it is.

    python benchmarks/scoring_parity.py MODEL PAIRS [--limit N]

MODEL is what `load_model` takes. PAIRS is a CSV file with a header, separated by `,` or `;`. The scorer runs in
float32 on the CPU at batch sizes 1, 8 and 64. The reference shares nothing with it but the tokenizer and the weights.
"""

import argparse
import csv
import math
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

from pairwright.errors import ModelError, PairwrightError
from pairwright.score.causal import SentenceScore, score_sentences
from pairwright.score.models import LoadedModel, load_model

COLUMNS = (
    ("sentence_good", "sentence_bad"),
    ("good_sentence", "bad_sentence"),
    ("correct_sentence", "incorrect_sentence"),
)
BATCH_SIZES = (1, 8, 64)


def read_pairs(path: Path, limit: int | None) -> list[tuple[str, str]]:
    """The good and bad sentences of a CSV file, unchanged. Raises ModelError where it has no such columns."""
    with path.open(encoding="utf-8-sig", newline="") as handle:
        header = handle.readline()
        handle.seek(0)
        rows = list(csv.DictReader(handle, delimiter=";" if header.count(";") > header.count(",") else ","))
    for good, bad in COLUMNS:
        if rows and good in rows[0] and bad in rows[0]:
            return [(row[good], row[bad]) for row in rows[:limit]]
    raise ModelError(f"{path}: no pair of sentence columns; one of {COLUMNS} is needed")


def reference(model: LoadedModel, sentences: list[str]) -> dict[str, tuple[float, int]]:
    """The sum of log-probabilities and the number of scored tokens of each sentence, by the model's own logits."""
    import torch

    network: Any = model.model
    tokenizer: Any = model.tokenizer
    bos = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    found = {}
    with torch.inference_mode():
        for sentence in sentences:
            text = unicodedata.normalize("NFC", sentence)
            ids = torch.tensor([bos + tokenizer(text, add_special_tokens=False)["input_ids"]])
            logprobs = network(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])
            found[sentence] = (math.fsum(logprobs[:, 0].tolist()), len(logprobs))
    return found


def accuracy(pairs: list[tuple[str, str]], measure: dict[str, float]) -> float:
    """The share of pairs whose good sentence has the higher value, of those with both sentences scored."""
    known = [(measure[good], measure[bad]) for good, bad in pairs if good in measure and bad in measure]
    return sum(good > bad for good, bad in known) / len(known)


def compare(
    model: LoadedModel, batch_size: int, sentences: list[str], wanted: dict[str, tuple[float, int]]
) -> dict[str, SentenceScore]:
    """Scores at one batch size and prints one line of the table. Returns the scores by sentence."""
    start = time.perf_counter()
    outcomes = list(score_sentences(model, sentences, batch_size=batch_size))
    seconds = time.perf_counter() - start
    scores = {outcome.sentence: outcome for outcome in outcomes if isinstance(outcome, SentenceScore)}
    differences = [abs(score.sum_logprob - wanted[sentence][0]) for sentence, score in scores.items()]
    print(
        f"{batch_size:>10}  {max(differences):>16.2e}  {sum(differences) / len(differences):>14.2e}"
        f"  {len(sentences) - len(scores):>10}  {len(sentences) / seconds:>11.1f}",
        flush=True,
    )
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--limit", type=int, help="take the first N pairs only")
    arguments = parser.parse_args()
    try:
        pairs = read_pairs(arguments.pairs, arguments.limit)
        sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
        wanted = reference(load_model(arguments.model, dtype="float64", device="cpu"), sentences)
        model = load_model(arguments.model, dtype="float32", device="cpu")
    except (PairwrightError, OSError) as fault:
        print(fault, file=sys.stderr)
        return 2
    info = model.info
    print(f"{info.name} ({info.architecture}), {len(pairs)} pairs, {info.torch_threads} threads, {info.hardware}")
    print(f"{'batch size':>10}  {'max |diff| nats':>16}  {'mean |diff|':>14}  {'unscorable':>10}  {'sentences/s':>11}")
    for batch_size in BATCH_SIZES:
        scores = compare(model, batch_size, sentences, wanted)
    means = {sentence: score.sum_logprob / score.n_tokens for sentence, score in scores.items()}
    sums = {sentence: score.sum_logprob for sentence, score in scores.items()}
    print(f"accuracy by mean NLL per token: {accuracy(pairs, means):.3f}")
    print(f"accuracy by sum of log-probabilities: {accuracy(pairs, sums):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
