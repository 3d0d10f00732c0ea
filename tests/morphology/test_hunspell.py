"""Hunspell dictionaries: every form that the format's rules (hunspell(5)) make is analysed, and nothing else is."""

from itertools import product
from pathlib import Path

import pytest

from pairwright.core.errors import MorphologyError
from pairwright.languages.features import NO_FEATURES, Features
from pairwright.languages.morphology.hunspell import HunspellLexicon

# Of each dictionary the lines of its affixes and of its stems, and all of its forms with stem and fields.
MADE = """an end is exchanged where the condition holds
SFX A Y 4
SFX A b ca b is:w
SFX A 0 c [^b] is:x
SFX A a b [ab]a is:y
SFX A 0 b a. is:z
= ab/A bc/A aa/A
ab ab, aca ab is:w, abb ab is:z, bc bc, bcc bc is:x, aa aa, aac aa is:x, ab aa is:y, aab aa is:z
## a suffix allows a second one and no third
SFX A Y 1
SFX A 0 b/B . is:x
SFX B Y 2
SFX B 0 c/B . is:y
SFX B 0 ca a is:z
= a/A
a a, ab a is:x, abc a is:x is:y
## a prefix stands before suffixes that cross with it
PFX P Y 1
PFX P a b a is:p
SFX A Y 1
SFX A 0 c . is:x
SFX B N 1
SFX B 0 b . is:y
= aa/PAB
aa aa, ba aa is:p, aac aa is:x, bac aa is:x is:p, aab aa is:y
## a suffix allows a prefix
PFX P Y 1
PFX P 0 b . is:p
SFX A Y 1
SFX A 0 c/P . is:x
= a/A
a a, ac a is:x, bac a is:x is:p
## a prefix allows a suffix
PFX P Y 1
PFX P 0 ba/A . is:p
SFX A Y 1
SFX A b c . is:x
= ab/P
ab ab, baab ab is:p, baac ab is:x is:p
## a prefix and a suffix that only allow each other are not allowed
PFX P Y 1
PFX P 0 b/A . is:p
SFX A Y 1
SFX A b c/P . is:x
SFX B Y 1
SFX B b a . is:y
= ab/B
ab ab, aa ab is:y
## stems and affixes that need an affix are no forms alone
PFX P Y 1
PFX P 0 c/Z . is:p
SFX A Y 1
SFX A 0 b/BZ . is:x
SFX B Y 1
SFX B 0 a . is:y
= a/AZP c/PB
aba a is:x is:y, caba a is:x is:y is:p, c c, ca c is:y, cca c is:y is:p
## both halves of a circumfix stand or none
PFX P Y 2
PFX P 0 b/O . is:p
PFX P 0 c . is:q
SFX A Y 2
SFX A 0 b/O . is:x
SFX A 0 c . is:y
= a/PA
a a, ca a is:q, ac a is:y, bab a is:x is:p, cac a is:y is:q
## a whole stem is exchanged by nothing
PFX P Y 1
PFX P ab c . is:p
SFX A Y 2
SFX A ab c . is:x
SFX A b a . is:y
= ab/PA
ab ab, aa ab is:y
## but where the dictionary allows it
FULLSTRIP
PFX P Y 1
PFX P ab c . is:p
SFX A Y 1
SFX A ab c . is:x
= ab/PA
ab ab, c ab is:p, c ab is:x
## fields and flags stand behind aliases
AF 2
AF A
AF B
AM 2
AM is:x
AM is:y
SFX A Y 1
SFX A 0 b/2 . 1
SFX B Y 1
SFX B 0 c . 2
= a/1
a a, ab a is:x, abc a is:x is:y
## flags of two letters
FLAG long
SFX A1 Y 1
SFX A1 0 b/B2Zz . is:x
SFX B2 Y 1
SFX B2 0 c . is:y
= a/A1B2
a a, ab a is:x, abc a is:x is:y, ac a is:y
## flags are numbers
FLAG num
SFX 12 Y 1
SFX 12 0 b/7,300 . is:x
SFX 300 Y 1
SFX 300 0 c . is:y
= a/12,300
a a, ab a is:x, abc a is:x is:y, ac a is:y
## flags are any letters
FLAG UTF-8
SFX Ž Y 1
SFX Ž 0 b/я . is:x
SFX я Y 1
SFX я 0 c . is:y
= a/Žя
a a, ab a is:x, abc a is:x is:y, ac a is:y
"""
RULES = {name: rest for name, _, rest in (part.partition("\n") for part in MADE.rstrip().split("\n## "))}


def no_tags(morph: str) -> tuple[None, Features]:
    return None, NO_FEATURES


@pytest.mark.parametrize("name", RULES)
def test_the_forms_that_are_analysed_are_those_that_the_rules_make(name: str, tmp_path: Path) -> None:
    aff, _, rest = RULES[name].partition("= ")
    stems, _, forms = rest.partition("\n")
    special = "" if "FLAG" in aff else "NEEDAFFIX Z\nCIRCUMFIX O\n"
    (tmp_path / "x.aff").write_text(f"SET UTF-8\n{special}{aff}", encoding="utf-8")
    (tmp_path / "x.dic").write_text("9\n" + stems.replace(" ", "\n") + "\n", encoding="utf-8")
    lexicon = HunspellLexicon(tmp_path / "x.dic", no_tags)
    truth = set(forms.split(", "))
    tried = ["".join(letters) for length in range(1, 5) for letters in product("abc", repeat=length)]
    analysed = {f"{form} {it.lemma} {it.tag}".strip() for form in tried for it in lexicon.readings(form)}
    assert analysed == truth
    cells = (cell for stem, _ in lexicon.entries() for cell in lexicon.paradigm(stem))
    assert {f"{it.form} {it.analysis.lemma} {it.analysis.tag}".strip() for it in cells} == truth


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A small sound dictionary."""
    (tmp_path / "x.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A as o as is:Sg_Gen\n", encoding="utf-8")
    (tmp_path / "x.dic").write_text("2\nkalnas/A po:noun\nupė po:noun\n", encoding="utf-8")
    return tmp_path


def test_fields_without_a_tab_and_words_without_flags(files: Path) -> None:
    lexicon = HunspellLexicon(files / "x.dic", no_tags)
    assert [(it.lemma, it.tag, it.source) for it in lexicon.readings("kalno")] == [
        ("kalnas", "po:noun is:Sg_Gen", "x.dic")
    ]
    assert [it.lemma for it in lexicon.readings("upė")] == ["upė"]


def test_a_stem_field_names_the_lemma_and_forbidden_words_are_no_words(files: Path) -> None:
    (files / "x.aff").write_text("SET UTF-8\nFORBIDDENWORD !\n", encoding="utf-8")
    (files / "x.dic").write_text("3\nžmonės po:noun st:žmogus\nžmogai/!\nir\\/arba po:c\n", encoding="utf-8")
    lexicon = HunspellLexicon(files / "x.dic", no_tags)
    assert [it.lemma for it in lexicon.readings("žmonės")] == ["žmogus"]
    assert lexicon.readings("žmogai") == ()
    assert [it.lemma for it in lexicon.readings("ir/arba")] == ["ir/arba"]


@pytest.mark.parametrize(
    ("encoding", "name", "end"), [("iso8859-13", "ISO8859-13", "\n"), ("utf-8-sig", "UTF-8", "\r\n")]
)
def test_old_encodings_line_ends_of_windows_and_byte_order_marks_do_no_harm(
    tmp_path: Path, encoding: str, name: str, end: str
) -> None:
    (tmp_path / "x.aff").write_bytes(f"SET {name}{end}SFX A Y 1{end}SFX A ė ės ė{end}".encode(encoding))
    (tmp_path / "x.dic").write_bytes(f"1{end}upė/A{end}".encode(encoding))
    assert [it.lemma for it in HunspellLexicon(tmp_path / "x.dic", no_tags).readings("upės")] == ["upė"]


@pytest.mark.parametrize(
    ("aff", "dic", "message"),
    [
        (b"SET UTF-8\nAF 1\nAF A\nSFX A Y 1\nSFX A as o/2 as\n", b"1\nkalnas\n", r"x\.aff:5: there is no AF line 2"),
        (b"SET UTF-8\nAM 1\nAM po:n\n", b"1\nkalnas\t7\n", r"x\.dic:2: there is no AM line 7"),
        (b"SET UTF-8\nSFX A Y\n", b"1\nkalnas\n", r"x\.aff:2: 'SFX A Y' is no affix rule"),
        (b"SET UTF-8\nSFX A Y 1\nSFX A as o [^]\n", b"1\nkalnas\n", r"x\.aff:3: '\[\^\]' is no condition"),
        (b"SET KLINGON\n", b"1\nkalnas\n", r"unknown encoding 'KLINGON'"),
        (b"SET UTF-8\n", b"1\nup\xeb\n", r"x\.dic:2:3: byte 0xeb is not utf-8"),
        (None, b"1\nkalnas\n", r"x\.aff: no such file"),
    ],
)
def test_a_faulty_dictionary_is_one_line_that_names_the_place(
    tmp_path: Path, aff: bytes | None, dic: bytes, message: str
) -> None:
    if aff is not None:
        (tmp_path / "x.aff").write_bytes(aff)
    (tmp_path / "x.dic").write_bytes(dic)
    with pytest.raises(MorphologyError, match=message) as caught:
        HunspellLexicon(tmp_path / "x.dic", no_tags)
    assert "\n" not in str(caught.value)
