"""One request to an OpenAI-compatible server: bytes of an answer, or the fault by its kind. No key gets out."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pairwright.config import LLMSettings
from pairwright.errors import LLMError, one_line
from pairwright.llm.local import LocalServer
from pairwright.llm.wire.decoding import UnreadableError, read_json
from pairwright.llm.wire.masking import Mask

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from pairwright.llm.wire.http import BoundedClient, WireFault

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Refused(Exception):
    """The server refuses this request with the HTTP status `status`. Nothing was billed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Redirect(LLMError):
    """The server sends its callers elsewhere, with an address or without. It may bill the request all the same."""


class Fault(Exception):
    """An attempt that came to nothing, while another one may fare better.

    pause    seconds that the server asks for
    billed   the server may bill the attempt
    busy     all requests must pause
    lasting  this request would meet the same fault again
    """

    def __init__(
        self,
        message: str,
        *,
        pause: float | None = None,
        billed: bool = False,
        busy: bool = False,
        lasting: bool = False,
    ) -> None:
        super().__init__(message)
        self.pause, self.billed, self.busy, self.lasting = pause, billed, busy, lasting


class Server:
    """The chat completions of the server in the settings, or of a local one. `name` stands for it in cache keys."""

    def __init__(self, settings: LLMSettings, local: LocalServer | None = None) -> None:
        self.base_url = (local.base_url if local else settings.base_url).rstrip("/")
        self.name = local.name if local else self.base_url
        self._settings = settings
        # The key goes nowhere but into requests.
        self._key = local.key if local else os.environ.get(settings.key_env, "").strip()
        self._mask = Mask(self._key)
        self._http: BoundedClient | None = None

    def _client(self) -> "BoundedClient":
        """The client, made on first use because it takes a second to import. Raises LLMError without a usable key."""
        if self._http is None:
            variable = f"the environment variable {self._settings.key_env} (llm.key_env)"
            if not self._key and urlsplit(self.base_url).hostname not in _LOOPBACK:
                raise self._error(f"no key; set {variable}, or work with --llm local")
            if not (self._key.isascii() and self._key.isprintable()):
                raise self._error(f"the key has characters that no key has; mend {variable}")
            from pairwright.llm.wire.http import BoundedClient

            self._http = BoundedClient(
                seconds=self._settings.timeout,
                most_bytes=self._settings.answer_bytes,
                file_seconds=self._settings.file_timeout,
                headers={"Authorization": f"Bearer {self._key or 'none'}"},
            )
        return self._http

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def post(self, body: dict[str, Any]) -> bytes:
        """The bytes that a server answers to a request body, as they came but for the key, which some servers repeat.

        Raises Refused; Fault; and LLMError if no request would fare better: a bad key, an unknown model, a quota that
        is used up, a server elsewhere.
        """
        client = self._client()
        from pairwright.llm.wire.http import WireFault

        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers = {"Content-Type": "application/json"}
        try:
            response = await client.post(f"{self.base_url}/chat/completions", content=content, headers=headers)
        except WireFault as fault:
            raise self._cut(fault) from None
        if not response.is_success:
            raise self._named(response.status_code, response.headers, response.content)
        return self.masked(response.content)

    async def models(self) -> list[str]:
        """What the server calls its models. Raises Refused; LLMError."""
        with self.official_client() as client:
            return [one_line(model.id) async for model in client.models.list()]

    def masked(self, content: bytes) -> bytes:
        """Bytes that the server sent, without the key."""
        return self._mask.content(content)

    @contextmanager
    def official_client(self) -> Iterator["AsyncOpenAI"]:
        """The official client, which retries by itself here. Raises Refused; LLMError for any other fault."""
        client = self._client()
        import openai

        from pairwright.llm.wire.http import WireFault

        retries = self._settings.retries
        key = self._key or "none"
        try:
            yield openai.AsyncOpenAI(http_client=client, base_url=self.base_url, api_key=key, max_retries=retries)
        except openai.APIStatusError as fault:
            named = self._named(fault.status_code, fault.response.headers, fault.response.content)
            raise self._error(str(named)) if isinstance(named, Fault) else named from None
        except (openai.OpenAIError, WireFault, UnreadableError) as fault:
            root = _root(fault)
            cause = self._cut(root) if isinstance(root, WireFault) else root
            raise cause if isinstance(cause, LLMError) else self._error(self._clean(cause)) from None

    def _cut(self, fault: "WireFault") -> LLMError | Fault:
        from pairwright.llm.wire.http import Redirected

        if isinstance(fault, Redirected):
            return self._elsewhere(self._clean(fault))
        return Fault(self._clean(fault), billed=fault.sent, lasting=fault.lasting)

    def _named(self, status: int, headers: Any, content: bytes) -> Exception:
        """The fault of an answer with an HTTP status that is no success."""
        code, message = self._explained(content)
        if 300 <= status < 400:
            return self._elsewhere(f"HTTP {status}: {message}")
        if status in (401, 403):
            return self._error(f"the key in {self._settings.key_env} was not accepted ({status}): {message}")
        if status == 404:
            remedy = "check llm.base_url, which ends in /v1 on most servers, and llm.model"
            return self._error(f"not found (404): {message}; {remedy}")
        if code == "insufficient_quota":
            return self._error(f"the account has no credit left: {message}")
        if status in (408, 409, 425, 429) or status >= 500:
            pause = retry_after(dict(headers))
            # A server that fails may have worked until then; one that declines has not.
            billed = status == 408 or status >= 500
            busy = status == 429 or pause is not None
            return Fault(f"HTTP {status}: {message}", pause=pause, billed=billed, busy=busy)
        return Refused(status, message)

    def _explained(self, content: bytes) -> tuple[object, str]:
        """The code and the message of an error, in the form of OpenAI or whatever there is."""
        with suppress(UnreadableError):
            answer = read_json(content)
            error = answer.get("error", answer) if isinstance(answer, dict) else answer
            if isinstance(error, dict) and isinstance(error.get("message"), str):
                return error.get("code"), self._clean(error["message"])
        return None, self._clean(content.decode("utf-8", "replace")) or "no reason given"

    def _error(self, message: str) -> LLMError:
        return LLMError(f"{self.base_url}: {message}")

    def _elsewhere(self, message: str) -> Redirect:
        return Redirect(f"{self.base_url}: {message}; if you trust where it sends you, make that your llm.base_url")

    def _clean(self, said: object) -> str:
        return one_line(self._mask.text(said))


def _root(fault: BaseException) -> BaseException:
    """The first cause of a fault: the layers above it call every failed connection a timeout."""
    while fault.__cause__ is not None:
        fault = fault.__cause__
    return fault


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
