"""OpenAI's Batch API: many requests as one file, answered within a day at half the price.

A batch is written down as planned, with a mark of its own, before anything is sent, and the server keeps the mark with
the batch. So a process that is killed between the two finds its batch again by the mark and never submits it twice.

Source: OpenAI API reference, "Batch" and "Files".
"""

import asyncio
import json
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pairwright.config import LLMSettings
from pairwright.errors import BudgetError
from pairwright.ids import canonical_json
from pairwright.llm.budget import BATCH_SHARE, Budget, cost_of, message_bytes, tokens_of, tokens_per_byte
from pairwright.llm.cache import Paid, ReplyCache, write_entry
from pairwright.llm.exchange import Request, one_line
from pairwright.llm.sending import OPEN_BATCHES, Parcel
from pairwright.llm.server import Server, read_reply
from pairwright.records import Record

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from pairwright.llm.asking import Asker

_PATH: Literal["/v1/chat/completions"] = "/v1/chat/completions"
_MOST_REQUESTS = 50_000
_MOST_BYTES = 100_000_000
_ENDED = ("completed", "failed", "expired", "cancelled")


class BatchState(Record):
    """How far a batch is. `state` is the server's word for it.

    answered  requests whose answers are in the cache now; the others of an ended batch can be asked again
    fault     the first reason that the server gave for a request, or the whole batch, that it did not answer
    """

    batch_id: str
    model: str
    state: str
    requests: int
    answered: int
    fault: str = ""


class Batches:
    """Submits and collects the batches of one server."""

    def __init__(self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget) -> None:
        self._settings, self._server, self._cache, self._budget = settings, server, cache, budget

    async def submit(self, asker: "Asker", requests: Iterable[Request[Any]]) -> list[BatchState]:
        """Submits what was neither answered nor submitted before, a file for each model and 50,000 requests."""
        states = [await self._resume(mark) for mark in self._marks("planned")]
        by_model: dict[str, dict[str, Parcel]] = {}
        for request in requests:
            parcel = asker.first_parcel(request, await asker.ability(request))
            if self._cache.get(parcel.key) is None and not self._is_open(parcel.key):
                by_model.setdefault(parcel.model, {})[parcel.key] = parcel
        for model, parcels in by_model.items():
            for chunk in _chunks(parcels.values()):
                states.append(await self._submit(model, chunk))
        return states

    async def collect(self, *, wait: bool) -> list[BatchState]:
        """Collects what has ended; with `wait`, until everything has."""
        for mark in self._marks("planned"):
            await self._resume(mark)
        states: dict[str, BatchState] = {}
        while True:
            for mark in self._marks("submitted"):
                states[mark] = await self._look(mark)
            if not wait or not self._marks("submitted"):
                return list(states.values())
            await asyncio.sleep(self._settings.poll_seconds)

    def _marks(self, state: str) -> list[str]:
        rows = self._cache.query(
            "SELECT mark FROM batches WHERE server = ? AND state = ? ORDER BY at, mark", (self._server.name, state)
        )
        return [row[0] for row in rows]

    def _is_open(self, key: str) -> bool:
        sql = "SELECT 1 FROM batch_items JOIN batches USING (mark) WHERE key = ? AND state IN (?, ?)"
        return bool(self._cache.query(sql, (key, *OPEN_BATCHES)))

    async def _submit(self, model: str, parcels: list[Parcel]) -> BatchState:
        price, ratio = self._budget.price(model), tokens_per_byte(self._cache, model)
        sent = sum(tokens_of(parcel.body, ratio) for parcel in parcels)
        answered = sum(parcel.output_limit for parcel in parcels)
        cost = BATCH_SHARE * (sent * price.input + answered * price.output) / 1_000_000
        if fault := self._budget.fault(cost, sent + answered):
            raise BudgetError(f"a batch of {len(parcels):,} requests may cost {cost:.2f}, but {fault}; raise the cap")
        mark = uuid.uuid4().hex

        def plan(file: sqlite3.Connection) -> None:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            row = (mark, self._server.name, model, None, "planned", cost, sent + answered, now)
            file.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            # An item that stands there still belongs to a batch that ended without an answer to it.
            file.executemany(
                "INSERT OR REPLACE INTO batch_items VALUES (?, ?, ?, ?, ?, ?)",
                [(p.key, mark, p.prompt, p.stage, p.source_id, canonical_json(p.body)) for p in parcels],
            )

        self._cache.change(plan)
        self._budget.look_at_batches()
        return await self._send(mark)

    async def _resume(self, mark: str) -> BatchState:
        """A batch that was planned by a process that ended: found at the server by its mark, else sent now."""
        client = self._client()
        with self._server.naming():
            async for batch in client.batches.list(limit=100):
                if (batch.metadata or {}).get("pairwright") == mark:
                    return self._submitted(mark, batch.id, batch.status)
        return await self._send(mark)

    async def _send(self, mark: str) -> BatchState:
        client = self._client()
        lines = (
            json.dumps({"custom_id": key, "method": "POST", "url": _PATH, "body": json.loads(body)}, ensure_ascii=False)
            for key, body in self._cache.query("SELECT key, body FROM batch_items WHERE mark = ? ORDER BY key", (mark,))
        )
        with self._server.naming():
            content = ("\n".join(lines) + "\n").encode()
            file = await client.files.create(file=(f"pairwright-{mark}.jsonl", content), purpose="batch")
            batch = await client.batches.create(
                input_file_id=file.id,
                endpoint=_PATH,
                completion_window="24h",
                metadata={"pairwright": mark},
            )
        return self._submitted(mark, batch.id, batch.status)

    def _submitted(self, mark: str, batch_id: str, state: str) -> BatchState:
        self._cache.change(
            lambda file: file.execute(
                "UPDATE batches SET batch_id = ?, state = 'submitted' WHERE mark = ?", (batch_id, mark)
            )
        )
        return self._state(mark, batch_id, state, 0, "")

    def _state(self, mark: str, batch_id: str, state: str, answered: int, fault: str) -> BatchState:
        model, count = self._cache.query(
            "SELECT model, (SELECT COUNT(*) FROM batch_items WHERE mark = b.mark) FROM batches b WHERE mark = ?",
            (mark,),
        )[0]
        return BatchState(
            batch_id=batch_id, model=model, state=state, requests=count, answered=answered, fault=one_line(fault)
        )

    async def _look(self, mark: str) -> BatchState:
        """How far a batch is; where it has ended, its answers go into the cache in one transaction with its end."""
        batch_id = str(self._cache.query("SELECT batch_id FROM batches WHERE mark = ?", (mark,))[0][0])
        client = self._client()
        with self._server.naming():
            batch = await client.batches.retrieve(batch_id)
            if batch.status not in _ENDED:
                return self._state(mark, batch_id, batch.status, 0, "")
            texts = [
                (await client.files.content(file_id)).text
                for file_id in (batch.output_file_id, batch.error_file_id)
                if file_id
            ]
        entries, fault = self._read(mark, batch_id, "\n".join(texts))
        if not fault and batch.errors and batch.errors.data:
            fault = batch.errors.data[0].message or ""

        def end(file: sqlite3.Connection) -> None:
            for entry in entries:
                write_entry(file, entry)
            file.execute("UPDATE batches SET state = ? WHERE mark = ?", (batch.status, mark))

        self._cache.change(end)
        self._budget.refresh(self._cache.spent())
        self._budget.look_at_batches()
        return self._state(mark, batch_id, batch.status, len(entries), fault)

    def _read(self, mark: str, batch_id: str, text: str) -> tuple[list[Paid], str]:
        """The answers in the files of a batch, and the first reason for a missing one."""
        rows = self._cache.query("SELECT key, prompt, stage, source_id, body FROM batch_items WHERE mark = ?", (mark,))
        items = {row[0]: row for row in rows}
        entries, fault = [], ""
        for line in text.splitlines():
            key, answer, reason = _line(line)
            item = items.pop(key, None)
            if item is None:
                continue
            body = json.loads(item[4])
            reply = read_reply(answer, body)
            if reply is None:
                fault = fault or reason or "an answer that is no chat completion"
                continue
            entries.append(
                Paid(
                    key=key,
                    server=self._server.name,
                    model=body["model"],
                    prompt=item[1],
                    stage=item[2],
                    source_id=item[3],
                    body=body,
                    prompt_bytes=message_bytes(body),
                    reply=reply,
                    cost=cost_of(reply.usage, self._budget.price(body["model"]), batch=True),
                    batch_id=batch_id,
                )
            )
        return entries, fault

    def _client(self) -> "AsyncOpenAI":
        return self._server.client().with_options(max_retries=self._settings.retries)


def _chunks(parcels: Iterable[Parcel]) -> Iterator[list[Parcel]]:
    chunk: list[Parcel] = []
    size = 0
    for parcel in parcels:
        length = len(json.dumps(parcel.body, ensure_ascii=False).encode()) + 200
        if chunk and (len(chunk) == _MOST_REQUESTS or size + length > _MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(parcel)
        size += length
    if chunk:
        yield chunk


def _line(line: str) -> tuple[str, object, str]:
    """The key, the body of the answer and the reason for its absence in a line of a batch's files."""
    try:
        told = json.loads(line)
        response = told.get("response") or {}
        body = response.get("body") or {}
        error = told.get("error") or body.get("error") or {}
        reason = error.get("message") or error.get("code") or "" if isinstance(error, dict) else str(error)
        return str(told["custom_id"]), body if response.get("status_code") == 200 else None, str(reason)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", None, ""
