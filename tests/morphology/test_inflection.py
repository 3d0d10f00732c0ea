"""The one form of a word with a wanted bundle, or a reason."""

from pathlib import Path

import pytest

from pairwright.core.records import Tree, Word
from pairwright.languages import load_language
from pairwright.languages.features import parse_features
from pairwright.languages.morphology.inflection import Inflected, Inflector, NotInflected

AFF = """\
SET UTF-8
NEEDAFFIX !
SFX A Y 7
SFX A as as as is:Masc_Sg_Nom
SFX A as o as is:Masc_Sg_Gen
SFX A as ui as is:Masc_Sg_Dat
SFX A as uose as is:Masc_Pl_Loc
SFX A as uos as is:Masc_Pl_Loc_short
SFX A as ai as is:Masc_Pl_Nom
SFX A as ai as is:Masc_Pl_Voc
SFX V Y 6
SFX V ti u ti is:Indic_Pres_Sg_I
SFX V ti a ti is:Indic_Pres_III
SFX V ti sime ti is:Indic_Fut_Pl_I
SFX V ti sim ti is:Indic_Fut_Pl_I
SFX V ti s ti is:Indic_Fut_III
SFX V 0 0 ti is:Inf
"""
DIC = """\
5
kalnas/A!	po:noun
Kalnas/A!	po:noun_family_name
namas/A!	po:noun
bėgti/V!	po:verb
nebėgti/V!	po:verb_negative
"""


def bank(*words: tuple[str, str, str, str]) -> Tree:
    """A sentence of words with form, lemma, part of speech and features."""
    return Tree(
        sent_id="s",
        words=tuple(
            Word(id=place, form=form, lemma=lemma, upos=upos, feats=feats, head=0, deprel="dep", start=0, end=0)
            for place, (form, lemma, upos, feats) in enumerate(words, start=1)
        ),
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "lt.aff").write_text(AFF, encoding="utf-8")
    (tmp_path / "lt.dic").write_text(DIC, encoding="utf-8")
    settings = '[[morphology.lt]]\nkind = "hunspell"\npath = "lt.dic"\ntagset = "lt-hunspell"\n'
    (tmp_path / "pairwright.toml").write_text(settings, encoding="utf-8")
    return tmp_path


@pytest.fixture
def inflector(root: Path) -> Inflector:
    return Inflector.of(load_language("lt", root))


def changed(inflector: Inflector, word: str, wanted: str) -> str:
    """The changed form, or the reason. `word` is form, lemma, part of speech and features."""
    form, lemma, upos, features = word.split()
    result = inflector.change(form, lemma, upos, parse_features(features), parse_features(wanted))
    return result.form if isinstance(result, Inflected) else result.reason


@pytest.mark.parametrize(
    ("word", "wanted", "form"),
    [
        ("kalno kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Dat", "kalnui"),
        ("KALNO kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Dat", "KALNUI"),
        ("Kalno kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Dat", "Kalnui"),
        # The short form is another cell, so it is no second form of this one.
        ("kalno kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Loc|Number=Plur", "kalnuose"),
        # The treebank names the word by its plural.
        ("namai namai NOUN Case=Nom|Gender=Masc|Number=Plur", "Case=Loc", "namuose"),
        # The treebank gives the third person a number, the dictionary does not.
        ("bėga bėgti VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin", "Person=1", "bėgu"),
        ("bėgu bėgti VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin", "Number=Plur|Person=3", "bėga"),
        # The dictionary counts the negation into the lemma.
        ("nebėga bėgti VERB Mood=Ind|Number=Sing|Person=3|Polarity=Neg|Tense=Pres|VerbForm=Fin", "Person=1", "nebėgu"),
        # An auxiliary of the treebank is a verb of the dictionary.
        ("bėga bėgti AUX Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin", "VerbForm=Inf", "bėgti"),
    ],
)
def test_a_word_changes_to_the_one_form(inflector: Inflector, word: str, wanted: str, form: str) -> None:
    assert changed(inflector, word, wanted) == form


@pytest.mark.parametrize(
    ("word", "wanted", "reason"),
    [
        ("kalnai kalnas NOUN Case=Nom|Gender=Masc|Number=Plur", "Case=Voc", "same in writing"),
        ("bėgs bėgti VERB Mood=Ind|Person=3|Tense=Fut|VerbForm=Fin", "Person=1", "2 forms: bėgsim, bėgsime"),
        ("kalno kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Ins", "no form of 'kalnas' with Case=Ins"),
        ("kalno kalnas NOUN Case=Gen|Gender=Masc|Number=Sing", "Person=1", "no form of 'kalnas' with Person=1"),
        # The form is not read as the treebank has it.
        ("kalno kalnas NOUN Case=Dat|Gender=Masc|Number=Sing", "Case=Nom", "lt.dic reads 'kalno' otherwise: 'kalnas'"),
        ("kalno upė NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Nom", "lt.dic reads 'kalno' otherwise: 'kalnas'"),
        ("kelio kelias NOUN Case=Gen|Gender=Masc|Number=Sing", "Case=Nom", "no lexicon has 'kelio' as a form of"),
    ],
)
def test_what_can_not_be_changed_has_a_reason(inflector: Inflector, word: str, wanted: str, reason: str) -> None:
    assert changed(inflector, word, wanted).startswith(reason)


def test_the_treebank_decides_between_two_forms(root: Path) -> None:
    future = "Mood=Ind|Number=Plur|Person=1|Tense=Fut|VerbForm=Fin"
    word = "bėgs bėgti VERB Mood=Ind|Person=3|Tense=Fut|VerbForm=Fin"
    one = bank(("Bėgsime", "bėgti", "VERB", future))
    both = bank(("Bėgsime", "bėgti", "VERB", future), ("bėgsim", "bėgti", "VERB", future))
    assert changed(Inflector.of(load_language("lt", root), [one]), word, "Person=1") == "bėgsime"
    assert changed(Inflector.of(load_language("lt", root), [both]), word, "Person=1").startswith("2 forms")


def test_the_words_of_the_treebank_are_a_lexicon_too(tmp_path: Path) -> None:
    feats = "Case={}|Number=Sing"
    tree = bank(
        ("Ev", "ev", "NOUN", feats.format("Nom")),
        ("evi", "ev", "NOUN", feats.format("Acc")),
        ("evvi", "ev", "NOUN", feats.format("Gen") + "|Typo=Yes"),
        ("gel", "gel", "NOUN", feats.format("Abl")),
        ("gele", "gel", "NOUN", feats.format("Dat")),
        ("gelye", "gel", "NOUN", feats.format("Dat")),
    )
    inflector = Inflector.of(load_language("tr", tmp_path), [tree])
    result = inflector.change("ev", "ev", "NOUN", parse_features("Case=Nom|Number=Sing"), parse_features("Case=Acc"))
    assert result == Inflected("evi", parse_features("Case=Acc|Number=Sing"), "treebank")
    assert changed(inflector, "Ev ev NOUN Case=Nom|Number=Sing", "Case=Acc") == "Evi"
    assert changed(inflector, "ev ev NOUN Case=Nom|Number=Sing", "Case=Gen").startswith("no form of 'ev'")
    assert changed(inflector, "gel gel NOUN Case=Abl|Number=Sing", "Case=Dat") == "2 forms: gele, gelye"


def test_a_paradigm_that_the_treebank_shows_is_applied_to_other_words(tmp_path: Path) -> None:
    nouns = ["kol", "yol", "sol", "gol", "tol", "pol", "dol", "mol", "vol", "nol", "kul", "bul", "tul", "çul", "dul"]
    words = [(noun, noun, "NOUN", "Case=Nom") for noun in nouns] + [(f"{n}u", n, "NOUN", "Case=Acc") for n in nouns]
    exceptions = [("saat", "saat", "NOUN", "Case=Nom"), ("saati", "saat", "NOUN", "Case=Acc")]
    inflector = Inflector.of(load_language("tr", tmp_path), [bank(*words, *exceptions)])
    result = inflector.change("Rol", "rol", "NOUN", parse_features("Case=Nom"), parse_features("Case=Acc"))
    assert result == Inflected("Rolu", parse_features("Case=Acc"), "paradigms of the treebank")
    assert inflector.inflect("rol", "NOUN", parse_features("Case=Acc")) == Inflected(
        "rolu", parse_features("Case=Acc"), "paradigms of the treebank"
    )
    # One word shows nothing.
    assert isinstance(inflector.inflect("fiat", "NOUN", parse_features("Case=Acc")), NotInflected)
    # No word has two genders.
    assert changed(inflector, "rol rol NOUN Case=Nom", "Gender=Fem").startswith("no lexicon has")


def test_a_bundle_that_does_not_tell_forms_apart_gives_none(tmp_path: Path) -> None:
    several = [
        (f"{stem}{end}", stem, "VERB", "VerbForm=Conv") for stem in ("gel", "gör", "yap") for end in ("ip", "ken")
    ]
    tree = bank(*several, ("bakıp", "bak", "VERB", "VerbForm=Conv"), ("bakmak", "bak", "VERB", "VerbForm=Inf"))
    inflector = Inflector.of(load_language("tr", tmp_path), [tree])
    assert changed(inflector, "bakmak bak VERB VerbForm=Inf", "VerbForm=Conv").startswith("no form of 'bak'")


def test_a_rule_waits_until_it_has_seen_the_letter_before_the_change(tmp_path: Path) -> None:
    stems = ["kol", "yol", "sol", "gol", "tol", "pol", "dol", "mol", "vol", "bol", "hol", "rol", "çol", "jol"]
    words = [(f"{s}da", s, "NOUN", "Case=Loc") for s in stems] + [(f"{s}a", s, "NOUN", "Case=Dat") for s in stems]
    inflector = Inflector.of(load_language("tr", tmp_path), [bank(*words)])
    assert changed(inflector, "şolda şol NOUN Case=Loc", "Case=Dat") == "şola"
    # After a vowel the dative is another one, which no word shows.
    assert changed(inflector, "postada posta NOUN Case=Loc", "Case=Dat").startswith("no lexicon has")


@pytest.mark.parametrize(("form", "changed_form"), [("İlk", "İlki"), ("Irk", "Irki")])
def test_a_capital_i_keeps_or_lacks_its_dot(tmp_path: Path, form: str, changed_form: str) -> None:
    small = form.replace("İ", "i").replace("I", "ı")
    tree = bank((form, small, "NOUN", "Case=Nom"), (f"{small}i", small, "NOUN", "Case=Acc"))
    inflector = Inflector.of(load_language("tr", tmp_path), [tree])
    assert changed(inflector, f"{form} {small} NOUN Case=Nom", "Case=Acc") == changed_form


def test_a_lemma_is_put_into_a_bundle(inflector: Inflector) -> None:
    bundle = parse_features("Case=Dat|Gender=Masc|Number=Sing")
    assert inflector.inflect("kalnas", "NOUN", bundle) == Inflected("kalnui", bundle, "lt.dic")
    assert isinstance(inflector.inflect("upė", "NOUN", bundle), NotInflected)
    assert isinstance(inflector.inflect("kalnas", "VERB", bundle), NotInflected)


def test_a_form_may_be_read_with_other_features_too(inflector: Inflector) -> None:
    assert inflector.reads_as("kalnai", "NOUN", parse_features("Case=Voc|Number=Plur"))
    assert not inflector.reads_as("kalnai", "NOUN", parse_features("Case=Gen|Number=Plur"))
    assert not inflector.reads_as("kalnai", "VERB", parse_features("Case=Voc|Number=Plur"))
    assert inflector.reads_as("bėga", "AUX", parse_features("Number=Plur|Person=3"))
    assert not inflector.reads_as("nėra", "NOUN", parse_features("Case=Nom"))
