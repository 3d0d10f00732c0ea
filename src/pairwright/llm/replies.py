"""What a server's bytes say: what they cost, which comes first, and then the reply in them."""

import re
from typing import Any

from pairwright.config import Price
from pairwright.errors import one_line
from pairwright.llm.exchange import Reply, Usage
from pairwright.llm.wire.decoding import UnreadableError, plain_text, read_json

# A server may count what it puts in by itself, or thoughts beyond the limit, but no more than this.
_MOST_TIMES, _MOST_BESIDE = 10, 1_000_000
# Thoughts aloud before an answer. Some servers put the first mark into the prompt, and a cut answer lacks the last.
_THOUGHTS = re.compile(r"<think>(?P<marked>.*?)(?:</think>|\Z)|(?P<begun>(?!\{).*?)</think>", re.DOTALL)


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
    if (rest := int(total or 0) - sent - said) > 0:
        sent, said = (sent + rest, said) if price.input > price.output else (sent, said + rest)
    return Usage(
        input_tokens=sent, output_tokens=said, cached_input=_cached(counted, sent), thinking=_thinking(counted)
    ), ""


def _is_possible(figure: object, most: int) -> bool:
    plain = isinstance(figure, int) or (isinstance(figure, float) and figure.is_integer())
    return plain and not isinstance(figure, bool) and 0 <= figure <= _MOST_TIMES * most + _MOST_BESIDE  # type: ignore[operator]


def _cached(counted: dict[str, Any], sent: int) -> int:
    """The tokens of the input that the server had already, which cost less; none where the figure can't be."""
    details = counted.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return cached if isinstance(cached, int) and 0 <= cached <= sent else 0


def _thinking(counted: dict[str, Any]) -> int | None:
    """The tokens of the output that came before the answer; None where they are not counted, or the figure can't be."""
    details = counted.get("completion_tokens_details")
    thinking = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return thinking if isinstance(thinking, int) and 0 <= thinking <= int(counted["completion_tokens"]) else None


def read_reply(content: bytes, usage: Usage, model: str) -> Reply:
    """The reply in the bytes of a chat completion, or of a line of a batch. Raises UnreadableError with the reason."""
    answer = _completion(read_json(content))
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content")
        text = text if isinstance(text, str) else "".join(part.get("text", "") for part in text or [])
        apart = message.get("reasoning_content") or message.get("reasoning") or ""
        finish, refusal = choice.get("finish_reason"), message.get("refusal")
        served_model = answer.get("model")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise UnreadableError(f"no chat completion: {one_line(content.decode('utf-8', 'replace'))}") from None
    text, aloud = _apart(plain_text(text))
    return Reply(
        text=text,
        thinking=plain_text(apart).strip() if apart and isinstance(apart, str) else aloud,
        finish=plain_text(finish) if isinstance(finish, str) else "",
        refusal=plain_text(str(refusal)) if refusal else None,
        served_model=one_line(served_model) if served_model and isinstance(served_model, str) else model,
        usage=usage,
    )


def _apart(text: str) -> tuple[str, str]:
    """An answer and the thoughts before it."""
    begun = text.lstrip()
    if thoughts := _THOUGHTS.match(begun):
        return begun[thoughts.end() :].strip(), (thoughts["marked"] or thoughts["begun"] or "").strip()
    return text, ""


def is_object(content: bytes) -> bool:
    """Whether an answer looks like JSON of a model's server, and not like the page of a gateway in front of it."""
    return content.lstrip()[:1] == b"{"


def _completion(answer: Any) -> Any:
    """The completion alone, which a line of a batch has in an envelope."""
    return answer["response"]["body"] if isinstance(answer, dict) and "custom_id" in answer else answer
