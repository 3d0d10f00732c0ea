"""Links of reviewers who are elsewhere: one for each in a queue, which expires and can be revoked.

A link's token is random, of 256 bits. The queue's folder holds only its hash, in a file that git ignores, so whoever
reads the folder can't enter. The file is looked at again at each request, so a revoked link ends at once.
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator

from pairwright.core.errors import ReviewError
from pairwright.core.records import Record
from pairwright.core.store import append_log, write_log
from pairwright.review.log.log import read_queue_log
from pairwright.review.log.queue import QueueFolder, plain_name
from pairwright.review.web.session import ReviewSession
from pairwright.review.web.shared import SharedQueue

LINKS = ".links.jsonl"
AUDIT = "audit.jsonl"


def _instant(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError(f"{text}: has no time zone")
    return text


Instant = Annotated[str, AfterValidator(_instant)]


class Link(Record):
    """A link as it is stored. `id` names it to people; times are in UTC, as ISO 8601. One of `revoked` is void."""

    id: str
    reviewer: str
    token_sha256: str
    created: str
    expires: Instant
    revoked: str | None = None

    def state(self, now: datetime) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked is not None:
            return "revoked"
        return "valid" if now < datetime.fromisoformat(self.expires) else "expired"


class AuditLine(Record):
    """What was asked of the server through a link, under the reviewer's name as in the log. It holds no secret."""

    at: str
    reviewer: str
    link: str
    action: str
    item_id: str | None = None


def issue(folder: QueueFolder, reviewer: str, days: int, now: datetime) -> tuple[str, Link]:
    """Makes a link for a reviewer of a queue and revokes the one before. Returns the token, which is stored nowhere.

    Raises ReviewError if there is no such queue, or nothing in it for the reviewer.
    """
    folder.info()
    reviewers = {item.reviewer for item in folder.assignments() if not item.withdrawn}
    if plain_name("reviewer", reviewer) not in reviewers:
        names = ", ".join(sorted(reviewers))
        raise ReviewError(f"{folder.path}: '{reviewer}' has nothing in this queue; known: {names}")
    token = secrets.token_urlsafe(32)
    link = Link(
        id=secrets.token_hex(4),
        reviewer=reviewer,
        token_sha256=_hash(token),
        created=_text(now),
        expires=_text(now + timedelta(days=days)),
    )
    with folder.locked():
        write_log(folder.path / LINKS, [*_revoked(folder, reviewer, now), link])
    return token, link


def revoke(folder: QueueFolder, reviewer: str, now: datetime) -> None:
    """Revokes a reviewer's link. Raises ReviewError if there is none that is valid."""
    folder.info()
    with folder.locked():
        valid = {link.reviewer for link in read_links(folder) if link.state(now) == "valid"}
        if reviewer not in valid:
            names = ", ".join(sorted(valid)) or "nobody"
            raise ReviewError(f"{folder.path}: '{reviewer}' has no valid link; those who have: {names}")
        write_log(folder.path / LINKS, _revoked(folder, reviewer, now))


def read_links(folder: QueueFolder) -> list[Link]:
    """The links of a queue, oldest first."""
    return list(read_queue_log(folder.path / LINKS, Link))


def _revoked(folder: QueueFolder, reviewer: str, now: datetime) -> list[Link]:
    return [
        link.model_copy(update={"revoked": _text(now)})
        if link.reviewer == reviewer and link.state(now) == "valid"
        else link
        for link in read_links(folder)
    ]


@dataclass(frozen=True)
class Guest:
    """Who sends a request. `link_id` is empty for whoever has the address that the terminal showed."""

    session: ReviewSession
    link_id: str = ""


@dataclass
class Sessions:
    """Who may come to a queue: whoever has a link or, if there are `reviewers` by tokens, these alone.

    A session of a link is made when it is first used. `now` gives the time.
    """

    queue: SharedQueue
    reviewers: Mapping[str, str] | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __post_init__(self) -> None:
        here = self.reviewers or {}
        self.opened = {name: ReviewSession(self.queue, name) for name in here.values()}
        self._named = {_hash(token): name for token, name in here.items()}
        self._links: dict[str, Link] = {}
        self._state: tuple[int, int, int] | None = None

    def guest(self, token: str) -> Guest | None:
        """Whom a token admits; None for an unknown, expired or revoked one.

        It is looked up by its hash, so how long that takes tells nothing of any token. Raises StoreError.
        """
        if self.reviewers is not None:
            name = self._named.get(_hash(token))
            return Guest(self.opened[name]) if name else None
        self._read()
        link = self._links.get(_hash(token))
        if link is None or link.state(self.now()) != "valid":
            return None
        if link.reviewer not in self.opened:
            self.opened[link.reviewer] = ReviewSession(self.queue, link.reviewer)
        return Guest(self.opened[link.reviewer], link.id)

    def audit(self, guest: Guest, action: str, item_id: str | None = None) -> None:
        """Adds a line to the audit of the queue, on the disk before what it tells of is done.

        Nothing is taken down of people at this machine.
        """
        if not guest.link_id:
            return
        at = self.now().isoformat(timespec="milliseconds")
        line = AuditLine(at=at, reviewer=guest.session.reviewer, link=guest.link_id, action=action, item_id=item_id)
        append_log(self.queue.folder.path / AUDIT, [line])

    def _read(self) -> None:
        """Reads the links again if their file is another one. It is replaced whole, never written into."""
        try:
            status = (self.queue.folder.path / LINKS).stat()
        except FileNotFoundError:
            self._links, self._state = {}, None
            return
        state = status.st_mtime_ns, status.st_size, status.st_ino
        if state != self._state:
            self._links = {link.token_sha256: link for link in read_links(self.queue.folder)}
            self._state = state


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="seconds")
