"""Which words of two sentences are forms of one lexeme."""

from pairwright.languages.features import parse_demand, parse_features
from pairwright.languages.linguistics.forms import changed_words, differing_values, one_lexeme, words_at
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
