"""What requests cost: estimates before they are sent, and caps while they run. Money is in the settings' currency."""

import asyncio

from pairwright.config import LLMSettings, Price
from pairwright.errors import BudgetError
from pairwright.llm.cache import ReplyCache, Spent
from pairwright.llm.exchange import PreparedRequest, Usage, message_bytes
from pairwright.records import Record

_BATCH_SHARE = 0.5
_TOKENS_PER_BYTE = 1 / 3
# Tokens that a chat template adds to a message.
_TEMPLATE_TOKENS = 8
_NOTHING = Spent(cost=0, tokens=0)


class Cap(Record):
    """The most that may be spent; None is no limit."""

    money: float | None = None
    tokens: int | None = None


class Estimate(Record):
    """What a set of requests would take.

    cached              requests that were answered before and cost nothing
    input_tokens        of the others
    output_tokens       of the others, if answers are as long as earlier ones to the same prompt
    most_output_tokens  the limit that no first answer exceeds
    cost, most_cost     with `output_tokens` and with `most_output_tokens`; None if a model has no price
    """

    requests: int
    cached: int
    input_tokens: int
    output_tokens: int
    most_output_tokens: int
    cost: float | None
    most_cost: float | None
    currency: str

    def __str__(self) -> str:
        money = "; no price in llm.prices" if self.cost is None else ""
        if self.most_cost:
            money = f"; {self.cost:.2f} {self.currency} expected, {self.most_cost:.2f} at most before repairs"
        return (
            f"{self.requests:,} requests ({self.cached:,} answered already), {self.input_tokens:,} tokens in, "
            f"{self.output_tokens:,} out (at most {self.most_output_tokens:,}){money}"
        )


def cost_of(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """What an answer costs. Input that the server had in its own cache has its own price, if there is one."""
    cached_price = price.input if price.cached_input is None else price.cached_input
    micros = (usage.input_tokens - usage.cached_input) * price.input
    micros += usage.cached_input * cached_price + usage.output_tokens * price.output
    return micros * (_BATCH_SHARE if batch else 1) / 1_000_000


class Budget:
    """Keeps what was spent and what is in flight below the caps of the run and of the workspace.

    A request may be sent only if its estimate fits beside all others in flight, and waits as long as that may change.
    So spending passes a cap only by the error of the estimates of the requests in flight.
    """

    def __init__(self, settings: LLMSettings, cap_of_run: Cap, cache: ReplyCache) -> None:
        self._settings, self._cache = settings, cache
        self._workspace_cap = Cap(money=settings.budget_money, tokens=settings.budget_tokens)
        self._run_cap = cap_of_run
        self._in_flight = _NOTHING
        self._changed = asyncio.Condition()
        self._ratios: dict[str, float] = {}
        self.refresh()
        self._start = self._spent + self._in_batches

    def refresh(self) -> None:
        """Reads what was spent from the cache again; batches count at their estimates until they are collected."""
        self._spent, self._in_batches = self._cache.spent(), self._cache.reserved_for_batches()

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
        """The estimated input tokens of a request, and the most output tokens that its limit allows."""
        model = request.model
        if model not in self._ratios and (ratio := self._cache.tokens_per_byte(model)) is not None:
            self._ratios[model] = ratio
        sent = round(message_bytes(request.body) * self._ratios.get(model, _TOKENS_PER_BYTE))
        sent += _TEMPLATE_TOKENS * len(request.body["messages"])
        return Usage(input_tokens=sent, output_tokens=request.output_limit, estimated=True)

    def refusal(self, estimate: Spent, *, alone: bool = False) -> str | None:
        """Why a request with this estimate may not be sent now, or not even `alone`; None if it may."""
        more = estimate if alone else self._in_flight + estimate
        so_far = self._spent + self._in_batches
        for cap, spent, whose in (
            (self._workspace_cap, so_far, "this workspace (llm.budget_money, llm.budget_tokens)"),
            (self._run_cap, so_far - self._start, "this run"),
        ):
            if cap.money is not None and spent.cost + more.cost > cap.money:
                money = f"{cap.money:.2f} {self._settings.currency}"
                return f"the cap of {money} for {whose} leaves no room: {spent.cost:.4f} is spent"
            if cap.tokens is not None and spent.tokens + more.tokens > cap.tokens:
                return f"the cap of {cap.tokens:,} tokens for {whose} leaves no room: {spent.tokens:,} are spent"
        return None

    async def reserve(self, estimate: Spent) -> None:
        """Returns once a request with this estimate may be sent. Raises BudgetError if it never may."""
        async with self._changed:
            while self.refusal(estimate):
                if reason := self.refusal(estimate, alone=True):
                    raise BudgetError(f"{reason}; what was answered is kept: raise the cap and run again")
                await self._changed.wait()
            self._in_flight += estimate

    async def settle(self, estimate: Spent, spent: Spent | None) -> None:
        """Releases a reservation. `spent` is everything spent by then, if the request cost anything."""
        async with self._changed:
            self._in_flight -= estimate
            # Replies are written in order, but the senders may report them in another.
            if spent and spent.tokens > self._spent.tokens:
                self._spent = spent
            self._changed.notify_all()
