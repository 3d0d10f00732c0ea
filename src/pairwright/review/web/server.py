"""A queue that is served: who may come, what they are shown, and the sheets that are taken over."""

import hmac
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from markupsafe import Markup

from pairwright.core.templates import html_templates
from pairwright.review.web.limits import Limits
from pairwright.review.web.links import Guest
from pairwright.review.web.policy import content_policy
from pairwright.review.web.questionnaire import Questionnaire, has_consented
from pairwright.review.web.session import Note, ReviewSession
from pairwright.review.web.shared import SharedQueue
from pairwright.review.web.view import PageSettings, item_view

SYNC_SECONDS = 1.0
_HERE = Path(__file__).parent
_TEMPLATES = html_templates(_HERE)


class Sessions(Protocol):
    """Who may come to a queue, which all their sessions share."""

    queue: SharedQueue

    def guest(self, token: str) -> Guest | None:
        """Whom a token admits."""

    def audit(self, guest: Guest, action: str, item_id: str | None = None) -> None:
        """Takes down what a guest is about to do."""


class TerminalSessions:
    """Sessions of reviewers by the tokens that the terminal shows. Nothing is taken down of people at this machine."""

    def __init__(self, queue: SharedQueue, reviewers: Mapping[str, str]) -> None:
        self.queue = queue
        self.by_token = {token: ReviewSession(queue, reviewer) for token, reviewer in reviewers.items()}

    def guest(self, token: str) -> Guest | None:
        """The one whose token is given, compared in constant time."""
        given = token.encode()
        own = (session for key, session in self.by_token.items() if hmac.compare_digest(key.encode(), given))
        return next(map(Guest, own), None)

    def audit(self, guest: Guest, action: str, item_id: str | None = None) -> None:
        pass


@dataclass
class ReviewServer:
    """A queue that is served.

    name    the first part of its addresses; empty where it is the only one
    report  gets the doubts that a reviewer can't mend
    """

    sessions: Sessions
    settings: PageSettings
    report: Callable[[str], None] = print
    name: str = ""
    questionnaire: Questionnaire | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        # The scripts and the style are part of the pages, and the policy lets only them run.
        self._script = (_HERE / "page.js").read_text(encoding="utf-8")
        self._enter_script = (_HERE / "enter.js").read_text(encoding="utf-8")
        self._style = (_HERE / "page.css").read_text(encoding="utf-8")
        self.policy = content_policy((self._script, self._enter_script), self._style)
        self._stopped = threading.Event()
        self._reported: set[str] = set()

    @property
    def path(self) -> str:
        return f"/{self.name}" if self.name else ""

    def asks(self, session: ReviewSession) -> bool:
        """Whether the reviewer has to agree to the questionnaire's text first."""
        asked = self.questionnaire if session.info.kind != "pairs" else None
        return asked is not None and not has_consented(session.folder, asked, session.reviewer)

    def render(self, session: ReviewSession, item_id: str | None, note: str) -> str:
        """The page with one of the reviewer's items, or with the next one if none is named."""
        item = session.items.get(item_id or "") or session.next_item()
        done, total = session.progress()
        return _TEMPLATES.get_template("page.html.j2").render(
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

    def render_enter(
        self, guest: Guest | None = None, instead_of: str = "", token: str = "", *, refusal: str = ""
    ) -> str:
        """The page on which a link ends, that asks before it takes the place of another reviewer's, or that refuses."""
        return _TEMPLATES.get_template("enter.html.j2").render(
            script=Markup(self._enter_script),
            style=Markup(self._style),
            words=self.settings.words,
            language=self.settings.language.code,
            reviewer=guest.session.reviewer if guest else "",
            instead_of=instead_of,
            token=token,
            refusal=refusal,
        )

    def render_questionnaire(self, *, incomplete: bool) -> str:
        """The text to agree to, and the questions; `incomplete` after a form that can't be taken."""
        return _TEMPLATES.get_template("questionnaire.html.j2").render(
            style=Markup(self._style),
            words=self.settings.words,
            language=self.settings.language.code,
            questionnaire=self.questionnaire,
            incomplete=incomplete,
        )

    def watch_sheets(self) -> None:
        """Takes over sheets that other programs write, until the server stops, and once more then."""
        queue = self.sessions.queue
        self._report(queue.first_notes)
        while not self._stopped.wait(SYNC_SECONDS):
            self._report(queue.sync())
        self._report(queue.sync())

    def stop(self) -> None:
        self._stopped.set()

    def _report(self, notes: Iterable[str]) -> None:
        for note in notes:
            if note not in self._reported:
                self.report(note)
            self._reported.add(note)
