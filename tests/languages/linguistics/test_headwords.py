"""The words that a headword names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.text import words
from pairwright.languages.linguistics.headwords import named_words


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
