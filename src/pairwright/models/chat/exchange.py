"""What stages hand to a language model's client and get back, and the same as it goes to the server."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from pairwright.core.errors import PromptError
from pairwright.core.records import LLMCall, Record
from pairwright.models.prompts.files import Rendered

T = TypeVar("T", bound=BaseModel)
LLMOutcome = Literal["ok", "refused", "truncated", "invalid", "failed"]
Mode = Literal["schema", "json", "text"]
LimitName = Literal["max_tokens", "max_completion_tokens"]


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
    mode: Mode = "schema"
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
