"""Opening a file that a person named: an ordinary one, or one line that says what it is instead."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.core.errors import SourceError, one_line
from pairwright.core.files import open_file, read_file, read_lines, read_text
from pairwright.core.ids import file_sha256

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


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    path = tmp_path / "closed.md"
    path.touch(mode=0)
    with pytest.raises(SourceError, match="permission to read it"):
        open_file(path, SourceError)


def test_a_message_is_one_line_whatever_a_name_holds() -> None:
    with pytest.raises(SourceError) as fault:
        open_file(Path("a\nb\x1b[31m\udc80\u202e.md"), SourceError)
    assert str(fault.value) == r"a\nb\x1b[31m\udc80\u202e.md: a name with a NUL, or not in UTF-8; rename it"


def test_a_text_is_read_without_its_byte_order_mark_and_with_plain_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes("\ufeffviens\r\n\r\ndivi\u2028trys\r".encode())
    assert read_text(path, 100) == "viens\n\ndivi\u2028trys\n"
    assert list(read_lines(path)) == [(1, "viens"), (3, "divi\u2028trys")]
    (tmp_path / "link.md").symlink_to(path)
    assert read_file(tmp_path / "link.md", 100) == path.read_bytes()


@pytest.mark.parametrize(
    "read", [lambda path: read_text(path, 100, SourceError), lambda path: [*read_lines(path, SourceError)]]
)
def test_what_is_not_utf_8_is_named_with_line_and_column(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\xc5\xa1\xfe\n")
    with pytest.raises(SourceError, match=r"list\.txt:2:2: byte 0xfe is not UTF-8; save the file as UTF-8"):
        read(path)


def test_a_message_of_a_library_becomes_one_line() -> None:
    assert (
        one_line(ValueError("404 Client\tError\n\n  No such\x1b[31m repository"))
        == "404 Client Error No such [31m repository"
    )
    assert one_line(ValueError(" \n")) == "ValueError"
    assert one_line("x" * 30, 10) == "x" * 9 + "…"
