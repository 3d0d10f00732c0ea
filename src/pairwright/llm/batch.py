"""OpenAI's Batch API: many requests as one file, answered within a day at half the price.

A batch is written down as planned, with a mark of its own, before anything is sent, and the server keeps the mark with
the batch. So a process that is killed in between finds its batch again by the mark, and never submits it twice.

Source: OpenAI API reference, "Batch" and "Files".
"""

import asyncio
import json
import sqlite3
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, Literal

from pydantic import Json

from pairwright.config import LLMSettings
from pairwright.errors import BudgetError, LLMError, counted, one_line
from pairwright.ids import canonical_json
from pairwright.llm.asking import Asker
from pairwright.llm.budget import Budget, cost_of
from pairwright.llm.cache import Paid, ReplyCache, Spent, count_unanswered, insert_row, keep_reply, spent_in
from pairwright.llm.exchange import NO_USAGE, PreparedRequest, Request
from pairwright.llm.replies import count_usage, read_reply
from pairwright.llm.server import Refused, Server
from pairwright.llm.wire.decoding import UnreadableError, read_object
from pairwright.records import Record

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_MOST_REQUESTS = 50_000
_MOST_BYTES = 100_000_000
_ENDED = ("completed", "failed", "expired", "cancelled")


class BatchState(Record):
    """How far a batch is. `state` is the server's word for it.

    answered  requests whose answers are in the cache now; the others of an ended batch can be asked again
    fault     the first reason that the server gave for not answering a request or the whole batch
    """

    batch_id: str
    model: str
    state: str
    requests: int
    answered: int = 0
    fault: str = ""


class Batches:
    """Submits and collects the batches of one server."""

    def __init__(self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget) -> None:
        self._settings, self._server, self._cache, self._budget = settings, server, cache, budget

    async def submit(self, asker: Asker, requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Submits what was neither answered nor submitted before, one file for each model and 50,000 requests."""
        states = [await self._resume(mark) for mark in self._marks("planned")]
        by_model: dict[str, dict[str, PreparedRequest]] = {}
        for request in requests:
            prepared = asker.prepare(request, await asker.ability(request))
            if prepared.key not in self._cache and self._cache.open_batch(prepared.key) is None:
                by_model.setdefault(prepared.model, {})[prepared.key] = prepared
        chunks = [(model, chunk) for model, chosen in by_model.items() for chunk in _chunks(chosen.values())]
        return states + [await self._submit(model, chunk) for model, chunk in chunks]

    async def collect(self, *, wait: bool) -> list[BatchState]:
        """Collects what has ended; with `wait`, until everything has."""
        for mark in self._marks("planned"):
            await self._resume(mark)
        states: dict[str, BatchState] = {}
        while True:
            for mark in self._marks("submitted"):
                states[mark] = await self._collect(mark)
            if not wait or not self._marks("submitted"):
                return list(states.values())
            await asyncio.sleep(self._settings.poll_seconds)

    def _marks(self, state: str) -> list[str]:
        sql = "SELECT mark FROM batches WHERE server = ? AND state = ? ORDER BY at, mark"
        return [mark for (mark,) in self._cache.query(tuple[str], sql, (self._server.name, state))]

    async def _submit(self, model: str, requests: list[PreparedRequest]) -> BatchState:
        most = sum((self._budget.most(request) for request in requests), NO_USAGE)
        estimate = Spent(cost=cost_of(most, self._budget.price(model), batch=True), tokens=most.tokens)
        mark = uuid.uuid4().hex

        def plan(file: sqlite3.Connection) -> None:
            if reason := self._budget.refusal(spent_in(file), estimate):
                cost = f"{estimate.cost:.2f}"
                raise BudgetError(
                    f"a batch of {counted(len(requests), 'request')} may cost {cost}, but {reason}; raise the cap"
                )
            insert_row(file, "batches", mark, self._server.name, model, None, "planned", estimate.cost, estimate.tokens)
            # An item that is there already belongs to a batch that ended without answering it.
            rows = [(it.key, mark, it.prompt, it.stage, it.source_id, canonical_json(it.body)) for it in requests]
            file.executemany("INSERT OR REPLACE INTO batch_items VALUES (?, ?, ?, ?, ?, ?)", rows)

        self._cache.change(plan)
        return await self._send(mark)

    async def _resume(self, mark: str) -> BatchState:
        """Takes up a batch that a killed process planned: finds it at the server by its mark, else sends it now."""
        after: dict[str, Any] = {}
        with self._server.official_client() as client:
            while True:
                page = read_object((await client.batches.with_raw_response.list(limit=100, **after)).content)
                batches = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
                for batch in batches:
                    if isinstance(mine := batch.get("metadata"), dict) and mine.get("pairwright") == mark:
                        return self._submitted(mark, batch)
                last = batches[-1].get("id") if batches and page.get("has_more") is True else None
                if not isinstance(last, str) or last == after.get("after"):
                    break
                after = {"after": last}
        return await self._send(mark)

    async def _send(self, mark: str) -> BatchState:
        """Sends a planned batch. One that the server refuses is given up, and its requests can be asked otherwise."""
        posts = ({"custom_id": it.key, "method": "POST", "url": _PATH, "body": it.body} for it in self._items(mark))
        content = "".join(json.dumps(post, ensure_ascii=False) + "\n" for post in posts).encode()
        try:
            with self._server.official_client() as client:
                file = (f"pairwright-{mark}.jsonl", content)
                sent = read_object((await client.files.with_raw_response.create(file=file, purpose="batch")).content)
                # Not tried again by itself: it may have come into being, and is found by its mark in the next run.
                batches = client.with_options(max_retries=0).batches.with_raw_response
                made = await batches.create(
                    input_file_id=str(sent.get("id")),
                    endpoint=_PATH,
                    completion_window="24h",
                    metadata={"pairwright": mark},
                )
                batch = read_object(made.content)
        except Refused as fault:
            self._cache.change(
                lambda file: file.execute("UPDATE batches SET state = 'refused' WHERE mark = ?", (mark,))
            )
            raise LLMError(f"{self._server.base_url}: the batch is refused (HTTP {fault.status}): {fault}") from None
        return self._submitted(mark, batch)

    def _submitted(self, mark: str, batch: dict[str, Any]) -> BatchState:
        sql = "UPDATE batches SET batch_id = ?, state = 'submitted' WHERE mark = ?"
        self._cache.change(lambda file: file.execute(sql, (one_line(batch.get("id")), mark)))
        return self._state(mark, batch)

    def _state(self, mark: str, batch: dict[str, Any], answered: int = 0, fault: str = "") -> BatchState:
        count = "(SELECT COUNT(*) FROM batch_items WHERE mark = b.mark)"
        sql = f"SELECT batch_id, model, {count} FROM batches b WHERE mark = ?"
        number, model, requests = self._cache.query(tuple[str | None, str, int], sql, (mark,))[0]
        how_far = {"state": one_line(batch.get("status"), 40), "answered": answered, "fault": one_line(fault)}
        return BatchState(batch_id=number, model=model, requests=requests, **how_far)

    def _items(self, mark: str) -> list[PreparedRequest]:
        sql = "SELECT key, body, prompt, stage, source_id FROM batch_items WHERE mark = ? ORDER BY key"
        rows = self._cache.query(tuple[str, Json[dict[str, Any]], str, str, str], sql, (mark,))
        return [PreparedRequest(key, self._server.name, body, *asked) for key, body, *asked in rows]

    async def _collect(self, mark: str) -> BatchState:
        """How far a batch is. If it has ended, its answers and its end go into the cache in one transaction."""
        ((batch_id,),) = self._cache.query(tuple[str], "SELECT batch_id FROM batches WHERE mark = ?", (mark,))
        with tempfile.TemporaryFile() as answers:
            with self._server.official_client() as client:
                batch = read_object((await client.batches.with_raw_response.retrieve(batch_id)).content)
                if (status := batch.get("status")) not in _ENDED:
                    return self._state(mark, batch)
                for name in ("output_file_id", "error_file_id"):
                    if isinstance(number := batch.get(name), str) and number:
                        await self._download(client, number, answers)
            answers.seek(0)
            items = {item.key: item for item in self._items(mark)}

            def end(file: sqlite3.Connection) -> tuple[int, str]:
                reading = _Reading(self._budget, batch_id, items)
                for line in _lines(answers, self._settings.answer_bytes):
                    reading.write(file, self._server.masked(line))
                # A batch that never ran has no answers to lose.
                if status != "failed":
                    reading.count_lost(file)
                file.execute("UPDATE batches SET state = ? WHERE mark = ?", (status, mark))
                return reading.answered, reading.fault

            answered, fault = self._cache.change(end)
        return self._state(mark, batch, answered, fault or _first_error(batch))

    async def _download(self, client: "AsyncOpenAI", number: str, target: IO[bytes]) -> None:
        """Adds a file of the server to `target`, which is on the disk. Raises LLMError, and WireFault."""
        from pairwright.llm.wire.http import save

        async with client.files.with_streaming_response.content(number) as response:
            await save(response.http_response, target, self._settings.file_bytes, self._settings.file_timeout)
        target.write(b"\n")


class _Reading:
    """The lines of a batch on their way into the cache. `fault` is the first reason for a missing answer."""

    def __init__(self, budget: Budget, batch_id: str, items: dict[str, PreparedRequest]) -> None:
        self._budget, self._batch_id, self._open = budget, batch_id, items
        self.answered = 0
        self.fault = ""

    def write(self, file: sqlite3.Connection, line: bytes) -> None:
        """Keeps a line that answers a request, and counts one that says why it does not."""
        key, status, reason = _told(line)
        if (item := self._open.pop(key, None)) is None:
            return
        if status != 200:
            self.fault = self.fault or reason
            if status >= 500:
                self._count(file, item)
            return
        price = self._budget.price(item.model)
        usage, note = count_usage(line, self._budget.most(item), price)
        keep_reply(file, Paid(item, line, usage, cost_of(usage, price, batch=True), note, self._batch_id))
        try:
            read_reply(line, usage, item.model)
            self.answered += 1
        except UnreadableError as fault:
            self.fault = self.fault or f"an answer that is {fault}"

    def count_lost(self, file: sqlite3.Connection) -> None:
        """Counts the requests of which no line says anything: the server may have answered and bill them."""
        for item in self._open.values():
            self.fault = self.fault or "a request without an answer or a reason"
            self._count(file, item)

    def _count(self, file: sqlite3.Connection, item: PreparedRequest) -> None:
        most = self._budget.most(item)
        cost = cost_of(most, self._budget.price(item.model), batch=True)
        count_unanswered(file, item, Spent(cost=cost, tokens=most.tokens))


def _first_error(batch: dict[str, Any]) -> str:
    try:
        return str(batch["errors"]["data"][0]["message"] or "")
    except (KeyError, IndexError, TypeError):
        return ""


def _lines(file: IO[bytes], most: int) -> Iterator[bytes]:
    """The lines of a file, without those that are longer than `most` bytes."""
    rest = False
    while line := file.readline(most + 1):
        whole = line.endswith(b"\n") or len(line) <= most
        if whole and not rest:
            yield line
        rest = not whole


def _chunks(requests: Iterable[PreparedRequest]) -> Iterator[list[PreparedRequest]]:
    chunk: list[PreparedRequest] = []
    size = 0
    for request in requests:
        length = len(json.dumps(request.body, ensure_ascii=False).encode()) + 200
        if chunk and (len(chunk) == _MOST_REQUESTS or size + length > _MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(request)
        size += length
    if chunk:
        yield chunk


def _told(line: bytes) -> tuple[str, int, str]:
    """The key of a line of a batch's files, the HTTP status of its answer, 0 where it has none, and the reason."""
    try:
        item = read_object(line)
    except UnreadableError as fault:
        return "", 0, str(fault)
    response, key = item.get("response"), item.get("custom_id")
    response = response if isinstance(response, dict) else {}
    status, body = response.get("status_code"), response.get("body")
    error = item.get("error") or (body.get("error") if isinstance(body, dict) else None)
    reason = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return str(key), status if isinstance(status, int) else 0, one_line(reason or "no reason given")
