"""Words cut into stem and endings by the rules of a dictionary, and how well tokenizers cut them there."""

from pathlib import Path

import pytest
from command_lines import Run
from report_parts import rows_of
from workspace_parts import approve_all

from pairwright.core.errors import MorphologyError, ReleaseError, StoreError
from pairwright.extras.segmentation.gold import (
    Alignment,
    Cut,
    Segmenter,
    aligned,
    gold_segmentation,
    read_cuts,
    read_segmentation,
    write_cuts,
)
from pairwright.languages import load_language

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
    return Segmenter.of(load_language("lt", root))


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("vabro", (("vabr", "o"), "noun")),
        # The stem alternates: its last letter is no part of the ending.
        ("vabrmdžio", (("vabrmdž", "io"), "noun")),
        ("vabrkesnio", (("vabrk", "esn", "io"), "adjective")),
        ("čia", (("čia",), "other")),
        # An ending of a single word, and a word of two cuts and categories.
        ("vandens", None),
        ("vacras", None),
    ],
)
def test_a_word_is_cut_where_its_rules_say(
    segmenter: Segmenter, word: str, cut: tuple[tuple[str, ...], str] | None
) -> None:
    assert segmenter.morphemes(word) == cut
    with pytest.raises(MorphologyError, match="no Hunspell dictionary with tags"):
        Segmenter.of(load_language("en"))


def test_words_are_drawn_by_category_and_the_same_each_time(segmenter: Segmenter) -> None:
    words = [f"v{letter}{ending}" for letter in ("abr", "ahr", "adr", "agr") for ending in ("o", "as", "kas")] + ["čia"]
    gold = gold_segmentation(segmenter, [*words, "Vabro", "1990"], per_category=3)
    assert {name: len(own) for name, own in gold.items()} == {"noun": 3, "adjective": 3, "other": 1}
    assert gold == gold_segmentation(segmenter, reversed(words), per_category=3)
    assert all("".join(morphemes) in words for own in gold.values() for morphemes in own)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nam++uose\n", r"s\.txt:1: an empty morpheme"),
        ("namas\tnam+uose\n", r"s\.txt:1: namas and nam\+uose are not the same word"),
        ("# noun\n", r"s\.txt: no word in it"),
    ],
)
def test_a_faulty_segmentation_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ReleaseError, match=message):
        read_segmentation(tmp_path / "s.txt")


def align(*words: tuple[Cut, Cut]) -> Alignment:
    """The alignment of words, each with its pieces and its morphemes."""
    pieces = {"".join(gold): own for own, gold in words}
    (found,) = aligned({"": [gold for _, gold in words]}, "model", pieces.__getitem__)
    return found


def test_words_counted_by_hand() -> None:
    found = align(
        (("nam", "uose"), ("nam", "uose")),
        (("kny", "g", "oje"), ("knyg", "oje")),
        (("laukiame",), ("lauk", "iame")),
        (("?",), ("ne",)),
    )
    assert (found.n, found.n_unusable) == (3, 1)
    assert (found.exact, found.over, found.under) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    # Edits: none; two pieces for one (a substitution and a deletion); a substitution and an insertion.
    assert found.distance == pytest.approx(4 / 3)
    assert (found.precision, found.recall) == pytest.approx((2 / 3, 2 / 3))
    # Two neighbours that change places are one edit.
    assert align((("aa", "a"), ("a", "aa"))).distance == 1


def test_a_words_pieces_are_kept_as_text(tmp_path: Path, tiny_model: Path) -> None:
    """The tiny model reads bytes, so that each letter of ASCII is a piece."""
    from transformers import AutoTokenizer

    write_cuts(tmp_path, AutoTokenizer.from_pretrained(tiny_model), {"": [("nam", "e"), ("ne",)]})
    cut = read_cuts(tmp_path)
    assert cut is not None
    assert [list(cut(word)) for word in ("name", "ne", "kitas")] == [["n", "a", "m", "e"], ["n", "e"], []]
    assert read_cuts(tmp_path / "elsewhere") is None


@pytest.mark.parametrize("content", [b'{"a": ["b", 2]}', b"\xff", b"[" * 100_000])
def test_a_file_of_cuts_that_holds_none_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "segments.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"segments\.json: not words with their pieces; delete it"):
        read_cuts(tmp_path)


def test_tokenizers_stand_in_the_report(
    run: Run, workspace: Path, document: Path, tiny_model: Path, tmp_path: Path
) -> None:
    at = ["--workspace", workspace]
    run.done("build", document, "--language", "lt", *at)
    approve_all(workspace)
    run.done("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)
    gold = tmp_path / "gold.tsv"
    gold.write_text("# noun\nnam+e\nkalba\tkalb|a\n# other\nne\n", encoding="utf-8")
    run.done("evaluate", "lt-test-1.0.0", "--model", tiny_model, "--extra", f"segmentation={gold}", *at)
    report = workspace / "output" / "reports" / "lt-test-1.0.0"
    rows = {row["Category"]: row for row in rows_of(report / "index.html", "morphology")}
    assert {name: row["Words"] for name, row in rows.items()} == {"all": "3", "noun": "2", "other": "1"}
    assert rows["noun"]["Exact"] == "0.0"
    assert "Tokenizers and morphemes" in (report / "index.html").read_text(encoding="utf-8")
    # A report without the file has no such section; a damaged file of cuts is named and the rest is written.
    (cuts,) = (workspace / "output" / "evaluations").glob("*/*/segments.json")
    cuts.write_text("[]", encoding="utf-8")
    out = run.done("evaluate", "lt-test-1.0.0", "--report-only", "--extra", f"segmentation={gold}", *at)
    assert f"left out   {cuts}: not words with their pieces" in out
    assert not (report / "tables" / "morphology.csv").exists()
