"""The outcome of scoring a sentence, whatever the model: a score, or the reason why it has none."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pairwright.core.records.evaluation import ModelInfo, ScoringPolicy


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
