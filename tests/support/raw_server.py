"""A server on loopback that sends whatever bytes a test gives it, one answer a connection."""

import json
import socketserver
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

Pieces = Iterable[bytes]
"""An answer as it goes over the wire; the connection is closed behind it."""


def http(content: bytes, status: str = "200 OK", **headers: str) -> list[bytes]:
    """A whole HTTP answer with the given body; `length` replaces the true one."""
    length = headers.pop("length", str(len(content)))
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ["\r\n".join([*lines, "", ""]).encode("latin-1") + content]


class RawServer(socketserver.ThreadingTCPServer):
    """`seen` holds the bodies of all requests, `heads` their request lines and headers."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 100

    def __init__(self, answer: Callable[[dict[str, Any]], Pieces]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.seen: list[dict[str, Any]] = []
        self.heads: list[str] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(socketserver.StreamRequestHandler):
    server: RawServer

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (line := self.rfile.readline()):
                return
            head += line
        lines = [line.partition(b":") for line in head.lower().split(b"\r\n")]
        length = next((int(value) for name, _, value in lines if name == b"content-length"), 0)
        content = self.rfile.read(length)
        body = json.loads(content) if content else {}
        self.server.heads.append(head.decode("latin-1"))
        self.server.seen.append(body)
        with suppress(OSError):
            for piece in self.server.answer(body):
                self.wfile.write(piece)
                self.wfile.flush()


@contextmanager
def raw_server(answer: Callable[[dict[str, Any]], Pieces]) -> Iterator[RawServer]:
    """The server while a `with` lasts."""
    with RawServer(answer) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
