"""From log-probabilities of tokens to the score of a sentence; the same for every kind of model."""

import math
from collections.abc import Sequence

from pairwright.core.config import ScoreSettings
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, SentenceScore, Unscorable
from pairwright.evaluate.scoring.inputs.unigrams import count_unigrams
from pairwright.evaluate.scoring.inputs.words import WordReader
from pairwright.models.load.models import LoadedModel


class ScoreAssembler:
    """Adds up log-probabilities, with words and the unigram model where the settings ask for them.

    Raises ModelError where the unigram model can't be counted.
    """

    def __init__(self, model: LoadedModel, settings: ScoreSettings, policy: ScoringPolicy) -> None:
        self.words = WordReader(model.tokenizer, model.info.vocabulary_size) if settings.words else None
        self._unigrams = count_unigrams(settings.unigrams, model, policy)
        self.unigrams = self._unigrams.origin if self._unigrams else None

    def outcome(
        self, item: EncodedSentence, logprobs: Sequence[float], boundaries: Sequence[float] | None = None
    ) -> SentenceOutcome:
        """A sentence's score from one log-probability a scored token; `boundaries` as `WordReader.words` takes them."""
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
            token_starts=tuple(start for start, _ in item.spans) if self.words and item.spans is not None else None,
            words=self.words.words(item, logprobs, boundaries) if self.words else None,
        )
