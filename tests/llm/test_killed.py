"""What was on its way when a run was killed is in the ledger."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from llm_server import Say, ScriptedServer
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM

_RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from llm_parts import ask
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM

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
