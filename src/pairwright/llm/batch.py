"""OpenAI's Batch API: many requests as one file, answered within a day at half the price.

A batch is written down as planned, with a mark of its own, before anything is sent, and the server keeps the mark with
the batch. So a process that is killed in between finds its batch again by the mark, and never submits it twice.

Source: OpenAI API reference, "Batch" and "Files".
"""

import asyncio
import json
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pairwright.config import LLMSettings
from pairwright.errors import BudgetError
from pairwright.ids import canonical_json
from pairwright.llm.asking import Asker
from pairwright.llm.budget import Budget, cost_of
from pairwright.llm.cache import Paid, ReplyCache, Spent, insert_row, write_entries
from pairwright.llm.exchange import NO_USAGE, PreparedRequest, Request, one_line
from pairwright.llm.server import Server, read_reply
from pairwright.records import Record

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
            if self._cache.get(prepared.key) is None and self._cache.open_batch(prepared.key) is None:
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
        return [mark for (mark,) in self._cache.query(sql, (self._server.name, state))]

    async def _submit(self, model: str, requests: list[PreparedRequest]) -> BatchState:
        most = sum((self._budget.most(request) for request in requests), NO_USAGE)
        estimate = Spent(cost=cost_of(most, self._budget.price(model), batch=True), tokens=most.tokens)
        if reason := self._budget.refusal(estimate):
            cost = f"{estimate.cost:.2f}"
            raise BudgetError(f"a batch of {len(requests):,} requests may cost {cost}, but {reason}; raise the cap")
        mark = uuid.uuid4().hex

        def plan(file: sqlite3.Connection) -> None:
            insert_row(file, "batches", mark, self._server.name, model, None, "planned", estimate.cost, estimate.tokens)
            # An item that is there already belongs to a batch that ended without answering it.
            rows = [(it.key, mark, it.prompt, it.stage, it.source_id, canonical_json(it.body)) for it in requests]
            file.executemany("INSERT OR REPLACE INTO batch_items VALUES (?, ?, ?, ?, ?, ?)", rows)

        self._cache.change(plan)
        self._budget.refresh()
        return await self._send(mark)

    async def _resume(self, mark: str) -> BatchState:
        """Takes up a batch that a killed process planned: finds it at the server by its mark, else sends it now."""
        with self._server.official_client() as client:
            async for batch in client.batches.list(limit=100):
                if (batch.metadata or {}).get("pairwright") == mark:
                    return self._submitted(mark, batch)
        return await self._send(mark)

    async def _send(self, mark: str) -> BatchState:
        posts = ({"custom_id": it.key, "method": "POST", "url": _PATH, "body": it.body} for it in self._items(mark))
        content = "".join(json.dumps(post, ensure_ascii=False) + "\n" for post in posts).encode()
        with self._server.official_client() as client:
            file = await client.files.create(file=(f"pairwright-{mark}.jsonl", content), purpose="batch")
            batch = await client.batches.create(
                input_file_id=file.id, endpoint=_PATH, completion_window="24h", metadata={"pairwright": mark}
            )
        return self._submitted(mark, batch)

    def _submitted(self, mark: str, batch: Any) -> BatchState:
        sql = "UPDATE batches SET batch_id = ?, state = 'submitted' WHERE mark = ?"
        self._cache.change(lambda file: file.execute(sql, (batch.id, mark)))
        return self._state(mark, batch)

    def _state(self, mark: str, batch: Any, answered: int = 0, fault: str = "") -> BatchState:
        sql = "SELECT model, (SELECT COUNT(*) FROM batch_items WHERE mark = b.mark) FROM batches b WHERE mark = ?"
        model, count = self._cache.query(sql, (mark,))[0]
        how_far = {"state": batch.status, "requests": count, "answered": answered, "fault": one_line(fault)}
        return BatchState(batch_id=batch.id, model=model, **how_far)

    def _items(self, mark: str) -> list[PreparedRequest]:
        sql = "SELECT key, body, prompt, stage, source_id FROM batch_items WHERE mark = ? ORDER BY key"
        rows = self._cache.query(sql, (mark,))
        return [PreparedRequest(key, self._server.name, json.loads(body), *asked) for key, body, *asked in rows]

    async def _collect(self, mark: str) -> BatchState:
        """How far a batch is. If it has ended, its answers and its end go into the cache in one transaction."""
        ((batch_id,),) = self._cache.query("SELECT batch_id FROM batches WHERE mark = ?", (mark,))
        with self._server.official_client() as client:
            batch = await client.batches.retrieve(batch_id)
            if batch.status not in _ENDED:
                return self._state(mark, batch)
            files = filter(None, (batch.output_file_id, batch.error_file_id))
            texts = [(await client.files.content(file)).text for file in files]
        entries, fault = self._read(mark, batch_id, "\n".join(texts))
        if not fault and batch.errors and batch.errors.data:
            fault = batch.errors.data[0].message or ""

        def end(file: sqlite3.Connection) -> None:
            write_entries(file, entries)
            file.execute("UPDATE batches SET state = ? WHERE mark = ?", (batch.status, mark))

        self._cache.change(end)
        self._budget.refresh()
        return self._state(mark, batch, len(entries), fault)

    def _read(self, mark: str, batch_id: str, text: str) -> tuple[list[Paid], str]:
        """The answers in the files of a batch, and the first reason for a missing one."""
        items = {item.key: item for item in self._items(mark)}
        entries, fault = [], ""
        for line in text.splitlines():
            key, answer, reason = _line(line)
            if (item := items.pop(key, None)) is None:
                continue
            if reply := read_reply(answer, item.body):
                cost = cost_of(reply.usage, self._budget.price(item.model), batch=True)
                entries.append(Paid(item, reply, cost, batch_id))
            else:
                fault = fault or reason or "an answer that is no chat completion"
        return entries, fault


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


def _line(line: str) -> tuple[str, object, str]:
    """The key, the body of the answer and the reason for its absence, from a line of a batch's files."""
    try:
        item = json.loads(line)
        response = item.get("response") or {}
        body = response.get("body") or {}
        error = item.get("error") or body.get("error") or {}
        reason = error.get("message") or error.get("code") or "" if isinstance(error, dict) else str(error)
        return str(item["custom_id"]), body if response.get("status_code") == 200 else None, str(reason)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", None, ""
