"""What people agree to and say of themselves before a blind experiment."""

import csv
import io
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from review_queue import QueueFixture
from review_server import run_here

from pairwright.cli import main
from pairwright.core.errors import ConfigError
from pairwright.core.records import QueueKind
from pairwright.review.log import QueueFolder
from pairwright.review.web.links import Sessions
from pairwright.review.web.server import ReviewServer
from pairwright.review.web.session import SharedQueue, find_questionnaire, participants
from pairwright.review.web.view import PageSettings

ASKED = """
consent = '''
Tyrime klausiama, kurie sakiniai taisyklingi.

Dalyvauti <b>niekas</b> neverčia.'''

[[questions]]
name = "age"
text = "Kiek jums metų?"
options = ["iki 30", "30–60", "per 60"]
required = true

[[questions]]
name = "languages"
text = "Kuriomis kalbomis kalbate?"
options = ["lietuvių", "lenkų", "rusų"]

[[questions]]
name = "dialect"
text = "Iš kur esate?"
"""
GOOD = {"consent": "yes", "age": "30–60", "languages": "rusų", "dialect": "=Zarasai, „tai toli“"}


def write(root: Path, text: str = ASKED) -> None:
    (root / "questionnaire.toml").write_text(text, encoding="utf-8")


def visit(queue: QueueFixture, kind: QueueKind) -> tuple[httpx.Client, Callable[[], None]]:
    """A reviewer's browser before a queue of the workspace, and what ends the server."""
    queue.export("tyrimas", kind)
    context = queue.context("tyrimas")
    asked = find_questionnaire(queue.annotations.parent)
    sessions = Sessions(SharedQueue(context), {"token": "ana"})
    running = run_here([ReviewServer(sessions, PageSettings(context.language), questionnaire=asked)])
    client = httpx.Client(base_url=running.root, headers={"Origin": running.root}, follow_redirects=True, timeout=30)
    client.get("/?token=token")
    return client, running.stop


def test_an_experiment_begins_with_consent_and_a_questionnaire(
    queue: QueueFixture, run_main: Callable[..., tuple[int, str, str]]
) -> None:
    root = queue.annotations.parent
    write(root)
    client, stop = visit(queue, "choice")
    try:
        shown = client.get("/").text
        assert "Dalyvauti &lt;b&gt;niekas&lt;/b&gt; neverčia." in shown
        item = queue.rows("ana", queue="tyrimas")[0]["Eilutės ID"]
        assert item not in shown
        assert 'name="consent"' in client.post("/answer", data={"item": item, "choice": "A"}).text
        for refused in (
            {"consent": ""},
            {"age": ""},
            {"age": "12"},
            {"languages": ["marsiečių"]},
            {"age": ["iki 30", "per 60"]},
        ):
            assert 'class="bad"' in client.post("/consent", data={**GOOD, **refused}).text
        assert participants(QueueFolder(queue.annotations, "tyrimas")) == {}
        assert 'name="choice"' in client.post("/consent", data=GOOD).text
        assert client.post("/answer", data={"item": item, "choice": "A"}).status_code == 200
        code, out, _ = run_main(main, "review", "questionnaire", "--queue", "tyrimas", "--workspace", root)
        (row,) = csv.DictReader(io.StringIO(out))
        assert (code, row["reviewer"], row["age"], row["languages"]) == (0, "ana", "30–60", "rusų")
        assert row["dialect"] == "'=Zarasai, „tai toli“"
        delete = ("review", "questionnaire", "--queue", "tyrimas", "--delete", "ana", "--workspace", root)
        assert run_main(main, *delete)[0] == 0
        assert 'name="consent"' in client.get("/").text
        code, _, err = run_main(main, *delete)
        assert (code, "nothing of 'ana'" in err) == (2, True)
        files = {path.name: path.read_bytes() for path in (queue.annotations / "tyrimas").iterdir()}
        assert not any(b"Zarasai" in content for content in files.values())
        assert b'"prefers"' in files["judgements.jsonl"]
        client.post("/consent", data=GOOD)
    finally:
        stop()
    # What people say stands apart and hidden, and they are asked again when the text changes.
    file = queue.annotations / "tyrimas" / ".questionnaire.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir() if b"Zarasai" in path.read_bytes()] == [file.name]
    for text, field in ((ASKED, "choice"), (ASKED.replace("niekas", "joks žmogus"), "consent")):
        write(root, text)
        client, stop = visit(queue, "choice")
        assert f'name="{field}"' in client.get("/").text
        stop()


def test_reviewers_of_pairs_are_not_asked(queue: QueueFixture) -> None:
    write(queue.annotations.parent)
    client, stop = visit(queue, "pairs")
    assert 'name="decision"' in client.get("/").text
    stop()


@pytest.mark.parametrize(
    "text",
    [
        "", 'consent = ""', 'consent = "a"\nmore = 1', 'consent = "a"\n[[questions]]\nname = "Age"\ntext = "b"',
        'consent = "a"\n[[questions]]\nname = "consent"\ntext = "b"',
        'consent = "a"\n[[questions]]\nname = "b"\ntext = "b"\n[[questions]]\nname = "b"\ntext = "b"',
    ],
)  # fmt: skip
def test_a_questionnaire_that_cannot_be_asked_is_named(text: str, tmp_path: Path) -> None:
    write(tmp_path, text)
    with pytest.raises(ConfigError, match=r"questionnaire\.toml"):
        find_questionnaire(tmp_path)
