"""How fast a server is asked: requests and tokens a minute, pauses it asks for, and growing pauses after faults."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

_BURST_SECONDS = 5.0


class Bucket:
    """At most `per_minute` units in any 60 seconds, spread evenly after a first burst of five seconds' worth.

    A bucket of capacity c that fills at r a second lets through at most c + 60 r in any minute, so r is chosen to
    make that sum the limit. A single demand beyond the capacity waits for a full bucket and leaves it in debt, so it
    is served at last and the limit still holds on average.
    """

    def __init__(self, per_minute: int, now: float) -> None:
        self.capacity = max(1.0, per_minute * _BURST_SECONDS / 60)
        self.rate = max(per_minute - self.capacity, per_minute / 2) / 60
        self.level = self.capacity
        self.at = now

    def _fill(self, now: float) -> None:
        self.level = min(self.capacity, self.level + (now - self.at) * self.rate)
        self.at = now

    def wait(self, units: float, now: float) -> float:
        """Seconds until `units` may be taken; 0 where they may be now."""
        self._fill(now)
        wait = (min(units, self.capacity) - self.level) / self.rate
        # A remainder of rounding may be too short for a clock to show that it is over.
        return wait if wait > 1e-6 else 0.0

    def take(self, units: float) -> None:
        self.level -= units

    def give_back(self, units: float) -> None:
        """Units that were taken on an estimate and not used."""
        self.level = min(self.capacity, self.level + units)


class Pace:
    """Holds requests back until all limits allow them. Requests are let through in the order in which they come."""

    def __init__(
        self,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._requests = Bucket(requests_per_minute, clock()) if requests_per_minute else None
        self._tokens = Bucket(tokens_per_minute, clock()) if tokens_per_minute else None
        self._paused_until = 0.0
        self._turn = asyncio.Lock()

    async def enter(self, tokens: int) -> None:
        """Returns when a request of so many tokens may be sent."""
        async with self._turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            if self._requests:
                self._requests.take(1)
            if self._tokens:
                self._tokens.take(tokens)

    def _wait(self, tokens: int) -> float:
        now = self._clock()
        waits = [self._paused_until - now]
        if self._requests:
            waits.append(self._requests.wait(1, now))
        if self._tokens:
            waits.append(self._tokens.wait(tokens, now))
        return max(waits)

    def used(self, estimated: int, actual: int) -> None:
        """Corrects an estimate of tokens by what the server counted."""
        if self._tokens:
            self._tokens.give_back(estimated - actual)

    def pause(self, seconds: float) -> None:
        """Nothing is sent for so long: the server said that it has too much to do."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


def backoff(attempt: int, first: float, asked: float | None) -> float:
    """Seconds to wait before attempt number `attempt` + 1, with jitter, never less than the server asked for.

    Source: Brooker (2015), Exponential Backoff and Jitter, AWS Architecture Blog ("equal jitter").
    """
    full: float = min(60.0, first * 2**attempt)
    jittered = full / 2 + random.uniform(0, full / 2)
    return jittered if asked is None else asked + random.uniform(0, min(first, 1.0))
