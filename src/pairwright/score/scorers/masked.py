"""Pseudo-log-likelihoods under a masked language model, in nats.

A masked model gives no probability of a sentence. Salazar and others (2020), Masked Language Model Scoring, sum over
its tokens log p(token | all other tokens), each hidden in turn. Kauf and Ivanova (2023), A Better Way to Do Masked
Language Model Scoring, hide the tokens to its right in the same word too, so that a word cut into many tokens is not
made probable by its own ending. The special tokens that the tokenizer puts around a sentence are read and not scored.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.hf_errors import failing
from pairwright.lm.memory import in_halves
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import ModelInfo
from pairwright.score.forward.routes import move
from pairwright.score.inputs.assembly import Finisher
from pairwright.score.inputs.encoding import Encoded, policy_of, refuse, written
from pairwright.score.inputs.outcomes import Outcome, Unscorable

if TYPE_CHECKING:
    from torch import Tensor

CPU_TOKENS, GPU_TOKENS = 2048, 65536
CPU_LOGITS, GPU_LOGITS = 2**25, 2**28
# Tokens of hidden sentences that stand in memory at a time, as numbers of Python.
HELD_TOKENS = 2**21

# A sentence with some tokens hidden, and the place of the one that is asked for.
Question = tuple[tuple[int, ...], int]


class MaskedScorer:
    """Scores sentences with a fill-mask model under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what such a model has no place for.
    """

    route = "masked"
    first_token_scored = True

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        within_word = settings.masked == "within-word"
        self.policy = policy_of(settings, "masked-pll-within-word" if within_word else "masked-pll")
        self.batch_size = settings.batch_size
        on_cpu = model.model.device.type == "cpu"
        self.batch_tokens = settings.batch_tokens or (CPU_TOKENS if on_cpu else GPU_TOKENS)
        self._whole_logits = CPU_LOGITS if on_cpu else GPU_LOGITS
        self._model, self._within_word = model, within_word
        self._tokenizer: Any = model.tokenizer
        refuse(self.policy, model.info.name, "a masked model", ("bos", "first_token", "chat", "eos", "prefix"))
        if self._tokenizer.mask_token_id is None:
            raise ModelError(f"{model.info.name}: its tokenizer has no mask token; save the model's own")
        if within_word and not self._tokenizer.is_fast:
            raise ModelError(f'{model.info.name}: its tokenizer does not tell words apart; set score.masked = "pll"')
        self._finisher = Finisher(model, settings, self.policy)

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def unigrams(self) -> str | None:
        return self._finisher.unigrams

    def score(self, sentences: Sequence[str]) -> Iterator[Outcome]:
        """Scores each distinct sentence once, and yields its score or the reason why it has none.

        Sentences of a pair that differ in one token ask the same question about it, which is answered once. Raises
        ModelError where the model itself fails.
        """
        group: list[tuple[Encoded, list[Question]]] = []
        held = 0
        for item, questions in self._encode(list(dict.fromkeys(sentences))):
            if isinstance(item, Unscorable):
                yield item
                continue
            group.append((item, questions))
            held += len(item.ids) * len(questions)
            if held > HELD_TOKENS:
                yield from self._score(group)
                group, held = [], 0
        yield from self._score(group)

    def _encode(self, sentences: list[str]) -> Iterator[tuple[Encoded | Unscorable, list[Question]]]:
        if not sentences:
            return
        texts = [written(sentence, self.policy) for sentence in sentences]
        read = self._tokenizer(
            texts,
            split_special_tokens=True,
            return_special_tokens_mask=True,
            return_offsets_mapping=bool(self._tokenizer.is_fast),
            verbose=False,
        )
        for number, (sentence, text) in enumerate(zip(sentences, texts, strict=True)):
            ids: list[int] = read["input_ids"][number]
            places = [place for place, special in enumerate(read["special_tokens_mask"][number]) if not special]
            fault = self._fault(ids, places)
            if fault:
                yield Unscorable(sentence, fault), []
                continue
            offsets = read.get("offset_mapping")
            spans = tuple(offsets[number][place] for place in places) if offsets else None
            words = read.word_ids(number) if self._within_word else list(range(len(ids)))
            item = Encoded(sentence, text, tuple(ids), places[0], spans)
            yield item, [self._question(ids, place, words) for place in places]

    def _fault(self, ids: list[int], places: list[int]) -> str | None:
        info = self.info
        if not places:
            return "no token can be scored: the sentence has none"
        if info.context_length is not None and len(ids) > info.context_length:
            return f"longer than the model's context: {len(ids)} tokens of {info.context_length}"
        if max(ids) >= info.vocabulary_size:
            return f"token {max(ids)} of the tokenizer is not in the model's vocabulary of {info.vocabulary_size}"
        return None

    def _question(self, ids: list[int], place: int, words: Sequence[int | None]) -> Question:
        mask = self._tokenizer.mask_token_id
        hidden = [
            mask if at >= place and words[at] == words[place] and words[at] is not None else token
            for at, token in enumerate(ids)
        ]
        return tuple(hidden), place

    def _score(self, group: list[tuple[Encoded, list[Question]]]) -> Iterator[Outcome]:
        """Answers what a group of sentences asks, the longest questions first."""
        wanted: dict[Question, dict[int, float]] = {}
        for item, questions in group:
            for question in questions:
                wanted.setdefault(question, {})[item.ids[question[1]]] = math.nan
        ordered = sorted(wanted, key=lambda question: (-len(question[0]), question))
        failed: set[Question] = set()

        def halved(size: int) -> None:
            self.batch_tokens = max(1, self.batch_tokens // 2)

        with failing(self.info.name):
            for batch, answers in in_halves(
                self._batches(ordered), lambda batch: self._answers(batch, [wanted[one] for one in batch]), halved
            ):
                if answers is None:
                    failed.update(batch)
                for question, found in zip(batch, answers or [], strict=False):
                    wanted[question].update(found)
        for item, questions in group:
            if failed.intersection(questions):
                yield Unscorable(item.sentence, "memory ran out with this sentence alone")
            else:
                yield self._finisher.outcome(item, [wanted[question][item.ids[question[1]]] for question in questions])

    def _batches(self, questions: list[Question]) -> list[list[Question]]:
        most = max(1, min(self.batch_size, self._whole_logits // self.info.vocabulary_size))
        found: list[list[Question]] = []
        for question in questions:
            if found and len(found[-1]) < min(most, self.batch_tokens // len(found[-1][0][0])):
                found[-1].append(question)
            else:
                found.append([question])
        return found

    def _answers(self, batch: list[Question], tokens: list[dict[int, float]]) -> list[dict[int, float]]:
        """For each question the log-probability of each token that is asked about."""
        import torch

        network: Any = self._model.model
        padding = self._tokenizer.pad_token_id or 0
        length = len(batch[0][0])
        ids = move([[*hidden, *[padding] * (length - len(hidden))] for hidden, _ in batch], network.device)
        mask = move([[1] * len(hidden) + [0] * (length - len(hidden)) for hidden, _ in batch], network.device)
        places = [place for _, place in batch]
        rows = [row for row, asked in enumerate(tokens) for _ in asked]
        flat = [token for asked in tokens for token in asked]
        with torch.inference_mode(), _only(network, places):
            logits = network(input_ids=ids, attention_mask=mask).logits
            chosen = _at(logits, places) if logits.shape[1] > 1 else logits[:, 0]
            wide = chosen if chosen.dtype == torch.float64 else chosen.float()
            values = wide[rows, flat] - wide.logsumexp(dim=-1)[rows]
        answers = iter(values.tolist())
        return [{token: next(answers) for token in asked} for asked in tokens]


def _at(states: "Tensor", places: list[int]) -> "Tensor":
    """What stands at one place of each row; a model that is spread over several GPUs ends on any of them."""
    return states[move(list(range(len(places))), states.device), move(places, states.device)]


@contextmanager
def _only(network: Any, places: list[int]) -> Iterator[None]:
    """Lets the layers above the encoder see one place of each row, so that no other logits are computed.

    Where a model's encoder does not end in `last_hidden_state`, all logits are computed.
    """

    def pick(_module: Any, _inputs: Any, found: Any) -> Any:
        states = getattr(found, "last_hidden_state", None)
        if states is not None:
            found["last_hidden_state"] = _at(states, places)[:, None]
        return found

    body = network.base_model
    if body is network:
        yield
        return
    hook = body.register_forward_hook(pick)
    try:
        yield
    finally:
        hook.remove()
