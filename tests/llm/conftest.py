"""A workspace's client against a scripted server on loopback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_parts import GOOD, Connect

from llm_server import Say, Script, ScriptedServer
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(lambda body, nth: Say(GOOD)) as running:
        yield running


@pytest.fixture
def connect(server: ScriptedServer, tmp_path: Path) -> Iterator[Connect]:
    """Makes clients of the server that share a cache; a script may be given, and any setting."""
    made: list[LLM] = []

    def make(script: Script | None = None, *, offline: bool = False, cap: Any = None, **settings: Any) -> LLM:
        if script:
            server.script = script
        known = {
            "base_url": server.base_url,
            "model": "m",
            "structured": "schema",
            "backoff_seconds": 0.01,
            "poll_seconds": 0.01,
        }
        made.append(LLM(LLMSettings(**known | settings), tmp_path / "llm", offline=offline, cap=cap))
        return made[-1]

    yield make
    for llm in made:
        llm.close()
