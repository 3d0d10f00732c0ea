"""Brackets, edits, headwords, likeness, marks of acceptability, morphemes and sentence ends."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.records import Gloss
from pairwright.core.text import TOKEN, words
from pairwright.languages.linguistics.forms import named_words
from pairwright.languages.linguistics.glosses import join_morphemes, wordings
from pairwright.languages.linguistics.likeness import sentence_similarity, similarity
from pairwright.languages.linguistics.sentences import (
    DISPUTED,
    JUDGEMENT,
    STARRED,
    STARS,
    UnbalancedError,
    changes,
    ends_sentence,
    is_marked,
    is_sentence,
    meaning,
    replaced,
    sentence_ends,
    split_mark,
    split_top,
    stretches,
    tag_mark,
    top_brackets,
    unpaired,
    why_no_sentence,
)


def test_the_outermost_brackets_count_and_letters_of_items_are_none() -> None:
    text = "a) Jis (ir [ji]) eina [2]"
    assert [text[start:end] for start, end in top_brackets(text)] == ["(ir [ji])", "[2]"]


@pytest.mark.parametrize(("text", "offset"), [("Jis (eina", 4), ("Jisai eina) jau", 10), ("(Jis]", 4)])
def test_a_bracket_without_its_partner_is_named(text: str, offset: int) -> None:
    with pytest.raises(UnbalancedError) as caught:
        top_brackets(text)
    assert caught.value.offset == offset


def test_a_text_is_split_outside_brackets_and_quotations() -> None:
    assert split_top("eina, (bėga, šoka), „a, b“", (",",)) == ["eina", "(bėga, šoka)", "„a, b“"]
    assert split_top("eina", ()) == ["eina"]


@pytest.mark.parametrize(
    ("text", "alone"),
    [("„Taip“, “yes”, «oui», »ja«, (taip) [taip]", []), ("Jis eina)", [(")", 8)]), ("Jis „eina", [("„", 4)])],
)
def test_marks_without_a_partner_are_found_in_any_style(text: str, alone: list[tuple[str, int]]) -> None:
    assert list(unpaired(text)) == alone


SENTENCE = st.text(alphabet="aąbė ABC.,;–-'()", max_size=40)


def test_changes_give_words_and_offsets_of_both_sides() -> None:
    good, bad = "Vaikas laukia senelio prie vartų.", "Vaikas laukia seneliui vartuose."
    found = changes(good, bad)
    assert [(c.good, c.bad) for c in found] == [("senelio prie vartų", "seneliui vartuose")]
    inserted = changes("Jis panašus į tėtį.", "Jis panašus tėtį.")
    assert [(c.good, c.bad) for c in inserted] == [("į", "")]


@given(SENTENCE, SENTENCE)
def test_changes_stand_where_they_say_and_lead_from_one_sentence_to_the_other(good: str, bad: str) -> None:
    found = changes(good, bad)
    for change in found:
        assert good[change.good_at : change.good_at + len(change.good)] == change.good
        assert bad[change.bad_at : change.bad_at + len(change.bad)] == change.bad
    edits = [(c.bad_at, c.bad_at + len(c.bad), f" {c.good} ") for c in found]
    assert TOKEN.findall(replaced(bad, edits)) == TOKEN.findall(good)
    assert changes(good, good) == ()


def test_a_text_is_cut_at_spans_even_where_they_overlap() -> None:
    assert stretches("abcdef", [(1, 3), (2, 4)]) == [("a", False), ("bc", True), ("d", True), ("ef", False)]
    assert "".join(piece for piece, _ in stretches("abcdef", [(4, 9), (0, 2)])) == "abcdef"


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ("laukti", {"laukti"}),
        ("(pa)siekti ko", {"pasiekti", "siekti", "ko"}),
        ("(atsi)rasti(s)", {"rasti", "rastis", "atsirasti", "atsirastis"}),
        ("vertas, -a", {"vertas", "a"}),
        ("būti (yra, esti)", {"būti", "yra", "esti"}),
        ("[iš]vengti", {"išvengti", "vengti"}),
    ],
)
def test_a_headword_names_its_words_with_and_without_their_optional_parts(entry: str, named: set[str]) -> None:
    assert set(named_words(entry)) == named


@given(st.text(alphabet="ab ()[],-", max_size=200))
def test_any_headword_names_few_words(entry: str) -> None:
    named = named_words(entry)
    assert len(named) <= 16 * max(1, len(entry))
    assert all(words(word) == [word] for word in named)


def test_forms_of_one_word_are_alike_and_other_words_are_not() -> None:
    assert similarity("namas", "Namas") == 1
    assert similarity("namas", "namui") > similarity("vaikas", "laukas") >= 0
    assert similarity("namas", "stalas") == 0


@given(st.text(max_size=12), st.text(max_size=12))
def test_likeness_is_a_share(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert 0 <= sentence_similarity(one, other) <= 1


def test_order_and_endings_matter_less_than_other_words() -> None:
    near = sentence_similarity("Laukiu autobuso stotelėje.", "Stotelėje laukiu autobusą.")
    assert near > sentence_similarity("Laukiu autobuso stotelėje.", "Matau traukinį mieste.")


@pytest.mark.parametrize("star", STARS)
def test_every_star_calls_a_sentence_bad(star: str) -> None:
    assert split_mark(f"{star}Jis eina") == (star, "Jis eina")
    assert meaning(star) == meaning(star * 2) == meaning(f"?{star}") == "bad"
    assert is_marked(Gloss(surface=f"{star}Jis eina"))
    match = JUDGEMENT.match(f"{star}Jis")
    assert match is not None
    assert match["mark"] == star
    assert STARRED.search(f"not {star} eina")


@pytest.mark.parametrize(
    ("text", "mark", "rest"),
    [
        ("??Jis", "??", "Jis"),
        ("(*)Jis", "(*)", "Jis"),
        ("%Jis", "%", "Jis"),
        ("†Jis", "†", "Jis"),
        ("Jis *eina", "", "Jis *eina"),
        ("* Jis", "", "* Jis"),
        ("2*3", "", "2*3"),
    ],
)
def test_a_mark_stands_right_before_its_sentence(text: str, mark: str, rest: str) -> None:
    assert split_mark(text) == (mark, rest)


def test_marks_mean_what_their_source_says_of_them() -> None:
    assert [meaning(mark) for mark in ("??", "?", "(*)", "#", "%")] == ["bad", "doubtful", "doubtful", "other", "other"]
    assert meaning("%", {"%": "bad"}) == "bad"
    assert not is_marked(Gloss(surface="Jis eina"))


def test_speakers_may_differ() -> None:
    assert tag_mark("(NK, KM)") == ""
    assert tag_mark("(∗NK, *KM)") == "*"
    assert tag_mark("(NK, *KM)") == DISPUTED


@pytest.mark.parametrize(
    ("segmented", "sentence"),
    [
        ("šun-ys loj-a kiem-e.", "šunys loja kieme."),
        ("mat-au=gi jį", "mataugi jį"),
        ("aš= mat-au", "aš matau"),
        ("mat-au =gi", "matau gi"),
        ("tar~tar-ti", "tartarti"),
        ("s<um>ulat siya", "sumulat siya"),
        ("ju<n>g-ti", "jungti"),
        ("nam-∅ ∅-ei-na", "nam eina"),
        ("t͡s-a̞-b", "t͡sa̞b"),
        ("25-30 met-ų – daug", "25-30 metų – daug"),
        ("ar ei-n-i?", "ar eini?"),
    ],
)
def test_morphemes_are_joined_and_words_stay_apart(segmented: str, sentence: str) -> None:
    assert join_morphemes(segmented) == sentence


@pytest.mark.parametrize(
    ("cut", "glosses", "said"),
    [
        ("[Tam-pa nam]Source [lo]Goal iwa.", "hill-LOC there wood go", ["Tampa nam lo iwa."]),
        ("[[tam lo] ena] sira", "hill wood eat way", ["tam lo ena sira"]),
        ("[sola]SBJ [tam]io iwa", "I hill go", ["sola tam iwa"]),
        ("[so]la tam iwa", "I hill go", ["sola tam iwa"]),
        ("sol(a) ne/nema iwa", "I 1.NOM/1.GEN go", ["sola ne iwa", "sola nema iwa", "sol ne iwa", "sol nema iwa"]),
        ("lo iw-ela/era", "wood go-PST", ["lo iwela"]),
        ("(mi) lo iwa", "(I) wood go", ["mi lo iwa", "lo iwa"]),
        ("lo iwa (Muru)", "wood go", ["lo iwa"]),
        ("{mi / ne} iwa", "1 / 2 go", ["{mi / ne} iwa"]),
        ("lo(*pa) iwa", "wood-LOC go", ["lo(*pa) iwa"]),
        ("[lo iˈwa]", "wood go", ["[lo iˈwa]"]),
        ("/lo/ iwa", "wood go", ["/lo/ iwa"]),
    ],
)
def test_an_example_gives_each_of_its_wordings(cut: str, glosses: str, said: list[str]) -> None:
    parts = cut.split(), glosses.split()
    parts[1].extend([""] * (len(parts[0]) - len(parts[1])))
    assert wordings(Gloss(segmentation=tuple(parts[0]), glosses=(tuple(parts[1]),))) == said


def test_a_language_that_spells_with_hyphens_keeps_them() -> None:
    assert join_morphemes("porte-monnaie=s", "=~<>") == "porte-monnaies"


MORPHEMES = st.lists(st.lists(st.text("aąė", min_size=1, max_size=4), min_size=1, max_size=3), min_size=1, max_size=5)


@given(MORPHEMES, st.sampled_from("-=~"))
def test_any_cut_sentence_is_joined_again(cut: list[list[str]], sign: str) -> None:
    assert join_morphemes(" ".join(map(sign.join, cut))) == " ".join(map("".join, cut))


def cut(text: str, *abbreviations: str) -> list[str]:
    ends = [0, *sentence_ends(text, abbreviations, top_brackets(text)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(ends)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Jis eina. Ji stovi!", ["Jis eina.", "Ji stovi!"]),
        ("Jis eina? „Taip.“ Ji stovi.", ["Jis eina?", "„Taip.“", "Ji stovi."]),
        ("As in A. Jonas, p. 3. The verb agrees.", ["As in A. Jonas, p. 3.", "The verb agrees."]),
        ("See Smith et al. There, it is not.", ["See Smith et al. There, it is not."]),
        ("It is so (Smith et al.) There.", ["It is so (Smith et al.) There."]),
        ("1. The verb agrees. 12. The noun does not.", ["1. The verb agrees.", "12. The noun does not."]),
        ("It has 12. The rest is lost.", ["It has 12.", "The rest is lost."]),
        ("He left... and came. Then no more.", ["He left... and came.", "Then no more."]),
        ("The verb agrees.¹² The noun too.", ["The verb agrees.¹²", "The noun too."]),
        ("彼は行く。彼女も。", ["彼は行く。", "彼女も。"]),
        ("वह जाता है। वह खड़ा है।", ["वह जाता है।", "वह खड़ा है।"]),
        ("Jis (žr. A. Tai yra.) eina. Ji stovi.", ["Jis (žr. A. Tai yra.) eina.", "Ji stovi."]),
    ],
)
def test_sentences_end_at_marks_before_a_new_sentence(text: str, parts: list[str]) -> None:
    assert cut(text, "al", "p") == parts


@given(st.text(alphabet="aA1 .!?…“)(\n", max_size=200))
def test_ends_rise_and_lie_inside_the_text(text: str) -> None:
    ends = list(sentence_ends(text))
    assert ends == sorted(set(ends))
    assert all(0 < end < len(text) and ends_sentence(text[:end]) for end in ends)


def test_a_whole_sentence_has_a_beginning_an_end_and_paired_marks() -> None:
    assert why_no_sentence("Jis tarė: „Eik.“") is None
    assert why_no_sentence("Jis eina , ji stovi .") is None
    faulty = ["Jis eina", "jis eina.", "3.2. Jis eina.", "Jis (eina.", "Jis „ eina“.", "Jis , eina.", "Eik !.."]
    assert all(map(why_no_sentence, faulty))
    assert is_sentence("He goes")
    assert is_sentence("he goes.")
    assert not is_sentence("he goes")
    assert not is_sentence("He.")
