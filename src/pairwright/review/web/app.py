"""The review page: a web server for the reviewers of one queue or of several.

It listens on loopback. A request needs a token as a cookie that no other site can send: the one that the terminal
showed or, behind a reverse proxy, the one of a reviewer's link. The token identifies the reviewer; no address names
one. A link carries its token behind `#`, which no browser sends, so neither logs of proxies nor other sites get it.
The page loads nothing from elsewhere, and its content security policy lets only its own scripts run.
"""

import logging
import re
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from pairwright.core.errors import PairwrightError, ReviewError
from pairwright.review.web.access import HOST, Site, local_site
from pairwright.review.web.routes import (
    button_routes,
    go_to,
    link_routes,
    page_routes,
    questionnaire_routes,
    refusal,
    refused,
    too_many,
)
from pairwright.review.web.server import ReviewServer
from pairwright.review.web.session import OtherReviewer

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def create_app(servers: Sequence[ReviewServer], site: Site) -> FastAPI:
    """The web application of the queues that are served at a site."""
    by_name = {server.name: server for server in servers}

    # A slash that is missing is not put there: the address would be made up from what a proxy says.
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=partial(_watch_sheets, servers),
        redirect_slashes=False,
    )

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = site.refusal(request)
        name = request.scope["path"][1:].partition("/")[0] if "" not in by_name else ""
        if response is None and name not in by_name:
            response = refusal(servers[0], request, servers[0].settings.words["link_expired"], 404)
        if response is None:
            try:
                response = await _admit(request, call_next, by_name[name], site)
            except OtherReviewer as now:
                text = by_name[name].settings.words["other_reviewer"].replace("{reviewer}", str(now))
                response = refusal(by_name[name], request, text, 409)
            except (PairwrightError, OSError) as fault:
                response = _not_saved(by_name[name], request, site, fault)
        response.headers["Content-Security-Policy"] = servers[0].policy
        response.headers.update(_HEADERS)
        return response

    for server in servers:
        parts = (page_routes, button_routes, questionnaire_routes)
        for routes in (*(part(server) for part in parts), *([link_routes(server, site)] if site.public else ())):
            app.include_router(routes, prefix=server.path)
    return app


def serve(servers: Sequence[ReviewServer], port: int, opened: Callable[[int], None], site: Site | None = None) -> None:
    """Serves queues at a site, or at this machine's own address; `opened` gets the port, a free one for 0.

    Raises ReviewError if it is taken.
    """
    try:
        listening = socket.create_server((HOST, port), backlog=128)
    except OSError as fault:
        raise ReviewError(f"port {port} of {HOST}: {fault.strerror}; give another with --port, or 0") from None
    taken = listening.getsockname()[1]
    opened(taken)
    uvicorn.Server(server_config(create_app(servers, site or local_site(taken)))).run(sockets=[listening])


def server_config(app: FastAPI) -> uvicorn.Config:
    """How the application is served: what a proxy says is read by `Site` alone, and nothing is logged of requests."""
    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
    config = uvicorn.Config(app, http=_Protocol, ws="none", lifespan="on", proxy_headers=False, **quiet)
    # A client whose request is torn has had its answer from uvicorn, which then lays it to us that ours can't follow.
    logging.getLogger("uvicorn.error").addFilter(_is_no_torn_request)
    return config


def _is_no_torn_request(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], h11.LocalProtocolError))


class _Connection(h11.Connection):
    """Refuses several lengths of a body even where they are equal, of which h11 makes one."""

    def next_event(self) -> Any:
        before = self.trailing_data[0]
        event = super().next_event()
        if isinstance(event, h11.Request):
            head = before[: len(before) - len(self.trailing_data[0])]
            if b"," in b",".join(re.findall(rb"(?im)^content-length:(.*)", head)):
                raise h11.RemoteProtocolError("several Content-Lengths")
        return event


class _Protocol(H11Protocol):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _Connection(h11.SERVER)


@asynccontextmanager
async def _watch_sheets(servers: Sequence[ReviewServer], _: FastAPI) -> AsyncIterator[None]:
    watchers = [threading.Thread(target=server.watch_sheets, daemon=True) for server in servers]
    for watcher in watchers:
        watcher.start()
    yield
    for server in servers:
        server.stop()
    for watcher in watchers:
        await run_in_threadpool(watcher.join)


async def _admit(
    request: Request, call_next: Callable[[Request], Awaitable[Response]], server: ReviewServer, site: Site
) -> Response:
    """The answer to a request that may be served, whoever sends it."""
    token = request.query_params.get("token") if request.method == "GET" and not site.public else None
    cookie = site.cookie_of(server.name)
    guest = server.sessions.guest(request.cookies.get(cookie, "") if token is None else token)
    request.state.guest = guest
    if site.public and request.scope["path"] == f"{server.path}/enter":
        return await call_next(request)
    if guest is None:
        expired = server.settings.words["expired"]
        return refused(server, request) if site.public else refusal(server, request, expired, 401)
    if token is not None:
        # Takes the token out of the address, where others may read it.
        response = go_to("./")
        response.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
        return response
    if guest.link_id and not server.limits.allows(guest.link_id):
        return too_many(server, request)
    request.state.session = guest.session
    if server.asks(guest.session) and request.scope["path"] != f"{server.path}/consent":
        if request.method == "GET":
            return HTMLResponse(server.render_questionnaire(incomplete=False))
        return go_to("./")
    return await call_next(request)


def _not_saved(server: ReviewServer, request: Request, site: Site, fault: Exception) -> Response:
    """Says what keeps an answer from being saved; people elsewhere are not told of files on this machine."""
    server.report(str(fault))
    message = server.settings.words["fault"] + (f" {fault}" if not site.public else f" {server.name}")
    return refusal(server, request, message, 503)
