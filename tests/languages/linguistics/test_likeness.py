"""How alike words and sentences are."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages.linguistics.likeness import sentence_similarity, similarity


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
