"""Which words agree with a noun, in any language whose words have features."""

import pytest

from pairwright.languages.features import parse_features
from pairwright.languages.linguistics.forms import agrees, concord
from pairwright.languages.morphology import Analysis


def reading(upos: str, features: str) -> Analysis:
    return Analysis("x", upos, parse_features(features), "table", "")


NOUN = reading("NOUN", "Case=Gen|Gender=Masc|Number=Sing")


@pytest.mark.parametrize(
    ("upos", "features", "agree"),
    [
        ("ADJ", "Case=Gen|Degree=Pos|Gender=Masc|Number=Sing", True),
        ("VERB", "Case=Gen|Gender=Masc|Number=Sing|VerbForm=Part", True),
        ("DET", "Case=Gen|Number=Sing", True),
        ("ADJ", "Case=Gen|Gender=Fem|Number=Sing", False),
        ("PRON", "Case=Gen", False),  # a possessor
        ("VERB", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin", False),
        ("NOUN", "Case=Gen|Gender=Masc|Number=Sing", False),
    ],
)
def test_a_modifier_agrees_in_all_features_that_both_have(upos: str, features: str, agree: bool) -> None:
    assert agrees(reading(upos, features), NOUN) == agree


def test_noun_classes_and_animacy_are_features_of_concord() -> None:
    child = reading("NOUN", "NounClass=Bantu1|Number=Sing")
    assert agrees(reading("ADJ", "NounClass=Bantu1|Number=Sing"), child)
    assert not agrees(reading("ADJ", "NounClass=Bantu7|Number=Sing"), child)
    assert concord(parse_features("Animacy=Anim|Case=Acc"), parse_features("Animacy=Anim|Case=Acc|Number=Plur"))
    assert not concord(parse_features("Animacy=Anim|Case=Acc"), parse_features("Animacy=Inan|Case=Acc"))
