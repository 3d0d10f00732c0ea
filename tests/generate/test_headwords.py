"""The words that a headword names, and how many words a new sentence may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.config import GenerateSettings
from pairwright.generate.task import lengths
from pairwright.languages.linguistics.headwords import named_words
from pairwright.text import words


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


def test_lengths_follow_the_sentences_of_the_source_unless_they_are_set() -> None:
    sentences = ["a b"] * 2 + ["a b c d e f"] * 90 + ["a b c d e f g h"] * 7 + ["a " * 40]
    free = GenerateSettings()
    assert lengths(sentences, free) == (2, 8)
    assert lengths(["a b c d e f"] * 40, free) == (4, 6)
    assert lengths(["a b"], free) == (2, 15)
    assert lengths([], free) == (4, 15)
    assert lengths(sentences, GenerateSettings(min_words=5)) == (5, 8)
    assert lengths(sentences, GenerateSettings(max_words=20)) == (2, 20)
    assert lengths(sentences, GenerateSettings(min_words=12)) == (12, 12)
