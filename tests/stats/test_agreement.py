"""Agreement: published examples, and what has no value."""

import pytest

from pairwright.stats.agreement import MeasurementLevel, gwet_ac1, krippendorff_alpha

# Krippendorff (2011), section C: four observers, twelve units, nominal to interval data with missing cells.
OBSERVERS = {"A": "123321412   ", "B": "1233224125 3", "C": " 3332342251 ", "D": "12332441251 "}
EXAMPLE = [{name: float(row[unit]) for name, row in OBSERVERS.items() if row[unit] != " "} for unit in range(12)]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_published_example_with_missing_cells(level: MeasurementLevel, published: float) -> None:
    found = krippendorff_alpha(EXAMPLE, level, n_boot=200)
    assert found.value is not None
    assert round(found.value, 3) == published
    assert (found.n_units, found.n_ratings) == (11, 40)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high


def test_what_is_not_defined_has_no_value() -> None:
    same = [{"a": 1.0, "b": 1.0}] * 5
    for found in (krippendorff_alpha(same, "nominal"), krippendorff_alpha([{"a": 1.0}, {}], "ordinal")):
        assert (found.value, found.low, found.high) == (None, None, None)


def test_ac1_of_the_published_example() -> None:
    # Gwet (2002), Kappa statistic is not satisfactory for assessing the extent of agreement between raters, table 1:
    # of 125 patients both raters say yes to 118; 5 and 2 have one yes each.
    units = [{"a": 1.0, "b": 1.0}] * 118 + [{"a": 1.0, "b": 2.0}] * 5 + [{"a": 2.0, "b": 1.0}] * 2
    agreement = gwet_ac1(units, 2, n_boot=0)
    assert agreement.value == pytest.approx(0.9408, abs=5e-5)
    assert (agreement.n_units, agreement.n_ratings) == (125, 250)
    assert gwet_ac1([{"a": 1.0, "b": 1.0}], 3, n_boot=0).value == 1  # defined also where all votes are equal
    assert gwet_ac1([{"a": 1.0}], 3, n_boot=0).value is None
