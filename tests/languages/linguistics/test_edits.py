"""Where two sentences differ, and texts changed at offsets."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.text import TOKEN
from pairwright.languages.linguistics.edits import changes, replaced, stretches

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
    rebuilt, end = "", 0
    for change in found:
        rebuilt += " " + bad[end : change.bad_at] + " " + change.good
        end = change.bad_at + len(change.bad)
    assert TOKEN.findall(rebuilt + " " + bad[end:]) == TOKEN.findall(good)


@given(SENTENCE)
def test_equal_sentences_have_no_changes(sentence: str) -> None:
    assert changes(sentence, sentence) == ()


@given(SENTENCE, SENTENCE)
def test_the_changes_put_into_the_bad_sentence_give_the_words_of_the_good_one(good: str, bad: str) -> None:
    edits = [(c.bad_at, c.bad_at + len(c.bad), f" {c.good} ") for c in changes(good, bad)]
    assert TOKEN.findall(replaced(bad, edits)) == TOKEN.findall(good)


def test_a_text_is_cut_at_spans_even_where_they_overlap() -> None:
    assert stretches("abcdef", [(1, 3), (2, 4)]) == [("a", False), ("bc", True), ("d", True), ("ef", False)]
    assert "".join(piece for piece, _ in stretches("abcdef", [(4, 9), (0, 2)])) == "abcdef"
