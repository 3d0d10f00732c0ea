"""Words that no dictionary has, letters that no alphabet has."""

from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Finding
from pairwright.languages import Language, load_language
from pairwright.languages.letters import dictionary_path

Find = Callable[..., dict[str, Finding]]
LOOK_ALIKES = ("lаivą", "Κalnas", "оras", "vėjаs")


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


NO_SPELLING, NO_LETTERS = ("language-spelling",), ("language-letters",)
HINDI = Language(code="hi", name="Hindi", autonym="हिन्दी", spelling="hi_IN")


@pytest.mark.parametrize(
    ("sentence", "found", "absent"),
    [
        # Numbers, names, abbreviations and known words.
        ("Vilniuje 25-ai klasei rodė A. Kurosavos filmą.", (), NO_SPELLING),
        ("Susirinkime kalbėjo Šmaikštenavičiūtė.", (), NO_SPELLING),
        ("ŽŪKVB atstovai atvažiavo.", (), NO_SPELLING),
        ("„Kelią!“ – šūktelėjo senelis.", (), NO_SPELLING),
        ("Juodai-baltos nuotraukos kabo kambaryje.", (), NO_SPELLING),
        ("Sesuo sumokėjo 12,50 Eur.", (), NO_SPELLING),
        # Decomposed words are looked up as composed ones.
        ("Senelis z\u030cvejoja ez\u030cere.", (), NO_SPELLING + NO_LETTERS),
        # A related language is told by its letters too.
        ("Māte nelasa vakarā avīžu.", ("language-other",), ()),
        # Letters outside the alphabet are reported but in names, and so are stress marks.
        ("Kalbėjo Günteris Wolfas.", (), NO_LETTERS),
        ("Kalbėjo günteris.", NO_LETTERS, ()),
        ("Kalbėjo Иван.", NO_LETTERS, ()),
        ("Reikia sutel̃kti dėmesį.", NO_LETTERS, ()),
        # Look-alike letters of another script.
        *((f"Matau {word}.", ("language-mixed-scripts",), NO_LETTERS + NO_SPELLING) for word in LOOK_ALIKES),
    ],
)
def test_words_and_letters_of_lithuanian(
    findings: Find, lithuanian: Language, sentence: str, found: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    names = findings(sentence, "Lyja.", lithuanian).keys()
    assert set(found) <= names
    assert not names & set(absent)


@pytest.mark.parametrize(
    ("sentence", "language", "absent"),
    [
        # Words of a script with vowel signs are looked up whole.
        ("लड़का घर जाता है।", HINDI, "language-spelling"),
        # Any letter may stand where no alphabet is given; units and hyphenated symbols are no mixed words.
        ("Kalbėjo günteris ir иван.", None, "language-letters"),
        *(
            (it, None, "language-mixed-scripts")
            for it in ("Ilgis – 5 μm.", "Sorto β-karotinas.", "Varža 3 kΩ.", "Т-34 yra.")
        ),
    ],
)
def test_words_and_letters_of_other_languages(
    findings: Find, sentence: str, language: Language | None, absent: str
) -> None:
    assert absent not in findings(sentence, "Lyja.", language)


def test_unknown_word_is_reported_with_its_place(findings: Find, lithuanian: Language) -> None:
    good = "Senelis žvejojja ežere."
    found = findings(good, "Senelis žvejojja ežerą.", lithuanian)["language-spelling-source"]
    assert (found.level, found.side) == ("info", "good")
    assert found.span is not None
    assert good[slice(*found.span)] == "žvejojja"
    assert found.message == "both sentences: 'žvejojja' is not in the dictionary"


def test_spelling_can_be_turned_off(pair: Callable[..., Candidate], lithuanian: Language) -> None:
    candidate = pair("Senelis žvejojja ežere.", "Senelis žvejojja ežerą.")
    (found,) = check_pairs([candidate], {}, lithuanian, CheckSettings(spelling=False))
    assert found.findings == ()
