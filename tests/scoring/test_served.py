"""Served models, over a real server on loopback that scores with a tiny model in the dialects of known servers."""

import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from raw_server import http, raw_server
from tiny_models import tiny

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.inputs import SentenceScore, Unscorable
from pairwright.evaluate.scoring.scorers import served
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.served import ServedScorer
from pairwright.models.load.settings import ModelSettings

SENTENCES = ("Mums trūksta laiko.", "Mums trūksta laikas.", "The keys to the cabinet are on the table.")
DIALECTS = ("prompt_logprobs", "echo", "echo and one token")


class Server:
    """Speaks one dialect, or none, or as vLLM two; `bos`: whether it puts BOS before a prompt. Counts its faults."""

    def __init__(self, dialect: str, bos: bool) -> None:
        self.dialect, self.bos, self.models, self.busy = dialect, bos, ["tiny"], 0
        self.at_once, self.most_at_once, self.lock = 0, 0, threading.Lock()
        self.address, self.heads = "", list[str]()

    def __call__(self, body: dict[str, Any]) -> list[bytes]:
        if not body:
            return http(json.dumps({"data": [{"id": name} for name in self.models]}).encode())
        if self.busy > 0:
            self.busy -= 1
            return http(b"{}", "503 Busy")
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        time.sleep(0.05)
        status, answer = self.answer(body)
        with self.lock:
            self.at_once -= 1
        return http(json.dumps(answer).encode(), status)

    def tokens(self, text: str) -> tuple[list[str], list[float | None]]:
        import torch

        tokenizer: Any = tiny("Llama").tokenizer
        network: Any = tiny("Llama").model
        ids = [*([2] if self.bos else []), *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            logprobs = network(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        values = [float(logprobs[place, token]) for place, token in enumerate(ids[1:])]
        return tokenizer.convert_ids_to_tokens(ids), [None, *values]

    def answer(self, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        tokens, values = self.tokens(body["prompt"])
        n_new = body["max_tokens"]
        if len(tokens) > 200:
            message = f"This model's maximum context length is 200, not {len(tokens)}"
            return "400 No", {"error": {"message": message}}
        if self.dialect == "echo and one token" and "echo" in body and n_new == 0:
            return "400 No", {"error": {"message": "max_tokens must be at least 1"}}
        choice: dict[str, Any] = {"text": "", "logprobs": None}
        if "prompt_logprobs" in body and self.dialect == "prompt_logprobs":
            told = zip(tokens, values, strict=True)
            named = [None if v is None else {"7": {"logprob": v, "decoded_token": t}} for t, v in told]
            choice["prompt_logprobs"] = named
        elif "echo" in body and self.dialect in DIALECTS:
            choice["logprobs"] = {"tokens": tokens + ["!"] * n_new, "token_logprobs": [*values, *[-1.0] * n_new]}
        return "200 OK", {"choices": [choice], "usage": {"completion_tokens": n_new}}


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts a server of the tiny Llama."""
    with ExitStack() as stack:

        def start(dialect: str, *, bos: bool = True) -> Server:
            server = Server(dialect, bos)
            running = stack.enter_context(raw_server(server))
            server.address, server.heads = running.base_url, running.heads
            return server

        yield start


@pytest.mark.parametrize("bos", [True, False])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_served_model_scores_as_the_same_model_does_here(
    dialect: str, bos: bool, serve: Callable[..., Server]
) -> None:
    server = serve(dialect, bos=bos)
    scorer = ServedScorer(ModelSettings(name=server.address), ScoreSettings())
    told = dialect if bos or dialect != "prompt_logprobs" else "echo"  # vLLM does not name the first token
    assert (scorer.route, scorer.first_token_scored) == (told, bos)
    assert (scorer.info.name, scorer.info.dtype) == ("tiny", "server")
    here = CausalScorer(tiny("Llama"), ScoreSettings(bos="auto" if bos else "never"))
    wanted = {outcome.sentence: outcome for outcome in here.score(SENTENCES)}
    found = list(scorer.score([*SENTENCES, SENTENCES[0]]))
    assert len(found) == len(SENTENCES)
    for outcome in found:
        own = wanted[outcome.sentence]
        assert isinstance(outcome, SentenceScore)
        assert isinstance(own, SentenceScore)
        assert outcome.sum_logprob == pytest.approx(own.sum_logprob, abs=1e-3)
        assert (outcome.n_tokens, outcome.n_bytes, outcome.n_chars) == (own.n_tokens, own.n_bytes, own.n_chars)


def test_a_server_gets_several_requests_at_a_time_and_what_it_refuses_is_kept_with_its_reason(
    serve: Callable[..., Server],
) -> None:
    server = serve("echo and one token")
    scorer = ServedScorer(ModelSettings(name=server.address), ScoreSettings(), 3)
    texts = [f"Ne {number}." for number in range(64)]
    parts = [texts[:40], [*texts[40:], "ne " * 300, ""]]
    found = list(scorer.score_parts(parts))
    assert {(part, outcome.sentence) for part, outcome in found} == {(n, it) for n in (0, 1) for it in parts[n]}
    here = {one.sentence: one for one in CausalScorer(tiny("Llama"), ScoreSettings()).score(texts)}
    for _, outcome in found:
        own = here.get(outcome.sentence)
        if isinstance(own, SentenceScore):
            assert isinstance(outcome, SentenceScore)
            assert outcome.sum_logprob == pytest.approx(own.sum_logprob, abs=1e-3)
        else:
            assert isinstance(outcome, Unscorable)
            assert ("maximum context length is 200" if outcome.sentence else "no token") in outcome.reason
    assert server.most_at_once == 3


def test_a_server_that_does_not_tell_is_named_with_what_it_lacks(serve: Callable[..., Server]) -> None:
    with pytest.raises(ModelError, match="does not give the log-probabilities of a prompt") as caught:
        ServedScorer(ModelSettings(name=serve("none").address), ScoreSettings())
    assert "use vLLM" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_busy_for_a_moment_is_asked_again(serve: Callable[..., Server]) -> None:
    server = serve("echo")
    scorer = ServedScorer(ModelSettings(name=server.address), ScoreSettings())
    server.busy = 2
    [outcome] = scorer.score(["Ne."])
    assert isinstance(outcome, SentenceScore)
    assert math.isfinite(outcome.sum_logprob)


def test_a_server_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "ATTEMPTS", 1)
    with pytest.raises(ModelError, match="the server can't be used"):
        ServedScorer(ModelSettings(name="http://127.0.0.1:9/v1", model="tiny"), ScoreSettings())


def test_a_key_comes_from_the_environment_alone(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OWN_KEY", raising=False)
    monkeypatch.setenv("PAIRWRIGHT_API_KEY", "sk-evaluated")
    server = serve("echo")
    with pytest.raises(ModelError, match="no key; set the environment variable OWN_KEY"):
        ServedScorer(ModelSettings(name=server.address, key_env="OWN_KEY"), ScoreSettings())
    ServedScorer(ModelSettings(name=server.address), ScoreSettings())
    assert all("Authorization: Bearer sk-evaluated\r\n" in head for head in server.heads)


def test_settings_that_need_the_tokenizer(serve: Callable[..., Server]) -> None:
    address = serve("echo").address
    for options in ({"tokens": True}, {"unigrams": "corpus.txt"}, {"bos": "never"}):
        with pytest.raises(ModelError, match="leave it out"):
            ServedScorer(ModelSettings(name=address), ScoreSettings.model_validate(options))
