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
from pairwright.core.config import ReleaseSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import CheckedPair, DecisionWord, Rule
from pairwright.core.records.release import ExcludedPair, ReleaseResult
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.release.contents.contents import natural_order
from pairwright.release.contents.request import ReleaseRequest, pseudonym_key
from pairwright.release.freeze import freeze
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


def test_pairs_come_by_source_then_rule_in_natural_order(build: Build) -> None:
    pairs = read_release(build().path).pairs
    assert [pair.rule_code for pair in pairs] == ["3.2", "3.9", "3.10"]
    assert pairs[0].sentence_good == "Ji rašo pieštuku."
    assert (pairs[0].licence, pairs[0].citation, pairs[0].split) == ("CC-BY-4.0", "Pavyzdžių rinkinys, 2026", "test")


def test_rule_codes_count_by_their_numbers_however_long() -> None:
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


def test_unsure_counts_for_nothing(build: Build) -> None:
    pairs = read_release(build((MONEY, "approve", "approve", "unsure")).path).pairs
    assert next(pair for pair in pairs if pair.id == MONEY.candidate.id).agreement == pytest.approx(2 / 3, abs=1e-4)


def test_a_corrected_pair_is_replaced_by_the_correction(build: Build) -> None:
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


def test_a_correction_that_is_left_out_replaces_nothing_and_an_alternative_may_be_one(build: Build) -> None:
    old = make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigėliai.")
    reading = make_pair(RULES["3.9"], "Mums trūksta lėšų.", "Mums trūksta pinigėliai.", parent_id=old.candidate.id)
    corrections = {old.candidate.id: [reading.candidate.id]}
    result = build((old, "approve", "fix"), (reading, "approve"), corrections=corrections)
    reason = f"corrected into {reading.candidate.id} (left out: votes: 1 of 2)"
    assert excluded(result)[old.candidate.id] == reason


def test_exceptions_are_in_and_marked(build: Build) -> None:
    exception = make_pair(RULES["3.2"], "Jis eina su lazda.", "Jis eina lazda.", exception=True)
    result = build((exception, "approve", "approve"))
    marked = [item.id for item in read_release(result.path).pairs if item.exception]
    assert marked == [exception.candidate.id]
    assert result.info.n_exceptions == 1


def test_reviewers_are_named_nowhere(build: Build) -> None:
    text = all_text(build((MONEY, "approve", "reject", "unsure")).path)
    parts = {part for name in REVIEWERS for part in (name, name.split("@")[0], name.split(".")[0])}
    assert not [part for part in parts if re.search(rf"\b{re.escape(part)}\b", text)]


def votes_on_wait(result: ReleaseResult) -> list[tuple[str, str]]:
    votes = next(item.votes for item in read_release(result.path).pairs if item.rule_code == "3.10")
    return [(vote.reviewer, vote.decision) for vote in votes]


def test_a_reviewer_keeps_the_pseudonym_when_another_one_joins(build: Build) -> None:
    first = build((PAIRS["wait"], "approve", "unsure"), needed=1)
    second = build(
        (PAIRS["wait"], "approve", "unsure"), (MONEY, "approve", "approve", "approve"), needed=1, version="1.1.0"
    )
    assert (first.info.n_reviewers, second.info.n_reviewers) == (2, 3)
    assert votes_on_wait(first) == votes_on_wait(second)
    assert all(re.fullmatch("R-[0-9a-f]{10}", name) for name, _ in votes_on_wait(first))


def test_no_pseudonym_is_found_by_trying_names_or_in_another_release(build: Build) -> None:
    names = {name for name, _ in votes_on_wait(build())}
    tried = {keyed_pseudonym(key, "mini-cases", person) for person in REVIEWERS for key in (b"", b"mini-cases")}
    assert not names & tried
    assert not names & {name for name, _ in votes_on_wait(build(name="other"))}


def test_another_key_gives_other_pseudonyms_and_so_a_major_version(build: Build) -> None:
    first = build()
    with pytest.raises(ReleaseError, match=r"other pseudonyms \(another annotations/pseudonyms\.key\).*2\.0\.0"):
        build(key=b"another", version="1.0.1")
    second = build(key=b"another", version="2.0.0")
    assert {name for name, _ in votes_on_wait(first)}.isdisjoint(name for name, _ in votes_on_wait(second))


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


def test_the_card_counts_the_cells_that_carry_an_apostrophe(build: Build) -> None:
    assert "This release has no such cell" in (build().path / "README.md").read_text(encoding="utf-8")
    dash = make_pair(RULES["3.9"], "- Trūksta druskos.", "- Trūksta druska.")
    card = (build((dash, "approve", "approve"), version="1.1.0").path / "README.md").read_text(encoding="utf-8")
    assert "This release has 2 such cells" in card


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


def test_votes_on_a_pair_that_is_gone_are_refused(tmp_path: Path) -> None:
    votes: dict[str, dict[str, DecisionWord]] = {"pair-gone": {"ona": "approve"}, "pair-lost": {"ona": "approve"}}
    with pytest.raises(ReleaseError, match=r"pair-gone: votes on a pair that is not .* \(and 1 more such\)"):
        freeze(
            tmp_path,
            ReleaseRequest(
                name="a",
                version="1.0.0",
                pairs=[PAIRS["wait"]],
                rules={item.id: item for item in RULES.values()},
                sources={"mini": make_source()},
                votes=votes,
                settings=ReleaseSettings(),
                key=b"key",
            ),
        )


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


def test_the_card_counts_rules_of_one_title_each_for_itself(build: Build) -> None:
    twin = RULES["3.9"].model_copy(update={"id": "rule-twin"})
    pairs = [
        make_pair(rule, f"Trūksta {n} litrų.", f"Trūksta {n} litrai.") for n, rule in enumerate((RULES["3.9"], twin))
    ]
    result = build(pairs=pairs, rules={rule.id: rule for rule in (*RULES.values(), twin)})
    assert result.info.n_rules == 2
    for paper in ("README.md", "DATASHEET.md"):
        assert "2 of 2 rules have fewer than 10 pairs" in (result.path / paper).read_text(encoding="utf-8")


def test_the_card_says_what_a_user_needs_and_escapes_what_documents_say(build: Build) -> None:
    hostile = make_source(title="<script>alert(1)</script> | x", citation="[klik](http://x) *a*")
    result = build((MONEY, "approve", "reject"), sources=[hostile])
    card = (result.path / "README.md").read_text(encoding="utf-8")
    assert "\n# mini-cases 1.0.0\n" in card
    assert "<script>" not in card
    assert "&lt;script&gt;alert(1)&lt;/script&gt; \\| x" in card
    assert "\\[klik\\](http://x) \\*a\\*" in card
    assert "| all | 4 | 8 | 3 | 75.0% |" in card
    assert "| one reviewer approves and another rejects | 1 |" in card
    assert "| 3.10 Kilmininkas su veiksmažodžiu laukti | 1 | 0 |" in card
    assert "Lithuanian (lt)" in card
    assert "3 of 3 rules have fewer than 10 pairs" in card
    assert "pairwright release verify mini-cases-1.0.0" in card


def test_a_pair_of_each_source_keeps_its_licence(build: Build) -> None:
    dative = make_rule("1.1", "Naudininkas", source_id="other")
    helped = make_pair(dative, "Padėjau draugui.", "Padėjau draugą.")
    result = build(
        (helped, "approve", "approve"),
        rules={item.id: item for item in (*RULES.values(), dative)},
        sources=[make_source(), make_source("other", licence="CC0-1.0")],
    )
    held = read_release(result.path).pairs
    assert {item.source_id: item.licence for item in held} == {"mini": "CC-BY-4.0", "other": "CC0-1.0"}
    assert held[-1].id == helped.candidate.id
