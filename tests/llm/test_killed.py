"""A run that is killed at any moment pays again for nothing but what was on its way."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from llm_server import Say, ScriptedServer
from pairwright.config import LLMSettings
from pairwright.llm import LLM

_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from llm_parts import ask
from pairwright.config import LLMSettings
from pairwright.llm import LLM

settings = LLMSettings(base_url=sys.argv[2], model="m", structured="schema", concurrency=64,
    prices={"m": {"input": 1, "output": 2}})
with LLM(settings, Path(sys.argv[3])) as llm:
    for answer in llm.run(ask(number) for number in range(int(sys.argv[4]))):
        print(answer.value.good, flush=True)
"""


def start(server: ScriptedServer, folder: Path, count: int) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-c",
        _RUN,
        str(Path(__file__).parents[1] / "support"),
        server.base_url,
        str(folder),
        str(count),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kept(folder: Path) -> set[str]:
    """What the questions in the cache are, as they were asked."""
    path = folder / "replies.sqlite"
    if not path.exists():
        return set()
    with sqlite3.connect(path) as file:
        return {json.loads(row[0])["messages"][0]["content"] for row in file.execute("SELECT body FROM replies")}


def run_with_kills(folder: Path, count: int, kills: int, delay: float, seconds: tuple[float, float]) -> None:
    chance = random.Random(7)

    def echo(body: dict[str, object], nth: int) -> Say:
        question = body["messages"][0]["content"]  # type: ignore[index]
        return Say(json.dumps({"good": question, "bad": "x"}), delay=chance.uniform(0.02, delay))

    with ScriptedServer(echo) as server:
        for _ in range(kills):
            before, seen = kept(folder), len(server.seen)
            process = start(server, folder, count)
            # From the first request on, so that a kill hits the work and not the imports.
            while len(server.seen) == seen and process.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(*seconds))
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            asked = {body["messages"][0]["content"] for body in server.seen[seen:]}
            assert not asked & before, "a kept answer was asked for again"
            # What was asked and not kept was on its way: never more than the requests at a time.
            assert len(asked - kept(folder)) <= 64
        last = start(server, folder, count)
        printed, _ = last.communicate(timeout=120)
        assert last.returncode == 0
        assert printed.splitlines() == [f"Write pair {number}." for number in range(count)]
        assert len(kept(folder)) == count
        # Each kill may cost what was on its way once more, and nothing else.
        assert count <= len(server.billed) <= count + 64 * kills


def test_a_killed_run_loses_only_what_was_on_its_way(tmp_path: Path) -> None:
    run_with_kills(tmp_path, count=200, kills=2, delay=0.2, seconds=(0.1, 0.3))


def test_what_was_on_its_way_at_a_kill_is_counted(tmp_path: Path) -> None:
    with ScriptedServer(lambda body, nth: Say(delay=60)) as server:
        process = start(server, tmp_path, 3)
        while len(server.seen) < 3:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    with LLM(LLMSettings(model="m"), tmp_path) as llm:
        (line,) = llm.ledger()
    assert (line.requests, line.unanswered, line.stage) == (0, 3, "generate")
    # At the most that each may cost: its bytes in, its limit out.
    assert line.cost > 3 * (200 * 2 + 13) / 1e6


@pytest.mark.slow
def test_twenty_kills_in_a_run_of_500_requests(tmp_path: Path) -> None:
    run_with_kills(tmp_path, count=500, kills=20, delay=1, seconds=(0, 0.3))
