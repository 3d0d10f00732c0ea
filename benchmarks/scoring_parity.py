"""How far the scorer is from a float64 run of one unpadded sentence at a time, in nats, and how fast it is.

    python benchmarks/scoring_parity.py MODEL [MODEL ...] PAIRS [--limit N] [--bfloat16]

MODEL is what `load_model` takes, such as `embedded`, or one of those that `scoring_packaged.py` writes. PAIRS is a CSV
file with a header, separated by `,` or `;`. The scorer runs in float32 on the CPU at batch sizes 1, 8 and 64, with and
without packing where the model is causal, once more by torch's public operators alone, and with `--bfloat16` once in
bfloat16. A pair flips where the other sentence has the higher sum than in float64. The reference hides one token at a
time of one sentence for a masked model, and shares nothing with the scorer but the tokenizer and the weights. The last
lines give the worst sentence of each model.
"""

import argparse
import math
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import PairwrightError
from pairwright.evaluate.scoring.cpu.kernels import cpu_kernels
from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore
from pairwright.evaluate.scoring.scorers.registry import SCORERS
from pairwright.models.load.models import LoadedModel, load_model
from scoring_data import read_pairs

BATCH_SIZES = (1, 8, 64)
HEAD = (
    f"{'dtype':>9}  {'batch size':>10}  {'route':>8}  {'cpu_kernels':>11}  {'max |diff| nats':>16}  {'mean |diff|':>11}"
    f"  {'flipped':>7}  {'largest margin':>14}  {'sentences/s':>11}"
)


def reference(model: LoadedModel, sentences: list[str]) -> dict[str, tuple[float, int]]:
    """The sum of log-probabilities and the number of scored tokens of each sentence, by the model's own logits."""
    import torch

    logprobs = _masked_logprobs if model.kind == "masked" else _causal_logprobs
    with torch.inference_mode():
        scored = {
            text: logprobs(model.model, model.tokenizer, unicodedata.normalize("NFC", text)) for text in sentences
        }
    return {sentence: (math.fsum(values), len(values)) for sentence, values in scored.items()}


def _causal_logprobs(network: Any, tokenizer: Any, text: str) -> list[float]:
    import torch

    bos = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    ids = torch.tensor([bos + tokenizer(text, add_special_tokens=False)["input_ids"]])
    values: list[float] = network(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0].tolist()
    return values


def _masked_logprobs(network: Any, tokenizer: Any, text: str) -> list[float]:
    import torch

    ids = torch.tensor([tokenizer(text)["input_ids"]])
    values = []
    for place in range(1, ids.shape[1] - 1):
        hidden = ids.clone()
        hidden[0, place] = tokenizer.mask_token_id
        values.append(network(hidden).logits[0, place].log_softmax(-1)[ids[0, place]].item())
    return values


def accuracy(pairs: list[tuple[str, str]], measure: dict[str, float]) -> float:
    """The share of pairs whose good sentence has the higher value, of those with both sentences scored."""
    values = [(measure[good], measure[bad]) for good, bad in pairs if good in measure and bad in measure]
    return sum(good > bad for good, bad in values) / len(values)


def compare(
    model: LoadedModel,
    settings: ScoreSettings,
    pairs: list[tuple[str, str]],
    expected: dict[str, tuple[float, int]],
) -> tuple[dict[str, SentenceScore], float]:
    """Scores with some settings and prints one line of the table. Returns the scores, and the largest difference."""
    sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
    scorer = SCORERS[model.kind](model, settings)
    start = time.perf_counter()
    outcomes = list(scorer.score(sentences))
    seconds = time.perf_counter() - start
    scores = {outcome.sentence: outcome for outcome in outcomes if isinstance(outcome, SentenceScore)}
    differences = [abs(score.sum_logprob - expected[sentence][0]) for sentence, score in scores.items()]
    flipped = [margin for good, bad in pairs if (margin := _flipped(good, bad, scores, expected)) is not None]
    print(
        f"{model.info.dtype:>9}  {settings.batch_size:>10}  {scorer.route:>8}  {settings.cpu_kernels:>11}"
        f"  {max(differences):>16.2e}  {sum(differences) / len(differences):>11.2e}  {len(flipped):>7}"
        f"  {max(flipped, default=0):>14.2e}  {len(sentences) / seconds:>11.1f}",
        flush=True,
    )
    return scores, max(differences)


def _flipped(
    good: str, bad: str, scores: dict[str, SentenceScore], expected: dict[str, tuple[float, int]]
) -> float | None:
    """How far apart the sums of a pair are in float64 where the scorer decides it the other way; None where not."""
    if good not in scores or bad not in scores:
        return None
    margin = expected[good][0] - expected[bad][0]
    own = scores[good].sum_logprob - scores[bad].sum_logprob
    return None if (margin > 0) == (own > 0) else abs(margin)


def worst_of(name: str, pairs: list[tuple[str, str]], *, bfloat16: bool) -> float:
    """Prints the table of a model, and returns the largest difference in float32 in nats. Raises ModelError."""
    sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
    expected = reference(load_model(name, dtype="float64", device="cpu"), sentences)
    model = load_model(name, dtype="float32", device="cpu")
    info, worst = model.info, 0.0
    print(f"{info.name} ({info.architecture}), {len(pairs)} pairs, {info.torch_threads} threads, {info.hardware}")
    print(HEAD)
    packings = ("never", "auto") if model.kind == "causal" else ("auto",)
    ways = [{"batch_size": size, "packing": packing} for packing in packings for size in BATCH_SIZES]
    ways.append({"cpu_kernels": "off"})
    # The kernels change the model, so those without come first.
    for way in reversed(ways):
        settings = ScoreSettings.model_validate(way)
        cpu_kernels(settings.cpu_kernels).speed_up(model.model)
        scores, difference = compare(model, settings, pairs, expected)
        worst = max(worst, difference)
    if bfloat16:
        halved = load_model(name, dtype="bfloat16", device="cpu")
        compare(halved, ScoreSettings(), pairs, expected)
    means = {sentence: score.sum_logprob / score.n_tokens for sentence, score in scores.items()}
    sums = {sentence: score.sum_logprob for sentence, score in scores.items()}
    print(f"accuracy by mean NLL per token: {accuracy(pairs, means):.3f}")
    print(f"accuracy by sum of log-probabilities: {accuracy(pairs, sums):.3f}")
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--limit", type=int, help="take the first N pairs only")
    parser.add_argument("--bfloat16", action="store_true", help="score in bfloat16 too")
    arguments = parser.parse_args()
    try:
        pairs = read_pairs(arguments.pairs, arguments.limit)
        worst = {name: worst_of(name, pairs, bfloat16=arguments.bfloat16) for name in arguments.models}
    except (PairwrightError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for name, difference in worst.items():
        print(f"worst sentence in float32: {difference:.2e} nats ({name})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
