"""Sentence log-probabilities under an encoder-decoder model such as T5, in nats.

The encoder reads the policy's prefix, which may be empty, with the special tokens that the tokenizer puts around it.
The decoder's chain rule then gives the sentence's tokens, the first one given the decoder's start token.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.forward.head import logits_logprobs
from pairwright.evaluate.scoring.forward.routes import to_device, to_main_memory
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence, SentenceEncoder, scorable
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, Unscorable
from pairwright.evaluate.scoring.scorers.local import NO_MEMORY, Budgets, LocalScorer
from pairwright.models.load.batches import padded_batches, run_batches
from pairwright.models.load.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor

BUDGETS = Budgets(cpu_tokens=1024, gpu_tokens=32768, cpu_logits=2**26, gpu_logits=2**28)


class Seq2SeqScorer(LocalScorer[EncodedSentence]):
    """Scores sentences with an encoder-decoder model; see `LocalScorer`."""

    route = "decoder"
    description = "an encoder-decoder model"
    unsupported = ("bos", "chat", "prefix_scored")

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        super().__init__(model, settings, "seq2seq", BUDGETS)
        start = self._network.config.decoder_start_token_id
        context = (int(start if start is not None else self._network.config.pad_token_id or 0),)
        # The prefix goes to the encoder; the decoder's own start token stands before the sentence.
        policy = self.policy.model_copy(update={"prefix": ""})
        self._encoder = SentenceEncoder(model, policy, context=context, spans=settings.tokens)
        self.first_token_scored = self._encoder.first_token_scored
        prefix: list[int] = self._tokenizer(self.policy.prefix)["input_ids"]
        self._prefix = prefix or [self._tokenizer.eos_token_id or 0]
        self._encoded_prefix: Any = None

    def _encode(self, sentences: Sequence[str]) -> Iterator[EncodedSentence | Unscorable]:
        return scorable(self._encoder.encode(sentences), self.info)

    def _score(self, parts: Iterable[tuple[int, list[EncodedSentence]]]) -> Iterator[tuple[int, SentenceOutcome]]:
        batches = ((part, batch) for part, items in parts for batch in self._batches(items))
        for (part, batch), wait in run_batches(
            batches,
            lambda entry: self._start(entry[1]),
            lambda entry: [(entry[0], half) for half in self._halved(entry[1])],
            ahead=self._ahead,
        ):
            if wait is None:
                yield from ((part, Unscorable(item.sentence, NO_MEMORY)) for item in batch)
                continue
            values = iter(wait().tolist())
            for item in batch:
                yield part, self._outcome(item, [next(values) for _ in item.scored])

    def _batches(self, items: list[EncodedSentence]) -> list[list[EncodedSentence]]:
        items.sort(key=lambda item: (-len(item.ids), item.ids, item.sentence))
        tokens = min(self.batch_tokens, self._whole_logits_tokens)
        return padded_batches(items, lambda item: len(item.ids), tokens=tokens, most=self.batch_size)

    def _start(self, batch: list[EncodedSentence]) -> "Callable[[], Tensor]":
        """The log-probability of each scored token of each sentence, on their way; the last token is never fed."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        network, device = self._network, self._network.device
        length = len(batch[0].ids) - 1
        padding = [[0] * (length + 1 - len(item.ids)) for item in batch]
        fed = [[*item.ids[:-1], *rest] for item, rest in zip(batch, padding, strict=True)]
        mask = [[1] * (len(item.ids) - 1) + rest for item, rest in zip(batch, padding, strict=True)]
        rows = [row * length + at - 1 for row, item in enumerate(batch) for at in range(item.first, len(item.ids))]
        with torch.inference_mode():
            prefix = to_device([self._prefix], device)
            if self._encoded_prefix is None:
                self._encoded_prefix = network.get_encoder()(input_ids=prefix).last_hidden_state
            logits = network(
                encoder_outputs=BaseModelOutput(last_hidden_state=self._encoded_prefix.expand(len(batch), -1, -1)),
                attention_mask=torch.ones_like(prefix).expand(len(batch), -1),
                decoder_input_ids=to_device(fed, device),
                decoder_attention_mask=to_device(mask, device),
                use_cache=False,
            ).logits
            # A model that is spread over several GPUs may give its logits on another one than it was fed on.
            targets = to_device([token for item in batch for token in item.scored], logits.device)
            return to_main_memory(logits_logprobs(logits.flatten(0, 1), to_device(rows, logits.device), targets))
