"""Segmented lines and the sentences that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages.linguistics.morphemes import join_morphemes


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
