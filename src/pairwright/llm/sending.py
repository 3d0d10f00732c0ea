"""Requests on their way: each key once, so many at a time, within the budget, and kept as soon as it is answered."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.llm.budget import Budget, cost_of, tokens_of, tokens_per_byte
from pairwright.llm.cache import Lost, Paid, ReplyCache
from pairwright.llm.exchange import Reply
from pairwright.llm.server import Air, NoAnswer, Server

OPEN_BATCHES = ("planned", "submitted")


@dataclass(frozen=True)
class Parcel:
    """A request body with its key, and for whom it is sent; `name` is for error messages."""

    key: str
    body: dict[str, Any]
    prompt: str
    stage: str
    source_id: str
    name: str

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def output_limit(self) -> int:
        return int(self.body.get("max_tokens") or self.body.get("max_completion_tokens") or 0)


@dataclass(frozen=True)
class Received:
    """A reply and what it cost now; `cached` where nothing was sent for it."""

    reply: Reply
    cost: float
    cached: bool


@dataclass
class _Flight:
    askers: int = 0
    air: Air = field(default_factory=Air)
    task: "asyncio.Task[Received]" = field(init=False)


class Sender:
    """Sends what the cache lacks. An asker that is cancelled calls off what is not sent yet, and nothing else."""

    def __init__(
        self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget, *, offline: bool
    ) -> None:
        self._server, self._cache, self._budget, self._offline = server, cache, budget, offline
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._flights: dict[str, _Flight] = {}
        self._ratios: dict[str, float] = {}
        self._over: LLMError | None = None

    async def receive(self, parcel: Parcel) -> Received:
        """The reply to a request: from the cache, from one already on its way, or from the server.

        Raises Refused and NoAnswer for this request; LLMError and BudgetError where no more can be sent.
        """
        if reply := self._cache.get(parcel.key):
            return Received(reply=reply, cost=0, cached=True)
        if self._offline:
            raise LLMError(
                f"{parcel.name}: offline, and the cache has no answer to it (key {parcel.key[:16]}); run once without "
                "--offline"
            )
        self._refuse_pending(parcel)
        flight = self._flights.get(parcel.key)
        first = flight is None
        if flight is None:
            flight = self._flights[parcel.key] = _Flight()
            flight.task = asyncio.create_task(self._fly(parcel, flight))
            flight.task.add_done_callback(lambda task: self._landed(parcel.key, task))
        flight.askers += 1
        try:
            received = await asyncio.shield(flight.task)
        finally:
            flight.askers -= 1
            if not flight.askers and not flight.air.sent:
                flight.task.cancel()
        return received if first else Received(reply=received.reply, cost=0, cached=True)

    def _landed(self, key: str, task: "asyncio.Task[Received]") -> None:
        del self._flights[key]
        if not task.cancelled():
            # Looked at here, so that asyncio does not report it where every asker has gone.
            task.exception()

    async def _fly(self, parcel: Parcel, flight: _Flight) -> Received:
        async with self._slots:
            if self._over is not None:
                raise self._over
            price = self._budget.price(parcel.model)
            sent_tokens = tokens_of(parcel.body, self._ratio(parcel.model))
            tokens = sent_tokens + parcel.output_limit
            cost = (sent_tokens * price.input + parcel.output_limit * price.output) / 1_000_000
            await self._budget.reserve(cost, tokens)
            spent = None
            try:
                reply, unanswered = await self._server.chat(parcel.body, tokens, flight.air)
                paid = cost_of(reply.usage, price)
                entry = Paid(
                    key=parcel.key,
                    server=self._server.name,
                    model=parcel.model,
                    prompt=parcel.prompt,
                    stage=parcel.stage,
                    source_id=parcel.source_id,
                    body=parcel.body,
                    prompt_bytes=sum(len(said["content"].encode()) for said in parcel.body["messages"]),
                    reply=reply,
                    cost=paid,
                )
                spent = self._cache.put(entry, *self._lost(parcel, unanswered, tokens, cost))
                return Received(reply=reply, cost=paid, cached=False)
            except LLMError as fault:
                # No other request would fare better, so those that wait for their turn are not sent.
                self._over = fault
                raise
            except NoAnswer as fault:
                spent = self._cache.put(*self._lost(parcel, fault.unanswered, tokens, cost))
                raise
            finally:
                await self._budget.settle(cost, tokens, spent)

    def _lost(self, parcel: Parcel, times: int, tokens: int, cost: float) -> list[Lost]:
        """Attempts that the server may bill though no answer came."""
        lost = Lost(
            server=self._server.name,
            model=parcel.model,
            stage=parcel.stage,
            source_id=parcel.source_id,
            tokens=tokens,
            cost=cost,
        )
        return [lost] * times

    def _ratio(self, model: str) -> float:
        if model not in self._ratios:
            self._ratios[model] = tokens_per_byte(self._cache, model)
        return self._ratios[model]

    def _refuse_pending(self, parcel: Parcel) -> None:
        rows = self._cache.query(
            "SELECT batch_id FROM batch_items JOIN batches USING (mark) WHERE key = ? AND state IN (?, ?)",
            (parcel.key, *OPEN_BATCHES),
        )
        if rows:
            raise LLMError(
                f"{parcel.name}: it waits in the batch {rows[0][0] or 'that is being submitted'}; collect the batch "
                "first (--batch), or it would be paid for twice"
            )

    async def drain(self) -> None:
        """Waits for the requests on their way that nobody waits for any more: they are billed, so they are kept."""
        while orphans := [flight for flight in self._flights.values() if not flight.askers]:
            for flight in orphans:
                if not flight.air.sent:
                    flight.task.cancel()
            await asyncio.sleep(0.02)
