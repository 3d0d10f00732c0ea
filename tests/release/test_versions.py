"""A version follows from what changed since the last one, and CHANGELOG.md says what that was."""

from pathlib import Path

import pytest
from release_parts import PAIRS, RULES, Build, make_pair, make_source

from pairwright.core.errors import ReleaseError
from pairwright.core.ids import file_sha256
from pairwright.core.records import CheckedPair
from pairwright.core.records.release import ExcludedPair, ReleaseResult
from pairwright.core.store import read_jsonl
from pairwright.release.consistency import verify_contents
from pairwright.release.difference import difference, next_version
from pairwright.release.verify import read_release


@pytest.fixture
def money() -> CheckedPair:
    return make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.")


def changelog(result: ReleaseResult) -> str:
    return (result.path / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("last", "step", "following"),
    [
        ("1.2.3", "patch", "1.2.4"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3", "major", "2.0.0"),
        ("0.2.3", "major", "0.3.0"),
        ("0.2.3", "minor", "0.3.0"),
    ],
)
def test_the_next_version(last: str, step: str, following: str) -> None:
    assert next_version(last, step) == following  # type: ignore[arg-type]


def test_added_pairs_make_a_minor_version(build: Build, money: CheckedPair) -> None:
    build()
    for wrong in ("1.0.1", "1.2.0", "1.1.1", "3.0.0", "0.9.0"):
        with pytest.raises(ReleaseError, match=r"1 pair added since 1\.0\.0: this is mini-cases 1\.1\.0"):
            build((money, "approve", "approve"), version=wrong)
    result = build((money, "approve", "approve"), version="1.1.0")
    assert result.info.previous == "1.0.0"
    text = changelog(result)
    assert "### Added: 1" in text
    assert f"`{money.candidate.id}` Mums trūksta pinigų. / Mums trūksta pinigai." in text
    assert text.index("## 1.1.0") < text.index("## 1.0.0")


def test_the_changelog_says_why_each_pair_left_and_names_a_rule_that_vanished(build: Build) -> None:
    build()
    kept = {rule.id: rule for code, rule in RULES.items() if code != "3.9"}
    votes = (PAIRS["wait"], "approve", "reject")
    standing = [PAIRS["wait"], PAIRS["write"]]
    result = build(votes, pairs=standing, gone=[PAIRS["lack"]], rules=kept, version="1.1.0")
    withdrawn = changelog(result).partition("### Withdrawn: 2")[2]
    lines = {line.split("`")[1]: line for line in withdrawn.splitlines() if line.startswith("- `pair-")}
    assert lines[PAIRS["wait"].candidate.id].endswith(": conflict: 1 approve, 1 reject")
    assert lines[PAIRS["lack"].candidate.id].endswith(f": its rule 3.9 “{RULES['3.9'].title}” is gone")
    causes = {pair.id: pair.cause for pair in read_jsonl(result.path / "excluded.jsonl", ExcludedPair)}
    assert causes == {PAIRS["wait"].candidate.id: "conflict", PAIRS["lack"].candidate.id: "gone"}
    assert verify_contents(result.path).notes == ()


def test_mended_wording_makes_a_patch(build: Build) -> None:
    old = PAIRS["write"]
    new = make_pair(
        RULES["3.2"], "Jis rašo rašikliu.", "Jis rašo su rašikliu.", parent_id=old.candidate.id, method="manual"
    )
    build()
    with pytest.raises(
        ReleaseError, match=r"the wording of 1 pair corrected since 1\.0\.0: this is mini-cases 1\.0\.1"
    ):
        build((old, "fix", "approve"), (new, "approve", "approve"), version="1.1.0")
    result = build((old, "fix", "approve"), (new, "approve", "approve"), version="1.0.1")
    assert "### Wording corrected: 1" in changelog(result)
    assert "Ji rašo pieštuku" in changelog(result)


def test_other_votes_alone_make_a_patch(build: Build) -> None:
    build((PAIRS["wait"], "approve", "unsure"), needed=1)
    result = build(needed=1, version="1.0.1")
    assert "`votes` of 1 pair" in changelog(result)


def test_a_pair_turned_round_makes_a_major_version(build: Build) -> None:
    old = PAIRS["write"]
    turned = make_pair(RULES["3.2"], old.candidate.bad, old.candidate.good)
    rest = [one for key, one in PAIRS.items() if key != "write"]
    build()
    with pytest.raises(ReleaseError, match=r"is turned round since 1\.0\.0: this is mini-cases 2\.0\.0"):
        build(pairs=[*rest, turned], version="1.1.0")
    assert "### Good and bad exchanged: 1" in changelog(build(pairs=[*rest, turned], version="2.0.0"))


def test_another_phenomenon_licence_or_rule_of_votes_makes_a_major_version(build: Build) -> None:
    build()
    renamed = {rule.id: rule.model_copy(update={"phenomenon": "case"}) for rule in RULES.values()}
    with pytest.raises(ReleaseError, match=r"has another phenomenon.*this is mini-cases 2\.0\.0"):
        build(rules=renamed, version="1.1.0")
    with pytest.raises(ReleaseError, match=r"source mini: licence CC-BY-4\.0 became CC0-1\.0.*2\.0\.0"):
        build(sources=[make_source(licence="CC0-1.0")], version="1.1.0")
    with pytest.raises(ReleaseError, match=r"approvals that a pair needs: 2 became 1.*2\.0\.0"):
        build(needed=1, version="1.0.1")


def test_other_columns_make_a_major_version(build: Build, money: CheckedPair) -> None:
    old = read_release(build().path)
    new = old.info.model_copy(update={"columns": (*old.info.columns, "more")})
    change = difference(old.info, old.pairs, new, old.pairs)
    assert (change.step, change.reasons()) == ("major", ["columns added: more"])


def test_a_larger_step_needs_a_reason_that_the_changelog_gives(build: Build, money: CheckedPair) -> None:
    build()
    with pytest.raises(ReleaseError, match="give a reason for the larger step by --because"):
        build((money, "approve", "approve"), version="2.0.0")
    result = build((money, "approve", "approve"), version="2.0.0", because="New instructions for reviewers.")
    assert "New instructions for reviewers." in changelog(result)


@pytest.mark.parametrize("version", ["0.0.1", "2.0.0"])
def test_a_first_version_is_free_to_choose(build: Build, version: str) -> None:
    assert build(version=version).info.version == version


def test_before_1_0_0_anything_may_change_and_1_0_0_may_follow(build: Build, money: CheckedPair) -> None:
    build(version="0.1.0")
    build((money, "approve", "approve"), version="0.2.0")
    assert build((money, "approve", "approve"), version="1.0.0", because="Stable now.").info.previous == "0.2.0"


def test_releases_of_another_name_are_no_earlier_ones(build: Build) -> None:
    build(name="mini", version="1.0.0")
    build(name="mini-cases-old", version="1.0.0")
    assert build(name="mini-cases", version="1.0.0").info.previous is None


def test_a_damaged_last_release_is_named_and_nothing_is_written(build: Build, tmp_path: Path) -> None:
    first = build()
    (first.path / "pairs.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"pairs\.jsonl: changed since"):
        build(version="1.1.0")
    assert [path.name for path in tmp_path.iterdir()] == [first.path.name]


def test_a_release_of_another_format_is_refused_and_not_followed(build: Build, money: CheckedPair) -> None:
    old = build().path
    text = (old / "release.json").read_text(encoding="utf-8").replace('"format": 9', '"format": 8')
    (old / "release.json").write_text(text, encoding="utf-8")
    lines = (old / "MANIFEST.sha256").read_text(encoding="utf-8").splitlines(keepends=True)
    own = f"{file_sha256(old / 'release.json')}  release.json\n"
    (old / "MANIFEST.sha256").write_text("".join(own if own[64:] in line else line for line in lines), encoding="utf-8")
    for use in (lambda: read_release(old), lambda: build((money, "approve", "approve"), version="1.1.0")):
        with pytest.raises(ReleaseError, match=r"release\.json: format 8, and this version .* reads format 9;"):
            use()
