"""The client that stages are given: requests in, answers out, in the order of the requests."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from itertools import islice, tee
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from pairwright.core.config import LLMSettings
from pairwright.core.errors import counted
from pairwright.core.workspace import Workspace
from pairwright.models.chat.asking import Asker
from pairwright.models.chat.batch import Batches, BatchState
from pairwright.models.chat.budget import Budget, Cap, Estimate
from pairwright.models.chat.cache import LedgerLine, ReplyCache
from pairwright.models.chat.exchange import Answer, Completer, Request
from pairwright.models.chat.local import LocalServer, local_settings
from pairwright.models.chat.replies import Fault
from pairwright.models.chat.sending import NotCachedError
from pairwright.models.chat.server import Server

T = TypeVar("T", bound=BaseModel)
X = TypeVar("X")

CACHE_FILE = "replies.sqlite"
"""The cache of answers, in `Workspace.llm`."""

# Requests that are read ahead for each one in flight, so that a slow answer does not hold the others up.
_AHEAD = 4


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
        self._batches = Batches(self.settings, self._server, self._cache, self._budget, self._asker.sender)
        self._threads = ThreadPoolExecutor(self.settings.concurrency, "llm")
        self._answered, self._failures = False, list[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for what was sent and not yet answered, keeps it, and closes the cache."""
        self._threads.shutdown(cancel_futures=True)
        self._server.close()
        self._cache.close()

    def served_models(self) -> list[str]:
        """The names of the server's models. Raises LLMError where it doesn't say."""
        with self._faults("it lists no models"):
            return self._server.models()

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order. Requests are read as they are needed, and then dropped.

        If the caller stops early, by an exception or Ctrl-C, nothing more is sent; what is in flight is waited for and
        kept, unless Ctrl-C comes again. Raises LLMError and BudgetError if no more can be asked; all answers so far
        are in the cache.
        """
        waiting: deque[Future[Answer[T]]] = deque()
        source, stop = iter(requests), threading.Event()
        try:
            while True:
                for request in islice(source, _AHEAD * self.settings.concurrency - len(waiting)):
                    waiting.append(self._threads.submit(self._asker.ask, request, stop))
                if not waiting:
                    return
                answer = waiting[0].result()
                waiting.popleft()
                self._answered |= answer.outcome != "failed"
                self._failures += [answer.reason] if answer.outcome == "failed" else []
                yield answer
        finally:
            stop.set()
            wait([future for future in waiting if not future.cancel()])

    def verify_answered(self) -> None:
        """Raises LLMError if this client asked questions and the server failed to answer every one of them."""
        if self._failures and not self._answered:
            asked = f"none of {counted(len(self._failures), 'question')} was answered"
            remedy = "check the server and [llm] in pairwright.toml, and run again"
            raise self._server.error(f"{self._failures[-1]}; {asked}; {remedy}")

    def estimate(self, requests: Iterable[Request[Any]], *, batch: bool = False) -> Estimate:
        """What requests would take, without sending anything."""
        return self._budget.estimate(map(self._asker.prepare, requests), batch=batch)

    def ledger(self) -> list[LedgerLine]:
        """What this workspace has paid, by source, stage and model."""
        return self._cache.ledger()

    def submit_batches(self, requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Hands the requests that were never answered to the server's batch API, at half the price.

        First takes up what a killed submission left behind. Raises LLMError and BudgetError.
        """
        with self._faults("no batch"):
            return self._batches.submit(map(self._asker.prepare, requests))

    def collect_batches(self, *, wait: bool = True) -> list[BatchState]:
        """Puts the answers of finished batches into the cache, from which `run` then serves them.

        With `wait` until all have ended, else says how far they are. Raises LLMError.
        """
        with self._faults("no batch"):
            return self._batches.collect(wait=wait)

    @contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        try:
            yield
        except Fault as fault:
            raise self._server.error(f"{what}: {fault}") from None


class Rehearsal(LLM):
    """Answers from the cache alone; a request that it lacks gets an answer that failed, and nothing is sent."""

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order."""
        for request in requests:
            try:
                yield self._asker.ask(request, threading.Event())
            except NotCachedError:
                model = self._asker.model(request.stage)
                yield Answer(request, self._server.name, model, cost=0, reason="not asked yet")


def ask_about(completer: Completer, subjects: Iterable[tuple[X, Request[T]]]) -> Iterator[tuple[X, Answer[T]]]:
    """Each subject with the answer to its request, in order; `subjects` is read as `Completer.run` reads requests."""
    kept, sent = tee(subjects)
    answers = completer.run(request for _, request in sent)
    return zip((subject for subject, _ in kept), answers, strict=True)


def ledger(workspace: Workspace) -> list[LedgerLine]:
    """What a workspace has paid so far, by source, stage and model. Raises LLMError if the cache can't be used."""
    if not (path := workspace.llm / CACHE_FILE).exists():
        return []
    with closing(ReplyCache(path)) as cache:
        return cache.ledger()


@contextmanager
def open_llm(
    workspace: Workspace,
    *,
    local: bool = False,
    offline: bool = False,
    rehearsal: bool = False,
    cap: Cap | None = None,
    settings: LLMSettings | None = None,
) -> Iterator[LLM]:
    """The client of a workspace for the time of a `with`; with `local`, of the local model, which runs as long.

    offline    answer from the cache alone, and fail where it has no answer
    rehearsal  as offline, but where the cache has no answer, go on without it
    settings   in place of those of the workspace

    Raises ConfigError, and LLMError if the cache or the local model can't be used.
    """
    settings = settings or workspace.config().llm
    with ExitStack() as stack:
        server = LocalServer(settings) if local else None
        if server and not (offline or rehearsal):
            stack.enter_context(server)
        client = Rehearsal if rehearsal else LLM
        yield stack.enter_context(client(settings, workspace.llm, cap=cap, offline=offline or rehearsal, local=server))
