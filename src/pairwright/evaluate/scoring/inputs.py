"""The outcome of scoring a sentence, whatever the model: a score, or the reason why it has none.

Sentences as token ids, as a scoring policy says.

The frequencies of a model's tokens, which SLOR subtracts from a sentence's log-probability.

SLOR (Pauls and Klein 2012; Lau, Clark and Lappin 2017) compares a sentence with what the frequencies of its tokens
predict, so that rare words do not make it unacceptable. The tokens are the model's own, counted in a corpus. One is
added to each count, so that no token is impossible.
"""

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pairwright.core.config import PolicySettings, ScoreSettings
from pairwright.core.errors import ModelError, counted
from pairwright.core.files import read_lines, user_path
from pairwright.core.ids import file_sha256
from pairwright.core.records.evaluation import ModelInfo, ScoringMethod, ScoringPolicy
from pairwright.languages.linguistics.sentences import ends_sentence
from pairwright.models.load.models import LoadedModel


@dataclass(frozen=True)
class SentenceScore:
    """How probable a model finds a sentence, which is as it was given.

    n_tokens     the scored tokens; `n_bytes` the bytes of the scored text in UTF-8, `n_chars` its characters
    token_starts where each scored token begins, in characters of the scored text; it goes on to the next one's start
    """

    sentence: str
    n_tokens: int
    n_bytes: int
    n_chars: int
    sum_logprob: float  # the sum of the log-probabilities of the scored tokens, in nats
    unigram_sum_logprob: float | None = None  # what the frequencies of the single tokens alone give, in nats
    token_logprobs: tuple[float, ...] | None = None
    token_starts: tuple[int, ...] | None = None

    @property
    def mean_nll(self) -> float:
        """Minus sum_logprob per scored token, in nats per token."""
        return -self.sum_logprob / self.n_tokens

    @property
    def slor(self) -> float | None:
        """The syntactic log-odds ratio, in nats per token; None without a unigram model."""
        if self.unigram_sum_logprob is None:
            return None
        return (self.sum_logprob - self.unigram_sum_logprob) / self.n_tokens


@dataclass(frozen=True)
class Unscorable:
    """A sentence as it was given that this model can't score, and why."""

    sentence: str
    reason: str


SentenceOutcome = SentenceScore | Unscorable


class Scorer(Protocol):
    """A model that is ready to score; the attributes go into its `EvaluationRun`."""

    info: ModelInfo
    policy: ScoringPolicy
    first_token_scored: bool
    route: str  # how sentences go through the model, known after the first ones; such as `packed`
    batch_size: int
    batch_tokens: int  # the most tokens in one forward pass, as it is by now
    unigrams: str | None

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """Scores each distinct sentence once. Outcomes come as batches finish, not in the order of the sentences.

        Raises ModelError where the model itself fails.
        """
        ...

    def score_parts(self, parts: Iterable[Sequence[str]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """Scores the sentences of each part as `score` does, and gives each outcome with the number of its part.

        No batch has sentences of two parts, so that a part's numbers are the same whatever is scored beside it. But the
        next parts are taken and begun before the outcomes of one are all there, so that the model never waits.
        """
        ...


@dataclass(frozen=True)
class EncodedSentence:
    """A sentence with the token ids that the model reads.

    text   the sentence after the policy; `spans` the character spans in it of the scored tokens, empty for the end;
           None where the tokenizer has no spans, or nobody asked
    """

    sentence: str
    text: str
    ids: tuple[int, ...]
    first: int  # the index in `ids` of the first scored token; the tokens before it are context
    spans: tuple[tuple[int, int], ...] | None = None

    @property
    def scored(self) -> tuple[int, ...]:
        return self.ids[self.first :]


def policy_of(settings: ScoreSettings, kind: ScoringMethod) -> ScoringPolicy:
    """The policy that the settings ask for."""
    return ScoringPolicy(kind=kind, **settings.model_dump(include=set(PolicySettings.model_fields)))


def policy_text(sentence: str, policy: ScoringPolicy) -> str:
    """The text of a sentence that is scored under a policy."""
    text = sentence.lower() if policy.case == "lower" else sentence
    if policy.normalisation != "none":
        text = unicodedata.normalize(policy.normalisation, text)
    if policy.final_period == "removed" and text.endswith(".") and not text.endswith(".."):
        return text[:-1]
    if policy.final_period == "added" and text and not ends_sentence(text):
        return f"{text}."
    return text


def refuse(policy: ScoringPolicy, name: str, description: str, unsupported: Sequence[str]) -> None:
    """Raises ModelError where a policy departs from the default in a setting that this kind of model lacks."""
    for setting in unsupported:
        if getattr(policy, setting) != ScoringPolicy.model_fields[setting].default:
            raise ModelError(f"{name}: score.{setting} can't be set for {description}; leave it out")


class SentenceEncoder:
    """Turns sentences into ids for a causal model or a decoder.

    context  the ids before every sentence; the policy's BOS and chat decide them where they are not given
    spans    whether the tokens' character spans are needed, which take longer than the ids

    Raises ModelError where the policy asks for what the tokenizer lacks: a BOS, an EOS, a chat template.
    """

    def __init__(
        self, model: LoadedModel, policy: ScoringPolicy, *, context: tuple[int, ...] | None = None, spans: bool = False
    ) -> None:
        self.policy = policy
        self._spans = spans
        self._tokenizer: Any = model.tokenizer
        self._name = model.info.name
        self.context = self._start() if context is None else context
        self._end = (self._special_id("eos_token_id", "EOS", "eos"),) if policy.eos == "scored" else ()

    @property
    def first_token_scored(self) -> bool:
        has_context = bool(self.context) or (bool(self.policy.prefix) and not self.policy.prefix_scored)
        return has_context and self.policy.first_token == "given-bos"

    def encode(self, sentences: Sequence[str]) -> list[EncodedSentence]:
        """Each distinct sentence with its ids, in the order of their first appearance."""
        distinct = list(dict.fromkeys(sentences))
        if not distinct:
            return []
        prefix = self.policy.prefix
        texts = [policy_text(sentence, self.policy) for sentence in distinct]
        read = self._tokenizer(
            [prefix + text for text in texts],
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_offsets_mapping=bool(self._tokenizer.is_fast and (self._spans or prefix)),
            verbose=False,
        )
        offsets = read.get("offset_mapping") or [None] * len(texts)
        return list(map(self._encoded, distinct, texts, read["input_ids"], offsets))

    def _encoded(
        self, sentence: str, text: str, ids: list[int], offsets: list[tuple[int, int]] | None
    ) -> EncodedSentence:
        n_prefix = self._n_prefix_tokens("" if self.policy.prefix_scored else self.policy.prefix, offsets)
        first = max(1, len(self.context) + n_prefix + (self.policy.first_token == "unscored"))
        spans = None
        if offsets is not None and self._spans:
            shift = len(self.policy.prefix)
            in_text = [(max(0, start - shift), max(0, end - shift)) for start, end in offsets]
            in_text += [(len(text), len(text))] * len(self._end)
            spans = tuple(in_text[first - len(self.context) :])
        return EncodedSentence(sentence, text, (*self.context, *ids, *self._end), first, spans)

    def _n_prefix_tokens(self, prefix: str, offsets: list[tuple[int, int]] | None) -> int:
        """How many tokens lie in the prefix: a token that reaches over its end belongs to the sentence."""
        if not prefix:
            return 0
        if offsets is None:
            return len(self._tokenizer(prefix, add_special_tokens=False)["input_ids"])
        return sum(end <= len(prefix) for _, end in offsets)

    def _start(self) -> tuple[int, ...]:
        if self.policy.chat is not None:
            text = chat_text(self._tokenizer, self.policy.chat, self._name)
            return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        bos: int | None = self._tokenizer.bos_token_id
        if self.policy.bos == "never":
            return ()
        if self.policy.bos == "always":
            return (self._special_id("bos_token_id", "BOS", "bos"),)
        if self.policy.bos == "or-eos" and bos is None:
            return (self._special_id("eos_token_id", "EOS", "bos"),)
        return () if bos is None else (bos,)

    def _special_id(self, attribute: str, token: str, setting: str) -> int:
        number: int | None = getattr(self._tokenizer, attribute)
        if number is None:
            value = getattr(self.policy, setting)
            raise ModelError(f"{self._name}: its tokenizer has no {token}, and score.{setting} = {value} asks for one")
        return number


def chat_text(tokenizer: Any, message: str, name: str, turns: Sequence[tuple[str, str]] = ()) -> str:
    """A conversation up to where the answer to a message begins; the template brings its own BOS.

    turns  earlier messages with their answers

    Raises ModelError, which names the model by `name`, where there is no template or it fails.
    """
    if not getattr(tokenizer, "chat_template", None):
        raise ModelError(f"{name}: its tokenizer has no chat template; leave out chat")
    texts = [*(text for turn in turns for text in turn), message]
    messages = [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]
    try:
        text: str = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    except Exception as error:  # templates are programs of the model's authors and raise what they like
        raise ModelError(f"{name}: its chat template can't be used: {str(error)[:200]}") from None
    return text


def scorable(items: Iterable[EncodedSentence], info: ModelInfo) -> Iterator[EncodedSentence | Unscorable]:
    """Sentences as they are, or why this model can't score them."""
    for item in items:
        reason = unscorable_reason(item, info)
        yield Unscorable(item.sentence, reason) if reason else item


def unscorable_reason(item: EncodedSentence, info: ModelInfo) -> str | None:
    """Why a sentence can't be scored, as far as that is clear before the model reads it; None where it can."""
    if not item.scored:
        return "no token can be scored: the sentence has none, or one with nothing before it"
    if info.context_length is not None and len(item.ids) > info.context_length:
        return f"longer than the model's context: {counted(len(item.ids), 'token')} of {info.context_length}"
    if max(item.ids) >= info.vocabulary_size:
        return f"token {max(item.ids)} of the tokenizer is not in the model's vocabulary of {info.vocabulary_size}"
    return None


LINES = 1000


class Unigrams:
    """Token counts with one added to each; `origin` names what they were counted from."""

    def __init__(self, counts: Counter[int], vocabulary_size: int, origin: str) -> None:
        self.origin = origin
        self._counts = counts
        self._log_total = math.log(sum(counts.values()) + vocabulary_size)

    def sum_logprob(self, tokens: Iterable[int]) -> float:
        """The sum of the tokens' log-probabilities, each on its own, in nats."""
        return math.fsum(math.log(self._counts[token] + 1) - self._log_total for token in tokens)


def count_unigrams(corpus: str | None, model: LoadedModel, policy: ScoringPolicy) -> Unigrams | None:
    """The unigram model that `score.unigrams` asks for; None where it asks for none.

    Raises ModelError where the corpus can't be read or is empty.
    """
    if corpus is None:
        return None
    path, counts = user_path(corpus), Counter[int]()
    lines = (policy_text(line.strip(), policy) for _, line in read_lines(path, ModelError))
    tokenizer: Any = model.tokenizer
    while chunk := list(itertools.islice(lines, LINES)):
        read = tokenizer(chunk, add_special_tokens=False, split_special_tokens=True, verbose=False)["input_ids"]
        counts.update(itertools.chain.from_iterable(read))
    if not counts:
        raise ModelError(f"{corpus}: no word to count; give a text file, one sentence or paragraph a line")
    origin = f"{path.name}, SHA-256 {file_sha256(path, ModelError)}"
    return Unigrams(counts, model.info.vocabulary_size, origin)
