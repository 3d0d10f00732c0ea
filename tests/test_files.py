"""Opening a file that a person named: an ordinary one, or one line that says what it is instead."""

import os
import socket
from pathlib import Path

import pytest

from pairwright.errors import SourceError
from pairwright.files import open_file, read_file
from pairwright.ids import file_sha256


def test_the_bytes_of_a_file_come_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "list.md"
    path.write_bytes(b"one\r\ntwo\x00")
    assert read_file(path, 100) == b"one\r\ntwo\x00"
    (tmp_path / "link.md").symlink_to(path)
    with open_file(tmp_path / "link.md") as handle:
        assert handle.read(3) == b"one"


OTHERS = {
    "pipe": "a named pipe",
    "to-pipe": "a named pipe",
    "folder": "a folder",
    "socket": "a socket",
    "gone": "a link to nowhere, which is missing",
    "circle": "links lead in a circle",
    "missing": "no such file",
    "list.md/inside": "no such file",
    "x" * 300: "a name as long as this",
    "a\x00b": "a name with a NUL",
}


@pytest.mark.parametrize(("name", "reason"), OTHERS.items(), ids=lambda value: value[:12].replace("\x00", "NUL"))
def test_what_is_no_ordinary_file_is_refused_without_waiting(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Names of sockets may only be short.
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("list.md").touch()
    Path("to-pipe").symlink_to("pipe")
    Path("gone").symlink_to("nowhere")
    Path("circle").symlink_to("circle")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(SourceError, match=reason):
            open_file(Path(name), SourceError)
        with pytest.raises(SourceError, match=reason):
            file_sha256(Path(name), SourceError)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty"])
def test_a_device_is_never_read(device: str) -> None:
    with pytest.raises(SourceError, match="a device"):
        read_file(Path(device), 100, SourceError)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as handle:
        handle.truncate(2**40)
    with pytest.raises(SourceError, match=r"1,099,511,627,776 bytes, more than the 1,000"):
        read_file(path, 1000, SourceError)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    path = tmp_path / "closed.md"
    path.touch(mode=0)
    with pytest.raises(SourceError, match="permission to read it"):
        open_file(path, SourceError)


def test_a_message_is_one_line_whatever_a_name_holds() -> None:
    with pytest.raises(SourceError) as fault:
        open_file(Path("a\nb\x1b[31m\udc80\u202e.md"), SourceError)
    assert str(fault.value) == r"a\nb\x1b[31m\udc80\u202e.md: no such file; mend its path"
