"""HTTP with one server, of which nobody vouches for anything: bounded in bytes and seconds, and free of keys.

Redirects are not followed, since what a request says is meant for the server asked. Importing this module imports
httpcore, which takes a moment.
"""

import json
import threading
import time
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from io import BytesIO
from typing import IO, Any, NamedTuple
from urllib.parse import quote, quote_plus, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore

from pairwright.core.errors import one_line
from pairwright.models.chat.answers import Fault, UnreadableError

_CONNECT_SECONDS = 30.0
_PIECE = 65_536
# What fails before a request is on its way.
_NEVER_SENT = (
    *(httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError),
    *(httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, UnicodeError),
)
_STARS = b"***"
# No server gives out a shorter key. Users of local servers write `x` or `none`, which any answer may say.
_LEAST_KEY = 8
# A shorter piece of Base64 says too little, and may stand in any text.
_LEAST_BASE64 = 6


class Response(NamedTuple):
    """The status, the headers by their names in small letters, and the content, unpacked and without the key."""

    status: int
    headers: dict[str, str]
    content: bytes


class HTTPServer:
    """A server, which several threads may ask. It gets `key` as a bearer token, unless that is empty.

    No more than `most_bytes` of an answer are read, packed or not, and none is waited for beyond `seconds`.
    """

    def __init__(self, address: str, key: str, *, seconds: float, most_bytes: int) -> None:
        self._address, self._seconds, self._most = address.rstrip("/"), seconds, most_bytes
        self.mask = Mask(key)
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "pairwright"}
        self._headers |= {"Authorization": f"Bearer {key}"} if key else {}
        self._clock = _Clock()
        most: dict[str, Any] = {"max_connections": None, "max_keepalive_connections": None}
        self._pool = httpcore.ConnectionPool(network_backend=self._clock, proxy=_proxy(address), **most)

    def close(self) -> None:
        self._pool.close()

    def request(
        self,
        method: str,
        path: str,
        content: bytes = b"",
        kind: str = "application/json",
        *,
        seconds: float | None = None,
        most_bytes: int | None = None,
        target: IO[bytes] | None = None,
    ) -> Response:
        """The answer to a request; with a `target`, the content of a success goes there as it comes, not unpacked.

        Raises Fault.
        """
        seconds, most_bytes = seconds or self._seconds, most_bytes or self._most
        headers: list[tuple[str | bytes, str | bytes]] = [*self._headers.items()]
        headers += [("Content-Type", kind)] if content else []
        self._clock.start(seconds)
        try:
            with self._pool.stream(method, f"{self._address}/{path}", headers=headers, content=content) as response:
                given = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in response.headers}
                if 300 <= response.status < 400:
                    raise _redirect(response.status, given.get("location"))
                size, into = 0, target if target and response.status < 300 else BytesIO()
                for piece in response.iter_stream():
                    if (size := size + len(piece)) > most_bytes:
                        raise UnreadableError(f"larger than {most_bytes:,} bytes")
                    into.write(piece)
            coding, answer = given.get("content-encoding", "").strip().lower(), b""
            if isinstance(into, BytesIO):
                answer = unpack(into.getvalue(), coding, most_bytes)
            elif coding not in ("", "identity"):
                raise UnreadableError("packed, which was not asked for")
        except Fault:
            raise
        except UnreadableError as fault:
            raise Fault(f"an answer that is {fault}", billed=True, lasting=True) from None
        except httpcore.ReadTimeout:
            raise Fault(f"no answer within {seconds:g} s", billed=True) from None
        except Exception as fault:
            unreached = isinstance(fault, _NEVER_SENT)
            reason = one_line(self.mask.text(str(fault) or type(fault).__name__))
            raise Fault(f"no connection: {reason}", billed=not unreached, unreached=unreached) from None
        return Response(response.status, given, self.mask.content(answer))


def _redirect(status: int, location: str | None) -> Fault:
    parts = urlsplit(location or "")
    host = parts.netloc.rsplit("@", 1)[-1]
    there = f"{parts.scheme}://{host}{parts.path}" if host else parts.path or f"nowhere (HTTP {status})"
    message = one_line(f"it redirects to {there}; nothing is sent there")
    return Fault(message, billed=True, lasting=True, redirect=True)


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


def unpack(content: bytes, coding: str, most: int) -> bytes:
    """The content of a body in a `Content-Encoding`. Raises UnreadableError beyond `most` bytes, before it holds them.

    Servers are asked for plain bodies; gzip and deflate are understood because some proxies pack whatever they pass on.
    """
    if coding in ("", "identity"):
        return content
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableError(f"packed as {coding[:20]!r}, which was not asked for")
    try:
        # 32 more than the usual window: zlib tells gzip from deflate by the header.
        unpacked = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, most + 1)
    except zlib.error as fault:
        raise UnreadableError(f"not the {coding} that it is said to be: {fault}") from None
    if len(unpacked) > most:
        raise UnreadableError(f"larger than {most:,} bytes when unpacked")
    return unpacked


class Mask:
    """Replaces a key by stars: as it is, quoted, in a URL, and in Base64, as Basic authentication has it."""

    def __init__(self, key: str) -> None:
        # The longest first, so that no form leaves the rest of a longer one behind.
        forms = {form.encode() for form in _forms(key) if form} if len(key) >= _LEAST_KEY else ()
        self._forms = sorted(forms, key=len, reverse=True)

    def text(self, said: str) -> str:
        """What was said, without the key."""
        return self.content(said.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def content(self, sent: bytes) -> bytes:
        """Bytes of a server, without the key."""
        for form in self._forms:
            sent = sent.replace(form, _STARS)
        return sent


def _forms(key: str) -> Iterator[str]:
    for quoted in (key, repr(key)[1:-1]):
        # JSON within JSON, as an answer that is an object has it.
        for _ in range(3):
            yield quoted
            yield quoted.replace("/", r"\/")
            quoted = json.dumps(quoted)[1:-1]
    for encoded in (quote(key), quote(key, safe=""), quote_plus(key)):
        first, *rest = encoded.split("%")
        yield encoded
        yield "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])
    # The Base64 of the key wherever it stands in a longer text: the digits that no neighbour has a share in.
    for before in range(3):
        start, end = -(-before * 8 // 6), (before + len(key.encode())) * 8 // 6
        if end - start >= _LEAST_BASE64:
            for encode in (b64encode, urlsafe_b64encode):
                yield encode(bytes(before) + key.encode()).decode()[start:end]
