"""The review page: a local web server for the reviewers of a queue.

It listens on loopback. A request needs the token that the terminal showed, as a cookie that no other site can send. It
must be addressed to this very host (against DNS rebinding), and if it writes it must come from this page (against
cross-site requests). The token identifies the reviewer; no address names one. The page loads nothing from elsewhere,
and its content security policy lets only its own script run.
"""

import asyncio
import base64
import hashlib
import hmac
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote

import uvicorn
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from markupsafe import Markup
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from pairwright.errors import PairwrightError, ReviewError
from pairwright.review.web.drafts import Draft
from pairwright.review.web.session import Note, NothingCorrected, OtherReviewer, PageAnswer, ReviewSession
from pairwright.review.web.view import PageSettings, item_view
from pairwright.templates import html_templates

HOST = "127.0.0.1"
MAX_BODY = 64 * 1024
SYNC_SECONDS = 1.0
# A form comes from this machine, so it is there at once or never.
BODY_SECONDS = 5.0
_HERE = Path(__file__).parent
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass
class ReviewServer:
    """What is served: a session for each reviewer, by token. `report` gets the doubts that a reviewer can't mend."""

    sessions: Mapping[str, ReviewSession]
    settings: PageSettings
    report: Callable[[str], None] = print

    def __post_init__(self) -> None:
        self._template = html_templates(_HERE).get_template("page.html.j2")
        # The script and the style are part of the page, and the policy lets only them run.
        self._script = (_HERE / "page.js").read_text(encoding="utf-8")
        self._style = (_HERE / "page.css").read_text(encoding="utf-8")
        self.policy = (
            f"default-src 'none'; script-src '{_hash(self._script)}'; style-src '{_hash(self._style)}'; "
            "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._reported: set[str] = set()

    def session(self, token: str) -> ReviewSession | None:
        """The session that a token opens, compared in constant time."""
        given = token.encode()
        return next((own for key, own in self.sessions.items() if hmac.compare_digest(key.encode(), given)), None)

    def render(self, session: ReviewSession, item_id: str | None, note: str) -> str:
        """The page with one of the reviewer's items, or with the next one if none is named."""
        item = session.items.get(item_id or "") or session.next_item()
        done, total = session.progress()
        return self._template.render(
            script=Markup(self._script),
            style=Markup(self._style),
            words=self.settings.words,
            language=self.settings.language.code,
            sentence_language=session.context.source.language,
            kind=session.info.kind,
            queue=session.info.queue,
            reviewer=session.reviewer,
            item=item_view(session, item, self.settings) if item else None,
            done=done,
            total=total,
            back=session.before(item.item_id if item else None),
            note=note if note in list(Note) else "",
        )

    def changed(self) -> None:
        """Asks for the sheets to be brought up to date soon."""
        self._changed.set()

    def keep_sheets(self) -> None:
        """Brings sheets up to date, in both directions, until the server stops, and once more then."""
        for session in self.sessions.values():
            self._report(session.first_notes)
        while not self._stopped.is_set():
            answered = self._changed.wait(SYNC_SECONDS)
            if answered:
                self._changed.clear()
                self._stopped.wait(SYNC_SECONDS)
            for session in self.sessions.values():
                if answered or session.changed_elsewhere():
                    self._report(session.sync())
        for session in self.sessions.values():
            self._report(session.sync())

    def stop(self) -> None:
        self._stopped.set()
        self._changed.set()

    def _report(self, notes: Iterable[str]) -> None:
        for note in notes:
            if note not in self._reported:
                self.report(note)
            self._reported.add(note)


def create_app(server: ReviewServer, port: int) -> FastAPI:
    """The web application of a review server that listens on a port of loopback."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        keeper = threading.Thread(target=server.keep_sheets, daemon=True)
        keeper.start()
        yield
        server.stop()
        await run_in_threadpool(keeper.join)

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    hosts = {f"{name}:{port}" for name in (HOST, "localhost", "[::1]")}
    cookie = f"pairwright_{port}"

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = _refusal(request, hosts)
        if response is None:
            token = request.query_params.get("token") if request.method == "GET" else None
            session = server.session(request.cookies.get(cookie, "") if token is None else token)
            if session is None:
                response = PlainTextResponse(server.settings.words["expired"], status_code=401)
            elif token is not None:
                # Takes the token out of the address, where others may read it.
                response = _go_to("/")
                response.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
            else:
                request.state.session = session
                response = await call_next(request)
        response.headers["Content-Security-Policy"] = server.policy
        response.headers.update(_HEADERS)
        return response

    def not_saved(_: Request, fault: Exception) -> Response:
        server.report(str(fault))
        return PlainTextResponse(f"{server.settings.words['fault']} {fault}", status_code=503)

    def other_reviewer(_: Request, fault: Exception) -> Response:
        text = server.settings.words["other_reviewer"].replace("{reviewer}", str(fault))
        return PlainTextResponse(text, status_code=409)

    app.add_exception_handler(OtherReviewer, other_reviewer)
    app.add_exception_handler(PairwrightError, not_saved)
    app.add_exception_handler(OSError, not_saved)
    app.include_router(_routes(server))
    return app


def serve(server: ReviewServer, port: int, opened: Callable[[int], None]) -> None:
    """Serves the page; `opened` gets the port, a free one for 0. Raises ReviewError if it is taken."""
    try:
        listening = socket.create_server((HOST, port), backlog=128)
    except OSError as fault:
        raise ReviewError(f"port {port} of {HOST}: {fault.strerror}; give another with --port, or 0") from None
    taken = listening.getsockname()[1]
    app = create_app(server, taken)
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on")
    opened(taken)
    uvicorn.Server(config).run(sockets=[listening])


def _routes(server: ReviewServer) -> APIRouter:
    """The page, its pictures, and what its buttons do."""
    routes = APIRouter()

    @routes.get("/")
    def page(request: Request, item: str | None = None, note: str = "") -> HTMLResponse:
        return HTMLResponse(server.render(request.state.session, item, note))

    @routes.get("/crop/{item_id}")
    def crop(request: Request, item_id: str) -> Response:
        session: ReviewSession = request.state.session
        is_own, crops = item_id in session.items and session.info.kind == "pairs", server.settings.crops
        pair = session.context.candidates.get(item_id) if is_own else None
        data = crops.png(pair.evidence) if pair and crops else None
        if data is None:
            return PlainTextResponse(server.settings.words["no_picture"], status_code=404)
        return Response(data, media_type="image/png")

    @routes.post("/answer")
    async def answer(request: Request) -> Response:
        form = await _item_form(request)
        try:
            sent = PageAnswer.model_validate({name: value for name, value in form.items() if value})
            await run_in_threadpool(request.state.session.answer, form["item"], sent)
        except (ValidationError, NothingCorrected) as fault:
            await _keep_draft(request, form)
            note = Note.NEEDS_CORRECTION if isinstance(fault, NothingCorrected) else Note.NOT_SAVED
            return _go_to(f"/?item={form['item']}&note={note}")
        server.changed()
        return _go_to(f"/?note={Note.SAVED}")

    @routes.post("/undo")
    async def undo(request: Request) -> Response:
        await _keep_draft(request, await _own_form(request))
        item_id = await run_in_threadpool(request.state.session.undo)
        if item_id is None:
            return _go_to(f"/?note={Note.NOTHING_TO_UNDO}")
        server.changed()
        return _go_to(f"/?item={item_id}&note={Note.UNDONE}")

    @routes.post("/skip")
    async def skip(request: Request) -> Response:
        form = await _item_form(request)
        await _keep_draft(request, form)
        request.state.session.skip(form["item"])
        return _go_to("/")

    @routes.post("/draft")
    async def draft(request: Request) -> Response:
        """Keeps what was begun. A form that names another item goes there."""
        form = await _own_form(request)
        await _keep_draft(request, form)
        return _go_to(f"/?item={quote(form['to'])}") if "to" in form else Response(status_code=204)

    return routes


def _go_to(address: str) -> Response:
    return RedirectResponse(address, status_code=303)


def _refusal(request: Request, hosts: set[str]) -> Response | None:
    """The answer to a request that is not served at all; None if it may be served."""
    host = request.headers.get("host", "")
    if host not in hosts:
        return PlainTextResponse("this address is not served here", status_code=421)
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return PlainTextResponse("requests from other sites are refused", status_code=403)
    if request.method not in ("GET", "HEAD"):
        if request.headers.get("origin") != f"http://{host}":
            return PlainTextResponse("requests from other sites are refused", status_code=403)
        length = request.headers.get("content-length", "")
        if "transfer-encoding" in request.headers or not length.isdigit() or int(length) > MAX_BODY:
            return PlainTextResponse("too long", status_code=413)
    return None


async def _keep_draft(request: Request, form: dict[str, str]) -> None:
    if form.get("item"):
        fields = Draft(comment=form.get("comment", ""), good=form.get("good", ""), bad=form.get("bad", ""))
        await run_in_threadpool(request.state.session.keep, form["item"], fields)


async def _item_form(request: Request) -> dict[str, str]:
    """The fields of a form about an item. Raises HTTPException as `_own_form`, and if the form names no item."""
    form = await _own_form(request)
    if "item" not in form:
        raise HTTPException(404, "no such item of yours")
    return form


async def _own_form(request: Request) -> dict[str, str]:
    """The fields of a form, the last value of each.

    Raises HTTPException if the body does not come or its item is not the reviewer's, OtherReviewer if the page is not.
    """
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await request.body()
    except (TimeoutError, ClientDisconnect):
        raise HTTPException(408, "the form did not come", {"Connection": "close"}) from None
    form: dict[str, str] = {}
    with suppress(ValueError):
        form = dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=50))
    session: ReviewSession = request.state.session
    if form.get("reviewer", session.reviewer) != session.reviewer:
        raise OtherReviewer(session.reviewer)
    if "item" in form and form["item"] not in session.items:
        raise HTTPException(404, "no such item of yours")
    return form


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
