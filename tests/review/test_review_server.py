"""What the review server refuses, and that nothing is lost when much happens at once."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from review_queue import COMMENT, DECISION, QueueFixture, make_pair
from review_server import ReviewPage, ReviewThread

from made_records import make_checked
from pairwright.core.errors import ReviewError
from pairwright.core.records import QueueKind
from pairwright.review.log import QueueFolder


@pytest.fixture
def server(queue: QueueFixture) -> Iterator[ReviewPage]:
    queue.set(reviewers=("ana", "jonas"), per_pair=1)
    queue.export()
    running = queue.serve("ana", "jonas")
    yield running
    running.stop()


def send(client: httpx.Client, item_id: str, word: str, **headers: str) -> httpx.Response:
    return client.post("/answer", data={"item": item_id, "decision": word}, headers=headers)


def test_without_its_token_the_server_says_nothing(queue: QueueFixture, server: ReviewPage) -> None:
    mine = queue.ids("ana")[0]
    for token in ("", "?token=", "?token=token-of-an", "?token=token-of-ona", "?token=%00"):
        answer = httpx.get(f"{server.root}/{token}")
        assert answer.status_code == 401
        assert "ana" not in answer.text
    assert httpx.get(f"{server.root}/", cookies={f"pairwright_{server.port}": "x"}).status_code == 401
    answer = httpx.post(f"{server.root}/answer", data={"item": mine, "decision": "approve"})
    assert answer.status_code in (401, 403)
    assert httpx.get(f"{server.root}/crop/{mine}").status_code == 401
    assert not queue.log.exists()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80", "Origin": "http://evil.example:80"}, 421),
    ],
)
def test_requests_of_other_sites_are_refused(
    headers: dict[str, str], status: int, queue: QueueFixture, server: ReviewPage
) -> None:
    client = server.client("ana")
    assert send(client, queue.ids("ana")[0], "approve", **headers).status_code == status
    client.headers.pop("Origin")
    assert send(client, queue.ids("ana")[0], "approve").status_code == 403
    assert not queue.log.exists()


def test_another_reviewers_items_are_not_there(queue: QueueFixture, server: ReviewPage) -> None:
    client, theirs = server.client("ana"), queue.ids("jonas")
    for item_id in (*theirs, "pair-0000000000000000", "../jonas", ""):
        assert send(client, item_id, "approve").status_code == 404
        assert client.post("/skip", data={"item": item_id}).status_code == 404
    for item_id in (*theirs, "..%2f..%2fpairs.jsonl", "%2e%2e/queue.json"):
        assert client.get(f"/crop/{item_id}").status_code == 404
        assert client.get("/", params={"item": item_id}).text.count(item_id) == 0
    assert not queue.log.exists()


def test_a_form_of_another_reviewers_page_is_refused_with_a_clear_line(queue: QueueFixture, server: ReviewPage) -> None:
    client, mine = server.client("jonas"), queue.ids("jonas")[0]
    for path in ("/answer", "/skip", "/undo"):
        answer = client.post(path, data={"reviewer": "ana", "item": mine, "decision": "approve", "comment": "ne"})
        assert answer.status_code == 409
        assert "Iš naujo atverkite savo adresą" in answer.text
    assert client.post("/answer", data={"reviewer": "jonas", "item": mine, "decision": "approve"}).status_code == 200
    assert [key[1] for key in queue.latest] == ["jonas"]


def test_nobody_sees_what_another_answered(exported: QueueFixture) -> None:
    exported.answer({number: {DECISION: "atmesti", COMMENT: "SLAPTA"} for number in range(5)}, "jonas")
    with exported.page() as client:
        for item_id in exported.ids("ana"):
            text = client.get("/", params={"item": item_id}).text
            assert "SLAPTA" not in text
            assert "jonas" not in text
            assert 'class="decided"' not in text


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("pairs", {"decision": "perhaps"}),
        ("pairs", {"decision": "fix"}),
        ("pairs", {"alternative": "3"}),
        ("pairs", {"decision": "fix", "good": "Laukiu tavęs.", "bad": "Laukiu tavęs."}),
        ("pairs", {"decision": "fix", "good": "  "}),
        ("pairs", {"decision": "fix", "good": "the pair's own"}),
        ("choice", {"choice": "C"}),
        ("likert", {"rating": "8"}),
        ("likert", {"rating": "2.5"}),
    ],
)
def test_what_is_no_answer_is_not_logged(kind: QueueKind, form: dict[str, str], queue: QueueFixture) -> None:
    queue.export("tyrimas", kind)
    with queue.page(queue="tyrimas") as client:
        item_id = next(iter(queue.rows("ana", queue="tyrimas")[0].values()))
        if form.get("good") == "the pair's own":
            form = {**form, "good": queue.known[item_id].good.replace(" ", "\u200b ", 1)}
        answer = client.post("/answer", data={"item": item_id, **form})
    assert answer.status_code == 200
    assert 'class="bad"' in answer.text
    logs = (queue.annotations / "tyrimas").glob("*.jsonl")
    assert not {"decisions", "judgements"} & {path.stem for path in logs}


def test_each_answer_is_logged_once_with_a_time_that_can_be_true_and_undone_to_the_one_before(
    queue: QueueFixture, server: ReviewPage
) -> None:
    client, item_id = server.client("ana"), queue.ids("ana")[0]
    times = {"12.34": 12.3, "0": 0.0, "-1": None, "nan": None, "1e9": None, "soon": None}
    for number, (sent, logged) in enumerate(times.items()):
        word = ("approve", "reject")[number % 2]
        for _ in range(2):
            client.post("/answer", data={"item": item_id, "decision": word, "seconds": sent})
        entry = queue.latest[item_id, "ana"]
        assert (entry.decision, entry.seconds) == (word, logged)
        assert len(queue.log.read_bytes().splitlines()) == number + 1
    client.post("/undo")
    assert queue.latest[item_id, "ana"].decision == "approve"
    for _ in range(6):
        client.post("/undo")
    assert queue.latest == {}
    assert len(queue.log.read_bytes().splitlines()) == 2 * len(times)


def test_bodies_that_are_no_form_are_refused(queue: QueueFixture, server: ReviewPage) -> None:
    client = server.client("ana")
    assert client.post("/answer", content=b"\xff\xfe\x00").status_code == 404
    assert client.post("/answer", content=b"a=1&" * 200).status_code == 404
    assert client.post("/answer", content=b"x" * 100_000).status_code == 413
    assert client.post("/answer", json={"item": "x"}).status_code == 404
    for path in ("/docs", "/openapi.json", "/static/x", "/../../etc/passwd", "/annotations/ana.csv"):
        assert client.get(path).status_code == 404


def test_answers_of_two_reviewers_and_two_tabs_at_once_are_all_kept(queue: QueueFixture) -> None:
    queue.pairs = [
        make_checked(make_pair(f"Laukiu {number} autobuso.", f"Laukiu {number} autobusą.")) for number in range(20)
    ]
    queue.export()
    running = queue.serve("ana", "jonas")
    given = {reviewer: queue.ids(reviewer) for reviewer in ("ana", "jonas")}
    sent: list[tuple[str, str]] = []

    def work(reviewer: str, part: int) -> None:
        client = running.client(reviewer)
        for item_id in given[reviewer][part::2]:
            assert send(client, item_id, "reject").status_code == 200
            sent.append((item_id, reviewer))
        client.close()

    threads = [threading.Thread(target=work, args=(name, part)) for name in ("ana", "jonas") for part in (0, 1)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        queue.import_sheets()
    for thread in threads:
        thread.join()
    running.stop()
    queue.import_sheets()
    assert set(queue.latest) == set(sent)
    assert len(sent) == 40
    for reviewer in ("ana", "jonas"):
        assert {row[DECISION] for row in queue.rows(reviewer)} == {"atmesti"}


def test_a_sheet_that_was_open_while_the_page_went_on_takes_nothing_back(
    queue: QueueFixture, server: ReviewPage
) -> None:
    client, item_id = server.client("ana"), queue.ids("ana")[0]
    good = queue.known[item_id].good
    queue.answer({good: {DECISION: "gerai"}})
    opened = queue.path().read_bytes()
    send(client, item_id, "reject")
    queue.import_sheets()
    assert [row[DECISION] for row in queue.rows() if row["Poros ID"] == item_id] == ["atmesti"]
    queue.path().write_bytes(opened)
    assert queue.import_sheets().doubts == ()
    assert [row[DECISION] for row in queue.rows() if row["Poros ID"] == item_id] == ["atmesti"]
    assert queue.latest[item_id, "ana"].decision == "reject"
    assert queue.answer({good: {DECISION: "neaišku"}}).doubts == ()
    assert queue.latest[item_id, "ana"].decision == "unsure"


def test_a_queue_that_leads_out_of_the_annotations_is_refused(exported: QueueFixture, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (exported.annotations / "linksniai").rename(elsewhere)
    (exported.annotations / "linksniai").symlink_to(elsewhere)
    with pytest.raises(ReviewError, match="leads out of"):
        QueueFolder(exported.annotations, "linksniai")


TORN = {
    "a form that ends in the middle": b"content-length: 100\r\n\r\nitem=pair",
    "a piece that ends in the middle": b"transfer-encoding: chunked\r\n\r\nff\r\nitem=pair",
    "a piece whose length is no number": b"transfer-encoding: chunked\r\n\r\nzz\r\nitem=pair\r\n0\r\n\r\n",
    "headers that end in the middle": b"content-le",
    "no request at all": b"\r\n\x00\xff\r\n\r\n",
}


def head(server: ReviewPage, path: str) -> bytes:
    """The beginning of a request that a reviewer sends."""
    cookie = f"pairwright_{server.port}=token-of-ana"
    lines = f"host: 127.0.0.1:{server.port}\r\norigin: {server.root}\r\ncookie: {cookie}\r\n"
    return f"POST {path} HTTP/1.1\r\n{lines}".encode()


@pytest.mark.parametrize("rest", TORN.values(), ids=TORN)
@pytest.mark.parametrize("path", ["/answer", "/consent"])
def test_a_reviewer_who_breaks_off_leaves_no_traceback_in_the_terminal(
    path: str, rest: bytes, queue: QueueFixture, server: ReviewPage, caplog: pytest.LogCaptureFixture
) -> None:
    for waits in (False, True):
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(head(server, path) + rest)
            time.sleep(0.2 if waits else 0)
    assert send(server.client("ana"), queue.ids("ana")[0], "approve").status_code == 200
    assert not [record for record in caplog.records if record.exc_info]


def test_a_client_that_sends_half_a_body_and_waits_is_sent_away(
    queue: QueueFixture, server: ReviewThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairwright.review.web.server.BODY_SECONDS", 0.3)
    half = head(server, "/answer") + f"content-length: 500\r\n\r\nitem={queue.id(0)}&decision=approve".encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(half)
        assert client.recv(10_000).startswith(b"HTTP/1.1 408 ")
        while client.recv(10_000):
            pass  # until the server closes the connection
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as waiting:
        waiting.sendall(half)
        time.sleep(0.1)
        server.stop()
        assert not server.thread.is_alive()
    assert not queue.log.exists()
