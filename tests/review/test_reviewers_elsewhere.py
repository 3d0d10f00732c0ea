"""Reviewers elsewhere: links behind a reverse proxy, and what an attacker gets who tries the doors."""

import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from review_queue import QUEUE, QueueFixture, make_queue
from review_server import ReviewThread, run_here, serve_links

from pairwright.cli import main
from pairwright.core.errors import ReviewError
from pairwright.review.log import QueueFolder
from pairwright.review.web.links import Allowance, Limits, Sessions, issue, public_site, read_links, revoke
from pairwright.review.web.server import ReviewServer
from pairwright.review.web.session import SharedQueue
from pairwright.review.web.view import PageSettings

URL = "https://review.example.org"
SITE = public_site(URL)
COOKIE = f"__Host-pairwright_{QUEUE}"
FORWARDED = {"Host": "review.example.org", "X-Forwarded-Host": "review.example.org", "X-Forwarded-Proto": "https"}


class Elsewhere:
    """A queue behind a proxy. `get` and `post` ask what a browser with the cookie of a token would by the proxy."""

    def __init__(self, queue: QueueFixture, server: ReviewThread) -> None:
        self.queue, self.server = queue, server
        self.folder = QueueFolder(queue.annotations, QUEUE)

    def link(self, reviewer: str, days: int = 14) -> str:
        return issue(self.folder, reviewer, days, datetime.now(UTC))[0]

    def get(self, path: str, token: str = "", **headers: str) -> httpx.Response:
        return self._ask("GET", path, token, headers)

    def post(self, path: str, token: str, form: dict[str, str], **headers: str) -> httpx.Response:
        return self._ask("POST", path, token, {"Origin": URL, **headers}, form)

    def answer(self, token: str, item: str, word: str = "approve", **headers: str) -> httpx.Response:
        return self.post("answer", token, {"item": item, "decision": word}, **headers)

    def enter(self, token: str, cookie: str = "", **form: str) -> httpx.Response:
        return self.post("enter", cookie, {"token": token, **form})

    def items(self, reviewer: str) -> list[str]:
        return [row["Poros ID"] for row in self.queue.rows(reviewer)]

    def audit(self) -> list[dict[str, str]]:
        path = self.folder.path / "audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def _ask(
        self, method: str, path: str, token: str, headers: dict[str, str], form: dict[str, str] | None = None
    ) -> httpx.Response:
        address = self.server.root + (path if path.startswith("/") else f"/{QUEUE}/{path}")
        cookies = {"Cookie": f"{COOKIE}={token}"} if token else {}
        return httpx.request(method, address, headers={**FORWARDED, **cookies, **headers}, data=form, timeout=30)


Open = Callable[..., Elsewhere]


@pytest.fixture
def opened(queue: QueueFixture) -> Iterator[Open]:
    queue.set(reviewers=("ana", "jonas"), per_pair=1)
    queue.export()
    servers: list[ReviewThread] = []

    def begin(**options: object) -> Elsewhere:
        servers.append(serve_links([queue.context()], SITE, **options))
        return Elsewhere(queue, servers[-1])

    yield begin
    for server in servers:
        server.stop()


def test_a_link_opens_the_queue_and_its_token_is_written_nowhere(opened: Open) -> None:
    page = opened()
    token, other = page.link("ana"), page.link("jonas")
    door = page.get(
        "enter", **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    )
    assert door.status_code == 200
    assert "ana" not in door.text
    entered = page.enter(token)
    assert (entered.status_code, entered.headers["location"]) == (303, "./")
    parts = {part.strip().casefold() for part in entered.headers["set-cookie"].split(";")[1:]}
    assert parts == {"httponly", "secure", "samesite=strict", "path=/"}
    assert entered.headers["set-cookie"].startswith(f"{COOKIE}={token}")
    item = page.items("ana")[0]
    shown = page.get("", token, Referer=f"{URL}/{QUEUE}/enter")
    assert item in shown.text
    assert (shown.headers["referrer-policy"], shown.headers["cache-control"]) == ("same-origin", "no-store")
    assert page.answer(token, item).headers["location"] == "./?note=saved"
    assert page.answer(other, item).status_code == 404
    assert page.queue.latest[item, "ana"].decision == "approve"
    (link,) = (one for one in read_links(page.folder) if one.reviewer == "ana")
    enter, answer = page.audit()
    assert (enter["action"], enter["link"]) == ("enter", link.id)
    assert (answer["action"], answer["reviewer"], answer["link"], answer["item_id"]) == ("answer", "ana", link.id, item)
    kept = [file.read_bytes() for file in page.folder.path.rglob("*") if file.is_file()]
    assert not any(secret.encode() in content for content in kept for secret in (token, other))
    assert page.get(f"?token={token}").status_code == 401


def test_a_link_whose_end_is_no_time_admits_nobody_and_is_named_in_the_terminal(opened: Open) -> None:
    reported: list[str] = []
    page = opened(report=reported.append)
    token = page.link("ana")
    path = page.folder.path / ".links.jsonl"
    path.write_text(re.sub('"expires":"[^"]+"', '"expires":"soon"', path.read_text()), encoding="utf-8")
    assert page.get("", token).status_code == 503
    assert [line for line in reported if ".links.jsonl:1" in line]


@pytest.mark.parametrize(
    "changed",
    [
        {"X-Forwarded-Proto": "http"},
        {"X-Forwarded-Proto": "https, http"},
        {"X-Forwarded-Proto": None},
        {"X-Forwarded-Host": "evil.example"},
        {"X-Forwarded-Host": "review.example.org, evil.example"},
        {"X-Forwarded-Host": None},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:{port}"},
        {"Host": "review.example.org.evil.example"},
        {"Host": "review.example.org:80"},
        {"Host": None},
        {"more": "X-Forwarded-Host: evil.example\r\n"},
        {"more": "X-Forwarded-Proto: http\r\n"},
        {"more": "Host: evil.example\r\n"},
    ],
)
def test_what_the_proxy_did_not_send_for_the_public_address_is_refused(
    changed: dict[str, str | None], refusing: tuple[ReviewThread, str]
) -> None:
    server, token = refusing
    more = changed.pop("more", None) or ""
    headers = {name: value for name, value in {**FORWARDED, **changed}.items() if value is not None}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).replace("{port}", str(server.port))
    answer = exchange(
        server, f"GET /{QUEUE}/ HTTP/1.1\r\n{lines}{more}Connection: close\r\nCookie: {COOKIE}={token}\r\n\r\n"
    )
    assert answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))
    assert exchange(server, request("GET", "", token)).startswith(b"HTTP/1.1 200")


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ReviewThread, str]]:
    """One server for all that is refused, and a good token."""
    queue = make_queue(tmp_path_factory.mktemp("queue"))
    queue.export()
    token, _ = issue(QueueFolder(queue.annotations, QUEUE), "ana", 1, datetime.now(UTC))
    server = serve_links([queue.context()], SITE, limits=Limits(lambda: Allowance(1000, 1000)))
    yield server, token
    server.stop()
    assert not queue.log.exists()


def request(method: str, path: str, token: str, more: str = "", body: str = "", connection: str = "close") -> str:
    lines = "".join(f"{name}: {value}\r\n" for name, value in FORWARDED.items())
    lines += f"Connection: {connection}\r\nCookie: {COOKIE}={token}\r\n{more}"
    return f"{method} /{QUEUE}/{path} HTTP/1.1\r\n{lines}\r\n{body}"


def exchange(server: ReviewThread, sent: str) -> bytes:
    """What the server says to these bytes until it closes the connection, or has nothing to say for a while."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(sent.encode("latin-1"))
        received = b""
        connection.settimeout(5)
        try:
            while piece := connection.recv(65536):
                received += piece
        except TimeoutError:
            pass
        return received


SMUGGLED = "GET /linksniai/enter HTTP/1.1\r\nHost: review.example.org\r\n\r\n"


@pytest.mark.parametrize(
    ("more", "body"),
    [
        (f"Origin: {URL}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n", f"0\r\n\r\n{SMUGGLED}"),
        (f"Origin: {URL}\r\nTransfer-Encoding: chunked\r\n", f"0\r\n\r\n{SMUGGLED}"),
        (f"Origin: {URL}\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n", f"0\r\n\r\n{SMUGGLED}"),
        (f"Origin: {URL}\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n", f"0\r\n\r\n{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: 4\r\nContent-Length: 80\r\n", f"a=b&{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: 4\r\nContent-Length: 4\r\n", f"a=b&{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: 4\r\ncontent-length:4\r\n", f"a=b&{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: 4, 4\r\n", f"a=b&{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: +4\r\n", f"a=b&{SMUGGLED}"),
        (f"Origin: {URL}\r\nContent-Length: 99999999999\r\n", SMUGGLED),
        (f"Origin: {URL}\r\n", SMUGGLED),
    ],
)
def test_a_request_that_could_end_in_two_places_is_refused_and_the_connection_closed(
    more: str, body: str, refusing: tuple[ReviewThread, str]
) -> None:
    server, token = refusing
    answer = exchange(server, request("POST", "answer", token, more, body, "keep-alive"))
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400", b"HTTP/1.1 501"))
    assert b"connection: close" in answer.lower()
    with_body = exchange(server, request("GET", "", token, f"Content-Length: {len(SMUGGLED)}\r\n", SMUGGLED))
    assert (with_body[:12], with_body.count(b"HTTP/1.1 ")) == (b"HTTP/1.1 413", 1)


@pytest.mark.parametrize(
    "more",
    [
        "",
        "Origin: null\r\n",
        "Origin: http://review.example.org\r\n",
        "Origin: https://review.example.org.evil.example\r\n",
        "Origin: https://other.example.org\r\n",
        f"Origin: {URL}\r\nOrigin: https://evil.example\r\n",
        f"Origin: {URL}\r\nSec-Fetch-Site: cross-site\r\n",
        f"Origin: {URL}\r\nSec-Fetch-Site: same-site\r\n",
    ],
)
def test_other_sites_can_write_nothing_and_log_nobody_in(more: str, refusing: tuple[ReviewThread, str]) -> None:
    server, token = refusing
    body = f"token={token}&item=x&decision=approve"
    way = f"{more}Content-Length: {len(body)}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    for path in ("answer", "undo", "skip", "enter", "consent"):
        assert b" 403 " in exchange(server, request("POST", path, token, way, body))[:20]


def test_other_sites_can_open_the_door_alone(refusing: tuple[ReviewThread, str]) -> None:
    server, token = refusing
    navigation = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    assert b" 200 " in exchange(server, request("GET", "enter", token, navigation))[:20]
    assert b" 403 " in exchange(server, request("GET", "", token, navigation))[:20]
    frame = navigation.replace("document", "iframe")
    assert b" 403 " in exchange(server, request("GET", "enter", token, frame))[:20]


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/linksniai", "/linksniai//evil.example", "/\\evil.example", "/%2f%2fevil.example", "/"]
)
def test_nobody_is_sent_to_another_host(path: str, refusing: tuple[ReviewThread, str]) -> None:
    server, token = refusing
    answer = exchange(server, request("GET", "", token).replace(f"/{QUEUE}/ ", f"{path} "))
    assert b"location" not in answer.lower()
    assert answer.startswith(b"HTTP/1.1 4")


def test_a_link_ends_at_once_when_it_is_revoked_or_expires_or_is_replaced(opened: Open) -> None:
    moment = [datetime.now(UTC)]
    page = opened(now=lambda: moment[0])
    mine, item = page.link("ana"), page.items("ana")[0]
    theirs = page.link("jonas", days=2)
    assert page.answer(mine, item).status_code == 303
    moment[0] += timedelta(days=2, minutes=1)
    assert page.get("", theirs).status_code == 401
    assert page.enter(theirs).status_code == 401
    assert page.get("", mine).status_code == 200
    second = page.link("ana")
    assert page.answer(mine, item, "reject").status_code == 401
    assert page.answer(second, item, "unsure").status_code == 303
    revoke(page.folder, "ana", datetime.now(UTC))
    refused = page.answer(second, item, "reject")
    assert refused.status_code == 401
    assert "nebegalioja" in refused.text
    assert refused.headers["content-type"].startswith("text/plain")
    for path in ("", "enter-here", "/nonsense"):
        shown = page.get(path, second, **{"Sec-Fetch-Mode": "navigate"})
        assert shown.headers["content-type"].startswith("text/html")
        assert '<p role="alert">Ši nuoroda' in shown.text
        assert "<form" not in shown.text
    assert page.get("", second).status_code == 401
    assert page.queue.latest[item, "ana"].decision == "unsure"
    assert [link.state(moment[0]) for link in read_links(page.folder)] == ["revoked", "expired", "revoked"]
    with pytest.raises(ReviewError, match="has no valid link"):
        revoke(page.folder, "ana", datetime.now(UTC))
    (page.folder.path / ".links.jsonl").unlink()
    assert page.get("", second).status_code == 401


def test_somebody_elses_link_does_not_change_who_answers_without_a_word(opened: Open) -> None:
    page = opened()
    mine, theirs = page.link("ana"), page.link("jonas")
    asked = page.enter(theirs, cookie=mine)
    assert asked.status_code == 200
    assert "set-cookie" not in asked.headers
    assert 'name="switch"' in asked.text
    assert f"{COOKIE}={theirs}" in page.enter(theirs, cookie=mine, switch="yes").headers["set-cookie"]
    assert page.enter(mine, cookie=mine).status_code == 303
    planted = "chosen-by-somebody-else"
    assert page.get("", planted).status_code == 401
    assert page.enter(planted).status_code == 401


def test_a_link_of_one_queue_does_not_open_another(exported: QueueFixture) -> None:
    exported.export("tyrimas", "likert")
    token, _ = issue(QueueFolder(exported.annotations, QUEUE), "ana", 1, datetime.now(UTC))
    other, _ = issue(QueueFolder(exported.annotations, "tyrimas"), "ana", 1, datetime.now(UTC))
    server = serve_links([exported.context(), exported.context("tyrimas")], SITE)
    try:
        for name, key, status in (
            (QUEUE, token, 200),
            ("tyrimas", other, 200),
            (QUEUE, other, 401),
            ("tyrimas", token, 401),
        ):
            cookie = {"Cookie": f"__Host-pairwright_{name}={key}"}
            assert httpx.get(f"{server.root}/{name}/", headers={**FORWARDED, **cookie}).status_code == status
        assert httpx.get(f"{server.root}/kita/", headers=FORWARDED).status_code == 404
    finally:
        server.stop()


def test_what_people_send_makes_no_lines_of_its_own_in_the_logs(opened: Open) -> None:
    page = opened()
    token, item = page.link("ana"), page.items("ana")[0]
    forged = '\n{"reviewer":"jonas"}\r\n\u2028{"reviewer":"jonas"}'
    assert page.answer(token, item + forged).status_code == 404
    page.post("answer", token, {"item": item, "decision": "reject", "comment": f"a{forged}"}, **{"User-Agent": "x"})
    assert page.get("%0a%0d{forged}", token).status_code == 404
    assert [line["action"] for line in page.audit()] == ["answer"]
    (line,) = page.queue.log.read_bytes().splitlines()
    assert json.loads(line)["reviewer"] == "ana"
    with pytest.raises(ReviewError, match="not a plain name"):
        page.link("ana\njonas")


def test_a_link_is_slowed_down_whatever_address_it_comes_from_and_no_other_with_it(opened: Open) -> None:
    clock = [0.0]
    limits = Limits(lambda: Allowance(1, 3, lambda: clock[0]), Allowance(1, 3, lambda: clock[0]))
    page = opened(limits=limits)
    mine, theirs = page.link("ana"), page.link("jonas")
    got = [page.get("", mine, **{"X-Forwarded-For": f"203.0.113.{number}"}).status_code for number in range(5)]
    assert got == [200, 200, 200, 429, 429]
    assert page.get("", theirs).status_code == 200
    clock[0] += 1
    assert page.get("", mine).status_code == 200
    tried = [page.enter(f"guess-{number}").status_code for number in range(5)]
    assert tried == [401, 401, 401, 429, 429]
    assert page.get("", "guess").status_code == 429
    assert [page.enter(theirs).status_code for _ in range(4)] == [303, 303, 303, 429]
    clock[0] += 1
    assert page.get("", theirs).status_code == 200


def test_a_fault_is_named_at_once_and_tells_people_elsewhere_nothing_of_the_machine(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    page = opened(report=told.append)
    token, item = page.link("ana"), page.items("ana")[0]
    assert page.get("", token).status_code == 200
    monkeypatch.setattr("pairwright.review.log.LOCK_TIMEOUT", 0.1)
    with page.folder.locked():
        answer = page.answer(token, item)
    assert answer.status_code == 503
    assert str(page.queue.annotations) not in answer.text
    assert f"process {os.getpid()}" not in answer.text
    assert any(f"process {os.getpid()}" in line for line in told)
    assert page.answer(token, item).status_code == 303
    log, deadline = page.queue.log, time.monotonic() + 10
    log.write_bytes(log.read_bytes().replace(b"approve", b"reject", 1) + log.read_bytes())
    while not any("decisions.jsonl:1: " in line and "delete the line" in line for line in told):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    "url",
    ["http://review.example.org", "https://", "review.example.org", "https://a@review.example.org", "https://x/path",
     "https://x?y", "https://x#y", "https://x:99999", "https://[::1", "https://x y", "https://x\r\nHost: y"],
)  # fmt: skip
def test_a_public_address_is_a_host_with_https(url: str) -> None:
    with pytest.raises(ReviewError, match="--public-url"):
        public_site(url)
    assert public_site("https://review.example.org:8443/").origins == {"review.example.org:8443": f"{URL}:8443"}


def test_links_are_made_listed_and_revoked_from_the_terminal(
    exported: QueueFixture, run_main: Callable[..., tuple[int, str, str]]
) -> None:
    at = ("--queue", QUEUE, "--workspace", exported.annotations.parent)
    code, out, err = run_main(
        main, "review", "invite", *at, "--reviewer", "ana", "--days", 3, "--public-url", f"{URL}/"
    )
    address, _, token = out.strip().partition("#")
    assert (code, address) == (0, f"{URL}/{QUEUE}/enter")
    assert "until" in err
    code, out, _ = run_main(main, "review", "invite", *at)
    assert (code, "ana" in out, "valid" in out, token in out) == (0, True, True, False)
    assert run_main(main, "review", "invite", *at, "--reviewer", "ana", "--revoke")[0] == 0
    assert "revoked" in run_main(main, "review", "invite", *at)[1]
    code, _, err = run_main(main, "review", "invite", *at, "--reviewer", "ana", "--revoke")
    assert (code, err.count("\n"), "no valid link" in err) == (2, 1, True)
    code, _, err = run_main(main, "review", "invite", *at, "--reviewer", "ana")
    assert (code, "--public-url is missing" in err) == (2, True)
    for queue, reviewer, words in ((QUEUE, "ona", "known: ana, jonas"), ("kita", "ana", "no such queue")):
        with pytest.raises(ReviewError, match=words):
            issue(QueueFolder(exported.annotations, queue), reviewer, 1, datetime.now(UTC))


def test_several_queues_of_one_reviewer_are_served_here_side_by_side(exported: QueueFixture) -> None:
    exported.export("tyrimas", "choice")
    servers = [
        ReviewServer(Sessions(SharedQueue(exported.context(name)), {f"of-{name}": "ana"}), page, name=name)
        for name in (QUEUE, "tyrimas")
        for page in [PageSettings(exported.language)]
    ]
    running = run_here(servers)
    try:
        with httpx.Client(base_url=running.root, headers={"Origin": running.root}, follow_redirects=True) as client:
            for name, field in ((QUEUE, "decision"), ("tyrimas", "choice")):
                assert client.get(f"/{name}/").status_code == 401
                assert f'name="{field}"' in client.get(f"/{name}/?token=of-{name}").text
            item = exported.rows()[0]["Poros ID"]
            done = client.post(f"/{QUEUE}/answer", data={"item": item, "decision": "reject"})
            assert str(done.url).startswith(f"{running.root}/{QUEUE}/?note=saved")
            assert client.post("/tyrimas/answer", data={"item": item, "decision": "reject"}).status_code == 404
            assert client.get(f"/{QUEUE}/enter").status_code == 404
    finally:
        running.stop()
    assert exported.latest[item, "ana"].decision == "reject"
    assert not (exported.annotations / QUEUE / "audit.jsonl").exists()
