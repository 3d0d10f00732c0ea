"""The files of a batch say anything at all: what answers is kept, what is missing is counted, and none ends a run."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from llm_parts import GOOD, Connect, ask

from llm_server import Say, ScriptedServer, completion, fault
from pairwright.core.errors import LLMError
from pairwright.models.chat import LLM

PRICES = {"m": {"input": 1.0, "output": 2.0}}


def collected(llm: LLM, server: ScriptedServer, output: Callable[[list[dict[str, Any]]], bytes], **batch: Any) -> Any:
    """What becomes of three requests whose batch has ended with this output file."""
    llm.submit_batches(ask(number) for number in range(3))
    items = [json.loads(line) for line in server.files["file-1"].splitlines()]
    server.files["out"] = output(items)
    server.batches["batch-1"] |= {"status": "completed", "output_file_id": "out"} | batch
    (state,) = llm.collect_batches()
    return state


def line(item: dict[str, Any], answer: Any = None, status: int = 200) -> bytes:
    body = json.loads(completion(item["body"], Say(GOOD))) if answer is None else answer
    told = {"custom_id": item["custom_id"], "response": {"status_code": status, "body": body}, "error": None}
    return json.dumps(told).encode() + b"\n"


@pytest.mark.parametrize(
    "bad",
    [
        b"[" * 200_000,
        b"{",
        b"\x00\x01",
        b'{"custom_id": "',
        b'{"custom_id": 7, "response": 7}',
        b'{"custom_id": ["x"], "response": {"status_code": 200}}',
        b"7",
        b'{"a": ' * 100_000,
    ],
    ids=lambda bad: repr(bad[:20]),
)
def test_a_line_that_says_nothing_is_counted_and_the_others_are_kept(
    connect: Connect, server: ScriptedServer, bad: bytes
) -> None:
    llm = connect(prices=PRICES)
    state = collected(llm, server, lambda items: line(items[0]) + bad + b"\n" + line(items[2]))
    assert (state.state, state.answered) == ("completed", 2)
    assert state.fault
    (ledger,) = llm.ledger()
    assert (ledger.requests, ledger.unanswered) == (2, 1)
    # Half the price of 200 tokens out, and of what was asked.
    assert ledger.cost > (2 * (100 + 20) + 2 * 200) / 2 / 1e6


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"choices": [{"message": {"content": "\ud800"}}]}, "invalid"),
        (
            {"choices": [{"message": {"content": GOOD}}], "usage": {"prompt_tokens": 10**30, "completion_tokens": -1}},
            "ok",
        ),
        ({"choices": 7}, "failed"),
        ([], "failed"),
        ("text", "failed"),
        (None, "ok"),
    ],
    ids=str,
)
def test_strange_answers_are_kept_as_they_came(
    connect: Connect, server: ScriptedServer, body: Any, outcome: str
) -> None:
    llm = connect(prices=PRICES, repairs=0)
    collected(llm, server, lambda items: b"".join(line(item, body) for item in items))
    (ledger,) = llm.ledger()
    assert (ledger.requests, ledger.unanswered) == (3, 0)
    assert [answer.outcome for answer in llm.run(ask(number) for number in range(3))] == [outcome] * 3
    assert not server.seen


def test_what_failed_while_it_was_worked_on_is_counted_and_what_was_declined_is_not(
    connect: Connect, server: ScriptedServer
) -> None:
    llm = connect(prices=PRICES)
    error = {"error": {"message": "no"}}
    state = collected(
        llm, server, lambda items: line(items[0], error, 500) + line(items[1], error, 400) + line(items[2])
    )
    assert (state.answered, state.fault) == (1, "no")
    (ledger,) = llm.ledger()
    assert (ledger.requests, ledger.unanswered) == (1, 1)


def test_a_line_beyond_the_limit_is_counted(connect: Connect, server: ScriptedServer) -> None:
    llm = connect(prices=PRICES, answer_bytes=100_000)

    def long(items: list[dict[str, Any]]) -> bytes:
        return line(items[0]) + b'{"custom_id": "' + b"x" * 20_000_000 + b'"}\n' + line(items[2])

    state = collected(llm, server, long)
    assert state.answered == 2
    (ledger,) = llm.ledger()
    assert (ledger.requests, ledger.unanswered) == (2, 1)


def test_a_file_beyond_the_limit_is_not_fetched_whole(
    connect: Connect, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairwright.models.chat.server._FILE_BYTES", 100_000)
    with pytest.raises(LLMError, match=r"larger than 100,000 bytes"):
        collected(connect(prices=PRICES, retries=0), server, lambda items: bytes(3_000_000))
    monkeypatch.undo()
    # The batch still stands, and counts at what it may cost.
    assert connect(prices=PRICES).collect_batches()[0].answered == 0


def test_a_batch_that_the_server_refuses_leaves_its_requests_free(connect: Connect, server: ScriptedServer) -> None:
    other = server._other

    def refusing(method: str, path: str, content: bytes, headers: dict[str, str]) -> Say:
        refused = (method, path) == ("POST", "/batches")
        return fault(400, "no batches for you") if refused else other(method, path, content, headers)

    server._other = refusing  # type: ignore[method-assign]
    llm = connect(prices=PRICES)
    with pytest.raises(LLMError, match="the batch is refused: HTTP 400: no batches for you"):
        llm.submit_batches([ask(1)])
    assert [answer.outcome for answer in llm.run([ask(1)])] == ["ok"]


def test_a_server_without_sense_is_one_clear_line(connect: Connect, server: ScriptedServer) -> None:
    for raw in ("[" * 100_000, "<html>", '"x"'):
        server._other = lambda *_, raw=raw: Say(raw=raw)  # type: ignore[method-assign]
        with pytest.raises(LLMError) as caught:
            connect(prices=PRICES, retries=0).submit_batches([ask(1)])
        assert "\n" not in str(caught.value)
