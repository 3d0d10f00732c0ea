"""Requests to an OpenAI-compatible server: the answer, or the fault by its kind; what may pass is tried again."""

import json
import math
import os
import random
import re
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from itertools import count
from time import time
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

from pairwright.core.config import LLMSettings
from pairwright.core.errors import LLMError, one_line
from pairwright.models.chat.answers import Fault, UnreadableError, read_json, read_object
from pairwright.models.chat.local import LocalServer

if TYPE_CHECKING:
    from pairwright.models.chat.http import HTTPServer

R = TypeVar("R")

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Of a file of a batch.
_FILE_SECONDS, _FILE_BYTES = 3600, 500_000_000


class Stopped(Exception):
    """Whoever asked has gone, and nothing was sent."""


class Server:
    """The server in the settings, or a local one. `name` stands for it in cache keys, so it has no port.

    A request raises Fault; once there are no more attempts, `persist` makes those that end a run an LLMError.
    """

    def __init__(
        self, settings: LLMSettings, local: LocalServer | None = None, *, needs_key: bool | None = None
    ) -> None:
        self.base_url = (local.base_url if local else settings.base_url).rstrip("/")
        self.name = local.name if local else re.sub(r"(?<=[^/]):\d+(?=/|$)", "", self.base_url)
        self._settings = settings
        self._needs_key = urlsplit(self.base_url).hostname not in _LOOPBACK if needs_key is None else needs_key
        # The key goes nowhere but into requests.
        self._key = local.key if local else os.environ.get(settings.key_env, "").strip()

    @cached_property
    def _http(self) -> "HTTPServer":
        """Made on first use, because it takes a moment to import. Raises Fault without a usable key."""
        variable = f"the environment variable {self._settings.key_env} (key_env)"
        if not self._key and self._needs_key:
            raise Fault(f"no key; set {variable}", ends=True)
        if not (self._key.isascii() and self._key.isprintable()):
            raise Fault(f"the key has characters that no key has; correct {variable}", ends=True)
        from pairwright.models.chat.http import HTTPServer

        return HTTPServer(self.base_url, self._key or "none")

    def close(self) -> None:
        if "_http" in vars(self):
            self._http.close()

    def persist(
        self,
        attempt: Callable[[], R],
        stop: threading.Event | None = None,
        hold: Callable[[float], None] = lambda seconds: None,
    ) -> R:
        """What an attempt comes to, made again after faults that may pass. Raises Fault, LLMError and Stopped.

        hold  is told how long all requests must pause
        """
        settings, stop = self._settings, stop or threading.Event()
        for number in count():
            try:
                return attempt()
            except Fault as fault:
                if (fault.pause or 0) > settings.max_wait_seconds:
                    longer = f"it asks for a pause of {fault.pause:,.0f} s, more than llm.max_wait_seconds"
                    raise self.error(f"{fault}; {longer}; what was answered is kept: run again later") from None
                if not fault.passing or number == settings.retries:
                    fault.attempts = number + 1
                    if fault.ends:
                        raise self.error(str(fault)) from None
                    raise
                # Source: Brooker (2015), Exponential Backoff and Jitter, AWS Architecture Blog ("equal jitter").
                full = min(60.0, settings.backoff_seconds * 2**number)
                wait = max(fault.pause or 0, random.uniform(full / 2, full))
                if fault.pause is not None:
                    hold(wait)
            if stop.wait(wait):
                raise Stopped
        raise AssertionError("the last attempt returns or raises")

    def complete(self, body: dict[str, Any], path: str = "chat/completions", *, most_bytes: int | None = None) -> bytes:
        """The bytes of a completion, as they came but for the key, which some servers repeat."""
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return self._request("POST", path, content, most_bytes=most_bytes)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server says of an object; with a `body`, of one that it creates."""
        content = self._request("GET", path) if body is None else self.complete(body, path)
        return self._object(content)

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """What the server says of a file for a batch."""
        mark = uuid.uuid4().hex
        form = f'--{mark}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        form += f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        whole = form.encode() + content + f"\r\n--{mark}--\r\n".encode()
        kind = f"multipart/form-data; boundary={mark}"
        return self._object(self._request("POST", "files", whole, kind, seconds=_FILE_SECONDS))

    def download(self, file_id: str) -> bytes:
        """A file of a batch."""
        path = f"files/{quote(file_id, safe='')}/content"
        return self._request("GET", path, seconds=_FILE_SECONDS, most_bytes=_FILE_BYTES)

    def only_model(self) -> str:
        """What the server calls its model. Raises LLMError where it lists none, several, or strange names."""
        listed = self.persist(partial(self.ask, "models")).get("data")
        names = [it.get("id") for it in listed if isinstance(it, dict)] if isinstance(listed, list) else []
        if len(names) == 1 and isinstance(names[0], str) and names[0] == one_line(names[0]):
            return names[0]
        lists = one_line(", ".join(map(str, names[:5])) or "none")
        raise self.error(f"say which model of the server, by model = in models.toml; it lists {lists}")

    def error(self, message: str) -> LLMError:
        return LLMError(f"{self.base_url}: {message}")

    def _request(
        self,
        method: str,
        path: str,
        content: bytes = b"",
        kind: str = "application/json",
        seconds: float | None = None,
        most_bytes: int | None = None,
    ) -> bytes:
        """The content of a success; else raises the fault by the status."""
        limits: Any = {"seconds": seconds or self._settings.timeout}
        limits["most_bytes"] = most_bytes or self._settings.answer_bytes
        status, headers, content = self._http.request(method, path, content, kind, **limits)
        if 200 <= status < 300:
            return content
        code, message = _explained(content)
        if status in (401, 403):
            raise Fault(f"the key in {self._settings.key_env} was not accepted ({status}): {message}", ends=True)
        if status == 404:
            remedy = "check llm.base_url, which ends in /v1 on most servers, and llm.model"
            raise Fault(f"not found (404): {message}; {remedy}", ends=True)
        if code == "insufficient_quota":
            raise Fault(f"the account has no credit left: {message}", ends=True)
        # A server that fails may have worked until then; one that declines has not.
        billed = status == 408 or status >= 500
        passing = (billed and status != 501) or status in (409, 425, 429)
        pause = retry_after(headers) if passing else None
        if status == 429 and pause is None:
            pause = 0.0
        raise Fault(f"HTTP {status}: {message}", billed=billed, passing=passing, pause=pause)

    def _object(self, content: bytes) -> dict[str, Any]:
        try:
            return read_object(content)
        except UnreadableError as fault:
            raise self.error(f"an answer that is {one_line(fault)}") from None


def _explained(content: bytes) -> tuple[object, str]:
    """The code and the message of an error, in the form of OpenAI or whatever there is."""
    with suppress(UnreadableError):
        answer = read_json(content)
        error = answer.get("error", answer) if isinstance(answer, dict) else answer
        if isinstance(error, dict) and isinstance(error.get("message"), str):
            return error.get("code"), one_line(error["message"])
    return None, one_line(content.decode("utf-8", "replace")) or "no reason given"


def retry_after(headers: dict[str, str]) -> float | None:
    """The pause in seconds that a response asks for: `Retry-After-Ms`, or `Retry-After` in seconds or as a date.

    The names of `headers` are in small letters.
    """
    for name, scale in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            if not math.isnan(seconds := float(headers.get(name, "")) / scale):
                return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
