"""Requests of an imagined stage."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from pairwright.models.chat import LLM, Request
from pairwright.models.prompts import Hints, Message, Rendered

GOOD = '{"good": "She reads.", "bad": "She read."}'
Connect = Callable[..., LLM]


class Pair(BaseModel):
    good: str
    bad: str


def ask(number: int = 0, *, stage: str = "generate", source_id: str = "grammar", sample: int = 0) -> Request[Pair]:
    prompt = Rendered(
        name="pairs",
        version=1,
        sha256="0" * 64,
        output="Pair",
        hints=Hints(max_output_tokens=200),
        messages=(Message(role="user", content=f"Write pair {number}."),),
    )
    return Request(prompt, Pair, stage, source_id, subject=f"rule-{number}", sample=sample)


def words(body: dict[str, Any]) -> str:
    """What the user said last in a request."""
    return str(body["messages"][-1]["content"])
