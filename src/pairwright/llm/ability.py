"""What a server can do to make answers fit: found out by asking, once for each server and model, and kept."""

import re
from typing import Any

from pydantic import BaseModel

from pairwright.errors import LLMError
from pairwright.llm.cache import Ability
from pairwright.llm.exchange import Mode, Reply
from pairwright.llm.server import NoAnswer, Refused, Server
from pairwright.llm.structured import response_format

MODES: tuple[Mode, ...] = ("schema", "json", "text")
_ASKED = 256


class _Probe(BaseModel):
    """Fields that nobody answers with who is not held to a schema."""

    greeting_in_latin: str
    number_of_letters: int


def about_limit(message: str) -> bool:
    """Whether a server complains of the name under which the limit of output tokens was sent."""
    return bool(re.search(r"max_(completion_)?tokens", message) and re.search(r"unsupported|instead|unknown", message))


def about_format(message: str) -> bool:
    """Whether a server complains of the schema or of the form of answers that was asked for."""
    return bool(re.search(r"response_format|schema|grammar|structured", message, re.IGNORECASE))


def weaker(mode: Mode) -> Mode | None:
    """The next way of asking, for a server that can't do this one."""
    following = MODES[MODES.index(mode) + 1 :]
    return following[0] if following else None


async def find_ability(server: Server, model: str, wanted: str) -> tuple[Ability, list[tuple[dict[str, Any], Reply]]]:
    """What the server does for a model, and what was asked and answered to find out.

    A server that takes a schema and heeds it answers a plain greeting with the schema's fields; one that passes over
    what it does not know answers with a greeting. `wanted` other than auto is believed; then nothing is asked but what
    the limit is called. Raises LLMError where the server answers to nothing.
    """
    name: Any = "max_completion_tokens" if "//api.openai.com" in server.base_url else "max_tokens"
    if wanted != "auto":
        return Ability(mode=_mode(wanted), limit_name=name), []
    asked: list[tuple[dict[str, Any], Reply]] = []
    last = ""
    for mode in MODES:
        for limit_name in (name, *({"max_tokens", "max_completion_tokens"} - {name})):
            body = _body(model, mode, limit_name)
            try:
                reply, _ = await server.chat(body, _ASKED, retries=2)
            except (Refused, NoAnswer) as fault:
                last = str(fault)
                if about_limit(last):
                    continue
                break
            asked.append((body, reply))
            if _heeds(mode, reply):
                return Ability(mode=mode, limit_name=limit_name), asked
            break
    raise LLMError(f"{server.base_url}: the server answers no request to '{model}': {last}")


def _mode(name: str) -> Mode:
    return next(mode for mode in MODES if mode == name)


def _body(model: str, mode: Mode, limit_name: str) -> dict[str, Any]:
    words = "Say hello." if mode != "json" else 'Say hello in a JSON object with the key "hello".'
    body = {"model": model, "messages": [{"role": "user", "content": words}], limit_name: _ASKED}
    form = response_format(mode, _Probe)
    return body | ({"response_format": form} if form else {})


def _heeds(mode: Mode, reply: Reply) -> bool:
    text = reply.text.strip()
    if mode == "schema":
        # A small model may not come to an end; that it began with the schema's first field is proof enough.
        return bool(re.match(r'\{\s*"greeting_in_latin"', text))
    return text.startswith("{") if mode == "json" else True
