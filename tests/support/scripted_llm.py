"""The real client against a scripted server on loopback, for the stages that ask language models."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llm_server import Say, ScriptedServer
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM

Answers = Callable[[str, str], Any]
"""What a server says to a prompt's output model and its last words: a `Say`, or a value that becomes JSON."""


def asked_for(body: dict[str, Any]) -> str:
    """The name of the model that the answer has to fit."""
    return str(body["response_format"]["json_schema"]["name"])


def told(body: dict[str, Any]) -> str:
    """All that a request tells the model."""
    return "\n".join(message["content"] for message in body["messages"])


@contextmanager
def scripted(folder: Path, answers: Answers, **settings: Any) -> Iterator[tuple[LLM, ScriptedServer]]:
    """A client whose server answers as told; `settings` are those of `[llm]`."""

    def script(body: dict[str, Any], nth: int) -> Say:
        said = answers(asked_for(body), told(body))
        return said if isinstance(said, Say) else Say(json.dumps(said, ensure_ascii=False))

    with ScriptedServer(script) as server:
        known = {
            "base_url": server.base_url,
            "model": "writer",
            "structured": "schema",
            "backoff_seconds": 0.01,
            "poll_seconds": 0.01,
        }
        with LLM(LLMSettings(**known | settings), folder) as llm:
            yield llm, server
