"""Words cut into stem and endings by the rules of a dictionary."""

from pathlib import Path

import pytest

from pairwright.errors import MorphologyError
from pairwright.languages import load_language
from pairwright.morphology.morphemes import Segmenter, gold_segmentation, segmenter_of

AFF = """\
SET UTF-8
NEEDAFFIX !
SFX A Y 2
SFX A as as as is:Masc_Sg_Nom
SFX A as o as is:Masc_Sg_Gen
SFX B Y 3
SFX B is is [^d]is is:Masc_Sg_Nom
SFX B is io [^d]is is:Masc_Sg_Gen
SFX B is is dis is:Masc_Sg_Nom
SFX C Y 1
SFX C is žio dis is:Masc_Sg_Gen
SFX D Y 2
SFX D as as as is:Masc_Sg_Nom
SFX D as esnis/E as is:Comp
SFX E Y 2
SFX E is is esnis is:Masc_Sg_Nom
SFX E is io esnis is:Masc_Sg_Gen
SFX R Y 1
SFX R uo ens uo is:Masc_Sg_Gen
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("dictionary")
    (root / "lt.aff").write_text(AFF, encoding="utf-8")
    nouns = [f"v{letter}{other}r" for letter in "aeiouy" for other in "bcdghjklmnprstvzžš"]
    lines = [f"{noun}as/A!\tpo:noun\n{noun}is/B!\tpo:noun\n{noun}kas/D!\tpo:adjective" for noun in nouns]
    # The change of d to ž is rarer than the plain ending.
    lines += [f"{noun}mdis/BC!\tpo:noun" for noun in nouns[:100]]
    lines += ["vanduo/R!\tpo:noun", "čia\tpo:adverb", "vacras\tpo:adverb"]
    (root / "lt.dic").write_text(f"{len(lines)}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    settings = '[[morphology.lt]]\nkind = "hunspell"\npath = "lt.dic"\ntagset = "lt-hunspell"\n'
    (root / "pairwright.toml").write_text(settings, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def segmenter(root: Path) -> Segmenter:
    return segmenter_of(load_language("lt", root))


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("vabro", (("vabr", "o"), "noun")),
        ("vabras", (("vabr", "as"), "noun")),
        # The stem alternates: its last letter is no part of the ending.
        ("vabrmdžio", (("vabrmdž", "io"), "noun")),
        ("vabrkesnio", (("vabrk", "esn", "io"), "adjective")),
        ("čia", (("čia",), "other")),
        # An ending of a single word.
        ("vandens", None),
        ("nėra", None),
    ],
)
def test_a_word_is_cut_where_its_rules_say(
    segmenter: Segmenter, word: str, cut: tuple[tuple[str, ...], str] | None
) -> None:
    assert segmenter.morphemes(word) == cut


def test_a_word_with_two_cuts_or_categories_is_left_out(segmenter: Segmenter) -> None:
    assert segmenter.morphemes("vacras") is None


def test_words_are_drawn_by_category_and_the_same_each_time(segmenter: Segmenter) -> None:
    words = [f"v{letter}{ending}" for letter in ("abr", "ahr", "adr", "agr") for ending in ("o", "as", "kas")] + ["čia"]
    gold = gold_segmentation(segmenter, [*words, "Vabro", "1990"], per_category=3)
    assert {name: len(own) for name, own in gold.items()} == {"noun": 3, "adjective": 3, "other": 1}
    assert gold == gold_segmentation(segmenter, reversed(words), per_category=3)
    assert all("".join(morphemes) in words for own in gold.values() for morphemes in own)


def test_a_language_without_a_tagged_dictionary_is_told() -> None:
    with pytest.raises(MorphologyError, match="no Hunspell dictionary with tags"):
        segmenter_of(load_language("en"))
