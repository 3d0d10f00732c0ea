"""One changed byte, one file more or less, or a manifest that leads elsewhere: each is named."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from pairwright.core.errors import ReleaseError
from pairwright.core.ids import file_sha256
from pairwright.core.workspace import Workspace
from pairwright.pipeline.release import find_release
from pairwright.release.verify import read_release, verify_files
from pairwright.release.write import write_manifest

LISTED = {"README.md", "pairs.jsonl", "pairs.csv", "data/test.parquet", "blimp/mini_3_10.jsonl", "lm_eval/pairs.py"}


def files(release: Path) -> list[str]:
    """Every file of a release but its manifest, by its path."""
    found = (path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file())
    return sorted(name for name in found if name != "MANIFEST.sha256")


def test_a_fresh_release_verifies_and_reads_and_sha256sum_accepts_its_manifest(release: Path) -> None:
    verify_files(release)
    held = read_release(release)
    assert (held.name, held.version, len(held.pairs), held.info.n_pairs) == ("mini-cases", "1.0.0", 3, 3)
    assert held.sha256 == file_sha256(release / "MANIFEST.sha256")
    listed = [line.split("  ")[1] for line in (release / "MANIFEST.sha256").read_text("utf-8").splitlines()]
    assert listed == files(release)
    assert set(listed) > LISTED
    if shutil.which("sha256sum"):
        done = subprocess.run(["sha256sum", "--strict", "-c", "MANIFEST.sha256"], cwd=release, check=False)
        assert done.returncode == 0


def test_each_file_that_is_changed_or_missing_is_named(release: Path) -> None:
    for name in files(release):
        path = release / name
        whole = path.read_bytes()
        half = len(whole) // 2
        path.write_bytes(whole[:half] + b"~" + whole[half + 1 :])
        with pytest.raises(ReleaseError, match=f"{name}: changed since"):
            read_release(release)
        path.unlink()
        with pytest.raises(ReleaseError, match=f"{name}: missing"):
            verify_files(release)
        path.write_bytes(whole)


def empty(path: Path) -> None:
    path.write_text("x", encoding="utf-8")


def folders(path: Path) -> None:
    path.mkdir(parents=True)


def link(path: Path) -> None:
    path.rename(path.parents[1] / path.name)
    path.symlink_to(path.parents[1] / path.name)


def compiled(path: Path) -> None:
    """What an import does before it runs the module, whose own imports would take seconds."""
    assert SourceFileLoader("pairs", str(path)).get_code("pairs") is not None


COMPILED = r"compiled by Python, .*; delete .*PYTHONDONTWRITEBYTECODE=1"
PIPE = "a pipe, socket or device"
ODD = ("PAIRS.csv", "Žodis.txt", "z\u030codis.txt", "con.txt", "blimp/NUL", "end.", "end ", "a b.txt", "blimp/:x",
       "x\u202ecsv.exe", "~")  # fmt: skip


@pytest.mark.parametrize(
    ("put", "name", "message"),
    [
        *((empty, name, f"{name}: not in MANIFEST") for name in ("extra.txt", ".hidden", "folder/deep.jsonl")),
        *((empty, name, COMPILED) for name in ("minicons/__pycache__/x.pyc", "blimp/__pycache__/pairs.pyc", "a.pyc")),
        (compiled, "lm_eval/pairs.py", COMPILED),
        *((folders, name, f"{name}: an empty folder, not in MANIFEST") for name in ("empty", "blimp/empty")),
        (folders, "lm_eval/a/b", "lm_eval/a: an empty folder, not in MANIFEST"),
        (folders, "votes.csv", r"votes\.csv: an empty folder"),
        *((os.mkfifo, name, f"{name}: {PIPE}") for name in ("extra", "pairs.csv", "MANIFEST.sha256", "blimp/extra")),
        (link, "pairs.csv", r"pairs\.csv: a link"),
    ],
)
def test_what_is_no_file_of_the_release_is_named_with_the_way_to_be_rid_of_it(
    put: Callable[[Path], object], name: str, message: str, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    if put in (folders, os.mkfifo):
        (release / name).unlink(missing_ok=True)
    else:
        (release / name).parent.mkdir(exist_ok=True)
    put(release / name)
    with pytest.raises(ReleaseError, match=message):
        verify_files(release)


@pytest.mark.parametrize("name", ODD)
def test_a_listed_file_whose_name_means_another_file_elsewhere_is_refused(release: Path, name: str) -> None:
    empty(release / name)
    write_manifest(release)
    with pytest.raises(ReleaseError, match=r"MANIFEST\.sha256:\d+: .*(no file inside the release|by case alone)"):
        verify_files(release)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.removesuffix("\n"), ""),
        (lambda text: text + "\n", ""),
        (lambda text: "\n" + text, ""),
        (lambda text: "".join(sorted(text.splitlines(keepends=True))), ""),
        (lambda text: text.replace("  pairs.csv", " *pairs.csv"), ""),
        (lambda text: text.replace("\n", "\r\n"), ""),
        (lambda text: "", r": pairs\.jsonl is not listed"),
        (lambda text: f"{text}{'0' * 64}  ../secret.txt\n", r":\d+: .*no file inside"),
        (lambda text: f"{text}{'0' * 64}  a/../../secret.txt\n", r":\d+: .*no file inside"),
        (lambda text: f"{text}{'0' * 64}  /etc/hostname\n", r":\d+: .*no file inside"),
        (lambda text: f"{text}{'0' * 64}  ./pairs.csv\n", r":\d+: .*no file inside"),
        (lambda text: f"{text}{'0' * 64}  MANIFEST.sha256\n", r":\d+: .*no file inside"),
        (lambda text: f"{text}{'0' * 64}  pairs.csv\n", r":\d+: .*listed twice"),
        (lambda text: f"{text}{'0' * 64}  ..\\secret.txt\n", r":\d+: .*not '<sha256>"),
        (lambda text: f"{text}0000  pairs.csv\n", r":\d+: .*not '<sha256>"),
    ],
)
def test_a_manifest_that_leads_elsewhere_or_says_the_same_in_other_bytes_is_refused(
    release: Path, change: Callable[[str], str], message: str
) -> None:
    path = release / "MANIFEST.sha256"
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    with pytest.raises(ReleaseError, match=rf"MANIFEST\.sha256{message}"):
        verify_files(release)


def test_a_directory_that_is_no_release_is_one_clear_line(release: Path, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no such release"):
        verify_files(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReleaseError, match=r"MANIFEST\.sha256: missing"):
        verify_files(tmp_path / "empty")
    (release / "MANIFEST.sha256").write_bytes(b"\xff\xfe")
    with pytest.raises(ReleaseError, match="not a text file"):
        verify_files(release)


@pytest.mark.parametrize(
    ("file", "field", "value"),
    [
        *(("release.json", "name", value) for value in ("../../ESCAPED", "a/b", "/tmp/x", "aux", "A")),
        *(("release.json", "version", value) for value in ("../1.0.0", "1.0.0/..", "1.0.0\n", "", "9" * 5000 + ".0.0")),
        ("release.json", "previous", "../0.9.0"),
        *(("pairs.jsonl", *one) for one in (("uid", "../../x"), ("language", "../lt"), ("source_id", ".."))),
    ],
)
def test_a_release_in_which_a_name_leads_elsewhere_is_not_read(
    release: Path, file: str, field: str, value: str
) -> None:
    text = (release / file).read_text(encoding="utf-8")
    record, others = text.partition("\n")[::2] if file == "pairs.jsonl" else (text, "")
    changed = json.dumps(json.loads(record) | {field: value}, ensure_ascii=False)
    (release / file).write_text(f"{changed}\n{others}", encoding="utf-8")
    write_manifest(release)
    wrong = "not a ReleasePair" if file == "pairs.jsonl" else "(name|version|previous)"
    with pytest.raises(ReleaseError, match=rf"{file}:.*{wrong}") as caught:
        read_release(release)
    assert "\n" not in str(caught.value)


def test_a_release_is_found_by_its_place_and_for_a_name_alone_the_last_version_is_suggested(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(release)
    for place in (".", "../mini-cases-1.0.0/blimp/.."):
        assert find_release(Workspace(release.parent), place).name == "mini-cases-1.0.0"
    for version in ("2.0.0", "10.0.0", "9.0.0"):
        (Workspace(tmp_path).releases / f"mano-{version}").mkdir(parents=True)
    with pytest.raises(ReleaseError, match=r"did you mean mano-10\.0\.0"):
        find_release(Workspace(tmp_path), "mano")
