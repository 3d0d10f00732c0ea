"""Pseudo-log-likelihoods under a masked language model, in nats.

A masked model gives no probability of a sentence. Salazar and others (2020), Masked Language Model Scoring, sum over
its tokens log p(token | all other tokens), each hidden in turn. Kauf and Ivanova (2023), A Better Way to Do Masked
Language Model Scoring, hide the tokens to its right in the same word too, so that a word cut into many tokens is not
made probable by its own ending. The special tokens that the tokenizer puts around a sentence are read and not scored.

Sentence log-probabilities under an encoder-decoder model such as T5, in nats.

The encoder reads the policy's prefix, which may be empty, with the special tokens that the tokenizer puts around it.
The decoder's chain rule then gives the sentence's tokens, the first one given the decoder's start token.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.forward import logits_logprobs, to_device, to_main_memory
from pairwright.evaluate.scoring.inputs import (
    EncodedSentence,
    SentenceEncoder,
    SentenceOutcome,
    Unscorable,
    policy_text,
    scorable,
    unscorable_reason,
)
from pairwright.evaluate.scoring.scorers.causal import NO_MEMORY, Budgets, LocalScorer
from pairwright.models.load.kernels import padded_batches, run_batches
from pairwright.models.load.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor


BUDGETS = Budgets(cpu_tokens=2048, gpu_tokens=65536, cpu_logits=2**25, gpu_logits=2**28)
# Tokens of hidden sentences that stand in memory at a time, as Python's integers.
HELD_TOKENS = 2**21

# A sentence with some tokens hidden, and the position of the one that is predicted.
MaskedQuery = tuple[tuple[int, ...], int]


class MaskedItem(NamedTuple):
    """A sentence with the positions of its scored tokens, and the word of each token."""

    sentence: EncodedSentence
    places: list[int]
    words: Sequence[int | None]


@dataclass
class QueryGroup:
    """Sentences of a part with their queries, and the log-probabilities of each query's tokens as they come."""

    part: int
    members: list[tuple[EncodedSentence, list[MaskedQuery]]] = field(default_factory=list)
    answers: dict[MaskedQuery, dict[int, float]] = field(default_factory=dict)
    failed: set[MaskedQuery] = field(default_factory=set)
    n_open: int = 0  # batches that are not answered

    def add(self, item: EncodedSentence, queries: list[MaskedQuery]) -> None:
        self.members.append((item, queries))
        for query in queries:
            self.answers.setdefault(query, {})[item.ids[query[1]]] = math.nan


class QueryBatch(NamedTuple):
    """Queries that go through the model together."""

    group: QueryGroup
    queries: list[MaskedQuery]


class MaskedScorer(LocalScorer[MaskedItem]):
    """Scores sentences with a fill-mask model; see `LocalScorer`. Raises ModelError where its tokenizer can't do it."""

    route = "masked"
    description = "a masked model"
    unsupported = ("bos", "first_token", "chat", "eos", "prefix")

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        self._within_word = settings.masked == "within-word"
        super().__init__(model, settings, "masked-pll-within-word" if self._within_word else "masked-pll", BUDGETS)
        if self._tokenizer.mask_token_id is None:
            raise ModelError(f"{self.info.name}: its tokenizer has no mask token; save the model's own")
        if self._within_word and not self._tokenizer.is_fast:
            raise ModelError(f'{self.info.name}: its tokenizer does not tell words apart; set score.masked = "pll"')

    def _score(self, parts: Iterable[tuple[int, list[MaskedItem]]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """Sentences of a pair that differ in one token share the query for it."""
        batches = (batch for group in self._groups(parts) for batch in self._batches(group))
        for (group, queries), wait in run_batches(batches, self._start, self._smaller, ahead=self._ahead):
            if wait is None:
                group.failed.update(queries)
            else:
                values = iter(wait().tolist())
                for query in queries:
                    group.answers[query] = {token: next(values) for token in group.answers[query]}
            group.n_open -= 1
            if not group.n_open:
                yield from ((group.part, outcome) for outcome in self._outcomes(group))

    def _groups(self, parts: Iterable[tuple[int, list[MaskedItem]]]) -> Iterator[QueryGroup]:
        """Sentences whose queries are held in memory together."""
        for part, items in parts:
            group, held = QueryGroup(part), 0
            for item, places, words in items:
                queries = [self._query(item.ids, place, words) for place in places]
                group.add(item, queries)
                held += len(item.ids) * len(queries)
                if held > HELD_TOKENS:
                    yield group
                    group, held = QueryGroup(part), 0
            if group.members:
                yield group

    def _batches(self, group: "QueryGroup") -> Iterator["QueryBatch"]:
        """The queries of a group, the longest first."""
        ordered = sorted(group.answers, key=lambda query: (-len(query[0]), query))
        most = min(self.batch_size, self._whole_logits_tokens)
        batches = padded_batches(ordered, lambda query: len(query[0]), tokens=self.batch_tokens, most=most)
        group.n_open = len(batches)
        return (QueryBatch(group, batch) for batch in batches)

    def _smaller(self, batch: "QueryBatch") -> list["QueryBatch"]:
        pieces = [batch._replace(queries=half) for half in self._halved(batch.queries)]
        batch.group.n_open += max(0, len(pieces) - 1)
        return pieces

    def _outcomes(self, group: "QueryGroup") -> Iterator[SentenceOutcome]:
        for item, queries in group.members:
            if group.failed.intersection(queries):
                yield Unscorable(item.sentence, NO_MEMORY)
            else:
                yield self._outcome(item, [group.answers[query][item.ids[query[1]]] for query in queries])

    def _encode(self, sentences: Sequence[str]) -> Iterator[MaskedItem | Unscorable]:
        distinct = list(dict.fromkeys(sentences))
        if not distinct:
            return
        texts = [policy_text(sentence, self.policy) for sentence in distinct]
        encoded = self._tokenizer(
            texts,
            split_special_tokens=True,
            return_special_tokens_mask=True,
            return_offsets_mapping=bool(self._tokenizer.is_fast),
            verbose=False,
        )
        for number, (sentence, text) in enumerate(zip(distinct, texts, strict=True)):
            ids: list[int] = encoded["input_ids"][number]
            places = [index for index, special in enumerate(encoded["special_tokens_mask"][number]) if not special]
            if not places:
                yield Unscorable(sentence, "no token can be scored: the sentence has none")
                continue
            offsets = encoded.get("offset_mapping")
            spans = tuple(offsets[number][place] for place in places) if offsets else None
            item = EncodedSentence(sentence, text, tuple(ids), places[0], spans)
            words = encoded.word_ids(number) if self._within_word else list(range(len(ids)))
            reason = unscorable_reason(item, self.info)
            yield Unscorable(sentence, reason) if reason else MaskedItem(item, places, words)

    def _query(self, ids: Sequence[int], place: int, words: Sequence[int | None]) -> MaskedQuery:
        mask = self._tokenizer.mask_token_id
        hidden = [
            mask if at >= place and words[at] == words[place] and words[at] is not None else token
            for at, token in enumerate(ids)
        ]
        return tuple(hidden), place

    def _start(self, batch: "QueryBatch") -> "Callable[[], Tensor]":
        """The log-probability of each token of each query, on their way."""
        import torch

        network = self._network
        padding = self._tokenizer.pad_token_id or 0
        queries, tokens = batch.queries, [batch.group.answers[query] for query in batch.queries]
        length = len(queries[0][0])
        ids = to_device([[*hidden, *[padding] * (length - len(hidden))] for hidden, _ in queries], network.device)
        mask = to_device([[1] * len(hidden) + [0] * (length - len(hidden)) for hidden, _ in queries], network.device)
        places = [place for _, place in queries]
        rows = [row for row, of_query in enumerate(tokens) for _ in of_query]
        targets = [token for of_query in tokens for token in of_query]
        with torch.inference_mode(), _only_at(network, places):
            logits = network(input_ids=ids, attention_mask=mask).logits
            predicted = _at(logits, places) if logits.shape[1] > 1 else logits[:, 0]
            device = predicted.device
            return to_main_memory(logits_logprobs(predicted, to_device(rows, device), to_device(targets, device)))


def _at(states: "Tensor", places: list[int]) -> "Tensor":
    """The state at one position of each row; a model that is spread over several GPUs ends on any of them."""
    return states[to_device(list(range(len(places))), states.device), to_device(places, states.device)]


@contextmanager
def _only_at(network: Any, places: list[int]) -> Iterator[None]:
    """Shows the layers above the encoder one position of each row, so that no other logits are computed.

    Where a model's encoder does not end in `last_hidden_state`, all logits are computed.
    """

    def pick(_module: Any, _inputs: Any, result: Any) -> Any:
        states = getattr(result, "last_hidden_state", None)
        if states is not None:
            result["last_hidden_state"] = _at(states, places)[:, None]
        return result

    body = network.base_model
    if body is network:
        yield
        return
    hook = body.register_forward_hook(pick)
    try:
        yield
    finally:
        hook.remove()


SEQ2SEQ_BUDGETS = Budgets(cpu_tokens=1024, gpu_tokens=32768, cpu_logits=2**26, gpu_logits=2**28)


class Seq2SeqScorer(LocalScorer[EncodedSentence]):
    """Scores sentences with an encoder-decoder model; see `LocalScorer`."""

    route = "decoder"
    description = "an encoder-decoder model"
    unsupported = ("bos", "chat", "prefix_scored")

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        super().__init__(model, settings, "seq2seq", SEQ2SEQ_BUDGETS)
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
