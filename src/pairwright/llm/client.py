"""The client that stages are given: requests in, answers out, in the order of the requests."""

import asyncio
import threading
from collections import deque
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice, tee
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.llm.asking import Asker
from pairwright.llm.batch import Batches, BatchState
from pairwright.llm.budget import Budget, Cap
from pairwright.llm.cache import LedgerLine, ReplyCache
from pairwright.llm.estimates import Estimate, estimate
from pairwright.llm.exchange import Answer, Completer, Request
from pairwright.llm.local import LocalServer, local_settings
from pairwright.llm.sending import NotCachedError
from pairwright.llm.server import Refused, Server

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")
X = TypeVar("X")

CACHE_FILE = "replies.sqlite"
"""The cache of answers, in `Workspace.llm`."""

# Requests that are read ahead for each one in flight, so that a slow answer does not hold the others up.
_AHEAD = 4


def ask_about(completer: Completer, subjects: Iterable[tuple[X, Request[T]]]) -> Iterator[tuple[X, Answer[T]]]:
    """Each subject with the answer to its request, in order; `subjects` is read as `Completer.run` reads requests."""
    kept, sent = tee(subjects)
    answers = completer.run(request for _, request in sent)
    return zip((subject for subject, _ in kept), answers, strict=True)


class LLM:
    """A language model's server with its cache, limits and ledger. Use it in a `with`, or close it.

    settings  [llm] of pairwright.toml
    folder    where the cache is, `Workspace.llm`
    cap       the most that this client may spend, beside the cap in the settings for the whole workspace
    offline   answer from the cache alone
    local     a running local server to use in place of the one in the settings; the caller stops it

    Several threads may use one client. Raises LLMError if the cache can't be used.
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
        self._cache = ReplyCache(folder / CACHE_FILE)
        self._server = Server(self.settings, local)
        self._budget = Budget(self.settings, cap or Cap(), self._cache, free=local is not None)
        self._asker = Asker(self.settings, self._server, self._cache, self._budget, offline=offline)
        self._batches = Batches(self.settings, self._server, self._cache, self._budget)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
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

    def _wait(self, work: Coroutine[Any, Any, R]) -> R:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def served_models(self) -> list[str]:
        """The names of the server's models. Raises LLMError where it doesn't say."""
        try:
            return self._wait(self._server.models())
        except Refused as fault:
            raise LLMError(f"{self._server.base_url}: it lists no models: {fault}") from None

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order. Requests are read as they are needed, and then dropped.

        If the caller stops early, by an exception or Ctrl-C, nothing more is sent; what is in flight is waited for and
        kept, unless Ctrl-C comes again. Raises LLMError and BudgetError if no more can be asked; all answers so far
        are in the cache.
        """
        waiting: deque[Future[Answer[T]]] = deque()
        source = iter(requests)
        try:
            while True:
                for request in islice(source, _AHEAD * self.settings.concurrency - len(waiting)):
                    waiting.append(asyncio.run_coroutine_threadsafe(self._asker.ask(request), self._loop))
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
        """What requests would take, without sending anything."""
        return estimate(self._asker, self._budget, self._cache, requests, batch=batch)

    def ledger(self) -> list[LedgerLine]:
        """What this workspace has paid, by source, stage and model."""
        return self._cache.ledger()

    def submit_batches(self, requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Hands the requests that were never answered to the server's batch API, at half the price.

        First takes up what a killed submission left behind. Raises LLMError and BudgetError.
        """
        return self._wait(self._batches.submit(self._asker, requests))

    def collect_batches(self, *, wait: bool = True) -> list[BatchState]:
        """Puts the answers of finished batches into the cache, from which `run` then serves them.

        With `wait` until all have ended, else says how far they are. Raises LLMError.
        """
        return self._wait(self._batches.collect(wait=wait))


class Rehearsal(LLM):
    """Answers from the cache alone; a request that it lacks gets an answer that failed, and nothing is sent."""

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order."""
        for request in requests:
            try:
                yield self._wait(self._asker.ask(request))
            except NotCachedError:
                model = self._asker.model(request.stage)
                yield Answer(request, self._server.name, model, cost=0, reason="not asked yet")
