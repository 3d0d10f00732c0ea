"""A version follows from what changed since the last one, and CHANGELOG.md says what that was."""

from pathlib import Path
from typing import Any

import pytest
from release_parts import PAIRS, RULES, Build, make_pair, make_source

from pairwright.core.errors import ReleaseError
from pairwright.core.ids import file_sha256
from pairwright.core.records.release import ExcludedPair, ReleaseResult
from pairwright.core.store import read_jsonl
from pairwright.release.consistency import verify_contents
from pairwright.release.difference import difference, next_version
from pairwright.release.verify import read_release


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


MONEY = make_pair(RULES["3.9"], "Mums trūksta pinigų.", "Mums trūksta pinigai.")
ADDED = {"voted": (MONEY, "approve", "approve")}
WRITE = PAIRS["write"]
PEN = make_pair(
    RULES["3.2"], "Jis rašo rašikliu.", "Jis rašo su rašikliu.", parent_id=WRITE.candidate.id, method="manual"
)
MENDED = {"voted": (WRITE, "fix", "approve"), "pairs": [*PAIRS.values(), PEN]}
TURNED = {"pairs": [PAIRS["wait"], PAIRS["lack"], make_pair(RULES["3.2"], WRITE.candidate.bad, WRITE.candidate.good)]}
RENAMED = {"rules": {rule.id: rule.model_copy(update={"phenomenon": "case"}) for rule in RULES.values()}}


@pytest.mark.parametrize(
    ("change", "wrong", "reason", "right", "said"),
    [
        *((ADDED, wrong, "1 pair added", "1.1.0", "### Added: 1") for wrong in ("1.0.1", "1.2.0", "1.1.1", "0.9.0")),
        (ADDED, "2.0.0", "1 pair added .*give a reason for the larger step by --because", "1.1.0", "trūksta pinigai."),
        (MENDED, "1.1.0", "the wording of 1 pair corrected", "1.0.1", "### Wording corrected: 1"),
        (TURNED, "1.1.0", "is turned round", "2.0.0", "### Good and bad exchanged: 1"),
        (RENAMED, "1.1.0", "has another phenomenon", "2.0.0", "`phenomenon` of 3 pairs"),
        ({"sources": [make_source(licence="CC0-1.0")]}, "1.1.0", "licence CC-BY-4.0 became CC0", "2.0.0", "CC0-1.0"),
        ({"needed": 1}, "1.0.1", "approvals that a pair needs: 2 became 1", "2.0.0", "2 became 1"),
        ({"voted": (PAIRS["wait"], "approve", "approve", "unsure")}, "1.1.0", "no pair", "1.0.1", "`votes` of 1 pair"),
    ],
)  # fmt: skip
def test_the_version_follows_from_the_change_and_the_changelog_says_what_it_was(
    build: Build, change: dict[str, Any], wrong: str, reason: str, right: str, said: str
) -> None:
    first = build()
    voted = [change["voted"]] if "voted" in change else []
    options = {name: value for name, value in change.items() if name != "voted"}
    with pytest.raises(ReleaseError, match=rf"{reason}.*") as caught:
        build(*voted, version=wrong, **options)
    assert f"since 1.0.0: this is mini-cases {right}" in str(caught.value)
    result = build(*voted, version=right, **options)
    text = changelog(result)
    assert result.info.previous == first.info.version
    assert said in text
    assert text.index(f"## {right}") < text.index("## 1.0.0")


def test_first_versions_of_a_name_are_free_and_larger_steps_need_a_reason_that_the_changelog_gives(
    build: Build,
) -> None:
    for other in ("mini", "mini-cases-old"):
        assert build(name=other, version="2.0.0").info.previous is None
    assert build(version="0.1.0").info.previous is None
    more = MONEY, "approve", "approve"
    build(more, version="0.2.0")
    result = build(more, version="1.0.0", because="New instructions for reviewers.")
    assert result.info.previous == "0.2.0"
    assert "New instructions for reviewers." in changelog(result)


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


def test_other_columns_make_a_major_version(build: Build) -> None:
    old = read_release(build().path)
    new = old.info.model_copy(update={"columns": (*old.info.columns, "more")})
    change = difference(old.info, old.pairs, new, old.pairs)
    assert (change.step, change.reasons()) == ("major", ["columns added: more"])


def test_a_damaged_last_release_is_named_and_nothing_is_written(build: Build, tmp_path: Path) -> None:
    first = build()
    (first.path / "pairs.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"pairs\.jsonl: changed since"):
        build(version="1.1.0")
    assert [path.name for path in tmp_path.iterdir()] == [first.path.name]


def test_a_release_of_another_format_is_refused_and_not_followed(build: Build) -> None:
    old = build().path
    text = (old / "release.json").read_text(encoding="utf-8").replace('"format": 9', '"format": 8')
    (old / "release.json").write_text(text, encoding="utf-8")
    lines = (old / "MANIFEST.sha256").read_text(encoding="utf-8").splitlines(keepends=True)
    own = f"{file_sha256(old / 'release.json')}  release.json\n"
    (old / "MANIFEST.sha256").write_text("".join(own if own[64:] in line else line for line in lines), encoding="utf-8")
    for use in (lambda: read_release(old), lambda: build((MONEY, "approve", "approve"), version="1.1.0")):
        with pytest.raises(ReleaseError, match=r"release\.json: format 8, and this version .* reads format 9;"):
            use()
