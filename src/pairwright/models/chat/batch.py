"""OpenAI's Batch API: many requests as one file, answered within a day at half the price.

A batch is written down as planned, with a mark of its own, before anything is sent, and the server keeps the mark with
the batch. So a process that is killed in between finds its batch again by the mark, and never submits it twice.

Source: OpenAI API reference, "Batch" and "Files".
"""

import json
import sqlite3
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import quote

from pydantic import Json

from pairwright.core.config import LLMSettings
from pairwright.core.errors import BudgetError, counted, one_line
from pairwright.core.ids import canonical_json
from pairwright.core.records import Record
from pairwright.models.chat.answers import (
    Fault,
    PreparedRequest,
    UnreadableError,
    Usage,
    count_usage,
    read_object,
    read_reply,
)
from pairwright.models.chat.ledger import (
    Ledger,
    Spent,
    cost_of,
    count_unanswered,
    insert_row,
    keep_reply,
    most_of,
    spent_in,
)
from pairwright.models.chat.server import Server

_PATH = "/v1/chat/completions"
# In one batch, so that its files fit in memory.
_MOST_REQUESTS = 2000
_MOST_PAGES = 1000
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
    """Submits and collects the batches of one server. Raises Fault, LLMError and BudgetError."""

    def __init__(self, settings: LLMSettings, server: Server, ledger: Ledger) -> None:
        self._settings, self._server, self._ledger = settings, server, ledger

    def submit(self, requests: Iterable[PreparedRequest]) -> list[BatchState]:
        """Submits what was neither answered nor submitted before, one batch for each model and 2,000 requests."""
        states = [self._resume(mark) for mark in self._marks("planned")]
        by_model: dict[str, dict[str, PreparedRequest]] = {}
        for request in requests:
            if request.key not in self._ledger and self._ledger.open_batch(request.key) is None:
                by_model.setdefault(request.model, {})[request.key] = request
        for chosen in map(iter, (chosen.values() for chosen in by_model.values())):
            while chunk := list(islice(chosen, _MOST_REQUESTS)):
                states.append(self._plan(chunk))
        return states

    def collect(self, *, wait: bool) -> list[BatchState]:
        """Collects what has ended; with `wait`, until everything has."""
        for mark in self._marks("planned"):
            self._resume(mark)
        states: dict[str, BatchState] = {}
        while True:
            for mark in self._marks("submitted"):
                states[mark] = self._collect(mark)
            if not wait or not self._marks("submitted"):
                return list(states.values())
            time.sleep(self._settings.poll_seconds)

    def _marks(self, state: str) -> list[str]:
        sql = "SELECT mark FROM batches WHERE server = ? AND state = ? ORDER BY at, mark"
        return [mark for (mark,) in self._ledger.query(tuple[str], sql, (self._server.name, state))]

    def _cost(self, usage: Usage, model: str) -> Spent:
        return Spent(cost=cost_of(usage, self._ledger.price(model), batch=True), tokens=usage.tokens)

    def _plan(self, requests: list[PreparedRequest]) -> BatchState:
        mark, model = uuid.uuid4().hex, requests[0].model
        most = self._cost(sum(map(most_of, requests), Usage()), model)

        def plan(file: sqlite3.Connection) -> None:
            if reason := self._ledger.refusal(spent_in(file), most):
                batch = f"a batch of {counted(len(requests), 'request')} may cost {most.cost:.2f}"
                raise BudgetError(f"{batch}, but {reason}; raise the cap")
            insert_row(file, "batches", mark, self._server.name, model, None, "planned", most.cost, most.tokens)
            # An item that is there already belongs to a batch that ended without answering it.
            rows = [(it.key, mark, it.prompt, it.stage, it.source_id, canonical_json(it.body)) for it in requests]
            file.executemany("INSERT OR REPLACE INTO batch_items VALUES (?, ?, ?, ?, ?, ?)", rows)

        self._ledger.change(plan)
        return self._send(mark)

    def _resume(self, mark: str) -> BatchState:
        """Takes up a batch that a killed process planned: finds it at the server by its mark, else sends it now."""
        for batch in self._listed():
            if isinstance(mine := batch.get("metadata"), dict) and mine.get("pairwright") == mark:
                return self._submitted(mark, batch)
        return self._send(mark)

    def _listed(self) -> Iterator[dict[str, Any]]:
        """The batches that the server knows, the newest first."""
        path = "batches?limit=100"
        for _ in range(_MOST_PAGES):
            page = self._server.persist(partial(self._server.ask, path))
            listed = page.get("data")
            batches = [batch for batch in listed if isinstance(batch, dict)] if isinstance(listed, list) else []
            yield from batches
            if not batches or page.get("has_more") is not True:
                return
            path = f"batches?limit=100&after={quote(str(batches[-1].get('id')))}"

    def _send(self, mark: str) -> BatchState:
        """Sends a planned batch. One that the server refuses is given up, and its requests can be asked otherwise."""
        posts = ({"custom_id": it.key, "method": "POST", "url": _PATH, "body": it.body} for it in self._items(mark))
        content = "".join(json.dumps(post, ensure_ascii=False) + "\n" for post in posts).encode()
        try:
            sent = self._server.persist(partial(self._server.upload, f"pairwright-{mark}.jsonl", content))
            order = {"input_file_id": str(sent.get("id")), "endpoint": _PATH, "completion_window": "24h"}
            # Not tried again by itself: it may have come into being, and is found by its mark in the next run.
            batch = self._server.ask("batches", order | {"metadata": {"pairwright": mark}})
        except Fault as fault:
            if fault.billed or fault.passing:
                raise
            self._update(mark, "state = 'refused'")
            raise self._server.error(f"the batch is refused: {fault}") from None
        return self._submitted(mark, batch)

    def _update(self, mark: str, assignment: str, *values: str) -> None:
        sql = f"UPDATE batches SET {assignment} WHERE mark = ?"
        self._ledger.change(lambda file: file.execute(sql, (*values, mark)))

    def _submitted(self, mark: str, batch: dict[str, Any]) -> BatchState:
        self._update(mark, "state = 'submitted', batch_id = ?", one_line(batch.get("id")))
        return self._state(mark, batch)

    def _state(self, mark: str, batch: dict[str, Any], answered: int = 0, fault: str = "") -> BatchState:
        count = "(SELECT COUNT(*) FROM batch_items WHERE mark = b.mark)"
        sql = f"SELECT batch_id, model, {count} FROM batches b WHERE mark = ?"
        number, model, requests = self._ledger.query(tuple[str | None, str, int], sql, (mark,))[0]
        how_far = {"state": one_line(batch.get("status"), 40), "answered": answered, "fault": one_line(fault)}
        return BatchState(batch_id=number, model=model, requests=requests, **how_far)

    def _items(self, mark: str) -> list[PreparedRequest]:
        sql = "SELECT key, body, prompt, stage, source_id FROM batch_items WHERE mark = ? ORDER BY key"
        rows = self._ledger.query(tuple[str, Json[dict[str, Any]], str, str, str], sql, (mark,))
        return [PreparedRequest(key, self._server.name, body, *asked) for key, body, *asked in rows]

    def _collect(self, mark: str) -> BatchState:
        """How far a batch is. If it has ended, its answers and its end go into the cache in one transaction."""
        ((batch_id,),) = self._ledger.query(tuple[str], "SELECT batch_id FROM batches WHERE mark = ?", (mark,))
        batch = self._server.persist(lambda: self._server.ask(f"batches/{quote(batch_id, safe='')}"))
        if (status := batch.get("status")) not in _ENDED:
            return self._state(mark, batch)
        numbers = filter(None, (batch.get(name) for name in ("output_file_id", "error_file_id")))
        files = [self._server.persist(partial(self._server.download, number)) for number in map(str, numbers)]
        items = {item.key: item for item in self._items(mark)}

        def end(file: sqlite3.Connection) -> tuple[int, str]:
            # A batch that never ran has no answers to lose.
            found = self._keep(file, batch_id, items, b"\n".join(files).split(b"\n"), lost=status != "failed")
            file.execute("UPDATE batches SET state = ? WHERE mark = ?", (status, mark))
            return found

        answered, reason = self._ledger.change(end)
        with suppress(KeyError, IndexError, TypeError):
            reason = reason or str(batch["errors"]["data"][0]["message"] or "")
        return self._state(mark, batch, answered, reason)

    def _keep(
        self,
        file: sqlite3.Connection,
        batch_id: str,
        items: dict[str, PreparedRequest],
        lines: Iterable[bytes],
        *,
        lost: bool,
    ) -> tuple[int, str]:
        """Keeps the lines that answer one of the `items`, which it takes out, and counts those that say why not.

        Returns how many answer, and the first reason for a missing answer. With `lost`, the requests of which no line
        says anything count as well: the server may have answered and bill them.
        """
        answered, reasons, to_count = 0, list[str](), list[PreparedRequest]()
        for line in lines:
            key, status, reason = _told(line) if len(line) <= self._settings.answer_bytes else ("", 0, "")
            if (item := items.pop(key, None)) is None:
                continue
            if status != 200:
                reasons.append(reason)
                to_count += [item] if status >= 500 else []
                continue
            usage, note = count_usage(line, most_of(item), self._ledger.price(item.model))
            keep_reply(file, item, line, usage, self._cost(usage, item.model).cost, note, batch_id)
            try:
                read_reply(line, usage, item.model)
                answered += 1
            except UnreadableError as fault:
                reasons.append(f"an answer that is {fault}")
        if lost and items:
            reasons.append("a request without an answer or a reason")
            to_count += items.values()
        for item in to_count:
            count_unanswered(file, item, self._cost(most_of(item), item.model))
        return answered, reasons[0] if reasons else ""


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
