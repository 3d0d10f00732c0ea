"""What stages hand to the layer of language models and what they get back."""

import re
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from pairwright.errors import PromptError
from pairwright.prompts.files import Rendered
from pairwright.records import Asked, Record

T = TypeVar("T", bound=BaseModel)
Outcome = Literal["ok", "refused", "truncated", "invalid", "failed"]
Mode = Literal["schema", "json", "text"]


@dataclass(frozen=True)
class Request(Generic[T]):
    """One question: a rendered prompt, the model that its answer has to fit, and whom it is asked for.

    subject  what it is about, such as a rule's id: named in errors
    sample   a further answer to the same question has another number

    Raises PromptError where the prompt's file names another output model.
    """

    prompt: Rendered
    output: type[T]
    stage: str
    source_id: str
    subject: str = ""
    sample: int = 0

    def __post_init__(self) -> None:
        if self.output.__name__ != self.prompt.output:
            raise PromptError(
                f"prompt {self.prompt.label}: its answer is a {self.prompt.output}, not a {self.output.__name__}"
            )

    @property
    def name(self) -> str:
        """The request as error messages name it."""
        return f"{self.prompt.label} for {self.subject or self.source_id}"


class Usage(Record):
    """Tokens of one answer. `cached_input` of the input tokens came from the server's own cache.

    estimated  the server did not count them; they are reckoned from the length of the texts
    """

    input_tokens: int
    output_tokens: int
    cached_input: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input=self.cached_input + other.cached_input,
            estimated=self.estimated or other.estimated,
        )


class Reply(Record):
    """One answer of a server, as it is kept: paid for once, read again for ever.

    finish        why the model stopped, in the server's words; `length` where it ran into the limit of tokens
    served_model  the model that the server says has answered
    """

    text: str
    finish: str
    refusal: str | None = None
    served_model: str
    usage: Usage


class Provenance(Record):
    """Where an answer comes from and what it cost: what a stage keeps beside the records it makes of the answer.

    keys       of the replies in the cache, one an attempt; the last one made the answer
    server     the base URL, or the local model's name and hash
    cost       of all attempts, in `currency`; None where the model has no price
    cached     nothing was sent for this answer
    """

    keys: tuple[str, ...]
    prompt: str
    prompt_sha256: str
    stage: str
    source_id: str
    subject: str
    server: str
    model: str
    served_model: str | None
    mode: Mode
    usage: Usage
    cost: float | None
    currency: str
    cached: bool

    @property
    def asked(self) -> Asked:
        """What a record that is made of the answer says of it. Only an answer has a reply: one that failed has none."""
        return Asked(
            prompt=self.prompt,
            prompt_sha256=self.prompt_sha256,
            server=self.server,
            model=self.model,
            reply=self.keys[-1],
        )


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What became of a request: `value` fits the output model, or it is None and `reason` says why.

    outcome  refused: the model would not; truncated: it did not come to an end; invalid: what it said does not fit;
             failed: the server gave no answer to this request
    text     the model's last words, as they came
    """

    request: Request[T]
    value: T | None
    outcome: Outcome
    reason: str
    text: str
    provenance: Provenance


def one_line(text: object, limit: int = 200) -> str:
    """Words of unknown origin for a message of ours: one line, cut, without control characters."""
    line = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", str(text)).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"
