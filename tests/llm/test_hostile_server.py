"""A server that answers with anything at all: each answer is counted and kept, and none ends a run."""

import gzip
import json
import sqlite3
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from llm_parts import GOOD, Connect, ask
from raw_server import http, raw_server

from llm_server import Say, ScriptedServer, completion
from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError
from pairwright.core.records import LLMCall, Rejection
from pairwright.core.store import write_jsonl
from pairwright.models.chat import LLM, Answer

PRICES = {"m": {"input": 1.0, "output": 2.0}}


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """What takes a second to import is imported before anything is timed."""
    import pairwright.models.chat.http  # noqa: F401


def said(**changed: Any) -> Callable[[dict[str, Any], int], Say]:
    """A server whose completions have other fields beside the usual ones."""

    def script(body: dict[str, Any], nth: int) -> Say:
        return Say(raw=json.dumps(json.loads(completion(body, Say(GOOD))) | changed))

    return script


def choice(**message: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    "changed",
    [
        choice(content="\ud800"),
        choice(content='{"good": "\ud800", "bad": "\udfff"}'),
        choice(content=None, refusal="no \udc00"),
        choice(content='{"good": "\\ud800", "bad": "x"}'),
        choice(content='{"good": ' + "9" * 5000 + ', "bad": "x"}'),
        choice(content="```" + "\n" * 50_000 + "x"),
        choice(content="\x00\u2028\x1b[2J"),
        {"choices": [{"message": {"content": GOOD}, "finish_reason": {"a": 1}}]},
        *({"model": "m\ud800\n\x1b"}, {"model": ["m"]}, {"choices": {"0": 1}}, {"choices": [[]]}),
        *(choice(content=7), choice(content=[{"text": 7}])),
    ],
    ids=lambda changed: json.dumps(changed)[:60],
)
def test_strange_fields_are_an_outcome_of_their_request(connect: Connect, changed: Any, tmp_path: Path) -> None:
    llm = connect(said(**changed), retries=1, repairs=1, prices=PRICES)
    start = time.monotonic()
    (answer,) = llm.run([ask()])
    assert time.monotonic() - start < 5
    assert answer.outcome == "ok" or answer.reason
    # What records keep of it can be written.
    rejected = Rejection(stage="s", source_id="g", reason=answer.reason, text=answer.text, file="f")
    call = LLMCall(prompt="p", prompt_sha256="0", server="s", model="m", served_model=answer.served_model, reply="k")
    assert write_jsonl(tmp_path / "records.jsonl", [rejected, call]) == 2
    assert llm.ledger()[0].cost > 0


@pytest.mark.parametrize(
    "raw",
    [
        '{"choices": ' + "[" * 200_000 + "]" * 200_000 + "}",
        '{"choices": ' + '{"a":' * 200_000,
        '{"choices": [' + "9" * 5000 + "]}",
        *('{"choices": [', "{}", '{"error": "busy"}'),
    ],
    ids=["deep list", "deep object", "long number", "half", "empty", "an error with 200"],
)
def test_what_can_t_be_understood_is_paid_for_once_and_kept(
    connect: Connect, server: ScriptedServer, tmp_path: Path, raw: str
) -> None:
    llm = connect(lambda body, nth: Say(raw=raw), retries=1, prices=PRICES)
    (answer,) = llm.run([ask()])
    assert (answer.outcome, answer.value) == ("failed", None)
    assert "an answer that is" in answer.reason
    (line,) = llm.ledger()
    # Two attempts, each at the most that it may cost: 200 tokens out, and no fewer in than the words have.
    assert line.cost > 2 * 200 * 2 / 1e6
    assert line.requests + line.unanswered == len(server.seen) == 2
    (again,) = connect().run([ask()])
    assert again.outcome == "failed"
    assert "kept" in again.reason
    assert len(server.seen) == 2
    with closing(sqlite3.connect(tmp_path / "llm" / "replies.sqlite")) as file:
        assert file.execute("SELECT reply FROM replies").fetchall() == [(raw.encode(),)]


def counted(tokens_in: Any, tokens_out: Any, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out} | more


@pytest.mark.parametrize(
    "usage",
    [
        *(None, {}, [], "many", counted(10**30, 1), counted(100, 10**30), counted(-5, 3), counted(10, -(10**9))),
        *(counted("10", "3"), counted(True, True), counted(1.5, 3), counted(float("nan"), float("inf"))),
        counted(10, 3, total_tokens=10**30),
    ],
    ids=str,
)
def test_a_count_that_can_t_be_is_the_most_that_the_request_may_use(connect: Connect, usage: Any) -> None:
    llm = connect(said(usage=usage), prices=PRICES)
    (answer,) = llm.run([ask()])
    assert (answer.outcome, answer.usage.estimated) == ("ok", True)
    assert answer.usage.output_tokens == 200
    assert answer.usage.input_tokens >= len("Write pair 0.")
    (line,) = llm.ledger()
    assert (line.estimated, line.unanswered) == (1, 0)
    assert line.cost == answer.cost


def test_a_count_of_thousands_of_digits_does_not_cost_the_answer(connect: Connect) -> None:
    endless = Say(raw=completion({"model": "m"}, Say(GOOD, usage=(7777, 10))).replace("7777", "7" * 5000))
    (answer,) = connect(lambda body, nth: endless, prices=PRICES).run([ask()])
    assert (answer.outcome, answer.usage.estimated) == ("ok", True)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        # Thoughts that are in the total alone.
        (counted(10, 3, total_tokens=50), (10, 40, 0)),
        (counted(10, 3, total_tokens=5), (10, 3, 0)),
        (counted(10.0, 3), (10, 3, 0)),
        *(
            (counted(10, 3, prompt_tokens_details={"cached_tokens": n}), (10, 3, c))
            for n, c in ((4, 4), (40, 0), (-4, 0))
        ),
        (counted(10, 3, prompt_tokens_details="none"), (10, 3, 0)),
    ],
    ids=str,
)
def test_of_two_counts_the_larger_is_taken(connect: Connect, usage: Any, tokens: tuple[int, int, int]) -> None:
    (answer,) = connect(said(usage=usage)).run([ask()])
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cached_input) == tokens


def one(answer: Callable[[dict[str, Any]], Any], folder: Path, **settings: Any) -> tuple[Answer[Any], Any, Any]:
    """The answer to one request of a server that sends raw bytes, the ledger's line, and the server."""
    with raw_server(answer) as server:
        usual: dict[str, Any] = {"base_url": server.base_url, "model": "m", "structured": "schema", "retries": 0}
        with LLM(LLMSettings(**usual | {"prices": PRICES} | settings), folder) as llm:
            (received,) = llm.run([ask()])
            line = next(iter(llm.ledger()), None)
    return received, line, server


def plain(content: bytes) -> Any:
    yield http(b"", length=str(len(content)))[0]
    for start in range(0, len(content), 10_000):
        yield content[start : start + 10_000]


@pytest.mark.parametrize("sent", [plain, lambda content: http(content[-3_000_000:], "500 Oops")], ids=["200", "500"])
def test_an_answer_beyond_the_limit_is_never_in_memory(sent: Callable[[bytes], Any], tmp_path: Path) -> None:
    whole = completion({"model": "m"}, Say(GOOD)).encode()
    pieces = sent(whole[:-1] + b" " * 30_000_000 + b"}")
    tracemalloc.start()
    answer, line, _ = one(lambda body: pieces, tmp_path, answer_bytes=1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.outcome == "failed"
    assert "larger than 1,000,000 bytes" in answer.reason
    assert (line.unanswered, line.cost > 0) == (1, True)
    assert peak < 8_000_000


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "zstd", "gzip"])
def test_packed_answers_are_refused(coding: str, tmp_path: Path) -> None:
    packed = gzip.compress(completion({"model": "m"}, Say(GOOD)).encode())
    answer, line, server = one(lambda body: http(packed, Content_Encoding=coding), tmp_path, retries=3)
    assert (answer.outcome, answer.reason) == ("failed", "an answer that is packed, which was not asked for")
    assert "accept-encoding: identity" in server.heads[0].lower()
    # It would be the same again, so it is not asked for again.
    assert line.unanswered == 1


def test_an_answer_that_drips_ends_at_the_timeout(tmp_path: Path) -> None:
    def drip(head: bytes) -> Callable[[dict[str, Any]], Any]:
        def pieces(body: dict[str, Any]) -> Any:
            yield head
            for _ in range(400):
                time.sleep(0.05)
                yield b" "

        return pieces

    for name, head in (("body", http(b"{", length="1000")[0]), ("head", b"HTTP/1.1 200 OK\r\nX-Slow:")):
        start = time.monotonic()
        answer, line, _ = one(drip(head), tmp_path / name, timeout=0.4)
        assert time.monotonic() - start < 10
        assert "no answer within 0.4 s" in answer.reason
        assert line.unanswered == 1


@pytest.mark.parametrize(
    "pieces",
    [
        http(completion({"model": "m"}, Say(GOOD)).encode()[:50], length="400"),
        [],
        [b"HTTP/1.1 200 OK\r\nContent-Le"],
        [b"\x00\x01\x02 not HTTP \r\n\r\n"],
        *(http(b"", status) for status in ("500 Oops", "503 Busy", "408 Slow", "204 Nothing")),
        http(b"<html>", "200 OK"),
        http(b"{}", **{f"X-{number}": "x" * 100 for number in range(100_000)}),
    ],
    ids=["cut in the body", "hung up", "cut in the head", "no HTTP", "500", "503", "408", "nothing", "a page", "heads"],
)
def test_what_the_server_may_have_worked_on_is_counted(pieces: list[bytes], tmp_path: Path) -> None:
    answer, line, server = one(lambda body: pieces, tmp_path)
    assert answer.outcome == "failed"
    assert (line.requests, line.unanswered, len(server.seen)) == (0, 1, 1)
    assert line.cost > (200 * 2 + len("Write pair 0.")) / 1e6


@pytest.mark.parametrize("status", ["400 No", "409 No", "413 No", "422 No", "429 No"])
def test_what_the_server_declined_costs_nothing(status: str, tmp_path: Path) -> None:
    answer, line, _ = one(lambda body: http(b"{}", status), tmp_path)
    assert answer.outcome == "failed"
    assert line is None


@pytest.mark.parametrize("status", ["300 Many", "301 Moved", "302 Found", "304 Same", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("has_target", [False, True])
def test_a_redirect_is_counted_and_ends_the_run_and_nothing_is_sent_there(
    status: str, has_target: bool, tmp_path: Path
) -> None:
    with raw_server(lambda body: http(completion(body, Say(GOOD)).encode())) as elsewhere:
        target = elsewhere.base_url.replace("http://", "http://user:pw@") + "/chat/completions?key=abc"
        headers = {"Location": target} if has_target else {}
        there = r"http://127\.0\.0\.1:\d+/v1/chat/completions;" if has_target else "nowhere"
        with pytest.raises(LLMError, match=rf"it redirects to {there}.*nothing is sent there.*base_url") as caught:
            one(lambda body: http(b"", status, **headers), tmp_path, retries=3)
        assert not elsewhere.seen
    assert "pw" not in str(caught.value)
    assert "\n" not in str(caught.value)
    with LLM(LLMSettings(base_url="http://127.0.0.1:1/v1", model="m", prices=PRICES), tmp_path, offline=True) as llm:
        (line,) = llm.ledger()
    assert line.requests + line.unanswered == 1
    assert line.cost > 200 * 2 / 1e6


def test_a_pause_without_end_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(LLMError, match=r"more than llm\.max_wait_seconds"):
        one(lambda body: http(b"", "503 Busy", Retry_After="1e400"), tmp_path)
