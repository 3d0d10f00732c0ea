"""The review page: a local web server for the reviewers of a queue.

It listens on loopback. A request needs the token that the terminal showed, sent as a cookie that no other site can
send; it must be meant for this very address (against DNS rebinding), and one that writes must come from this page
(against cross-site requests). The token says whose queue is served: no address names a reviewer. The page loads
nothing from elsewhere, and its content security policy lets nothing but its own script run.
"""

import base64
import hashlib
import hmac
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from markupsafe import Markup

from pairwright.errors import PairwrightError
from pairwright.languages import Language, load_language
from pairwright.review.sheets.columns import excerpt
from pairwright.review.sheets.vocabulary import read_choice
from pairwright.review.web.session import Answer, Desk, Refused
from pairwright.review.web.view import Crops, item_view
from pairwright.templates import html_templates

MAX_BODY = 64 * 1024
SYNC_SECONDS = 1.0
_HERE = Path(__file__).parent
_NOTES = frozenset({"saved", "undone", "nothing_to_undo", "needs_correction", "not_saved"})


@dataclass
class ReviewServer:
    """What the page serves: a desk for each reviewer, by their token.

    language  of the page's words; `show_findings` whether reviewers see what the checks say
    voices    by pair, what reviewers said whose conflict is to be settled
    report    is told what the synchronisation of sheets has to say
    """

    desks: Mapping[str, Desk]
    language: Language
    crops: Crops | None = None
    show_findings: bool = False
    voices: Mapping[str, str] = field(default_factory=dict)
    report: Callable[[str], None] = print

    def __post_init__(self) -> None:
        self.words = load_language("en").interface | self.language.interface
        self._page = _Page()
        self._changed = threading.Event()
        self._stopped = threading.Event()
        self._said: set[str] = set()

    def desk_of(self, token: str) -> Desk | None:
        """The desk that a token opens, compared in constant time."""
        return next(
            (desk for known, desk in self.desks.items() if hmac.compare_digest(known.encode(), token.encode())), None
        )

    def render(self, desk: Desk, item_id: str | None, note: str) -> str:
        """The page with an item of the reviewer's, the next one where none is named."""
        item = desk.items.get(item_id or "") or desk.next_item()
        done, total = desk.progress()
        shown = item_view(desk, item, self.words, self.crops, self.show_findings, self.voices) if item else None
        return self._page.render(
            words=self.words,
            language=self.language.code,
            sentence_language=desk.source.language,
            kind=desk.info.kind,
            queue=desk.info.queue,
            reviewer=desk.reviewer,
            item=shown,
            done=done,
            total=total,
            back=desk.before(item.item_id if item else None),
            note=note if note in _NOTES else "",
        )

    @property
    def policy(self) -> str:
        return self._page.policy

    def changed(self) -> None:
        """Has the sheets brought up to date soon."""
        self._changed.set()

    def keep_sheets(self) -> None:
        """Brings sheets up to date, in both directions, until the server stops; and once more then."""
        while not self._stopped.is_set():
            touched = self._changed.wait(SYNC_SECONDS)
            if touched:
                self._changed.clear()
                self._stopped.wait(SYNC_SECONDS)
            for desk in self.desks.values():
                if touched or desk.sheet_changed():
                    self._sync(desk)
        for desk in self.desks.values():
            self._sync(desk)

    def stop(self) -> None:
        self._stopped.set()
        self._changed.set()

    def _sync(self, desk: Desk) -> None:
        for doubt in desk.sync():
            if doubt not in self._said:
                self._said.add(doubt)
                self.report(doubt)


class _Page:
    """The template with its script and style, which stand in the page, and the policy that lets only them run."""

    def __init__(self) -> None:
        self._template = html_templates(_HERE).get_template("page.html.j2")
        self._script = (_HERE / "page.js").read_text(encoding="utf-8")
        self._style = (_HERE / "page.css").read_text(encoding="utf-8")
        self.policy = (
            f"default-src 'none'; script-src '{_hash(self._script)}'; style-src '{_hash(self._style)}'; "
            "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )

    def render(self, **values: object) -> str:
        return self._template.render(script=Markup(self._script), style=Markup(self._style), **values)


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
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    cookie = f"pairwright_{port}"

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        refusal = _refusal(request, hosts)
        token = request.query_params.get("token")
        if refusal is None and token is not None and request.method == "GET":
            return _entrance(server, token, cookie)
        if refusal is None:
            desk = server.desk_of(request.cookies.get(cookie, ""))
            if desk is None:
                refusal = PlainTextResponse(server.words["expired"], status_code=401)
            else:
                request.state.desk = desk
        response = refusal or await call_next(request)
        _protect(response, server.policy)
        return response

    def not_saved(_: Request, fault: Exception) -> Response:
        server.report(str(fault))
        return PlainTextResponse(f"{server.words['fault']} {fault}", status_code=503)

    app.add_exception_handler(PairwrightError, not_saved)
    app.add_exception_handler(OSError, not_saved)
    _add_pages(app, server)
    _add_actions(app, server)
    return app


def _add_pages(app: FastAPI, server: ReviewServer) -> None:
    @app.get("/")
    def page(request: Request) -> HTMLResponse:
        desk: Desk = request.state.desk
        query = request.query_params
        return HTMLResponse(server.render(desk, query.get("item"), query.get("note", "")))

    @app.get("/crop/{item_id}")
    def crop(request: Request, item_id: str) -> Response:
        desk: Desk = request.state.desk
        item = desk.items.get(item_id)
        pair = desk.candidate(item) if item and desk.info.kind == "pairs" else None
        data = server.crops.png(pair.evidence) if pair and server.crops else None
        if data is None:
            return PlainTextResponse(server.words["no_picture"], status_code=404)
        return Response(data, media_type="image/png")


def _add_actions(app: FastAPI, server: ReviewServer) -> None:
    @app.post("/answer")
    async def answer(request: Request) -> Response:
        desk: Desk = request.state.desk
        form = await _form(request)
        if form is None or form.get("item") not in desk.items:
            return PlainTextResponse("no such item of yours", status_code=404)
        try:
            await run_in_threadpool(desk.answer, form["item"], _answer(form))
        except Refused as refusal:
            return RedirectResponse(f"/?item={form['item']}&note={refusal}", status_code=303)
        server.changed()
        return RedirectResponse("/?note=saved", status_code=303)

    @app.post("/undo")
    async def undo(request: Request) -> Response:
        desk: Desk = request.state.desk
        item_id = await run_in_threadpool(desk.undo)
        if item_id is None:
            return RedirectResponse("/?note=nothing_to_undo", status_code=303)
        server.changed()
        return RedirectResponse(f"/?item={item_id}&note=undone", status_code=303)

    @app.post("/skip")
    async def skip(request: Request) -> Response:
        desk: Desk = request.state.desk
        form = await _form(request)
        if form is None or form.get("item") not in desk.items:
            return PlainTextResponse("no such item of yours", status_code=404)
        desk.skip(form["item"])
        return RedirectResponse("/", status_code=303)


def _refusal(request: Request, hosts: set[str]) -> Response | None:
    """Why a request is not served at all; None where it may be."""
    host = request.headers.get("host", "")
    if host not in hosts:
        return PlainTextResponse("this address is not served here", status_code=421)
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return PlainTextResponse("requests from other sites are refused", status_code=403)
    if request.method not in ("GET", "HEAD"):
        if request.headers.get("origin") != f"http://{host}":
            return PlainTextResponse("requests from other sites are refused", status_code=403)
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            return PlainTextResponse("too long", status_code=413)
    return None


def _entrance(server: ReviewServer, token: str, cookie: str) -> Response:
    """Takes the token out of the address, where others may read it, into a cookie."""
    if server.desk_of(token) is None:
        response: Response = PlainTextResponse(server.words["expired"], status_code=401)
    else:
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
    _protect(response, server.policy)
    return response


def _protect(response: Response, policy: str) -> None:
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of a form, the last value of each; None where the body is no form."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            return None
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return None
    return {name: values[-1] for name, values in fields.items()}


def _answer(form: Mapping[str, str]) -> Answer:
    try:
        seconds = float(form.get("seconds", ""))
    except ValueError:
        seconds = None
    rating = form.get("rating", "")
    if rating and not (rating.isascii() and rating.isdigit() and len(rating) == 1):
        raise Refused("not_saved")
    choice = form.get("choice", "")
    if choice and read_choice(choice) is None:
        raise Refused("not_saved")
    return Answer(
        decision=excerpt(form["decision"], 20) if form.get("decision") else None,
        good=form.get("good", ""),
        bad=form.get("bad", ""),
        choice=read_choice(choice) if choice else None,
        rating=int(rating) if rating else None,
        comment=form.get("comment", ""),
        seconds=seconds,
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
