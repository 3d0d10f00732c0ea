"""The outcome of scoring a sentence, whatever the model: a score, or the reason why it has none."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pairwright.core.records.evaluation import ModelInfo, ScoringPolicy


@dataclass(frozen=True)
class SentenceScore:
    """A sentence as it was given, with the measurements of `records.evaluation.Score`."""

    sentence: str
    n_tokens: int
    n_bytes: int
    n_chars: int
    sum_logprob: float
    unigram_sum_logprob: float | None = None
    token_logprobs: tuple[float, ...] | None = None
    token_starts: tuple[int, ...] | None = None


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
