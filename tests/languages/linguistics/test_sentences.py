"""Where sentences end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.languages.linguistics.brackets import top_brackets
from pairwright.languages.linguistics.sentences import ends_sentence, is_sentence, sentence_ends, why_no_sentence


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
