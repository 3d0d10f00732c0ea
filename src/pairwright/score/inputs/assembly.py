"""From log-probabilities of tokens to the score of a sentence; the same for every kind of model."""

import math
from collections.abc import Sequence

from pairwright.config import ScoreSettings
from pairwright.lm.models import LoadedModel
from pairwright.records.evaluation import ScoringPolicy
from pairwright.score.inputs.encoding import Encoded
from pairwright.score.inputs.outcomes import Outcome, SentenceScore, Unscorable
from pairwright.score.inputs.unigrams import count_unigrams
from pairwright.score.inputs.words import WordReader


class Finisher:
    """What is added to the sum: words where they are asked for, and the unigram model, whose errors it raises."""

    def __init__(self, model: LoadedModel, settings: ScoreSettings, policy: ScoringPolicy) -> None:
        self.words = WordReader(model.tokenizer, model.info.vocabulary_size) if settings.words else None
        self._unigrams = count_unigrams(settings.unigrams, model, policy)

    @property
    def unigrams(self) -> str | None:
        return self._unigrams.origin if self._unigrams else None

    def outcome(self, item: Encoded, logprobs: Sequence[float], masses: Sequence[float] | None = None) -> Outcome:
        """A sentence's score from one log-probability a scored token; `masses` as `WordReader.words` takes them."""
        total = math.fsum(logprobs)
        if not math.isfinite(total):
            return Unscorable(item.sentence, "the model gave a log-probability that is not a finite number")
        scored = item.ids[item.first : item.first + len(logprobs)]
        return SentenceScore(
            sentence=item.sentence,
            n_tokens=len(logprobs),
            n_bytes=len(item.text.encode()),
            n_chars=len(item.text),
            sum_logprob=total,
            unigram_sum_logprob=self._unigrams.sum_logprob(scored) if self._unigrams else None,
            token_logprobs=tuple(logprobs) if self.words else None,
            words=self.words.words(item, logprobs, masses) if self.words else None,
        )
