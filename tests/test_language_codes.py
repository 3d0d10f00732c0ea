"""Codes of languages: what is none is refused wherever a user can write one, with the nearest."""

from pathlib import Path

import pytest

from pairwright.api.sources import read_source
from pairwright.cli.init import make_workspace
from pairwright.core.codes import language_name, preferred_code
from pairwright.core.errors import ConfigError, SourceError
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, register_file
from pairwright.languages import load_language


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ltt", r"'ltt' is no language code of ISO 639; the nearest are lt \(Lithuanian\)"),
        ("Lituanian", r"the nearest are lt \(Lithuanian\)"),
        ("lit", "the code of Lithuanian is 'lt', not 'lit'"),
        ("EN", r"the nearest are en \(English\)"),
        ("x", "no language code"),
        ("de-", "no language code"),
        ("", "no language code"),
    ],
)
def test_a_wrong_code_is_one_line_with_the_nearest(code: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        language_name(code)
    assert "\n" not in str(caught.value)


def test_a_longer_code_of_a_language_is_taken_as_the_one_that_the_standard_prefers() -> None:
    given = ("hye", "arm", "hye-Latn", "sje", "lt", "qaa", "ltt")
    assert [preferred_code(code) for code in given] == ["hy", "hy", "hy-Latn", "sje", "lt", "qaa", "ltt"]


@pytest.mark.parametrize("code", ["qaa", "qtz", "x-cant", "qab-Latn"])
def test_codes_of_private_use_are_their_own_names(code: str) -> None:
    assert language_name(code) == load_language(code).name == code


def test_a_language_without_a_file_has_the_name_of_the_standard_and_a_variety_the_words_of_its_language() -> None:
    assert load_language("sje").name == "Pite Sami"
    variety = load_language("lt-LT")
    assert (variety.code, variety.letters) == ("lt-LT", load_language("lt").letters)


SOURCE = """\
id = "a"
title = "T"
language = "{}"
kind = "error-list"
licence = "x"
citation = "c"
written_in = ["{}"]
files = [{{ path = "a", sha256 = "0000000000000000000000000000000000000000000000000000000000000000" }}]
"""


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("pairwright.toml", '[review]\nlanguage = "ltt"\n', 2),
        ("pairwright.toml", '[review]\n[[morphology.ltt]]\nkind = "conllu"\npath = "x"\n', 2),
        ("source.toml", SOURCE.format("ltt", "en"), 3),
        ("source.toml", SOURCE.format("lt", "ltt"), 7),
    ],
)
def test_a_wrong_code_in_a_file_is_named_with_its_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises((ConfigError, SourceError), match=rf"{name}:{line}: .*'ltt' is no language code"):
        load_source(tmp_path) if name == "source.toml" else Workspace(tmp_path).config()


def test_no_document_is_registered_and_no_workspace_made_for_an_unknown_language(tmp_path: Path) -> None:
    document = tmp_path / "list.md"
    document.write_text("jis *ėjo namas → ėjo namo", encoding="utf-8")
    workspace = Workspace(tmp_path)
    with pytest.raises(SourceError, match=r"list\.md: --language: 'ltt' is no language code"):
        register_file(workspace, document, language="ltt", accept=lambda folder, source: None)
    assert not workspace.sources.exists()
    with pytest.raises(ConfigError, match="'ltt' is no language code"):
        list(make_workspace(tmp_path / "mine", "ltt", sample=False))
    assert not (tmp_path / "mine").exists()
    with pytest.raises(ConfigError, match="'ltt' is no language code"):
        read_source(document, language="ltt")
