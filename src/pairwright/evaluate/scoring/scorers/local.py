"""What the scorers of loaded models share: policy, budgets of a forward pass, and errors in one line."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, one_line
from pairwright.core.records.evaluation import ScoringMethod
from pairwright.evaluate.scoring.forward.batch_queue import halves
from pairwright.evaluate.scoring.inputs.assembly import ScoreAssembler
from pairwright.evaluate.scoring.inputs.encoding import (
    EncodedSentence,
    SentenceEncoder,
    policy_of,
    refuse,
    unscorable_reason,
)
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, Unscorable
from pairwright.models.load.models import LoadedModel

T = TypeVar("T")

NO_MEMORY = "memory ran out with this sentence alone"


@dataclass(frozen=True)
class Budgets:
    """The most tokens in a forward pass on a processor and on a GPU, and the most logits that stand in memory whole."""

    cpu_tokens: int
    gpu_tokens: int
    cpu_logits: int
    gpu_logits: int


class LocalScorer:
    """Base of the scorers of loaded models under the policy that the settings give; see `outcomes.Scorer`.

    Raises ModelError where the policy asks for what the model lacks, or departs from the default in a setting of
    `unsupported`, which models like `description` have no place for.
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
        self.batch_size = settings.batch_size
        self.batch_tokens = settings.batch_tokens or (budgets.cpu_tokens if on_cpu else budgets.gpu_tokens)
        n_logits = budgets.cpu_logits if on_cpu else budgets.gpu_logits
        self._whole_logits_tokens = max(1, n_logits // self.info.vocabulary_size)
        self._assembler = ScoreAssembler(model, settings, self.policy)
        self.unigrams = self._assembler.unigrams

    def _halved(self, batch: list[T]) -> list[list[T]]:
        """A batch that needs too much memory as two, and half the budget from here on."""
        if len(batch) > 1:
            self.batch_tokens = max(1, self.batch_tokens // 2)
        return halves(batch)


class ChainRuleScorer(LocalScorer, ABC):
    """Base of the scorers of models that read a sentence from left to right, token by token."""

    _encoder: SentenceEncoder

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        """As `Scorer.score`; the numbers do not depend on the order of the sentences."""
        items = []
        for item in self._encoder.encode(sentences):
            reason = unscorable_reason(item, self.info)
            if reason:
                yield Unscorable(item.sentence, reason)
            else:
                items.append(item)
        if items:
            with scoring_errors(self.info.name):
                yield from self._score(items)

    @abstractmethod
    def _score(self, items: list[EncodedSentence]) -> Iterator[SentenceOutcome]:
        """Scores sentences that nothing speaks against, at least one."""


def padded_batches(entries: Sequence[T], length: Callable[[T], int], *, tokens: int, most: int) -> list[list[T]]:
    """Entries, the longest first, as batches of at most `most` entries and `tokens` with padding."""
    batches: list[list[T]] = []
    for entry in entries:
        if batches and len(batches[-1]) < min(most, tokens // length(batches[-1][0])):
            batches[-1].append(entry)
        else:
            batches.append([entry])
    return batches


@contextlib.contextmanager
def scoring_errors(name: str) -> Iterator[None]:
    """Turns what a model raises while it scores into a ModelError in one line."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        raise ModelError(
            f"{name}: the model failed while scoring: {one_line(error)}; set another score.dtype or score.device"
        ) from None
