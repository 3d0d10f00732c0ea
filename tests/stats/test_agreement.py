"""Agreement: published examples, and what must hold of any ratings."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.stats.agreement import MeasurementLevel, gwet_ac1, krippendorff_alpha

# Krippendorff (2011), section C: four observers, twelve units, nominal to interval data with missing cells.
OBSERVERS = {"A": "123321412   ", "B": "1233224125 3", "C": " 3332342251 ", "D": "12332441251 "}
EXAMPLE = [{name: float(row[unit]) for name, row in OBSERVERS.items() if row[unit] != " "} for unit in range(12)]


def by_hand(units: Sequence[Mapping[str, float]], level: MeasurementLevel) -> Fraction:
    """Alpha by its definition, from the matrix of coincidences, in exact fractions."""
    coincidences: dict[tuple[int, int], Fraction] = {}
    for unit in units:
        for one, other in permutations(map(int, unit.values()), 2):
            share = Fraction(1, len(unit) - 1)
            coincidences[one, other] = coincidences.get((one, other), Fraction(0)) + share
    values = sorted({value for pair in coincidences for value in pair})
    totals = dict.fromkeys(values, Fraction(0))
    for (value, _), count in coincidences.items():
        totals[value] += count
    n = sum(totals.values(), Fraction(0))

    def distance(one: int, other: int) -> Fraction:
        if level == "nominal":
            return Fraction(int(one != other))
        if level == "interval":
            return Fraction((one - other) ** 2)
        low, high = sorted((one, other))
        between = sum((totals[value] for value in values if low <= value <= high), Fraction(0))
        return (between - (totals[one] + totals[other]) / 2) ** 2

    observed = sum((count * distance(*pair) for pair, count in coincidences.items()), Fraction(0)) / n
    expected = sum(
        (totals[one] * totals[other] * distance(one, other) for one in values for other in values), Fraction(0)
    ) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_published_example_with_missing_cells(level: MeasurementLevel, published: float) -> None:
    found = krippendorff_alpha(EXAMPLE, level, n_boot=200)
    assert found.value is not None
    assert round(found.value, 3) == published
    assert found.value == pytest.approx(float(by_hand(EXAMPLE, level)), abs=1e-6)
    assert (found.n_units, found.n_ratings) == (11, 40)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high


def test_what_is_not_defined_has_no_value() -> None:
    same = [{"a": 1.0, "b": 1.0}] * 5
    for found in (krippendorff_alpha(same, "nominal"), krippendorff_alpha([{"a": 1.0}, {}], "ordinal")):
        assert (found.value, found.low, found.high) == (None, None, None)


units = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.integers(1, 4).map(float), max_size=4), min_size=1, max_size=12
)


@settings(max_examples=60)
@given(units, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_the_definition_whoever_the_raters_are(
    ratings: list[dict[str, float]], level: MeasurementLevel
) -> None:
    found = krippendorff_alpha(ratings, level, n_boot=0)
    pairable = [unit for unit in ratings if len(unit) > 1]
    if len({value for unit in pairable for value in unit.values()}) < 2:
        assert found.value is None
        return
    assert found.value == pytest.approx(float(by_hand(pairable, level)), abs=1e-9)
    shuffled = [dict(zip(unit, reversed(list(unit.values())), strict=True)) for unit in reversed(ratings)]
    assert krippendorff_alpha(shuffled, level, n_boot=0).value == pytest.approx(found.value)


def test_ac1_of_the_published_example() -> None:
    # Gwet (2002), Kappa statistic is not satisfactory for assessing the extent of agreement between raters, table 1:
    # of 125 patients both raters say yes to 118; 5 and 2 have one yes each.
    units = [{"a": 1.0, "b": 1.0}] * 118 + [{"a": 1.0, "b": 2.0}] * 5 + [{"a": 2.0, "b": 1.0}] * 2
    agreement = gwet_ac1(units, 2, n_boot=0)
    assert agreement.value == pytest.approx(0.9408, abs=5e-5)
    assert (agreement.n_units, agreement.n_ratings) == (125, 250)
    assert gwet_ac1([{"a": 1.0, "b": 1.0}], 3, n_boot=0).value == 1  # defined also where all votes are equal
    assert gwet_ac1([{"a": 1.0}], 3, n_boot=0).value is None
