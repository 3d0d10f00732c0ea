"""What a server can do to make answers fit: found out by asking once for each server and model, and kept."""

import re
from collections.abc import Awaitable, Callable
from typing import Literal

from pydantic import BaseModel

from pairwright.errors import LLMError
from pairwright.llm.cache import Ability
from pairwright.llm.exchange import Mode, PreparedRequest, Reply, request_key
from pairwright.llm.sending import NoAnswer
from pairwright.llm.server import Refused
from pairwright.llm.structured import response_format

MODES: tuple[Mode, ...] = ("schema", "json", "text")
_LimitName = Literal["max_tokens", "max_completion_tokens"]
_OTHER_LIMIT: dict[_LimitName, _LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_ABOUT_FORMAT = r"response_format|schema|grammar|structured"
_OUTPUT_TOKENS = 256
Ask = Callable[[PreparedRequest], Awaitable[Reply]]


class _Probe(BaseModel):
    """Fields that a model would not come up with unless the schema holds it to them."""

    greeting_in_latin: str
    number_of_letters: int


def _about_limit(message: str) -> bool:
    """Whether a server complains of the name under which it got the limit of output tokens."""
    return bool(re.search(r"max_(completion_)?tokens", message) and re.search(r"unsupported|instead|unknown", message))


def next_ability(ability: Ability, complaint: str, *, may_rename: bool = True) -> Ability | None:
    """How to ask a server that refused a request with this complaint; None if the complaint is of something else."""
    if may_rename and _about_limit(complaint):
        return Ability(mode=ability.mode, limit_name=_OTHER_LIMIT[ability.limit_name])
    if re.search(_ABOUT_FORMAT, complaint, re.IGNORECASE) and ability.mode != MODES[-1]:
        return Ability(mode=MODES[MODES.index(ability.mode) + 1], limit_name=ability.limit_name)
    return None


async def find_ability(server: str, model: str, setting: str, ask: Ask) -> Ability:
    """What a server can do for a model.

    A server that heeds a schema answers a plain greeting with the schema's fields; one that ignores it just greets.
    A `setting` other than auto is believed, and nothing is sent. Raises LLMError if the server answers nothing.

    server  its base URL, or the name of a local one
    ask     sends a request, counted like any other, and gives the reply; raises Refused and NoAnswer
    """
    limit_name: _LimitName = "max_completion_tokens" if "//api.openai.com" in server else "max_tokens"
    for mode in MODES:
        if mode == setting:
            return Ability(mode=mode, limit_name=limit_name)
    complaint = ""
    for mode in MODES:
        for name in (limit_name, _OTHER_LIMIT[limit_name]):
            try:
                reply = await ask(_request(server, model, mode, name))
            except (Refused, NoAnswer) as fault:
                complaint = str(fault)
                if _about_limit(complaint):
                    continue
                break
            if _heeds(mode, reply):
                return Ability(mode=mode, limit_name=name)
            break
    raise LLMError(f"{server}: the server answers no request to '{model}': {complaint}")


def _request(server: str, model: str, mode: Mode, limit_name: str) -> PreparedRequest:
    words = "Say hello." if mode != "json" else 'Say hello in a JSON object with the key "hello".'
    body = {"model": model, "messages": [{"role": "user", "content": words}], limit_name: _OUTPUT_TOKENS}
    form = response_format(mode, _Probe)
    body |= {"response_format": form} if form else {}
    return PreparedRequest(request_key(server, body), server, body, "ability", "ability", source_id="")


def _heeds(mode: Mode, reply: Reply) -> bool:
    text = reply.text.strip()
    if mode == "schema":
        # A small model may never finish; that it began with the schema's first field is proof enough.
        return bool(re.match(r'\{\s*"greeting_in_latin"', text))
    return text.startswith("{") if mode == "json" else True
