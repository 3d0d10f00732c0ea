"""Sentences as token ids, as a scoring policy says."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import Measure, ModelInfo, ScoringPolicy
from pairwright.score.inputs.outcomes import Unscorable

ENDS = frozenset(".!?…。！？।")
CLOSERS = "\"'»”’)]"


@dataclass(frozen=True)
class Encoded:
    """A sentence with the token ids that the model reads.

    text   the sentence after the policy; `spans` the character spans in it of the scored tokens, the end's being
           empty; None where the tokenizer does not tell, or nobody asked
    first  the index in `ids` of the first scored token; what stands before it is given
    """

    sentence: str
    text: str
    ids: tuple[int, ...]
    first: int
    spans: tuple[tuple[int, int], ...] | None = None

    @property
    def scored(self) -> tuple[int, ...]:
        return self.ids[self.first :]


def policy_of(settings: ScoreSettings, kind: Measure) -> ScoringPolicy:
    """The policy that the settings ask for."""
    shared = set(ScoringPolicy.model_fields) & set(ScoreSettings.model_fields)
    return ScoringPolicy(kind=kind, **settings.model_dump(include=shared))


def written(sentence: str, policy: ScoringPolicy) -> str:
    """The text of a sentence that is scored under a policy."""
    text = sentence.lower() if policy.case == "lower" else sentence
    if policy.normalisation != "none":
        text = unicodedata.normalize(policy.normalisation, text)
    if policy.final_period == "removed" and text.endswith(".") and not text.endswith(".."):
        return text[:-1]
    if policy.final_period == "added" and text and text.rstrip(CLOSERS)[-1:] not in ENDS:
        return f"{text}."
    return text


def refuse(policy: ScoringPolicy, name: str, what: str, settings: Sequence[str]) -> None:
    """Raises ModelError where a policy departs from the default in a setting that a kind of model has no place for."""
    for setting in settings:
        if getattr(policy, setting) != ScoringPolicy.model_fields[setting].default:
            raise ModelError(f"{name}: score.{setting} can't be set for {what}; leave it out")


class Encoder:
    """Turns sentences into ids for a causal model or a decoder.

    `before` is what stands before every sentence, where not what the policy says of BOS and chat; `spans` whether the
    places of the tokens are wanted, which take longer than the ids. Raises ModelError where the policy asks for what
    the tokenizer lacks: a BOS, an EOS, a chat template.
    """

    def __init__(
        self, model: LoadedModel, policy: ScoringPolicy, *, before: tuple[int, ...] | None = None, spans: bool = False
    ) -> None:
        self.policy = policy
        self._spans = spans
        self._tokenizer: Any = model.tokenizer
        self._name = model.info.name
        self._before = self._start() if before is None else before
        self._end = (self._needed("eos_token_id", "EOS", "eos"),) if policy.eos == "scored" else ()

    @property
    def first_token_scored(self) -> bool:
        given = bool(self._before) or (bool(self.policy.prefix) and not self.policy.prefix_scored)
        return given and self.policy.first_token == "given-bos"

    def encode(self, sentences: Sequence[str]) -> list[Encoded]:
        """Each distinct sentence with its ids, in the order of their first appearance."""
        distinct = list(dict.fromkeys(sentences))
        if not distinct:
            return []
        prefix = self.policy.prefix
        texts = [written(sentence, self.policy) for sentence in distinct]
        read = self._tokenizer(
            [prefix + text for text in texts],
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_offsets_mapping=bool(self._tokenizer.is_fast and (self._spans or prefix)),
            verbose=False,
        )
        offsets = read.get("offset_mapping") or [None] * len(texts)
        return [
            self._encoded(sentence, text, ids, spans)
            for sentence, text, ids, spans in zip(distinct, texts, read["input_ids"], offsets, strict=True)
        ]

    def _encoded(self, sentence: str, text: str, ids: list[int], offsets: list[tuple[int, int]] | None) -> Encoded:
        prefix = "" if self.policy.prefix_scored else self.policy.prefix
        n_given = self._n_given(prefix, offsets)
        everything = (*self._before, *ids, *self._end)
        first = len(self._before) + n_given
        if self.policy.first_token == "unscored":
            first += 1
        first = max(first, 1)
        spans = None
        if offsets is not None and self._spans:
            skipped = len(self.policy.prefix)
            moved = [(max(0, start - skipped), max(0, end - skipped)) for start, end in offsets]
            moved += [(len(text), len(text))] * len(self._end)
            spans = tuple(moved[first - len(self._before) :])
        return Encoded(sentence=sentence, text=text, ids=everything, first=first, spans=spans)

    def _n_given(self, prefix: str, offsets: list[tuple[int, int]] | None) -> int:
        """How many tokens lie in the prefix: a token that reaches over its end belongs to the sentence."""
        if not prefix:
            return 0
        if offsets is None:
            ids: list[int] = self._tokenizer(prefix, add_special_tokens=False)["input_ids"]
            return len(ids)
        return sum(end <= len(prefix) for _, end in offsets)

    def _start(self) -> tuple[int, ...]:
        if self.policy.chat is not None:
            return self._chat(self.policy.chat)
        bos: int | None = self._tokenizer.bos_token_id
        if self.policy.bos == "never":
            return ()
        if self.policy.bos == "always":
            return (self._needed("bos_token_id", "BOS", "bos"),)
        if self.policy.bos == "or-eos" and bos is None:
            return (self._needed("eos_token_id", "EOS", "bos"),)
        return () if bos is None else (bos,)

    def _needed(self, token: str, what: str, setting: str) -> int:
        found: int | None = getattr(self._tokenizer, token)
        if found is None:
            asked = getattr(self.policy, setting)
            raise ModelError(f"{self._name}: its tokenizer has no {what}, and score.{setting} = {asked} asks for one")
        return found

    def _chat(self, message: str) -> tuple[int, ...]:
        """The ids of a conversation up to where the answer begins; the template brings its own BOS."""
        if not getattr(self._tokenizer, "chat_template", None):
            raise ModelError(f"{self._name}: its tokenizer has no chat template; leave out chat")
        try:
            text: str = self._tokenizer.apply_chat_template(
                [{"role": "user", "content": message}], add_generation_prompt=True, tokenize=False
            )
        except Exception as fault:  # templates are programs of the model's authors and raise what they like
            raise ModelError(f"{self._name}: its chat template can't be used: {str(fault)[:200]}") from None
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def obstacle(item: Encoded, info: ModelInfo) -> Unscorable | None:
    """Why a sentence can't be scored, where that is told before the model reads it."""
    if not item.scored:
        return Unscorable(item.sentence, "no token can be scored: the sentence has none, or one with nothing before it")
    if info.context_length is not None and len(item.ids) > info.context_length:
        return Unscorable(
            item.sentence, f"longer than the model's context: {len(item.ids)} tokens of {info.context_length}"
        )
    if max(item.ids) >= info.vocabulary_size:
        return Unscorable(
            item.sentence,
            f"token {max(item.ids)} of the tokenizer is not in the model's vocabulary of {info.vocabulary_size}",
        )
    return None
