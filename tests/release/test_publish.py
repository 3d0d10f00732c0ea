"""Publishing says what it would do, sends only when told to, never changes what is there, and can be gone on with."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from click.testing import CliRunner
from fsspec import AbstractFileSystem
from release_parts import PAIRS, Build

from pairwright.cli import cli
from pairwright.cli.release import publish as publish_command
from pairwright.core.errors import ReleaseError
from pairwright.core.workspace import Workspace
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_release
from pairwright.release.write import write_manifest

Run = Callable[..., tuple[int, str, str]]


class Buckets(AbstractFileSystem):  # type: ignore[misc]
    """An object store with the bucket `public`, of the kind of `s3://`."""

    protocol, held = "made", dict[str, bytes]()

    def info(self, path: str, **_: object) -> dict[str, object]:
        if path in self.held:
            return {"name": path, "size": len(self.held[path]), "type": "file"}
        if path == "public" or any(name.startswith(f"{path}/") for name in self.held):
            return {"name": path, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def find(self, path: str, **_: object) -> dict[str, dict[str, object]]:
        return {name: self.info(name) for name in self.held if name.startswith(f"{path}/")}

    def cat_file(self, path: str, **_: object) -> bytes:
        return self.held[path]

    def put_file(self, lpath: str, rpath: str, **_: object) -> None:
        self.held[rpath] = Path(lpath).read_bytes()


def test_a_release_in_a_bucket_is_the_same_and_what_lies_there_half_is_sent_again(release: Path) -> None:
    fsspec.register_implementation("made", Buckets, clobber=True)
    with pytest.raises(ReleaseError, match="there is no bucket nosuch"):
        publish(plan(release, "made://nosuch/data"))
    upload, root = plan(release, "made://public/data"), "public/data/mini-cases-1.0.0"
    publish(upload)
    sent = {name: (release / name).read_bytes() for name, _ in upload.files}
    assert Buckets.held == {f"{root}/{name}": content for name, content in sent.items()}
    Buckets.held[f"{root}/pairs.csv"] = b"half"
    again: list[str] = []
    publish(upload, again.append)
    assert (again, Buckets.held[f"{root}/pairs.csv"]) == (["pairs.csv"], sent["pairs.csv"])


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_dry_run_sends_nothing_and_a_published_release_is_the_same_and_verifies(
    release: Path, tmp_path: Path, scheme: str
) -> None:
    command = ["release", "publish", str(release), "--to", f"{scheme}{tmp_path}/public"]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0
    assert not (tmp_path / "public").exists()
    assert "pairs.parquet" in done.output
    assert "a dry run: nothing was sent" in done.output
    done = CliRunner().invoke(cli, [*command, "--yes"])
    assert done.exit_code == 0
    copy = read_release(tmp_path / "public" / "mini-cases-1.0.0")
    assert copy.sha256 == read_release(release).sha256
    assert copy.sha256 in done.output


NOWHERE = """file: file:// file:/// file://public s3:// s3:bucket s3:/// memory://x
hf: hf:/ hf:name hf:/name hf:owner/ hf:a/b/c hf:owner/name?x"""


@pytest.mark.parametrize("target", ["", " ", "\t", *NOWHERE.split()])
def test_a_target_that_names_no_place_or_keeps_nothing_is_refused(
    target: str, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    code, _, err = run("release", "publish", release, "--to", target, "--yes")
    assert code == 2
    assert "--to" in err or target in err
    assert sorted(tmp_path.rglob("*")) == before
    assert not Path("/mini-cases-1.0.0").exists()


def test_the_manifest_goes_last_and_a_broken_upload_is_gone_on_with(release: Path, tmp_path: Path) -> None:
    upload = plan(release, str(tmp_path / "public"))
    sent: list[str] = []

    def stop(name: str) -> None:
        sent.append(name)
        if len(sent) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(upload, stop)
    target = tmp_path / "public" / "mini-cases-1.0.0"
    assert not (target / "MANIFEST.sha256").exists()
    publish(upload, sent.append)
    assert sorted(sent) == sorted(name for name, _ in upload.files)
    assert sent[-1] == "MANIFEST.sha256"
    assert read_release(target).version == "1.0.0"


def test_a_published_version_is_never_changed(release: Path, build: Build, tmp_path: Path) -> None:
    publish(plan(release, str(tmp_path / "public")))
    other = build(into=tmp_path / "other", date="2026-05-04").path
    with pytest.raises(ReleaseError, match="another release of this version is published there"):
        publish(plan(other, str(tmp_path / "public")))
    assert publish(plan(release, str(tmp_path / "public")))


def pipe(path: Path, _: Path) -> None:
    os.mkfifo(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
@pytest.mark.parametrize("name", ["pairs.csv", "MANIFEST.sha256", "blimp"])
@pytest.mark.parametrize("make", [pipe, Path.symlink_to])
def test_nothing_is_written_through_a_link_or_a_pipe(
    release: Path, tmp_path: Path, name: str, make: Callable[[Path, Path], None]
) -> None:
    target, outside = tmp_path / "public" / "mini-cases-1.0.0" / name, tmp_path / "outside"
    target.parent.mkdir(parents=True)
    outside.mkdir() if name == "blimp" else outside.write_bytes((release / name).read_bytes())
    before = [*outside.iterdir()] if name == "blimp" else outside.read_bytes()
    make(target, outside)
    with pytest.raises(ReleaseError, match=f"{name}: a link or no plain file; take it away first"):
        publish(plan(release, str(tmp_path / "public")))
    assert ([*outside.iterdir()] if name == "blimp" else outside.read_bytes()) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [("", r"mini-cases-1\.0\.0: a file; take it away"), ("notes.txt", r"notes\.txt: not of this release")],
)
def test_what_somebody_else_put_there_is_named(release: Path, tmp_path: Path, name: str, message: str) -> None:
    target = tmp_path / "public" / "mini-cases-1.0.0" / name
    target.parent.mkdir(parents=True)
    target.write_text("x", encoding="utf-8")
    with pytest.raises(ReleaseError, match=message):
        publish(plan(release, str(tmp_path / "public")))
    with pytest.raises(ReleaseError, match=r"README\.md: a file; give a folder"):
        list(publish_command(Workspace(tmp_path), str(release), to=str(release / "README.md"), yes=True))


def test_a_forged_name_sends_nothing_outside_the_place_that_was_named(release: Path, tmp_path: Path) -> None:
    info = json.loads((release / "release.json").read_text(encoding="utf-8"))
    (release / "release.json").write_text(json.dumps(info | {"name": "../../ESCAPED"}), encoding="utf-8")
    write_manifest(release)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ReleaseError, match=r"release\.json: .*'\.\./\.\./ESCAPED' can't be the name"):
        publish(plan(release, str(tmp_path / "a" / "public")))
    assert sorted(tmp_path.rglob("*")) == before


def test_a_changed_release_is_not_published(release: Path, tmp_path: Path) -> None:
    (release / "README.md").write_text("x", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"README\.md: changed since"):
        plan(release, str(tmp_path / "public"))


@pytest.mark.parametrize(
    ("to", "message"),
    [
        ("nosuch://bucket", "nosuch"),
        ("/dev/null/x", "can't be written"),
        ("hf:owner/name", "the Hub refused or can't be reached"),
    ],
)
def test_a_place_that_is_none_or_can_t_be_reached_is_one_clear_line(
    release: Path, to: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in {"ENDPOINT": "http://127.0.0.1:9", "HOME": str(tmp_path / "hf"), "TOKEN": "hf_none"}.items():
        monkeypatch.setenv(f"HF_{name}", value)
    with pytest.raises(ReleaseError, match=message) as caught:
        publish(plan(release, to))
    assert "\n" not in str(caught.value)


def test_diff_shows_what_changed_between_two_releases(build: Build, tmp_path: Path) -> None:
    old = build().path
    new = build((PAIRS["lack"], "reject", "reject"), version="1.1.0").path
    done = CliRunner().invoke(cli, ["release", "diff", str(old), str(new)])
    assert done.exit_code == 0
    assert "Mums trūksta laiko. | Mums trūksta laikas." in done.output
    assert done.output.startswith("- pair-")
    assert "0 added, 1 withdrawn, 0 changed" in done.output
    assert "after 1.0.0 comes 1.1.0" in done.output
    shutil.rmtree(tmp_path)
