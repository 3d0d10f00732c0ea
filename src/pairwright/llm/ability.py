"""What a server can do to make answers fit: found out by asking once for each server and model, and kept."""

import re
from typing import Any, Literal

from pydantic import BaseModel

from pairwright.errors import LLMError
from pairwright.llm.cache import Ability
from pairwright.llm.exchange import Mode, Reply
from pairwright.llm.server import NoAnswer, Refused, Server
from pairwright.llm.structured import response_format

LimitName = Literal["max_tokens", "max_completion_tokens"]
MODES: tuple[Mode, ...] = ("schema", "json", "text")
_OUTPUT_TOKENS = 256


class _Probe(BaseModel):
    """Fields that a model would not come up with unless the schema holds it to them."""

    greeting_in_latin: str
    number_of_letters: int


def about_limit(message: str) -> bool:
    """Whether a server complains of the name under which it got the limit of output tokens."""
    return bool(re.search(r"max_(completion_)?tokens", message) and re.search(r"unsupported|instead|unknown", message))


def about_format(message: str) -> bool:
    """Whether a server complains of the schema or of the response format."""
    return bool(re.search(r"response_format|schema|grammar|structured", message, re.IGNORECASE))


def weaker(mode: Mode) -> Mode | None:
    """The next way of asking for a form, for a server that can't do this one."""
    following = MODES[MODES.index(mode) + 1 :]
    return following[0] if following else None


def other_limit_name(name: LimitName) -> LimitName:
    return "max_tokens" if name == "max_completion_tokens" else "max_completion_tokens"


async def find_ability(server: Server, model: str, setting: str) -> tuple[Ability, list[tuple[dict[str, Any], Reply]]]:
    """What a server can do for a model, and the requests and replies by which this was found out.

    A server that heeds a schema answers a plain greeting with the schema's fields; one that ignores it just greets.
    A `setting` other than auto is believed, and nothing is sent. Raises LLMError if the server answers nothing.
    """
    limit_name: LimitName = "max_completion_tokens" if "//api.openai.com" in server.base_url else "max_tokens"
    for mode in MODES:
        if mode == setting:
            return Ability(mode=mode, limit_name=limit_name), []
    exchanges: list[tuple[dict[str, Any], Reply]] = []
    complaint = ""
    for mode in MODES:
        for name in (limit_name, other_limit_name(limit_name)):
            body = _body(model, mode, name)
            try:
                reply, _ = await server.chat(body, _OUTPUT_TOKENS, retries=2)
            except (Refused, NoAnswer) as fault:
                complaint = str(fault)
                if about_limit(complaint):
                    continue
                break
            exchanges.append((body, reply))
            if _heeds(mode, reply):
                return Ability(mode=mode, limit_name=name), exchanges
            break
    raise LLMError(f"{server.base_url}: the server answers no request to '{model}': {complaint}")


def _body(model: str, mode: Mode, limit_name: str) -> dict[str, Any]:
    words = "Say hello." if mode != "json" else 'Say hello in a JSON object with the key "hello".'
    body = {"model": model, "messages": [{"role": "user", "content": words}], limit_name: _OUTPUT_TOKENS}
    form = response_format(mode, _Probe)
    return body | ({"response_format": form} if form else {})


def _heeds(mode: Mode, reply: Reply) -> bool:
    text = reply.text.strip()
    if mode == "schema":
        # A small model may never finish; that it began with the schema's first field is proof enough.
        return bool(re.match(r'\{\s*"greeting_in_latin"', text))
    return text.startswith("{") if mode == "json" else True
