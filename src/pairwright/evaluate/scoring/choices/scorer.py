"""Which option a causal model finds most probable after a prompt, by log-probabilities.

A prompt's examples or instructions are its prefix. A model reads each distinct prefix once and keeps its keys and
values; contexts and options are read after them, packed with shared beginnings. Sums are within 1e-3 nats of a float64
run of the whole text, where the model computes in float32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from pairwright.core.config import PolicySettings, ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.records.items import OptionScore
from pairwright.evaluate.scoring.choices.prefixes import PrefixRoutes
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
# A prefix of fewer requests is not worth a pass of its own.
FEWEST = 3

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
        self._prefixes = PrefixRoutes(model.model)

    @property
    def route(self) -> str:
        """How prompts go through the model, known after the first ones; such as `packed after cached prefixes`."""
        return f"{self._causal.route} after cached prefixes" if self._prefixes.used else self._causal.route

    def score(self, requests: Sequence[ChoiceRequest]) -> Iterator[ChoiceOutcome]:
        """The scores of each request's options, in the order of the requests, or why it has none.

        Requests with the same prefix share it wherever they stand. Raises ModelError where the model itself fails.
        """
        groups: dict[object, list[int]] = {}
        for number, request in enumerate(requests):
            groups.setdefault((request.prefix, request.chat, request.turns), []).append(number)
        outcomes: dict[int, ChoiceOutcome] = {}
        next_number = 0
        for numbers in groups.values():
            for start in range(0, len(numbers), TOGETHER):
                together = numbers[start : start + TOGETHER]
                outcomes |= zip(together, self._outcomes([requests[n] for n in together]), strict=True)
                while next_number in outcomes:
                    yield outcomes.pop(next_number)
                    next_number += 1

    def _outcomes(self, requests: list[ChoiceRequest]) -> list[ChoiceOutcome]:
        """The outcomes of requests with one prefix, all chat or none."""
        encoded = self._encoder.encode(requests)
        options = [option for part in encoded if not isinstance(part, str) for option in part]
        with scoring_errors(self.info.name):
            scores = self._option_scores(options, len(requests)) if options else []
        following = iter(scores)
        return [
            Unscorable(request.context, part)
            if isinstance(part, str)
            else _outcome(request, list(islice(following, len(part))))
            for request, part in zip(requests, encoded, strict=True)
        ]

    def _option_scores(self, options: list[EncodedSentence], n_requests: int) -> list[SentenceOutcome]:
        route = self._causal.open_route([option.ids for option in options])
        if n_requests >= FEWEST:
            longest = max((option.ids[:-1] for option in options), key=len)
            route = self._prefixes.route(longest[: _n_shared(options)], longest, route, self._causal.batch_tokens)
        n_cached = route.cache.length if route.cache else 0
        # What stands in place of the sentence leads from an outcome back to its option.
        items = [
            replace(option, sentence=str(number), ids=option.ids[n_cached:], first=option.first - n_cached)
            for number, option in enumerate(options)
        ]
        items.sort(key=lambda item: (item.ids, int(item.sentence)))
        return sorted(self._causal.score_by(route, items), key=lambda outcome: int(outcome.sentence))


def _n_shared(options: list[EncodedSentence]) -> int:
    """How many tokens all options begin with; the one before a continuation is not among them, for it is read anew."""
    lowest, highest = min(option.ids for option in options), max(option.ids for option in options)
    same = (low == high for low, high in zip(lowest, highest, strict=False))
    return min(sum(takewhile(bool, same)), min(option.first for option in options) - 1)


def _outcome(request: ChoiceRequest, outcomes: list[SentenceOutcome]) -> ChoiceOutcome:
    scores = []
    for number, outcome in enumerate(outcomes, 1):
        if isinstance(outcome, Unscorable):
            return Unscorable(request.context, f"option {number}: {outcome.reason}")
        scores.append(
            OptionScore(sum_logprob=outcome.sum_logprob, n_tokens=outcome.n_tokens, n_chars=max(1, outcome.n_chars))
        )
    return tuple(scores)
