"""What a grammar attests: which sentences a request shows, other forms of their words, paradigms with their heads."""

from collections import Counter
from typing import Any

import pytest
from asked_parts import book_block

from made_records import make_rule
from pairwright.core.records import Block, Contrast, Gloss, Rule
from pairwright.languages import load_tagset
from pairwright.languages.features import Demand, parse_demand
from pairwright.sources.asked.attested import Corpus, show_table

ALIKE = 12
NOTHING = parse_demand(())
ERGATIVE = parse_demand(("good: Case=Erg", "bad: Case=Abs"))


def example(number: int, line: str, labels: str = "", **of: Any) -> Block:
    lines = {"segmentation": tuple(line.split()), "glosses": (tuple(labels.split()),)} if labels else {"surface": line}
    return book_block(
        number, gloss=Gloss(**{"translation": f"Translation {number}.", "number": str(number)} | lines | of)
    )


def rule(*example_ids: str, title: str = "The agent", quote: str = "An agent has a mark.") -> Rule:
    contrast = Contrast(licence="banned", what="the mark")
    return make_rule(
        id="rule", title=title, description="", block_ids=(), quote=quote, example_ids=example_ids, contrast=contrast
    )


def shown(corpus: Corpus, about: Rule, demand: Demand = NOTHING, before: Counter[str] | None = None) -> list[str]:
    return [one.sentence for one in corpus.for_rule(about, demand, before or Counter(), ALIKE)]


@pytest.mark.parametrize(
    "line",
    [
        "/tarone/ /mikol/",
        "taro-ne mi-kol",
        "tarone kə- kol",
        "tarone(*s) mikol",
        "taro/sule mikol",
        "tarone {mikol}",
        "taro → tarone",
        "(un) tarone mikol",
    ],
)
def test_what_is_not_written_as_a_sentence_is_not_shown(line: str) -> None:
    corpus = Corpus((), [example(1, "tarone mikol", "dog.ERG 1SG.see"), example(2, line)])
    assert shown(corpus, rule("block-1", "block-2")) == ["tarone mikol"]


def test_a_sentence_that_is_printed_twice_is_shown_once_with_its_gloss() -> None:
    twice = [example(1, "taro-ne mi-kol", translation=None), example(2, "taro-ne mi-kol", "dog-ERG 1SG-see")]
    (one,) = Corpus((), twice, "-").for_rule(rule("block-1", "block-2"), NOTHING, Counter(), ALIKE)
    assert (one.sentence, one.gloss) == ("tarone mikol", "dog-ERG 1SG-see")


def test_another_spelling_with_the_same_gloss_and_translation_is_not_shown() -> None:
    lines = [
        example(n, line, "dog.ERG sees", translation="It sees.") for n, line in enumerate(("taron kol", "tarón kol"))
    ]
    assert shown(Corpus((), lines), rule("block-0", "block-1")) == ["taron kol"]


def test_the_gloss_of_a_word_list_is_no_translation() -> None:
    (one,) = Corpus((), [example(1, "tarone", translation="dog-ERG.SG")]).sentences.values()
    assert (one.gloss, one.translation) == ("dog-ERG.SG", None)


def test_words_whose_morphemes_do_not_join_to_them_have_their_glosses() -> None:
    (one,) = Corpus((), [example(1, "ta-ro-ne kol", "NP1a-dog-ERG sees", surface="tàròné kòl")]).sentences.values()
    assert [(word.form, word.lexeme, set(word.labels)) for word in one.words] == [
        ("tàròné", "dog", {"NP1a", "ERG"}),
        ("kòl", "sees", set()),
    ]


def test_the_name_of_a_speaker_and_brackets_around_constituents_are_no_part_of_a_sentence() -> None:
    (one,) = Corpus((), [example(1, "A: taro-ne [mi-kol]VP", "A: dog-ERG [1SG-see]VP")]).sentences.values()
    assert (one.sentence, one.gloss) == ("tarone mikol", "A: dog-ERG 1SG-see")


def test_of_the_wordings_of_an_example_one_is_shown() -> None:
    corpus = Corpus((), [example(1, "(Ana) taro-ne mi-kol", "(Ana) dog-ERG 1SG-see")])
    own, about = rule("block-1"), rule().model_copy(update={"labels": ("ERG",)})
    assert corpus.attests("Tarone mikol.")
    assert [shown(corpus, it) for it in (own, about)] == [["Ana tarone mikol"]] * 2


def test_sentences_of_other_dialects_are_left_out_unless_they_are_the_rules_own() -> None:
    lines = [
        example(1, "tarana kol", "dog.ERG sees", language="Coastal Muru"),
        example(2, "tarone kol", "dog.ERG sees", language="HM"),
        example(3, "tarone mikol", "dog.ERG 1SG.see", title="Agents in Coastal Muru"),
        example(4, "sulene kol", "fish.ERG sees"),
    ]
    corpus = Corpus((), lines, described="A grammar of Hill Muru")
    assert shown(corpus, rule("block-2")) == ["tarone kol", "sulene kol"]
    assert shown(corpus, rule("block-1", "block-2"))[-1] == "tarana kol"
    # Without a label for what the book describes, the labels may name speakers.
    unknown = Corpus((), lines, described="A grammar of Weli")
    assert shown(unknown, rule("block-1"))[0] == "tarana kol"


def test_a_sentence_with_a_contrasting_form_comes_before_others_and_shown_ones_later() -> None:
    lines = [
        example(1, "taro-ne kol", "dog-ERG sees"),
        example(2, "sule-ne kol", "fish-ERG sees"),
        example(3, "sule pex", "fish.ABS runs"),
        example(4, "weli-ne kol", "bird-ERG sees"),
        example(5, "weli pex", "bird.ABS runs"),
    ]
    corpus = Corpus((), lines)
    about = rule("block-1")
    assert shown(corpus, about, ERGATIVE)[:3] == ["tarone kol", "sulene kol", "weline kol"]
    assert shown(corpus, about, ERGATIVE, Counter({"block-2": 1}))[:3] == ["tarone kol", "weline kol", "sulene kol"]


def test_sentences_with_what_a_rule_is_about_come_from_the_whole_book() -> None:
    lines = [
        example(1, "mi kol", "I see"),
        example(2, "mi ale kol", "I PROH see"),
        example(3, "nu ale pex", "you PROH.2SG run"),
        example(4, "nu pex-on", "you run-NMLZ"),
        example(5, "weli gu kol", "bird Q sees"),
    ]
    plain, corpus = rule(), Corpus((), lines)
    assert shown(corpus, plain.model_copy(update={"labels": ("PROH",)})) == ["mi ale kol", "nu ale pex"]
    assert shown(corpus, plain.model_copy(update={"labels": ("2SG.PROH",)})) == ["nu ale pex"]
    assert shown(corpus, plain.model_copy(update={"words": ("gu",)})) == ["weli gu kol"]
    # An affix, and another form of a word.
    assert shown(corpus, plain.model_copy(update={"words": ("-on",)})) == ["nu pexon"]
    assert shown(corpus, plain.model_copy(update={"words": ("pexon",)})) == ["nu ale pex", "nu pexon"]


def test_a_rule_about_a_word_and_a_label_is_shown_sentences_with_both() -> None:
    lines = [
        example(1, "taro-st juga", "dog-ELAT drink"),
        example(2, "taro-st gatja", "dog-ELAT ask"),
        example(3, "sule gatja", "fish.NOM ask"),
        example(4, "gatja taro-st weli-st", "ask.IMP dog-ELAT bird-ELAT"),
    ]
    corpus = Corpus((), lines)
    about = rule().model_copy(update={"words": ("gatja",), "labels": ("ELAT",)})
    assert shown(corpus, about) == ["tarost gatja", "gatja tarost welist"]
    # Words that the sentences lack leave the labels.
    assert len(shown(corpus, about.model_copy(update={"words": ("pexi",)}))) == 3


@pytest.mark.parametrize(
    ("line", "labels", "translation"),
    [("taro", "dog", "dog"), ("taro mikol", "dog see", "a dog to see"), ("taro-ne", "dog-ERG", None)],
)
def test_a_form_or_a_phrase_is_no_sentence(line: str, labels: str, translation: str | None) -> None:
    lines = [example(n, f"sule-ne nu kol{n}", "fish-ERG you see") for n in range(3)]
    corpus = Corpus((), [*lines, example(9, line, labels, translation=translation)])
    assert all(one.startswith("sulene") for one in shown(corpus, rule("block-9", "block-0")))


def test_each_sentence_brings_other_words_than_those_before() -> None:
    lines = [
        example(1, "taro-ne kol", "dog-ERG sees"),
        example(2, "taro-ne pex", "dog-ERG runs"),
        example(3, "sule-ne noka", "fish-ERG sleeps"),
    ]
    about = rule().model_copy(update={"labels": ("ERG",)})
    assert shown(Corpus((), lines), about) == ["tarone kol", "sulene noka", "tarone pex"]


def test_other_forms_of_a_word_share_a_morph_with_it() -> None:
    lines = [
        example(1, "taro-ne kol", "dog-ERG sees"),
        example(2, "tare pex", "dog\\ABS runs"),
        example(4, "vere pex", "dog\\ABS runs"),
    ]
    corpus = Corpus((), lines)
    first, *_ = corpus.sentences.values()
    listed = set[str]()
    (forms,) = corpus.other_forms(first, rule(), ERGATIVE, listed)
    assert forms == "tarone: tare dog\\ABS ((2), p. 3)"
    # A request lists the forms of a word once.
    assert corpus.other_forms(first, rule(), ERGATIVE, listed) == []


def test_cells_stand_behind_the_heads_of_their_row_and_column() -> None:
    box = (0.0, 0.0, 1.0, 1.0)
    cells = (
        ("", "present", "", "past"),
        ("", "SG", "PL", "SG"),
        ("1", "nuko", "nukosi", ""),
        ("", "muko", "mukosi", "muka"),
    )
    merged = ((box, box, None, box), (box, box, box, box), (box, box, box, box), (None, box, box, box))
    table = book_block(1, kind="table", cells=cells, cell_boxes=merged, header_rows=2)
    assert show_table(table).splitlines() == [
        "1, present SG: nuko; 1, present PL: nukosi",
        "1, present SG: muko; 1, present PL: mukosi; 1, past SG: muka",
    ]
    bare = book_block(2, kind="table", cells=(("1SG", "im", "het"), ("2SG", "kho", "het")))
    assert show_table(bare) == "1SG: im | het\n2SG: kho | het"


PLURAL = parse_demand(("good: Number=Plur", "bad: Number=Sing"))


def test_the_words_of_a_contrast_are_those_that_the_source_has_in_both_forms() -> None:
    lines = [
        example(1, "taro-si ma-kol", "dog-ERG.PL 3PL-see"),
        example(2, "taro-ne mu-kol", "dog-ERG.SG 3SG-see"),
        example(3, "taro-va sule-si kol-u", "dog-DAT.SG fish-ERG.PL see-1SG"),
    ]
    corpus = Corpus((), lines, tagset=load_tagset("leipzig"))
    first, _, third = corpus.sentences.values()
    found = [
        {form: [it.form for it in forms] for form, forms in corpus.contrasting(one, PLURAL).items()}
        for one in (first, third)
    ]
    assert found == [{"tarosi": ["tarone", "tarova"], "makol": ["mukol", "kolu"]}, {}]


def test_of_what_only_looks_like_a_rule_no_more_is_shown_than_one_request_takes() -> None:
    words = ("kol", "pex", "noka", "sule", "vari")
    lines = [example(n, f"tarone {word}", f"dog.ERG {word}x") for n, word in enumerate(words)]
    lines.append(example(9, "mi lumi", "I wait"))
    corpus, about = Corpus((), lines), rule("block-1")
    labelled = about.model_copy(update={"labels": ("ERG",)})
    assert [len(corpus.for_rule(it, NOTHING, Counter(), 2)) for it in (about, labelled)] == [2, 5]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("… taro ne mikol, …", "Taro ne mikol."),
        ("“Taro mikol?", "Taro mikol?"),
        ("“taro” mikol", "“Taro” mikol."),
        ("Taro mikol!", "Taro mikol!"),
    ],
)
def test_a_clause_is_written_as_the_source_writes_sentences(text: str, written: str) -> None:
    whole = [example(n, f"Taro kol{n}.", "dog sees") for n in range(3)]
    assert Corpus((), whole).written(text) == written
    bare = Corpus((), [example(1, "taro kol", "dog sees")])
    assert [bare.written(it) for it in ("… taro mikol, …", "-ka mika:")] == ["taro mikol", "-ka mika:"]


def test_whole_sentences_come_before_pieces() -> None:
    lines = [
        example(1, "Kole … tarone pex."),
        example(2, "tarone kol, …"),
        *(example(n, f"Tarone pex{n}.") for n in range(3, 6)),
    ]
    about = rule().model_copy(update={"words": ("tarone",)})
    assert shown(Corpus((), lines), about)[:3] == ["Tarone pex3.", "Tarone pex4.", "Tarone pex5."]


def test_a_table_with_a_word_or_a_label_of_a_rule_is_shown_wherever_it_stands() -> None:
    tables = [
        book_block(1, kind="table", header_rows=1, cells=(("", "SG"), ("ERG", "taro-ne"), ("ABS", "taro"))),
        book_block(2, kind="table", header_rows=1, cells=(("", "PL"), ("DAT", "sule-va"), ("INE", "-ki"))),
        book_block(3, kind="table", cells=(("ERG", "ergative"), ("DAT", "dative"))),
        book_block(4, kind="table", header_rows=1, cells=(("sound", "letter"), ("k", "suleva"), ("t", "taro"))),
        example(5, "taro-ne sule-ki sule-va", "dog-ERG fish-INE fish-DAT"),
    ]
    corpus, about = Corpus((), tables, "-", load_tagset("leipzig")), rule()
    assert corpus.paradigms(about) == []
    assert corpus.paradigms(about.model_copy(update={"labels": ("ERG",)})) == ["ERG, SG: taro-ne\nABS, SG: taro"]
    assert corpus.paradigms(about.model_copy(update={"words": ("suleva",)})) == ["DAT, PL: sule-va\nINE, PL: -ki"]
