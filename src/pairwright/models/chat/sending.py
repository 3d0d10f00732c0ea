"""Requests on their way: each is sent once, within the budget, and kept as soon as it is answered."""

import threading
import time
from weakref import WeakValueDictionary

from pairwright.core.errors import LLMError, counted, one_line
from pairwright.models.chat.answers import Fault, UnreadableError, count_usage, read_reply
from pairwright.models.chat.exchange import PreparedRequest, Reply
from pairwright.models.chat.ledger import Ledger, cost_of, most_of
from pairwright.models.chat.server import Server, Stopped

# After so many requests in a row without an answer, each with all its retries, the server is down.
_DOWN_AFTER = 5


class NotCachedError(LLMError):
    """Offline, and the cache has no answer."""


class Sender:
    """Sends what the cache lacks, for many threads. A set `stop` ends what is not yet sent by raising Stopped."""

    def __init__(self, server: Server, ledger: Ledger, *, offline: bool) -> None:
        self._server, self._ledger, self._offline = server, ledger, offline
        self._locks: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
        self._guard = threading.Lock()
        self._failed = 0
        self._over: LLMError | None = None
        # When the server may be asked, by the monotonic clock.
        self._ready = 0.0

    def receive(self, request: PreparedRequest, stop: threading.Event) -> tuple[Reply, float | None]:
        """The reply to a request, and what it cost now with the attempts before it; None if it was in the cache.

        The same question is never on its way twice. Raises Fault for this request; LLMError and BudgetError if no more
        can be sent.
        """
        with self._guard:
            lock = self._locks.setdefault(request.key, threading.Lock())
        with lock:
            try:
                if reply := self._ledger.get(request.key):
                    return reply, None
            except UnreadableError as fault:
                kept = "it was paid for and is kept, so it isn't asked for again"
                raise Fault(f"an answer that is {fault}; {kept}", billed=True) from None
            if self._offline:
                missing = f"the cache has no answer to it (key {request.key[:16]})"
                raise NotCachedError(f"{request.name}: offline, and {missing}; run once without --offline")
            if batch := self._ledger.open_batch(request.key):
                remedy = "collect the batch first (--batch), or it would be paid for twice"
                raise LLMError(f"{request.name}: it waits in the batch {batch}; {remedy}")
            if self._over:
                raise self._over
            try:
                received = self._send(request, stop)
            except Fault as fault:
                down = fault.billed or fault.passing
                self._failed += down
                if not down or self._failed < _DOWN_AFTER:
                    raise
                row = f"{counted(self._failed, 'request')} in a row went without an answer, so no more are sent"
                remedy = "what was answered is kept: run again when the server is well"
                self._over = self._server.error(f"{fault}; {row}; {remedy}")
                raise self._over from None
            except LLMError as fault:
                # No other request would fare better, so those that wait for their turn are not sent.
                self._over = fault
                raise
            self._failed = 0
            return received

    def _send(self, request: PreparedRequest, stop: threading.Event) -> tuple[Reply, float]:
        price, most, spent = self._ledger.price(request.model), most_of(request), 0.0

        def attempt() -> Reply:
            """One attempt, which is counted before it is sent."""
            nonlocal spent
            with self._ledger.reserved(request, most) as (row, reserved):
                try:
                    self._wait(stop)
                    content = self._server.complete(request.body)
                    if content.lstrip()[:1] != b"{":
                        # The page of a gateway in front of the server.
                        page = one_line(content.decode("utf-8", "replace"))
                        raise Fault(f"an answer that is no JSON object: {page}", billed=True, passing=True)
                except (Fault, Stopped) as fault:
                    if isinstance(fault, Fault) and fault.billed:
                        spent += reserved.cost
                    else:
                        self._ledger.release(row)
                    raise
                # The bytes and what they cost are kept first; then they are read.
                usage, note = count_usage(content, most, price)
                cost = cost_of(usage, price)
                self._ledger.keep(row, request, content, usage, cost, note)
                spent += cost
                try:
                    return read_reply(content, usage, request.model)
                except UnreadableError as fault:
                    raise Fault(f"an answer that is {fault}", billed=True, passing=True) from None

        return self._server.persist(attempt, stop, self._pause), spent

    def _wait(self, stop: threading.Event) -> None:
        """Returns once the server may be asked. Raises Stopped."""
        while not stop.is_set():
            if (seconds := self._ready - time.monotonic()) <= 0:
                return
            stop.wait(seconds)
        raise Stopped

    def _pause(self, seconds: float) -> None:
        """Holds everything back for so long."""
        with self._guard:
            self._ready = max(self._ready, time.monotonic() + seconds)
