"""What was asked and paid, in one SQLite file: replies, what they cost, who asked, and the caps that hold for all.

Before a request is sent, the most that it may cost is written down as unanswered; its reply replaces that. So a process
that is killed at any moment loses only the answers in flight, and no cost. A reply counts once its transaction is in
the write-ahead log, which is synced to the disk while requests are sent, at most once a second.

A reply is kept as the bytes that came, bad ones too, so that nothing is paid for again to read it in another way. Money
is in the settings' currency.
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
from typing import Any, TypeVar, get_origin

from pydantic import TypeAdapter, ValidationError

from pairwright.core.config import LLMSettings, Price
from pairwright.core.errors import BudgetError, LLMError, counted, one_line
from pairwright.core.ids import canonical_json
from pairwright.core.records import Record
from pairwright.models.chat.answers import Dialect, LimitName, Mode, PreparedRequest, Reply, Usage, read_reply

R = TypeVar("R")
T = TypeVar("T")

_VERSION = 2
# SQLite's messages quote the file, so that those about a damaged one may be no UTF-8.
_UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
_OPEN_BATCHES = "('planned', 'submitted')"
_BATCH_SHARE = 0.5
# Before there are so many replies: the least, likely and most tokens for a byte, and shares of the limit of an answer.
_FEW, _TOKENS_PER_BYTE, _SHARES = 20, (1 / 6, 1 / 4, 2 / 5), (1 / 32, 1 / 8, 1 / 2)
# Tokens that a chat template adds to a message; those that it and a server's own instructions may add to a request.
_TEMPLATE_TOKENS, _MOST_ADDED = 8, 256
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


class Cap(Record):
    """The most that may be spent; None is no limit."""

    money: float | None = None
    tokens: int | None = None


class Spent(Record):
    """An amount of money and of tokens, input and output together."""

    cost: float = 0
    tokens: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(cost=self.cost + other.cost, tokens=self.tokens + other.tokens)

    def __sub__(self, other: "Spent") -> "Spent":
        return Spent(cost=self.cost - other.cost, tokens=self.tokens - other.tokens)


class Estimate(Record):
    """What a set of requests would take, before repairs of bad answers.

    cached         requests that were answered before and cost nothing
    input_tokens   of the others, if their words become tokens as earlier ones did
    output_tokens  of the others, if answers are as long as earlier ones to the same prompt; `least_output` and
                   `most_output` go by the quartiles of those, before there are enough by the limit of an answer
    cost           as expected, with `least_cost` and `most_cost`; None if a model has no price
    """

    requests: int
    cached: int
    input_tokens: int
    output_tokens: int
    least_output: int
    most_output: int
    cost: float | None
    least_cost: float | None
    most_cost: float | None

    @property
    def missing(self) -> int:
        """The requests that have to be paid for."""
        return self.requests - self.cached


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


def cost_of(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """What an answer costs. Input that the server had in its own cache has its own price, if there is one."""
    cached_price = price.input if price.cached_input is None else price.cached_input
    micros = (usage.input_tokens - usage.cached_input) * price.input
    micros += usage.cached_input * cached_price + usage.output_tokens * price.output
    return micros * (_BATCH_SHARE if batch else 1) / 1_000_000


def most_of(request: PreparedRequest) -> Usage:
    """The most that a request may use: no token is shorter than a byte, and servers count schemas as well."""
    sent = len(canonical_json(request.body).encode("utf-8", "replace")) + _MOST_ADDED
    return Usage(input_tokens=sent, output_tokens=request.output_limit, estimated=True)


class Ledger:
    """The SQLite file, which several threads and several processes may use at the same time.

    What was spent, and what is in flight here and in other processes, stays below the caps of run and workspace: a
    request is sent only once the most that it may cost is reserved. Whatever becomes of the process, what it sent is
    counted.

    cap   of this run; that of the workspace is in the settings
    free  whether the server can't bill, as a local model; else a cap of nothing lets nothing pass, whatever its price

    Raises LLMError if the file can't be opened or is no such cache.
    """

    def __init__(
        self, path: Path, settings: LLMSettings | None = None, cap: Cap | None = None, *, free: bool = False
    ) -> None:
        self.path, self._settings, self._cap, self._free = path, settings or LLMSettings(), cap or Cap(), free
        self._lock, self._changed, self._synced = threading.Lock(), threading.Condition(), 0.0
        self._in_flight, self._ratios = Spent(), dict[str, float]()
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
        except (*_UNUSABLE, OSError) as fault:
            raise LLMError(f"{path}: can't be used as the cache of answers: {one_line(fault)}; move it away") from None
        with self._sound():
            self._start = spent_in(self._file)

    def close(self) -> None:
        """Writes everything to the disk and closes the file."""
        with self._lock:
            self._file.close()

    def query(self, row: type[T], sql: str, values: Iterable[Any] = ()) -> list[T]:
        """The rows of a SELECT, each a `row`. Raises LLMError where the file is damaged."""
        with self._lock, self._sound():
            return _rows(row, self._file.execute(sql, tuple(values)))

    def change(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Runs `work` in a transaction: all of it counts, or nothing. Raises LLMError if the file can't be written."""
        with self._lock, self._sound():
            try:
                with self._file:
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

    @contextlib.contextmanager
    def _sound(self) -> Iterator[None]:
        """Names the file where what is in it is not as it was written, whether or not SQLite minds."""
        try:
            yield
        except (ValidationError, *_UNUSABLE) as fault:
            first = fault.errors(include_url=False)[0] if isinstance(fault, ValidationError) else None
            reason = one_line(f"{first['msg']}, not {first['input']!r}" if first else fault)
            raise LLMError(f"{self.path}: damaged: {reason}; take it back from a copy, or move it away") from None

    def __contains__(self, key: str) -> bool:
        return bool(self.query(tuple[int], "SELECT 1 FROM replies WHERE key = ?", (key,)))

    def get(self, key: str) -> Reply | None:
        """The reply to a request; None if it was never paid for. Raises UnreadableError if what came says nothing."""
        columns = "reply, model, input_tokens, output_tokens, cached_input, note"
        sql = f"SELECT {columns} FROM replies WHERE key = ?"
        for content, model, sent, said, cached, note in self.query(tuple[bytes, str, int, int, int, str], sql, (key,)):
            usage = Usage(input_tokens=sent, output_tokens=said, cached_input=cached, estimated=bool(note))
            return read_reply(content, usage, model)
        return None

    def price(self, model: str) -> Price:
        """The price of a model; zero if it has none. Raises BudgetError if a cap on money depends on it."""
        price = self._settings.prices.get(model)
        if price is None and (self._settings.budget_money is not None or self._cap.money is not None):
            raise BudgetError(
                f"no price for '{model}', so a cap on money can't be kept; write [llm.prices.\"{model}\"] with input "
                "and output for a million tokens, or set no cap on money"
            )
        return price or Price(input=0, output=0)

    def refusal(self, so_far: Spent, more: Spent) -> str | None:
        """Why no more than `so_far` may be spent; None if `more` may."""
        settings = self._settings
        of_workspace = Cap(money=settings.budget_money, tokens=settings.budget_tokens)
        for cap, spent, whose in (
            (of_workspace, so_far, "this workspace (llm.budget_money, llm.budget_tokens)"),
            (self._cap, so_far - self._start, "this run"),
        ):
            # Written as `not (a <= b)` so that a cap of NaN blocks everything.
            if cap.money is not None and not (spent.cost + more.cost <= cap.money and (cap.money or self._free)):
                money = f"{cap.money:.2f} {settings.currency}"
                return f"the cap of {money} for {whose} leaves no room: {spent.cost:.4f} is spent"
            if cap.tokens is not None and spent.tokens + more.tokens > cap.tokens:
                tokens = counted(cap.tokens, "token")
                return f"the cap of {tokens} for {whose} leaves no room: {spent.tokens:,} are spent"
        return None

    @contextlib.contextmanager
    def reserved(self, request: PreparedRequest, most: Usage) -> Iterator[tuple[int, Spent]]:
        """Counts the `most` that a request may use, as soon as it fits. Raises BudgetError if it never will.

        Yields the row of the reservation, and what it counts. At the end the request is no longer in flight; its
        reservation was replaced, released, or stays for good.
        """
        more = Spent(cost=cost_of(most, self.price(request.model)), tokens=most.tokens)

        def work(file: sqlite3.Connection) -> tuple[int | None, Spent]:
            so_far = spent_in(file)
            return None if self.refusal(so_far, more) else count_unanswered(file, request, more), so_far

        with self._changed:
            while True:
                row, so_far = self.change(work)
                if row is not None:
                    self._in_flight += more
                    break
                if reason := self.refusal(so_far - self._in_flight, more):
                    raise BudgetError(f"{reason}; what was answered is kept: raise the cap and run again")
                self._changed.wait()
        try:
            yield row, more
        finally:
            with self._changed:
                self._in_flight -= more
                self._changed.notify_all()

    def release(self, row: int) -> None:
        """Takes a reservation back, of a request that can't be billed."""
        self.change(lambda file: _take_back(file, row))

    def keep(self, row: int, request: PreparedRequest, content: bytes, usage: Usage, cost: float, note: str) -> None:
        """Puts a reply in the place of a reservation, in one transaction. Raises LLMError on a full disk."""

        def work(file: sqlite3.Connection) -> None:
            _take_back(file, row)
            keep_reply(file, request, content, usage, cost, note)

        self.change(work)

    def open_batch(self, key: str) -> str | None:
        """The batch in which a request waits, by the server's id for it if it has one; None if it waits in none."""
        sql = f"SELECT batch_id FROM batch_items JOIN batches USING (mark) WHERE key = ? AND state IN {_OPEN_BATCHES}"
        rows = self.query(tuple[str | None], sql, (key,))
        return (rows[0][0] or "that is being submitted") if rows else None

    def dialect(self, server: str, model: str, schema: str) -> Dialect | None:
        """How a server is asked for answers to the schema with this digest; None where nothing was learned."""
        sql = "SELECT mode, limit_name FROM abilities WHERE server = ? AND model = ? AND schema = ?"
        rows = self.query(tuple[Mode, LimitName], sql, (server, model, schema))
        return Dialect(*rows[0]) if rows else None

    def keep_dialect(self, server: str, model: str, schema: str, learned: Dialect) -> None:
        self.change(lambda file: insert_row(file, "abilities", server, model, schema, *learned, otherwise="REPLACE"))

    def _likely_input(self, request: PreparedRequest) -> list[int]:
        """The tokens of a request's messages, going by earlier requests to the model as its server counted them.

        The least, the likely and the most.
        """
        if (model := request.model) not in self._ratios:
            first = "(SELECT input_tokens, prompt_bytes FROM replies WHERE model = ? AND note = '' LIMIT 1000)"
            sql = f"SELECT COUNT(*), TOTAL(input_tokens), TOTAL(prompt_bytes) FROM {first}"
            ((count, tokens, size),) = self.query(tuple[int, float, float], sql, (model,))
            if count >= _FEW and tokens and size:
                self._ratios[model] = tokens / size
        known, added = self._ratios.get(model), _TEMPLATE_TOKENS * len(request.body["messages"])
        return [round(request.message_bytes * (known or guess)) + added for guess in _TOKENS_PER_BYTE]

    def _earlier_answers(self, model: str, prompt: str) -> tuple[float, list[float]] | None:
        """Of the newest answers to a prompt, whatever its version: the share of input that the server had in its own
        cache, and their lengths in tokens: the first quartile, the mean, the third. None before there are enough."""
        beginning = f"{prompt.partition('/')[0]}/"
        sql = (
            "SELECT output_tokens, input_tokens, cached_input FROM replies"
            " WHERE model = ? AND substr(prompt, 1, ?) = ? AND note = '' ORDER BY at DESC, rowid DESC LIMIT 500"
        )
        rows = self.query(tuple[int, int, int], sql, (model, len(beginning), beginning))
        if len(rows) < _FEW:
            return None
        lengths, sent, cached = zip(*rows, strict=True)
        mean, ordered = sum(lengths) / len(lengths), sorted(lengths)
        low, high = ordered[len(ordered) // 4], ordered[3 * len(ordered) // 4]
        return sum(cached) / (sum(sent) or 1), [min(low, mean), mean, max(high, mean)]

    def estimate(self, requests: Iterable[PreparedRequest], *, batch: bool) -> Estimate:
        """Counts what is answered already and what the others would take. Raises BudgetError without a price."""
        earlier = cache(self._earlier_answers)
        number, cached, priced = 0, 0, True
        usage, cost = [Usage()] * 3, [0.0] * 3
        for request in requests:
            number += 1
            if request.key in self:
                cached += 1
                continue
            limit = request.output_limit
            share, lengths = earlier(request.model, request.prompt) or (0.0, [limit * part for part in _SHARES])
            price, priced = self.price(request.model), priced and request.model in self._settings.prices
            for index, (length, sent) in enumerate(zip(lengths, self._likely_input(request), strict=True)):
                said = min(round(length), limit)
                one = Usage(input_tokens=sent, output_tokens=said, cached_input=round(share * sent))
                usage[index] += one
                cost[index] += cost_of(one, price, batch=batch)
        (least, expected, most), costs = usage, cost if priced else [None] * 3
        return Estimate(
            requests=number,
            cached=cached,
            input_tokens=expected.input_tokens,
            output_tokens=expected.output_tokens,
            least_output=least.output_tokens,
            most_output=most.output_tokens,
            least_cost=costs[0],
            cost=costs[1],
            most_cost=costs[2],
        )

    def lines(self) -> list[LedgerLine]:
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


def _rows(row: type[T], cursor: sqlite3.Cursor) -> list[T]:
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
        f"SELECT TOTAL(cost) + (SELECT TOTAL(reserved_cost) {open_batches}),"
        f" TOTAL(tokens) + (SELECT TOTAL(reserved_tokens) {open_batches}) FROM spent"
    )
    [(cost, tokens)] = _rows(tuple[float, float], file.execute(sql))
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
    for cost, tokens in _rows(tuple[float, int], file.execute(sql, (row,))):
        add_spent(file, Spent(cost=-cost, tokens=-tokens))


def keep_reply(
    file: sqlite3.Connection,
    asked: PreparedRequest,
    content: bytes,
    usage: Usage,
    cost: float,
    note: str,
    batch_id: str | None = None,
) -> None:
    """Writes a reply. One that is there already makes way; what that one cost stays with the unanswered.

    note  why `usage` is an estimate; empty where it is the server's count
    """
    old = "DELETE FROM replies WHERE key = ? RETURNING cost, input_tokens + output_tokens"
    for old_cost, tokens in _rows(tuple[float, int], file.execute(old, (asked.key,))):
        add_spent(file, Spent(cost=-old_cost, tokens=-tokens))
        count_unanswered(file, asked, Spent(cost=old_cost, tokens=tokens))
    request = (asked.key, asked.server, asked.model, asked.prompt, asked.stage, asked.source_id)
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_input, cost)
    sent = (canonical_json(asked.body), asked.message_bytes)
    insert_row(file, "replies", *request, *sent, content, *counts, note, batch_id)
    add_spent(file, Spent(cost=cost, tokens=usage.tokens))


def insert_row(file: sqlite3.Connection, table: str, *values: Any, otherwise: str = "ABORT") -> int:
    """Adds a row, which ends with the present time; `otherwise` says what becomes of one whose key is there."""
    row = (*values, datetime.now(UTC).isoformat(timespec="seconds"))
    return file.execute(f"INSERT OR {otherwise} INTO {table} VALUES ({', '.join('?' * len(row))})", row).lastrowid or 0
