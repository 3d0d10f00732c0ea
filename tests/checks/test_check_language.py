"""Words that no dictionary has, letters that no alphabet has."""

from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Finding
from pairwright.languages import Language, load_language
from pairwright.languages.spelling import dictionary_path

Find = Callable[..., dict[str, Finding]]


def test_dictionaries_of_the_shipped_languages_are_found_with_both_files() -> None:
    for code in ("lt", "en"):
        path = dictionary_path(load_language(code))
        assert path is not None
        assert path.exists()
        assert path.with_suffix(".aff").exists()


@pytest.mark.parametrize("name", [None, "xx_XX", "../lt_LT", "*", "hyph_zu_ZA"])
def test_a_language_without_dictionary_has_no_path_and_no_spelling_finding(findings: Find, name: str | None) -> None:
    language = Language(code="qaa", name="X", autonym="X", spelling=name)
    assert dictionary_path(language) is None
    assert "language-spelling" not in findings("Qwrtz zxcvb.", "Qwrtz zxcvbn.", language)


@pytest.mark.parametrize(
    "sentence",
    [
        "Vilniuje 25-ai klasei rodė A. Kurosavos filmą.",
        "Susirinkime kalbėjo Šmaikštenavičiūtė.",
        "ŽŪKVB atstovai atvažiavo.",
        "„Kelią!“ – šūktelėjo senelis.",
        "Juodai-baltos nuotraukos kabo kambaryje.",
        "Sesuo sumokėjo 12,50 Eur.",
    ],
)
def test_numbers_names_abbreviations_and_known_words_are_not_reported(
    findings: Find, lithuanian: Language, sentence: str
) -> None:
    assert "language-spelling" not in findings(sentence, "Lyja.", lithuanian)


def test_words_of_a_script_with_vowel_signs_are_looked_up_whole(findings: Find) -> None:
    hindi = Language(code="hi", name="Hindi", autonym="हिन्दी", spelling="hi_IN")
    assert "language-spelling" not in findings("लड़का घर जाता है।", "लड़का घर जाती है।", hindi)


def test_unknown_word_is_reported_with_its_place(findings: Find, lithuanian: Language) -> None:
    good = "Senelis žvejojja ežere."
    found = findings(good, "Senelis žvejojja ežerą.", lithuanian)["language-spelling-source"]
    assert (found.level, found.side) == ("info", "good")
    assert found.span is not None
    assert good[slice(*found.span)] == "žvejojja"
    assert found.message == "both sentences: 'žvejojja' is not in the dictionary"


def test_unknown_word_of_the_bad_sentence_alone_is_a_warning_of_its_own(findings: Find, lithuanian: Language) -> None:
    found = findings("Senelis žvejoja ežere.", "Senelis žvejojja ežere.", lithuanian)
    assert "language-spelling" not in found
    assert (found["language-spelling-bad"].level, found["language-spelling-bad"].side) == ("warning", "bad")


def test_a_related_language_is_told_by_its_letters_too(findings: Find, lithuanian: Language) -> None:
    assert "language-other" in findings("Māte nelasa vakarā avīžu.", "Māte nelasa vakarā avīzes.", lithuanian)


def test_spelling_can_be_turned_off(pair: Callable[..., Candidate], lithuanian: Language) -> None:
    candidate = pair("Senelis žvejojja ežere.", "Senelis žvejojja ežerą.")
    (found,) = check_pairs([candidate], {}, lithuanian, CheckSettings(spelling=False))
    assert found.findings == ()


def test_decomposed_words_are_looked_up_as_composed_ones(findings: Find, lithuanian: Language) -> None:
    found = findings("Senelis z\u030cvejoja ez\u030cere.", "Senelis žvejoja ežerą.", lithuanian)
    assert not {"language-spelling", "language-letters"} & found.keys()


@pytest.mark.parametrize("word", ["lаivą", "Κalnas", "оras", "vėjаs"])
def test_look_alike_letters_of_another_script_are_an_error(findings: Find, lithuanian: Language, word: str) -> None:
    found = findings(f"Matau {word}.", "Matau kalną.", lithuanian)
    assert found["language-mixed-scripts"].level == "error"
    assert "U+0" in found["language-mixed-scripts"].message
    assert not {"language-letters", "language-spelling"} & found.keys()


@pytest.mark.parametrize(
    "sentence", ["Ilgis – 5 μm.", "Sorto β-karotinas naudingas.", "Varža 3 kΩ.", "Т-34 yra tankas."]
)
def test_units_and_hyphenated_symbols_are_no_mixed_words(findings: Find, sentence: str) -> None:
    assert "language-mixed-scripts" not in findings(sentence, "Lyja.")


def test_letters_outside_the_alphabet_are_reported_but_in_names(findings: Find, lithuanian: Language) -> None:
    assert "language-letters" not in findings("Kalbėjo Günteris Wolfas.", "Lyja.", lithuanian)
    assert "language-letters" in findings("Kalbėjo günteris.", "Lyja.", lithuanian)
    assert "language-letters" in findings("Kalbėjo Иван.", "Lyja.", lithuanian)


@pytest.mark.parametrize(
    ("letters", "sentence", "is_foreign"),
    [
        ("abcçdefgğhıijklmnoöprsştuüvyz", "İstanbul ve ISPARTA güzel.", False),
        ("abcçdeəfgğhxıijkqlmnoöprsştuüvyz", "İş çətindir, ƏLİ.", False),
        ("aąbcčdeęėfghiįyjklmnoprsštuųūvzž", "Mi̇rė i̇r j̇is.", False),
        ("aąbcčdeęėfghiįyjklmnoprsštuųūvzž", "İ namus grįžo.", True),
        ("abcdefghijklmnopqrstuvwxyzäöüß", "GROẞE ÜBUNG.", False),
        ("abcçdefgğhıijklmnoöprsştuüvyz", "Wquzey gitti.", True),
    ],
)
def test_capitals_are_those_of_the_language(findings: Find, letters: str, sentence: str, is_foreign: bool) -> None:
    language = Language(code="und", name="Any", autonym="Any", letters=letters)
    assert ("language-letters" in findings(sentence, "", language)) == is_foreign


def test_stress_marks_of_a_dictionary_are_reported(findings: Find, lithuanian: Language) -> None:
    assert "language-letters" in findings("Reikia sutel̃kti dėmesį.", "Lyja.", lithuanian)


def test_any_letter_may_stand_where_no_alphabet_is_given(findings: Find) -> None:
    assert "language-letters" not in findings("Kalbėjo günteris ir иван.", "Lyja.")
