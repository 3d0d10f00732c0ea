"""A new language: a file with every key, and codes that are told from typing errors."""

import re
import tomllib
from pathlib import Path

import pytest

from pairwright.cli.docs import filled
from pairwright.cli.init import add, make_workspace
from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace
from pairwright.languages import Language, load_language


def test_a_new_language_gets_a_file_with_every_key_that_there_is(tmp_path: Path) -> None:
    list(make_workspace(tmp_path / "mine", "sje", sample=False))
    path = tmp_path / "mine" / "languages" / "sje.toml"
    assert load_language("sje", tmp_path / "mine").name == "Pite Sami"
    filled = re.sub("^#(?! )", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(tomllib.loads(filled)) == set(Language.keys())
    path.write_text(filled.replace('spelling = ""', ""), encoding="utf-8")
    assert load_language("sje", tmp_path / "mine").words("review").code == "en"


def test_the_docs_and_a_new_file_explain_each_key_and_the_file_what_is_lost_once(tmp_path: Path) -> None:
    docs = filled("<!-- code: language -->")
    list(add(Workspace(tmp_path), "sje"))
    comments = (tmp_path / "languages" / "sje.toml").read_text(encoding="utf-8").replace("\n# ", " ")
    first, rest = comments.split("---- All other keys")
    for key, (meaning, without) in Language.keys().items():
        assert f"| `{key}` | {meaning} | {without} |" in docs
        assert f"{meaning[1:]}." in comments
        assert not without or all(part.count(f"{without}.") <= 1 for part in (first, rest))


def test_a_second_language_is_added_with_its_dictionary_and_never_overwritten(tmp_path: Path) -> None:
    [line] = add(Workspace(tmp_path), "lv")
    path = tmp_path / "languages" / "lv.toml"
    assert line.startswith(str(path))
    assert load_language("lv", tmp_path).spelling == "lv_LV"
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"lv\.toml: the file exists"):
        list(add(Workspace(tmp_path), "lv"))
    assert path.read_bytes() == before
    assert "no file is needed" in next(add(Workspace(tmp_path), "lt"))
    assert "comes with pairwright, as lt; no file" in next(add(Workspace(tmp_path), "lt-LT"))
    # Private codes and subtags are codes.
    for code in ("qaa", "sje-Latn"):
        list(add(Workspace(tmp_path), code))
        assert load_language(code, tmp_path).code == code
