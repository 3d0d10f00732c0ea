"""What stages hand to a language model's client and get back, and what a server's bytes say.

Nobody vouches for those: what they cost, the reply in them, and the value in its words.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from pairwright.core.config import Price
from pairwright.core.errors import PromptError, counted, one_line
from pairwright.core.records import LLMCall, Record
from pairwright.models.prompts import Rendered

T = TypeVar("T", bound=BaseModel)
LLMOutcome = Literal["ok", "refused", "truncated", "invalid", "failed"]
Mode = Literal["schema", "json", "text"]
LimitName = Literal["max_tokens", "max_completion_tokens"]

# More digits than any figure that a server has reason to send; Python itself refuses more than 4,300.
_MOST_DIGITS = 30
_SURROGATE = re.compile("[\ud800-\udfff]")
# A server may count what it puts in by itself, or thoughts beyond the limit, but no more than this.
_MOST_TIMES, _MOST_BESIDE = 10, 1_000_000
# Thoughts aloud before an answer. Some servers put the first mark into the prompt, and a cut answer lacks the last.
_THOUGHTS = re.compile(r"<think>(?P<marked>.*?)(?:</think>|\Z)|(?P<begun>(?!\{).*?)</think>", re.DOTALL)
_LONGEST, _MOST_STARTS = 500_000, 50


class PlainText(BaseModel):
    """An answer in the model's own words: it is asked for no form, and whatever it says fits."""

    text: str


@dataclass(frozen=True)
class Request(Generic[T]):
    """One question: a rendered prompt, the pydantic model that the answer must fit, and who asks.

    subject  what the question is about, such as a rule's id, for error messages
    sample   ask the same question again under another number to get a further answer

    Raises PromptError if the prompt's file names another output model.
    """

    prompt: Rendered
    output: type[T]
    stage: str
    source_id: str
    subject: str = ""
    sample: int = 0

    def __post_init__(self) -> None:
        prompt, name = self.prompt, self.output.__name__
        if name != prompt.output:
            raise PromptError(f"prompt {prompt.label}: its answer is a {prompt.output}, not a {name}")


class Dialect(NamedTuple):
    """What a server understands: how answers are made to fit, and what it calls the limit of output tokens."""

    mode: Mode
    limit_name: LimitName


@dataclass(frozen=True)
class PreparedRequest:
    """A request as it is sent: its place in the cache, the server, the JSON body, who asks, its name in messages."""

    key: str
    server: str
    body: dict[str, Any]
    prompt: str
    stage: str
    source_id: str
    name: str = ""

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def output_limit(self) -> int:
        """The most tokens that the answer may have."""
        return int(self.body.get("max_tokens") or self.body.get("max_completion_tokens") or 0)

    @property
    def message_bytes(self) -> int:
        """The length of its messages in UTF-8."""
        return sum(len(message["content"].encode()) for message in self.body["messages"])


class Usage(Record):
    """The tokens of one answer; `estimated` at the most that it may have used if the server has no count that can be.

    The server took `cached_input` of the input tokens from its own cache. Of the output tokens, `thinking` came before
    the answer; None where the server does not count them apart.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input: int = 0
    thinking: int | None = None
    estimated: bool = False

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input=self.cached_input + other.cached_input,
            thinking=(self.thinking or 0) + (other.thinking or 0) if self.thinking or other.thinking else None,
            estimated=self.estimated or other.estimated,
        )


class Reply(Record):
    """One reply of a server, as the cache keeps it.

    text          the answer, without the thinking before it
    finish        why the model stopped, in the server's words; `length` if it ran into the limit of tokens
    served_model  the model that answered, according to the server
    """

    text: str
    thinking: str = ""
    finish: str
    refusal: str | None = None
    served_model: str
    usage: Usage


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What became of a request: `value` fits the output model, or it is None and `reason` says why.

    server   the base URL, or the local model's name and hash
    model    the model that was asked for; `served_model` is the one that answered, according to the server
    cost     of all attempts now, in the currency of the settings; None if the model has no price
    outcome  refused: the model declined; truncated: the answer has no end; invalid: it does not fit the model;
             failed: the server gave no answer to this request
    text     the model's last words, as they came, without its `thinking`
    keys     the replies in the cache, one for each attempt; the last one holds the answer
    usage    the tokens of all attempts
    cached   everything came from the cache, and nothing was sent
    """

    request: Request[T]
    server: str
    model: str
    cost: float | None
    value: T | None = None
    outcome: LLMOutcome = "failed"
    reason: str = ""
    text: str = ""
    thinking: str = ""
    served_model: str | None = None
    keys: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cached: bool = True

    @property
    def call(self) -> LLMCall:
        """What a record that is made from this answer keeps of it. There must be a reply: outcome is not failed."""
        return LLMCall(
            prompt=self.request.prompt.label,
            prompt_sha256=self.request.prompt.sha256,
            server=self.server,
            model=self.model,
            served_model=self.served_model,
            reply=self.keys[-1],
        )


class Completer(Protocol):
    """All that a stage sees of language models: `run` gives the answers to requests, in their order."""

    def run(self, requests: Iterable[Request[T]]) -> Iterator[Answer[T]]: ...


class UnreadableError(Exception):
    """An answer that can't be used, with the reason."""


@dataclass(eq=False)
class Fault(Exception):
    """A request without an answer that can be used.

    billed    the server may bill it
    passing   the same request may fare better later
    pause     seconds for which no request is to be sent, as the server is busy
    ends      no other request would fare better, as with a bad key, or where no connection can be opened
    attempts  how many there were
    """

    message: str
    billed: bool = False
    passing: bool = False
    pause: float | None = None
    ends: bool = False
    attempts: int = 1

    def __str__(self) -> str:
        return self.message + (f" ({self.attempts} attempts)" if self.attempts > 1 else "")


def read_json(content: bytes) -> Any:
    """The value of a JSON text. Raises UnreadableError if it is not JSON or too deep; huge integers become floats."""
    try:
        return json.loads(content, parse_int=lambda digits: (int if len(digits) <= _MOST_DIGITS else float)(digits))
    except RecursionError:
        raise UnreadableError("JSON that is nested too deep") from None
    except ValueError as fault:
        raise UnreadableError(f"not JSON: {fault}") from None


def read_object(content: bytes) -> dict[str, Any]:
    """The object of a JSON text. Raises UnreadableError where it is anything else."""
    value = read_json(content)
    if not isinstance(value, dict):
        raise UnreadableError("no JSON object")
    return value


def plain_text(text: str) -> str:
    """Text that can be written as UTF-8: each half of a surrogate pair that stands alone becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def count_usage(content: bytes, most: Usage, price: Price) -> tuple[Usage, str]:
    """The tokens that an answer used, and a note where they are the estimate, which is the `most` it may have used.

    The estimate counts where the server gives no figures, or some that can't be. Where its total is larger than the
    sum of input and output, the rest goes to the dearer of the two.
    """
    try:
        figures = _completion(read_json(content))["usage"]
        sent, said = figures["prompt_tokens"], figures["completion_tokens"]
        given = figures.get("total_tokens")
        total = sent + said if given is None else given
    except (UnreadableError, KeyError, TypeError):
        return most, "the server counts no tokens"
    for figure, limit in ((sent, most.input_tokens), (said, most.output_tokens), (total, most.tokens)):
        whole = isinstance(figure, int) or (isinstance(figure, float) and figure.is_integer())
        if not whole or isinstance(figure, bool) or not 0 <= figure <= _MOST_TIMES * limit + _MOST_BESIDE:
            return most, one_line(f"the server counts {figure!r} tokens, which can't be", 120)
    sent, said = int(sent), int(said)
    thinking = _detail(figures, "completion_tokens_details", "reasoning_tokens", said)
    if (rest := int(total) - sent - said) > 0:
        sent, said = (sent + rest, said) if price.input > price.output else (sent, said + rest)
    cached = _detail(figures, "prompt_tokens_details", "cached_tokens", sent) or 0
    return Usage(input_tokens=sent, output_tokens=said, cached_input=cached, thinking=thinking), ""


def _detail(figures: dict[str, Any], group: str, name: str, most: int) -> int | None:
    """A part of the tokens that were counted; None where it is not given, or can't be."""
    details = figures.get(group)
    figure = details.get(name) if isinstance(details, dict) else None
    return figure if isinstance(figure, int) and 0 <= figure <= most else None


def read_reply(content: bytes, usage: Usage, model: str) -> Reply:
    """The reply in the bytes of a chat completion, or of a line of a batch. Raises UnreadableError with the reason."""
    answer = _completion(read_json(content))
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content")
        text = plain_text(text if isinstance(text, str) else "".join(part.get("text", "") for part in text or []))
        thinking = message.get("reasoning_content") or message.get("reasoning")
        finish, refusal, served = choice.get("finish_reason"), message.get("refusal"), answer.get("model")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise UnreadableError(f"no chat completion: {one_line(content.decode('utf-8', 'replace'))}") from None
    aloud = ""
    if thoughts := _THOUGHTS.match(begun := text.lstrip()):
        text, aloud = begun[thoughts.end() :].strip(), (thoughts["marked"] or thoughts["begun"] or "").strip()
    return Reply(
        text=text,
        thinking=plain_text(thinking).strip() if isinstance(thinking, str) else aloud,
        finish=plain_text(finish) if isinstance(finish, str) else "",
        refusal=plain_text(str(refusal)) if refusal else None,
        served_model=one_line(served) if served and isinstance(served, str) else model,
        usage=usage,
    )


def _completion(answer: Any) -> Any:
    """The completion alone, which a line of a batch has in an envelope."""
    return answer["response"]["body"] if isinstance(answer, dict) and "custom_id" in answer else answer


def read_answer(reply: Reply, output: type[T]) -> tuple[T | None, LLMOutcome, str]:
    """The value in a reply; or None, what the reply is instead, and the reason."""
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


@cache
def strict_schema(output: type[BaseModel]) -> Any:
    """The JSON schema of a model in the strict form of structured outputs: all keys required, no others allowed.

    Source: OpenAI, "Structured model outputs", the part on supported schemas.
    """
    schema = output.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


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
