"""What requests may cost: estimates before they are sent, caps while they run. Money is in the settings' currency."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from pairwright.core.config import LLMSettings, Price
from pairwright.core.errors import BudgetError, counted
from pairwright.core.ids import canonical_json
from pairwright.core.records import Record
from pairwright.models.chat.cache import ReplyCache, Spent
from pairwright.models.chat.exchange import NO_USAGE, PreparedRequest, Usage, message_bytes

_BATCH_SHARE = 0.5
_TOKENS_PER_BYTE = 1 / 3
# Tokens that a chat template adds to a message.
_TEMPLATE_TOKENS = 8
# Tokens that a server's template and its own instructions may add to a request.
_MOST_ADDED = 256
# Before a prompt has enough answers, one has from so much of its limit to all of it.
_SHORTEST_SHARE = 1 / 8


class Cap(Record):
    """The most that may be spent; None is no limit."""

    money: float | None = None
    tokens: int | None = None


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


def cost_of(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """What an answer costs. Input that the server had in its own cache has its own price, if there is one."""
    cached_price = price.input if price.cached_input is None else price.cached_input
    micros = (usage.input_tokens - usage.cached_input) * price.input
    micros += usage.cached_input * cached_price + usage.output_tokens * price.output
    return micros * (_BATCH_SHARE if batch else 1) / 1_000_000


@dataclass(frozen=True)
class Reservation:
    """What a request may cost at most, counted as spent since before it was sent. `row` is its place in the cache."""

    row: int
    most: Usage
    amount: Spent


class Budget:
    """Keeps what was spent, and what is in flight here and in other processes, below the caps of run and workspace.

    A request is sent only once the most that it may cost is reserved. The reservation is in the cache, where the reply
    replaces it; whatever becomes of the process, what it sent is counted.

    free   whether the server can't bill, as a local model; else a cap of nothing lets nothing pass, whatever its price
    """

    def __init__(self, settings: LLMSettings, cap_of_run: Cap, replies: ReplyCache, *, free: bool = False) -> None:
        self._settings, self._cache, self._free = settings, replies, free
        self._workspace_cap = Cap(money=settings.budget_money, tokens=settings.budget_tokens)
        self._run_cap = cap_of_run
        self._in_flight = Spent(cost=0, tokens=0)
        self._changed = threading.Condition()
        self._ratios: dict[str, float] = {}
        self._start = replies.spent()

    def price(self, model: str) -> Price:
        """The price of a model; zero if it has none. Raises BudgetError if a cap on money depends on it."""
        price = self._settings.prices.get(model)
        if price is None and (self._workspace_cap.money is not None or self._run_cap.money is not None):
            raise BudgetError(
                f"no price for '{model}', so a cap on money can't be kept; write [llm.prices.\"{model}\"] with input "
                "and output for a million tokens, or set no cap on money"
            )
        return price or Price(input=0, output=0)

    def has_price(self, model: str) -> bool:
        return model in self._settings.prices

    def most(self, request: PreparedRequest) -> Usage:
        """The most that a request may use: no token is shorter than a byte, and servers count schemas as well."""
        sent = len(canonical_json(request.body).encode("utf-8", "replace")) + _MOST_ADDED
        return Usage(input_tokens=sent, output_tokens=request.output_limit, estimated=True)

    def likely_input(self, request: PreparedRequest) -> int:
        """The tokens of a request's messages, going by earlier requests to the model."""
        model = request.model
        if model not in self._ratios and (ratio := self._cache.tokens_per_byte(model)) is not None:
            self._ratios[model] = ratio
        sent = round(message_bytes(request.body) * self._ratios.get(model, _TOKENS_PER_BYTE))
        return sent + _TEMPLATE_TOKENS * len(request.body["messages"])

    def refusal(self, so_far: Spent, more: Spent) -> str | None:
        """Why no more than `so_far` may be spent; None if `more` may."""
        for cap, spent, whose in (
            (self._workspace_cap, so_far, "this workspace (llm.budget_money, llm.budget_tokens)"),
            (self._run_cap, so_far - self._start, "this run"),
        ):
            # Written as `not (a <= b)` so that a cap of NaN blocks everything.
            if cap.money is not None and not (spent.cost + more.cost <= cap.money and (cap.money or self._free)):
                money = f"{cap.money:.2f} {self._settings.currency}"
                return f"the cap of {money} for {whose} leaves no room: {spent.cost:.4f} is spent"
            if cap.tokens is not None and spent.tokens + more.tokens > cap.tokens:
                tokens = counted(cap.tokens, "token")
                return f"the cap of {tokens} for {whose} leaves no room: {spent.tokens:,} are spent"
        return None

    def reserve(self, request: PreparedRequest) -> Reservation:
        """Reserves the most that a request may cost, as soon as it fits. Raises BudgetError if it never will."""
        most = self.most(request)
        more = Spent(cost=cost_of(most, self.price(request.model)), tokens=most.tokens)
        with self._changed:
            while True:
                row, so_far = self._cache.reserve(request, more, lambda spent: self.refusal(spent, more) is None)
                if row is not None:
                    self._in_flight += more
                    return Reservation(row, most, more)
                if reason := self.refusal(so_far - self._in_flight, more):
                    raise BudgetError(f"{reason}; what was answered is kept: raise the cap and run again")
                self._changed.wait()

    def settle(self, reservation: Reservation) -> None:
        """Says that a request is no longer in flight; its reservation was replaced, released, or stays for good."""
        with self._changed:
            self._in_flight -= reservation.amount
            self._changed.notify_all()

    def estimate(self, requests: Iterable[PreparedRequest], *, batch: bool) -> Estimate:
        """Counts what is answered already and what the others would take. Raises BudgetError without a price."""
        earlier = cache(self._cache.answers_to)
        number, cached, priced = 0, 0, True
        usage, cost = [NO_USAGE] * 3, [0.0] * 3
        for request in requests:
            number += 1
            if request.key in self._cache:
                cached += 1
                continue
            limit, sent = request.output_limit, self.likely_input(request)
            share, lengths = 0.0, [limit * part for part in (_SHORTEST_SHARE, (1 + _SHORTEST_SHARE) / 2, 1)]
            if before := earlier(request.model, request.prompt):
                share, lengths = before.cached_share, [before.low, before.mean, before.high]
            price, priced = self.price(request.model), priced and self.has_price(request.model)
            for index, length in enumerate(lengths):
                said = min(round(length), limit)
                one = Usage(input_tokens=sent, output_tokens=said, cached_input=round(share * sent))
                usage[index] += one
                cost[index] += cost_of(one, price, batch=batch)
        (least, expected, most), costs = usage, cost if priced else [None] * 3
        return Estimate(
            requests=number,
            cached=cached,
            input_tokens=expected.input_tokens,
            output_tokens=expected.output_tokens,
            least_output=least.output_tokens,
            most_output=most.output_tokens,
            least_cost=costs[0],
            cost=costs[1],
            most_cost=costs[2],
        )
