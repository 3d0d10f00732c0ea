"""Replies that were paid for, in one SQLite file: what was asked, what came back, what it cost, and for whom.

A reply counts as received when its transaction is done. The write-ahead log then is in the hands of the system, so a
process that is killed at any moment loses what is on its way and nothing else; it goes to the disk within a second, so
a power cut loses no more than that.
"""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from pairwright.errors import LLMError
from pairwright.ids import canonical_json, digest
from pairwright.llm.exchange import Mode, Reply, one_line
from pairwright.records import Record

R = TypeVar("R")

_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, server TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, stage TEXT NOT NULL,
    source_id TEXT NOT NULL, body TEXT NOT NULL, prompt_bytes INTEGER NOT NULL, reply TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, batch_id TEXT, at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS unanswered (
    server TEXT NOT NULL, model TEXT NOT NULL, stage TEXT NOT NULL, source_id TEXT NOT NULL, tokens INTEGER NOT NULL,
    cost REAL NOT NULL, at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS spent (id INTEGER PRIMARY KEY CHECK (id = 1), cost REAL NOT NULL, tokens INTEGER NOT NULL);
INSERT OR IGNORE INTO spent VALUES (1, 0, 0);
CREATE TABLE IF NOT EXISTS abilities (
    server TEXT NOT NULL, model TEXT NOT NULL, schema TEXT NOT NULL, mode TEXT NOT NULL, limit_name TEXT NOT NULL,
    at TEXT NOT NULL, PRIMARY KEY (server, model, schema)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
    mark TEXT PRIMARY KEY, server TEXT NOT NULL, model TEXT NOT NULL, batch_id TEXT, state TEXT NOT NULL,
    reserved_cost REAL NOT NULL, reserved_tokens INTEGER NOT NULL, at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batch_items (
    key TEXT PRIMARY KEY, mark TEXT NOT NULL REFERENCES batches (mark), prompt TEXT NOT NULL, stage TEXT NOT NULL,
    source_id TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS batch_items_mark ON batch_items (mark);
"""


class Paid(Record):
    """A reply with everything that the cache and the ledger keep of it. `body` is the request as it was sent."""

    key: str
    server: str
    model: str
    prompt: str
    stage: str
    source_id: str
    body: dict[str, Any]
    prompt_bytes: int
    reply: Reply
    cost: float
    batch_id: str | None = None


class Lost(Record):
    """A request that was sent and not answered in time: the server may bill it, so it counts at its estimate."""

    server: str
    model: str
    stage: str
    source_id: str
    tokens: int
    cost: float


class Spent(Record):
    """What this workspace has spent so far: tokens of input and output, and money; see `Lost`."""

    cost: float
    tokens: int


class Ability(Record):
    """What a server does for a model: how answers are made to fit, and how it calls the limit of output tokens."""

    mode: Mode
    limit_name: Literal["max_tokens", "max_completion_tokens"]


class LedgerLine(Record):
    """What was paid for a source, a stage and a model. `unanswered` requests are in `cost` at their estimate."""

    source_id: str
    stage: str
    model: str
    requests: int
    in_batches: int
    unanswered: int
    input_tokens: int
    output_tokens: int
    cost: float


def request_key(server: str, body: dict[str, Any], sample: int = 0) -> str:
    """The key of a request: SHA-256 of its canonical JSON. `body` is all that decides the answer."""
    return digest({"server": server, "body": body, "sample": sample})


class ReplyCache:
    """The SQLite file. Safe to use from several threads, and by several processes at the same time.

    Raises LLMError where the file can't be opened or is not such a cache.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._unsynced, self._closed = threading.Event(), threading.Event()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._prepare()
        except (sqlite3.Error, OSError) as fault:
            raise LLMError(f"{path}: can't be used as the cache of answers: {one_line(fault)}; move it away") from None
        self._thread = threading.Thread(target=self._sync, name="reply-cache", daemon=True)
        self._thread.start()

    def _prepare(self) -> None:
        version = self._file.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(f"it was written by another version of pairwright ({version})")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")
        # Moving the log into the file takes long enough to hold requests up: seldom, and at the end.
        self._file.execute("PRAGMA wal_autocheckpoint = 10000")
        self._file.executescript(_TABLES)
        self._file.execute(f"PRAGMA user_version = {_VERSION}")

    def _sync(self) -> None:
        log = self.path.with_name(f"{self.path.name}-wal")
        while not self._closed.wait(1):
            if self._unsynced.is_set():
                self._unsynced.clear()
                # Another process may have moved the log into the file and removed it.
                with contextlib.suppress(OSError):
                    handle = os.open(log, os.O_RDWR)
                    try:
                        os.fsync(handle)
                    finally:
                        os.close(handle)

    def close(self) -> None:
        """Puts everything on the disk and closes the file."""
        self._closed.set()
        self._thread.join()
        with self._lock:
            self._file.close()

    def get(self, key: str) -> Reply | None:
        """The reply to a request, or None where it was never paid for."""
        rows = self.query("SELECT reply FROM replies WHERE key = ?", (key,))
        return Reply.model_validate_json(rows[0][0]) if rows else None

    def put(self, *entries: "Paid | Lost") -> Spent:
        """Keeps replies in one transaction. Returns what was spent by then in all. Raises LLMError on a full disk."""

        def work(file: sqlite3.Connection) -> Spent:
            for entry in entries:
                write_entry(file, entry)
            cost, tokens = file.execute("SELECT cost, tokens FROM spent").fetchone()
            return Spent(cost=cost, tokens=tokens)

        return self.change(work)

    def query(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a reading statement."""
        with self._lock:
            return self._file.execute(sql, tuple(values)).fetchall()

    def change(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """A transaction: all that `work` does, or nothing of it. Raises LLMError where the file can't be written."""
        with self._lock:
            try:
                with self._file:
                    self._file.execute("BEGIN IMMEDIATE")
                    return work(self._file)
            except sqlite3.Error as fault:
                reason = one_line(fault)
                raise LLMError(f"{self.path}: can't keep an answer: {reason}; free some space on the disk") from None
            finally:
                self._unsynced.set()

    def spent(self) -> Spent:
        cost, tokens = self.query("SELECT cost, tokens FROM spent")[0]
        return Spent(cost=cost, tokens=tokens)

    def ability(self, server: str, model: str, schema: str = "") -> Ability | None:
        """What was found out about a server; with the digest of a schema, about that schema."""
        rows = self.query(
            "SELECT mode, limit_name FROM abilities WHERE server = ? AND model = ? AND schema = ?",
            (server, model, schema),
        )
        return Ability(mode=rows[0][0], limit_name=rows[0][1]) if rows else None

    def keep_ability(self, server: str, model: str, ability: Ability, schema: str = "") -> None:
        row = (server, model, schema, ability.mode, ability.limit_name, _now())
        self.change(lambda file: file.execute("INSERT OR REPLACE INTO abilities VALUES (?, ?, ?, ?, ?, ?)", row))

    def ledger(self) -> list[LedgerLine]:
        """What was paid, by source, stage and model."""
        rows = self.query(
            "SELECT source_id, stage, model, SUM(paid), SUM(batch), SUM(1 - paid), SUM(input), SUM(output), SUM(cost)"
            " FROM (SELECT source_id, stage, model, 1 AS paid, batch_id IS NOT NULL AS batch, input_tokens AS input,"
            " output_tokens AS output, cost FROM replies UNION ALL"
            " SELECT source_id, stage, model, 0, 0, 0, 0, cost FROM unanswered)"
            " GROUP BY source_id, stage, model ORDER BY source_id, stage, model"
        )
        return [LedgerLine.model_validate(dict(zip(LedgerLine.model_fields, row, strict=True))) for row in rows]


def write_entry(file: sqlite3.Connection, entry: Paid | Lost) -> None:
    """Writes a reply, or what an unanswered request may have cost, inside the caller's transaction.

    A reply that is there already stays as it is: another process was faster, and both have paid.
    """
    if isinstance(entry, Lost):
        row: tuple[Any, ...] = (*entry.model_dump().values(), _now())
        file.execute("INSERT INTO unanswered VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        tokens = entry.tokens
    else:
        usage = entry.reply.usage
        row = (entry.key, entry.server, entry.model, entry.prompt, entry.stage, entry.source_id)
        row += (canonical_json(entry.body), entry.prompt_bytes, entry.reply.model_dump_json())
        row += (usage.input_tokens, usage.output_tokens, entry.cost, entry.batch_id, _now())
        file.execute(f"INSERT OR IGNORE INTO replies VALUES ({', '.join('?' * len(row))})", row)
        tokens = usage.input_tokens + usage.output_tokens
    file.execute("UPDATE spent SET cost = cost + ?, tokens = tokens + ?", (entry.cost, tokens))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
