"""A server of scores that answers with anything at all: a reason for each sentence, or one clear line."""

import gzip
import json
import time
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from raw_server import RawServer, http, raw_server

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.settings import ModelSettings
from pairwright.scoring.inputs.outcomes import SentenceOutcome, SentenceScore, Unscorable
from pairwright.scoring.scorers import served
from pairwright.scoring.scorers.served import PROBE, ServedScorer

Values = list[Any]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried again after a pause."""
    monkeypatch.setattr(served, "ATTEMPTS", 1)


def echo(values: Values, **beside: Any) -> bytes:
    tokens = [f" {number}" for number, _ in enumerate(values)]
    choice = {"logprobs": {"tokens": tokens, "token_logprobs": values}}
    return json.dumps({"choices": [choice]} | beside).encode()


def scored(answer: Callable[[], Iterable[bytes]]) -> SentenceOutcome:
    """What becomes of a sentence, from a server that answers well to the probe alone."""

    def script(body: dict[str, Any]) -> Iterable[bytes]:
        if "prompt_logprobs" in body:
            return http(b"{}", "400 No")
        return http(echo([None, -1.0, -2.0])) if body["prompt"] == PROBE else answer()

    with raw_server(script) as server:
        [outcome] = ServedScorer(ModelSettings(name=server.base_url, model="m"), ScoreSettings()).score(["Ne."])
    return outcome


@pytest.mark.parametrize(
    "values",
    [
        [None, float("nan"), -1.0],
        [None, float("-inf")],
        [None, 10**400],
        [None, -(10**25)],
        [None, 5.0],
        [None, "-1.5"],
        [None, True],
        [None, -1e308, -1e308],
        [None, None],
        [None],
        [],
        "none",
    ],
    ids=lambda values: str(values)[:30],
)
def test_a_log_probability_that_can_t_be_is_no_score(values: Values) -> None:
    content = echo(values) if isinstance(values, list) else echo([]).replace(b"[]", b'"none"')
    outcome = scored(lambda: http(content))
    assert isinstance(outcome, Unscorable)
    assert "log-probabilit" in outcome.reason


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b'{"choices": ' + b"[" * 200_000,
        b'{"choices": {}}',
        b"\xff\xfe",
        b"",
        b'{"choices": [{"logprobs": 7}]}',
    ],
    ids=["deep", "deep object", "no list", "no text", "empty", "no object"],
)
def test_an_answer_that_is_none_is_a_reason(content: bytes) -> None:
    assert isinstance(scored(lambda: http(content)), Unscorable)


def test_the_server_s_words_are_one_line_that_can_be_written() -> None:
    outcome = scored(
        lambda: http(json.dumps({"error": {"message": "no \ud800\n\x1b[2J " + "x" * 5000}}).encode(), "400 No")
    )
    assert isinstance(outcome, Unscorable)
    assert len(outcome.reason.encode()) < 300
    assert outcome.reason.isprintable()


@pytest.mark.parametrize("counted", [-3, 7, 10**30, "1", None, 1.5])
def test_a_count_of_new_tokens_that_can_t_be_cuts_no_sentence_short(counted: Any) -> None:
    def script(body: dict[str, Any]) -> Iterable[bytes]:
        if "prompt_logprobs" in body or body["max_tokens"] == 0:
            return http(b"{}", "400 No")
        n_new = 1 if body["prompt"] == PROBE else counted
        return http(echo([None, -1.0, -2.0, -3.0], usage={"completion_tokens": n_new}))

    with raw_server(script) as server:
        [outcome] = ServedScorer(ModelSettings(name=server.base_url, model="m"), ScoreSettings()).score(["Ne."])
    assert isinstance(outcome, Unscorable)


def test_an_empty_table_of_vllm_is_a_reason() -> None:
    def script(body: dict[str, Any]) -> Iterable[bytes]:
        told: list[Any] = [None, {"7": {"logprob": -1.0, "decoded_token": "a"}}]
        if body["prompt"] != PROBE:
            told = [None, {}]
        return http(json.dumps({"choices": [{"prompt_logprobs": told}]}).encode())

    with raw_server(script) as server:
        [outcome] = ServedScorer(ModelSettings(name=server.base_url, model="m"), ScoreSettings()).score(["Ne."])
    assert isinstance(outcome, Unscorable)


def test_an_answer_beyond_the_limit_is_never_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "MOST_BYTES", 1_000_000)
    packed = gzip.compress(bytes(30_000_000))
    tracemalloc.start()
    with pytest.raises(ModelError, match="larger than 1,000,000 bytes"):
        scored(lambda: http(packed, Content_Encoding="gzip"))
    assert tracemalloc.get_traced_memory()[1] < 8_000_000
    tracemalloc.stop()


def test_an_answer_that_drips_ends_at_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    def drip() -> Iterable[bytes]:
        yield b"HTTP/1.1 200 OK\r\nX-Slow:"
        for _ in range(400):
            time.sleep(0.05)
            yield b" "

    monkeypatch.setattr(served, "TIMEOUT", 0.5)
    start = time.monotonic()
    with pytest.raises(ModelError, match=r"no answer within 0\.5 s"):
        scored(drip)
    assert time.monotonic() - start < 10


def test_a_redirect_is_an_error_and_no_sentence_goes_there() -> None:
    with raw_server(lambda body: http(b"{}")) as elsewhere:
        target = f"{elsewhere.base_url}/completions"
        with pytest.raises(
            ModelError, match=r"it redirects to http://127\.0\.0\.1:\d+/v1/completions; nothing is sent there"
        ):
            scored(lambda: http(b"", "307 Moved", Location=target))
        assert not elsewhere.seen


@pytest.mark.parametrize(
    "data", [[{"id": "a\ud800"}], [{"id": "a\n\x1b"}], [{"id": 7}], "m", None, [{"id": "x" * 9000}]], ids=str
)
def test_a_list_of_models_is_not_taken_at_its_word(data: Any) -> None:
    listing = http(json.dumps({"data": data}).encode())
    with raw_server(lambda body: listing) as server, pytest.raises(ModelError, match="say which model") as caught:
        ServedScorer(ModelSettings(name=server.base_url), ScoreSettings())
    assert len(str(caught.value).encode()) < 500
    assert str(caught.value).isprintable()


def test_a_key_that_a_server_repeats_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "sk-secret-123")

    def script(body: dict[str, Any]) -> Iterable[bytes]:
        return http(
            json.dumps({"error": {"message": "bad key 'sk-secret-123' c2stc2VjcmV0LTEyMw=="}}).encode(), "401 No"
        )

    with raw_server(script) as server, pytest.raises(ModelError) as caught:
        start(server)
    assert "sk-secret" not in str(caught.value)
    assert "c2stc2VjcmV0" not in str(caught.value)
    assert "bad key" in str(caught.value)


def start(server: RawServer) -> ServedScorer:
    return ServedScorer(ModelSettings(name=server.base_url, model="m", key_env="OWN_KEY"), ScoreSettings())


def test_a_sentence_that_is_answered_well_is_scored() -> None:
    outcome = scored(lambda: http(echo([None, -1.5, -0.5])))
    assert isinstance(outcome, SentenceScore)
    assert outcome.sum_logprob == -2.0
