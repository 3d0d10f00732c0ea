"""One changed byte, one file more or less, or a manifest that leads elsewhere: each is named."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.errors import ReleaseError
from pairwright.ids import file_sha256
from pairwright.records.release import ReleaseResult
from pairwright.release.verify import read_release, verify_files

FILES = [
    "README.md", "DATASHEET.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "croissant.json", "release.json",
    "pairs.jsonl", "pairs.csv", "pairs.parquet", "data/test.parquet", "rules.jsonl", "excluded.jsonl", "votes.csv",
    "provenance.jsonl", "blimp/mini_3_2.jsonl", "blimp/mini_3_9.jsonl", "blimp/mini_3_10.jsonl",
    "lm_eval/_template_yaml", "lm_eval/_mini_cases.yaml", "lm_eval/mini_3_2.yaml", "lm_eval/mini_3_9.yaml",
    "lm_eval/mini_3_10.yaml", "lm_eval/pairs.py", "minicons/pairs.csv", ".github/ISSUE_TEMPLATE/dispute.yml",
]  # fmt: skip


@pytest.fixture
def release(build: Callable[..., ReleaseResult]) -> Path:
    return build().path


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


def test_what_python_compiles_beside_the_loader_is_no_part_of_the_release(release: Path) -> None:
    import compileall

    assert compileall.compile_file(release / "lm_eval" / "pairs.py", quiet=1)
    assert list((release / "lm_eval" / "__pycache__").iterdir())
    verify_files(release)
    (release / "lm_eval" / "__pycache__" / "other.cpython-311.pyc").write_bytes(b"x")
    with pytest.raises(ReleaseError, match=r"other\.cpython-311\.pyc: not in MANIFEST"):
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
    lines = (release / "MANIFEST.sha256").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.endswith(f"  {name}")]
    manifest = "\n".join([*kept, f"{file_sha256(release / name)}  {name}"]) + "\n"
    (release / "MANIFEST.sha256").write_text(manifest, encoding="utf-8")
    verify_files(release)
    with pytest.raises(ReleaseError, match=name):
        read_release(release)


@settings(max_examples=200)
@given(text=st.text(max_size=200))
def test_any_text_as_manifest_is_refused_and_never_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    directory = tmp_path_factory.mktemp("any")
    (directory / "MANIFEST.sha256").write_bytes(text.encode())
    with pytest.raises(ReleaseError):
        verify_files(directory)
