"""Runs the review page on loopback until it is stopped."""

import socket
from collections.abc import Callable

import uvicorn

from pairwright.errors import ReviewError
from pairwright.review.web.app import ReviewServer, create_app

HOST = "127.0.0.1"


def serve(server: ReviewServer, port: int, opened: Callable[[int], None]) -> None:
    """Serves the page until the process is interrupted; port 0 takes a free one. `opened` is told the port.

    Raises ReviewError where the port is taken.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(128)
    except OSError as fault:
        listening.close()
        raise ReviewError(f"port {port} of {HOST}: {fault.strerror}; give another with --port, or 0") from None
    taken = listening.getsockname()[1]
    app = create_app(server, taken)
    # One handshake and no access log: the page is one person's.
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
    opened(taken)
    uvicorn.Server(config).run(sockets=[listening])
