"""Before a release is frozen, each thing that its makers would regret is one line: what, where and what to do."""

from pathlib import Path
from typing import Any

import pytest
from release_parts import PAIRS, RULES, Build, make_pair, make_request, make_source

from pairwright.core.config import ReleaseSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.records.release import ReleaseResult
from pairwright.release.contents.selection import ReleaseRequest
from pairwright.release.write import check, freeze

SETTINGS = ReleaseSettings(title="Linksniai", authors=("Petraitienė, Ona",))
WAIT = PAIRS["wait"].candidate.id
CONFLICT = {pair.candidate.id: {"ana": "approve", "jonas": "approve"} for pair in PAIRS.values()} | {
    WAIT: {"ana": "approve", "jonas": "reject"}
}


def request_of(**fields: object) -> ReleaseRequest:
    """A request without a fault: all pairs shown and approved twice. Options change fields of it."""
    one = make_source(citation="Petraitienė, Ona. 2026. Linksnių klaidų sąrašas.")
    plain = {"sources": {one.id: one}, "settings": SETTINGS, "shown": frozenset(CONFLICT)}
    return make_request(**plain | fields)


def lines(folder: Path, request: ReleaseRequest) -> list[str]:
    return list(map(str, check(folder, request)))


def test_nothing_is_found_where_nothing_is_wrong_and_nothing_is_written(tmp_path: Path) -> None:
    assert lines(tmp_path, request_of()) == []
    assert list(tmp_path.iterdir()) == []


def test_votes_on_a_pair_that_is_gone_are_refused(tmp_path: Path) -> None:
    votes = {"pair-gone": {"ona": "approve"}, "pair-lost": {"ona": "approve"}}
    with pytest.raises(ReleaseError, match=r"pair-gone: votes on a pair that is not .* \(and 1 more such\)"):
        freeze(tmp_path, request_of(votes=votes))


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"settings": ReleaseSettings(title=" ", authors=("",))}, [
            ("warning: pairwright.toml: no title", "[release]"), ("warning: pairwright.toml: no authors", "[release]"),
        ]),
        ({"sources": {key: make_source(key, licence="unknown", citation=" ") for key in ("mini", "other")}}, [
            (f"error: source '{key}': no {name}", "source.toml")
            for key in ("mini", "other") for name in ("licence", "citation")
        ]),
        ({"votes": CONFLICT}, [
            (f"warning: source 'mini': 1 pair in conflict: {WAIT};", "pairwright review settle --queue mini"),
        ]),
        ({"doubts": {"annotations/mini": ["ana.csv:3: unknown decision 'gera'", "ana.csv:9: x"]}}, [
            ("warning: annotations/mini: 2 doubts", "ana.csv:3"),
        ]),
    ],
)  # fmt: skip
def test_each_thing_that_is_not_finished_is_a_line_with_its_remedy(
    fields: dict[str, Any], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    for line, (start, remedy) in zip(lines(tmp_path, request_of(**fields)), found, strict=True):
        assert line.startswith(start)
        assert remedy in line


def test_pairs_that_nobody_was_asked_about_are_named(tmp_path: Path) -> None:
    rule = next(iter(RULES.values()))
    unseen = [make_pair(rule, f"Mes laukiame {n} laivų.", f"Mes laukiame {n} laivus.") for n in range(5)]
    refused = make_pair(rule, "Mes laukiame.", "Mes laukiame ko.", error="too few words")
    other_reading = make_pair(rule, "Mes laukėme.", "Mes laukėme ką.", parent_id=PAIRS["wait"].candidate.id)
    every = (*PAIRS.values(), *unseen, refused, other_reading)
    (line,) = lines(tmp_path, request_of(pairs=every))
    assert "5 pairs never shown to anyone: " in line
    assert "and 2 more" in line
    shown = request_of().shown | {one.candidate.id for one in unseen}
    (line,) = lines(tmp_path, request_of(pairs=every, shown=shown))
    assert "5 pairs without enough decisions: " in line


def test_a_version_that_does_not_follow_is_an_error_beside_the_warnings(tmp_path: Path) -> None:
    freeze(tmp_path, request_of())
    error, warning = lines(tmp_path, request_of(version="1.0.1", votes=CONFLICT))
    assert error.startswith("error: release version '1.0.1': 1 pair withdrawn since 1.0.0: this is mini-cases 1.1.0")
    assert "in conflict" in warning
    assert lines(tmp_path, request_of()) == [
        f"error: {tmp_path / 'mini-cases-1.0.0'}: this version exists and never changes; choose a higher version"
    ]


def agreement_table(result: ReleaseResult) -> list[list[str]]:
    """The rows of the card's table of agreement."""
    card = (result.path / "README.md").read_text(encoding="utf-8")
    rows = card.split("| rule | pairs | votes |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_card_states_agreement_with_counts_and_leaves_out_small_rules(build: Build) -> None:
    # By hand, of 4 pairs with 3 agreements: alpha 1 - (2/8) / (7*1*2 / (8*7)) = 0; AC1 (.75 - .109375) / (1 - .109375).
    wait = (PAIRS["wait"], "approve", "reject", "unsure")
    (row,) = agreement_table(
        build(wait, (make_pair(RULES["3.9"], "Mums trūksta jėgų.", "Mums trūksta jėgos."), "approve", "approve"))
    )
    assert row == ["all", "4", "8", "3", "75.0%", "0.00", "0.72"]
    rule = RULES["3.9"]
    ten = [make_pair(rule, f"Mums trūksta {n} litrų.", f"Mums trūksta {n} litrai.") for n in range(10)]
    rows = agreement_table(build(pairs=[*ten, PAIRS["write"]], name="ten-cases"))
    assert rows == [
        ["all", "11", "22", "11", "100.0%", "not defined", "1.00"],
        ["mini 3.9", "10", "20", "10", "100.0%", "not defined", "1.00"],
    ]


def test_a_vote_that_settled_a_conflict_counts_for_no_agreement(tmp_path: Path) -> None:
    key = next(iter(PAIRS.values())).candidate.id
    votes = {**request_of().votes, key: {"ana": "approve", "jonas": "reject", "ona": "approve"}}
    request = request_of(votes=votes, adjudicated={key: {"ona": "approve"}})
    card = (freeze(tmp_path, request).path / "README.md").read_text(encoding="utf-8")
    assert "Not counted: 1 vote that settled a conflict" in card
    assert len(PAIRS) == 3
    assert "| all | 3 | 6 | 2 | 66.7% |" in card
