"""The case of letters follows the other words of the book, and only where these leave no doubt."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_pages import line, page

from pairwright.documents.pages.ocr.vocabulary import book_words, case_mends, with_mends

BOOK = Counter(
    {"leave": 3, "Leave": 0, "WORDS": 4, "Sow": 2, "eBay": 1, "ebay": 5, "common": 1, "vowels": 2, "Vowels": 2}
)


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("leaVe", "leave"),
        ("WorDS", None),  # r and d have other shapes than R and D
        ("WoRDS", "WORDS"),
        ("eBay", None),
        ("comMon", None),
        ("coMMON", None),
        ("voWels", "vowels"),
        ("VoWels", "Vowels"),
        ("unseeN", None),
        ("soW", None),
    ],
)
def test_a_case_that_no_word_has_follows_the_other_words(read: str, meant: str | None) -> None:
    assert case_mends(BOOK | {read: 1}).get(read) == meant


def test_a_case_that_the_book_repeats_stays() -> None:
    assert case_mends(BOOK | {"leaVe": 2}) == {}


def test_glosses_stay_as_they_are() -> None:
    read = page(line("leaVe leave leave, 1SG.NOM leaVe.SG", 100))
    mends = case_mends(Counter(book_words(read)))
    texts = [run.text for run in with_mends(read, mends).runs]
    assert texts == ["leave", "leave", "leave,", "1SG.NOM", "leaVe.SG"]


@given(st.dictionaries(st.text("avVoOS", min_size=1, max_size=7), st.integers(1, 4), max_size=12))
def test_only_the_case_changes_and_only_to_a_word_of_the_book(counts: dict[str, int]) -> None:
    for read, meant in case_mends(counts).items():
        assert counts[read] == 1
        assert counts[meant] >= 2
        assert read.lower() == meant.lower()
        assert meant not in case_mends(counts)
