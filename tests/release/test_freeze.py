"""A release holds exactly what reviewers approved, says why the rest is missing, and is the same bytes everywhere."""

import csv
import io
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.cli.inspect.status import status_lines
from pairwright.core.config import ReleaseSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import CheckedPair, DecisionWord, Rule, Source
from pairwright.core.records.release import ExcludedPair, ReleaseResult
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.release.contents.contents import natural_order
from pairwright.release.contents.request import ReleaseRequest, pseudonym_key
from pairwright.release.freeze import freeze
from pairwright.release.verify import read_release

Build = Callable[..., ReleaseResult]
MakePair = Callable[..., CheckedPair]


@pytest.fixture
def money(pair: MakePair, rules: dict[str, Rule]) -> CheckedPair:
    """A fourth pair, to vote on."""
    return pair(rules["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.")


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


def test_two_builds_in_any_order_of_input_are_the_same_bytes(build: Build, money: CheckedPair, tmp_path: Path) -> None:
    voted = (money, "approve", "reject")
    first, second = build(voted, into=tmp_path / "a"), build(voted, into=tmp_path / "b", reverse=True)
    assert "pairs.parquet" in files(first.path)
    assert files(first.path).keys() == files(second.path).keys()
    for name, path in files(first.path).items():
        assert path.read_bytes() == (second.path / name).read_bytes(), name
    assert first.sha256 == second.sha256


def test_the_place_of_the_source_on_a_machine_is_in_no_file(
    build: Build, rules: dict[str, Rule], rule: Callable[..., Rule], source: Callable[..., Source]
) -> None:
    moved = rule("3.2", "Įnagininkas", file="/home/ona/list.md")
    listed = source(files=({"path": "C:\\Users\\ona\\list.md", "sha256": "1" * 64},))
    result = build(rules={**{item.id: item for item in rules.values()}, moved.id: moved}, sources=[listed])
    assert "/home/ona" not in all_text(result.path)
    assert "Users" not in all_text(result.path)
    assert next(iter(read_jsonl(result.path / "rules.jsonl", Rule))).examples[0].evidence.file == "list.md"
    assert result.info.sources[0].files[0].path == "list.md"


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        (("approve",), "votes: 1 of 2"),
        (("approve", "unsure"), "votes: 1 of 2"),
        ((), "votes: 0 of 2"),
        (("approve", "reject"), "conflict: 1 approve, 1 reject"),
        (("approve", "approve", "reject"), "conflict: 2 approve, 1 reject"),
        (("reject", "reject"), "rejected: 2 of 2 votes"),
        (("approve", "approve", "fix"), "fix asked for, none written"),
    ],
)
def test_a_pair_without_the_votes_is_left_out_with_the_reason(
    build: Build, money: CheckedPair, decisions: tuple[DecisionWord, ...], reason: str
) -> None:
    result = build((money, *decisions))
    assert excluded(result) == {money.candidate.id: reason}
    assert result.conflicts == ((money.candidate.id,) if reason.startswith("conflict") else ())
    assert result.info.n_pairs == 3


def test_unsure_counts_for_nothing(build: Build, money: CheckedPair) -> None:
    pairs = read_release(build((money, "approve", "approve", "unsure")).path).pairs
    assert next(pair for pair in pairs if pair.id == money.candidate.id).agreement == pytest.approx(2 / 3, abs=1e-4)


def test_one_approval_is_enough_where_the_release_asks_for_one(build: Build, money: CheckedPair) -> None:
    assert build((money, "approve"), needed=1).info.n_pairs == 4


def test_a_corrected_pair_is_replaced_by_the_correction(build: Build, pair: MakePair, rules: dict[str, Rule]) -> None:
    old = pair(rules["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigėliai.")
    reading = pair(rules["3.9"], "Mums trūksta lėšų.", "Mums trūksta pinigėliai.", parent_id=old.candidate.id)
    new = pair(
        rules["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.", parent_id=old.candidate.id, method="manual"
    )
    corrections = {old.candidate.id: [new.candidate.id]}
    result = build((old, "fix", "approve"), (reading,), (new, "approve", "approve"), corrections=corrections)
    assert excluded(result)[old.candidate.id] == f"corrected into {new.candidate.id}"
    said = f"another reading of {old.candidate.id}; reviewers were asked about that one"
    assert excluded(result)[reading.candidate.id] == said
    card = (result.path / "README.md").read_text(encoding="utf-8")
    assert "| another reading of a pair; reviewers were asked about that one | 1 |" in card
    assert new.candidate.id in released(result)


def test_a_correction_that_is_left_out_replaces_nothing_and_an_alternative_may_be_one(
    build: Build, pair: MakePair, rules: dict[str, Rule]
) -> None:
    old = pair(rules["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigėliai.")
    reading = pair(rules["3.9"], "Mums trūksta lėšų.", "Mums trūksta pinigėliai.", parent_id=old.candidate.id)
    corrections = {old.candidate.id: [reading.candidate.id]}
    result = build((old, "approve", "fix"), (reading, "approve"), corrections=corrections)
    reason = f"corrected into {reading.candidate.id} (left out: votes: 1 of 2)"
    assert excluded(result)[old.candidate.id] == reason


def test_a_pair_that_a_check_rejected_is_left_out_whatever_the_votes(
    build: Build, pair: MakePair, rules: dict[str, Rule]
) -> None:
    faulty = pair(rules["3.9"], "Mums trūksta pinigų.", "Mums trūksta pnigai.", error="unknown word")
    assert excluded(build((faulty, "approve", "approve"))) == {faulty.candidate.id: "check form: unknown word"}


def test_identical_sentences_are_left_out(build: Build, pair: MakePair, rules: dict[str, Rule]) -> None:
    same = pair(rules["3.9"], "Čia trūksta šviesos.", "c\u030cia  trūksta šviesos.")
    assert excluded(build((same, "approve", "approve")))[same.candidate.id].startswith("identical")


def test_of_two_pairs_with_the_same_sentences_one_is_released_and_named(
    build: Build, pair: MakePair, rules: dict[str, Rule], pairs: dict[str, CheckedPair]
) -> None:
    double = pair(rules["3.10"], "mums  trūksta laiko.", "Mums trūksta laikas.")
    result = build((double, "approve", "approve"))
    assert excluded(result) == {double.candidate.id: f"duplicate of {pairs['lack'].candidate.id}"}
    assert released(result) == {item.candidate.id for item in pairs.values()}


def test_the_double_of_a_pair_that_is_not_released_stands(
    build: Build, pair: MakePair, rules: dict[str, Rule], pairs: dict[str, CheckedPair]
) -> None:
    double = pair(rules["3.10"], "Mums trūksta laiko.", "Mums trūksta laikas.")
    result = build((double, "approve", "approve"), (pairs["lack"], "approve", "unsure"))
    assert excluded(result) == {pairs["lack"].candidate.id: "votes: 1 of 2"}


def test_pairs_that_contradict_each_other_are_both_left_out(
    build: Build, pair: MakePair, rules: dict[str, Rule], pairs: dict[str, CheckedPair]
) -> None:
    turned = pair(rules["3.10"], "Mums trūksta laikas.", "Mums trūksta laiko.")
    left_out = excluded(build((turned, "approve", "approve")))
    assert set(left_out) == {turned.candidate.id, pairs["lack"].candidate.id}
    assert left_out[turned.candidate.id].startswith(f"contradicts {pairs['lack'].candidate.id}")


def test_a_pair_that_is_given_twice_is_released_once_and_listed(build: Build, pairs: dict[str, CheckedPair]) -> None:
    result = build(pairs=[*pairs.values(), pairs["wait"]])
    assert result.info.n_pairs == 3
    assert excluded(result) == {pairs["wait"].candidate.id: f"duplicate of {pairs['wait'].candidate.id}"}


def test_exceptions_are_in_and_marked(build: Build, pair: MakePair, rules: dict[str, Rule]) -> None:
    exception = pair(rules["3.2"], "Jis eina su lazda.", "Jis eina lazda.", exception=True)
    result = build((exception, "approve", "approve"))
    marked = [item.id for item in read_release(result.path).pairs if item.exception]
    assert marked == [exception.candidate.id]
    assert result.info.n_exceptions == 1


def test_reviewers_are_named_nowhere(build: Build, money: CheckedPair, reviewers: tuple[str, ...]) -> None:
    text = all_text(build((money, "approve", "reject", "unsure")).path)
    parts = {part for name in reviewers for part in (name, name.split("@")[0], name.split(".")[0])}
    assert not [part for part in parts if re.search(rf"\b{re.escape(part)}\b", text)]


def votes_on_wait(result: ReleaseResult) -> list[tuple[str, str]]:
    votes = next(item.votes for item in read_release(result.path).pairs if item.rule_code == "3.10")
    return [(vote.reviewer, vote.decision) for vote in votes]


def test_a_reviewer_keeps_the_pseudonym_when_another_one_joins(
    build: Build, pairs: dict[str, CheckedPair], money: CheckedPair
) -> None:
    first = build((pairs["wait"], "approve", "unsure"), needed=1)
    second = build(
        (pairs["wait"], "approve", "unsure"), (money, "approve", "approve", "approve"), needed=1, version="1.1.0"
    )
    assert (first.info.n_reviewers, second.info.n_reviewers) == (2, 3)
    assert votes_on_wait(first) == votes_on_wait(second)
    assert all(re.fullmatch("R-[0-9a-f]{10}", name) for name, _ in votes_on_wait(first))


def test_no_pseudonym_is_found_by_trying_names_or_in_another_release(build: Build, reviewers: tuple[str, ...]) -> None:
    names = {name for name, _ in votes_on_wait(build())}
    tried = {keyed_pseudonym(key, "mini-cases", person) for person in reviewers for key in (b"", b"mini-cases")}
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(start=st.text(st.sampled_from("=+-@'\"\t\r,;a ž\n＝"), min_size=1, max_size=12))
def test_a_table_cell_is_never_a_formula_and_gives_the_text_back(
    build: Build,
    pair: MakePair,
    rules: dict[str, Rule],
    tmp_path_factory: pytest.TempPathFactory,
    start: str,
) -> None:
    def plain(cell: str) -> str:
        return cell[1:] if re.match(r"'+[=+\-@\t\r\n＝＋－＠]", cell) else cell

    good, bad = f"{start}šuo", f"{start}šunį"
    result = build(pairs=[pair(rules["3.9"], good, bad)], into=tmp_path_factory.mktemp("cells"))
    content = (result.path / "pairs.csv").read_bytes().decode()
    row = next(csv.DictReader(io.StringIO(content, newline="")))
    assert row["sentence_good"][0] not in "=+-@\t\r\n＝"
    assert (plain(row["sentence_good"]), plain(row["sentence_bad"])) == (good, bad)


def test_the_card_counts_the_cells_that_carry_an_apostrophe(
    build: Build, pair: MakePair, rules: dict[str, Rule]
) -> None:
    assert "No cell of this release is marked so" in (build().path / "README.md").read_text(encoding="utf-8")
    dash = pair(rules["3.9"], "- Trūksta druskos.", "- Trūksta druska.")
    card = (build((dash, "approve", "approve"), version="1.1.0").path / "README.md").read_text(encoding="utf-8")
    assert "2 cells of this release are marked so" in card


@pytest.mark.parametrize(
    "name", ["", "Lt", "lt cases", "../lt", "/tmp/lt", "a/b", ".lt", "lt-", "lt\n", "ž", "a" * 65, "aux", "con.x"]
)
def test_a_name_that_is_no_slug_is_refused(build: Build, name: str) -> None:
    with pytest.raises(ReleaseError, match="release name"):
        build(name=name)


@pytest.mark.parametrize(
    "version",
    ["", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.x", "1.0.0\n", "١.٠.٠", "1.0." + "9" * 5000],
)
def test_a_version_that_is_not_three_numbers_is_refused(build: Build, version: str) -> None:
    with pytest.raises(ReleaseError, match="three numbers"):
        build(version=version)


def test_a_version_that_exists_is_never_touched(build: Build, pairs: dict[str, CheckedPair]) -> None:
    first = build()
    with pytest.raises(ReleaseError, match="exists and never changes"):
        build((pairs["wait"], "reject", "reject"))
    assert read_release(first.path).sha256 == first.sha256


@pytest.mark.parametrize("field", ["licence", "citation"])
@pytest.mark.parametrize("value", ["", "  ", "unknown", "Unknown"])
def test_a_source_without_licence_or_citation_is_refused(
    build: Build, source: Callable[..., Source], tmp_path: Path, field: str, value: str
) -> None:
    with pytest.raises(ReleaseError, match=f"source 'mini': no {field}"):
        build(sources=[source(**{field: value})])
    assert list(tmp_path.iterdir()) == []


def test_a_release_without_a_pair_is_refused_and_says_what_is_missing(build: Build) -> None:
    with pytest.raises(ReleaseError, match=r"none of 3 pairs can be released \(undecided 3\); a pair needs 3"):
        build(needed=3)
    with pytest.raises(ReleaseError, match="none of 0 pairs"):
        build(pairs=[])


def test_one_id_for_two_contents_is_refused(build: Build, pairs: dict[str, CheckedPair]) -> None:
    wait, lack = pairs["wait"], pairs["lack"]
    other = lack.model_copy(update={"candidate": lack.candidate.model_copy(update={"id": wait.candidate.id})})
    with pytest.raises(ReleaseError, match=f"{wait.candidate.id}: two pairs"):
        build(pairs=[*pairs.values(), other])


def test_unknown_rules_and_sources_are_refused(build: Build) -> None:
    with pytest.raises(ReleaseError, match="its rule rule-"):
        build(rules={})
    with pytest.raises(ReleaseError, match="its source 'mini' is not known"):
        build(sources=[])


def test_votes_on_a_pair_that_is_gone_are_refused(
    pairs: dict[str, CheckedPair], rules: dict[str, Rule], source: Callable[..., Source], tmp_path: Path
) -> None:
    votes: dict[str, dict[str, DecisionWord]] = {"pair-gone": {"ona": "approve"}, "pair-lost": {"ona": "approve"}}
    with pytest.raises(ReleaseError, match=r"pair-gone: votes on a pair that is not .* \(and 1 more such\)"):
        freeze(
            tmp_path,
            ReleaseRequest(
                name="a",
                version="1.0.0",
                pairs=[pairs["wait"]],
                rules={item.id: item for item in rules.values()},
                sources={"mini": source()},
                votes=votes,
                settings=ReleaseSettings(),
                key=b"key",
            ),
        )


def test_a_place_that_cant_be_written_is_one_clear_line(build: Build, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ReleaseError, match="can't be written"):
        build(into=tmp_path / "file")


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
from conftest import freeze_reviewed
from pairwright.release import write

write.release_card = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
freeze_reviewed(Path(sys.argv[1]))
"""


def test_a_killed_build_leaves_no_release_and_the_next_one_of_any_name_clears_what_is_left(
    build: Build, tmp_path: Path
) -> None:
    releases, same = tmp_path / "output" / "releases", tmp_path / "same" / "output" / "releases"
    arguments = [sys.executable, "-c", KILLED, str(releases), str(Path(__file__).parent), *sys.path]
    assert subprocess.run(arguments, check=False).returncode == -signal.SIGKILL
    assert [path.name[0] for path in releases.iterdir()] == ["."]
    assert not [line for line in status_lines(Workspace(tmp_path)) if ".tmp" in line]
    shutil.copytree(releases, same)
    for folder, name in ((releases, "other-cases"), (same, "mini-cases")):
        assert read_release(build(into=folder, name=name).path).info.n_pairs == 3
        assert [path.name for path in folder.iterdir()] == [f"{name}-1.0.0"]


def test_the_card_counts_rules_of_one_title_each_for_itself(
    build: Build, rules: dict[str, Rule], pair: Callable[..., CheckedPair]
) -> None:
    twin = rules["3.9"].model_copy(update={"id": "rule-twin"})
    pairs = [pair(rule, f"Trūksta {n} litrų.", f"Trūksta {n} litrai.") for n, rule in enumerate((rules["3.9"], twin))]
    result = build(pairs=pairs, rules={rule.id: rule for rule in (*rules.values(), twin)})
    assert result.info.n_rules == 2
    for paper in ("README.md", "DATASHEET.md"):
        assert "2 of 2 rules have fewer than 10 pairs" in (result.path / paper).read_text(encoding="utf-8")


def test_the_card_says_what_a_user_needs_and_escapes_what_documents_say(
    build: Build, money: CheckedPair, source: Callable[..., Source]
) -> None:
    hostile = source(title="<script>alert(1)</script> | x", citation="[klik](http://x) *a*")
    result = build((money, "approve", "reject"), sources=[hostile])
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


def test_a_pair_of_each_source_keeps_its_licence(
    build: Build, rules: dict[str, Rule], rule: Callable[..., Rule], pair: MakePair, source: Callable[..., Source]
) -> None:
    dative = rule("1.1", "Naudininkas", source_id="other")
    helped = pair(dative, "Padėjau draugui.", "Padėjau draugą.")
    result = build(
        (helped, "approve", "approve"),
        rules={item.id: item for item in (*rules.values(), dative)},
        sources=[source(), source("other", licence="CC0-1.0")],
    )
    held = read_release(result.path).pairs
    assert {item.source_id: item.licence for item in held} == {"mini": "CC-BY-4.0", "other": "CC0-1.0"}
    assert held[-1].id == helped.candidate.id
