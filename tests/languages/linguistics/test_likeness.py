"""How alike words and sentences are, and which words a correction replaces."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages import load_language
from pairwright.languages.linguistics.likeness import ClosedClasses, align, sentence_similarity, similarity

CLOSED = ClosedClasses.of(load_language("lt"))


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


def test_a_correction_replaces_the_words_that_it_repeats_in_other_forms() -> None:
    assert align(["Jis", "laukia", "geras", "draugas"], ["gero", "draugo"], CLOSED).size == 2
    assert align(["Jis", "laukia", "draugas"], ["pyksta"], CLOSED).size == 0
