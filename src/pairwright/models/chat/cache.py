"""Replies that were paid for, in one SQLite file: what was asked, what came back, what it cost, and who asked.

Before a request is sent, the most that it may cost is written down as unanswered; its reply replaces that. So a process
that is killed at any moment loses only the answers in flight, and no cost. A reply counts once its transaction is in
the write-ahead log, which is synced to the disk while requests are sent, at most once a second.

A reply is kept as the bytes that came, bad ones too, so that nothing is paid for again to read it in another way.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_origin

from pydantic import TypeAdapter, ValidationError

from pairwright.core.errors import LLMError, one_line
from pairwright.core.ids import canonical_json
from pairwright.core.records import Record
from pairwright.models.chat.exchange import Dialect, LimitName, Mode, PreparedRequest, Reply, Usage, message_bytes
from pairwright.models.chat.replies import read_reply

R = TypeVar("R")
T = TypeVar("T")

_VERSION = 2
_OPEN_BATCHES = "('planned', 'submitted')"
# Fewer replies than this say little about a model.
_FEW = 20
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, server TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, stage TEXT NOT NULL,
    source_id TEXT NOT NULL, body TEXT NOT NULL, prompt_bytes INTEGER NOT NULL, reply BLOB NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cached_input INTEGER NOT NULL, cost REAL NOT NULL,
    note TEXT NOT NULL, batch_id TEXT, at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS unanswered (
    id INTEGER PRIMARY KEY, server TEXT NOT NULL, model TEXT NOT NULL, stage TEXT NOT NULL, source_id TEXT NOT NULL,
    tokens INTEGER NOT NULL, cost REAL NOT NULL, at TEXT NOT NULL
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


class Paid(NamedTuple):
    """The bytes of a reply with the request that they answer and what they cost; `batch_id` if it came in a batch.

    note  why `usage` is an estimate; empty where it is the server's count
    """

    request: PreparedRequest
    content: bytes
    usage: Usage
    cost: float
    note: str
    batch_id: str | None = None


class Spent(Record):
    """An amount of money and of tokens, input and output together."""

    cost: float
    tokens: int

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(cost=self.cost + other.cost, tokens=self.tokens + other.tokens)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(cost=self.cost - other.cost, tokens=self.tokens - other.tokens)


class EarlierAnswers(NamedTuple):
    """The lengths of answers in tokens, half of them from `low` to `high`; the share of input from a cache."""

    mean: float
    low: float
    high: float
    cached_share: float


class LedgerLine(Record):
    """What one source, stage and model cost. `cost` includes the `unanswered` requests at the most that they may cost.

    estimated  requests whose tokens the server did not count, or in a way that can't be; they count at their most
    """

    source_id: str
    stage: str
    model: str
    requests: int
    in_batches: int
    unanswered: int
    estimated: int
    input_tokens: int
    output_tokens: int
    cost: float


class ReplyCache:
    """The SQLite file. Several threads and several processes may use it at the same time.

    Raises LLMError if the file can't be opened or is no such cache.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock, self._synced = threading.Lock(), 0.0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _VERSION):
                raise sqlite3.DatabaseError(f"it was written by another version of pairwright ({version})")
            # A checkpoint takes long enough to hold requests up, so it is rare.
            for setting in ("journal_mode = WAL", "synchronous = NORMAL", "wal_autocheckpoint = 10000"):
                self._file.execute(f"PRAGMA {setting}")
            self._file.executescript(f"{_TABLES}PRAGMA user_version = {_VERSION};")
        except (sqlite3.Error, OSError) as fault:
            raise LLMError(f"{path}: can't be used as the cache of answers: {one_line(fault)}; move it away") from None

    def close(self) -> None:
        """Writes everything to the disk and closes the file."""
        with self._lock:
            self._file.close()

    def __contains__(self, key: str) -> bool:
        return bool(self.query(tuple[int], "SELECT 1 FROM replies WHERE key = ?", (key,)))

    def get(self, key: str) -> Reply | None:
        """The reply to a request; None if it was never paid for. Raises UnreadableError if what came says nothing."""
        columns = "reply, model, input_tokens, output_tokens, cached_input, note"
        sql = f"SELECT {columns} FROM replies WHERE key = ?"
        rows = self.query(tuple[bytes, str, int, int, int, str], sql, (key,))
        if not rows:
            return None
        content, model, sent, said, cached, note = rows[0]
        usage = Usage(input_tokens=sent, output_tokens=said, cached_input=cached, estimated=bool(note))
        return read_reply(content, usage, model)

    def reserve(self, request: PreparedRequest, most: Spent, fits: Callable[[Spent], bool]) -> tuple[int | None, Spent]:
        """Counts the most that a request may cost, if it `fits` beside what was spent, also by other processes.

        Returns the row of the reservation, None if it does not fit, and what was spent before.
        """

        def work(file: sqlite3.Connection) -> tuple[int | None, Spent]:
            so_far = spent_in(file)
            if not fits(so_far):
                return None, so_far
            return count_unanswered(file, request, most), so_far

        return self.change(work)

    def release(self, row: int) -> None:
        """Takes a reservation back, of a request that can't be billed."""
        self.change(lambda file: _take_back(file, row))

    def keep(self, row: int, paid: Paid, *, again: bool = False) -> None:
        """Puts a reply in the place of a reservation, in one transaction. Raises LLMError on a full disk.

        Where a reply is there already, it stays, as another process was faster; or it makes way, where this one was
        asked for `again` because that one said nothing. What the other one cost stays with the unanswered.
        """

        def work(file: sqlite3.Connection) -> None:
            _take_back(file, row)
            asked = paid.request
            old = "SELECT input_tokens + output_tokens, cost FROM replies WHERE key = ?"
            other = rows_of(tuple[int, float], file.execute(old, (asked.key,)))
            if other and again:
                [(tokens, cost)] = other
                file.execute("DELETE FROM replies WHERE key = ?", (asked.key,))
                add_spent(file, Spent(cost=-cost, tokens=-tokens))
                count_unanswered(file, asked, Spent(cost=cost, tokens=tokens))
            keep_reply(file, paid)

        self.change(work)

    def query(self, row: type[T], sql: str, values: Iterable[Any] = ()) -> list[T]:
        """The rows of a SELECT, each a `row`. Raises LLMError where the file is damaged."""
        with self._lock, self._sound():
            return rows_of(row, self._file.execute(sql, tuple(values)))

    @contextlib.contextmanager
    def _sound(self) -> Iterator[None]:
        """Names the file where a row in it is not as it was written, which SQLite doesn't mind."""
        try:
            yield
        except ValidationError as fault:
            first = fault.errors(include_url=False)[0]
            reason = one_line(f"{first['msg']}, not {first['input']!r}")
            raise LLMError(f"{self.path}: damaged: {reason}; take it back from a copy, or move it away") from None

    def change(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Runs `work` in a transaction: all of it counts, or nothing. Raises LLMError if the file can't be written."""
        with self._lock:
            try:
                with self._sound(), self._file:
                    self._file.execute("BEGIN IMMEDIATE")
                    result = work(self._file)
            except sqlite3.Error as fault:
                reason = one_line(fault)
                raise LLMError(f"{self.path}: can't keep an answer: {reason}; free some space on the disk") from None
            if time.monotonic() >= self._synced + 1:
                self._synced = time.monotonic()
                # Another process may have moved the log into the file and removed it.
                with contextlib.suppress(OSError), self.path.with_name(f"{self.path.name}-wal").open("rb+") as log:
                    os.fsync(log.fileno())
            return result

    def spent(self) -> Spent:
        """What this workspace has spent, with what is reserved for requests in flight and for batches."""
        with self._lock, self._sound():
            return spent_in(self._file)

    def open_batch(self, key: str) -> str | None:
        """The batch in which a request waits, by the server's id for it if it has one; None if it waits in none."""
        sql = f"SELECT batch_id FROM batch_items JOIN batches USING (mark) WHERE key = ? AND state IN {_OPEN_BATCHES}"
        rows = self.query(tuple[str | None], sql, (key,))
        return (rows[0][0] or "that is being submitted") if rows else None

    def tokens_per_byte(self, model: str) -> float | None:
        """Tokens for a byte of prompt, as the server has counted them; None before there are enough replies."""
        first = "(SELECT input_tokens, prompt_bytes FROM replies WHERE model = ? AND note = '' LIMIT 1000)"
        sql = f"SELECT COUNT(*), SUM(input_tokens), SUM(prompt_bytes) FROM {first}"
        count, tokens, size = self.query(tuple[int, float | None, float | None], sql, (model,))[0]
        return tokens / size if count >= _FEW and tokens and size else None

    def answers_to(self, model: str, prompt: str) -> EarlierAnswers | None:
        """What the newest answers to a prompt took, whatever its version; None before there are enough of them."""
        beginning = f"{prompt.partition('/')[0]}/"
        sql = (
            "SELECT output_tokens, input_tokens, cached_input FROM replies"
            " WHERE model = ? AND substr(prompt, 1, ?) = ? AND note = '' ORDER BY at DESC, rowid DESC LIMIT 500"
        )
        rows = self.query(tuple[int, int, int], sql, (model, len(beginning), beginning))
        if len(rows) < _FEW:
            return None
        lengths, sent = sorted(row[0] for row in rows), sum(row[1] for row in rows)
        mean, (low, high) = sum(lengths) / len(lengths), (lengths[k * len(lengths) // 4] for k in (1, 3))
        return EarlierAnswers(mean, min(low, mean), max(high, mean), sum(row[2] for row in rows) / (sent or 1))

    def dialect(self, server: str, model: str, schema: str) -> Dialect | None:
        """How a server is asked for answers to the schema with this digest; None where nothing was learned."""
        sql = "SELECT mode, limit_name FROM abilities WHERE server = ? AND model = ? AND schema = ?"
        rows = self.query(tuple[Mode, LimitName], sql, (server, model, schema))
        return Dialect(*rows[0]) if rows else None

    def keep_dialect(self, server: str, model: str, schema: str, learned: Dialect) -> None:
        row = (server, model, schema, learned.mode, learned.limit_name)
        self.change(lambda file: insert_row(file, "abilities", *row, otherwise="REPLACE"))

    def ledger(self) -> list[LedgerLine]:
        """What was paid, by source, stage and model."""
        return self.query(
            LedgerLine,
            "SELECT source_id, stage, model, SUM(paid), SUM(batch), SUM(1 - paid), SUM(estimated), SUM(input),"
            " SUM(output), SUM(cost) FROM (SELECT source_id, stage, model, 1 AS paid, batch_id IS NOT NULL AS batch,"
            " note != '' AS estimated, input_tokens AS input, output_tokens AS output, cost FROM replies UNION ALL"
            " SELECT source_id, stage, model, 0, 0, 0, 0, 0, cost FROM unanswered)"
            " GROUP BY source_id, stage, model ORDER BY source_id, stage, model",
        )


@cache
def _rows_adapter(row: Any) -> TypeAdapter[Any]:
    return TypeAdapter(list[row])


# What follows runs inside the caller's transaction.


def rows_of(row: type[T], cursor: sqlite3.Cursor) -> list[T]:
    """What a SELECT gives: each row as a tuple, or as a record of its fields in order. Raises ValidationError."""
    kind: Any = row
    rows: list[Any] = cursor.fetchall()
    if issubclass(get_origin(row) or row, Record):
        rows = [dict(zip(kind.model_fields, values, strict=True)) for values in rows]
    checked: list[T] = _rows_adapter(kind).validate_python(rows)
    return checked


def spent_in(file: sqlite3.Connection) -> Spent:
    """What was spent, with all reservations; batches count at theirs until they are collected."""
    open_batches = f"FROM batches WHERE state IN {_OPEN_BATCHES}"
    sql = (
        f"SELECT cost + (SELECT TOTAL(reserved_cost) {open_batches}),"
        f" tokens + (SELECT TOTAL(reserved_tokens) {open_batches}) FROM spent"
    )
    [(cost, tokens)] = rows_of(tuple[float, float], file.execute(sql))
    return Spent(cost=cost, tokens=round(tokens))


def add_spent(file: sqlite3.Connection, more: Spent) -> None:
    file.execute("UPDATE spent SET cost = cost + ?, tokens = tokens + ?", (more.cost, more.tokens))


def count_unanswered(file: sqlite3.Connection, asked: PreparedRequest, most: Spent) -> int:
    """Counts a request that has no reply, or not yet. Returns its row."""
    add_spent(file, most)
    row = (None, asked.server, asked.model, asked.stage, asked.source_id, most.tokens, most.cost)
    return insert_row(file, "unanswered", *row)


def _take_back(file: sqlite3.Connection, row: int) -> None:
    sql = "DELETE FROM unanswered WHERE id = ? RETURNING cost, tokens"
    for cost, tokens in rows_of(tuple[float, int], file.execute(sql, (row,))):
        add_spent(file, Spent(cost=-cost, tokens=-tokens))


def keep_reply(file: sqlite3.Connection, paid: Paid) -> None:
    """Writes a reply; where there is one already, the cost of this one alone."""
    asked, usage = paid.request, paid.usage
    if file.execute("SELECT 1 FROM replies WHERE key = ?", (asked.key,)).fetchone():
        count_unanswered(file, asked, Spent(cost=paid.cost, tokens=usage.tokens))
        return
    request = (asked.key, asked.server, asked.model, asked.prompt, asked.stage, asked.source_id)
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_input, paid.cost)
    sent = (canonical_json(asked.body), message_bytes(asked.body))
    insert_row(file, "replies", *request, *sent, paid.content, *counts, paid.note, paid.batch_id)
    add_spent(file, Spent(cost=paid.cost, tokens=usage.tokens))


def insert_row(file: sqlite3.Connection, table: str, *values: Any, otherwise: str = "ABORT") -> int:
    """Adds a row, which ends with the present time; `otherwise` says what becomes of one whose key is there."""
    row = (*values, datetime.now(UTC).isoformat(timespec="seconds"))
    return file.execute(f"INSERT OR {otherwise} INTO {table} VALUES ({', '.join('?' * len(row))})", row).lastrowid or 0
