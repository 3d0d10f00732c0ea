"""A small real reverse proxy on loopback: it forwards bytes, says who was asked for, and keeps an access log.

Like Caddy and nginx it replaces the X-Forwarded-* headers that a client sends. One request a connection.
"""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class ReverseProxy:
    """`log` holds what an access log does: the request line and the Referer of each request."""

    upstream: int
    scheme: str = "https"
    tls: ssl.SSLContext | None = None
    port: int = 0
    log: list[str] = field(default_factory=list)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.rstrip("\r\n").split("\r\n")
            headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
            values = dict(headers)
            self.log.append(f"{first} {values.get('referer', '-')}")
            body = await reader.readexactly(int(values.get("content-length", 0)))
            kept = [(name, value) for name, value in headers if not name.startswith("x-forwarded-")]
            kept = [(name, value) for name, value in kept if name != "connection"]
            kept += [("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", self.scheme)]
            kept += [("x-forwarded-host", values.get("host", "")), ("connection", "close")]
            answers, asks = await asyncio.open_connection("127.0.0.1", self.upstream)
            asked = "".join(f"{line}\r\n" for line in (first, *(f"{name}: {value}" for name, value in kept)))
            asks.write(f"{asked}\r\n".encode("latin-1") + body)
            while piece := await answers.read(65536):
                writer.write(piece)
            asks.close()
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked went away, or the server was killed
        finally:
            writer.close()

    async def _run(self, ready: threading.Event, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await stop.wait()


@contextmanager
def reverse_proxy(upstream: int, scheme: str = "https", tls: ssl.SSLContext | None = None) -> Iterator[ReverseProxy]:
    """A proxy before a port of loopback, in a thread. `tls` makes it speak TLS, `scheme` is what it says it spoke."""
    proxy, ready = ReverseProxy(upstream, scheme, tls), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(proxy._run(ready, stop)), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
