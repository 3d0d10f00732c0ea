"""Requests in flight: each is sent once, a few at a time, within the budget, and kept as soon as it is answered."""

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.llm.budget import Budget, cost_of
from pairwright.llm.cache import Lost, Paid, ReplyCache, Spent
from pairwright.llm.exchange import PreparedRequest, Reply
from pairwright.llm.server import InFlight, NoAnswer, Server


class Received(NamedTuple):
    """A reply and what it cost now; `cached` if nothing was sent for it."""

    reply: Reply
    cost: float
    cached: bool


@dataclass
class _Flight(InFlight):
    waiting: int = 0
    task: "asyncio.Task[Received]" = field(init=False)


class Sender:
    """Sends what the cache lacks. A caller that is cancelled stops its request only while that is not yet sent."""

    def __init__(
        self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget, *, offline: bool
    ) -> None:
        self._server, self._cache, self._budget, self._offline = server, cache, budget, offline
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._flights: dict[str, _Flight] = {}
        self._over: LLMError | None = None

    async def receive(self, request: PreparedRequest) -> Received:
        """The reply to a request: from the cache, from the same request in flight, or from the server.

        Raises Refused and NoAnswer for this request; LLMError and BudgetError if no more can be sent.
        """
        if reply := self._cache.get(request.key):
            return Received(reply=reply, cost=0, cached=True)
        if self._offline:
            missing = f"the cache has no answer to it (key {request.key[:16]})"
            raise LLMError(f"{request.name}: offline, and {missing}; run once without --offline")
        if batch := self._cache.open_batch(request.key):
            remedy = "collect the batch first (--batch), or it would be paid for twice"
            raise LLMError(f"{request.name}: it waits in the batch {batch}; {remedy}")
        flight = self._flights.get(request.key)
        first = flight is None
        if flight is None:
            flight = self._flights[request.key] = _Flight()
            flight.task = asyncio.create_task(self._send(request, flight))
            flight.task.add_done_callback(lambda task: self._landed(request.key, task))
        flight.waiting += 1
        try:
            received = await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.sent:
                flight.task.cancel()
        return received if first else Received(received.reply, cost=0, cached=True)

    def _landed(self, key: str, task: "asyncio.Task[Received]") -> None:
        del self._flights[key]
        if not task.cancelled():
            # Retrieved here, so that asyncio does not report it if every caller has gone.
            task.exception()

    async def _send(self, request: PreparedRequest, state: InFlight) -> Received:
        async with self._slots:
            if self._over is not None:
                raise self._over
            price, most = self._budget.price(request.model), self._budget.most(request)
            estimate = Spent(cost=cost_of(most, price), tokens=most.tokens)
            # What the server may bill for each attempt that it did not answer.
            lost = Lost(request, estimate.tokens, estimate.cost)
            await self._budget.reserve(estimate)
            spent = None
            try:
                reply, unanswered = await self._server.chat(request.body, estimate.tokens, state)
                cost = cost_of(reply.usage, price)
                spent = self._cache.put(Paid(request, reply, cost), *[lost] * unanswered)
                return Received(reply=reply, cost=cost, cached=False)
            except LLMError as fault:
                # No other request would fare better, so those that wait for their turn are not sent.
                self._over = fault
                raise
            except NoAnswer as fault:
                spent = self._cache.put(*[lost] * fault.unanswered)
                raise
            finally:
                await self._budget.settle(estimate, spent)

    async def drain(self) -> None:
        """Waits for requests in flight whose callers have gone: they are billed, so their replies are kept."""
        while orphans := [flight for flight in self._flights.values() if not flight.waiting]:
            for flight in orphans:
                if not flight.sent:
                    flight.task.cancel()
            await asyncio.wait([flight.task for flight in orphans], timeout=0.02)
