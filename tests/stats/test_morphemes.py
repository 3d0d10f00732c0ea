"""How well cuts fall on morpheme boundaries, by hand-counted words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.stats.morphemes import align_segmentation

words = st.text("abcdė", min_size=1, max_size=9)


@st.composite
def segmented(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...]]:
    word = draw(words)

    def cut() -> tuple[str, ...]:
        places = sorted(draw(st.sets(st.integers(1, len(word) - 1)))) if len(word) > 1 else []
        return tuple(word[start:end] for start, end in zip([0, *places], [*places, len(word)], strict=True))

    return cut(), cut()


def test_words_counted_by_hand() -> None:
    found = align_segmentation(
        [
            (("nam", "uose"), ("nam", "uose")),
            (("kny", "g", "oje"), ("knyg", "oje")),
            (("laukiame",), ("lauk", "iame")),
        ]
    )
    assert found is not None
    assert (found.n, found.exact, found.over, found.under) == (3, 1, 1, 1)
    # Edits: none; two pieces for one (a substitution and a deletion); a substitution and an insertion.
    assert found.distance == pytest.approx(4 / 3)
    assert found.normalised == pytest.approx((0 + 2 / 3 + 2 / 2) / 3)
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert (found.pieces, found.morphemes) == (2.0, 2.0)


def test_two_neighbours_that_change_places_are_one_edit() -> None:
    found = align_segmentation([(("a", "ba", "c"), ("ab", "a", "c"))])
    assert found is not None
    assert found.distance == 2
    swapped = align_segmentation([(("aa", "a"), ("a", "aa"))])
    assert swapped is not None
    assert swapped.distance == 1


@given(st.lists(segmented(), min_size=1, max_size=10))
def test_every_word_is_cut_more_less_or_as_often(drawn: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
    found = align_segmentation(drawn)
    assert found is not None
    assert found.over + found.under + sum(len(pieces) == len(gold) for pieces, gold in drawn) == found.n
    assert found.exact <= found.n - found.over - found.under
    assert 0 <= found.normalised <= 1
    assert (found.distance == 0) == (found.exact == found.n)


@given(st.lists(segmented(), min_size=1, max_size=10))
def test_gold_against_itself_is_perfect(drawn: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> None:
    found = align_segmentation([(gold, gold) for _, gold in drawn])
    assert found is not None
    assert (found.distance, found.exact) == (0, found.n)
    assert found.precision in (1.0, None)


def test_pieces_of_another_word_are_refused() -> None:
    assert align_segmentation([]) is None
    with pytest.raises(ValueError, match=r"na\|mas and knyg\|a are not the same word"):
        align_segmentation([(("na", "mas"), ("knyg", "a"))])
