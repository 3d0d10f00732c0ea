"""Words for decisions: none may mean two things, and a legacy encoding must be one that Python knows."""

from pathlib import Path

import pytest

from pairwright.errors import ConfigError
from pairwright.languages import load_language, resource_names


def language_file(folder: Path, text: str) -> Path:
    (folder / "languages").mkdir()
    (folder / "languages" / "qaa.toml").write_text(f'code = "qaa"\nname = "X"\nautonym = "x"\n{text}', encoding="utf-8")
    return folder


def test_a_word_of_two_meanings_is_refused(tmp_path: Path) -> None:
    workspace = language_file(tmp_path, '[decisions]\napprove = ["ja", "A"]\nreject = ["a"]\n')
    with pytest.raises(ConfigError, match="'a' stands under both approve and reject"):
        load_language("qaa", workspace)


@pytest.mark.parametrize("name", ["cp9999", "rot13", "hex", "punycode"])
def test_an_unknown_encoding_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    workspace = language_file(tmp_path, f'legacy_encoding = "{name}"\n')
    with pytest.raises(ConfigError, match=rf"qaa\.toml:4: 'legacy_encoding'.*unknown text encoding '{name}'"):
        load_language("qaa", workspace)


@pytest.mark.parametrize("code", resource_names("languages"))
def test_the_shipped_instructions_name_each_decision_and_the_columns_to_fill(code: str) -> None:
    language = load_language(code)
    for _, words in language.decisions:
        assert words[0] in language.instructions
    text = " ".join(language.instructions.split())
    for field in ("decision", "fixed_good", "fixed_bad", "comment"):
        assert language.columns[field] in text


def test_lithuanian_sheets_are_saved_in_the_baltic_encoding() -> None:
    language = load_language("lt")
    letters = "ąčęėįšųūž„“–"
    assert letters.encode(language.legacy_encoding).decode(language.legacy_encoding) == letters


@pytest.mark.parametrize("code", resource_names("languages"))
def test_sheets_and_review_page_speak_the_language_in_all_their_words(code: str) -> None:
    english, translated = load_language("en"), load_language(code)
    assert set(translated.interface) == set(english.interface)
    assert set(translated.columns) == set(english.columns)
    assert len(set(translated.columns.values())) == len(translated.columns)
    assert "{done}" in translated.interface["progress"]
    assert "{total}" in translated.interface["progress"]


@pytest.mark.parametrize("code", resource_names("languages"))
def test_the_instructions_of_blind_experiments_name_the_column_to_fill(code: str) -> None:
    language = load_language(code)
    assert language.columns["choice"] in language.choice_instructions
    assert language.columns["rating"] in language.likert_instructions


@pytest.mark.parametrize("code", resource_names("languages"))
def test_a_shipped_language_lacks_nothing_that_reviewers_and_models_read(code: str) -> None:
    language = load_language(code)
    for key in ("letters", "cautions", "abbreviations", "permissions", "bans", "common_words", "spelling"):
        if (code, key) != ("en", "letters"):
            assert getattr(language, key), key
    assert language.sections.grammar
    assert language.model_pairs
