"""The official client's HTTP, with bounds: bytes, time, packing, and no way to another server.

Importing this module imports the openai package, which takes a second.
"""

import asyncio
from typing import IO, Any
from urllib.parse import urlsplit

import aiohttp
from openai import DefaultAioHttpClient

from pairwright.llm.wire.decoding import UnreadableError, unpack

_CONNECT_SECONDS = 30.0


class WireFault(Exception):
    """An exchange that came to nothing.

    sent     the request may have reached the server
    lasting  the same request would meet the same fault
    """

    def __init__(self, message: str, *, sent: bool = True, lasting: bool = False) -> None:
        super().__init__(message)
        self.sent, self.lasting = sent, lasting


class Redirected(WireFault):
    """The server sends its callers elsewhere. Nobody follows: what a request says is meant for the server asked."""

    def __init__(self, location: str) -> None:
        parts = urlsplit(location)
        host = parts.netloc.rsplit("@", 1)[-1]
        super().__init__(
            f"it redirects to {f'{parts.scheme}://{host}' if host else ''}{parts.path}; nothing is sent there",
            lasting=True,
        )


class BoundedClient(DefaultAioHttpClient):
    """Reads no more than `most_bytes` of an answer, packed or not, and waits no longer than `seconds` for all of it.

    A request may set bytes of its own, as the extension `most_bytes`. Files that are sent get `file_seconds`. An answer
    that is streamed is bounded by who reads it.
    """

    def __init__(self, *, seconds: float, most_bytes: int, file_seconds: float | None = None, **options: Any) -> None:
        # These begin again with every piece of an answer, so `send` has a clock of its own.
        connect = min(_CONNECT_SECONDS, seconds)
        super().__init__(follow_redirects=False, timeout=(connect, seconds + 5, seconds + 5, None), **options)
        self._seconds, self._most, self._file_seconds = seconds, most_bytes, file_seconds or seconds

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """The response, read to its end unless it is streamed. Raises WireFault."""
        request.headers["Accept-Encoding"] = "identity"
        seconds = self._file_seconds if request.url.path.endswith("/files") else self._seconds
        # Redirects stay off, whatever the caller's defaults.
        options["follow_redirects"] = False
        try:
            async with asyncio.timeout(seconds):
                response = await super().send(request, stream=True, **options)
                if stream and response.is_success:
                    return response
                try:
                    content = await self._content(response, request.extensions.get("most_bytes", self._most))
                finally:
                    await response.aclose()
        except TimeoutError:
            raise WireFault(f"no answer within {seconds:g} s") from None
        except UnreadableError as fault:
            raise WireFault(f"an answer that is {fault}", lasting=True) from None
        except WireFault:
            raise
        except Exception as fault:
            raise _cut(fault) from None
        # As bytes: a header may be in any encoding.
        kept = [(name, value) for name, value in response.headers.raw if name.lower() not in _OF_THE_BODY]
        return type(response)(response.status_code, headers=kept, content=content, request=request)

    async def _content(self, response: Any, most_bytes: int) -> bytes:
        if response.has_redirect_location:
            raise Redirected(str(response.headers["Location"]))
        content = bytearray()
        async for piece in response.aiter_raw():
            content += piece
            if len(content) > most_bytes:
                raise UnreadableError(f"larger than {most_bytes:,} bytes")
        return unpack(bytes(content), response.headers.get("Content-Encoding", "").strip().lower(), most_bytes)


async def save(response: Any, target: IO[bytes], most_bytes: int, seconds: float) -> None:
    """Writes the body of a streamed response to a file, within bounds. Raises WireFault."""
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise WireFault("a file that is packed, which was not asked for", lasting=True)
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for piece in response.aiter_raw():
                if (size := size + len(piece)) > most_bytes:
                    raise WireFault(f"a file larger than {most_bytes:,} bytes (llm.file_bytes)", lasting=True)
                target.write(piece)
    except TimeoutError:
        raise WireFault(f"no whole file within {seconds:g} s") from None
    except WireFault:
        raise
    except Exception as fault:
        raise _cut(fault) from None


_OF_THE_BODY = (b"content-encoding", b"content-length", b"transfer-encoding")


def _cut(fault: BaseException) -> WireFault:
    """A connection that failed, by its first cause: the layers above it call every failed connection a timeout."""
    chain = [fault]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    never_open = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)
    sent = not any(isinstance(link, never_open) for link in chain)
    return WireFault(f"no connection: {chain[-1] or type(chain[-1]).__name__}", sent=sent)
