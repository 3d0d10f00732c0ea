"""Sentence log-probabilities under an encoder-decoder model, as T5 is one, in nats.

The encoder reads the policy's prefix, which may be empty, with the special tokens that the tokenizer puts around it.
The decoder's chain rule then gives the sentence's tokens, the first one given the decoder's start token.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pairwright.config import ScoreSettings
from pairwright.lm.hf_errors import failing
from pairwright.lm.memory import in_halves
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import ModelInfo
from pairwright.score.forward.routes import move
from pairwright.score.inputs.assembly import Finisher
from pairwright.score.inputs.encoding import Encoded, Encoder, obstacle, policy_of, refuse
from pairwright.score.inputs.outcomes import Outcome, Unscorable

CPU_TOKENS, GPU_TOKENS = 1024, 32768
CPU_LOGITS, GPU_LOGITS = 2**26, 2**28


class Seq2SeqScorer:
    """Scores sentences with an encoder-decoder model under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what such a model has no place for.
    """

    route = "decoder"

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        self.policy = policy_of(settings, "seq2seq")
        refuse(self.policy, model.info.name, "an encoder-decoder model", ("bos", "chat", "prefix_scored"))
        self.batch_size = settings.batch_size
        on_cpu = model.model.device.type == "cpu"
        self.batch_tokens = settings.batch_tokens or (CPU_TOKENS if on_cpu else GPU_TOKENS)
        self._whole_logits = CPU_LOGITS if on_cpu else GPU_LOGITS
        self._model = model
        network: Any = model.model
        start = network.config.decoder_start_token_id
        self._start = int(start if start is not None else network.config.pad_token_id or 0)
        # The prefix goes to the encoder; the decoder's own start token stands before the sentence.
        alone = self.policy.model_copy(update={"prefix": "", "bos": "never"})
        self._encoder = Encoder(model, alone, before=(self._start,), spans=settings.words)
        tokenizer: Any = model.tokenizer
        self._prefix: list[int] = tokenizer(self.policy.prefix)["input_ids"] or [tokenizer.eos_token_id or 0]
        self._finisher = Finisher(model, settings, self.policy)
        self._read: Any = None

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def first_token_scored(self) -> bool:
        return self._encoder.first_token_scored

    @property
    def unigrams(self) -> str | None:
        return self._finisher.unigrams

    def score(self, sentences: Sequence[str]) -> Iterator[Outcome]:
        """Scores each distinct sentence once, and yields its score or the reason why it has none.

        Raises ModelError where the model itself fails.
        """
        items = []
        for item in self._encoder.encode(sentences):
            fault = obstacle(item, self.info)
            if fault:
                yield fault
            else:
                items.append(item)
        items.sort(key=lambda item: (-len(item.ids), item.ids, item.sentence))

        def halved(size: int) -> None:
            self.batch_tokens = max(1, self.batch_tokens // 2)

        with failing(self.info.name):
            for batch, found in in_halves(self._batches(items), self._logprobs, halved):
                for place, item in enumerate(batch):
                    if found is None:
                        yield Unscorable(item.sentence, "memory ran out with this sentence alone")
                    else:
                        yield self._finisher.outcome(item, found[place])

    def _batches(self, items: list[Encoded]) -> list[list[Encoded]]:
        budget = min(self.batch_tokens, max(1, self._whole_logits // self.info.vocabulary_size))
        found: list[list[Encoded]] = []
        for item in items:
            if found and len(found[-1]) < min(self.batch_size, budget // len(found[-1][0].ids)):
                found[-1].append(item)
            else:
                found.append([item])
        return found

    def _logprobs(self, batch: list[Encoded]) -> list[list[float]]:
        """The log-probability of each scored token of each sentence; the last token is never fed."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        network: Any = self._model.model
        length = len(batch[0].ids) - 1
        padding = [[0] * (length + 1 - len(item.ids)) for item in batch]
        fed = [[*item.ids[:-1], *rest] for item, rest in zip(batch, padding, strict=True)]
        wanted = [[*item.ids[1:], *rest] for item, rest in zip(batch, padding, strict=True)]
        known = [[1] * (len(item.ids) - 1) + rest for item, rest in zip(batch, padding, strict=True)]
        with torch.inference_mode():
            prefix = move([self._prefix], network.device)
            if self._read is None:
                self._read = network.get_encoder()(input_ids=prefix).last_hidden_state
            logits = network(
                encoder_outputs=BaseModelOutput(last_hidden_state=self._read.expand(len(batch), -1, -1)),
                attention_mask=torch.ones_like(prefix).expand(len(batch), -1),
                decoder_input_ids=move(fed, network.device),
                decoder_attention_mask=move(known, network.device),
                use_cache=False,
            ).logits
            wide = logits if logits.dtype == torch.float64 else logits.float()
            # A model that is spread over several GPUs may give its logits on another one than it was fed on.
            targets = move(wanted, wide.device)
            chosen = wide.gather(2, targets[:, :, None])[:, :, 0] - wide.logsumexp(dim=-1)
        values = chosen.tolist()
        return [row[item.first - 1 : len(item.ids) - 1] for row, item in zip(values, batch, strict=True)]
