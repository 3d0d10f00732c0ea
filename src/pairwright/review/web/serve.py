"""Serves the review page on loopback until it is stopped."""

import socket
from collections.abc import Callable

import uvicorn

from pairwright.errors import ReviewError
from pairwright.review.web.app import ReviewServer, create_app

HOST = "127.0.0.1"


def serve(server: ReviewServer, port: int, opened: Callable[[int], None]) -> None:
    """Serves the page until the process is interrupted. Port 0 takes a free one; `opened` is called with the port.

    Raises ReviewError if the port is taken.
    """
    try:
        listening = socket.create_server((HOST, port), backlog=128)
    except OSError as fault:
        raise ReviewError(f"port {port} of {HOST}: {fault.strerror}; give another with --port, or 0") from None
    taken = listening.getsockname()[1]
    app = create_app(server, taken)
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
    opened(taken)
    uvicorn.Server(config).run(sockets=[listening])
