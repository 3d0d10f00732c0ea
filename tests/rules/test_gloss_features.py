"""What glosses say of the words that tell a starred sentence from its neighbour."""

import pytest

from pairwright.languages import load_tagset
from pairwright.languages.features import show_demand
from pairwright.sources.grammar.starred.pairs import gloss_demand

LEIPZIG = load_tagset("leipzig")


@pytest.mark.parametrize(
    ("good", "bad", "demand"),
    [
        ("wait.PRS.1SG bus-GEN", "wait.PRS.1SG bus-ACC", ("good: Case=Gen", "bad: Case=Acc")),
        ("children sing-PRS.3PL", "children sing-PRS.3SG", ("good: Number=Plur", "bad: Number=Sing")),
        ("this-GEN letter-GEN.SG", "this-ACC letter-ACC.SG", ("good: Case=Gen", "bad: Case=Acc")),
        ("we.NOM live-1PL", "we.NOM live-3", ("good: Person=1", "bad: Person=3")),
        ("tree-GEN.PL", "tree-NOM.PL", ("good: Case=Gen", "bad: Case=Nom")),
    ],
)
def test_a_difference_of_labels_is_demanded(good: str, bad: str, demand: tuple[str, ...]) -> None:
    assert show_demand(gloss_demand(good, bad, LEIPZIG)) == demand


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("with who.INS talk-PST.2SG", "who.INS talk-PST.2SG with"),
        ("dog bark", "dog barks loudly"),
        ("go-INF", "go"),
        ("in house", "IN house"),
        ("bus-GEN go-PRS", "bus-ACC go-PST"),
        ("bus-GEN", "bus-GEN"),
        ("", ""),
    ],
)
def test_nothing_is_demanded_where_the_labels_do_not_say_it_alone(good: str, bad: str) -> None:
    assert show_demand(gloss_demand(good, bad, LEIPZIG)) == ()
