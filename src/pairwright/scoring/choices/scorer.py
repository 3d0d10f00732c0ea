"""Which option a causal model finds most probable after a prompt, by log-probabilities.

A prompt's examples or instructions are its prefix. A model reads each distinct prefix once and keeps its keys and
values; contexts and options are read after them, packed with shared beginnings. Sums are within 1e-3 nats of a float64
run of the whole text, where the model computes in float32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from pairwright.config import PolicySettings, ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.models import LoadedModel
from pairwright.records.items import OptionScore
from pairwright.scoring.choices.prefixes import PrefixRoutes
from pairwright.scoring.choices.requests import ChoiceRequest, RequestEncoder
from pairwright.scoring.forward.routes import ForwardRoute
from pairwright.scoring.inputs.encoding import EncodedSentence
from pairwright.scoring.inputs.outcomes import Outcome, Unscorable
from pairwright.scoring.scorers.causal import CausalScorer
from pairwright.scoring.scorers.local import scoring_errors

# A prompt's text is scored as it is: of the policy, only these settings are heeded.
HEEDED = ("bos", "normalisation")
# Requests whose options are batched together, before the results of the first are given.
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
        self._causal = CausalScorer(model, settings.model_copy(update=defaults | {"words": False, "unigrams": None}))
        self._encoder = RequestEncoder(model, self._causal.policy)
        self._prefixes = PrefixRoutes(model.model)

    @property
    def route(self) -> str:
        """How prompts go through the model without a cache, known after the first ones."""
        return self._causal.route

    def score(self, requests: Sequence[ChoiceRequest]) -> Iterator[ChoiceOutcome]:
        """The scores of each request's options, in the order of the requests, or why it has none.

        Requests with the same prefix share it wherever they stand. Raises ModelError where the model itself fails.
        """
        groups: dict[tuple[str, bool], list[int]] = {}
        for number, request in enumerate(requests):
            groups.setdefault((request.prefix, request.chat), []).append(number)
        outcomes: dict[int, ChoiceOutcome] = {}
        next_number = 0
        for numbers in groups.values():
            for number, outcome in self._score_group([requests[number] for number in numbers]):
                outcomes[numbers[number]] = outcome
                while next_number in outcomes:
                    yield outcomes.pop(next_number)
                    next_number += 1

    def _score_group(self, requests: list[ChoiceRequest]) -> Iterator[tuple[int, ChoiceOutcome]]:
        """The outcomes of requests with one prefix, all chat or none, each with the request's index."""
        encoded: dict[int, list[EncodedSentence]] = {}
        for number, options in enumerate(self._encoder.encode(requests)):
            if isinstance(options, str):
                yield number, Unscorable(requests[number].context, options)
            else:
                encoded[number] = options
        if not encoded:
            return
        with scoring_errors(self.info.name):
            route, n_cached = self._route([option for options in encoded.values() for option in options], len(encoded))
            for some in (list(encoded)[at : at + TOGETHER] for at in range(0, len(encoded), TOGETHER)):
                items = [
                    replace(
                        option, sentence=f"{number} {index}", ids=option.ids[n_cached:], first=option.first - n_cached
                    )
                    for number in some
                    for index, option in enumerate(encoded[number])
                ]
                items.sort(key=lambda item: (item.ids, item.sentence))
                found = {outcome.sentence: outcome for outcome in self._causal.score_by(route, items)}
                for number in some:
                    of_options = [found[f"{number} {index}"] for index in range(len(encoded[number]))]
                    yield number, _choice_outcome(requests[number], of_options)

    def _route(self, options: list[EncodedSentence], n_requests: int) -> tuple[ForwardRoute, int]:
        """The route of options with one prefix, and how many tokens of each are in its cache."""
        base = self._causal.open_route([option.ids for option in options])
        if n_requests < FEWEST:
            return base, 0
        # The last token before a continuation is read with it, as the continuation's first token follows from it.
        n_before = min(option.first for option in options) - 1
        lowest, highest = min(option.ids for option in options), max(option.ids for option in options)
        same = (low == high for low, high in zip(lowest[:n_before], highest, strict=False))
        n_shared = sum(takewhile(bool, same))
        longest = max((option.ids[:-1] for option in options), key=len)
        cached = self._prefixes.route(longest[:n_shared], longest, base, self._causal.batch_tokens)
        return (cached, n_shared) if cached else (base, 0)


def _choice_outcome(request: ChoiceRequest, outcomes: Sequence[Outcome]) -> ChoiceOutcome:
    scores = []
    for number, outcome in enumerate(outcomes, 1):
        if isinstance(outcome, Unscorable):
            return Unscorable(request.context, f"option {number}: {outcome.reason}")
        scores.append(
            OptionScore(sum_logprob=outcome.sum_logprob, n_tokens=outcome.n_tokens, n_chars=max(1, outcome.n_chars))
        )
    return tuple(scores)
