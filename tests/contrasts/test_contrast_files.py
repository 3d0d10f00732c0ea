"""Contrast files: those that come with pairwright, a workspace's own, and the faults of one."""

from pathlib import Path

import pytest

from pairwright.contrasts import load_contrasts
from pairwright.core.errors import ConfigError

GOOD = """\
[lists]
waiting = ["laukti", "ieškoti"]

[[contrast]]
name = "object-case"
title = "Case of the object"
phenomenon = "case government"
description = "The object stands in the genitive."
change = "object"
from = "Case=Gen"
to = "Case=Acc"
[contrast.words]
verb = { upos = "VERB", lemma = ["@waiting"] }
object = { upos = "NOUN", deprel = "obj", head = "verb", not = { feats = "Abbr=Yes" } }
"""


def write(folder: Path, text: str) -> Path:
    (folder / "contrasts").mkdir(exist_ok=True)
    path = folder / "contrasts" / "lt.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("code", ["lt", "tr", "de", "lb", "he"])
def test_files_of_the_package_are_valid_and_their_names_stable(code: str) -> None:
    contrasts = load_contrasts(code)
    assert len({contrast.name for contrast in contrasts}) == len(contrasts) > 0
    assert all(contrast.literature for contrast in contrasts)
    own = [contrast for contrast in contrasts if contrast.file != "contrasts/any.toml"]
    assert all(contrast.in_language(code).keys() == {"title", "description"} for contrast in own)


def test_a_language_without_a_file_has_the_general_one_and_a_workspace_its_own(tmp_path: Path) -> None:
    assert {contrast.file for contrast in load_contrasts("he")} == {"contrasts/any.toml"}
    write(tmp_path, f"replaces = true\n{GOOD}")
    (contrast,) = load_contrasts("lt-LT", tmp_path)
    assert (contrast.file, contrast.line) == ("contrasts/lt.toml", 5)
    assert contrast.words["verb"].lemma == ("laukti", "ieškoti")


def test_a_file_adds_to_those_of_pairwright_and_a_contrast_takes_the_place_of_its_namesake(tmp_path: Path) -> None:
    shipped = load_contrasts("lt")
    write(tmp_path, GOOD.replace("object-case", "object-case-negation"))
    own, *others = load_contrasts("lt", tmp_path)
    assert (own.name, own.title["en"]) == ("object-case-negation", "Case of the object")
    assert [one.name for one in others] == [one.name for one in shipped if one.name != own.name]
    # A language without a file of its own has the general ones too.
    (tmp_path / "contrasts" / "he.toml").write_text(GOOD, encoding="utf-8")
    assert len(load_contrasts("he", tmp_path)) == 1 + len(load_contrasts("he"))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('title = "Case of the object"', 'titel = "Case of the object"', 6, "titel: unknown key"),
        ('title = "Case of the object"\n', "", 4, "title: missing"),
        ('title = "Case of the object"', 'title = { lt = "Linksnis" }', 6, "title: no English text; write en = ..."),
        ('from = "Case=Gen"', 'from = "Caze=Gen"', 10, "'Caze' is not a universal feature; correct it, or list it"),
        ('from = "Case=Gen"', 'from = "Case=Genitive"', 10, "'Case=Genitive' is no universal value; known:"),
        ('to = "Case=Acc"', 'to = "Accusative"', 11, "'Accusative' is no feature"),
        ('to = "Case=Acc"', 'to = "Case=Gen"', 11, "Case=Gen is what the word has before"),
        ('to = "Case=Acc"', 'to = "Tense=Past"', 11, "no NOUN has the feature Tense"),
        ('change = "object"', 'change = "subject"', 9, "names 'subject', which is not one of the words: verb, object"),
        ('deprel = "obj"', 'deprel = "object"', 14, "'object' is no relation of Universal Dependencies"),
        ('"@waiting"', '"@wating"', 13, "'@wating' is no list; known: waiting"),
        ('upos = "NOUN", deprel', "deprel", 14, "say the part of speech of the word that changes"),
        ("[lists]", "[list]", 1, "unknown key 'list'; known keys: contrast, features, lists, replaces"),
        ('waiting = ["laukti", "ieškoti"]', 'waiting = "laukti"', 2, "lists.waiting' is no list; write [...]"),
    ],
)
def test_a_fault_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, line: int, reason: str) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(ConfigError) as fault:
        load_contrasts("lt", tmp_path)
    message = str(fault.value)
    assert message.startswith(f"{path}:{line}: "), message
    assert reason in message
    assert "\n" not in message


def test_two_contrasts_have_two_names_and_a_file_may_name_features_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + GOOD.split("\n\n", 1)[1])
    with pytest.raises(ConfigError, match=rf"{path}:15: a second contrast 'object-case'"):
        load_contrasts("lt", tmp_path)
    write(tmp_path, 'features = ["Caze"]\n' + GOOD.replace('"Case=Gen"', '"Caze=Gen"'))
    assert load_contrasts("lt", tmp_path)[0].from_ == ("Caze=Gen",)
