"""The local model: a real OpenAI-compatible server on loopback that is started and stopped by us."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from llm_parts import Pair, ask

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.llm import LLM, LocalServer
from pairwright.llm.local import find_weights

needs_xllamacpp = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")


def test_a_file_that_is_no_model_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("not a model")
    with pytest.raises(LLMError, match=r"notes\.gguf: not a GGUF file"):
        find_weights(str(tmp_path / "notes.gguf"))
    with pytest.raises(LLMError, match=r"nowhere\.gguf: can't be read: No such file"):
        find_weights(str(tmp_path / "nowhere.gguf"))


@needs_xllamacpp
def test_weights_that_do_not_load_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(200))
    server = LocalServer(LLMSettings(local_model=str(tmp_path / "broken.gguf")))
    with pytest.raises(LLMError, match=r"broken\.gguf: the local model does not start: .*"):
        server.start()


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


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
from pairwright.config import LLMSettings
from pairwright.llm import LocalServer
server = LocalServer(LLMSettings())
server.start()
print(server.base_url, server._process.pid, flush=True)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    base_url, pid = process.stdout.readline().split()
    settings = LLMSettings(base_url=base_url, model="m", structured="schema", retries=0)
    with LLM(settings, tmp_path) as llm, pytest.raises(LLMError, match=r"was not accepted \(401\)"):
        list(llm.run([ask()]))
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    for _ in range(100):
        if not alive(int(pid)):
            break
        time.sleep(0.1)
    assert not alive(int(pid))
