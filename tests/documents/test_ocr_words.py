"""The words of a recognised line: cut at the white between them, and corrected only where the dictionary has a reason.

Lines of blocks of ink are drawn here.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pairwright.documents.pages.words import OcrWord, by_dictionary, parted, repaired, words_of
from pairwright.languages import load_language

SIZE = 40.0


def drawn(words: list[str], gap: int = 14) -> tuple[NDArray[np.uint8], list[float]]:
    """A line in which each letter is a block of 14 pixels, 3 apart: its ink and the letters' places."""
    ink, places = np.zeros((50, 1200), np.uint8), []
    x = 10
    for number, text in enumerate(words):
        x += gap - 3 if number else 0
        for _ in text:
            ink[15:40, x : x + 14] = 1
            places.append(x + 7.0)
            x += 17
    return ink, places


def cut(words: list[str], read: str) -> list[str]:
    """The words of a drawn line that was read so."""
    ink, places = drawn(words)
    return [word for word, _ in words_of(ink, (0.0, 0.0, 1200.0, 50.0), read, places, SIZE)]


@pytest.mark.parametrize(("one", "two"), [("3.", "11"), ("PRS", ".3"), ("dog-", "NOM"), ("(", "see")])
def test_white_beside_points_and_figures_is_no_space(one: str, two: str) -> None:
    assert cut([one, two], one + two) == [one + two]


@given(st.lists(st.text("abcdeūž", min_size=3, max_size=8), min_size=2, max_size=6))
def test_words_that_were_read_as_one_come_apart(words: list[str]) -> None:
    assert cut(words, "".join(words)) == words


@given(st.lists(st.text("abcde", min_size=1, max_size=6), min_size=2, max_size=6), st.data())
def test_words_keep_their_order_wherever_their_letters_were_seen(words: list[str], data: st.DataObject) -> None:
    spaces = data.draw(st.lists(st.sampled_from(["", " "]), min_size=len(words), max_size=len(words)))
    text = "".join(map("".join, zip(words, spaces, strict=True))).strip()
    ink, places = drawn(words, gap=data.draw(st.integers(4, 60)))
    seen = sorted(place + data.draw(st.integers(-30, 30)) for place in places)
    found = words_of(ink, (0.0, 0.0, 1200.0, 50.0), text, seen, SIZE)
    edges = [edge for _, box in found for edge in (box[0], box[2])]
    assert edges == sorted(edges)
    assert "".join(word for word, _ in found) == "".join(words)


def test_words_are_cut_at_their_white_where_no_place_of_a_letter_is_known() -> None:
    ink, _ = drawn(["mano", "knyga"])
    (_, one), (_, two) = words_of(ink, (0.0, 0.0, 1200.0, 50.0), "mano knyga", (), SIZE)
    assert ink[:, int(one[0]) : int(one[2])].sum() == 25 * 14 * len("mano")
    assert ink[:, int(one[2]) : int(two[0])].sum() == 0


def test_boxes_that_overlap_are_cut_at_the_white_between_words() -> None:
    ink, _ = drawn(["mano", "knyga"], gap=20)
    one, two = parted([(0.0, 0.0, 110.0, 50.0), (60.0, 0.0, 400.0, 50.0)], ink)
    assert one[2] == two[0]
    assert ink[:, int(one[2])].sum() == 0
    assert 75 < one[2] < 98


LT = load_language("lt")
WORDS = frozenset({"žąsys", "medį", "medi", "įrašas", "į", "Į", "ŽĄSYS", "saulę", "saule"})


def knows(word: str) -> bool:
    return word in WORDS or word.lower() in WORDS


def nothing(word: str) -> bool:
    return False


def reading(text: str, x: float = 0.0) -> OcrWord:
    return OcrWord(text, (x, 0.0, x + 50.0, 20.0), 0, 0.9)


@pytest.mark.parametrize(
    ("word", "repaired_word"),
    [
        ("žasys", "žąsys"),
        ("(irašas),", "(įrašas),"),
        ("ŽASYS", "ŽĄSYS"),
        # A known word stays though another is known too.
        ("medi", None),
        ("saule", None),
    ],
)
def test_an_unknown_word_becomes_the_only_known_one(word: str, repaired_word: str | None) -> None:
    assert by_dictionary(word, LT.ocr_confusions, knows, nothing) == repaired_word


def test_the_lithuanian_dictionary_repairs_its_own_letters_and_lowers_the_confidence() -> None:
    two = {"rytą", "rytę"}.__contains__
    assert by_dictionary("ryta", {"ą": "a", "ę": "a"}, two, nothing) is None
    assert by_dictionary("žAsys", {"Ą": "A"}, lambda word: word == "žĄsys", nothing) is None
    # Words of another language of the page stay.
    assert repaired([reading("theme"), reading("use", 60)], LT) == [reading("theme"), reading("use", 60)]
    assert repaired([reading("žasys")], load_language("qaa")) == [reading("žasys")]
    kept, first, second = repaired([reading("žąsis"), reading("gražiausiaji", 60), reading("žasis", 120)], LT)
    assert [kept.text, first.text, second.text] == ["žąsis", "gražiausiąjį", "žąsis"]
    assert max(first.confidence, second.confidence) < kept.confidence == 0.9
