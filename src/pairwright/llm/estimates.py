"""What requests would take, before anything is sent. Money is in the settings' currency."""

from collections.abc import Iterable
from typing import Any

from pairwright.llm.asking import Asker
from pairwright.llm.budget import Budget, cost_of
from pairwright.llm.cache import EarlierAnswers, ReplyCache
from pairwright.llm.exchange import NO_USAGE, PreparedRequest, Request, Usage
from pairwright.records import Record

# Before a prompt has enough answers, one has from so much of its limit to all of it.
_SHORTEST_SHARE = 1 / 8


class Estimate(Record):
    """What a set of requests would take, before repairs of bad answers.

    cached         requests that were answered before and cost nothing
    input_tokens   of the others, if their words become tokens as earlier ones did
    output_tokens  of the others, if answers are as long as earlier ones to the same prompt; `least_output` and
                   `most_output` go by the quartiles of those, before there are any by the limit of an answer
    cost           as expected, with `least_cost` and `most_cost`; None if a model has no price
    """

    requests: int
    cached: int
    input_tokens: int
    output_tokens: int
    least_output: int
    most_output: int
    cost: float | None
    least_cost: float | None
    most_cost: float | None

    @property
    def missing(self) -> int:
        """The requests that have to be paid for."""
        return self.requests - self.cached


def estimate(
    asker: Asker, budget: Budget, cache: ReplyCache, requests: Iterable[Request[Any]], *, batch: bool
) -> Estimate:
    """Counts what is answered already and what the others would take. Raises BudgetError where a price is needed."""
    earlier: dict[tuple[str, str], EarlierAnswers | None] = {}
    count, cached, priced = 0, 0, True
    usage, cost = [NO_USAGE] * 3, [0.0] * 3
    for request in requests:
        count += 1
        prepared = asker.prepare(request)
        if prepared.key in cache:
            cached += 1
            continue
        model = prepared.model
        if (model, prepared.prompt) not in earlier:
            earlier[model, prepared.prompt] = cache.answers_to(model, prepared.prompt)
        priced = priced and budget.has_price(model)
        for index, one in enumerate(_usages(prepared, budget.likely_input(prepared), earlier[model, prepared.prompt])):
            usage[index] += one
            cost[index] += cost_of(one, budget.price(model), batch=batch)
    least, expected, most = usage
    costs = cost if priced else [None] * 3
    return Estimate(
        requests=count,
        cached=cached,
        input_tokens=expected.input_tokens,
        output_tokens=expected.output_tokens,
        least_output=least.output_tokens,
        most_output=most.output_tokens,
        least_cost=costs[0],
        cost=costs[1],
        most_cost=costs[2],
    )


def _usages(request: PreparedRequest, sent: int, earlier: EarlierAnswers | None) -> list[Usage]:
    """The least, the expected and the most that a request uses; `sent` are its input tokens."""
    limit = request.output_limit
    least = round(limit * _SHORTEST_SHARE)
    lengths, share = (least, (least + limit) // 2, limit), 0.0
    if earlier:
        low, high = min(earlier.low, earlier.mean), max(earlier.high, earlier.mean)
        lengths, share = (round(low), round(earlier.mean), round(high)), earlier.cached_share
    return [
        Usage(input_tokens=sent, output_tokens=min(length, limit), cached_input=round(share * sent))
        for length in lengths
    ]
