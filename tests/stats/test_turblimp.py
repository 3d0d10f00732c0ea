"""The published judgements of TurBLiMP give the published figures."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest

from pairwright.reporting.analysis.people import rater_preferences
from pairwright.reporting.external.judgements import HumanRating
from turblimp import DataError, read_turblimp

TURBLIMP = Path(__file__).parents[2].parent / "shared" / "data" / "turblimp"


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
    with pytest.raises(DataError, match="not a table of TurBLiMP"):
        read_turblimp(survey[1])
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 no spreadsheet")
    with pytest.raises(DataError, match="can't be read as a spreadsheet"):
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
    assert dict(zip(found["phenomenon"], found["n_prefer"], strict=True)) == PUBLISHED
    assert set(found["n_raters"]) == {30}


def to_population(ratings: Sequence[HumanRating]) -> float:
    """What makes our z-scores the paper's, which take the standard deviation of each rater's ratings as a population.

    All raters have the same number of ratings.
    """
    (n,) = set(Counter(item.rater for item in ratings).values())
    return math.sqrt(n / (n - 1))


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
        found = rater_preferences(ratings).set_index("phenomenon").to_dict("index")
        scale = to_population(ratings)
        for verb, (preferring, differences) in published.items():
            for name, count, difference in zip(names, preferring, differences, strict=True):
                item = found[f"{verb}_{name}"]
                assert item["mean_difference"] * scale == pytest.approx(difference, abs=0.011)
                # One rater's means of transitive VSO are equal: 2, 6, 4 against 4, 5, 3. The paper counts a preference.
                tie = (verb, name) == ("Transitive", "VSO")
                assert (item["n_prefer"], item["n_raters"]) == (count - tie, 30)
                assert not tie or item["n_tied"] == 1
    scale = to_population([*subordinations, *base])
    rated = rater_preferences([*subordinations, *base])
    baselines = dict(zip(rated["phenomenon"], scale * rated["mean_difference"], strict=True))
    assert baselines["Argument_Structure_Transitive"] == pytest.approx(1.97, abs=0.011)
    assert baselines["Argument_Structure_Ditransitive"] == pytest.approx(2.00, abs=0.011)
