"""Words and differing spans."""

from hypothesis import given
from hypothesis import strategies as st

from pairwright.text import TOKEN, changes, comparison_key, squeeze, words

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
