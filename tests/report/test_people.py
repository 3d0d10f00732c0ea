"""What people say is read from what they send, counted as they meant it, and set beside what models do."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from scipy.stats import pearsonr, zscore

from pairwright.errors import ReviewError
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import Release, ReleasePair
from pairwright.report.analysis.human import ALL, rater_preferences, rating_differences
from pairwright.report.analysis.inputs import ReportInputs
from pairwright.report.analysis.summary import summarise
from pairwright.report.external.judgements import HumanChoice, HumanRating, read_judgements, read_turblimp

Given = tuple[tuple[float, int], tuple[float, int]]
Evaluate = Callable[..., tuple[Any, EvaluationRun]]
ReleaseOf = Callable[[Sequence[ReleasePair]], Release]
TURBLIMP = Path(__file__).parents[2].parent / "shared" / "data" / "turblimp"


def test_ratings_and_choices_are_read_from_csv_and_jsonl(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text(
        "rater;pair_id;side;rating;seconds\nR1;pair-1;good;7;3.2\nR1;pair-1;bad;2;4\n", encoding="utf-8-sig"
    )
    assert read_judgements(table) == [
        HumanRating(pair_id="pair-1", side="good", rater="R1", rating=7),
        HumanRating(pair_id="pair-1", side="bad", rater="R1", rating=2),
    ]
    chosen = tmp_path / "choices.jsonl"
    chosen.write_text('{"pair_id": "pair-1", "rater": "R1", "choice": "bad", "phenomenon": "case"}\n', encoding="utf-8")
    assert read_judgements(chosen) == [HumanChoice(pair_id="pair-1", rater="R1", choice="bad", phenomenon="case")]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,seven\n", r"a\.csv:2: rating: "),
        ("a.csv", "pair_id,rater,side,rating\np,R1,better,7\n", r"a\.csv:2: side: "),
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,nan\n", r"a\.csv:2: rating: not a finite number"),
        ("a.csv", "pair_id,rater,side,rating\np,R1,good,7\np,R1,good,6\n", r"a\.csv:3: p R1 good stands in line 2 too"),
        ("a.csv", "pair_id,rater\np,R1\n", r"a\.csv:2: side: field required; it needs columns pair_id, rater"),
        ("a.jsonl", '{"pair_id"\n', r"a\.jsonl:1:\d+: not JSON"),
        ("a.csv", "", "no judgement in it"),
        ("missing.csv", None, "can't be read"),
    ],
)
def test_a_judgement_that_can_not_be_used_is_named_with_its_line(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=message):
        read_judgements(path)


def test_a_rater_prefers_what_gets_the_higher_mean() -> None:
    def rated(rater: str, good: Sequence[int], bad: Sequence[int]) -> list[HumanRating]:
        sides = (("good", good), ("bad", bad))
        return [
            HumanRating(pair_id=f"p{n}", side=side, rater=rater, rating=value, phenomenon="case")
            for side, values in sides
            for n, value in enumerate(values)
        ]

    found = rater_preferences(
        [*rated("R1", (7, 6), (2, 1)), *rated("R2", (4, 4), (4, 4)), *rated("R3", (1, 2), (6, 6))]
    )
    (case,) = found
    assert (case.n_raters, case.n_prefer, case.n_tied, case.n_ratings) == (3, 1, 1, 12)
    # R2 gave one answer throughout and has no z-score.
    scored = [zscore([7, 6, 2, 1], ddof=1), zscore([1, 2, 6, 6], ddof=1)]
    expected = np.mean([np.mean(z[:2]) - np.mean(z[2:]) for z in scored])
    assert case.mean_difference == pytest.approx(expected)


def test_score_differences_are_correlated_with_ratings_by_phenomenon(
    pair: Callable[..., ReleasePair], release_of: ReleaseOf, evaluation: Evaluate
) -> None:
    generator = np.random.default_rng(8)
    release = release_of([pair(n, f"Turiu {n} knygų.", f"Turiu {n} knygos.", code=f"{3 + n % 2}.1") for n in range(24)])
    ratings = [
        HumanRating(pair_id=p.id, side=side, rater=f"R{r}", rating=float(generator.integers(1, 8)))
        for r in range(5)
        for p in release.pairs
        for side in ("good", "bad")
    ]
    people = rating_differences(ratings)
    given = {key: ((-20.0 + value + generator.normal(), 4), (-20.0, 5)) for key, value in people.items()}
    stranger = HumanRating(pair_id="pair-stranger", side="good", rater="R0", rating=4.0)
    human = summarise(release, [evaluation(release, given)], ReportInputs(judgements=(*ratings, stranger))).human
    assert human is not None
    assert human.unknown == ("pair-stranger",)
    assert human.n_raters == 5
    whole = next(item for item in human.alignments if (item.phenomenon, item.measure) == (ALL, "sum"))
    with_stranger = rating_differences([*ratings, stranger])
    differences = [given[key][0][0] + 20.0 for key in people]
    assert whole.pearson is not None
    assert whole.pearson.value == pytest.approx(pearsonr([with_stranger[key] for key in people], differences).statistic)
    assert {item.phenomenon for item in human.alignments} == {ALL, "case 3", "case 4"}
    assert len(human.points) == 24


def test_forced_choices_stand_beside_the_models_on_the_same_pairs(
    release: Release, evaluation: Evaluate, given: dict[str, Given]
) -> None:
    first, second, *_ = (pair.id for pair in release.pairs)
    votes = {first: ("good", "good", "bad"), second: ("bad", "bad", "good")}
    choices = tuple(
        HumanChoice(pair_id=key, rater=f"R{n}", choice=choice)
        for key, chosen in votes.items()
        for n, choice in enumerate(chosen)
    )
    human = summarise(release, [evaluation(release, given)], ReportInputs(judgements=choices)).human
    assert human is not None
    (found,) = human.choices
    assert (found.n_choices, found.n_pairs, found.share, found.majority) == (6, 2, 0.5, 1)
    assert found.models == (0.5,)


@pytest.fixture
def survey(tmp_path: Path) -> tuple[Path, Path]:
    """One phenomenon and two pairs in the published layout: version 1, then version 2 with the sides turned."""
    book = openpyxl.Workbook()
    rows: list[list[object]] = [
        ["Q1", "Q2", "Q3", "Q4"],
        ["Case_good", "Case_bad", "Case_bad", "Case_good"],
        [7, 1, None, None],
        [None, None, 2, 6],
    ]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "judgments.xlsx")
    material = openpyxl.Workbook()
    material.remove(material.worksheets[0])
    versions = {
        "v1": [("Laukiu traukinio.", "Case", "good"), ("Trūksta laikas.", "Case", "bad")],
        "v2": [("Laukiu traukinį.", "Case", "bad"), ("Trūksta laiko.", "Case", "good")],
    }
    for name, sentences in versions.items():
        sheet = material.create_sheet(name)
        for line in [(name, "phenomenon", "type"), *sentences]:
            sheet.append(line)
    material.save(tmp_path / "material.xlsx")
    return tmp_path / "judgments.xlsx", tmp_path / "material.xlsx"


def test_the_published_layout_is_read_with_its_sentences(survey: tuple[Path, Path]) -> None:
    ratings = read_turblimp(*survey)
    assert [(item.rater, item.side, item.rating, item.phenomenon) for item in ratings] == [
        ("rater 1", "good", 7, "Case"),
        ("rater 1", "bad", 1, "Case"),
        ("rater 2", "bad", 2, "Case"),
        ("rater 2", "good", 6, "Case"),
    ]
    train, time = "Laukiu traukinio.\tLaukiu traukinį.", "Trūksta laiko.\tTrūksta laikas."
    assert [item.pair_id for item in ratings] == [train, time, train, time]
    assert len({item.pair_id for item in read_turblimp(survey[0])}) == 4


def test_another_layout_is_refused(tmp_path: Path, survey: tuple[Path, Path]) -> None:
    with pytest.raises(ReviewError, match="not a table of TurBLiMP"):
        read_turblimp(survey[1])
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 no spreadsheet")
    with pytest.raises(ReviewError, match="can't be read as a spreadsheet"):
        read_turblimp(broken)


PUBLISHED = {
    **{"Anaphor_Agreement": 30, "Argument_Structure_Transitive": 30, "Argument_Structure_Ditransitive": 29},
    **{"Binding": 30, "Determiners": 28, "Ellipsis": 27, "Irregular_Forms": 30, "Island_Effects": 26},
    **{"Nominalization": 30, "NPI_Licensing": 30, "Passives": 29, "Quantifiers": 30, "Relative_Clauses": 30},
    **{"Scrambling": 30, "Subject_Agreement": 30, "Suspended_Affixation": 30},
}
ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")
# Raters who prefer the acceptable member, and the mean z-difference, by word order and by kind of subordination.
PUBLISHED_ORDERS = {
    "Transitive": ((30, 30, 30, 29, 30, 30), (1.98, 1.92, 1.81, 1.70, 1.68, 1.75)),
    "Ditransitive": ((30, 30, 28, 28, 30, 29), (1.81, 1.56, 1.47, 1.62, 1.45, 1.29)),
}
SUBORDINATIONS = ("Finite", "DIK", "IncA", "ken")
PUBLISHED_SUBORDINATIONS = {
    "Transitive": ((30, 30, 24, 28), (1.60, 1.95, 0.98, 0.92)),
    "Ditransitive": ((29, 30, 29, 28), (1.27, 1.59, 1.38, 1.08)),
}
needs_turblimp = pytest.mark.skipif(not TURBLIMP.is_dir(), reason="the published judgements are not on this machine")


@needs_turblimp
def test_the_published_proportions_of_the_sixteen_phenomena() -> None:
    found = rater_preferences(read_turblimp(TURBLIMP / "base_judgments.xlsx", TURBLIMP / "survey_material.xlsx"))
    assert {item.group: item.n_prefer for item in found} == PUBLISHED
    assert {item.n_raters for item in found} == {30}


@needs_turblimp
def test_the_published_figures_of_the_experimental_paradigms() -> None:
    """Each experiment was z-scored by itself, that on subordination with the baselines of the first survey."""
    everything = read_turblimp(TURBLIMP / "experimental_judgments.xlsx")
    base = [
        item
        for item in read_turblimp(TURBLIMP / "base_judgments.xlsx")
        if item.phenomenon.startswith("Argument_Structure")
    ]
    orders = [item for item in everything if item.phenomenon.endswith(ORDERS)]
    subordinations = [item for item in everything if not item.phenomenon.endswith(ORDERS)]
    for ratings, names, published in (
        (orders, ORDERS, PUBLISHED_ORDERS),
        ([*subordinations, *base], SUBORDINATIONS, PUBLISHED_SUBORDINATIONS),
    ):
        found = {item.group: item for item in rater_preferences(ratings)}
        for verb, (preferring, differences) in published.items():
            for name, count, difference in zip(names, preferring, differences, strict=True):
                item = found[f"{verb}_{name}"]
                assert item.mean_difference == pytest.approx(difference, abs=0.011)
                # One rater's means of transitive VSO are equal: 2, 6, 4 against 4, 5, 3. The paper counts a preference.
                tie = (verb, name) == ("Transitive", "VSO")
                assert (item.n_prefer, item.n_raters) == (count - tie, 30)
                assert not tie or item.n_tied == 1
    baselines = {item.group: item.mean_difference for item in rater_preferences([*subordinations, *base])}
    assert baselines["Argument_Structure_Transitive"] == pytest.approx(1.97, abs=0.011)
    assert baselines["Argument_Structure_Ditransitive"] == pytest.approx(2.00, abs=0.011)
