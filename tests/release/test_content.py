"""`pairwright release verify` finds what no hash can: a release that was made wrong, with a manifest that fits."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pairwright.cli import cli
from pairwright.errors import ReleaseError
from pairwright.records.release import ReleaseResult
from pairwright.release.consistency import verify_contents
from pairwright.release.freeze import write_manifest
from pairwright.release.verify import verify_files

Change = Callable[[list[dict[str, object]]], object]


@pytest.fixture
def release(build: Callable[..., ReleaseResult]) -> Path:
    return build().path


def rewrite(release: Path, change: Change) -> None:
    """Changes the lines of pairs.jsonl and makes a manifest that fits."""
    path = release / "pairs.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    info = json.loads((release / "release.json").read_text(encoding="utf-8"))
    (release / "release.json").write_text(json.dumps(info | {"n_pairs": len(lines)}), encoding="utf-8")
    (release / "MANIFEST.sha256").unlink()
    write_manifest(release)
    verify_files(release)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[1].update(id=lines[0]["id"]), r"pairs\.jsonl:2: the id pair-\w+ stands in line 1 already"),
        (lambda lines: lines.append(lines[0] | {"id": "pair-new"}), r"jsonl:4: .*the same sentences as in line 1"),
        (
            lambda lines: lines[2].update(
                sentence_good=lines[0]["sentence_bad"], sentence_bad=lines[0]["sentence_good"]
            ),
            r"pairs\.jsonl:3: .*line 1 the other way round",
        ),
        (lambda lines: lines[0].update(sentence_bad=lines[0]["sentence_good"]), "the good and the bad sentence are"),
        (
            lambda lines: lines[1].update(sentence_good=lines[0]["sentence_good"], split="few_shot"),
            r"pairs\.jsonl:2: .*a sentence of few_shot stands in test, too, in line 1",
        ),
        (lambda lines: lines[0].update(rule_id="rule-gone"), r"its rule rule-gone is not in rules\.jsonl"),
        (lambda lines: lines[0].update(sentence_good="Kitas."), r"pairs\.parquet: row 1 is not"),
        (lambda lines: lines.reverse(), r"pairs\.parquet: row 1 is not"),
        (lambda lines: lines.pop(), r"pairs\.parquet: 3 rows in place of 2"),
    ],
)  # fmt: skip
def test_a_release_that_was_made_wrong_is_named_by_line(release: Path, change: Change, message: str) -> None:
    rewrite(release, change)
    with pytest.raises(ReleaseError, match=message):
        verify_contents(release)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("pairs.parquet", b"PAR1", r"pairs\.parquet: not the table of the pairs"),
        ("data/test.parquet", b"PAR1", r"test\.parquet: not the table of the pairs"),
        ("pairs.csv", b"a,b\n1,2\n", r"pairs\.csv: not the table of the pairs"),
        ("provenance.jsonl", b"{}\n", r"provenance\.jsonl:1: not a PairOrigin"),
        ("provenance.jsonl", b"", r"provenance\.jsonl: 0 lines for 3 pairs"),
        ("rules.jsonl", b"{}\n", r"rules\.jsonl:1: not a Rule"),
    ],
)
def test_a_file_that_says_something_else_than_the_pairs_is_named(
    release: Path, name: str, content: bytes, message: str
) -> None:
    (release / name).write_bytes(content)
    (release / "MANIFEST.sha256").unlink()
    write_manifest(release)
    with pytest.raises(ReleaseError, match=message):
        verify_contents(release)


def test_the_command_says_that_all_is_as_it_was(release: Path) -> None:
    done = CliRunner().invoke(cli, ["release", "verify", str(release)])
    assert done.exit_code == 0
    assert "mini-cases 1.0.0, 3 pairs, every file as it was frozen" in done.output
