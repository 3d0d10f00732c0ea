"""The Lithuanian dictionary, where it lies beside the checkout."""

from pathlib import Path

import pytest

from made_records import language_with
from pairwright.languages import load_language
from pairwright.languages.features import parse_features
from pairwright.languages.morphology import Analyser, analyser_of
from pairwright.languages.morphology.lexicon import treebank_tokens

REAL = Path(__file__).parents[2].parent / "shared" / "data"
DICTIONARY = REAL / "morphology" / "lt-LT.dic"
TREEBANK = REAL / "treebanks" / "lt_alksnis-ud-dev.conllu"

pytestmark = pytest.mark.skipif(not DICTIONARY.exists(), reason="the Lithuanian dictionary is not here")


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    found = analyser_of(language_with(DICTIONARY))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("form", "lemma", "upos", "features"),
    [
        ("kalnui", "kalnas", "NOUN", "Case=Dat|Gender=Masc|Number=Sing"),
        ("geresniųjų", "geras", "ADJ", "Case=Gen|Definite=Def|Degree=Cmp|Gender=Masc|Number=Plur"),
        ("teeinie", "eiti", "VERB", "Mood=Opt|Person=3|Polarity=Pos|VerbForm=Fin"),
        ("neskaitė", "neskaityti", "VERB", "Mood=Ind|Person=3|Polarity=Neg|Tense=Past|VerbForm=Fin"),
        ("skaitydamas", "skaityti", "VERB", "Gender=Masc|Number=Sing|Polarity=Pos|VerbForm=Conv"),
        ("manęs", "aš", "PRON", "Case=Gen|Number=Sing"),
    ],
)
def test_words_of_all_kinds(analyser: Analyser, form: str, lemma: str, upos: str, features: str) -> None:
    readings = [(it.lemma, it.upos, it.features) for it in analyser.analyse(form)]
    assert (lemma, upos, parse_features(features)) in readings


def test_the_tagset_knows_every_tag() -> None:
    root = load_language("lt", REAL)
    tagset = root.lexicons[0].tagset
    assert tagset is not None
    aliases = [line for line in DICTIONARY.with_suffix(".aff").read_text(encoding="utf-8").splitlines() if ":" in line]
    tags = [line.partition(" ")[2] for line in aliases if line.startswith("AM ")]
    assert len(tags) > 1000
    assert [tag for tag in tags if tagset.unknown(tag)] == []


@pytest.mark.skipif(not TREEBANK.exists(), reason="the treebank is not here")
def test_nouns_of_a_treebank_come_of_lemma_case_and_number(analyser: Analyser) -> None:
    asked = made = 0
    for cell in treebank_tokens(TREEBANK):
        demanded = frozenset(item for item in cell.analysis.features if item[0] in ("Case", "Number"))
        if cell.analysis.upos == "NOUN" and len(demanded) == 2 and analyser.analyse(cell.analysis.lemma):
            asked += 1
            made += cell.form in analyser.inflect(cell.analysis.lemma, demanded)
    assert asked > 3000
    assert made / asked > 0.99
