"""The local model: a real OpenAI-compatible server on loopback that is started and stopped by us."""

import importlib.util
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from llm_parts import Pair, ask

from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError
from pairwright.models.chat import LLM, LocalServer
from pairwright.models.chat.local import find_weights

needs_xllamacpp = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")


def test_a_file_that_is_no_model_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("not a model")
    with pytest.raises(LLMError, match=r"notes\.gguf: not a GGUF file"):
        find_weights(str(tmp_path / "notes.gguf"))
    with pytest.raises(LLMError, match=r"nowhere\.gguf: no such file"):
        find_weights(str(tmp_path / "nowhere.gguf"))


@needs_xllamacpp
def test_weights_that_do_not_load_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(200))
    server = LocalServer(LLMSettings(local_model=str(tmp_path / "broken.gguf")))
    with pytest.raises(LLMError, match=r"broken\.gguf: the local model does not start: \w"), server:
        pass


def listening(base_url: str) -> bool:
    host, port = urlsplit(base_url).netloc.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


@pytest.mark.slow
@needs_xllamacpp
def test_the_local_model_answers_in_the_wanted_form(tmp_path: Path) -> None:
    settings = LLMSettings(max_output_tokens=80, repairs=0)
    with LocalServer(settings) as server, LLM(settings, tmp_path, local=server) as llm:
        answers = list(llm.run(ask(number) for number in range(3)))
        assert all(line.cost == 0 for line in llm.ledger())
    assert all(answer.outcome in ("ok", "truncated") for answer in answers)
    assert any(isinstance(answer.value, Pair) for answer in answers)
    # The port is another one at every start; the cache serves all the same.
    with LLM(settings, tmp_path, local=LocalServer(settings), offline=True) as llm:
        assert [answer.value for answer in llm.run(ask(number) for number in range(3))] == [a.value for a in answers]


@pytest.mark.slow
@needs_xllamacpp
def test_nobody_else_may_ask_the_local_model_and_it_ends_with_us(tmp_path: Path) -> None:
    code = """
import time
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LocalServer
with LocalServer(LLMSettings()) as server:
    print(server.base_url, flush=True)
    time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    base_url = process.stdout.readline().strip()
    settings = LLMSettings(base_url=base_url, model="m", structured="schema", retries=0)
    with LLM(settings, tmp_path) as llm, pytest.raises(LLMError, match=r"was not accepted \(401\)"):
        list(llm.run([ask()]))
    process.kill()
    process.communicate()
    end = time.monotonic() + 10
    while listening(base_url) and time.monotonic() < end:
        time.sleep(0.1)
    assert not listening(base_url)
