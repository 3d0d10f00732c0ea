"""One request from the prompt to a value that fits: asked, read, and asked again where the answer can't be used."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.ids import digest
from pairwright.llm import structured
from pairwright.llm.ability import about_format, about_limit, find_ability, weaker
from pairwright.llm.budget import Budget, cost_of
from pairwright.llm.cache import Ability, Paid, ReplyCache, request_key
from pairwright.llm.exchange import Answer, Outcome, Provenance, Reply, Request, Usage, one_line
from pairwright.llm.sending import Parcel, Sender
from pairwright.llm.server import NoAnswer, Refused, Server

T = TypeVar("T", bound=BaseModel)

_OUTPUT_TOKENS = 1024
_MOST_OUTPUT = 32_768


@dataclass
class _Talk:
    """What was said, spent and found out so far about one request."""

    ability: Ability
    said: list[dict[str, str]]
    limit: int
    keys: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(input_tokens=0, output_tokens=0))
    cost: float = 0
    cached: bool = True
    served_model: str | None = None
    outcome: Outcome = "failed"
    reason: str = ""
    text: str = ""


class Asker:
    """Turns requests into answers. One bad answer is an `Answer` that says so, never an exception."""

    def __init__(
        self,
        settings: LLMSettings,
        server: Server,
        cache: ReplyCache,
        budget: Budget,
        *,
        offline: bool,
    ) -> None:
        self._settings, self._server, self._cache, self._budget = settings, server, cache, budget
        self._offline = offline
        self.sender = Sender(settings, server, cache, budget, offline=offline)
        self._probing = asyncio.Lock()
        self._abilities: dict[tuple[str, str], Ability] = {}
        self._schemas: dict[type[BaseModel], str] = {}

    def model(self, stage: str) -> str:
        """The model that a stage asks. Raises LLMError where none is named."""
        model = self._settings.models.get(stage) or self._settings.model
        if not model:
            raise LLMError("no language model is named; set llm.model in pairwright.toml, or work with --llm local")
        return model

    async def ask(self, request: Request[T]) -> Answer[T]:
        """What becomes of a request. Raises LLMError and BudgetError where no request would fare better."""
        ability = await self.ability(request)
        talk = self._begin(request, ability)
        value: T | None = None
        for _ in range(self._settings.repairs + 1):
            reply = await self._reply(request, talk)
            if reply is None:
                break
            value, talk.outcome, talk.reason = _judge(reply, request.output)
            talk.text = reply.text
            if talk.outcome in ("ok", "refused"):
                break
            if talk.outcome == "truncated" and talk.limit < _MOST_OUTPUT:
                talk.limit = min(2 * talk.limit, _MOST_OUTPUT)
            else:
                talk.said = structured.asked_again(talk.said, reply.text, talk.reason)
        return Answer(
            request=request,
            value=value,
            outcome=talk.outcome,
            reason=talk.reason,
            text=talk.text,
            provenance=self._provenance(request, talk),
        )

    def first_parcel(self, request: Request[T], ability: Ability | None = None) -> Parcel:
        """The request as it is first sent; with the server's abilities as far as they are known."""
        known = ability or self.known_ability(request) or Ability(mode="schema", limit_name="max_tokens")
        return self._parcel(request, self._begin(request, known))

    def known_ability(self, request: Request[T]) -> Ability | None:
        """What was found out about the server, for this request's schema or in general; None before it was asked."""
        model, schema = self.model(request.stage), self._schema(request.output)
        for part in (schema, ""):
            if (model, part) not in self._abilities:
                found = self._cache.ability(self._server.name, model, part)
                if found is None:
                    continue
                self._abilities[model, part] = found
            return self._abilities[model, part]
        return None

    async def ability(self, request: Request[T]) -> Ability:
        """What the server can do for a request; the first request of all finds it out."""
        async with self._probing:
            known = self.known_ability(request)
            if known is not None:
                return known
            if self._offline:
                return Ability(mode="schema", limit_name="max_tokens")
            model = self.model(request.stage)
            self._budget.price(model)
            found, asked = await find_ability(self._server, model, self._settings.structured)
            for body, reply in asked:
                self._keep_probe(model, body, reply)
            self._cache.keep_ability(self._server.name, model, found)
            return found

    def _keep_probe(self, model: str, body: dict[str, Any], reply: Reply) -> None:
        entry = Paid(
            key=request_key(self._server.name, body),
            server=self._server.name,
            model=model,
            prompt="ability",
            stage="ability",
            source_id="",
            body=body,
            prompt_bytes=len(body["messages"][0]["content"]),
            reply=reply,
            cost=cost_of(reply.usage, self._budget.price(model)),
        )
        self._budget.refresh(self._cache.put(entry))

    def _schema(self, output: type[BaseModel]) -> str:
        if output not in self._schemas:
            self._schemas[output] = digest(structured.json_schema(output))
        return self._schemas[output]

    def _begin(self, request: Request[T], ability: Ability) -> _Talk:
        limit = self._settings.max_output_tokens or request.prompt.hints.max_output_tokens or _OUTPUT_TOKENS
        said = structured.conversation(request.prompt.messages, ability.mode, request.output)
        return _Talk(ability=ability, said=said, limit=limit)

    def _parcel(self, request: Request[T], talk: _Talk) -> Parcel:
        hinted = request.prompt.hints.temperature
        temperature = hinted if self._settings.temperature is None else self._settings.temperature
        seed = None if self._settings.seed is None else self._settings.seed + request.sample
        body = {
            "model": self.model(request.stage),
            "messages": talk.said,
            talk.ability.limit_name: talk.limit,
            "temperature": temperature,
            "seed": seed,
            "response_format": structured.response_format(talk.ability.mode, request.output),
        }
        body = {name: value for name, value in body.items() if value is not None}
        return Parcel(
            key=request_key(self._server.name, body, request.sample),
            body=body,
            prompt=request.prompt.label,
            stage=request.stage,
            source_id=request.source_id,
            name=request.name,
        )

    async def _reply(self, request: Request[T], talk: _Talk) -> Reply | None:
        """The reply to what was said so far; None where none is to be had, with the reason in `talk`."""
        swapped = False
        while True:
            parcel = self._parcel(request, talk)
            try:
                received = await self.sender.receive(parcel)
            except NoAnswer as fault:
                talk.outcome, talk.reason, talk.cached = "failed", str(fault), False
                return None
            except Refused as fault:
                lesser = weaker(talk.ability.mode)
                if about_limit(str(fault)) and not swapped:
                    swapped = True
                    self._learn(request, talk, Ability(mode=talk.ability.mode, limit_name=_other(talk.ability)))
                elif about_format(str(fault)) and lesser:
                    self._learn(request, talk, Ability(mode=lesser, limit_name=talk.ability.limit_name))
                else:
                    talk.outcome, talk.reason = "failed", f"HTTP {fault.status}: {fault}"
                    return None
                continue
            talk.keys.append(parcel.key)
            talk.usage += received.reply.usage
            talk.cost += received.cost
            talk.cached = talk.cached and received.cached
            talk.served_model = received.reply.served_model
            return received.reply

    def _learn(self, request: Request[T], talk: _Talk, ability: Ability) -> None:
        """Keeps what a server could not do for this schema, and begins the conversation anew."""
        model, schema = self.model(request.stage), self._schema(request.output)
        self._cache.keep_ability(self._server.name, model, ability, schema)
        self._abilities[model, schema] = ability
        talk.ability = ability
        talk.said = structured.conversation(request.prompt.messages, ability.mode, request.output)

    def _provenance(self, request: Request[T], talk: _Talk) -> Provenance:
        model = self.model(request.stage)
        return Provenance(
            keys=tuple(talk.keys),
            prompt=request.prompt.label,
            prompt_sha256=request.prompt.sha256,
            stage=request.stage,
            source_id=request.source_id,
            subject=request.subject,
            server=self._server.name,
            model=model,
            served_model=talk.served_model,
            mode=talk.ability.mode,
            usage=talk.usage,
            cost=talk.cost if self._budget.has_price(model) else None,
            currency=self._settings.currency,
            cached=talk.cached,
        )


def _judge(reply: Reply, output: type[T]) -> tuple[T | None, Outcome, str]:
    if reply.refusal:
        return None, "refused", one_line(reply.refusal)
    value = structured.read_value(reply.text, output)
    if isinstance(value, output):
        return value, "ok", ""
    if reply.finish == "content_filter":
        return None, "refused", "the server's filter stopped the answer"
    if reply.finish == "length":
        return None, "truncated", f"no end within {reply.usage.output_tokens:,} tokens"
    return None, "invalid", str(value)


def _other(ability: Ability) -> Any:
    return "max_tokens" if ability.limit_name == "max_completion_tokens" else "max_completion_tokens"
