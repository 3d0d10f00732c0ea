"""Finite-state transducers as lexicons: GiellaLT's, Apertium's, your own."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transducers import Entry, att, forms, hfst_header, write_optimized

from pairwright.core.errors import ConfigError, MorphologyError
from pairwright.languages import load_language, load_tagset
from pairwright.languages.features import show_features
from pairwright.languages.morphology import Analyser, analyser_of
from pairwright.languages.morphology.transducer import TransducerLexicon

GIELLA = load_tagset("giellalt")
NOUN: list[Entry] = [
    ((*"guolle", "+N", "+Sg", "+Nom"), tuple("guolle")),
    ((*"guolle", "+N", "+Sg", "+Gen"), tuple("guole")),
    ((*"guolle", "+N", "+Pl", "+Nom"), tuple("guole")),
    ((*"guolle", "+N", "+Pl", "+Ill"), tuple("guolijd")),
    ((*"guollit", "+V", "+Der/NomAg", "+N", "+Sg", "+Nom"), tuple("guolle")),
]
APERTIUM: list[Entry] = [
    ((*"ev", "<n>", "<nom>"), tuple("ev")),
    ((*"ev", "<n>", "<px1sg>", "<loc>"), tuple("evimde")),
    ((*"ev", "<n>", "<pl>", "<dat>"), tuple("evlere")),
]


def analyser(root: Path, text: str, tagset: str, name: str = "t.att", code: str = "se") -> Analyser:
    path = root / name
    if name.endswith(".att"):
        path.write_text(text, encoding="utf-8")
    else:
        write_optimized(text, path)
    tags = f'tagset = "{tagset}"' if tagset else ""
    setting = f'[[morphology.{code}]]\nkind = "transducer"\npath = "{name}"\n{tags}\n'
    (root / "pairwright.toml").write_text(setting, encoding="utf-8")
    found = analyser_of(load_language(code, root))
    assert found is not None
    return found


def said(analyser: Analyser, form: str) -> list[tuple[str, str | None, str]]:
    return [(it.lemma, it.upos, show_features(it.features)) for it in analyser.analyse(form)]


@pytest.mark.parametrize("name", ["t.att", "t.hfstol"])
def test_one_file_of_giellalt_analyses_and_inflects(tmp_path: Path, name: str) -> None:
    sami = analyser(tmp_path, att(NOUN), "giellalt", name)
    assert said(sami, "Guole") == [
        ("guolle", "NOUN", "Case=Gen|Number=Sing"),
        ("guolle", "NOUN", "Case=Nom|Number=Plur"),
    ]
    assert sami.analyse("guole")[0].tag == "+N+Sg+Gen"
    assert said(sami, "guo") == said(sami, "guolijdd") == []
    assert forms(sami, "guolle", "Case=Ill") == {"guolijd"}
    assert forms(sami, "guol", "Case=Ill") == set()


def test_the_last_part_of_speech_of_a_derived_word_counts_and_it_is_no_form_of_its_base(tmp_path: Path) -> None:
    sami = analyser(tmp_path, att(NOUN), "giellalt")
    assert ("guollit", "NOUN", "Case=Nom|Number=Sing") in said(sami, "guolle")
    assert forms(sami, "guollit", "Case=Nom") == set()


@pytest.mark.parametrize("name", ["t.att", "t.hfstol"])
def test_symbols_of_apertium_are_features(tmp_path: Path, name: str) -> None:
    turkish = analyser(tmp_path, att(APERTIUM), "apertium", name, "tr")
    assert said(turkish, "Evimde") == [("ev", "NOUN", "Case=Loc|Number[psor]=Sing|Person[psor]=1")]
    assert forms(turkish, "ev", "Case=Dat|Number=Plur") == {"evlere"}


def test_a_generator_and_an_analyser_serve_alike(tmp_path: Path) -> None:
    generator = att(NOUN)
    inverted = "\n".join(
        "\t".join([*row[:2], row[3], row[2]]) if len(row) > 3 else row[0]
        for row in (line.split("\t") for line in generator.splitlines())
    )
    for text in (generator, inverted):
        (tmp_path / "t.att").write_text(text, encoding="utf-8")
        lexicon = TransducerLexicon(tmp_path / "t.att", GIELLA)
        assert {cell.form for cell in lexicon.paradigm("guolle")} == {"guolle", "guole", "guolijd"}
        assert len(lexicon.readings("guole")) == 2


def test_symbols_of_several_letters_are_letters_and_a_space_is_one(tmp_path: Path) -> None:
    text = "0\t1\tdž\tdž\n1\t2\ta\ta\n2\t3\t \t \n3\t4\tm\tm\n4\t5\t+Pron\t@0@\n5\n2\t5\t+N\t@0@\n"
    for name in ("t.att", "t.hfstol"):
        analyse = analyser(tmp_path, text, "giellalt", name).analyse
        assert [it.lemma for it in analyse("dža m")] == ["dža m"]
        assert [it.lemma for it in analyse("dža")] == ["dža"]
        assert analyse("dža ") == ()


@pytest.mark.parametrize(
    ("first", "second", "passes"),
    [
        ("@P.X.ON@", "@R.X.ON@", True),
        ("@P.X.OFF@", "@R.X.ON@", False),
        ("@P.X.ON@", "@R.X@", True),
        ("@0@", "@R.X.ON@", False),
        ("@P.X.ON@", "@D.X.ON@", False),
        ("@P.X.ON@", "@D.X@", False),
        ("@0@", "@D.X@", True),
        ("@P.X.ON@", "@U.X.OFF@", False),
        ("@N.X.ON@", "@U.X.OFF@", True),
        ("@N.X.ON@", "@U.X.ON@", False),
        ("@U.X.ON@", "@U.X.ON@", True),
    ],
)
@pytest.mark.parametrize("name", ["t.att", "t.hfstol"])
def test_flag_diacritics_decide_which_paths_pass(
    tmp_path: Path, name: str, first: str, second: str, passes: bool
) -> None:
    text = f"0\t1\t{first}\t{first}\n1\t2\ta\ta\n2\t3\t{second}\t{second}\n3\t4\t+N\t@0@\n4\n"
    sami = analyser(tmp_path, text, "giellalt", name)
    assert (len(sami.analyse("a")) == 1) == passes
    assert forms(sami, "a", "") == ({"a"} if passes else set())


def test_flags_are_cleared(tmp_path: Path) -> None:
    text = "0\t1\t@P.X.A@\t@P.X.A@\n1\t2\t@C.X@\t@C.X@\n2\t3\t@D.X@\t@D.X@\n3\t4\ta\ta\n4\t5\t+N\t@0@\n5\n"
    assert len(analyser(tmp_path, text, "giellalt").analyse("a")) == 1


@pytest.mark.parametrize("name", ["t.att", "t.hfstol"])
def test_a_loop_ends(tmp_path: Path, name: str) -> None:
    text = "0\t1\ta\ta\n1\t1\t+Sg\t@0@\n1\t1\t@0@\ta\n1\t2\t+N\t@0@\n2\n"
    sami = analyser(tmp_path, text, "giellalt", name)
    assert {it.lemma for it in sami.analyse("aaa")} == {"a"}
    assert forms(sami, "a", "") == {"a"}


def test_a_word_with_too_many_paths_is_one_that_the_lexicon_lacks(tmp_path: Path) -> None:
    text = "0\t1\ta\ta\n0\t1\ta\tb\n1\t0\ta\ta\n1\t0\ta\tb\n0\t2\t+N\t@0@\n2\n"
    sami = analyser(tmp_path, text, "giellalt")
    assert forms(sami, "a" * 16, "Number=Sing") == set()
    assert sami.analyse("a" * 2) != ()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.hfstol", b"", "not a transducer of HFST; name a .hfstol file"),
        ("t.hfstol", b"kalnas\tkalno\tN;GEN\n", "not a transducer of HFST"),
        ("t.hfst", hfst_header("TROPICAL_OPENFST") + b"x", "the format TROPICAL_OPENFST; convert it: hfst-fst2fst -O"),
        ("t.hfstol", hfst_header("HFST_OL"), "cut short or damaged; get the file again"),
        ("t.hfstol", hfst_header("HFST_OL")[:9], "the format of no name"),
        ("t.att", b"", "the transducer is empty"),
        ("t.att", b"0\t1\ta\ta\nkalnas\n", r"t\.att:2: no arc and no final state"),
        ("t.att", b"0\t1\t\xe0\ta\n1\n", "t.att:1:5: byte 0xe0 is not UTF-8"),
        ("t.att", b"0\t1\ta\ta\n1\n", "no tags on either side; name an analyser"),
        ("t.att", b"0\t1\ta\ta\n1\t2\t<n>\t@0@\n2\n", "none of its tags, such as <n>, has a meaning in the tagset"),
    ],
)
def test_what_is_no_transducer_is_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MorphologyError, match=message) as caught:
        TransducerLexicon(tmp_path / name, GIELLA)
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_transducer_needs_a_tagset(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a transducer file needs a tagset"):
        analyser(tmp_path, att(NOUN), "")


@given(cut=st.integers(0, 900), change=st.integers(0, 900), byte=st.integers(0, 255))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused_or_read_and_never_worse(tmp_path: Path, cut: int, change: int, byte: int) -> None:
    whole = write_optimized(att(NOUN), tmp_path / "t.hfstol").read_bytes()
    broken = bytearray(whole)
    broken[change % len(whole)] = byte
    (tmp_path / "t.hfstol").write_bytes(broken[: len(whole) - cut % 400] if byte % 2 else broken)
    with suppress(MorphologyError):
        lexicon = TransducerLexicon(tmp_path / "t.hfstol", GIELLA)
        lexicon.readings("guole")
        lexicon.paradigm("guolle")


LETTERS = st.text("abč", min_size=1, max_size=4)
TAGS = st.lists(st.sampled_from(["+Sg", "+Pl", "+Nom", "+Gen"]), min_size=1, max_size=3, unique=True)
WORDS = st.lists(st.tuples(LETTERS, TAGS, LETTERS), min_size=1, max_size=8)


@given(words=WORDS, weighted=st.booleans())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_entry_is_read_from_either_side_and_nothing_else(
    tmp_path: Path, words: list[tuple[str, list[str], str]], weighted: bool
) -> None:
    entries = {(lemma, "+N" + "".join(tags), form) for lemma, tags, form in words}
    text = att([((*lemma, "+N", *tags), tuple(form)) for lemma, tags, form in words])
    (tmp_path / "t.att").write_text(text, encoding="utf-8")
    for path in (tmp_path / "t.att", write_optimized(text, tmp_path / "t.hfstol", weighted=weighted)):
        lexicon = TransducerLexicon(path, GIELLA)
        for form in {form for _, _, form in entries}:
            read = {(it.lemma, it.tag, form) for it in lexicon.readings(form)}
            assert read == {entry for entry in entries if entry[2] == form}
        for lemma in {lemma for lemma, _, _ in entries}:
            cells = {(it.analysis.lemma, it.analysis.tag, it.form) for it in lexicon.paradigm(lemma)}
            assert cells == {entry for entry in entries if entry[0] == lemma}
