"""How fast requests are sent: requests and tokens a minute, the server's pauses, and growing pauses after faults."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

_BURST_SECONDS = 5.0


class Bucket:
    """At most `per_minute` units in any 60 seconds, spread evenly after a first burst of five seconds' worth.

    With capacity c and r units a second, at most c + 60 r pass in a minute, so r makes this sum the limit. A single
    demand beyond the capacity waits for a full bucket and leaves it in debt: the limit holds on average.
    """

    def __init__(self, per_minute: int, now: float) -> None:
        self.capacity = max(1.0, per_minute * _BURST_SECONDS / 60)
        self.rate = max(per_minute - self.capacity, per_minute / 2) / 60
        self.level = self.capacity
        self.at = now

    def wait(self, units: float, now: float) -> float:
        """Fills up until now. Returns the seconds until `units` may be taken; 0 if they may be taken now."""
        self.give_back((now - self.at) * self.rate)
        self.at = now
        wait = (min(units, self.capacity) - self.level) / self.rate
        # A rounding error may be shorter than the clock's resolution.
        return wait if wait > 1e-6 else 0.0

    def give_back(self, units: float) -> None:
        """Adds units, as far as they fit in."""
        self.level = min(self.capacity, self.level + units)


class Pace:
    """Holds requests back until all limits allow them, and lets them through in the order in which they come."""

    def __init__(
        self,
        requests_per_minute: int | None,
        tokens_per_minute: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        limits = (requests_per_minute, tokens_per_minute)
        self._requests, self._tokens = (Bucket(limit, clock()) if limit else None for limit in limits)
        self._paused_until = 0.0
        self._turn = asyncio.Lock()

    async def enter(self, tokens: int) -> None:
        """Returns once a request of so many tokens may be sent."""
        demands = [(bucket, units) for bucket, units in ((self._requests, 1), (self._tokens, tokens)) if bucket]
        async with self._turn:
            while (wait := self._wait(demands)) > 0:
                await self._sleep(wait)
            for bucket, units in demands:
                bucket.level -= units

    def _wait(self, demands: list[tuple[Bucket, int]]) -> float:
        now = self._clock()
        return max(self._paused_until - now, *(bucket.wait(units, now) for bucket, units in demands), 0.0)

    def used(self, estimated: int, actual: int) -> None:
        """Corrects an estimate of tokens by what the server counted."""
        if self._tokens:
            self._tokens.give_back(estimated - actual)

    def pause(self, seconds: float) -> None:
        """Holds everything back for so long, because the server is overloaded."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)


def backoff(attempt: int, first: float, asked: float | None) -> float:
    """Seconds to wait after attempt number `attempt`, from 0, with jitter; never less than the server `asked` for.

    Source: Brooker (2015), Exponential Backoff and Jitter, AWS Architecture Blog ("equal jitter").
    """
    full: float = min(60.0, first * 2**attempt)
    jittered = full / 2 + random.uniform(0, full / 2)
    return jittered if asked is None else asked + random.uniform(0, min(first, 1.0))
