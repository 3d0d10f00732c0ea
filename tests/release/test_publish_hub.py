"""`publish --to hf:owner/name` by huggingface_hub, against a server on this machine that keeps what it is sent."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from release_parts import PAIRS, Build

from pairwright.core.errors import ReleaseError
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_release

TO = "hf:owner/lt-cases"
API = "/api/datasets/owner/lt-cases"


class Hub(ThreadingHTTPServer):
    """As much of the Hub's interface as one data set needs. `broken` is a path that it answers with an error."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files: dict[str, bytes] = {}
        self.tags: dict[str, dict[str, bytes]] = {}
        self.broken: str | None = None


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None: ...

    def say(self, content: object, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send(self, content: bytes | None) -> None:
        """A file of the data set."""
        self.send_response(404 if content is None else 200)
        if content is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", f'"{hashlib.sha1(content or b"").hexdigest()}"')
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content or b"")

    def refused(self) -> bool:
        if self.headers.get("Authorization") != "Bearer hf_right":
            self.say({"error": "Invalid username or password."}, 401)
        elif self.path == self.server.broken:
            self.say({"error": "no room"}, 400)
        else:
            return False
        return True

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if self.refused():
            return
        if "/resolve/main/" in self.path:
            self.send(self.server.files.get(self.path.partition("/resolve/main/")[2]))
            return
        if self.path.startswith(f"{API}/refs"):
            tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": "0" * 40} for tag in self.server.tags]
            self.say({"branches": [], "converts": [], "tags": tags})
        elif self.path.startswith(f"{API}/tree/"):
            self.say(
                [
                    {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
                    for name, content in self.server.files.items()
                ]
            )
        elif self.path.startswith(API):
            self.say({"id": "owner/lt-cases", "sha": "0" * 40, "siblings": [], "tags": [], "private": False})
        else:
            self.say({"error": "Not found"}, 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.refused():
            return
        if self.path == "/api/repos/create":
            self.say({"url": f"http://127.0.0.1:{self.server.server_port}/datasets/owner/lt-cases"})
        elif self.path == "/api/validate-yaml":
            self.say({"errors": [], "warnings": []})
        elif self.path.startswith(f"{API}/preupload/"):
            asked = json.loads(body)["files"]
            self.say(
                {"files": [{"path": one["path"], "uploadMode": "regular", "shouldIgnore": False} for one in asked]}
            )
        elif self.path.startswith(f"{API}/commit/"):
            self.commit(body)
        elif self.path == f"{API}/tag/main":
            self.server.tags[json.loads(body)["tag"]] = dict(self.server.files)
            self.say({})
        else:
            self.say({"error": "Not found"}, 404)

    def commit(self, body: bytes) -> None:
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                self.server.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":
                del self.server.files[value["path"]]
        address = f"http://127.0.0.1:{self.server.server_port}/datasets/owner/lt-cases/commit/{'0' * 40}"
        self.say({"success": True, "commitUrl": address, "commitOid": "0" * 40, "hookOutput": ""})


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    server = Hub()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    # Other tests keep the package from the network; it reads its variable once.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    yield server
    server.shutdown()
    server.server_close()


def fetched(hub: Hub, tag: str, into: Path) -> Path:
    for name, content in hub.tags[tag].items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return into


def test_what_the_hub_holds_under_the_tag_is_the_release(build: Build, hub: Hub, tmp_path: Path) -> None:
    release = build(into=tmp_path / "releases").path
    assert publish(plan(release, TO)).endswith("/datasets/owner/lt-cases/tree/v1.0.0")
    assert read_release(fetched(hub, "v1.0.0", tmp_path / "copy")).sha256 == read_release(release).sha256
    with pytest.raises(ReleaseError, match=r"v1\.0\.0 is published there already; raise the version"):
        publish(plan(release, TO))


def test_the_next_version_replaces_the_files_and_leaves_the_old_tag(build: Build, hub: Hub, tmp_path: Path) -> None:
    releases = tmp_path / "releases"
    first = build(into=releases).path
    publish(plan(first, TO))
    hub.files["notes.md"] = b"ours"
    second = build((PAIRS["lack"], "reject", "reject"), into=releases, version="1.1.0").path
    publish(plan(second, TO))
    assert "blimp/mini_3_9.jsonl" in hub.tags["v1.0.0"]
    assert read_release(fetched(hub, "v1.0.0", tmp_path / "a")).sha256 == read_release(first).sha256
    assert hub.files.pop("notes.md") == b"ours"
    del hub.tags["v1.1.0"]["notes.md"]
    assert read_release(fetched(hub, "v1.1.0", tmp_path / "b")).sha256 == read_release(second).sha256


def test_a_data_set_that_was_there_before_keeps_its_files(build: Build, hub: Hub, tmp_path: Path) -> None:
    hub.files |= {"old/data.csv": b"a,b", "MANIFEST.sha256": b"of somebody else"}
    publish(plan(build(into=tmp_path / "releases").path, TO))
    assert hub.files["old/data.csv"] == b"a,b"


@pytest.mark.parametrize("broken", [f"{API}/commit/main", f"{API}/tag/main"])
def test_a_broken_upload_to_the_hub_is_gone_on_with(build: Build, hub: Hub, tmp_path: Path, broken: str) -> None:
    release = build(into=tmp_path / "releases").path
    hub.broken = broken
    with pytest.raises(ReleaseError, match=r"the Hub refused or can't be reached: Bad request.*no room") as caught:
        publish(plan(release, TO))
    assert "\n" not in str(caught.value)
    assert hub.tags == {}
    hub.broken = None
    publish(plan(release, TO))
    assert read_release(fetched(hub, "v1.0.0", tmp_path / "copy")).version == "1.0.0"


def test_a_wrong_key_for_the_hub_is_one_clear_line(
    build: Build, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(ReleaseError, match=r"the Hub refused or can't be reached: .*401") as caught:
        publish(plan(build(into=tmp_path / "releases").path, TO))
    assert "\n" not in str(caught.value)
    assert hub.files == {}
