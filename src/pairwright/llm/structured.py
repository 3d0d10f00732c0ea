"""Answers that fit a pydantic model: the schema that servers get, and how values are read from what they answer."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pairwright.errors import one_line
from pairwright.ids import digest
from pairwright.llm.exchange import Mode, PlainText
from pairwright.prompts.files import Message

T = TypeVar("T", bound=BaseModel)

_FENCED = re.compile(r"```[a-zA-Z]*[^\S\n]*\n(.*?)```", re.DOTALL)
_LONGEST = 500_000
_MOST_STARTS = 50


@cache
def json_schema(output: type[BaseModel]) -> Any:
    """The JSON schema of a model in the strict form of structured outputs: all keys required, no others allowed.

    Source: OpenAI, "Structured model outputs", the part on supported schemas.
    """
    schema = output.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


@cache
def schema_digest(output: type[BaseModel]) -> str:
    """The SHA-256 of the JSON schema of a model."""
    return digest(json_schema(output))


def _strict(node: Any, definitions: dict[str, Any]) -> Any:
    if not isinstance(node, dict):
        return [_strict(item, definitions) for item in node] if isinstance(node, list) else node
    if "$ref" in node and len(node) > 1:
        # The strict form allows no keys beside a reference, so they go into a copy of its target.
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    kept = {key: _strict(value, definitions) for key, value in node.items() if key not in ("title", "default")}
    if isinstance(node.get("properties"), dict):
        # Under `properties` the keys are names of fields, and a field may be called title or default.
        kept["properties"] = {name: _strict(field, definitions) for name, field in node["properties"].items()}
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    if isinstance(node.get("$defs"), dict):
        kept["$defs"] = {name: _strict(part, definitions) for name, part in node["$defs"].items()}
    return kept


def response_format(mode: Mode, output: type[BaseModel]) -> dict[str, Any] | None:
    """The `response_format` of a request; None if the server is only asked in words."""
    if output is PlainText:
        return None
    if mode == "schema":
        named = {"name": output.__name__, "strict": True, "schema": json_schema(output)}
        return {"type": "json_schema", "json_schema": named}
    return {"type": "json_object"} if mode == "json" else None


def conversation(messages: tuple[Message, ...], mode: Mode, output: type[BaseModel]) -> list[dict[str, str]]:
    """The messages as servers take them. If no schema is sent beside them, the last one describes the answer."""
    turns = [{"role": message.role, "content": message.content} for message in messages]
    if mode != "schema" and output is not PlainText:
        schema = json.dumps(json_schema(output), ensure_ascii=False)
        turns[-1]["content"] += f"\n\nAnswer with one JSON object and nothing else. It fits this JSON schema:\n{schema}"
    return turns


def asked_again(messages: list[dict[str, str]], text: str, reason: str) -> list[dict[str, str]]:
    """The conversation with an answer that can't be used, and the request for a better one."""
    request = f"This answer can't be used: {reason}. Answer again, with the corrected JSON object alone."
    return [*messages, {"role": "assistant", "content": text or "(nothing)"}, {"role": "user", "content": request}]


def read_value(text: str, output: type[T]) -> T | str:
    """The value in an answer, or the reason why there is none.

    A JSON object may stand alone, in a fence or among other words; the first that fits is taken. Among
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
            # The first reason is the best one, because the following objects are parts of the same text.
            reason = reason or _why(fault)
    return reason or "no JSON object with all the fields in it"


def _objects(text: str) -> Iterator[str]:
    """The JSON objects of a text: the whole of it, those in fences, those that begin at a brace; outermost first."""
    decoder = json.JSONDecoder()
    for piece in (text, *(match[1].strip() for match in _FENCED.finditer(text))):
        start = piece.find("{")
        for _ in range(_MOST_STARTS):
            if start < 0:
                break
            try:
                _, end = decoder.raw_decode(piece, start)
                yield piece[start:end]
            except (ValueError, RecursionError):
                end = start + 1
            start = piece.find("{", end)


def _why(fault: ValidationError) -> str:
    first = fault.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return one_line(f"'{place}': {first['msg']}" if place else first["msg"])
