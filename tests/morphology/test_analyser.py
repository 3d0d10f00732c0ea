"""A language's words analysed and inflected by what its workspace names."""

from pathlib import Path

import pytest

from pairwright.core.errors import ConfigError, MorphologyError
from pairwright.languages import load_language, resource_names
from pairwright.languages.features import parse_features, show_features
from pairwright.languages.morphology import Analyser, analyser_of
from pairwright.languages.morphology.analyser import spellings


def analyser_in(workspace: Path, settings: str, code: str = "lt") -> Analyser:
    """The analyser of a language in a workspace with these settings."""
    (workspace / "pairwright.toml").write_text(settings, encoding="utf-8")
    found = analyser_of(load_language(code, workspace))
    assert found is not None
    return found


@pytest.fixture
def analyser(workspace: Path, settings: str) -> Analyser:
    return analyser_in(workspace, settings)


def said(analyser: Analyser, form: str) -> list[tuple[str, str | None, str]]:
    return [(it.lemma, it.upos, show_features(it.features)) for it in analyser.analyse(form)]


def test_a_dictionary_gives_lemma_part_of_speech_features_and_where_they_come_from(analyser: Analyser) -> None:
    # What two sources say alike is said once.
    assert [it.source for it in analyser.analyse("namas") if it.upos == "NOUN"] == ["small.dic"]
    (found,) = analyser.analyse("namo")
    assert (found.lemma, found.upos, found.source) == ("namas", "NOUN", "small.dic")
    assert found.features == parse_features("Case=Gen|Gender=Masc|Number=Sing")
    assert found.tag == "po:noun is:Masc_Sg_Gen"


def test_stress_marks_of_a_table_are_taken_off(analyser: Analyser) -> None:
    assert said(analyser, "kalnai") == [("kalnas", "NOUN", "Case=Nom|Number=Plur")]
    assert said(analyser, "varlių̃") == said(analyser, "varlių") != []
    assert said(analyser, "varlės") == [
        ("varlė", "NOUN", "Case=Gen|Number=Sing"),
        ("varlė", "NOUN", "Case=Nom|Number=Plur"),
    ]


@pytest.mark.parametrize(("form", "small"), [("İSTANBUL", "istanbul"), ("IŞIK", "ışık"), ("NAMAS", "namas")])
def test_words_in_capitals_are_read_by_the_small_letters_of_any_language(form: str, small: str) -> None:
    restored = {spelling: restore(spelling) for spelling, restore in spellings(form)}
    assert restored[small] == form


def test_words_of_a_treebank_lose_the_capitals_of_their_place(analyser: Analyser) -> None:
    assert ("namas", "NOUN", "Case=Acc|Gender=Masc|Number=Plur") in said(analyser, "namus")
    assert said(analyser, "namuss") == []
    assert said(analyser, "anamas") == []


def test_a_capital_may_be_a_names_or_the_sentences(analyser: Analyser) -> None:
    assert [(lemma, upos) for lemma, upos, _ in said(analyser, "Kalno")] == [
        ("Kalnas", "PROPN"),
        ("kalnas", "NOUN"),
        ("kalnas", "NOUN"),
    ]
    assert {lemma for lemma, _, _ in said(analyser, "kalno")} == {"kalnas"}
    assert {lemma for lemma, _, _ in said(analyser, "KALNO")} == {"Kalnas", "kalnas"}


def test_a_dictionary_without_a_tagset_gives_lemmas_alone(workspace: Path) -> None:
    found = analyser_in(workspace, '[[morphology.lt]]\nkind = "hunspell"\npath = "small.dic"\n')
    assert said(found, "namo") == [("namas", None, "_")]


def test_another_content_is_another_lexicon(tmp_path: Path) -> None:
    text = '[[morphology.lt]]\nkind = "unimorph"\npath = "t"\ntagset = "unimorph"\n'
    for form in ("upės", "upei"):
        (tmp_path / "t").write_text(f"upė\t{form}\tN;GEN;SG\n", encoding="utf-8")
        assert said(analyser_in(tmp_path, text), form) == [("upė", "NOUN", "Case=Gen|Number=Sing")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "unimorph"\npath = "none.tsv"\ntagset = "unimorph"', r"morphology\.lt: no such file: .*none\.tsv"),
        ('kind = "hunspell"\npath = "small.dic"\ntagset = "none"', "unknown tagset 'none'; known: .*unimorph"),
        ('kind = "wordlist"\npath = "lit"', r"pairwright\.toml:2: 'morphology\.lt\.0\.kind'"),
        ('kind = "unimorph"\nfile = "lit"', "morphology"),
        ('kind = "unimorph"\npath = "lit"', "needs a tagset"),
    ],
)
def test_a_wrong_setting_is_one_line(workspace: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        analyser_in(workspace, f"[[morphology.lt]]\n{text}\n")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("unimorph", "kalnas kalno N;GEN;SG\n", r"x:1: not lemma, form and tags"),
        ("conllu", "# a\n1\tNamas\tnamas\n", r"x:2: 3 columns and not the ten"),
        ("conllu", "1\tNamas\tnamas\tNOUN\t_\tcase\t_\t_\t_\t_\n", r"x:1: 'case' is no feature"),
        ("conllu", b"1\tNam\xe0s\n", r"x:1:6: byte 0xe0 is not UTF-8"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(tmp_path: Path, kind: str, text: str | bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(text if isinstance(text, bytes) else text.encode())
    setting = f'[[morphology.lt]]\nkind = "{kind}"\npath = "x"\ntagset = "unimorph"\n'
    with pytest.raises(MorphologyError, match=message):
        analyser_in(tmp_path, setting)


def test_files_that_a_language_lists_itself_may_be_missing(tmp_path: Path) -> None:
    lithuanian = load_language("lt", tmp_path)
    assert [lexicon.sha256 for lexicon in lithuanian.lexicons] == [{}, {}]
    assert analyser_of(lithuanian) is None


def test_what_was_found_is_no_key_of_a_language_file(tmp_path: Path) -> None:
    (tmp_path / "languages").mkdir()
    text = 'code = "qaa"\nname = "x"\nautonym = "x"\nlexicons = [{kind = "conllu", path = "x"}]\n'
    (tmp_path / "languages" / "qaa.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="'lexicons' and 'dictionary' are no keys"):
        load_language("qaa", tmp_path)


def write_tagset(workspace: Path, part_of_speech: str) -> str:
    """Writes a tagset of the workspace's own; returns the settings of a table with its tags."""
    (workspace / "tagsets").mkdir()
    text = f'title = "Mine"\nseparator = "+"\n[parts_of_speech]\n{part_of_speech}\n[features]\ng = "Case=Gen"\n'
    (workspace / "tagsets" / "mine.toml").write_text(text, encoding="utf-8")
    (workspace / "t").write_text("upė\tupės\tn+g+q\n", encoding="utf-8")
    return '[[morphology.qaa]]\nkind = "unimorph"\npath = "t"\ntagset = "mine"\n'


def test_a_workspace_brings_its_own_tagset(workspace: Path, tmp_path: Path) -> None:
    found = analyser_in(tmp_path, write_tagset(tmp_path, 'n = "NOUN Gender=Fem"'), "qaa")
    assert said(found, "upės") == [("upė", "NOUN", "Case=Gen|Gender=Fem")]
    (lexicon,) = load_language("qaa", tmp_path).lexicons
    assert lexicon.tagset is not None
    assert lexicon.tagset.unknown("n+g+q") == ["q"]
    assert {"mine", "unimorph"} <= set(resource_names("tagsets", tmp_path))


@pytest.mark.parametrize("line", ['n = "THING"', 'n = "NOUN gender"'])
def test_a_tagset_with_a_name_that_universal_dependencies_lack_is_a_fault(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"mine\.toml"):
        analyser_in(tmp_path, write_tagset(tmp_path, line), "qaa")
