"""Before a release is frozen, each thing that its makers would regret is one line: what, where and what to do."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from release_parts import PAIRS, RULES, Build, make_pair, make_source

from pairwright.core.config import ReleaseSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.records import Source
from pairwright.core.records.release import ReleaseResult
from pairwright.release.contents.request import ReleaseRequest
from pairwright.release.freeze import check, freeze

MakeRequest = Callable[..., ReleaseRequest]

SETTINGS = ReleaseSettings(title="Linksniai", authors=("Petraitienė, Ona",))


@pytest.fixture
def request_of() -> MakeRequest:
    """A request without a fault: all pairs shown and approved twice. Options change fields of it."""

    def make(**fields: object) -> ReleaseRequest:
        ids = [pair.candidate.id for pair in PAIRS.values()]
        one = make_source(citation="Petraitienė, Ona. 2026. Linksnių klaidų sąrašas.")
        request = ReleaseRequest(
            name="mini-cases",
            version="1.0.0",
            pairs=tuple(PAIRS.values()),
            rules={rule.id: rule for rule in RULES.values()},
            sources={one.id: one},
            votes={key: {"ana": "approve", "jonas": "approve"} for key in ids},
            settings=SETTINGS,
            key=bytes(32),
            shown=frozenset(ids),
        )
        return dataclasses.replace(request, **fields)  # type: ignore[arg-type]

    return make


def lines(folder: Path, request: ReleaseRequest) -> list[str]:
    return list(map(str, check(folder, request)))


def with_source(source: Source) -> dict[str, object]:
    return {"sources": {source.id: source}}


def test_nothing_is_found_where_nothing_is_wrong_and_nothing_is_written(
    request_of: MakeRequest, tmp_path: Path
) -> None:
    assert lines(tmp_path, request_of()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_release_without_title_and_authors_says_which_keys_to_write(request_of: MakeRequest, tmp_path: Path) -> None:
    title, authors = lines(tmp_path, request_of(settings=ReleaseSettings(title=" ", authors=("",))))
    assert title.startswith("warning: pairwright.toml: no title")
    assert "[release]" in title
    assert authors.startswith("warning: pairwright.toml: no authors")


LICENCES = ("CC-BY-4.0", "CC BY 4.0", "EUPL-1.2", "MIT OR Apache-2.0", "LicenseRef-official-text")
CITATION = "Petraitienė, Ona. 2026. Sąrašas."


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        *(({"licence": licence}, "") for licence in LICENCES),
        *(({"licence": licence}, "SPDX") for licence in ("free", "all rights\nreserved", "CC-BY-40")),
        *(({"citation": text}, "names no author") for text in ("list.md", "LIST.md (2026)", "list")),
        ({"citation": "Linksnių klaidų sąrašas, 2026"}, "names no author"),
        ({"citation": "Kalbos komisija. 2026. Linksnių klaidų sąrašas."}, ""),
        ({"citation": "Ona Petraitienė, list.md"}, ""),
    ],
)
def test_a_licence_of_no_list_and_a_citation_of_a_file_or_a_title_alone_are_warnings_in_one_line(
    request_of: MakeRequest, tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    files = ({"path": "texts/list.md", "sha256": "1" * 64},)
    cited = make_source(files=files, **{"citation": CITATION} | fields)
    found = lines(tmp_path, request_of(**with_source(cited)))
    assert len(found) == bool(words)
    for line in found:
        assert line.startswith(f"warning: source 'mini': {next(iter(fields))} '")
        assert words in line
        assert "\n" not in line


def test_every_source_without_licence_or_citation_is_an_error_that_stops_freezing(
    request_of: MakeRequest, tmp_path: Path
) -> None:
    sources = {key: make_source(key, licence="unknown", citation=" ") for key in ("mini", "other")}
    request = request_of(sources=sources)
    found = lines(tmp_path, request)
    assert [line.split(";")[0] for line in found] == [
        f"error: source '{key}': no {name}" for key in sources for name in ("licence", "citation")
    ]
    with pytest.raises(ReleaseError, match="source 'mini': no licence"):
        freeze(tmp_path, request)


def test_conflicts_are_counted_by_source(request_of: MakeRequest, tmp_path: Path) -> None:
    wait = PAIRS["wait"].candidate.id
    votes = {**request_of().votes, wait: {"ana": "approve", "jonas": "reject"}}
    (line,) = lines(tmp_path, request_of(votes=votes))
    assert line.startswith(f"warning: source 'mini': 1 pair in conflict: {wait};")
    assert "pairwright review settle --queue mini" in line


def test_a_correction_needs_a_second_person(request_of: MakeRequest, tmp_path: Path) -> None:
    parent = PAIRS["wait"].candidate
    rule = next(rule for rule in RULES.values() if rule.id == parent.rule_id)
    corrected = make_pair(rule, "Mes laukiame laivo.", "Mes laukiame laivą.", method="manual", parent_id=parent.id)
    key = corrected.candidate.id

    def found(cast: dict[str, str], **fields: object) -> list[str]:
        votes = {**request_of().votes, parent.id: {"ana": "fix"}, key: cast}
        return lines(tmp_path, request_of(pairs=(*PAIRS.values(), corrected), votes=votes, **fields))

    (line,) = found({"ana": "approve"})
    assert f"1 pair corrected without a second vote: {key}" in line
    assert len(found({"ana": "approve", "jonas": "unsure"})) == 1
    one_vote = SETTINGS.model_copy(update={"votes": 1})
    assert len(found({"ana": "approve"}, settings=one_vote)) == 1
    assert found({"ana": "approve", "jonas": "approve"}) == []
    assert found({"ana": "approve"}, adjudicated={key: {"ana": "approve"}}) == []
    assert found({"ana": "approve"}, settings=SETTINGS.model_copy(update={"decide_alone": ("ana",)})) == []


def test_pairs_that_nobody_was_asked_about_are_named(request_of: MakeRequest, tmp_path: Path) -> None:
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


def test_doubts_about_the_sheets_are_counted_by_queue(request_of: MakeRequest, tmp_path: Path) -> None:
    doubts = {"annotations/mini": ["ana.csv:3: unknown decision 'gera'", "ana.csv:9: unknown decision '?'"]}
    (line,) = lines(tmp_path, request_of(doubts=doubts))
    assert line.startswith("warning: annotations/mini: 2 doubts")
    assert "ana.csv:3" in line


def test_a_version_that_does_not_follow_is_an_error_beside_the_warnings(
    request_of: MakeRequest, tmp_path: Path
) -> None:
    freeze(tmp_path, request_of())
    wait = PAIRS["wait"].candidate.id
    votes = {**request_of().votes, wait: {"ana": "approve", "jonas": "reject"}}
    error, warning = lines(tmp_path, request_of(version="1.0.1", votes=votes))
    assert error.startswith("error: release version '1.0.1': 1 pair withdrawn since 1.0.0: this is mini-cases 1.1.0")
    assert "in conflict" in warning
    assert lines(tmp_path, request_of()) == [
        f"error: {tmp_path / 'mini-cases-1.0.0'}: this version exists and never changes; choose a higher version"
    ]


def test_freezing_tells_the_warnings(build: Build) -> None:
    assert {finding.place for finding in build().findings} == {"pairwright.toml"}


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


def test_a_vote_that_settled_a_conflict_counts_for_no_agreement(request_of: MakeRequest, tmp_path: Path) -> None:
    key = next(iter(PAIRS.values())).candidate.id
    votes = {**request_of().votes, key: {"ana": "approve", "jonas": "reject", "ona": "approve"}}
    request = request_of(votes=votes, adjudicated={key: {"ona": "approve"}})
    card = (freeze(tmp_path, request).path / "README.md").read_text(encoding="utf-8")
    assert "Not counted: 1 vote that settled a conflict" in card
    assert len(PAIRS) == 3
    assert "| all | 3 | 6 | 2 | 66.7% |" in card
