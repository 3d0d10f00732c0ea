"""A server that is slow, busy, broken or down: what is tried again, what is given up, and that no key gets out."""

import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from llm_parts import GOOD, Connect, ask

from llm_server import Say, ScriptedServer, fault
from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError
from pairwright.models.chat import LLM
from pairwright.models.chat.server import retry_after


def first_time(say: Say) -> Any:
    return lambda body, nth: say if nth == 0 else Say(GOOD)


@pytest.mark.parametrize(
    "say",
    [
        fault(500, "oops"),
        fault(503, "starting"),
        fault(429, "slow down"),
        Say(raw="<html>gateway</html>"),
        Say(raw='{"choices": ['),
        Say(raw='{"choices": []}'),
        Say(raw="[]"),
        Say(hang_up=True),
        Say(GOOD, delay=5),
    ],
    ids=["500", "503", "429", "html", "half JSON", "no choices", "a list", "hang-up", "slow"],
)
def test_what_may_pass_is_tried_again(connect: Connect, server: ScriptedServer, say: Say) -> None:
    answers = list(connect(first_time(say), timeout=1 if say.delay else 60).run(ask(number) for number in range(3)))
    assert [answer.outcome for answer in answers] == ["ok"] * 3
    assert len(server.seen) == 6


def test_the_pause_that_a_server_asks_for_is_kept(connect: Connect, server: ScriptedServer) -> None:
    times: list[float] = []

    def busy(body: dict[str, Any], nth: int) -> Say:
        times.append(time.monotonic())
        return fault(429, "slow down", Retry_After="1") if len(times) == 1 else Say(GOOD)

    list(connect(busy, concurrency=1).run([ask(1), ask(2)]))
    # It holds for all requests, not only for the one that was told.
    assert all(later - times[0] >= 1 for later in times[1:])


def test_retry_after_is_read_in_seconds_milliseconds_and_as_a_date() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    date = retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)})
    assert date is not None
    assert 55 < date <= 60
    assert retry_after({"retry-after": "-5"}) == 0
    for senseless in ("soon", "nan", "Mon, 99 Foo 99999", "\u00ff", ""):
        assert retry_after({"retry-after": senseless}) is None


def test_a_server_that_is_down_is_not_asked_a_thousand_times(connect: Connect, server: ScriptedServer) -> None:
    with pytest.raises(LLMError, match=r"\d requests in a row went without an answer"):
        list(connect(lambda body, nth: fault(503, "down"), retries=1, concurrency=2).run(ask(n) for n in range(1000)))
    assert len(server.seen) < 20


def test_no_server_at_all_is_one_clear_line(tmp_path: Path) -> None:
    settings = LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", retries=0, backoff_seconds=0.01)
    with LLM(settings, tmp_path) as llm, pytest.raises(LLMError, match=r"127\.0\.0\.1:9/v1: no connection"):
        list(llm.run([ask()]))


@pytest.mark.parametrize(
    ("say", "message"),
    [
        (fault(401, "Incorrect API key provided: sk-secret-123."), r"the key in TEST_KEY was not accepted \(401\)"),
        (fault(403, "no access"), "was not accepted"),
        (fault(404, "The model `m` does not exist"), r"not found \(404\).*check llm\.base_url"),
        (
            Say(status=429, raw='{"error": {"message": "no credit", "code": "insufficient_quota"}}'),
            "the account has no credit left",
        ),
    ],
    ids=["key", "access", "model", "credit"],
)
def test_what_no_request_can_pass_stops_the_run_at_once(
    connect: Connect, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, say: Say, message: str
) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-secret-123")
    llm = connect(lambda body, nth: say, key_env="TEST_KEY", concurrency=1)
    with pytest.raises(LLMError, match=message) as caught:
        list(llm.run(ask(number) for number in range(10)))
    assert len(server.seen) == 1
    assert "sk-secret-123" not in str(caught.value)


def test_no_key_for_a_server_elsewhere_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    wanted = r"no key; set the environment variable OPENAI_API_KEY"
    settings = LLMSettings(model="m", structured="schema")
    with LLM(settings, tmp_path) as llm, pytest.raises(LLMError, match=wanted):
        list(llm.run([ask()]))


def test_no_more_requests_are_on_their_way_than_allowed(connect: Connect, server: ScriptedServer) -> None:
    list(connect(lambda body, nth: Say(GOOD, delay=0.1), concurrency=7).run(ask(number) for number in range(40)))
    assert server.most_in_flight == 7
