"""`publish --to s3://…` against a real server of the protocol on this machine: moto's, which checks keys, too.

It needs the packages s3fs and moto[server], which are no part of the development tools (docs/release.md).
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from release_parts import Build

from pairwright.cli import cli
from pairwright.core.errors import ReleaseError
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_release

s3fs = pytest.importorskip("s3fs", reason="no s3fs here")
pytest.importorskip("moto.server", reason="no moto[server] here")

TO = "s3://public/data"
# The first calls make a user with a key and may do all; from then on every call is checked.
FREE_CALLS = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which boto finds the server and its only valid key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "INITIAL_NO_AUTH_ACTION_COUNT": str(FREE_CALLS)}
    command = [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)]
    log = (tmp_path_factory.mktemp("moto") / "server.log").open("w", encoding="utf-8")
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + 60
        while not _answers(address):
            assert time.monotonic() < end, "the server of the test does not start"
            time.sleep(0.2)
        yield {"AWS_ENDPOINT_URL": address, "AWS_DEFAULT_REGION": "us-east-1", **_new_key(address)}
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)
        log.close()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/moto-api/", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _new_key(address: str) -> dict[str, str]:
    boto3 = pytest.importorskip("boto3")

    def client(service: str) -> Any:
        return boto3.client(
            service, endpoint_url=address, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
        )

    policy = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'
    users = client("iam")
    users.create_user(UserName="publisher")
    users.put_user_policy(UserName="publisher", PolicyName="all", PolicyDocument=policy)
    key = users.create_access_key(UserName="publisher")["AccessKey"]
    client("s3").create_bucket(Bucket="public")
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


@pytest.fixture
def place(server: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The bucket, empty, seen with a key that is right."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    if files.exists("public/data"):
        files.rm("public/data", recursive=True)
    yield files
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def release(build: Build, tmp_path: Path) -> Path:
    return build(into=tmp_path / "releases").path


def test_a_release_in_a_bucket_is_the_same_and_verifies(release: Path, place: Any, tmp_path: Path) -> None:
    dry = CliRunner().invoke(cli, ["release", "publish", str(release), "--to", TO])
    assert "a dry run: nothing was sent" in dry.output
    assert not place.exists("public/data")
    done = CliRunner().invoke(cli, ["release", "publish", str(release), "--to", TO, "--yes"])
    assert (done.exit_code, done.output.splitlines()[-1].split(";")[0]) == (0, f"published at {TO}/mini-cases-1.0.0")
    copy = tmp_path / "copy"
    place.get("public/data/mini-cases-1.0.0/", f"{copy}/", recursive=True)
    assert read_release(copy).sha256 == read_release(release).sha256


def test_a_broken_upload_is_gone_on_with(release: Path, place: Any) -> None:
    upload = plan(release, TO)
    sent: list[str] = []

    def stop(name: str) -> None:
        sent.append(name)
        if len(sent) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(upload, stop)
    assert not place.exists("public/data/mini-cases-1.0.0/MANIFEST.sha256")
    # What lies there half, or was changed there, is sent again.
    place.pipe_file(f"public/data/mini-cases-1.0.0/{sent[0]}", b"half")
    publish(upload, sent.append)
    assert sorted(sent) == sorted([*(name for name, _ in upload.files), sent[0]])
    assert sent[-1] == "MANIFEST.sha256"


def test_a_version_in_a_bucket_is_never_changed(release: Path, place: Any, build: Build, tmp_path: Path) -> None:
    publish(plan(release, TO))
    other = build(into=tmp_path / "other", date="2026-05-04").path
    with pytest.raises(ReleaseError, match="another release of this version is published there"):
        publish(plan(other, TO))
    sent: list[str] = []
    publish(plan(release, TO), sent.append)
    assert sent == []


@pytest.mark.parametrize(
    ("name", "value", "to", "message"),
    [
        ("AWS_ACCESS_KEY_ID", "AKIAWRONG", TO, "can't be written: .*(Forbidden|does not exist)"),
        ("AWS_SECRET_ACCESS_KEY", "wrong", TO, "can't be written: .*(Forbidden|does not match)"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", TO, "can't be written: .*127.0.0.1:9"),
        ("AWS_DEFAULT_REGION", "us-east-1", "s3://nosuch/data", "there is no bucket nosuch"),
    ],
)
def test_a_wrong_key_or_place_is_one_clear_line(
    release: Path, place: Any, monkeypatch: pytest.MonkeyPatch, name: str, value: str, to: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(ReleaseError, match=message) as caught:
        publish(plan(release, to))
    assert "\n" not in str(caught.value)


def test_without_a_key_it_is_one_clear_line(release: Path, place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(ReleaseError, match="redentials") as caught:
        publish(plan(release, TO))
    assert "\n" not in str(caught.value)
