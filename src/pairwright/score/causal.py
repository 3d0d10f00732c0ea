"""Sentence log-probabilities under a causal language model, exact to 1e-3 nats of a float64 run of one sentence.

The chain rule gives a sentence's log-probability as the sum over its tokens of log p(token | the tokens before it).
`records.ScoringPolicy` states what counts as a token and what stands before the first one.
"""

import itertools
import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pairwright.errors import ModelError
from pairwright.runs import ScoringPolicy
from pairwright.score.guards import one_line
from pairwright.score.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor

    Project = Callable[[Tensor], Tensor]

POLICY = ScoringPolicy()
# The logits that stand in memory at a time, in numbers: 64 MB in float32.
CHUNK_LOGITS = 2**24
PROBE_TOKENS = 8


@dataclass(frozen=True)
class SentenceScore:
    """A sentence as it was given, and its log-probability in nats: `sum_logprob`, over `n_tokens` scored tokens.

    n_bytes         the bytes of the sentence in NFC and UTF-8
    token_logprobs  one log-probability a scored token, in order; None unless asked for
    """

    sentence: str
    n_tokens: int
    n_bytes: int
    sum_logprob: float
    token_logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Unscorable:
    """A sentence as it was given that this model can't score, and why."""

    sentence: str
    reason: str


@dataclass(frozen=True)
class _Item:
    """A sentence with its token ids, BOS first where the model has one. All but the first are scored."""

    sentence: str
    ids: tuple[int, ...]


def score_sentences(
    model: LoadedModel, sentences: Sequence[str], *, batch_size: int, token_logprobs: bool = False
) -> Iterator[SentenceScore | Unscorable]:
    """Scores each distinct sentence once, and yields its score or the reason why it has none.

    Sentences come back in an order of their own, longest first, as their batches finish; the numbers do not depend
    on the order in which they were given. A batch holds at most `batch_size` sentences. Raises ModelError where the
    model itself fails, as when a GPU's memory is full.
    """
    items = []
    for item in _encode(model, sentences):
        reason = _obstacle(model, item)
        if reason:
            yield Unscorable(item.sentence, reason)
        else:
            items.append(item)
    if not items:
        return
    items.sort(key=lambda item: (-len(item.ids), item.sentence))
    with _running(model):
        project = _projection(model, items[0].ids)
    size = batch_size if project else 1
    for start in range(0, len(items), size):
        batch = items[start : start + size]
        with _running(model):
            logprobs = _logprobs(model, [item.ids for item in batch], project)
        for item, of_item in zip(batch, logprobs, strict=True):
            yield _score(item, of_item, token_logprobs)


@contextmanager
def _running(model: LoadedModel) -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError, IndexError) as fault:
        raise ModelError(
            f"{model.info.name}: the model failed while scoring: {one_line(fault)}; "
            "set a smaller score.batch_size, another score.dtype or score.device"
        ) from None


def _encode(model: LoadedModel, sentences: Sequence[str]) -> list[_Item]:
    distinct = list(dict.fromkeys(sentences))
    if not distinct:
        return []
    tokenizer: Any = model.tokenizer
    encoded = tokenizer(
        [unicodedata.normalize("NFC", sentence) for sentence in distinct],
        add_special_tokens=False,
        split_special_tokens=True,
        return_attention_mask=False,
        verbose=False,
    )["input_ids"]
    bos = () if model.info.bos_token_id is None else (model.info.bos_token_id,)
    return [_Item(sentence, (*bos, *ids)) for sentence, ids in zip(distinct, encoded, strict=True)]


def _obstacle(model: LoadedModel, item: _Item) -> str | None:
    info = model.info
    if len(item.ids) < 2:
        given = "no token" if info.bos_token_id is not None else "fewer than two tokens and the model has no BOS"
        return f"no token can be scored: the sentence has {given}"
    if info.context_length is not None and len(item.ids) > info.context_length:
        return f"longer than the model's context: {len(item.ids)} tokens of {info.context_length}"
    if max(item.ids) >= info.vocabulary_size:
        return f"token {max(item.ids)} of the tokenizer is not in the model's vocabulary of {info.vocabulary_size}"
    return None


def _score(item: _Item, logprobs: list[float], token_logprobs: bool) -> SentenceScore | Unscorable:
    total = math.fsum(logprobs)
    if not math.isfinite(total):
        return Unscorable(item.sentence, "the model gave a log-probability that is not a finite number")
    return SentenceScore(
        sentence=item.sentence,
        n_tokens=len(logprobs),
        n_bytes=len(unicodedata.normalize("NFC", item.sentence).encode()),
        sum_logprob=total,
        token_logprobs=tuple(logprobs) if token_logprobs else None,
    )


def _projection(model: LoadedModel, ids: tuple[int, ...]) -> "Project | None":
    """The step from hidden states to logits, on its own, so that it can be taken for a few tokens at a time.

    Some architectures scale or bend their logits after the output layer. So the step is compared with the logits that
    the model itself gives for a few tokens; None where they differ, and then whole sentences go through the model.
    """
    import torch

    network: Any = model.model
    layer = network.get_output_embeddings()
    if layer is None:
        return None
    cap = getattr(network.config.get_text_config(), "final_logit_softcapping", None)

    def project(hidden: "Tensor") -> "Tensor":
        logits: Tensor = layer(hidden)
        return torch.tanh(logits / cap) * cap if cap else logits

    probe = torch.tensor([ids[:PROBE_TOKENS]], device=model.model.device)
    mask = torch.ones_like(probe)
    with torch.inference_mode():
        own = _outputs(model, probe, mask, None)
        ours = project(_outputs(model, probe, mask, project))
    same = own.shape == ours.shape and torch.allclose(own, ours, rtol=1e-3, atol=1e-3, equal_nan=True)
    return project if same else None


def _outputs(model: LoadedModel, ids: "Tensor", mask: "Tensor", project: "Project | None") -> "Tensor":
    """What `project` takes: the last hidden states; without it the logits. The shape is (sentences, tokens, width)."""
    network: Any = model.model
    if project is None:
        logits: Tensor = network(input_ids=ids, attention_mask=mask, use_cache=False).logits
        return logits
    hidden: Tensor = network.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
    return hidden


def _logprobs(model: LoadedModel, batch: list[tuple[int, ...]], project: "Project | None") -> list[list[float]]:
    """The log-probability in nats of each token after the first, for each sentence of a batch.

    The last token of a sentence is never fed. Padding stands on the right and is masked, so no position moves.
    """
    import torch

    device = model.model.device
    lengths = [len(ids) - 1 for ids in batch]
    fed = torch.zeros(len(batch), max(lengths), dtype=torch.long)
    mask = torch.zeros_like(fed)
    for row, ids in enumerate(batch):
        fed[row, : lengths[row]] = torch.tensor(ids[:-1])
        mask[row, : lengths[row]] = 1
    targets = torch.tensor([token for ids in batch for token in ids[1:]], device=device)
    mask = mask.to(device)
    with torch.inference_mode():
        rows = _outputs(model, fed.to(device), mask, project)[mask.bool()]
        step = max(1, CHUNK_LOGITS // model.info.vocabulary_size)
        parts = []
        for start in range(0, len(rows), step):
            chunk = rows[start : start + step]
            parts.append(_target_logprobs(project(chunk) if project else chunk, targets[start : start + step]))
        flat = torch.cat(parts).tolist()
    ends = itertools.accumulate(lengths)
    return [flat[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _target_logprobs(logits: "Tensor", targets: "Tensor") -> "Tensor":
    """Log-softmax at the targets alone: logit minus log-sum-exp, in float32 at least. One number a row."""
    import torch

    wide = logits if logits.dtype == torch.float64 else logits.float()
    return wide.gather(1, targets[:, None])[:, 0] - wide.logsumexp(dim=-1)
