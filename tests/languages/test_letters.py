"""Capitals by the rules of a language, and scripts."""

import pytest

from pairwright.languages import load_language
from pairwright.languages.letters import capitalised, lower, script, uncapitalised, upper

TURKISH = load_language("tr").letters


@pytest.mark.parametrize(
    ("small", "capital", "alphabet"),
    [
        ("iş", "İş", TURKISH),
        ("ısı", "Isı", TURKISH),
        ("iš", "Iš", load_language("lt").letters),
        ("élan", "Élan", ""),
        ("ǆep", "ǅep", ""),
        ("", "", ""),
    ],
)
def test_the_first_letter_has_the_capital_of_its_language(small: str, capital: str, alphabet: str) -> None:
    assert capitalised(small, alphabet) == capital
    assert uncapitalised(capital, alphabet) == small


def test_whole_words_change_their_letters_too() -> None:
    assert upper("istanbul ısı", TURKISH) == "İSTANBUL ISI"
    assert lower("İSTANBUL ISI", TURKISH) == "istanbul ısı"
    assert lower("İSTANBUL") == "istanbul"


def test_the_dot_that_lithuanian_prints_below_an_accent_is_no_letter() -> None:
    assert capitalised("i\u0307\u0301mti") == "I\u0301mti"
    assert upper("i\u0307\u0301mti") == "I\u0301MTI"
    assert lower("İ\u0301MTI") == "i\u0301mti"


def test_the_lemma_tells_which_i_is_small() -> None:
    assert uncapitalised("Isı", lemma="ısı") == "ısı"
    assert uncapitalised("Ilgas", lemma="ilgas") == "ilgas"
    assert uncapitalised("İşi", lemma="iş") == "işi"


def test_a_letter_has_the_script_of_its_name_and_other_characters_have_none() -> None:
    assert [script(char) for char in "aąΩЖ字ｱ"] == ["LATIN", "LATIN", "GREEK", "CYRILLIC", "CJK", "KATAKANA"]
    assert [script(char) for char in "1.-\u0301ʰ"] == [""] * 5
