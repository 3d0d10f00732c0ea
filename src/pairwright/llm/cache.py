"""Replies that were paid for, in one SQLite file: what was asked, what came back, what it cost, and for whom.

A writer of its own puts all replies that wait into one transaction, and a reply counts as received when it is on the
disk: a process that is killed at any moment loses what is on its way and nothing else.
"""

import queue
import sqlite3
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pairwright.errors import LLMError
from pairwright.ids import canonical_json, digest
from pairwright.llm.exchange import Mode, Reply, one_line
from pairwright.records import Record

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
        self._reads = threading.Lock()
        self._waiting: queue.SimpleQueue[tuple[Paid | Lost, Future[Spent]] | None] = queue.SimpleQueue()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._reader = _connect(path)
            self._writer = _connect(path)
            self._prepare()
        except (sqlite3.Error, OSError) as fault:
            raise LLMError(f"{path}: can't be used as the cache of answers: {one_line(fault)}; move it away") from None
        self._thread = threading.Thread(target=self._write, name="reply-cache", daemon=True)
        self._thread.start()

    def _prepare(self) -> None:
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(f"it was written by another version of pairwright ({version})")
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.executescript(_TABLES)
        self._writer.execute(f"PRAGMA user_version = {_VERSION}")
        self._writer.commit()

    def close(self) -> None:
        """Writes what waits, then closes the file."""
        self._waiting.put(None)
        self._thread.join()
        self._reader.close()
        self._writer.close()

    def get(self, key: str) -> Reply | None:
        """The reply to a request, or None where it was never paid for."""
        rows = self.query("SELECT reply FROM replies WHERE key = ?", (key,))
        return Reply.model_validate_json(rows[0][0]) if rows else None

    def put(self, entry: Paid | Lost) -> "Future[Spent]":
        """Keeps a reply. The future is done when it is on the disk, and holds what was spent by then in all."""
        done: Future[Spent] = Future()
        self._waiting.put((entry, done))
        return done

    def query(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a reading statement."""
        with self._reads:
            return self._reader.execute(sql, tuple(values)).fetchall()

    def change(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """A transaction of the caller's own, for what is written seldom."""
        with self._reads, self._reader:
            self._reader.execute("BEGIN IMMEDIATE")
            work(self._reader)

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

    def _write(self) -> None:
        open_still = True
        while open_still:
            entries = [self._waiting.get()]
            while not self._waiting.empty():
                entries.append(self._waiting.get())
            open_still = None not in entries
            self._commit([entry for entry in entries if entry is not None])

    def _commit(self, entries: list[tuple[Paid | Lost, "Future[Spent]"]]) -> None:
        try:
            with self._writer:
                self._writer.execute("BEGIN IMMEDIATE")
                for entry, _ in entries:
                    write_entry(self._writer, entry)
                cost, tokens = self._writer.execute("SELECT cost, tokens FROM spent").fetchone()
        except sqlite3.Error as fault:
            for _, done in entries:
                done.set_exception(LLMError(f"{self.path}: can't keep an answer: {one_line(fault)}; free some space"))
            return
        for _, done in entries:
            done.set_result(Spent(cost=cost, tokens=tokens))


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


def _connect(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    file.execute("PRAGMA synchronous = FULL")
    return file


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
