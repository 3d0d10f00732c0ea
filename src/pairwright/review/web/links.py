"""Which requests to the review page are served at all, how often, and to whom: links of reviewers who are elsewhere.

At this machine's own address a request must be addressed to loopback (against DNS rebinding), behind a reverse proxy to
the public address. One that writes must come from the page itself (against cross-site requests), and framing that two
servers could read in two ways is refused (against request smuggling). A link's token is random, of 256 bits; the folder
holds only its hash, in a file that git ignores and that is looked at again at each request.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pairwright.core.errors import ReviewError
from pairwright.core.records import Record
from pairwright.core.store import append_log, write_log
from pairwright.review.log import QueueFolder, plain_name, read_queue_log
from pairwright.review.web.session import ReviewSession, SharedQueue

HOST = "127.0.0.1"
MAX_BODY = 64 * 1024
_HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


@dataclass(frozen=True)
class Site:
    """Where browsers reach the page.

    origins    the origin of the page by each `Host` under which it is served
    cookie     the beginning of the cookies' names
    public     the address behind which a reverse proxy stands; empty at this machine's own address
    """

    origins: Mapping[str, str]
    cookie: str
    public: str = ""

    def refusal(self, request: Request) -> Response | None:
        """The answer to a request that is not served at all; None if it may be served."""
        host = _only(request, "host").lower()
        origin = self.origins.get(host)
        if origin is None or not self._forwarded(request, host):
            return PlainTextResponse("this address is not served here", status_code=421)
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not self._enters(request):
            return PlainTextResponse("requests from other sites are refused", status_code=403)
        writes = request.method not in ("GET", "HEAD")
        if writes and _only(request, "origin") != origin:
            return PlainTextResponse("requests from other sites are refused", status_code=403)
        length = _only(request, "content-length") if writes or "content-length" in request.headers else "0"
        if re.fullmatch("[0-9]{1,9}", length) is None or "transfer-encoding" in request.headers:
            return PlainTextResponse("too long", status_code=413, headers={"Connection": "close"})
        if int(length) > (MAX_BODY if writes else 0):
            return PlainTextResponse("too long", status_code=413)
        return None

    def cookie_of(self, queue: str) -> str:
        """The name of the cookie that opens a queue; empty for a server of one queue."""
        return f"{self.cookie}_{queue}" if queue else self.cookie

    def _forwarded(self, request: Request, host: str) -> bool:
        """Whether the reverse proxy says that it was asked for the public address, or none has to say so."""
        said = _only(request, "x-forwarded-host").lower(), _only(request, "x-forwarded-proto")
        return not self.public or said == (host, "https")

    def _enters(self, request: Request) -> bool:
        """Whether somebody follows a link, from a mail say. The page that it opens tells and changes nothing."""
        way = request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")
        path = request.scope["path"]
        return bool(self.public) and request.method == "GET" and path.endswith("/enter") and way == _NAVIGATION


_NAVIGATION = ("navigate", "document")


def local_site(port: int) -> Site:
    """This machine's own address."""
    hosts = (f"{name}:{port}" for name in (HOST, "localhost", "[::1]"))
    return Site({host: f"http://{host}" for host in hosts}, f"pairwright_{port}")


def public_site(url: str) -> Site:
    """The address of a reverse proxy, such as `https://review.example.org`.

    Raises ReviewError unless it is an address with https and nothing behind the host.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    plain = (parts.username, parts.password, parts.query, parts.fragment) == (None, None, "", "")
    if parts.scheme != "https" or not _HOST_NAME.fullmatch(host) or parts.path not in ("", "/") or not plain:
        raise ReviewError(
            f"--public-url {url!r}: not the address of a host with https; give one such as https://review.example.org"
        )
    hosts = (host, f"{host}:443") if port in (None, 443) else (f"{host}:{port}",)
    origin = f"https://{hosts[0]}"
    # Browsers take a cookie of this name only from this very host, over TLS: no subdomain beside it can plant one.
    return Site(dict.fromkeys(hosts, origin), "__Host-pairwright", origin)


def _only(request: Request, name: str) -> str:
    """The value of a header that stands once; empty if it is missing or stands several times."""
    values = request.headers.getlist(name)
    return values[0] if len(values) == 1 else ""


@dataclass
class Allowance:
    """A token bucket: allows `burst` at once and `rate` a second in the long run. `clock` gives seconds."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._left = self.burst
        self._at = self.clock()

    def take(self) -> bool:
        """Whether it is allowed once more now."""
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


@dataclass
class Limits:
    """Requests by each link, and attempts with tokens that open nothing, whoever sends them.

    Addresses are not asked: those of a proxy's headers are anybody's word, and many reviewers may share one.
    """

    by_link: Callable[[], Allowance] = lambda: Allowance(rate=10, burst=60)
    failed: Allowance = field(default_factory=lambda: Allowance(rate=1, burst=30))
    _links: dict[str, Allowance] = field(default_factory=dict)

    def allows(self, link_id: str) -> bool:
        """Whether a link may send another request now."""
        return self._links.setdefault(link_id, self.by_link()).take()


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
