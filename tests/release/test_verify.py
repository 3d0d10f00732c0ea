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
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.errors import ReleaseError
from pairwright.core.ids import file_sha256
from pairwright.core.workspace import Workspace
from pairwright.pipeline.release import find_release
from pairwright.release.verify import read_release, verified, verify_files
from pairwright.release.write import write_manifest

FILES = [
    "README.md", "DATASHEET.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "croissant.json", "release.json",
    "pairs.jsonl", "pairs.csv", "pairs.parquet", "data/test.parquet", "rules.jsonl", "excluded.jsonl", "votes.csv",
    "provenance.jsonl", "blimp/mini_3_2.jsonl", "blimp/mini_3_9.jsonl", "blimp/mini_3_10.jsonl",
    "lm_eval/_template_yaml", "lm_eval/_mini_cases.yaml", "lm_eval/mini_3_2.yaml", "lm_eval/mini_3_9.yaml",
    "lm_eval/mini_3_10.yaml", "lm_eval/pairs.py", "minicons/pairs.jsonl", "glosses.jsonl",
    "lots.jsonl", ".github/ISSUE_TEMPLATE/dispute.yml",
    "tasks/README.md", "tasks/items.json", "tasks/items.rejected.jsonl", "tasks/sentence-rules.jsonl",
    "tasks/rule-sentences.jsonl", "tasks/minimal-pair.jsonl", "tasks/acceptability.jsonl",
    "tasks/inspect_ai/sentence-rules.jsonl", "tasks/inspect_ai/rule-sentences.jsonl",
    "tasks/inspect_ai/minimal-pair.jsonl", "tasks/inspect_ai/acceptability.jsonl", "tasks/lm_eval/_template_yaml",
    "tasks/lm_eval/_mini_cases_tasks.yaml", "tasks/lm_eval/mini_cases_acceptability.yaml",
    "tasks/lm_eval/mini_cases_minimal_pair_no_rule.yaml", "tasks/lm_eval/mini_cases_minimal_pair_rule.yaml",
    "tasks/lm_eval/mini_cases_rule_sentences_n_1_broken.yaml",
    "tasks/lm_eval/mini_cases_rule_sentences_n_1_section.yaml",
    "tasks/lm_eval/mini_cases_sentence_rules_n_2_section.yaml", "tasks/lm_eval/items.py",
]  # fmt: skip


@pytest.fixture
def release(copied: Path) -> Path:
    return copied


def test_a_fresh_release_verifies_and_reads(release: Path) -> None:
    verify_files(release)
    held = read_release(release)
    assert (held.name, held.version, len(held.pairs), held.info.n_pairs) == ("mini-cases", "1.0.0", 3, 3)
    assert held.sha256 == file_sha256(release / "MANIFEST.sha256")


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum on this machine")
def test_sha256sum_accepts_the_manifest(release: Path) -> None:
    assert subprocess.run(["sha256sum", "--strict", "-c", "MANIFEST.sha256"], cwd=release, check=False).returncode == 0
    listed = [line.split("  ")[1] for line in (release / "MANIFEST.sha256").read_text("utf-8").splitlines()]
    assert sorted(listed) == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_named(release: Path, name: str) -> None:
    content = bytearray((release / name).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 1] = b"~"
    (release / name).write_bytes(content)
    with pytest.raises(ReleaseError, match=f"{name}: changed since"):
        read_release(release)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(release: Path, name: str) -> None:
    (release / name).unlink()
    with pytest.raises(ReleaseError, match=f"{name}: missing"):
        verify_files(release)


@pytest.mark.parametrize("name", ["extra.txt", ".hidden", "folder/deep.jsonl"])
def test_an_additional_file_is_named(release: Path, name: str) -> None:
    (release / name).parent.mkdir(exist_ok=True)
    (release / name).write_text("x", encoding="utf-8")
    with pytest.raises(ReleaseError, match=f"{name}: not in MANIFEST"):
        verify_files(release)


@pytest.mark.parametrize(
    "name", ["minicons/__pycache__/x.pyc", "blimp/__pycache__/pairs.cpython-311.pyc", "lm_eval/pairs.pyc"]
)
def test_what_python_compiled_is_refused_with_the_way_to_be_rid_of_it(release: Path, name: str) -> None:
    (release / name).parent.mkdir(exist_ok=True)
    (release / name).write_bytes(b"x")
    with pytest.raises(ReleaseError, match=rf"{name}: compiled by Python, .*; delete .*PYTHONDONTWRITEBYTECODE=1"):
        verify_files(release)


def test_what_loading_the_program_of_an_export_leaves_behind_is_named(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    program = release / "lm_eval" / "pairs.py"
    # What an import does before it runs the module, whose own imports would take seconds.
    assert SourceFileLoader("pairs", str(program)).get_code("pairs") is not None
    with pytest.raises(ReleaseError, match="compiled by Python"):
        verify_files(release)


@pytest.mark.parametrize("name", ["empty", "blimp/empty", "lm_eval/a/b"])
def test_an_empty_folder_is_named(release: Path, name: str) -> None:
    (release / name).mkdir(parents=True)
    with pytest.raises(ReleaseError, match=f"{name.split('/a')[0]}.*: an empty folder, not in MANIFEST"):
        verify_files(release)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
@pytest.mark.parametrize("name", ["extra", "pairs.csv", "MANIFEST.sha256", "blimp/extra"])
def test_a_pipe_is_refused_and_never_waited_for(release: Path, name: str) -> None:
    (release / name).unlink(missing_ok=True)
    os.mkfifo(release / name)
    with pytest.raises(ReleaseError, match=f"{name}: a pipe, socket or device"):
        verify_files(release)


def test_a_folder_in_place_of_a_file_is_named(release: Path) -> None:
    (release / "votes.csv").unlink()
    (release / "votes.csv").mkdir()
    with pytest.raises(ReleaseError, match=r"votes\.csv: an empty folder"):
        verify_files(release)


@pytest.mark.parametrize(
    "name",
    [
        "PAIRS.csv",  # another file on Linux, the same on Windows and macOS
        "Žodis.txt",
        "z\u030codis.txt",
        "con.txt",
        "blimp/NUL",
        "end.",
        "end ",
        "a b.txt",
        "blimp/:x",
        "x\u202ecsv.exe",
        "~",
    ],
)
def test_a_listed_file_whose_name_means_another_file_elsewhere_is_refused(release: Path, name: str) -> None:
    (release / name).write_text("x", encoding="utf-8")
    write_manifest(release)
    with pytest.raises(ReleaseError, match=r"MANIFEST\.sha256:\d+: .*(no file inside the release|by case alone)"):
        verify_files(release)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.removesuffix("\n"),
        lambda text: text + "\n",
        lambda text: "\n" + text,
        lambda text: "".join(sorted(text.splitlines(keepends=True))),
        lambda text: text.replace("  pairs.csv", " *pairs.csv"),
        lambda text: text.replace("\n", "\r\n"),
    ],
)
def test_a_manifest_that_says_the_same_in_other_bytes_is_refused(release: Path, change: Callable[[str], str]) -> None:
    path = release / "MANIFEST.sha256"
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    with pytest.raises(ReleaseError, match=r"MANIFEST\.sha256"):
        verify_files(release)


def test_a_link_in_place_of_a_file_is_refused(release: Path, tmp_path: Path) -> None:
    shutil.move(release / "pairs.csv", tmp_path / "pairs.csv")
    (release / "pairs.csv").symlink_to(tmp_path / "pairs.csv")
    with pytest.raises(ReleaseError, match=r"pairs\.csv: a link"):
        verify_files(release)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{'0' * 64}  ../secret.txt", "no file inside"),
        (f"{'0' * 64}  a/../../secret.txt", "no file inside"),
        (f"{'0' * 64}  /etc/hostname", "no file inside"),
        (f"{'0' * 64}  ./pairs.csv", "no file inside"),
        (f"{'0' * 64}  MANIFEST.sha256", "no file inside"),
        (f"{'0' * 64}  pairs.csv", "listed twice"),
        (f"{'0' * 64}  ..\\secret.txt", "not '<sha256>"),
        ("0000  pairs.csv", "not '<sha256>"),
        ("", "not '<sha256>"),
    ],
)
def test_a_manifest_line_that_leads_elsewhere_is_named(release: Path, line: str, message: str) -> None:
    with (release / "MANIFEST.sha256").open("a", encoding="utf-8") as handle:
        handle.write(f"{line}\n")
    with pytest.raises(ReleaseError, match=rf"MANIFEST\.sha256:{len(FILES) + 1}: .*{message}"):
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
    (release / "MANIFEST.sha256").write_bytes(b"")
    with pytest.raises(ReleaseError, match=r"pairs\.jsonl is not listed"):
        verify_files(release)


@pytest.mark.parametrize("name", ["pairs.jsonl", "release.json"])
def test_a_file_with_a_right_hash_and_wrong_content_is_named(release: Path, name: str) -> None:
    (release / name).write_text('{"id": 1}\n', encoding="utf-8")
    write_manifest(release)
    verify_files(release)
    with pytest.raises(ReleaseError, match=name):
        read_release(release)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "../../ESCAPED"),
        ("name", "a/b"),
        ("name", "/tmp/x"),
        ("name", "aux"),
        ("name", "A"),
        ("version", "../1.0.0"),
        ("version", "1.0.0/.."),
        ("version", "1.0.0\n"),
        ("version", ""),
        ("version", "9" * 5000 + ".0.0"),
        ("previous", "../0.9.0"),
    ],
)
def test_a_release_whose_name_leads_elsewhere_is_not_read(release: Path, field: str, value: str) -> None:
    info = json.loads((release / "release.json").read_text(encoding="utf-8"))
    (release / "release.json").write_text(json.dumps(info | {field: value}), encoding="utf-8")
    write_manifest(release)
    with pytest.raises(ReleaseError, match=r"release\.json: .*(name|version|previous)") as caught:
        verified(release)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("field", "value"), [("uid", "../../x"), ("language", "../lt"), ("source_id", "..")])
def test_a_pair_whose_names_lead_elsewhere_is_not_read(release: Path, field: str, value: str) -> None:
    first, *others = (release / "pairs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    line = json.dumps(json.loads(first) | {field: value}, ensure_ascii=False)
    (release / "pairs.jsonl").write_text("".join([f"{line}\n", *others]), encoding="utf-8")
    write_manifest(release)
    with pytest.raises(ReleaseError, match=r"pairs\.jsonl:1: not a ReleasePair"):
        read_release(release)


@pytest.mark.parametrize("place", [".", "../mini-cases-1.0.0/blimp/.."])
def test_a_release_that_is_named_by_its_place_keeps_its_name(
    release: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(release)
    assert find_release(Workspace(release.parent), place).name == "mini-cases-1.0.0"


@given(text=st.text(max_size=200))
def test_any_text_as_manifest_is_refused_and_never_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    directory = tmp_path_factory.mktemp("any")
    (directory / "MANIFEST.sha256").write_bytes(text.encode())
    with pytest.raises(ReleaseError):
        verify_files(directory)
