"""What the scorers of loaded models share: policy, budgets of a forward pass, sums of log-probabilities, errors."""

import contextlib
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, one_line
from pairwright.core.records.evaluation import ScoringMethod
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence, policy_of, refuse
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, SentenceScore, Unscorable
from pairwright.evaluate.scoring.inputs.unigrams import count_unigrams
from pairwright.models.load.batches import halves
from pairwright.models.load.models import LoadedModel

T = TypeVar("T")
E = TypeVar("E")

# Batches that a GPU works on while the next ones are prepared.
GPU_AHEAD = 4
NO_MEMORY = "memory ran out with this sentence alone"


@dataclass(frozen=True)
class Budgets:
    """The most tokens in a forward pass on a processor and on a GPU, and the most logits that stand in memory whole."""

    cpu_tokens: int
    gpu_tokens: int
    cpu_logits: int
    gpu_logits: int


class LocalScorer(ABC, Generic[E]):
    """Base of the scorers of loaded models under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what the model lacks, or departs from the default in a setting of
    `unsupported`, which models like `description` have no place for, or where the unigram model can't be counted.
    """

    description = ""
    unsupported: tuple[str, ...] = ()
    route = "none"
    first_token_scored = True

    def __init__(self, model: LoadedModel, settings: ScoreSettings, kind: ScoringMethod, budgets: Budgets) -> None:
        self.info = model.info
        self.policy = policy_of(settings, kind)
        refuse(self.policy, self.info.name, self.description, self.unsupported)
        self._network: Any = model.model
        self._tokenizer: Any = model.tokenizer
        on_cpu = self._network.device.type == "cpu"
        self._ahead = 0 if on_cpu else GPU_AHEAD
        self.batch_size = settings.batch_size
        self.batch_tokens = settings.batch_tokens or (budgets.cpu_tokens if on_cpu else budgets.gpu_tokens)
        n_logits = budgets.cpu_logits if on_cpu else budgets.gpu_logits
        self._whole_logits_tokens = max(1, n_logits // self.info.vocabulary_size)
        self._keeps_tokens = settings.tokens
        self._unigrams = count_unigrams(settings.unigrams, model, self.policy)
        self.unigrams = self._unigrams.origin if self._unigrams else None

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """As `Scorer.score`."""
        return (outcome for _, outcome in self.score_parts([sentences]))

    def score_parts(self, parts: Iterable[Sequence[str]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """As `Scorer.score_parts`; the numbers do not depend on the order of the sentences."""
        refused = deque[tuple[int, SentenceOutcome]]()
        with scoring_errors(self.info.name):
            for found in self._score(self._scorable(parts, refused)):
                while refused:
                    yield refused.popleft()
                yield found
        yield from refused

    def _scorable(
        self, parts: Iterable[Sequence[str]], refused: deque[tuple[int, SentenceOutcome]]
    ) -> Iterator[tuple[int, list[E]]]:
        """The sentences of each part that nothing speaks against, where there are any; puts the others by."""
        for part, sentences in enumerate(parts):
            items = []
            for item in self._encode(sentences):
                if isinstance(item, Unscorable):
                    refused.append((part, item))
                else:
                    items.append(item)
            if items:
                yield part, items

    @abstractmethod
    def _encode(self, sentences: Sequence[str]) -> Iterable[E | Unscorable]:
        """Each distinct sentence as the model reads it, or why it can't be scored."""

    @abstractmethod
    def _score(self, parts: Iterable[tuple[int, list[E]]]) -> Iterator[tuple[int, SentenceOutcome]]:
        """Scores sentences that nothing speaks against, with the number of their part."""

    def _outcome(self, item: EncodedSentence, logprobs: Sequence[float]) -> SentenceOutcome:
        """A sentence's score from one log-probability a scored token."""
        total = math.fsum(logprobs)
        if not math.isfinite(total):
            return Unscorable(item.sentence, "the model gave a log-probability that is not a finite number")
        scored = item.ids[item.first : item.first + len(logprobs)]
        starts = tuple(start for start, _ in item.spans) if self._keeps_tokens and item.spans is not None else None
        return SentenceScore(
            sentence=item.sentence,
            n_tokens=len(logprobs),
            n_bytes=len(item.text.encode()),
            n_chars=len(item.text),
            sum_logprob=total,
            unigram_sum_logprob=self._unigrams.sum_logprob(scored) if self._unigrams else None,
            token_logprobs=tuple(logprobs) if self._keeps_tokens else None,
            token_starts=starts,
        )

    def _halved(self, batch: list[T]) -> list[list[T]]:
        """A batch that needs too much memory as two, and half the budget from here on."""
        if len(batch) > 1:
            self.batch_tokens = max(1, self.batch_tokens // 2)
        return halves(batch)


@contextlib.contextmanager
def scoring_errors(name: str) -> Iterator[None]:
    """Turns what a model raises while it scores into a ModelError in one line."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise ModelError(
            f"{name}: the model failed while scoring: {one_line(error)}; set another score.dtype or score.device"
        ) from None
