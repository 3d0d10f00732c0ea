"""Whatever a server does, the ledger never says less than the server bills, and no cap is passed."""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_parts import GOOD, Connect, ask
from raw_server import http, raw_server

from llm_server import Say, ScriptedServer, completion
from pairwright.core.config import LLMSettings
from pairwright.core.errors import BudgetError, LLMError
from pairwright.models.chat import LLM, Cap

PRICE_IN, PRICE_OUT = 1.0, 2.0
PRICES = {"m": {"input": PRICE_IN, "output": PRICE_OUT, "cached_input": 0.1}}


def told(usage: Any) -> Callable[[dict[str, Any]], list[bytes]]:
    """A whole answer whose count of tokens is `usage`."""
    return lambda body: http(
        json.dumps(json.loads(completion(body, Say(GOOD, usage=None))) | {"usage": usage}).encode()
    )


def cut(body: dict[str, Any]) -> list[bytes]:
    return http(completion(body, Say(GOOD)).encode()[:40], length="300")


# An honest server bills what it says that it counted; where it says nothing that can be, whatever the request allowed.
COUNTED: list[tuple[dict[str, Any], float]] = [
    ({"prompt_tokens": 100, "completion_tokens": 10}, 100 * PRICE_IN + 10 * PRICE_OUT),
    ({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 200}, 100 * PRICE_IN + 100 * PRICE_OUT),
    (
        {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 400}},
        100 * PRICE_IN + 10 * PRICE_OUT,
    ),
]
UNCOUNTED: list[Callable[[dict[str, Any]], Iterable[bytes]]] = [
    told(None),
    told({"prompt_tokens": -100, "completion_tokens": 5}),
    told({"prompt_tokens": 10**30, "completion_tokens": 5}),
    told({"prompt_tokens": "few", "completion_tokens": 5}),
    lambda body: http(b'{"choices": [[[['),
    lambda body: http(b"<html>"),
    lambda body: http(b"", "500 Oops"),
    lambda body: http(b"", "503 Busy"),
    cut,
    lambda body: [],
]
UNBILLED: list[Callable[[dict[str, Any]], Iterable[bytes]]] = [
    lambda body: http(b"{}", "429 Slow"),
    lambda body: http(b"{}", "400 No"),
]


def most(body: dict[str, Any]) -> float:
    """What a request may cost: each byte a token, schema and all, and the whole limit of output."""
    return len(json.dumps(body, ensure_ascii=False).encode()) * PRICE_IN + int(body["max_tokens"]) * PRICE_OUT


class Biller:
    """A server that goes through a sequence of ways to answer, and keeps its own bill in millionths."""

    def __init__(self, ways: list[int]) -> None:
        self.ways, self.billed = ways, 0.0

    def __call__(self, body: dict[str, Any]) -> Iterable[bytes]:
        way = self.ways.pop() if self.ways else 0
        if way < len(COUNTED):
            usage, cost = COUNTED[way]
            self.billed += cost
            return told(usage)(body)
        if (way := way - len(COUNTED)) < len(UNCOUNTED):
            self.billed += most(body)
            return UNCOUNTED[way](body)
        return UNBILLED[way - len(UNCOUNTED)](body)


WAYS = st.lists(st.integers(0, len(COUNTED) + len(UNCOUNTED) + len(UNBILLED) - 1), max_size=25)


MONEY = st.sampled_from([0.0, 0.0007, 0.002, 0.01, None])


def check_bill(ways: list[int], money: float | None, concurrency: int) -> None:
    biller = Biller(ways)
    with tempfile.TemporaryDirectory() as folder, raw_server(biller) as server:
        options: dict[str, Any] = {"backoff_seconds": 0.001, "retries": 2, "prices": PRICES, "budget_money": money}
        chosen = LLMSettings(base_url=server.base_url, model="m", concurrency=concurrency, **options)
        for _ in range(2):
            with LLM(chosen, Path(folder)) as llm:
                with suppress(BudgetError, LLMError):
                    list(llm.run(ask(number) for number in range(6)))
                counted = sum(line.cost for line in llm.ledger()) * 1e6
            assert counted >= biller.billed - 1e-6
            assert money is None or counted <= money * 1e6 + 1e-6
        assert money != 0 or not server.seen


@settings(max_examples=6, deadline=None)
@given(ways=WAYS, money=MONEY, concurrency=st.sampled_from([1, 4]))
def test_the_ledger_never_says_less_than_the_bill(ways: list[int], money: float | None, concurrency: int) -> None:
    check_bill(ways, money, concurrency)


@pytest.mark.slow
@given(ways=WAYS, money=MONEY, concurrency=st.sampled_from([1, 4]))
def test_the_ledger_holds_over_many_sequences(ways: list[int], money: float | None, concurrency: int) -> None:
    check_bill(ways, money, concurrency)


@pytest.mark.parametrize("cap", [Cap(money=0), Cap(tokens=0), Cap(money=float("nan"))], ids=str)
@pytest.mark.parametrize("price", [PRICES, {"m": {"input": 0, "output": 0}}], ids=["priced", "free"])
def test_with_nothing_to_spend_nothing_is_sent(
    connect: Connect, server: ScriptedServer, cap: Cap, price: dict[str, Any]
) -> None:
    llm = connect(cap=cap, structured="auto", prices=price)
    with pytest.raises(BudgetError, match="leaves no room"):
        list(llm.run([ask()]))
    with pytest.raises(BudgetError, match="leaves no room"):
        llm.submit_batches([ask()])
    assert not server.headers
    assert not llm.ledger()


def test_finding_out_what_a_server_can_do_is_paid_from_the_same_budget(
    connect: Connect, server: ScriptedServer
) -> None:
    """Whatever form is tried, each request is reserved before it is sent, and what a failed one may cost counts."""

    def pays_no_heed(body: dict[str, Any], nth: int) -> Say:
        return Say("Hello!", usage=(900, 200)) if nth == 0 else Say(hang_up=True)

    llm = connect(pays_no_heed, structured="auto", repairs=9, retries=20, prices=PRICES, cap=Cap(money=0.006))
    with pytest.raises(BudgetError):
        list(llm.run([ask()]))
    (line,) = llm.ledger()
    assert {body.get("response_format", {}).get("type") for body in server.seen} == {"json_schema", "json_object"}
    assert line.requests + line.unanswered == len(server.seen)
    assert 0.003 < line.cost <= 0.006


def test_a_reply_after_attempts_without_one_counts_them_all(connect: Connect) -> None:
    def third_time(body: dict[str, Any], nth: int) -> Say:
        return (Say(raw='{"choices": []}'), Say(raw="<p>"), Say(GOOD))[nth]

    llm = connect(third_time, prices=PRICES)
    (answer,) = llm.run([ask()])
    assert answer.outcome == "ok"
    (line,) = llm.ledger()
    assert (line.requests, line.unanswered, line.estimated) == (1, 2, 0)
    assert line.cost == pytest.approx(answer.cost)
    (again,) = connect().run([ask()])
    assert (again.outcome, again.cached) == ("ok", True)


def test_two_processes_that_share_a_cap_keep_it_together(connect: Connect, server: ScriptedServer) -> None:
    """A reservation of one counts for the other while it is in flight."""
    one, other = connect(budget_tokens=2000), connect(budget_tokens=2000)
    server.script = lambda body, nth: Say(GOOD, usage=(20, 200), delay=0.05)
    left = 0
    for llm, numbers in ((one, range(0, 30)), (other, range(30, 60))):
        try:
            list(llm.run(ask(number) for number in numbers))
        except BudgetError:
            left += 1
    assert left == 2
    assert sum(line.input_tokens + line.output_tokens for line in one.ledger()) <= 2000


def test_the_sum_of_the_ledger_is_what_the_cap_counts(connect: Connect, tmp_path: Path) -> None:
    def mixed(body: dict[str, Any], nth: int) -> Say:
        number = int(body["messages"][0]["content"].split()[-1].rstrip("."))
        return (Say(GOOD), Say(hang_up=True), Say(raw='{"x": 1}'), Say("no"))[number % 4]

    llm = connect(mixed, retries=1, concurrency=1, prices=PRICES)
    list(llm.run(ask(number) for number in range(12)))
    with closing(sqlite3.connect(tmp_path / "llm" / "replies.sqlite")) as file:
        ((cost, _),) = file.execute("SELECT cost, tokens FROM spent").fetchall()
    assert cost == pytest.approx(sum(line.cost for line in llm.ledger()))
