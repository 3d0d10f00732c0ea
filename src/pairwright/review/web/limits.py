"""How often something may happen: token buckets."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Allowance:
    """Allows `burst` at once and `rate` a second in the long run. `clock` gives seconds."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._left = self.burst
        self._at = self.clock()

    def take(self) -> bool:
        """Whether it is allowed once more now."""
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


@dataclass
class Limits:
    """Requests by each link, and attempts with tokens that open nothing, whoever sends them.

    Addresses are not asked: those of a proxy's headers are anybody's word, and many reviewers may share one.
    """

    by_link: Callable[[], Allowance] = lambda: Allowance(rate=10, burst=60)
    failed: Allowance = field(default_factory=lambda: Allowance(rate=1, burst=30))
    _links: dict[str, Allowance] = field(default_factory=dict)

    def allows(self, link_id: str) -> bool:
        """Whether a link may send another request now."""
        return self._links.setdefault(link_id, self.by_link()).take()
