"""The real client against a scripted server on loopback, for the stages that ask language models."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from llm_server import Body, Say, Script, ScriptedServer
from pairwright.core.config import LLMSettings
from pairwright.models.chat import LLM

Answers = Callable[[str, str], Any]
"""What a server says to a prompt's output model and its last words: a `Say`, or a value that becomes JSON."""


def asked_for(body: Body) -> str:
    """The name of the model that the answer has to fit."""
    return str(body["response_format"]["json_schema"]["name"])


def told(body: Body) -> str:
    """All that a request tells the model."""
    return "\n".join(message["content"] for message in body["messages"])


@contextmanager
def client(script: Script, folder: Path, **settings: Any) -> Iterator[tuple[LLM, ScriptedServer]]:
    """The real client of a scripted server, with a cache of its own; `settings` are those of `[llm]`."""
    with ScriptedServer(script) as server:
        known = {"base_url": server.base_url, "model": "m", "structured": "schema"}
        pauses = {"backoff_seconds": 0.01, "poll_seconds": 0.01}
        with LLM(LLMSettings(**known | pauses | settings), folder / "llm") as llm:
            yield llm, server


def scripted(folder: Path, answers: Answers, **settings: Any) -> AbstractContextManager[tuple[LLM, ScriptedServer]]:
    """A client whose server answers as told."""

    def script(body: Body, nth: int) -> Say:
        said = answers(asked_for(body), told(body))
        return said if isinstance(said, Say) else Say(json.dumps(said, ensure_ascii=False))

    return client(script, folder, **{"model": "writer"} | settings)
