"""HTTP with one server, of which nobody vouches for anything: bounded in bytes and seconds, and free of keys.

Redirects are not followed, since what a request says is meant for the server asked. Importing this module imports
httpcore, which takes a moment.
"""

import json
import re
import threading
import time
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore

from pairwright.core.errors import one_line
from pairwright.models.chat.answers import Fault

_CONNECT_SECONDS = 30.0
_PIECE = 65_536
# What fails before a request is on its way.
_NEVER_SENT = (
    *(httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError),
    *(httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, UnicodeError),
)
# No server gives out a shorter key. Users of local servers write `x` or `none`, which any answer may say.
_LEAST_KEY = 8


class Response(NamedTuple):
    """The status, the headers by their names in small letters, and the content without the key."""

    status: int
    headers: dict[str, str]
    content: bytes


class HTTPServer:
    """A server, which several threads may ask. It gets `key` as a bearer token."""

    def __init__(self, address: str, key: str) -> None:
        self._address, self._mask = address, Mask(key)
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "pairwright", "Authorization": f"Bearer {key}"}
        self._clock = _Clock()
        most: dict[str, Any] = {"max_connections": None, "max_keepalive_connections": None}
        self._pool = httpcore.ConnectionPool(network_backend=self._clock, proxy=_proxy(address), **most)

    def close(self) -> None:
        self._pool.close()

    def request(
        self, method: str, path: str, content: bytes, kind: str, *, seconds: float, most_bytes: int
    ) -> Response:
        """The answer to a request, of no more than `most_bytes`, for which it waits no longer than `seconds`.

        Raises Fault.
        """
        headers: list[tuple[str | bytes, str | bytes]] = [*self._headers.items()]
        headers += [("Content-Type", kind)] if content else []
        self._clock.start(seconds)
        try:
            with self._pool.stream(method, f"{self._address}/{path}", headers=headers, content=content) as response:
                given = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in response.headers}
                if 300 <= response.status < 400:
                    raise _redirect(response.status, given.get("location"))
                if given.get("content-encoding", "").strip().lower() not in ("", "identity"):
                    raise Fault("an answer that is packed, which was not asked for", billed=True)
                size, answer = 0, BytesIO()
                for piece in response.iter_stream():
                    if (size := size + len(piece)) > most_bytes:
                        raise Fault(f"an answer that is larger than {most_bytes:,} bytes", billed=True)
                    answer.write(piece)
        except Fault:
            raise
        except httpcore.ReadTimeout:
            raise Fault(f"no answer within {seconds:g} s", billed=True, passing=True) from None
        except Exception as fault:
            unreached = isinstance(fault, _NEVER_SENT)
            reason = one_line(self._mask.text(str(fault) or type(fault).__name__))
            remedy = "; start the server, or check its address" if unreached else ""
            message = f"no connection: {reason}{remedy}"
            raise Fault(message, billed=not unreached, passing=True, ends=unreached) from None
        return Response(response.status, given, self._mask.content(answer.getvalue()))


def _redirect(status: int, location: str | None) -> Fault:
    parts = urlsplit(location or "")
    host = parts.netloc.rsplit("@", 1)[-1]
    there = f"{parts.scheme}://{host}{parts.path}" if host else parts.path or f"nowhere (HTTP {status})"
    remedy = "if you trust where it sends you, make that your llm.base_url"
    return Fault(one_line(f"it redirects to {there}; nothing is sent there; {remedy}", 1000), billed=True, ends=True)


def _proxy(address: str) -> httpcore.Proxy | None:
    """The proxy that the environment names for an address."""
    scheme, host = urlsplit(address).scheme, urlsplit(address).hostname or ""
    url = None if proxy_bypass(host) else getproxies().get(scheme) or getproxies().get("all")
    if not url:
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(f"{parts.scheme}://{parts.netloc.rsplit('@', 1)[-1]}", auth=auth)


class _Clock(httpcore.NetworkBackend):
    """Opens connections on which no wait is longer than what is left of the time of the thread's request.

    The timeouts of the library begin again with every byte, so that a server could drip for ever.
    """

    def __init__(self) -> None:
        self._thread, self._network = threading.local(), httpcore.SyncBackend()

    def start(self, seconds: float) -> None:
        self._thread.end = time.monotonic() + seconds

    def left(self) -> float:
        if (left := self._thread.end - time.monotonic()) <= 0:
            raise httpcore.ReadTimeout
        return float(left)

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *given: Any, **more: Any) -> "_Timed":
        return _Timed(self._network.connect_tcp(host, port, min(self.left(), _CONNECT_SECONDS), *given, **more), self)


class _Timed(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, clock: _Clock) -> None:
        self._stream, self._clock = stream, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._clock.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            self._stream.write(buffer[start : start + _PIECE], self._clock.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, context: Any, host: str | None = None, timeout: float | None = None) -> "_Timed":
        return _Timed(self._stream.start_tls(context, host, self._clock.left()), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class Mask:
    """Replaces a key by stars in what a server sent: as it is, in JSON, and in a URL."""

    def __init__(self, key: str) -> None:
        forms = {key, json.dumps(key)[1:-1], key.replace("/", r"\/"), quote(key), quote(key, safe=""), quote_plus(key)}
        # The longest first, so that no form leaves the rest of a longer one behind.
        longest = sorted(forms if len(key) >= _LEAST_KEY else (), key=len, reverse=True)
        self._forms = re.compile("|".join(map(re.escape, longest)) or "(?!)")

    def text(self, said: str) -> str:
        """What was said, without the key."""
        return self._forms.sub("***", said)

    def content(self, sent: bytes) -> bytes:
        """Bytes of a server, without the key; what is no UTF-8 stays as it is."""
        return self.text(sent.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
