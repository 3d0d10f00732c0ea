"""`publish --to hf:owner/name` by a client of the Hub that keeps what it is sent."""

import glob
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub.errors import EntryNotFoundError, LocalTokenNotFoundError
from release_parts import PAIRS, Build

from pairwright.core.errors import ReleaseError
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_release

TO = "hf:owner/lt-cases"


class Hub:
    """As much of HfApi as one data set needs. `broken` names a call that fails."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.tags: dict[str, dict[str, bytes]] = {}
        self.broken: str | None = None

    def create_repo(self, repository: str, **_: object) -> None:
        if self.broken == "key":
            raise LocalTokenNotFoundError

    def list_repo_refs(self, repository: str, **_: object) -> SimpleNamespace:
        return SimpleNamespace(tags=[SimpleNamespace(name=tag) for tag in self.tags])

    def hf_hub_download(self, repository: str, name: str, *, local_dir: str, **_: object) -> str:
        if name not in self.files:
            raise EntryNotFoundError(name)
        (Path(local_dir) / name).write_bytes(self.files[name])
        return f"{local_dir}/{name}"

    def upload_folder(self, *, folder_path: Path, delete_patterns: Iterable[str], **_: object) -> None:
        if self.broken == "upload":
            raise OSError("no room\nat all")
        self.files = {name: self.files[name] for name in self.files if glob.escape(name) not in delete_patterns}
        paths = (path for path in folder_path.rglob("*") if path.is_file())
        self.files |= {path.relative_to(folder_path).as_posix(): path.read_bytes() for path in paths}

    def create_tag(self, repository: str, *, tag: str, **_: object) -> None:
        if self.broken == "tag":
            raise OSError("no room\nat all")
        self.tags[tag] = dict(self.files)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub = Hub()
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda **_: hub)
    return hub


def fetched(hub: Hub, tag: str, into: Path) -> Path:
    shutil.rmtree(into, ignore_errors=True)
    for name, content in hub.tags[tag].items():
        path = into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return into


def test_the_hub_holds_each_version_under_its_tag_and_keeps_the_files_of_others(
    build: Build, hub: Hub, tmp_path: Path
) -> None:
    hub.files |= {"old/data.csv": b"a,b", "MANIFEST.sha256": b"of somebody else"}
    releases = tmp_path / "releases"
    first = build(into=releases).path
    assert publish(plan(first, TO)).endswith("/datasets/owner/lt-cases/tree/v1.0.0")
    assert hub.files.pop("old/data.csv") == hub.tags["v1.0.0"].pop("old/data.csv") == b"a,b"
    with pytest.raises(ReleaseError, match=r"v1\.0\.0 is published there already; raise the version"):
        publish(plan(first, TO))
    hub.files["notes.md"] = b"ours"
    second = build((PAIRS["lack"], "reject", "reject"), into=releases, version="1.1.0").path
    publish(plan(second, TO))
    assert "blimp/mini_3_9.jsonl" in hub.tags["v1.0.0"]
    assert hub.files.pop("notes.md") == hub.tags["v1.1.0"].pop("notes.md") == b"ours"
    for tag, release in (("v1.0.0", first), ("v1.1.0", second)):
        assert read_release(fetched(hub, tag, tmp_path / "copy")).sha256 == read_release(release).sha256


@pytest.mark.parametrize("broken", ["upload", "tag"])
def test_a_broken_upload_to_the_hub_is_gone_on_with(build: Build, hub: Hub, tmp_path: Path, broken: str) -> None:
    release = build(into=tmp_path / "releases").path
    hub.broken = broken
    with pytest.raises(ReleaseError, match=r"the Hub refused or can't be reached: no room") as caught:
        publish(plan(release, TO))
    assert "\n" not in str(caught.value)
    assert hub.tags == {}
    hub.broken = None
    publish(plan(release, TO))
    assert read_release(fetched(hub, "v1.0.0", tmp_path / "copy")).version == "1.0.0"


def test_without_a_key_it_is_said_where_to_get_one(build: Build, hub: Hub, tmp_path: Path) -> None:
    hub.broken = "key"
    with pytest.raises(ReleaseError, match="no key for the Hub; set HF_TOKEN or run hf auth login"):
        publish(plan(build(into=tmp_path / "releases").path, TO))
    assert hub.files == {}
