"""The client that stages are given: requests in, answers out, in the order of the requests.

Each is sent once, within the budget, and its answer is kept as soon as it comes.
"""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import islice, tee
from pathlib import Path
from typing import Any, Self, TypeVar
from weakref import WeakValueDictionary

from pydantic import BaseModel

from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError, counted, one_line
from pairwright.core.ids import digest
from pairwright.core.workspace import Workspace
from pairwright.models.chat.answers import (
    Answer,
    Completer,
    Dialect,
    Fault,
    Mode,
    PlainText,
    PreparedRequest,
    Reply,
    Request,
    UnreadableError,
    count_usage,
    read_answer,
    read_reply,
    strict_schema,
)
from pairwright.models.chat.batch import Batches, BatchState
from pairwright.models.chat.ledger import Cap, Estimate, Ledger, LedgerLine, cost_of, most_of
from pairwright.models.chat.local import LocalServer, local_settings
from pairwright.models.chat.server import Server, Stopped

T = TypeVar("T", bound=BaseModel)
X = TypeVar("X")

CACHE_FILE = "replies.sqlite"
"""The cache of answers, in `Workspace.llm`."""

# Requests that are read ahead for each one in flight, so that a slow answer does not hold the others up.
_AHEAD = 4
_OUTPUT_TOKENS, _MOST_OUTPUT = 1024, 32_768
_MODES: tuple[Mode, ...] = ("schema", "json", "text")
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
        self.settings = settings = local_settings(settings, local) if local else settings
        self._server = Server(settings, local)
        self._ledger = Ledger(folder / CACHE_FILE, settings, cap, free=local is not None)
        self._sender = Sender(self._server, self._ledger, offline=offline)
        self._threads = ThreadPoolExecutor(settings.concurrency, "llm")
        self._answered, self._failures = False, list[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for what was sent and not yet answered, keeps it, and closes the cache."""
        self._threads.shutdown(cancel_futures=True)
        self._server.close()
        self._ledger.close()

    def only_model(self) -> str:
        """What the server calls its model. Raises LLMError where it doesn't say, or has several."""
        with self._faults("it lists no models"):
            return self._server.only_model()

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
                    waiting.append(self._threads.submit(self._ask, request, stop))
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
        return self._ledger.estimate(map(self._first_sent, requests), batch=batch)

    def ledger(self) -> list[LedgerLine]:
        """What this workspace has paid, by source, stage and model."""
        return self._ledger.lines()

    def submit_batches(self, requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Hands the requests that were never answered to the server's batch API, at half the price.

        First takes up what a killed submission left behind. Raises LLMError and BudgetError.
        """
        with self._faults("no batch"):
            return self._batches.submit(map(self._first_sent, requests))

    def collect_batches(self, *, wait: bool = True) -> list[BatchState]:
        """Puts the answers of finished batches into the cache, from which `run` then serves them.

        With `wait` until all have ended, else says how far they are. Raises LLMError.
        """
        with self._faults("no batch"):
            return self._batches.collect(wait=wait)

    @property
    def _batches(self) -> Batches:
        return Batches(self.settings, self._server, self._ledger)

    @contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        try:
            yield
        except Fault as fault:
            raise self._server.error(f"{what}: {fault}") from None

    def _model(self, stage: str) -> str:
        """The model that a stage asks. Raises LLMError if the settings name none."""
        if model := self.settings.models.get(stage) or self.settings.model:
            return model
        raise LLMError("no language model is named; set llm.model in pairwright.toml, or work with --llm local")

    def _ask(self, request: Request[T], stop: threading.Event) -> Answer[T]:
        """The answer to a request: a bad one is asked for again, and one that stays bad says so.

        Raises LLMError and BudgetError if no other request would fare better.
        """
        model, dialect, limit = self._model(request.stage), self._dialect(request), self._limit(request)
        answer = Answer(request, self._server.name, model, cost=0 if model in self.settings.prices else None)
        turns, tried, repairs = list[dict[str, str]](), {dialect}, self.settings.repairs
        while True:
            prepared = self._prepared(request, dialect, turns, limit)
            try:
                reply, cost = self._sender.receive(prepared, stop)
            except Fault as fault:
                other = None if fault.billed or fault.passing else _other_dialect(dialect, str(fault))
                if other is None or other in tried:
                    return replace(answer, value=None, outcome="failed", reason=str(fault), cached=False)
                dialect, turns = self._learned(request, other), []
                tried.add(dialect)
                continue
            value, outcome, reason = read_answer(reply, request.output)
            answer = replace(
                answer,
                value=value,
                outcome=outcome,
                reason=reason,
                text=reply.text,
                thinking=reply.thinking,
                keys=(*answer.keys, prepared.key),
                usage=answer.usage + reply.usage,
                cost=None if answer.cost is None else answer.cost + (cost or 0),
                cached=answer.cached and cost is None,
                served_model=reply.served_model,
            )
            if outcome in ("ok", "refused") or not repairs:
                return answer
            repairs -= 1
            if outcome == "truncated" and limit < _MOST_OUTPUT:
                limit = min(2 * limit, _MOST_OUTPUT)
            elif self.settings.structured == "auto" and dialect.mode == "schema" and "{" not in (reply.text or "{"):
                # A server that held answers to the schema would have sent an object.
                dialect, turns = self._learned(request, dialect._replace(mode="json")), []
            else:
                again = f"This answer can't be used: {reason}. Answer again, with the corrected JSON object alone."
                said = {"role": "assistant", "content": reply.text or "(nothing)"}
                turns = [*turns, said, {"role": "user", "content": again}]

    def _first_sent(self, request: Request[T]) -> PreparedRequest:
        """The request as it is first sent, by what is known so far of the server."""
        return self._prepared(request, self._dialect(request), [], self._limit(request))

    def _dialect(self, request: Request[T]) -> Dialect:
        """What the server has been found to understand for this request's schema, else what is tried first."""
        server, stated = self._server.name, self.settings.structured
        if learned := self._ledger.dialect(server, self._model(request.stage), digest(strict_schema(request.output))):
            return learned
        mode = next((mode for mode in _MODES if mode == stated), _MODES[0])
        return Dialect(mode, "max_completion_tokens" if "//api.openai.com" in server else "max_tokens")

    def _learned(self, request: Request[T], dialect: Dialect) -> Dialect:
        """Remembers what a server understands, also for the cache: what is asked otherwise has another key."""
        schema = digest(strict_schema(request.output))
        self._ledger.keep_dialect(self._server.name, self._model(request.stage), schema, dialect)
        return dialect

    def _limit(self, request: Request[T]) -> int:
        return self.settings.max_output_tokens or request.prompt.hints.max_output_tokens or _OUTPUT_TOKENS

    def _prepared(
        self, request: Request[T], dialect: Dialect, turns: list[dict[str, str]], limit: int
    ) -> PreparedRequest:
        """A request as it is sent in a dialect, with the `turns` that followed its first answer."""
        settings, prompt, output = self.settings, request.prompt, request.output
        messages = [{"role": message.role, "content": message.content} for message in prompt.messages]
        form: dict[str, Any] | None = None
        if output is not PlainText and dialect.mode == "schema":
            named = {"name": output.__name__, "strict": True, "schema": strict_schema(output)}
            form = {"type": "json_schema", "json_schema": named}
        elif output is not PlainText:
            form = {"type": "json_object"} if dialect.mode == "json" else None
            schema = json.dumps(strict_schema(output), ensure_ascii=False)
            wanted = f"Answer with one JSON object and nothing else. It fits this JSON schema:\n{schema}"
            messages[-1]["content"] += f"\n\n{wanted}"
        body = {
            "model": self._model(request.stage),
            "messages": [*messages, *turns],
            dialect.limit_name: limit,
            "temperature": prompt.hints.temperature if settings.temperature is None else settings.temperature,
            "seed": None if settings.seed is None else settings.seed + request.sample,
            "response_format": form,
        }
        body = {name: value for name, value in body.items() if value is not None}
        server, name = self._server.name, f"{prompt.label} for {request.subject or request.source_id}"
        # The place in the cache: a SHA-256 of everything that decides the answer.
        key = digest({"server": server, "body": body, "sample": request.sample})
        return PreparedRequest(key, server, body, prompt.label, request.stage, request.source_id, name)


def _other_dialect(dialect: Dialect, complaint: str) -> Dialect | None:
    """How to ask a server that refused a request with this complaint; None if the complaint is of something else."""
    if re.search(r"max_(completion_)?tokens", complaint) and re.search(r"unsupported|instead|unknown", complaint, re.I):
        return Dialect(dialect.mode, "max_tokens" if dialect.limit_name != "max_tokens" else "max_completion_tokens")
    if re.search(r"response_format|schema|grammar|structured", complaint, re.I) and dialect.mode != _MODES[-1]:
        return Dialect(_MODES[_MODES.index(dialect.mode) + 1], dialect.limit_name)
    return None


class Rehearsal(LLM):
    """Answers from the cache alone; a request that it lacks gets an answer that failed, and nothing is sent."""

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]:
        """The answers to requests, in their order."""
        for request in requests:
            try:
                yield self._ask(request, threading.Event())
            except NotCachedError:
                yield Answer(request, self._server.name, self._model(request.stage), cost=0, reason="not asked yet")


def ask_about(completer: Completer, subjects: Iterable[tuple[X, Request[T]]]) -> Iterator[tuple[X, Answer[T]]]:
    """Each subject with the answer to its request, in order; `subjects` is read as `Completer.run` reads requests."""
    kept, sent = tee(subjects)
    answers = completer.run(request for _, request in sent)
    return zip((subject for subject, _ in kept), answers, strict=True)


def ledger(workspace: Workspace) -> list[LedgerLine]:
    """What a workspace has paid so far, by source, stage and model. Raises LLMError if the cache can't be used."""
    if not (path := workspace.llm / CACHE_FILE).exists():
        return []
    with closing(Ledger(path)) as cache:
        return cache.lines()


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
