"""A server of scores that answers with anything at all: a reason for each sentence, or one clear line."""

import json
import re
import time
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from raw_server import http, raw_server
from tokenizers.pre_tokenizers import ByteLevel

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.inputs import SentenceOutcome, SentenceScore, Unscorable
from pairwright.evaluate.scoring.scorers import served
from pairwright.evaluate.scoring.scorers.served import PROBE, ServedScorer
from pairwright.models.load.settings import ModelSettings

Values = list[Any]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried again after a pause."""
    monkeypatch.setattr(served, "ATTEMPTS", 1)


def echo(values: Values, text: str = "Ne.", **beside: Any) -> bytes:
    """A text as so many tokens, the last of them the longest."""
    cut = max(0, len(values) - 1)
    return told([*text[:cut], *([text[cut:]] if values else [])], values, **beside)


def told(tokens: list[str], values: Values | None = None, **beside: Any) -> bytes:
    given = [None, *[-1.0] * (len(tokens) - 1)] if values is None else values
    return json.dumps({"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": given}}]} | beside).encode()


def one_scored(script: Callable[[dict[str, Any]], Iterable[bytes]], sentence: str = "Ne.") -> SentenceOutcome:
    with raw_server(script) as server:
        [outcome] = ServedScorer(ModelSettings(name=server.base_url, model="m"), ScoreSettings()).score([sentence])
    return outcome


def scored(answer: Callable[[], Iterable[bytes]], sentence: str = "Ne.") -> SentenceOutcome:
    """What becomes of a sentence, from a server that answers well to the probe alone."""

    def script(body: dict[str, Any]) -> Iterable[bytes]:
        if "prompt_logprobs" in body:
            return http(b"{}", "400 No")
        return http(echo([None, -1.0, -2.0], PROBE)) if body["prompt"] == PROBE else answer()

    return one_scored(script, sentence)


@pytest.mark.parametrize(
    "values",
    [
        *([None, float("nan"), -1.0], [None, float("-inf")], [None, 10**400], [None, -(10**25)], [None, 5.0]),
        *([None, "-1.5"], [None, True], [None, -1e308, -1e308], [None, None], [None], []),
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
        b"[" * 90_000,
        b'{"choices": ' + b"[" * 90_000,
        b'{"choices": {}}',
        b"\xff\xfe",
        b"",
        b'{"choices": [{"logprobs": 7}]}',
    ],
    ids=["deep", "deep object", "no list", "no text", "empty", "no object"],
)
def test_an_answer_that_is_none_is_a_reason(content: bytes) -> None:
    assert isinstance(scored(lambda: http(content)), Unscorable)


def test_an_empty_table_of_vllm_is_a_reason() -> None:
    def script(body: dict[str, Any]) -> Iterable[bytes]:
        table: dict[str, Any] = {"7": {"logprob": -1.0, "decoded_token": PROBE}} if body["prompt"] == PROBE else {}
        return http(json.dumps({"choices": [{"prompt_logprobs": [None, table]}]}).encode())

    assert isinstance(one_scored(script), Unscorable)


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
        return http(told([*body["prompt"], "!"], usage={"completion_tokens": n_new}))

    assert isinstance(one_scored(script), Unscorable)


@pytest.mark.parametrize(
    "data", [[{"id": "a\ud800"}], [{"id": "a\n\x1b"}], [{"id": 7}], "m", None, [{"id": "x" * 9000}]], ids=str
)
def test_a_list_of_models_is_not_taken_at_its_word(data: Any) -> None:
    listing = http(json.dumps({"data": data}).encode())
    with raw_server(lambda body: listing) as server, pytest.raises(ModelError, match="say which model") as caught:
        ServedScorer(ModelSettings(name=server.base_url), ScoreSettings())
    assert len(str(caught.value).encode()) < 500
    assert str(caught.value).isprintable()


def test_a_sentence_that_is_answered_well_is_scored() -> None:
    outcome = scored(lambda: http(echo([None, -1.5, -0.5])))
    assert isinstance(outcome, SentenceScore)
    assert outcome.sum_logprob == -2.0


TEXT = "Ąžuolo šaka 😀 „lūžo“…"
WORDS = ["Ąžuolo", " šaka", " 😀", " „lūžo", "“…"]
[(BYTE_LEVEL, _)] = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(TEXT)


@pytest.mark.parametrize(
    "tokens",
    [
        WORDS,
        [word.replace(" ", "▁") for word in WORDS],
        ["▁", *WORDS],
        [word.strip() for word in WORDS],
        list(BYTE_LEVEL),
        [f"bytes:\\x{byte:02x}" for byte in TEXT.encode()],
        [f"<0x{byte:02X}>" for byte in TEXT.encode()],
        ["Ą", "bytes:\\xc5", "bytes:\\xbe", "uolo", *WORDS[1:]],
        [chr(byte) if byte < 128 else "\ufffd" for byte in TEXT.encode()],
        ["Ąžuolo", " šaka", " \ufffd", "\ufffd", " „lūžo", "“…"],
        ["Ą", "", "ž", *"uolo šaka ", "", "", "", "😀", *WORDS[3:]],
        [unicodedata.normalize("NFKD", word) for word in WORDS],
    ],
    ids=str,
)
def test_tokens_that_spell_the_sentence_are_scored(tokens: list[str]) -> None:
    outcome = scored(lambda: http(told(tokens)), TEXT)
    assert isinstance(outcome, SentenceScore), outcome
    assert outcome.n_tokens == len(tokens) - 1


@pytest.mark.parametrize(
    "tokens",
    [
        list(TEXT[::-1]),
        list(TEXT[:-1]),
        WORDS[:-1],
        [*WORDS, "</s>"],
        ["<s>", *WORDS],
        [*WORDS, *WORDS],
        ["Ne", "."],
        [*WORDS, *[""] * 200],
        list(BYTE_LEVEL[:-1]),
        [f"<0x{byte:02X}>" for byte in TEXT.encode()[:-1]],
        ["\ufffd"] * len(TEXT),
        [*WORDS, "\ufffd"],
        ["\ufffd" * 300, *WORDS[1:]],
        ["\ud800", *WORDS[1:]],
    ],
    ids=lambda tokens: ascii(tokens)[:40],
)
def test_tokens_of_another_text_are_no_score(tokens: list[str]) -> None:
    outcome = scored(lambda: http(told(tokens)), TEXT)
    assert isinstance(outcome, Unscorable)
    assert re.match(rf"m: http://127\.0\.0\.1:\d+/v1 .* {len(tokens)} tokens", outcome.reason), outcome.reason
    assert outcome.reason.isprintable()


def test_a_server_that_turns_every_text_round_is_named_at_once() -> None:
    with (
        raw_server(lambda body: http(told(list(body["prompt"][::-1])))) as server,
        pytest.raises(ModelError, match=rf"^m: .*{server.base_url}.*tam eht no tas tac ehT"),
    ):
        ServedScorer(ModelSettings(name=server.base_url, model="m"), ScoreSettings())


def test_an_answer_is_no_longer_than_its_sentence_allows() -> None:
    with pytest.raises(ModelError, match="larger than"):
        scored(lambda: http(told(["N", "e", ".", *[""] * 300_000])))


def test_strange_characters_in_a_long_answer_take_no_time() -> None:
    text = "ж" * 4_000
    start = time.monotonic()
    scored(lambda: http(told(["\ufffd" * 900, "ж"] * 4)), text)
    assert time.monotonic() - start < 5
