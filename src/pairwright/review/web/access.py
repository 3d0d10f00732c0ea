"""Where browsers reach the review page, which requests are served at all, and how often.

At this machine's own address a request must be addressed to loopback (against DNS rebinding). Behind a reverse proxy it
must be addressed to the public address, and the proxy must say so too: nothing else on this machine or beyond reaches
the page. A request that writes must come from the page itself (against cross-site requests). Framing that two servers
could read in two ways is refused, and the connection closed (against request smuggling).
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pairwright.core.errors import ReviewError

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
