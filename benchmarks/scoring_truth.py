"""The scorer against float64.

The reference runs in float64, one unpadded sentence at a time, with one hidden token at a time for masked models, and
shares nothing with the scorer but the tokenizer and the weights. The scorer runs in float32 on the CPU at batch sizes
1, 8 and 64, with and without packing where the model is causal, and once more by torch's public operators alone.
"""

import csv
import math
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from common import miss
from error_lists import read_published
from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.scorers.registry import SCORERS
from pairwright.models.load.kernels import cpu_kernels
from pairwright.models.load.models import LoadedModel, load_model
from scoring_material import Pair, embedded, packaged_models


def parity(data: Path) -> pd.DataFrame:
    """The worst sentence's sum in nats, and the pairs that are decided otherwise, of models whose weights are here."""
    lithuanian = [(row.good, row.bad) for row in read_published(data)]
    rows = []
    for name, count in [(embedded(), 60), *packaged_models(data)]:
        pairs = antibodies(Path(name)) if name.endswith("antiberty") else lithuanian
        rows.append(worst_of(name, pairs[:count]))
    return pd.DataFrame(rows)


def antibodies(model: Path) -> list[Pair]:
    with model.with_name("antibodies.csv").open(encoding="utf-8", newline="") as handle:
        return [(row["sentence_good"], row["sentence_bad"]) for row in csv.DictReader(handle)]


def worst_of(name: str, pairs: Sequence[Pair]) -> dict[str, str]:
    """What comes of a model by all routes."""
    sentences = list(dict.fromkeys(text for pair in pairs for text in pair))
    expected = reference(load_model(name, dtype="float64", device="cpu"), sentences)
    model = load_model(name, dtype="float32", device="cpu")
    worst, flipped = 0.0, 0
    packings = ("never", "auto") if model.kind == "causal" else ("auto",)
    ways = [{"batch_size": size, "packing": packing} for packing in packings for size in (1, 8, 64)]
    # The kernels change the model, so the way without them comes first.
    for way in [{"cpu_kernels": "off"}, *reversed(ways)]:
        settings = ScoreSettings.model_validate(way)
        cpu_kernels(settings.cpu_kernels).speed_up(model.model)
        outcomes = SCORERS[model.kind](model, settings).score(sentences)
        sums = {one.sentence: one.sum_logprob for one in outcomes if isinstance(one, SentenceScore)}
        difference = max(abs(value - expected[text]) for text, value in sums.items())
        others = sum((expected[a] > expected[b]) != (sums[a] > sums[b]) for a, b in pairs if a in sums and b in sums)
        miss(f"{model.info.name} {way}: {difference:.2e} nats, {others} flipped")
        worst, flipped = max(worst, difference), max(flipped, others)
    figures = {"pairs": str(len(pairs)), "worst sentence, nats": f"{worst:.1e}", "decided otherwise": str(flipped)}
    return {"model": model.info.name, "kind": model.kind, **figures}


def reference(model: LoadedModel, sentences: list[str]) -> dict[str, float]:
    """The sum of log-probabilities of each sentence, by the model's own logits."""
    import torch

    logprobs = _masked_logprobs if model.kind == "masked" else _causal_logprobs
    with torch.inference_mode():
        scored = {
            text: logprobs(model.model, model.tokenizer, unicodedata.normalize("NFC", text)) for text in sentences
        }
    return {sentence: math.fsum(values) for sentence, values in scored.items()}


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
