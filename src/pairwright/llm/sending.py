"""Requests in flight: each is sent once, a few at a time, within the budget, and kept as soon as it is answered."""

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.config import LLMSettings
from pairwright.errors import LLMError, one_line
from pairwright.llm.budget import Budget, Reservation, cost_of
from pairwright.llm.cache import Paid, ReplyCache
from pairwright.llm.exchange import PreparedRequest, Reply
from pairwright.llm.limits import Pace, backoff
from pairwright.llm.replies import count_usage, is_object, read_reply
from pairwright.llm.server import Fault, Redirect, Refused, Server
from pairwright.llm.wire.decoding import UnreadableError

# After so many requests in a row without an answer, each with all its retries, the server is down.
_DOWN_AFTER = 5


class NoAnswer(Exception):
    """All attempts at this request came to nothing."""


class NotCachedError(LLMError):
    """Offline, and the cache has no answer."""


class Received(NamedTuple):
    """A reply and what it cost now, with the attempts before it; `cached` if nothing was sent for it."""

    reply: Reply
    cost: float
    cached: bool


@dataclass
class _Flight:
    """A request on its way. Once it was `sent` it will be billed; while it waits it can be cancelled."""

    retries: int
    sent: bool = False
    waiting: int = 0
    cost: float = 0
    kept: bool = False
    task: "asyncio.Task[Received]" = field(init=False)


class Sender:
    """Sends what the cache lacks. A caller that is cancelled stops its request only while that is not yet sent."""

    def __init__(
        self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget, *, offline: bool
    ) -> None:
        self._server, self._cache, self._budget, self._offline = server, cache, budget, offline
        self._settings = settings
        self._pace = Pace(settings.requests_per_minute, settings.tokens_per_minute)
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._flights: dict[str, _Flight] = {}
        self._failed = 0
        self._over: LLMError | None = None

    async def receive(self, request: PreparedRequest, retries: int | None = None) -> Received:
        """The reply to a request: from the cache, from the same request in flight, or from the server.

        `retries` goes before the settings. Raises Refused and NoAnswer for this request; LLMError and BudgetError if no
        more can be sent.
        """
        try:
            if reply := self._cache.get(request.key):
                return Received(reply=reply, cost=0, cached=True)
        except UnreadableError as fault:
            raise NoAnswer(
                f"an answer that is {fault}; it was paid for and is kept, so it isn't asked for again"
            ) from None
        if self._offline:
            missing = f"the cache has no answer to it (key {request.key[:16]})"
            raise NotCachedError(f"{request.name}: offline, and {missing}; run once without --offline")
        if batch := self._cache.open_batch(request.key):
            remedy = "collect the batch first (--batch), or it would be paid for twice"
            raise LLMError(f"{request.name}: it waits in the batch {batch}; {remedy}")
        flight = self._flights.get(request.key)
        first = flight is None
        if flight is None:
            flight = self._flights[request.key] = _Flight(self._settings.retries if retries is None else retries)
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

    async def _send(self, request: PreparedRequest, flight: _Flight) -> Received:
        async with self._slots:
            if self._over is not None:
                raise self._over
            try:
                reply = await self._attempts(request, flight)
            except LLMError as fault:
                # No other request would fare better, so those that wait for their turn are not sent.
                self._over = fault
                raise
            self._failed = 0
            return Received(reply=reply, cost=flight.cost, cached=False)

    async def _attempts(self, request: PreparedRequest, flight: _Flight) -> Reply:
        for attempt in range(flight.retries + 1):
            try:
                return await self._attempt(request, flight)
            except Fault as fault:
                flight.sent = False
                wait = backoff(attempt, self._settings.backoff_seconds, fault.pause)
                if (fault.pause or 0) > self._settings.max_wait_seconds:
                    longer = f"it asks for a pause of {fault.pause:,.0f} s, more than llm.max_wait_seconds"
                    raise self._error(f"{fault}; {longer}; what was answered is kept: run again later") from None
                if fault.lasting or attempt == flight.retries:
                    raise self._gave_up(str(fault), attempt + 1) from None
                if fault.busy:
                    self._pace.pause(wait)
                await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, request: PreparedRequest, flight: _Flight) -> Reply:
        """One attempt, which is counted before it is sent. Raises Refused, Fault, LLMError and BudgetError."""
        reservation = await self._budget.reserve(request)
        try:
            content = await self._exchange(reservation, flight)
            if is_object(content):
                return self._keep(reservation, content, flight)
            flight.cost += reservation.amount.cost
            raise Fault(f"an answer that is no JSON object: {one_line(content.decode('utf-8', 'replace'))}")
        finally:
            await self._budget.settle(reservation)

    async def _exchange(self, reservation: Reservation, flight: _Flight) -> bytes:
        """The bytes that come back. The reservation is released where the server can't bill the attempt."""
        request = reservation.request
        try:
            await self._pace.enter(self._budget.likely_input(request) + request.output_limit)
            flight.sent = True
            return await self._server.post(request.body)
        except Redirect:
            raise
        except (Refused, LLMError):
            self._cache.release(reservation.row)
            raise
        except Fault as fault:
            if fault.billed:
                flight.cost += reservation.amount.cost
            else:
                self._cache.release(reservation.row)
            raise
        except asyncio.CancelledError:
            if not flight.sent:
                self._cache.release(reservation.row)
            raise

    def _keep(self, reservation: Reservation, content: bytes, flight: _Flight) -> Reply:
        """The bytes and what they cost go into the cache first; then they are read. Raises Fault."""
        request, price = reservation.request, self._budget.price(reservation.request.model)
        usage, note = count_usage(content, reservation.most, price)
        cost = cost_of(usage, price)
        self._cache.keep(reservation.row, Paid(request, content, usage, cost, note), again=flight.kept)
        flight.kept = True
        flight.cost += cost
        self._pace.used(self._budget.likely_input(request) + request.output_limit, usage.tokens)
        try:
            return read_reply(content, usage, request.model)
        except UnreadableError as fault:
            raise Fault(f"an answer that is {fault}") from None

    def _gave_up(self, message: str, attempts: int) -> Exception:
        self._failed += 1
        if self._failed < _DOWN_AFTER:
            return NoAnswer(f"{message} ({attempts} attempts)" if attempts > 1 else message)
        row = f"{self._failed} requests in a row went without an answer, so no more are sent"
        return self._error(f"{message}; {row}; what was answered is kept: run again when the server is well")

    def _error(self, message: str) -> LLMError:
        return LLMError(f"{self._server.base_url}: {message}")

    async def drain(self) -> None:
        """Waits for requests in flight whose callers have gone: they are billed, so their replies are kept."""
        while orphans := [flight for flight in self._flights.values() if not flight.waiting]:
            for flight in orphans:
                if not flight.sent:
                    flight.task.cancel()
            await asyncio.wait([flight.task for flight in orphans], timeout=0.02)
