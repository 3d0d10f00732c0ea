"""The dictionary changes a word only where it has a reason, and says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.documents.pages.words import OcrWord, by_dictionary, candidates, repaired
from pairwright.languages import load_language

LT = load_language("lt")
TR = load_language("tr")
WORDS = frozenset({"žąsys", "medį", "medi", "įrašas", "į", "Į", "ŽĄSYS", "saulę", "saule"})


def knows(word: str) -> bool:
    return word in WORDS or word.lower() in WORDS


def nothing(word: str) -> bool:
    return False


def reading(text: str, x: float = 0.0) -> OcrWord:
    return OcrWord(text, (x, 0.0, x + 50.0, 20.0), 0, 0.9)


@pytest.mark.parametrize(
    ("word", "repaired_word"),
    [
        ("žasys", "žąsys"),
        ("(irašas),", "(įrašas),"),
        ("ŽASYS", "ŽĄSYS"),
        # A known word stays though another is known too.
        ("medi", None),
        ("saule", None),
    ],
)
def test_an_unknown_word_becomes_the_only_known_one(word: str, repaired_word: str | None) -> None:
    assert by_dictionary(word, LT.ocr_confusions, knows, nothing) == repaired_word


def test_other_words_stay() -> None:
    two = {"rytą", "rytę"}.__contains__
    assert by_dictionary("ryta", {"ą": "a", "ę": "a"}, two, nothing) is None
    # It is a word of another language of the page.
    assert by_dictionary("žasys", LT.ocr_confusions, knows, lambda word: word == "žasys") is None
    assert by_dictionary("žAsys", {"Ą": "A"}, lambda word: word == "žĄsys", nothing) is None


@pytest.mark.slow
def test_the_turkish_dictionary_repairs_its_own_letters() -> None:
    assert [word.text for word in repaired([reading("kirmızı")], TR)] == ["kırmızı"]


def test_the_lithuanian_dictionary_repairs_its_own_letters_and_lowers_the_confidence() -> None:
    kept, first, second = repaired([reading("žąsis"), reading("gražiausiaji", 60), reading("žasis", 120)], LT)
    assert [kept.text, first.text, second.text] == ["žąsis", "gražiausiąjį", "žąsis"]
    assert max(first.confidence, second.confidence) < kept.confidence == 0.9


def test_words_of_other_languages_stay() -> None:
    sentence = ["The", "use", "of", "cases", "is", "the", "theme"]
    words = [reading(text, 60.0 * place) for place, text in enumerate(sentence)]
    assert repaired(words, LT) == words
    assert repaired([reading("žasys")], load_language("qaa")) == [reading("žasys")]


@given(st.text(alphabet="aąiįeęABI1!x", max_size=8))
def test_candidates_are_what_may_have_been_printed(word: str) -> None:
    for group in candidates(word, LT.ocr_confusions):
        for candidate in group:
            assert candidate != word
            assert len(candidate) == len(word)
            assert sum(a != b for a, b in zip(word, candidate, strict=True)) <= 3


@given(st.text(max_size=20))
def test_any_text_is_taken(word: str) -> None:
    by_dictionary(word, LT.ocr_confusions, knows, nothing)
