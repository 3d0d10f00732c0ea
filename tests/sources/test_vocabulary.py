"""Which words count as vocabulary, by lemma, which frames sentences fill and how many words they have."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_records import language_with
from pairwright.core.config import GenerateSettings
from pairwright.languages import Language
from pairwright.languages.morphology import Analyser, lemmatiser_of
from pairwright.sources.asked.targets import Vocabulary, lengths

TABLE = Path(__file__).parents[1] / "data" / "words-lt.tsv"
UNKNOWN = Language(code="qaa", name="Any", autonym="Any")


@pytest.fixture(scope="module")
def lithuanian() -> Vocabulary:
    """Lithuanian with a table of a few words, so that lemmas and parts of speech are known of them."""
    language = language_with(TABLE, "unimorph", "unimorph")
    return Vocabulary(language, lemmatiser_of(language))


def test_forms_of_one_word_have_its_lemma(lithuanian: Vocabulary) -> None:
    assert lithuanian.content("Varlių nėra, ežio irgi.")["Varlių"] == {"varlė"}
    assert {"varlė", "ežys"} <= set(lithuanian.lemmas(["Varlių nėra.", "Ežio irgi."]))


def test_function_words_numbers_and_names_of_one_letter_are_no_vocabulary(lithuanian: Vocabulary) -> None:
    assert lithuanian.content("Ar jis buvo su manimi 25-ą dieną prie X?").keys() == {"dieną"}


def test_a_frame_tells_questions_and_function_words_apart(lithuanian: Vocabulary) -> None:
    plain = lithuanian.frame("Prie ežio tupi varlė.")
    assert plain is not None
    assert plain[0] == "prie"
    assert lithuanian.frame("Prie varlės tupi ežys.") == plain
    assert lithuanian.frame("Prie varlės tupi ežys?") != plain
    assert lithuanian.frame("Be varlės tupi ežys.") != plain


def test_a_language_without_lists_goes_by_what_many_rules_have() -> None:
    texts = [f"Ille {noun} videt." for noun in ("canem", "urbem", "mare", "puerum", "lunam")]
    vocabulary = Vocabulary(UNKNOWN, lemmatiser_of(UNKNOWN), texts)
    assert vocabulary.content("Ille lupum videt.").keys() == {"lupum"}
    assert Vocabulary(UNKNOWN, lemmatiser_of(UNKNOWN)).content("Ille lupum videt.").keys() == {"Ille", "lupum", "videt"}
    assert Vocabulary(UNKNOWN, lemmatiser_of(UNKNOWN)).frame("Lupum videt.") is None


@given(st.text())
def test_any_text_has_a_vocabulary_and_a_frame(text: str) -> None:
    vocabulary = Vocabulary(UNKNOWN, Analyser(()))
    assert all(vocabulary.content(text).values())
    vocabulary.frame(text)


def test_lengths_follow_the_sentences_of_the_source_unless_they_are_set() -> None:
    sentences = ["a b"] * 2 + ["a b c d e f"] * 90 + ["a b c d e f g h"] * 7 + ["a " * 40]
    free = GenerateSettings()
    assert lengths(sentences, free) == (2, 8)
    assert lengths(["a b c d e f"] * 40, free) == (4, 6)
    assert lengths(["a b"], free) == (2, 15)
    assert lengths([], free) == (4, 15)
    assert lengths(sentences, GenerateSettings(min_words=5)) == (5, 8)
    assert lengths(sentences, GenerateSettings(max_words=20)) == (2, 20)
    assert lengths(sentences, GenerateSettings(min_words=12)) == (12, 12)
