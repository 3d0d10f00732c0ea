"""Candidates from a source's own examples, and the features that the pairs of an error list show for their rule."""

from pathlib import Path

import pytest
from list_parts import ReadList

from made_records import language_with, make_evidence, make_rule
from pairwright.core.ids import pair_id
from pairwright.core.records import Contrast, Example
from pairwright.languages.morphology import Analyser, analyser_of
from pairwright.sources.error_list.corrections import with_demand
from pairwright.sources.given import source_candidates

TABLE = Path(__file__).parents[1] / "data" / "words-lt.tsv"


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    made = analyser_of(language_with(TABLE, "unimorph", "unimorph"))
    assert made is not None
    return made


def demand(read_list: ReadList, analyser: Analyser, *sentences: str) -> Contrast | None:
    (rule,), _ = read_list(f"- **1.1.** Vardininkas nevartotinas — pvz.: {' '.join(sentences)}")
    assert rule.contrast is None
    return with_demand(rule, analyser).contrast


def test_most_pairs_go_from_one_case_to_the_other(read_list: ReadList, analyser: Analyser) -> None:
    sentences = ("Nėra žalia varlė (= žalios varlės).", "Nebuvo ežys (= ežio).", "Trūksta ežiai (= ežių).")
    contrast = demand(read_list, analyser, *sentences)
    assert contrast is not None
    assert contrast.features == ("good: Case=Gen", "bad: Case=Nom")
    assert (contrast.licensed, contrast.support) == (True, (3, 3))


@pytest.mark.parametrize(
    "sentences",
    [
        ("Nėra ežys (= ežio).", "Matau ežys (= ežį).", "Buvo čia ežys (= ežiui)."),
        ("Nėra ežys (= ežio).",),
        ("Nėra ežys (= varlės).", "Nebuvo varlė (= ežio)."),
    ],
    ids=["pairs that disagree", "one pair", "pairs of other words"],
)
def test_no_clear_majority_shows_nothing(read_list: ReadList, analyser: Analyser, sentences: tuple[str, ...]) -> None:
    assert demand(read_list, analyser, *sentences) is None


def test_what_pairs_show_is_not_demanded_of_themselves(read_list: ReadList, analyser: Analyser) -> None:
    (rule,), _ = read_list("- **1.1.** Vardininkas nevartotinas — pvz.: Nėra ežys (= ežio). Nebuvo varlė (= varlės).")
    assert all(pair.features == () for pair in source_candidates([with_demand(rule, analyser)]))


def example(good: str, bad: str | None, quote: str, *, default: bool = True, exception: bool = False) -> Example:
    return Example(good=good, bad=bad, evidence=make_evidence(quote), default=default, exception=exception)


def test_readings_of_a_sentence_name_the_first_as_parent_and_exceptions_and_repetitions_give_no_pair() -> None:
    examples = (
        example("Laukiu jo.", "Laukiu jam.", "q1"),
        example("Laukiu čia jo.", "Laukiu jam.", "q1", default=False),
        example("Bijau jo.", "Bijau jam.", "q2"),
        example("Einu namo.", None, "q3", exception=True),
        example("Bijau jo.", "Bijau jam.", "q4"),
    )
    first = pair_id("rule-1", "Laukiu jo.", "Laukiu jam.")
    found = source_candidates([make_rule(id="rule-1", examples=examples)])
    assert [(pair.id, pair.parent_id) for pair in found] == [
        (first, None),
        (pair_id("rule-1", "Laukiu čia jo.", "Laukiu jam."), first),
        (pair_id("rule-1", "Bijau jo.", "Bijau jam."), None),
    ]
