"""The client that stages are given: requests in, answers out, in the order of the requests."""

import asyncio
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from pydantic import BaseModel

from pairwright.config import LLMSettings
from pairwright.llm.asking import Asker
from pairwright.llm.batch import Batches, BatchState
from pairwright.llm.budget import (
    BATCH_SHARE,
    Budget,
    Cap,
    Estimate,
    ledger_table,
    output_tokens_so_far,
    tokens_of,
    tokens_per_byte,
)
from pairwright.llm.cache import LedgerLine, ReplyCache
from pairwright.llm.exchange import Answer, Request
from pairwright.llm.local import LocalServer, local_settings
from pairwright.llm.server import Server

T = TypeVar("T", bound=BaseModel)

CACHE_FILE = "replies.sqlite"
"""The cache of answers, in `Workspace.llm`."""
X = TypeVar("X")

# Requests that are read ahead for each one on its way, so that a slow answer does not hold the others up.
_AHEAD = 4


class Asks(Protocol):
    """What a stage needs of a client: all that it sees of language models."""

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order."""
        ...


def ask_about(asks: Asks, subjects: Iterable[tuple[X, Request[T]]]) -> Iterator[tuple[X, Answer[T]]]:
    """Each thing with the answer to the request that was made about it, in order; read as `Asks.run` reads."""
    waiting: deque[X] = deque()

    def requests() -> Iterator[Request[T]]:
        for subject, request in subjects:
            waiting.append(subject)
            yield request

    for answer in asks.run(requests()):
        yield waiting.popleft(), answer


class LLM:
    """A language model's server with its cache, limits and ledger. Use it in a `with`, or close it.

    settings  [llm] of pairwright.toml
    folder    of the cache, `Workspace.llm`
    cap       the most that this client may spend, beside the settings' cap for the workspace
    offline   answer from the cache alone
    local     a running local server, which takes the place of the settings' one; it is not stopped here

    Safe to use from several threads. Raises LLMError where the cache can't be used.
    """

    def __init__(
        self,
        settings: LLMSettings,
        folder: Path,
        *,
        cap: Cap | None = None,
        offline: bool = False,
        local: LocalServer | None = None,
    ) -> None:
        self.settings = local_settings(settings, local) if local else settings
        base_url, name, key = (
            (local.base_url, local.name, local.key)
            if local
            else (settings.base_url, settings.base_url.rstrip("/"), None)
        )
        self._cache = ReplyCache(folder / CACHE_FILE)
        self._server = Server(self.settings, base_url, name, key)
        self._budget = Budget(self.settings, cap or Cap(), self._cache)
        self._asker = Asker(self.settings, self._server, self._cache, self._budget, offline=offline)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Waits for what was sent and not yet answered, keeps it, and closes the cache."""
        if self._loop.is_closed():
            return
        self._wait(self._asker.sender.drain())
        self._wait(self._server.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._cache.close()

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def submit(self, request: Request[T]) -> "Future[Answer[T]]":
        """Begins to ask. The future raises LLMError or BudgetError where no request would fare better."""
        return asyncio.run_coroutine_threadsafe(self._asker.ask(request), self._loop)

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order. Requests are read as they are needed, and kept no longer.

        Where the caller stops early, by an exception or Ctrl-C, nothing more is sent; what is on its way is waited for
        and kept, unless Ctrl-C comes again. Raises LLMError and BudgetError where no more can be asked; all answers so
        far are in the cache.
        """
        waiting: deque[Future[Answer[T]]] = deque()
        source = iter(requests)
        try:
            while True:
                while len(waiting) < _AHEAD * self.settings.concurrency and (request := next(source, None)) is not None:
                    waiting.append(self.submit(request))
                if not waiting:
                    return
                answer = waiting[0].result()
                waiting.popleft()
                yield answer
        finally:
            for future in waiting:
                future.cancel()
            if waiting:
                self._wait(self._asker.sender.drain())

    def estimate(self, requests: Iterable[Request[Any]], *, batch: bool = False) -> Estimate:
        """What requests would take, without sending anything. Repairs of bad answers come on top."""
        counts = {"requests": 0, "cached": 0, "input_tokens": 0, "output_tokens": 0, "most_output_tokens": 0}
        cost, most_cost, priced = 0.0, 0.0, True
        for request in requests:
            counts["requests"] += 1
            parcel = self._asker.first_parcel(request)
            if self._cache.get(parcel.key):
                counts["cached"] += 1
                continue
            model = parcel.model
            sent = tokens_of(parcel.body, tokens_per_byte(self._cache, model))
            usual = output_tokens_so_far(self._cache, model, parcel.prompt)
            expected = parcel.output_limit if usual is None else min(round(usual), parcel.output_limit)
            counts["input_tokens"] += sent
            counts["output_tokens"] += expected
            counts["most_output_tokens"] += parcel.output_limit
            price = self._budget.price(model)
            priced = priced and self._budget.has_price(model)
            share = (BATCH_SHARE if batch else 1) / 1_000_000
            cost += (sent * price.input + expected * price.output) * share
            most_cost += (sent * price.input + parcel.output_limit * price.output) * share
        return Estimate(
            **counts,
            cost=cost if priced else None,
            most_cost=most_cost if priced else None,
            currency=self.settings.currency,
        )

    def ledger(self) -> list[LedgerLine]:
        """What this workspace has paid, by source, stage and model."""
        return self._cache.ledger()

    def ledger_table(self) -> str:
        """The ledger as a Markdown table."""
        return ledger_table(self.ledger(), self.settings.currency)

    def submit_batches(self, requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Hands the requests that were never answered to the server's batch API, at half the price.

        What a killed submission left behind is taken up first. Raises LLMError and BudgetError.
        """
        batches = Batches(self.settings, self._server, self._cache, self._budget)
        return self._wait(batches.submit(self._asker, requests))  # type: ignore[no-any-return]

    def collect_batches(self, *, wait: bool = True) -> list[BatchState]:
        """Puts the answers of finished batches into the cache, from which `run` then serves them.

        wait  stay until all batches have ended; else tell how far they are. Raises LLMError.
        """
        batches = Batches(self.settings, self._server, self._cache, self._budget)
        return self._wait(batches.collect(wait=wait))  # type: ignore[no-any-return]
