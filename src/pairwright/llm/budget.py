"""What requests cost: estimates before, caps during, the ledger after. Money is in the currency of the settings."""

import asyncio
from collections.abc import Iterable
from typing import Any

from pairwright.config import LLMSettings, Price
from pairwright.errors import BudgetError
from pairwright.llm.cache import LedgerLine, ReplyCache, Spent
from pairwright.llm.exchange import Usage
from pairwright.records import Record

BATCH_SHARE = 0.5
_TOKENS_PER_BYTE = 1 / 3
# Tokens that a chat template adds to a message.
_TEMPLATE_TOKENS = 8
_FEW = 20


class Cap(Record):
    """The most that may be spent; None is no limit."""

    money: float | None = None
    tokens: int | None = None


class Estimate(Record):
    """What a set of requests would take.

    cached         requests that were answered already and cost nothing
    input_tokens   of the others; `output_tokens` likewise, as many as earlier answers to the same prompt had, and
                   `most_output_tokens`, which no first answer exceeds
    cost           at the expected and at the largest length of the answers, half of it in batches; None without a price
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
        if self.cost is None or self.most_cost is None:
            money = "; no price in llm.prices"
        elif self.most_cost:
            money = f"; {self.cost:.2f} {self.currency} expected, {self.most_cost:.2f} at most before repairs"
        else:
            money = ""
        return (
            f"{self.requests:,} requests ({self.cached:,} answered already), {self.input_tokens:,} tokens in, "
            f"{self.output_tokens:,} out (at most {self.most_output_tokens:,}){money}"
        )


def message_bytes(body: dict[str, Any]) -> int:
    """The UTF-8 bytes of what is said in a request."""
    return sum(len(said["content"].encode()) for said in body["messages"])


def tokens_of(body: dict[str, Any], per_byte: float = _TOKENS_PER_BYTE) -> int:
    """About how many tokens a request's messages are."""
    return round(message_bytes(body) * per_byte) + _TEMPLATE_TOKENS * len(body["messages"])


def cost_of(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """What an answer costs; what the server had in its own cache costs its own price where there is one."""
    cached_price = price.input if price.cached_input is None else price.cached_input
    micros = (usage.input_tokens - usage.cached_input) * price.input
    micros += usage.cached_input * cached_price + usage.output_tokens * price.output
    return micros * (BATCH_SHARE if batch else 1) / 1_000_000


class Budget:
    """Holds what was spent and what is on its way below the caps.

    A request is let through only where its estimate still fits beside all others on their way; it waits while that
    may change. So the caps are passed only by what estimates are wrong by, on the requests in flight.
    """

    def __init__(self, settings: LLMSettings, cap_of_run: Cap, cache: ReplyCache) -> None:
        self._settings = settings
        self._start = cache.spent()
        self._spent = self._start
        self._reserved = Spent(cost=0, tokens=0)
        self._caps = [(Cap(money=settings.budget_money, tokens=settings.budget_tokens), False), (cap_of_run, True)]
        self._changed = asyncio.Condition()
        self._cache = cache
        self._earlier = self._in_batches = Spent(cost=0, tokens=0)
        self.look_at_batches()
        self._earlier = self._in_batches

    def price(self, model: str) -> Price:
        """The price of a model; nothing where there is none. Raises BudgetError where a cap on money then is void."""
        known = self._settings.prices.get(model)
        if known is None and any(cap.money is not None for cap, _ in self._caps):
            raise BudgetError(
                f"no price for '{model}', so a cap on money can't be kept; write [llm.prices.\"{model}\"] with input "
                "and output for a million tokens, or set no cap on money"
            )
        return known or Price(input=0, output=0)

    def has_price(self, model: str) -> bool:
        return model in self._settings.prices

    def fault(self, cost: float, tokens: int, *, on_its_way: bool = True) -> str | None:
        """Why a request with this estimate may not be sent; None where it may."""
        for cap, of_run in self._caps:
            cost_so_far = self._spent.cost + self._in_batches.cost
            tokens_so_far = self._spent.tokens + self._in_batches.tokens
            if of_run:
                cost_so_far -= self._start.cost + self._earlier.cost
                tokens_so_far -= self._start.tokens + self._earlier.tokens
            whose = "this run" if of_run else "this workspace (llm.budget_money, llm.budget_tokens)"
            waiting = self._reserved if on_its_way else Spent(cost=0, tokens=0)
            if cap.money is not None and cost_so_far + waiting.cost + cost > cap.money:
                money = f"{cap.money:.2f} {self._settings.currency}"
                return f"the cap of {money} for {whose} leaves no room: {cost_so_far:.4f} is spent"
            if cap.tokens is not None and tokens_so_far + waiting.tokens + tokens > cap.tokens:
                return f"the cap of {cap.tokens:,} tokens for {whose} leaves no room: {tokens_so_far:,} are spent"
        return None

    async def reserve(self, cost: float, tokens: int) -> None:
        """Returns when a request with this estimate may be sent. Raises BudgetError where it never may."""
        async with self._changed:
            while self.fault(cost, tokens):
                if reason := self.fault(cost, tokens, on_its_way=False):
                    raise BudgetError(f"{reason}; what was answered is kept: raise the cap and run again")
                await self._changed.wait()
            self._reserved = Spent(cost=self._reserved.cost + cost, tokens=self._reserved.tokens + tokens)

    async def settle(self, cost: float, tokens: int, spent: Spent | None) -> None:
        """Takes a reservation back, with what was spent in all by then, where anything was."""
        async with self._changed:
            self._reserved = Spent(cost=self._reserved.cost - cost, tokens=self._reserved.tokens - tokens)
            # Replies are written in order, but their senders may hear of it in another.
            if spent and spent.tokens > self._spent.tokens:
                self._spent = spent
            self._changed.notify_all()

    def look_at_batches(self) -> None:
        """Counts the batches that were submitted and not collected as spent, at their estimates."""
        cost, tokens = self._cache.query(
            "SELECT TOTAL(reserved_cost), TOTAL(reserved_tokens) FROM batches WHERE state IN ('planned', 'submitted')"
        )[0]
        self._in_batches = Spent(cost=cost, tokens=round(tokens))

    def refresh(self, spent: Spent) -> None:
        """What was spent outside of requests: by collected batches."""
        self._spent = spent


def tokens_per_byte(cache: ReplyCache, model: str) -> float:
    """Tokens for a byte of prompt, as the server counted them so far; a third before there are enough answers."""
    count, tokens, size = cache.query(
        "SELECT COUNT(*), SUM(input_tokens), SUM(prompt_bytes) FROM"
        " (SELECT input_tokens, prompt_bytes FROM replies WHERE model = ? LIMIT 1000)",
        (model,),
    )[0]
    return float(tokens / size) if count >= _FEW and size else _TOKENS_PER_BYTE


def output_tokens_so_far(cache: ReplyCache, model: str, prompt: str) -> float | None:
    """The mean length of the answers to a prompt so far; None before there are enough."""
    count, mean = cache.query(
        "SELECT COUNT(*), AVG(output_tokens) FROM replies WHERE model = ? AND prompt = ?", (model, prompt)
    )[0]
    return float(mean) if count >= _FEW else None


def ledger_table(lines: Iterable[LedgerLine], currency: str) -> str:
    """The ledger for people: a Markdown table with a sum below."""
    head = f"| source | stage | model | requests | in batches | unanswered | tokens in | tokens out | {currency} |"
    rows = [head, "|---|---|---|---:|---:|---:|---:|---:|---:|"]
    kept = list(lines)
    for line in kept:
        rows.append(f"| {line.source_id} | {line.stage} | {line.model} | {_figures([line])} |")
    rows.append(f"| all | | | {_figures(kept)} |")
    return "\n".join(rows)


def _figures(lines: list[LedgerLine]) -> str:
    counts = [
        sum(values)
        for values in zip(
            *((x.requests, x.in_batches, x.unanswered, x.input_tokens, x.output_tokens) for x in lines), strict=True
        )
    ] or [0] * 5
    return " | ".join([*(f"{count:,}" for count in counts), f"{sum(line.cost for line in lines):.4f}"])
