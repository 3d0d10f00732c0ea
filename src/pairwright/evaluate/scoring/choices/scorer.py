"""Which option a causal model finds most probable after a prompt, by log-probabilities.

Prompts and options are packed with shared beginnings, such as examples. Sums are within 1e-3 nats of a float64 run of
the whole text, where the model computes in float32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

from pairwright.core.config import PolicySettings, ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.records.items import OptionScore
from pairwright.evaluate.scoring.choices.requests import ChoiceRequest, RequestEncoder
from pairwright.evaluate.scoring.inputs.encoding import EncodedSentence
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, Unscorable
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.local import scoring_errors
from pairwright.models.load.models import LoadedModel

# A prompt's text is scored as it is: of the policy, only these settings are heeded.
HEEDED = ("bos", "normalisation")
# Requests that are batched together, before the results of the first are given.
TOGETHER = 512

ChoiceOutcome = tuple[OptionScore, ...] | Unscorable


class ChoiceScorer:
    """Scores the options of requests with a loaded causal model.

    Of the policy in `settings`, `bos` and `normalisation` are heeded; the rest is about sentences.

    Raises ModelError where the model is of another kind, or has no BOS and the settings ask for one.
    """

    def __init__(self, model: LoadedModel, settings: ScoreSettings) -> None:
        if model.kind != "causal":
            raise ModelError(f"{model.info.name}: options are scored by causal models alone; this one is {model.kind}")
        defaults = {name: field.default for name, field in PolicySettings.model_fields.items() if name not in HEEDED}
        self.info = model.info
        self._causal = CausalScorer(model, settings.model_copy(update=defaults | {"tokens": False, "unigrams": None}))
        self._encoder = RequestEncoder(model, self._causal.policy)

    @property
    def route(self) -> str:
        """How prompts go through the model, known after the first ones."""
        return self._causal.route

    def score(self, requests: Sequence[ChoiceRequest]) -> Iterator[ChoiceOutcome]:
        """The scores of each request's options, in the order of the requests, or why it has none.

        Raises ModelError where the model itself fails.
        """
        for _, alike in groupby(requests, lambda request: request.chat):
            while together := list(islice(alike, TOGETHER)):
                yield from self._outcomes(together)

    def _outcomes(self, requests: list[ChoiceRequest]) -> list[ChoiceOutcome]:
        """The outcomes of requests, all chat or none."""
        encoded = self._encoder.encode(requests)
        options = [option for part in encoded if not isinstance(part, str) for option in part]
        with scoring_errors(self.info.name):
            scores = self._option_scores(options) if options else []
        following = iter(scores)
        return [
            Unscorable(request.prompt, part)
            if isinstance(part, str)
            else _outcome(request, list(islice(following, len(part))))
            for request, part in zip(requests, encoded, strict=True)
        ]

    def _option_scores(self, options: list[EncodedSentence]) -> list[SentenceOutcome]:
        # What stands in place of the sentence leads from an outcome back to its option.
        items = [replace(option, sentence=str(number)) for number, option in enumerate(options)]
        return sorted(self._causal.score_items(items), key=lambda outcome: int(outcome.sentence))


def _outcome(request: ChoiceRequest, outcomes: list[SentenceOutcome]) -> ChoiceOutcome:
    scores = []
    for number, outcome in enumerate(outcomes, 1):
        if isinstance(outcome, Unscorable):
            return Unscorable(request.prompt, f"option {number}: {outcome.reason}")
        scores.append(
            OptionScore(sum_logprob=outcome.sum_logprob, n_tokens=outcome.n_tokens, n_chars=max(1, outcome.n_chars))
        )
    return tuple(scores)
