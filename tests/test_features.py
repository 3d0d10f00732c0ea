"""Feature bundles and demands: what is written is what is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages.features import (
    NO_FEATURES,
    Demand,
    Features,
    override,
    parse_demand,
    parse_features,
    show_demand,
    show_features,
)

NAMES = st.sampled_from(["Case", "Number", "Gender", "Number[psor]", "PronType", "VerbForm"])
VALUES = st.sampled_from(["Gen", "Sing", "1", "Int,Rel", "X2"])
BUNDLES: st.SearchStrategy[Features] = st.dictionaries(NAMES, VALUES).map(lambda bundle: frozenset(bundle.items()))


@given(bundle=BUNDLES)
def test_a_bundle_that_is_written_is_read_again(bundle: Features) -> None:
    assert parse_features(show_features(bundle)) == bundle


@given(good=BUNDLES, bad=BUNDLES)
def test_a_demand_that_is_written_is_read_again(good: Features, bad: Features) -> None:
    assert parse_demand(show_demand(Demand(good, bad))) == Demand(good, bad)


def test_bundles_are_sorted_as_universal_dependencies_sorts_them() -> None:
    assert show_features({("Number", "Sing"), ("Case", "Nom"), ("Gender", "Fem")}) == "Case=Nom|Gender=Fem|Number=Sing"
    assert (show_features(NO_FEATURES), parse_features("_")) == ("_", NO_FEATURES)


def test_overriding_keeps_what_is_not_named() -> None:
    changed = override(parse_features("Case=Nom|Number=Sing"), parse_features("Case=Gen|Degree=Pos"))
    assert changed == parse_features("Case=Gen|Degree=Pos|Number=Sing")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Case", "'Case' is no feature"),
        ("Case=Gen|", "'' is no feature"),
        ("case=gen", "'case=gen'"),
        ("Case=Gen|Case=Nom", "'Case' stands twice"),
        ("Case=Gen Number=Sing", "write Name=Value"),
    ],
)
def test_a_faulty_bundle_is_named(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_features(text)


@pytest.mark.parametrize("line", ["Case=Gen", "good Case=Gen", "best: Case=Gen", "good: genitive"])
def test_a_faulty_demand_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        parse_demand([line])


def test_a_side_stands_once() -> None:
    with pytest.raises(ValueError, match="one line a side"):
        parse_demand(["good: Case=Gen", "good: Number=Sing"])
