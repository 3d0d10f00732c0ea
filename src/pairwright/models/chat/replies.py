"""What a server's bytes say: what they cost, and the reply in them. Nobody vouches for them."""

import json
import re
from dataclasses import dataclass
from typing import Any

from pairwright.core.config import Price
from pairwright.core.errors import one_line
from pairwright.models.chat.exchange import Reply, Usage

# More digits than any figure that a server has reason to send; Python itself refuses more than 4,300.
_MOST_DIGITS = 30
_SURROGATE = re.compile("[\ud800-\udfff]")
# A server may count what it puts in by itself, or thoughts beyond the limit, but no more than this.
_MOST_TIMES, _MOST_BESIDE = 10, 1_000_000
# Thoughts aloud before an answer. Some servers put the first mark into the prompt, and a cut answer lacks the last.
_THOUGHTS = re.compile(r"<think>(?P<marked>.*?)(?:</think>|\Z)|(?P<begun>(?!\{).*?)</think>", re.DOTALL)


class UnreadableError(Exception):
    """An answer that can't be used, with the reason."""


@dataclass(eq=False)
class Fault(Exception):
    """A request without an answer that can be used.

    billed     the server may bill it
    lasting    this request would meet the same fault again
    pause      seconds that the server asks for
    busy       all requests must pause
    unreached  no connection can be opened
    redirect   the server sends its callers elsewhere
    attempts   how many there were
    """

    message: str
    billed: bool = False
    lasting: bool = False
    pause: float | None = None
    busy: bool = False
    unreached: bool = False
    redirect: bool = False
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
        counted = _completion(read_json(content))["usage"]
        sent, said = counted["prompt_tokens"], counted["completion_tokens"]
    except (UnreadableError, KeyError, TypeError):
        return most, "the server counts no tokens"
    total = counted.get("total_tokens")
    if not _is_possible(sent, most.input_tokens) or not _is_possible(said, most.output_tokens):
        return most, one_line(f"the server counts {sent!r} tokens in and {said!r} out, which can't be", 120)
    if total is not None and not _is_possible(total, most.tokens):
        return most, one_line(f"the server counts {total!r} tokens in all, which can't be", 120)
    sent, said = int(sent), int(said)
    thinking = _detail(counted, "completion_tokens_details", "reasoning_tokens", said)
    if (rest := int(total or 0) - sent - said) > 0:
        sent, said = (sent + rest, said) if price.input > price.output else (sent, said + rest)
    cached = _detail(counted, "prompt_tokens_details", "cached_tokens", sent) or 0
    return Usage(input_tokens=sent, output_tokens=said, cached_input=cached, thinking=thinking), ""


def _is_possible(figure: object, most: int) -> bool:
    plain = isinstance(figure, int) or (isinstance(figure, float) and figure.is_integer())
    return plain and not isinstance(figure, bool) and 0 <= figure <= _MOST_TIMES * most + _MOST_BESIDE  # type: ignore[operator]


def _detail(counted: dict[str, Any], group: str, name: str, most: int) -> int | None:
    """A part of the tokens that were counted; None where it is not given, or can't be."""
    details = counted.get(group)
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
