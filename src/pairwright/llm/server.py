"""One request to an OpenAI-compatible server, by the official client: faults, retries, pauses, a hard timeout."""

import asyncio
import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pairwright.config import LLMSettings
from pairwright.errors import LLMError
from pairwright.llm.exchange import Reply, Usage, message_bytes, one_line
from pairwright.llm.limits import Pace, backoff
from pairwright.llm.local import LocalServer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

# After so many requests in a row without an answer, each with all its retries, the server is down.
_DOWN_AFTER = 5
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Refused(Exception):
    """The server refuses this request with the HTTP status `status`. Nothing was billed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class NoAnswer(Exception):
    """All attempts at this request failed. `unanswered` of them may be billed all the same."""

    def __init__(self, message: str, unanswered: int) -> None:
        super().__init__(message)
        self.unanswered = unanswered


class _Fault(Exception):
    """A fault that may pass. `pause` is what the server asks for, in seconds; `busy` if all must pause."""

    def __init__(self, message: str, *, pause: float | None = None, billed: bool = False, busy: bool = False) -> None:
        super().__init__(message)
        self.pause, self.billed, self.busy = pause, billed, busy


@dataclass
class InFlight:
    """Whether a request was sent, so that it will be billed, or waits and can still be cancelled."""

    sent: bool = False


class Server:
    """The chat completions of the server in the settings, or of a local one. `name` stands for it in cache keys."""

    def __init__(self, settings: LLMSettings, local: LocalServer | None = None) -> None:
        self.base_url = (local.base_url if local else settings.base_url).rstrip("/")
        self.name = local.name if local else self.base_url
        self._settings = settings
        # The key goes nowhere but into requests.
        self._key = local.key if local else os.environ.get(settings.key_env, "").strip()
        self._failed = 0
        self.pace = Pace(settings.requests_per_minute, settings.tokens_per_minute)
        self._client: AsyncOpenAI | None = None

    def client(self) -> "AsyncOpenAI":
        """The official client, made on first use because it takes a second to import. Raises LLMError without a key."""
        if self._client is None:
            if not self._key and urlsplit(self.base_url).hostname not in _LOOPBACK:
                variable = f"the environment variable {self._settings.key_env} (llm.key_env)"
                raise self._error(f"no key; set {variable}, or work with --llm local")
            from openai import AsyncOpenAI, DefaultAioHttpClient

            self._client = AsyncOpenAI(
                base_url=self.base_url,
                api_key=self._key or "none",
                max_retries=0,
                # The timeout in `_once` counts: the client's own begins again with every piece of an answer.
                timeout=self._settings.timeout + 5,
                # Half the processor time of the default transport at 64 connections.
                http_client=DefaultAioHttpClient(),
            )
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def chat(
        self, body: dict[str, Any], tokens: int, state: InFlight | None = None, retries: int | None = None
    ) -> tuple[Reply, int]:
        """The reply to a request body, and how many earlier attempts may be billed though they got no answer.

        tokens   the estimate for input and output together, for the limit per minute
        retries  in place of those in the settings

        Raises Refused, NoAnswer, and LLMError if no request would fare better: a bad key, an unknown model, a quota
        that is used up, a server that is down.
        """
        unanswered, state = 0, state or InFlight()
        attempts = (self._settings.retries if retries is None else retries) + 1
        for attempt in range(attempts):
            await self.pace.enter(tokens)
            try:
                state.sent = True
                reply = await self._once(body)
            except _Fault as fault:
                state.sent = False
                unanswered += fault.billed
                wait = backoff(attempt, self._settings.backoff_seconds, fault.pause)
                if (fault.pause or 0) > self._settings.max_wait_seconds:
                    longer = f"it asks for a pause of {fault.pause:,.0f} s, more than llm.max_wait_seconds"
                    raise self._error(f"{fault}; {longer}; what was answered is kept: run again later") from None
                if attempt + 1 == attempts:
                    raise self._gave_up(str(fault), attempts, unanswered) from None
                if fault.busy:
                    self.pace.pause(wait)
                await asyncio.sleep(wait)
            else:
                self._failed = 0
                self.pace.used(tokens, reply.usage.tokens)
                return reply, unanswered
        raise AssertionError("the last attempt returns or raises")

    def _gave_up(self, message: str, attempts: int, unanswered: int) -> Exception:
        self._failed += 1
        if self._failed < _DOWN_AFTER:
            return NoAnswer(f"{message} ({attempts} attempts)", unanswered)
        row = f"{self._failed} requests in a row went without an answer, so no more are sent"
        return self._error(f"{message}; {row}; what was answered is kept: run again when the server is well")

    async def _once(self, body: dict[str, Any]) -> Reply:
        """One attempt. Raises _Fault, Refused or LLMError."""
        import openai

        client = self.client()
        try:
            async with asyncio.timeout(self._settings.timeout):
                # The plain body in and out: the typed call spends more time on its types than on the network.
                answer = await client.post("/chat/completions", cast_to=object, body=body)
        except TimeoutError:
            raise _Fault(f"no answer within {self._settings.timeout:g} s", billed=True) from None
        except openai.APIConnectionError as fault:
            raise _Fault(f"no connection: {self._clean(_root(fault))}") from None
        except openai.APIStatusError as fault:
            raise self._named(fault) from None
        except (openai.OpenAIError, ValueError) as fault:
            raise _Fault(f"an answer that is not JSON: {self._clean(fault)}", billed=True) from None
        reply = read_reply(answer, body)
        if reply is None:
            raise _Fault(f"an answer that is no chat completion: {self._clean(answer)}", billed=True)
        return reply

    @contextmanager
    def official_client(self) -> Iterator["AsyncOpenAI"]:
        """The official client, which retries by itself here. Its faults become LLMError."""
        import openai

        try:
            yield self.client().with_options(max_retries=self._settings.retries)
        except openai.APIStatusError as fault:
            named = self._named(fault)
            raise named if isinstance(named, LLMError) else self._error(str(named)) from None
        except openai.OpenAIError as fault:
            raise self._error(self._clean(_root(fault))) from None

    def _named(self, fault: Any) -> Exception:
        explanation = fault.body.get("message") if isinstance(fault.body, dict) else None
        status, code, message = int(fault.status_code), fault.code, self._clean(explanation or fault.message)
        if status in (401, 403):
            return self._error(f"the key in {self._settings.key_env} was not accepted ({status}): {message}")
        if status == 404:
            remedy = "check llm.base_url, which ends in /v1 on most servers, and llm.model"
            return self._error(f"not found (404): {message}; {remedy}")
        if code == "insufficient_quota":
            return self._error(f"the account has no credit left: {message}")
        if status in (408, 409, 425, 429) or status >= 500:
            pause = retry_after(dict(fault.response.headers))
            return _Fault(f"HTTP {status}: {message}", pause=pause, busy=status == 429 or pause is not None)
        return Refused(status, message)

    def _error(self, message: str) -> LLMError:
        return LLMError(f"{self.base_url}: {message}")

    def _clean(self, text: object) -> str:
        """A server's words in one line and without the key, which some servers repeat."""
        return one_line(str(text).replace(self._key, "***") if self._key else text)


def _root(fault: BaseException) -> BaseException:
    """The first cause of a fault: the layers above it call every failed connection a timeout."""
    while fault.__cause__ is not None:
        fault = fault.__cause__
    return fault


def read_reply(answer: Any, body: dict[str, Any]) -> Reply | None:
    """The reply in a chat completion; None if it is not one."""
    try:
        answer = json.loads(answer) if isinstance(answer, str) else answer
        choice = answer["choices"][0]
        message = choice["message"]
        text = message.get("content")
        text = text if isinstance(text, str) else "".join(part.get("text", "") for part in text or [])
        return Reply(
            text=text,
            finish=choice.get("finish_reason") or "",
            refusal=message.get("refusal") or None,
            served_model=answer.get("model") or body["model"],
            usage=_usage(answer.get("usage"), body, text),
        )
    except (KeyError, IndexError, TypeError, AttributeError, ValueError):
        return None


def _usage(counted: Any, body: dict[str, Any], text: str) -> Usage:
    try:
        details = counted.get("prompt_tokens_details") or {}
        return Usage(
            input_tokens=counted["prompt_tokens"],
            output_tokens=counted["completion_tokens"],
            cached_input=details.get("cached_tokens") or 0,
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        sent, received = message_bytes(body), len(text.encode())
        return Usage(input_tokens=-(-sent // 3), output_tokens=-(-received // 3), estimated=True)


def retry_after(headers: dict[str, str]) -> float | None:
    """The pause in seconds that a response asks for: `Retry-After-Ms`, or `Retry-After` in seconds or as a date."""
    lower = {name.lower(): value for name, value in headers.items()}
    for name, scale in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            if not math.isnan(seconds := float(lower.get(name, "")) / scale):
                return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(lower.get("retry-after", "")).timestamp() - time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
