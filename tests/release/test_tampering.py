"""A release in which any one file was changed, with a manifest that fits, does not pass for what was frozen."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.core.errors import ReleaseError
from pairwright.release.consistency import verify_contents
from pairwright.release.write import write_manifest

Edit = Callable[[bytes], bytes]


def swapped(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([lines[-1], *lines[1:-1], lines[0]]) if len(lines) > 1 else b""


def flipped(content: bytes) -> bytes:
    place = random.Random(len(content)).randrange(len(content) or 1)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] if content else b"\n"


EDITS: dict[str, Edit] = {
    "a bit": flipped,
    "half": lambda content: content[: len(content) // 2] or b"x",
    "nothing": lambda content: b"" if content else b" ",
    "a line more": lambda content: content + b"{}\n",
    "an empty line more": lambda content: content + b"\n",
    "the last line twice": lambda content: content + (content.splitlines(keepends=True) or [b"x"])[-1],
    "lines in another order": swapped,
    "line ends": lambda content: content.replace(b"\n", b"\r\n") or b"\r\n",
    "a byte order mark": lambda content: b"\xef\xbb\xbf" + content,
}


def test_the_release_passes_as_it_was_frozen(rich: Path) -> None:
    assert verify_contents(rich).notes == ()


def refuse(rich: Path, name: str, edit: Edit) -> None:
    """Edits a file, makes a manifest that fits, sees that the release is refused, and takes the edit back."""
    path = rich / name
    content = path.read_bytes()
    changed = edit(content)
    if changed == content:
        return
    path.write_bytes(changed)
    write_manifest(rich)
    try:
        with pytest.raises(ReleaseError) as caught:
            verify_contents(rich)
        assert "\n" not in str(caught.value)
    finally:
        path.write_bytes(content)
        write_manifest(rich)


def files(release: Path) -> list[str]:
    paths = (path for path in sorted(release.rglob("*")) if path.is_file() and path.name != "MANIFEST.sha256")
    return [path.relative_to(release).as_posix() for path in paths]


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_of_any_file_passes(rich: Path, edit: str) -> None:
    for name in files(rich):
        refuse(rich, name, EDITS[edit])
