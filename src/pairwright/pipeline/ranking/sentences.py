"""Ranks sentences by a language model that is loaded when it is first asked."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairwright.config import ScoreSettings
from pairwright.lm.settings import ModelSettings

if TYPE_CHECKING:
    from pairwright.scoring.inputs.outcomes import Scorer


class SentenceRanker:
    """The mean log-probability of a sentence by its bytes, in nats, so that no sentence gains by being short.

    Raises ModelError at the first call where the model can't be loaded.
    """

    def __init__(self, model: str, settings: ScoreSettings) -> None:
        self._model = ModelSettings(name=model)
        self._settings = settings
        self._scorer: Scorer | None = None

    def __call__(self, sentences: Sequence[str]) -> list[float]:
        """The value of each sentence in order; minus infinity for one that the model can't score."""
        from pairwright.scoring.inputs.outcomes import SentenceScore
        from pairwright.scoring.scorers.registry import open_scorer

        if self._scorer is None:
            self._scorer = open_scorer(self._model, self._settings)
        values = {
            outcome.sentence: outcome.sum_logprob / max(1, outcome.n_bytes)
            for outcome in self._scorer.score(sentences)
            if isinstance(outcome, SentenceScore)
        }
        return [values.get(sentence, -math.inf) for sentence in sentences]
