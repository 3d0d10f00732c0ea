"""A release holds exactly what reviewers approved, says why the rest is missing, and is the same bytes everywhere."""

import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas
import pytest
from release_parts import PAIRS, REVIEWERS, RULES, Build, make_pair, make_rule, make_source

from pairwright.cli.inspect.status import status
from pairwright.core.errors import ReleaseError
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import CheckedPair, Rule
from pairwright.core.records.release import ExcludedPair, ReleaseResult
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.release.contents.contents import natural_order
from pairwright.release.contents.selection import pseudonym_key
from pairwright.release.verify import read_release

APPROVED = ("approve", "approve")
MONEY = make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.")
FAULTY = make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pnigai.", error="unknown word")
SAME = make_pair(RULES["3.9"], "Čia trūksta šviesos.", "c\u030cia  trūksta šviesos.")
LACK, WAIT = PAIRS["lack"], PAIRS["wait"]
DOUBLE = make_pair(RULES["3.10"], "mums  trūksta laiko.", "Mums trūksta laikas.")
TURNED = make_pair(RULES["3.10"], "Mums trūksta laikas.", "Mums trūksta laiko.")


def excluded(result: ReleaseResult) -> dict[str, str]:
    return {pair.id: pair.reason for pair in read_jsonl(result.path / "excluded.jsonl", ExcludedPair)}


def released(result: ReleaseResult) -> set[str]:
    return {pair.id for pair in read_release(result.path).pairs}


def all_text(directory: Path) -> str:
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files(directory).values())


def files(directory: Path) -> dict[str, Path]:
    """Every file of a release by its path inside it."""
    return {path.relative_to(directory).as_posix(): path for path in sorted(directory.rglob("*")) if path.is_file()}


def test_pairs_come_by_source_then_rule_as_its_code_counts_with_their_licences_votes_and_marks(build: Build) -> None:
    dative = make_rule("1.1", "Naudininkas", source_id="other")
    voted = [
        (make_pair(dative, "Padėjau draugui.", "Padėjau draugą."), "approve", "approve"),
        (make_pair(RULES["3.2"], "Jis eina su lazda.", "Jis eina lazda.", exception=True), "approve", "approve"),
        (PAIRS["wait"], "approve", "approve", "unsure"),
    ]
    rules = {item.id: item for item in (*RULES.values(), dative)}
    result = build(*voted, rules=rules, sources=[make_source(), make_source("other", licence="CC0-1.0")])
    pairs = read_release(result.path).pairs
    assert [(pair.rule_code, pair.licence) for pair in pairs] == [
        ("3.2", "CC-BY-4.0"), ("3.2", "CC-BY-4.0"), ("3.9", "CC-BY-4.0"), ("3.10", "CC-BY-4.0"), ("1.1", "CC0-1.0"),
    ]  # fmt: skip
    assert {pair.citation for pair in pairs} == {"Pavyzdžių rinkinys, 2026"}
    assert [pair.sentence_good for pair in pairs if pair.exception] == ["Jis eina su lazda."]
    assert result.info.n_exceptions == 1
    assert pairs[3].agreement == pytest.approx(2 / 3, abs=1e-4)
    long = "9" * 5000
    codes = ["3.2", "3.9", "3.010", "3.11", "3.a", "4", "10", long, f"{long}0"]
    assert sorted(reversed(codes), key=natural_order) == codes


def test_two_builds_in_any_order_of_input_are_the_same_bytes(build: Build, tmp_path: Path) -> None:
    voted = (MONEY, "approve", "reject")
    first, second = build(voted, into=tmp_path / "a"), build(voted, into=tmp_path / "b", reverse=True)
    assert "pairs.parquet" in files(first.path)
    assert files(first.path).keys() == files(second.path).keys()
    for name, path in files(first.path).items():
        assert path.read_bytes() == (second.path / name).read_bytes(), name
    assert first.sha256 == second.sha256


def test_the_place_of_the_source_on_a_machine_is_in_no_file(build: Build) -> None:
    moved = make_rule("3.2", "Įnagininkas", file="/home/ona/list.md")
    listed = make_source(files=({"path": "C:\\Users\\ona\\list.md", "sha256": "1" * 64},))
    result = build(rules={**{item.id: item for item in RULES.values()}, moved.id: moved}, sources=[listed])
    assert "/home/ona" not in all_text(result.path)
    assert "Users" not in all_text(result.path)
    assert next(iter(read_jsonl(result.path / "rules.jsonl", Rule))).examples[0].evidence.file == "list.md"
    assert result.info.sources[0].files[0].path == "list.md"


@pytest.mark.parametrize(
    ("voted", "reasons"),
    [
        ([(MONEY, "approve")], {MONEY: "votes: 1 of 2"}),
        ([(MONEY, "approve", "unsure")], {MONEY: "votes: 1 of 2"}),
        ([(MONEY,)], {MONEY: "votes: 0 of 2"}),
        ([(MONEY, "approve", "reject")], {MONEY: "conflict: 1 approve, 1 reject"}),
        ([(MONEY, "approve", "approve", "reject")], {MONEY: "conflict: 2 approve, 1 reject"}),
        ([(MONEY, "reject", "reject")], {MONEY: "rejected: 2 of 2 votes"}),
        ([(MONEY, "approve", "approve", "fix")], {MONEY: "fix asked for, none written"}),
        ([(FAULTY, *APPROVED)], {FAULTY: "check form: unknown word"}),
        ([(SAME, *APPROVED)], {SAME: "identical"}),
        ([(DOUBLE, *APPROVED)], {DOUBLE: f"duplicate of {LACK.candidate.id}"}),
        ([(DOUBLE, *APPROVED), (LACK, "approve", "unsure")], {LACK: "votes: 1 of 2"}),
        (
            [(TURNED, *APPROVED)],
            {TURNED: f"contradicts {LACK.candidate.id}", LACK: f"contradicts {TURNED.candidate.id}"},
        ),
    ],
)
def test_a_pair_without_the_votes_or_with_a_fault_is_left_out_with_the_reason(
    build: Build, voted: list[tuple[object, ...]], reasons: dict[CheckedPair, str]
) -> None:
    result = build(*voted)
    found = excluded(result)
    expected = {pair.candidate.id: reason for pair, reason in reasons.items()}
    assert found.keys() == expected.keys()
    assert all(found[key].startswith(reason) for key, reason in expected.items())
    assert result.conflicts == tuple(key for key, reason in found.items() if reason.startswith("conflict"))
    given = {pair.candidate.id for pair in PAIRS.values()} | {
        pair.candidate.id for pair, *_ in voted if isinstance(pair, CheckedPair)
    }
    assert released(result) == given - found.keys()


def test_a_corrected_pair_is_replaced_by_the_correction_unless_that_is_left_out(build: Build, tmp_path: Path) -> None:
    old = make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigėliai.")
    reading = make_pair(RULES["3.9"], "Mums trūksta lėšų.", "Mums trūksta pinigėliai.", parent_id=old.candidate.id)
    new = make_pair(
        RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.", parent_id=old.candidate.id, method="manual"
    )
    corrections = {old.candidate.id: [new.candidate.id]}
    result = build((old, "fix", "approve"), (reading,), (new, "approve", "approve"), corrections=corrections)
    assert excluded(result)[old.candidate.id] == f"corrected into {new.candidate.id}"
    said = f"another reading of {old.candidate.id}; reviewers were asked about that one"
    assert excluded(result)[reading.candidate.id] == said
    card = (result.path / "README.md").read_text(encoding="utf-8")
    assert "| another reading of a pair; reviewers were asked about that one | 1 |" in card
    assert new.candidate.id in released(result)
    # An alternative may be the correction.
    corrections = {old.candidate.id: [reading.candidate.id]}
    result = build((old, "approve", "fix"), (reading, "approve"), corrections=corrections, into=tmp_path / "other")
    reason = f"corrected into {reading.candidate.id} (left out: votes: 1 of 2)"
    assert excluded(result)[old.candidate.id] == reason


def votes_on_wait(result: ReleaseResult) -> list[tuple[str, str]]:
    votes = next(item.votes for item in read_release(result.path).pairs if item.rule_code == "3.10")
    return [(vote.reviewer, vote.decision) for vote in votes]


def test_a_reviewer_has_one_pseudonym_in_all_versions_and_is_found_by_nobody_without_the_key(build: Build) -> None:
    voted = (PAIRS["wait"], "approve", "unsure")
    first = build(voted, needed=1)
    second = build(voted, (MONEY, "approve", "approve", "reject"), needed=1, version="1.0.1")
    assert (first.info.n_reviewers, second.info.n_reviewers) == (2, 3)
    assert votes_on_wait(first) == votes_on_wait(second)
    names = {name for name, _ in votes_on_wait(first)}
    assert all(re.fullmatch("R-[0-9a-f]{10}", name) for name in names)
    tried = {keyed_pseudonym(key, "mini-cases", person) for person in REVIEWERS for key in (b"", b"mini-cases")}
    assert not names & (tried | {name for name, _ in votes_on_wait(build(name="other"))})
    parts = {part for name in REVIEWERS for part in (name, name.split("@")[0], name.split(".")[0])}
    text = all_text(second.path)
    assert not [part for part in parts if re.search(rf"\b{re.escape(part)}\b", text)]
    with pytest.raises(ReleaseError, match=r"other pseudonyms \(another annotations/pseudonyms\.key\).*2\.0\.0"):
        build(voted, key=b"another", needed=1, version="1.0.2")
    third = build(voted, key=b"another", needed=1, version="2.0.0")
    assert names.isdisjoint(name for name, _ in votes_on_wait(third))


def test_the_key_of_a_workspace_is_made_once_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    annotations = tmp_path / "annotations"
    key = pseudonym_key(annotations)
    assert len(key) == 32
    assert pseudonym_key(annotations) == key
    assert pseudonym_key(tmp_path / "other") != key
    (annotations / "pseudonyms.key").write_text("secret", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"pseudonyms\.key: not 64 hexadecimal digits"):
        pseudonym_key(annotations)


def test_the_table_says_the_same_as_the_json_lines(build: Build) -> None:
    directory = build().path
    content = (directory / "pairs.csv").read_bytes()
    assert not content.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in content
    table = pandas.read_csv(directory / "pairs.csv", dtype={"rule_code": str})
    lines = [json.loads(line) for line in (directory / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(table) == len(lines) == 3
    for row, line in zip(table.to_dict("records"), lines, strict=True):
        nested = {name: json.loads(str(row[name])) for name in ("changes", "votes", "features")}
        assert {
            name: None if value is None or value != value else value for name, value in (row | nested).items()
        } == line


NAMES = ("", "Lt", "lt cases", "../lt", "/tmp/lt", "a/b", ".lt", "lt-", "lt\n", "ž", "a" * 65, "aux", "con.x")
VERSIONS = (
    "",
    *["1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.x", "١.٠.٠"],
    "1.0.0\n",
    "1.0." + "9" * 5000,
)
OTHER = LACK.model_copy(update={"candidate": LACK.candidate.model_copy(update={"id": WAIT.candidate.id})})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({"name": name}, "release name") for name in NAMES),
        *(({"version": version}, "three numbers") for version in VERSIONS),
        *(({"date": date}, "the day as YYYY-MM-DD") for date in ("2026-13-01", "1 May 2026", "20260501", "")),
        *(
            ({"sources": [make_source(**{field: value})]}, f"source 'mini': no {field}")
            for field in ("licence", "citation")
            for value in ("", "  ", "unknown", "Unknown")
        ),
        ({"needed": 3}, r"none of 3 pairs can be released \(undecided 3\); a pair needs 3"),
        ({"pairs": []}, "none of 0 pairs"),
        ({"pairs": [*PAIRS.values(), OTHER]}, f"{WAIT.candidate.id}: two pairs"),
        ({"rules": {}}, "its rule rule-"),
        ({"sources": []}, "its source 'mini' is not known"),
    ],
)
def test_what_cant_be_frozen_is_named_and_nothing_is_written(
    build: Build, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ReleaseError, match=message):
        build(**options)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ReleaseError, match="No space left on device"):
        build()
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from release_parts import freeze_reviewed
from pairwright.release import write

write.release_card = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
freeze_reviewed(Path(sys.argv[1]))
"""


def test_a_killed_build_leaves_no_release_and_the_next_one_of_any_name_clears_what_is_left(
    build: Build, tmp_path: Path
) -> None:
    releases, same = tmp_path / "output" / "releases", tmp_path / "same" / "output" / "releases"
    arguments = [sys.executable, "-c", KILLED, str(releases), *sys.path]
    assert subprocess.run(arguments, check=False).returncode == -signal.SIGKILL
    assert [path.name[0] for path in releases.iterdir()] == ["."]
    assert not [line for line in status(Workspace(tmp_path)) if ".tmp" in line]
    shutil.copytree(releases, same)
    for folder, name in ((releases, "other-cases"), (same, "mini-cases")):
        assert read_release(build(into=folder, name=name).path).info.n_pairs == 3
        assert [path.name for path in folder.iterdir()] == [f"{name}-1.0.0"]


def test_the_card_says_what_a_user_needs_and_escapes_what_documents_say(build: Build) -> None:
    hostile = make_source(title="<script>alert(1)</script> | x", citation="[klik](http://x) *a*")
    twin = RULES["3.9"].model_copy(update={"id": "rule-twin"})  # another rule of the same title
    other = make_pair(twin, "Trūksta litro.", "Trūksta litras.")
    voted = [(MONEY, "approve", "reject"), (other, "approve", "approve")]
    rules = {rule.id: rule for rule in (*RULES.values(), twin)}
    result = build(*voted, sources=[hostile], rules=rules)
    card = (result.path / "README.md").read_text(encoding="utf-8")
    assert "<script>" not in card
    for words in (
        "\n# mini-cases 1.0.0\n",
        "&lt;script&gt;alert(1)&lt;/script&gt; \\| x",
        "\\[klik\\](http://x) \\*a\\*",
        "| all | 5 | 10 | 4 | 80.0% |",
        "| one reviewer approves and another rejects | 1 |",
        "| 3.10 Kilmininkas su veiksmažodžiu laukti | 1 | 0 |",
        "Lithuanian (lt)",
        "4 of 4 rules have fewer than 10 pairs",
        "pairwright release verify mini-cases-1.0.0",
        "This release has no such cell",
    ):
        assert words in card
    assert "4 of 4 rules have fewer than 10 pairs" in (result.path / "DATASHEET.md").read_text(encoding="utf-8")
    dash = make_pair(RULES["3.9"], "- Trūksta druskos.", "- Trūksta druska.")
    result = build(*voted, (dash, "approve", "approve"), sources=[hostile], rules=rules, version="1.1.0")
    assert "This release has 2 such cells" in (result.path / "README.md").read_text(encoding="utf-8")
