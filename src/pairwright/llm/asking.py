"""One request from the prompt to a value that fits: sent, read, and asked again if the answer can't be used."""

import asyncio
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from pairwright.config import LLMSettings
from pairwright.errors import LLMError, counted, one_line
from pairwright.llm import structured
from pairwright.llm.ability import find_ability, next_ability
from pairwright.llm.budget import Budget
from pairwright.llm.cache import Ability, ReplyCache
from pairwright.llm.exchange import Answer, LLMOutcome, PlainText, PreparedRequest, Reply, Request, request_key
from pairwright.llm.sending import NoAnswer, Sender
from pairwright.llm.server import Refused, Server

T = TypeVar("T", bound=BaseModel)

_OUTPUT_TOKENS = 1024
_MOST_OUTPUT = 32_768
_UNKNOWN = Ability(mode="schema", limit_name="max_tokens")


@dataclass
class _Conversation:
    """The messages so far, and how the next request is sent: by what the server can do, with so many output tokens."""

    ability: Ability
    messages: list[dict[str, str]]
    limit: int


class Asker:
    """Turns requests into answers. A bad answer is an `Answer` that says so, never an exception."""

    def __init__(
        self, settings: LLMSettings, server: Server, cache: ReplyCache, budget: Budget, *, offline: bool
    ) -> None:
        self._settings, self._server, self._cache, self._budget = settings, server, cache, budget
        self._offline = offline
        self.sender = Sender(settings, server, cache, budget, offline=offline)
        self._probing = asyncio.Lock()

    def model(self, stage: str) -> str:
        """The model that a stage asks. Raises LLMError if the settings name none."""
        if model := self._settings.models.get(stage) or self._settings.model:
            return model
        raise LLMError("no language model is named; set llm.model in pairwright.toml, or work with --llm local")

    async def ask(self, request: Request[T]) -> Answer[T]:
        """The answer to a request. Raises LLMError and BudgetError if no other request would fare better."""
        conversation = self._begin(request, await self.ability(request))
        model = self.model(request.stage)
        answer = Answer(request, self._server.name, model, cost=0 if self._budget.has_price(model) else None)
        for _ in range(self._settings.repairs + 1):
            answer, reply = await self._reply(answer, conversation)
            if reply is None:
                break
            value, outcome, reason = _read(reply, request.output)
            answer = replace(
                answer, value=value, outcome=outcome, reason=reason, text=reply.text, thinking=reply.thinking
            )
            if outcome in ("ok", "refused"):
                break
            if outcome == "truncated" and conversation.limit < _MOST_OUTPUT:
                conversation.limit = min(2 * conversation.limit, _MOST_OUTPUT)
            else:
                conversation.messages = structured.asked_again(conversation.messages, reply.text, reason)
        return replace(answer, mode=conversation.ability.mode)

    def prepare(self, request: Request[T], ability: Ability | None = None) -> PreparedRequest:
        """The request as it is first sent, by what is known so far of the server if no `ability` is given."""
        return self._prepared(request, self._begin(request, ability or self._known_ability(request) or _UNKNOWN))

    async def ability(self, request: Request[T]) -> Ability:
        """What the server can do for a request; the first request of all finds out."""
        async with self._probing:
            known = self._known_ability(request)
            if known or self._offline:
                return known or _UNKNOWN
            model, server = self.model(request.stage), self._server.name

            async def probe(prepared: PreparedRequest) -> Reply:
                return (await self.sender.receive(prepared, retries=2)).reply

            ability = await find_ability(server, model, self._settings.structured, probe)
            self._cache.keep_ability(server, model, ability)
            return ability

    def _known_ability(self, request: Request[T]) -> Ability | None:
        """What is known of the server for this request's schema, else in general; None before it was asked."""
        server, model = self._server.name, self.model(request.stage)
        of_schema = self._cache.ability(server, model, structured.schema_digest(request.output))
        return of_schema or self._cache.ability(server, model)

    def _begin(self, request: Request[T], ability: Ability) -> _Conversation:
        limit = self._settings.max_output_tokens or request.prompt.hints.max_output_tokens or _OUTPUT_TOKENS
        messages = structured.conversation(request.prompt.messages, ability.mode, request.output)
        return _Conversation(ability, messages, limit)

    def _prepared(self, request: Request[T], conversation: _Conversation) -> PreparedRequest:
        settings, ability = self._settings, conversation.ability
        hinted = request.prompt.hints.temperature
        body = {
            "model": self.model(request.stage),
            "messages": conversation.messages,
            ability.limit_name: conversation.limit,
            "temperature": hinted if settings.temperature is None else settings.temperature,
            "seed": None if settings.seed is None else settings.seed + request.sample,
            "response_format": structured.response_format(ability.mode, request.output),
        }
        body = {name: value for name, value in body.items() if value is not None}
        return PreparedRequest(
            key=request_key(self._server.name, body, request.sample),
            server=self._server.name,
            body=body,
            prompt=request.prompt.label,
            stage=request.stage,
            source_id=request.source_id,
            name=request.name,
        )

    async def _reply(self, answer: Answer[T], conversation: _Conversation) -> tuple[Answer[T], Reply | None]:
        """The next reply, with what it cost added to the answer; None if there is none, with the reason."""
        may_rename = True
        while True:
            prepared = self._prepared(answer.request, conversation)
            try:
                received = await self.sender.receive(prepared)
            except NoAnswer as fault:
                return replace(answer, value=None, outcome="failed", reason=str(fault), cached=False), None
            except Refused as fault:
                ability = next_ability(conversation.ability, str(fault), may_rename=may_rename)
                if ability is None:
                    reason = f"HTTP {fault.status}: {fault}"
                    return replace(answer, value=None, outcome="failed", reason=reason), None
                may_rename = may_rename and ability.limit_name == conversation.ability.limit_name
                self._learn(answer.request, conversation, ability)
                continue
            spent = replace(
                answer,
                keys=(*answer.keys, prepared.key),
                usage=answer.usage + received.reply.usage,
                cost=None if answer.cost is None else answer.cost + received.cost,
                cached=answer.cached and received.cached,
                served_model=received.reply.served_model,
            )
            return spent, received.reply

    def _learn(self, request: Request[T], conversation: _Conversation, ability: Ability) -> None:
        """Remembers what a server can't do for this schema, and begins the conversation again."""
        schema = structured.schema_digest(request.output)
        self._cache.keep_ability(self._server.name, self.model(request.stage), ability, schema)
        conversation.ability = ability
        conversation.messages = structured.conversation(request.prompt.messages, ability.mode, request.output)


def _read(reply: Reply, output: type[T]) -> tuple[T | None, LLMOutcome, str]:
    if reply.refusal:
        return None, "refused", one_line(reply.refusal)
    value = structured.read_value(reply.text, output)
    if output is PlainText and reply.finish in ("length", "content_filter"):
        # Any words fit, also those that were not the last.
        value = "it has no end"
    if isinstance(value, output):
        return value, "ok", ""
    if reply.finish == "content_filter":
        return None, "refused", "the server's filter stopped the answer"
    if reply.finish == "length":
        return None, "truncated", f"no end within {counted(reply.usage.output_tokens, 'token')}"
    return None, "invalid", str(value)
