"""One request from the prompt to a value that fits: sent, read, and asked again if the answer can't be used."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError, counted, one_line
from pairwright.core.ids import digest
from pairwright.models.chat.budget import Budget
from pairwright.models.chat.cache import ReplyCache
from pairwright.models.chat.exchange import (
    Answer,
    Dialect,
    LLMOutcome,
    Mode,
    PlainText,
    PreparedRequest,
    Reply,
    Request,
    request_key,
)
from pairwright.models.chat.replies import Fault
from pairwright.models.chat.sending import Sender
from pairwright.models.chat.server import Server

T = TypeVar("T", bound=BaseModel)

_OUTPUT_TOKENS, _MOST_OUTPUT = 1024, 32_768
_MODES: tuple[Mode, ...] = ("schema", "json", "text")
_LONGEST, _MOST_STARTS = 500_000, 50


class Asker:
    """Turns requests into answers. A bad answer is an `Answer` that says so, never an exception."""

    def __init__(
        self, settings: LLMSettings, server: Server, replies: ReplyCache, budget: Budget, *, offline: bool
    ) -> None:
        self._settings, self._server, self._cache, self._budget = settings, server, replies, budget
        self.sender = Sender(settings, server, replies, budget, offline=offline)

    def model(self, stage: str) -> str:
        """The model that a stage asks. Raises LLMError if the settings name none."""
        if model := self._settings.models.get(stage) or self._settings.model:
            return model
        raise LLMError("no language model is named; set llm.model in pairwright.toml, or work with --llm local")

    def ask(self, request: Request[T], stop: threading.Event) -> Answer[T]:
        """The answer to a request. Raises LLMError and BudgetError if no other request would fare better."""
        model, dialect, limit = self.model(request.stage), self._dialect(request), self._limit(request)
        answer = Answer(request, self._server.name, model, cost=0 if self._budget.has_price(model) else None)
        messages, tried, repairs = conversation(request, dialect.mode), {dialect}, self._settings.repairs
        while True:
            prepared = self._prepared(request, dialect, messages, limit)
            try:
                received = self.sender.receive(prepared, stop)
            except Fault as fault:
                other = _other_dialect(dialect, str(fault)) if fault.lasting and not fault.billed else None
                if other is None or other in tried:
                    answer = replace(answer, value=None, outcome="failed", reason=str(fault), cached=False)
                    return replace(answer, mode=dialect.mode)
                dialect = self._learned(request, other)
                messages = conversation(request, dialect.mode)
                tried.add(dialect)
                continue
            reply = received.reply
            value, outcome, reason = _read(reply, request.output)
            answer = replace(
                answer,
                value=value,
                outcome=outcome,
                reason=reason,
                text=reply.text,
                thinking=reply.thinking,
                keys=(*answer.keys, prepared.key),
                usage=answer.usage + reply.usage,
                cost=None if answer.cost is None else answer.cost + received.cost,
                cached=answer.cached and received.cached,
                served_model=reply.served_model,
                mode=dialect.mode,
            )
            if outcome in ("ok", "refused") or not repairs:
                return answer
            repairs -= 1
            if outcome == "truncated" and limit < _MOST_OUTPUT:
                limit = min(2 * limit, _MOST_OUTPUT)
            elif self._settings.structured == "auto" and dialect.mode == "schema" and "{" not in (reply.text or "{"):
                # A server that held answers to the schema would have sent an object.
                dialect = self._learned(request, dialect._replace(mode="json"))
                messages = conversation(request, dialect.mode)
            else:
                again = f"This answer can't be used: {reason}. Answer again, with the corrected JSON object alone."
                turns = {"assistant": reply.text or "(nothing)", "user": again}
                messages = [*messages, *({"role": role, "content": content} for role, content in turns.items())]

    def prepare(self, request: Request[T]) -> PreparedRequest:
        """The request as it is first sent, by what is known so far of the server."""
        dialect = self._dialect(request)
        return self._prepared(request, dialect, conversation(request, dialect.mode), self._limit(request))

    def _dialect(self, request: Request[T]) -> Dialect:
        """What the server has been found to understand for this request's schema, else what is tried first."""
        server, stated = self._server.name, self._settings.structured
        learned = self._cache.dialect(server, self.model(request.stage), _schema_digest(request.output))
        if learned:
            return learned
        mode = next((mode for mode in _MODES if mode == stated), _MODES[0])
        return Dialect(mode, "max_completion_tokens" if "//api.openai.com" in server else "max_tokens")

    def _learned(self, request: Request[T], dialect: Dialect) -> Dialect:
        """Remembers what a server understands, also for the cache: what is asked otherwise has another key."""
        schema = _schema_digest(request.output)
        self._cache.keep_dialect(self._server.name, self.model(request.stage), schema, dialect)
        return dialect

    def _limit(self, request: Request[T]) -> int:
        return self._settings.max_output_tokens or request.prompt.hints.max_output_tokens or _OUTPUT_TOKENS

    def _prepared(
        self, request: Request[T], dialect: Dialect, messages: list[dict[str, str]], limit: int
    ) -> PreparedRequest:
        settings, hinted = self._settings, request.prompt.hints.temperature
        body = {
            "model": self.model(request.stage),
            "messages": messages,
            dialect.limit_name: limit,
            "temperature": hinted if settings.temperature is None else settings.temperature,
            "seed": None if settings.seed is None else settings.seed + request.sample,
            "response_format": _response_format(dialect.mode, request.output),
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


def _other_dialect(dialect: Dialect, complaint: str) -> Dialect | None:
    """How to ask a server that refused a request with this complaint; None if the complaint is of something else."""
    if re.search(r"max_(completion_)?tokens", complaint) and re.search(r"unsupported|instead|unknown", complaint, re.I):
        return Dialect(dialect.mode, "max_tokens" if dialect.limit_name != "max_tokens" else "max_completion_tokens")
    if re.search(r"response_format|schema|grammar|structured", complaint, re.I) and dialect.mode != _MODES[-1]:
        return Dialect(_MODES[_MODES.index(dialect.mode) + 1], dialect.limit_name)
    return None


def conversation(request: Request[Any], mode: Mode) -> list[dict[str, str]]:
    """The messages as servers take them. If no schema is sent beside them, the last one describes the answer."""
    turns = [{"role": message.role, "content": message.content} for message in request.prompt.messages]
    output: type[BaseModel] = request.output
    if mode != "schema" and output is not PlainText:
        schema = json.dumps(_json_schema(output), ensure_ascii=False)
        turns[-1]["content"] += f"\n\nAnswer with one JSON object and nothing else. It fits this JSON schema:\n{schema}"
    return turns


def _response_format(mode: Mode, output: type[BaseModel]) -> dict[str, Any] | None:
    """The `response_format` of a request; None if the server is only asked in words."""
    if output is PlainText or mode == "text":
        return None
    if mode == "json":
        return {"type": "json_object"}
    named = {"name": output.__name__, "strict": True, "schema": _json_schema(output)}
    return {"type": "json_schema", "json_schema": named}


@cache
def _json_schema(output: type[BaseModel]) -> Any:
    """The JSON schema of a model in the strict form of structured outputs: all keys required, no others allowed.

    Source: OpenAI, "Structured model outputs", the part on supported schemas.
    """
    schema = output.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


def _schema_digest(output: type[BaseModel]) -> str:
    return digest(_json_schema(output))


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if not isinstance(node, dict):
        return [_strict(item, definitions) for item in node] if isinstance(node, list) else node
    if "$ref" in node and len(node) > 1:
        # The strict form allows no keys beside a reference, so they go into a copy of its target.
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    kept = {key: _strict(value, definitions) for key, value in node.items() if key not in ("title", "default")}
    for names in ("properties", "$defs"):
        if isinstance(node.get(names), dict):
            # Here the keys are names of fields or models, and a field may be called title or default.
            kept[names] = {name: _strict(part, definitions) for name, part in node[names].items()}
    if isinstance(node.get("properties"), dict):
        kept |= {"required": list(node["properties"]), "additionalProperties": False}
    return kept


def _read(reply: Reply, output: type[T]) -> tuple[T | None, LLMOutcome, str]:
    if reply.refusal:
        return None, "refused", one_line(reply.refusal)
    value = read_value(reply.text, output)
    # Any words fit a plain text, also those that were not the last.
    if isinstance(value, output) and not (output is PlainText and reply.finish in ("length", "content_filter")):
        return value, "ok", ""
    if reply.finish == "content_filter":
        return None, "refused", "the server's filter stopped the answer"
    if reply.finish == "length":
        return None, "truncated", f"no end within {counted(reply.usage.output_tokens, 'token')}"
    return None, "invalid", str(value)


def read_value(text: str, output: type[T]) -> T | str:
    """The value in an answer, or the reason why there is none.

    A JSON object may be alone, in a fence or among other words; the first that fits is taken. Among
    other words it must have all the fields, so that a part of a broken object is not taken for the whole.
    """
    if len(text) > _LONGEST:
        return f"longer than {_LONGEST:,} characters"
    bare = text.strip().removeprefix("\ufeff")
    if not bare:
        return "it is empty"
    if output is PlainText:
        return output(text=bare)
    reason = ""
    for candidate in _objects(bare):
        if candidate != bare and not output.model_fields.keys() <= json.loads(candidate).keys():
            continue
        try:
            return output.model_validate_json(candidate)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            # The first reason is the best one, because the following objects are parts of the same text.
            reason = reason or one_line(f"'{place}': {first['msg']}" if place else first["msg"])
    return reason or "no JSON object with all the fields in it"


def _objects(text: str) -> Iterator[str]:
    """The JSON objects of a text, each from the brace with which it begins; outermost first."""
    decoder = json.JSONDecoder()
    start, tried = text.find("{"), 0
    while start >= 0 and (tried := tried + 1) <= _MOST_STARTS:
        try:
            _, end = decoder.raw_decode(text, start)
            yield text[start:end]
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
