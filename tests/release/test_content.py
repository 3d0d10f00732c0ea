"""`pairwright release verify` finds what no hash can: a release made wrong or changed, with a manifest that fits."""

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from release_parts import PAIRS, Build

from pairwright.cli import cli
from pairwright.core.errors import ReleaseError
from pairwright.release.consistency import verify_contents
from pairwright.release.verify import verify_files
from pairwright.release.write import write_manifest

Change = Callable[[Path], object]
Lines = list[dict[str, Any]]


def in_pairs(change: Callable[[Lines], object]) -> Change:
    """Changes the lines of pairs.jsonl, and their number in release.json."""

    def rewrite(release: Path) -> None:
        path = release / "pairs.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        change(lines)
        compact = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
        path.write_text("".join(f"{line}\n" for line in compact), encoding="utf-8")
        set_info(release, n_pairs=len(lines))

    return rewrite


def in_info(**fields: object) -> Change:
    return lambda release: set_info(release, **fields)


def put(name: str, content: bytes) -> Change:
    def write(release: Path) -> None:
        (release / name).parent.mkdir(exist_ok=True)
        (release / name).write_bytes(content)

    return write


def set_info(release: Path, **fields: object) -> None:
    """Changes release.json and makes a manifest that fits."""
    info = json.loads((release / "release.json").read_text(encoding="utf-8"))
    (release / "release.json").write_text(json.dumps(info | fields, ensure_ascii=False, indent=2) + "\n", "utf-8")
    write_manifest(release)


BELIED = {"n_reviewers": 9, "canary": "x", "left_out": {}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            in_pairs(lambda lines: lines[1].update(id=lines[0]["id"])),
            r"pairs\.jsonl:2: .*its id is not that of its rule",
        ),
        (in_pairs(lambda lines: lines[0].update(rule_id="rule-gone")), r"its rule rule-gone is not in rules\.jsonl"),
        (
            in_pairs(lambda lines: lines[0].update(licence="MIT")),
            r"pairs\.jsonl:1: .*its licence is not that of its rule",
        ),
        (in_pairs(lambda lines: lines.pop()), r"provenance\.jsonl: not as many lines as"),
        (in_pairs(lambda lines: lines[0].update(uid="mini_3_9")), "not what the records|no file of this release"),
        (in_pairs(lambda lines: lines.reverse()), "not what the records of the release give"),
        (put("pairs.parquet", b"PAR1"), r"pairs\.parquet: not what the records of the release give"),
        (put("lm_eval/pairs.py", b"import os\n"), r"pairs\.py:1: not what"),
        (put("CHANGELOG.md", b"# Changes\n\n## 1.0.0\n\nAll good.\n"), r"CHANGELOG\.md:5: not what"),
        (put("excluded.jsonl", b"\n"), r"excluded\.jsonl:1: not a ExcludedPair"),
        (put("euroeval/custom_datasets.py", b"import os\n"), r"custom_datasets\.py: no file of this release"),
        (put("provenance.jsonl", b"{}\n"), r"provenance\.jsonl:1: not a PairOrigin"),
        (lambda release: (release / "blimp/mini_3_2.jsonl").unlink(), r"mini_3_2\.jsonl: missing, also in MANIFEST"),
        *((in_info(**{name: value}), r":\d+: not what") for name, value in BELIED.items()),
        (in_info(sources=[]), r"pairs\.jsonl:1: .*its source mini is not in release\.json"),
        (in_info(title="Other"), r"\.md:\d+: not what|\.yml:\d+: not what|CITATION\.cff:\d+: not what"),
        (in_info(because="Trust me."), r"CHANGELOG\.md:5: not what"),
    ],
)
def test_a_release_that_was_made_wrong_is_named_by_the_file_that_says_something_else(
    release: Path, change: Change, message: str
) -> None:
    change(release)
    write_manifest(release)
    verify_files(release)
    with pytest.raises(ReleaseError, match=message):
        verify_contents(release)


def test_a_difference_to_what_another_version_wrote_is_never_passed_and_names_that_version(release: Path) -> None:
    packages = json.loads((release / "release.json").read_text(encoding="utf-8"))["packages"]
    (release / "README.md").write_text("# Another card\n", encoding="utf-8")
    set_info(release, packages=packages | {"pairwright": "0.0.1"})
    with pytest.raises(ReleaseError, match=r"README\.md:1: not what .*; frozen by pairwright 0\.0\.1, and this is"):
        verify_contents(release)


def test_tables_of_another_pyarrow_are_compared_by_their_cells(release: Path) -> None:
    import pyarrow.parquet as parquet

    info = json.loads((release / "release.json").read_text(encoding="utf-8"))
    old = info["packages"] | {"pyarrow": "1.0.0"}
    table = parquet.read_table(release / "pairs.parquet")
    parquet.write_table(table, release / "pairs.parquet", compression="gzip")
    set_info(release, packages=old)
    croissant = json.loads((release / "croissant.json").read_text(encoding="utf-8"))
    for file in croissant["distribution"]:
        content = (release / file["name"]).read_bytes()
        file |= {"contentSize": f"{len(content)} B", "sha256": hashlib.sha256(content).hexdigest()}
    text = json.dumps(croissant, ensure_ascii=False, indent=2) + "\n"
    (release / "croissant.json").write_text(text, encoding="utf-8")
    write_manifest(release)
    (note,) = verify_contents(release).notes
    assert "its tables are of pyarrow 1.0.0" in note
    parquet.write_table(table.slice(1), release / "pairs.parquet")
    write_manifest(release)
    with pytest.raises(ReleaseError, match=r"pairs\.parquet: not what"):
        verify_contents(release)


def test_the_changes_since_the_last_release_are_compared_where_it_lies_beside(build: Build) -> None:
    first = build().path
    second = build((PAIRS["lack"], "reject", "reject"), version="2.0.0", because="Fewer pairs.").path
    assert verify_contents(second).notes == ()
    changes = second / "CHANGELOG.md"
    changes.write_text(changes.read_text(encoding="utf-8").replace("Withdrawn", "Added"), encoding="utf-8")
    write_manifest(second)
    with pytest.raises(ReleaseError, match=r"CHANGELOG\.md:9: not what"):
        verify_contents(second)
    shutil.rmtree(first)
    (note,) = verify_contents(second).notes
    assert "compared by its beginning alone; the rest needs mini-cases-1.0.0 beside this release" in note
    changes.write_bytes(b"# Changes\xff\n")
    write_manifest(second)
    with pytest.raises(ReleaseError, match=r"CHANGELOG\.md:1:10: byte 0xff is not UTF-8"):
        verify_contents(second)
    changes.write_text("# Changes\n", encoding="utf-8")
    write_manifest(second)
    with pytest.raises(ReleaseError, match=r"CHANGELOG\.md: doesn't begin with version 2\.0\.0"):
        verify_contents(second)


def test_the_command_takes_a_folder_or_a_name_and_says_that_all_is_as_it_was(release: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    shutil.copytree(release, workspace / "output" / "releases" / "mini-cases-1.0.0")
    for arguments in ([str(release)], ["mini-cases-1.0.0", "--workspace", str(workspace)]):
        done = CliRunner().invoke(cli, ["release", "verify", *arguments])
        assert done.exit_code == 0
        assert "mini-cases 1.0.0, 3 pairs, every file as it was frozen" in done.output


def swapped(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([lines[-1], *lines[1:-1], lines[0]]) if len(lines) > 1 else b""


def flipped(content: bytes) -> bytes:
    place = random.Random(len(content)).randrange(len(content) or 1)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] if content else b"\n"


EDITS: dict[str, Callable[[bytes], bytes]] = {
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


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_of_any_file_passes(rich: Path, edit: str) -> None:
    assert verify_contents(rich).notes == ()
    for path in sorted(path for path in rich.rglob("*") if path.is_file() and path.name != "MANIFEST.sha256"):
        content = path.read_bytes()
        changed = EDITS[edit](content)
        if changed == content:
            continue
        path.write_bytes(changed)
        write_manifest(rich)
        with pytest.raises(ReleaseError) as caught:
            verify_contents(rich)
        assert "\n" not in str(caught.value)
        path.write_bytes(content)
        write_manifest(rich)
