"""The addresses of a queue: where links end, the page, what its buttons do, the questionnaire."""

import asyncio
from contextlib import suppress
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from pydantic import ValidationError
from starlette.requests import ClientDisconnect

from pairwright.review.web.access import Site
from pairwright.review.web.drafts import Draft
from pairwright.review.web.links import Guest
from pairwright.review.web.questionnaire import add_participant
from pairwright.review.web.server import ReviewServer
from pairwright.review.web.session import Note, NothingCorrected, OtherReviewer, PageAnswer, ReviewSession

# A form comes at once or never.
BODY_SECONDS = 5.0


def link_routes(server: ReviewServer, site: Site) -> APIRouter:
    """Where links end. The token comes in the form that the page sends, never in an address."""
    routes = APIRouter()

    @routes.get("/enter")
    def enter() -> HTMLResponse:
        return HTMLResponse(server.render_enter())

    @routes.post("/enter")
    async def open_link(request: Request) -> Response:
        form = await _form(request)
        token = form.get("token", [""])[0].strip()
        guest = server.sessions.guest(token)
        if guest is None:
            return refused(server, request)
        if not server.limits.allows(guest.link_id):
            return too_many(server, request)
        now: Guest | None = request.state.guest
        # Somebody else's link must not make a reviewer answer under another name without a word.
        if now and now.session.reviewer != guest.session.reviewer and form.get("switch") != ["yes"]:
            return HTMLResponse(server.render_enter(guest, now.session.reviewer, token))
        await run_in_threadpool(server.sessions.audit, guest, "enter")
        response = go_to("./")
        response.set_cookie(site.cookie_of(server.name), token, httponly=True, secure=True, samesite="strict", path="/")
        return response

    return routes


def page_routes(server: ReviewServer) -> APIRouter:
    """The page and its pictures."""
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

    return routes


def button_routes(server: ReviewServer) -> APIRouter:
    """What the buttons of the page do."""
    routes = APIRouter()

    @routes.post("/answer")
    async def answer(request: Request) -> Response:
        form = await _item_form(request)
        try:
            sent = PageAnswer.model_validate({name: value for name, value in form.items() if value})
            await run_in_threadpool(_answer, server, request.state.guest, form["item"], sent)
        except (ValidationError, NothingCorrected) as fault:
            await _keep_draft(request, form)
            note = Note.NEEDS_CORRECTION if isinstance(fault, NothingCorrected) else Note.NOT_SAVED
            return go_to(f"./?item={form['item']}&note={note}")
        return go_to(f"./?note={Note.SAVED}")

    @routes.post("/undo")
    async def undo(request: Request) -> Response:
        await _keep_draft(request, await _own_form(request))
        await run_in_threadpool(server.sessions.audit, request.state.guest, "undo")
        item_id = await run_in_threadpool(request.state.session.undo)
        if item_id is None:
            return go_to(f"./?note={Note.NOTHING_TO_UNDO}")
        return go_to(f"./?item={item_id}&note={Note.UNDONE}")

    @routes.post("/skip")
    async def skip(request: Request) -> Response:
        form = await _item_form(request)
        await _keep_draft(request, form)
        request.state.session.skip(form["item"])
        return go_to("./")

    @routes.post("/draft")
    async def draft(request: Request) -> Response:
        """Keeps what was begun. A form that names another item goes there."""
        form = await _own_form(request)
        await _keep_draft(request, form)
        return go_to(f"./?item={quote(form['to'])}") if "to" in form else Response(status_code=204)

    return routes


def questionnaire_routes(server: ReviewServer) -> APIRouter:
    """What the questionnaire's button does."""
    routes = APIRouter()

    @routes.post("/consent")
    async def consent(request: Request) -> Response:
        form, asked, session = await _form(request), server.questionnaire, request.state.session
        if asked is None or not server.asks(session):
            return go_to("./")
        answers = asked.read(form)
        if answers is None:
            return HTMLResponse(server.render_questionnaire(incomplete=True))
        await run_in_threadpool(server.sessions.audit, request.state.guest, "consent")
        await run_in_threadpool(add_participant, session.folder, asked, session.reviewer, answers)
        return go_to("./")

    return routes


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


def _answer(server: ReviewServer, guest: Guest, item_id: str, sent: PageAnswer) -> None:
    server.sessions.audit(guest, "answer", item_id)
    guest.session.answer(item_id, sent)


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
    form = {name: values[-1] for name, values in (await _form(request)).items()}
    session: ReviewSession = request.state.session
    if form.get("reviewer", session.reviewer) != session.reviewer:
        raise OtherReviewer(session.reviewer)
    if "item" in form and form["item"] not in session.items:
        raise HTTPException(404, "no such item of yours")
    return form
