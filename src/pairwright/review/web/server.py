"""The review page: a web server for the reviewers of one queue or of several.

It listens on loopback. A request needs a token as a cookie that no other site can send: the one that the terminal
showed or, behind a reverse proxy, the one of a reviewer's link. The token identifies the reviewer; no address names
one. A link carries its token behind `#`, which no browser sends, so neither logs of proxies nor other sites get it.
The page loads nothing from elsewhere, and its content security policy lets only its own scripts run.
"""

import asyncio
import logging
import re
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import h11
import uvicorn
from markupsafe import Markup
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from pairwright.core.errors import PairwrightError, ReviewError
from pairwright.core.templates import html_templates, script_hash
from pairwright.review.web.links import HOST, Guest, Limits, Sessions, Site, local_site
from pairwright.review.web.session import (
    Note,
    NothingCorrected,
    OtherReviewer,
    PageAnswer,
    Questionnaire,
    ReviewSession,
    add_participant,
    participants,
)
from pairwright.review.web.view import PageSettings, item_view

SYNC_SECONDS = 1.0
# A form comes at once or never.
BODY_SECONDS = 5.0
_HERE = Path(__file__).parent
_TEMPLATES = html_templates(_HERE)
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
    """A queue that is served.

    name    the first part of its addresses; empty where it is the only one
    report  gets the doubts that a reviewer can't fix
    """

    sessions: Sessions
    settings: PageSettings
    report: Callable[[str], None] = print
    name: str = ""
    questionnaire: Questionnaire | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self._script = (_HERE / "page.js").read_text(encoding="utf-8")
        self._enter_script = (_HERE / "enter.js").read_text(encoding="utf-8")
        self._style = (_HERE / "page.css").read_text(encoding="utf-8")
        scripts = " ".join(f"'{script_hash(script)}'" for script in (self._script, self._enter_script))
        # Nothing from elsewhere, and only the pages' own scripts and style.
        self.policy = (
            f"default-src 'none'; script-src {scripts}; style-src '{script_hash(self._style)}'; "
            "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        self._stopped = threading.Event()
        self._reported: set[str] = set()

    @property
    def path(self) -> str:
        return f"/{self.name}" if self.name else ""

    def asks(self, session: ReviewSession) -> bool:
        """Whether the reviewer has to agree to the questionnaire's text first."""
        if self.questionnaire is None or session.info.kind == "pairs":
            return False
        # To the text as it stands now; who was deleted is asked again.
        participant = participants(session.folder).get(session.reviewer)
        return participant is None or participant.consent_sha256 != self.questionnaire.consent_sha256

    def render(self, session: ReviewSession, item_id: str | None, note: str) -> str:
        """The page with one of the reviewer's items, or with the next one if none is named."""
        item = session.items.get(item_id or "") or session.next_item()
        done, total = session.progress()
        return self._page(
            "page.html.j2",
            script=Markup(self._script),
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

    def render_enter(
        self, guest: Guest | None = None, instead_of: str = "", token: str = "", *, refusal: str = ""
    ) -> str:
        """The page on which a link ends, that asks before it takes the place of another reviewer's, or that refuses."""
        return self._page(
            "enter.html.j2",
            script="" if refusal else Markup(self._enter_script),
            reviewer=guest.session.reviewer if guest else "",
            instead_of=instead_of,
            token=token,
            refusal=refusal,
        )

    def render_questionnaire(self, *, incomplete: bool) -> str:
        """The text to agree to, and the questions; `incomplete` after a form that can't be taken."""
        return self._page("questionnaire.html.j2", questionnaire=self.questionnaire, incomplete=incomplete)

    def _page(self, template: str, **values: object) -> str:
        language = self.settings.language.code
        own = {"style": Markup(self._style), "words": self.settings.words, "language": language}
        return _TEMPLATES.get_template(template).render({"queue": "", "script": "", **own, **values})

    def watch_sheets(self) -> None:
        """Takes over sheets that other programs write, until the server stops, and once more then."""
        queue = self.sessions.queue
        self._report(queue.first_notes)
        while not self._stopped.wait(SYNC_SECONDS):
            self._report(queue.sync())
        self._report(queue.sync())

    def stop(self) -> None:
        self._stopped.set()

    def routes(self, site: Site) -> list[Route]:
        """The pages and the buttons; behind a proxy also where links end."""
        handlers: list[tuple[str, str, Callable[[Request], object]]] = [
            ("GET", "/", self.page),
            ("GET", "/crop/{item_id}", self.crop),
            ("POST", "/answer", self.answer),
            ("POST", "/undo", self.undo),
            ("POST", "/skip", self.skip),
            ("POST", "/consent", self.consent),
        ]
        if site.public:
            handlers += [("GET", "/enter", self.enter), ("POST", "/enter", partial(self.open_link, site))]
        return [Route(f"{self.path}{path}", handler, methods=[method]) for method, path, handler in handlers]

    def page(self, request: Request) -> HTMLResponse:
        asked = request.query_params
        return HTMLResponse(self.render(request.state.session, asked.get("item"), asked.get("note", "")))

    def crop(self, request: Request) -> Response:
        session: ReviewSession = request.state.session
        item_id, crops = request.path_params["item_id"], self.settings.crops
        is_own = item_id in session.items and session.info.kind == "pairs"
        pair = session.context.candidates.get(item_id) if is_own else None
        data = crops.png(pair.evidence) if pair and crops else None
        if data is None:
            return PlainTextResponse(self.settings.words["no_picture"], status_code=404)
        return Response(data, media_type="image/png")

    async def answer(self, request: Request) -> Response:
        form, guest = await _own_form(request, names_item=True), request.state.guest
        try:
            sent = PageAnswer.model_validate({name: value for name, value in form.items() if value})
            await run_in_threadpool(self.sessions.audit, guest, "answer", form["item"])
            await run_in_threadpool(guest.session.answer, form["item"], sent)
        except (ValidationError, NothingCorrected) as fault:
            note = Note.NEEDS_CORRECTION if isinstance(fault, NothingCorrected) else Note.NOT_SAVED
            return go_to(f"./?item={form['item']}&note={note}")
        return go_to(f"./?note={Note.SAVED}")

    async def undo(self, request: Request) -> Response:
        await _own_form(request)
        await run_in_threadpool(self.sessions.audit, request.state.guest, "undo")
        item_id = await run_in_threadpool(request.state.session.undo)
        if item_id is None:
            return go_to(f"./?note={Note.NOTHING_TO_UNDO}")
        return go_to(f"./?item={item_id}&note={Note.UNDONE}")

    async def skip(self, request: Request) -> Response:
        form = await _own_form(request, names_item=True)
        request.state.session.skip(form["item"])
        return go_to("./")

    async def consent(self, request: Request) -> Response:
        form, asked, session = await _form(request), self.questionnaire, request.state.session
        if asked is None or not self.asks(session):
            return go_to("./")
        answers = asked.read(form)
        if answers is None:
            return HTMLResponse(self.render_questionnaire(incomplete=True))
        await run_in_threadpool(self.sessions.audit, request.state.guest, "consent")
        await run_in_threadpool(add_participant, session.folder, asked, session.reviewer, answers)
        return go_to("./")

    def enter(self, _: Request) -> HTMLResponse:
        return HTMLResponse(self.render_enter())

    async def open_link(self, site: Site, request: Request) -> Response:
        """Where a link ends. The token comes in the form that the page sends, never in an address."""
        form = await _form(request)
        token = form.get("token", [""])[0].strip()
        guest = self.sessions.guest(token)
        if guest is None:
            return refused(self, request)
        if not self.limits.allows(guest.link_id):
            return too_many(self, request)
        now: Guest | None = request.state.guest
        # Somebody else's link must not make a reviewer answer under another name without a word.
        if now and now.session.reviewer != guest.session.reviewer and form.get("switch") != ["yes"]:
            return HTMLResponse(self.render_enter(guest, now.session.reviewer, token))
        await run_in_threadpool(self.sessions.audit, guest, "enter")
        response = go_to("./")
        response.set_cookie(site.cookie_of(self.name), token, httponly=True, secure=True, samesite="strict", path="/")
        return response

    def _report(self, notes: Iterable[str]) -> None:
        for note in notes:
            if note not in self._reported:
                self.report(note)
            self._reported.add(note)


def create_app(servers: Sequence[ReviewServer], site: Site) -> Starlette:
    """The web application of the queues that are served at a site."""
    by_name = {server.name: server for server in servers}

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
                # People elsewhere are not told of files on this machine.
                by_name[name].report(str(fault))
                text = f"{by_name[name].settings.words['fault']} {name if site.public else fault}"
                response = refusal(by_name[name], request, text, 503)
        response.headers["Content-Security-Policy"] = servers[0].policy
        response.headers.update(_HEADERS)
        return response

    routes = [route for server in servers for route in server.routes(site)]
    guarding = [Middleware(BaseHTTPMiddleware, dispatch=guard)]
    app = Starlette(routes=routes, middleware=guarding, lifespan=partial(_watch_sheets, servers))
    # A slash that is missing is not put there: the address would be made up from what a proxy says.
    app.router.redirect_slashes = False
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


def server_config(app: Starlette) -> uvicorn.Config:
    """How the application is served: what a proxy says is read by `Site` alone, and nothing is logged of requests."""
    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
    config = uvicorn.Config(app, http=_Protocol, ws="none", lifespan="on", proxy_headers=False, **quiet)
    # A client whose request is torn has had its answer from uvicorn, which then lays it to us that ours can't follow.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: not (record.exc_info and isinstance(record.exc_info[1], h11.LocalProtocolError))
    )
    return config


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
async def _watch_sheets(servers: Sequence[ReviewServer], _: Starlette) -> AsyncIterator[None]:
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


def refusal(server: ReviewServer, request: Request, text: str, status: int) -> Response:
    """Why a request is refused: as a page where the browser shows it, else as the text that a script shows."""
    headers = {"Retry-After": "10"} if status == 429 else None
    if request.headers.get("sec-fetch-mode") == "navigate":
        return HTMLResponse(server.render_enter(refusal=text), status, headers)
    return PlainTextResponse(text, status, headers)


def too_many(server: ReviewServer, request: Request) -> Response:
    """The answer to whoever asks too much."""
    return refusal(server, request, server.settings.words["too_many"], 429)


def refused(server: ReviewServer, request: Request) -> Response:
    """The answer to a token that opens nothing; another one to too many of them. A good token is never kept waiting."""
    if not server.limits.failed.take():
        return too_many(server, request)
    return refusal(server, request, server.settings.words["link_expired"], 401)


def go_to(address: str) -> Response:
    """Sends the browser to an address beside this one, so that none needs to know where the page is reached."""
    return RedirectResponse(address, status_code=303)


async def _form(request: Request) -> dict[str, list[str]]:
    """The fields of a form with their values; none if the body is no form. Raises HTTPException if it does not come."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await request.body()
    except (TimeoutError, ClientDisconnect):
        raise HTTPException(408, "the form did not come", {"Connection": "close"}) from None
    with suppress(ValueError):
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=200)
    return {}


async def _own_form(request: Request, *, names_item: bool = False) -> dict[str, str]:
    """The fields of a form, the last value of each. `names_item`: it has to be about an item.

    Raises HTTPException if the body does not come or its item is not the reviewer's, OtherReviewer if the page is not.
    """
    form = {name: values[-1] for name, values in (await _form(request)).items()}
    session: ReviewSession = request.state.session
    if form.get("reviewer", session.reviewer) != session.reviewer:
        raise OtherReviewer(session.reviewer)
    if (names_item or "item" in form) and form.get("item") not in session.items:
        raise HTTPException(404, "no such item of yours")
    return form
