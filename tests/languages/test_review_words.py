"""Shipped languages lack nothing, and a legacy encoding must be one that Python knows."""

from pathlib import Path

import pytest

from pairwright.core.errors import ConfigError
from pairwright.languages import load_language, resource_names


def language_file(folder: Path, text: str) -> Path:
    (folder / "languages").mkdir()
    (folder / "languages" / "qaa.toml").write_text(f'code = "qaa"\nname = "X"\nautonym = "x"\n{text}', encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["cp9999", "rot13", "hex", "punycode"])
def test_an_unknown_encoding_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    workspace = language_file(tmp_path, f'legacy_encoding = "{name}"\n')
    with pytest.raises(ConfigError, match=rf"qaa\.toml:4: 'legacy_encoding'.*unknown text encoding '{name}'"):
        load_language("qaa", workspace)


def test_lithuanian_sheets_are_saved_in_the_baltic_encoding() -> None:
    language = load_language("lt")
    letters = "ąčęėįšųūž„“–"
    assert letters.encode(language.legacy_encoding).decode(language.legacy_encoding) == letters


@pytest.mark.parametrize("code", resource_names("languages"))
def test_a_shipped_language_lacks_nothing_that_reviewers_and_models_read(code: str) -> None:
    language = load_language(code)
    for key in ("letters", "cautions", "abbreviations", "permissions", "bans", "common_words", "spelling"):
        if (code, key) != ("en", "letters"):
            assert getattr(language, key), key
    assert language.sections.grammar
