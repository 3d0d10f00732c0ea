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

prices = {"m": {"input": 1, "output": 2}}
settings = LLMSettings(base_url=sys.argv[2], model="m", structured="schema", concurrency=64, prices=prices)
with LLM(settings, Path(sys.argv[3])) as llm:
    list(llm.run(ask(number) for number in range(3)))
"""


def test_what_was_on_its_way_at_a_kill_is_counted(tmp_path: Path) -> None:
    support = str(Path(__file__).parents[1] / "support")
    with ScriptedServer(lambda body, nth: Say(delay=60)) as server:
        process = subprocess.Popen([sys.executable, "-c", _RUN, support, server.base_url, str(tmp_path)])
        while len(server.seen) < 3:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with LLM(LLMSettings(model="m"), tmp_path) as llm:
        (line,) = llm.ledger()
    assert (line.requests, line.unanswered, line.stage) == (0, 3, "generate")
    # At the most that each may cost: its bytes in, its limit out.
    assert line.cost > 3 * (200 * 2 + 13) / 1e6
