"""Words and differing spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.text import TOKEN, comparison_key, squeeze, words

SENTENCE = st.text(alphabet="aąbė ABC.,;–-'()", max_size=40)


def test_tokens_keep_hyphens_and_numbers_whole() -> None:
    assert TOKEN.findall("Iki spalio 25-os d., 3.1.9 p.") == [
        "Iki",
        "spalio",
        "25-os",
        "d",
        ".",
        ",",
        "3.1.9",
        "p",
        ".",
    ]
    assert words("Ar tai – jis?") == ["Ar", "tai", "jis"]


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
    rebuilt, end = "", 0
    for change in found:
        rebuilt += " " + bad[end : change.bad_at] + " " + change.good
        end = change.bad_at + len(change.bad)
    assert TOKEN.findall(rebuilt + " " + bad[end:]) == TOKEN.findall(good)


@given(SENTENCE)
def test_equal_sentences_have_no_changes(sentence: str) -> None:
    assert changes(sentence, sentence) == ()


@given(SENTENCE)
def test_keys_do_not_depend_on_case_and_spacing(sentence: str) -> None:
    assert comparison_key(sentence.upper()) == comparison_key(sentence.lower())
    assert comparison_key(f"  {sentence}!") == comparison_key(sentence)
    assert squeeze(squeeze(sentence)) == squeeze(sentence)


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


def test_a_language_that_spells_with_hyphens_keeps_them() -> None:
    assert join_morphemes("porte-monnaie=s", "=~<>") == "porte-monnaies"


MORPHEMES = st.lists(st.lists(st.text("aąė", min_size=1, max_size=4), min_size=1, max_size=3), min_size=1, max_size=5)


@given(MORPHEMES, st.sampled_from("-=~"))
def test_any_cut_sentence_is_joined_again(cut: list[list[str]], sign: str) -> None:
    assert join_morphemes(" ".join(map(sign.join, cut))) == " ".join(map("".join, cut))
