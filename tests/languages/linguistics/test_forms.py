"""Which words of two sentences are forms of one lexeme, and which words agree with a noun."""

import pytest

from pairwright.languages.features import parse_demand, parse_features
from pairwright.languages.linguistics.forms import (
    agrees,
    changed_words,
    concord,
    differing_values,
    one_lexeme,
    words_at,
)
from pairwright.languages.morphology import AnalysedForm, Analyser, Analysis
from pairwright.languages.morphology.lexicon import TableLexicon


def form(text: str, lemma: str, upos: str, features: str, source: str = "a") -> AnalysedForm:
    return AnalysedForm(text, Analysis(lemma, upos, parse_features(features), source, ""))


ANALYSER = Analyser(
    (
        TableLexicon(
            [
                form("namas", "namas", "NOUN", "Case=Nom|Number=Sing"),
                form("namo", "namas", "NOUN", "Case=Gen|Number=Sing"),
                form("namo", "namo", "ADV", ""),
                form("stalas", "stalas", "NOUN", "Case=Nom|Number=Sing"),
            ]
        ),
        TableLexicon([form("namas", "namas", "NOUN", "Case=Nom", "b")]),
    )
)


def test_readings_are_paired_by_lemma_part_of_speech_and_lexicon() -> None:
    both = one_lexeme(ANALYSER.analyse("namas"), ANALYSER.analyse("namo"))
    assert [(good.source, bad.source) for good, bad in both] == [("a", "a")]
    assert differing_values(*both[0]) == {"Case"}
    assert not one_lexeme(ANALYSER.analyse("stalas"), ANALYSER.analyse("namo"))


def test_words_that_moved_or_changed_their_capital_have_not_changed() -> None:
    changed = changed_words("Čia stovi namas.", "Namo čia stovi.", ANALYSER)
    assert [(pair.good.text, pair.bad.text) for pair in changed.contrasts] == [("namas", "Namo")]
    assert not changed.good
    assert not changed.bad
    demand = parse_demand(["good: Case=Nom", "bad: Case=Gen"])
    assert len(changed.contrasts[0].showing(demand)) == 1


def test_words_have_their_offsets_in_the_whole_text() -> None:
    text = "Ne, namas!"
    assert [text[word.at : word.end] for word in words_at(text)] == ["Ne", "namas"]
    assert words_at(text[4:], 4)[0].span == (4, 9)


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
