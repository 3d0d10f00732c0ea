"""Agreement of predicted with true classes: known values and what holds for any counts."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pairwright.stats.bootstrap import confusion_cells, macro_f1, mcc

labels = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=60)


def confusion(pairs: list[tuple[int, int]], n_classes: int = 3) -> NDArray[Any]:
    truths, predictions = zip(*pairs, strict=True)
    counts: NDArray[Any] = confusion_cells(truths, predictions, n_classes).sum(axis=0)
    return counts.reshape(n_classes, n_classes)


def test_the_coefficient_of_two_classes_is_the_textbook_formula() -> None:
    # 6 true positives, 1 false negative, 2 false positives, 3 true negatives.
    expected = (6 * 3 - 2 * 1) / math.sqrt((6 + 2) * (6 + 1) * (3 + 2) * (3 + 1))
    assert mcc(np.array([[3, 2], [1, 6]])) == pytest.approx(expected)
    f1 = [2 * 3 / (2 * 3 + 2 + 1), 2 * 6 / (2 * 6 + 1 + 2)]
    assert macro_f1(np.array([[3, 2], [1, 6]])) == pytest.approx(sum(f1) / 2)
    # Several matrices at once; answers of one class agree by chance alone.
    assert mcc(np.array([[[3, 2], [1, 6]], [[5, 0], [0, 7]], [[0, 5], [0, 7]]])) == pytest.approx([expected, 1, 0])


@given(labels)
def test_the_coefficient_is_the_correlation_of_the_indicators(pairs: list[tuple[int, int]]) -> None:
    truths, predictions = (np.eye(3)[list(side)] for side in zip(*pairs, strict=True))
    truths, predictions = truths - truths.mean(axis=0), predictions - predictions.mean(axis=0)
    spread = math.sqrt((truths**2).sum() * (predictions**2).sum())
    expected = (truths * predictions).sum() / spread if spread > 1e-9 else 0.0
    assert mcc(confusion(pairs)) == pytest.approx(expected, abs=1e-9)


@given(labels)
def test_all_right_is_one(pairs: list[tuple[int, int]]) -> None:
    right = [(truth, truth) for truth, _ in pairs]
    assert macro_f1(confusion(right)) == 1
    assert mcc(confusion(right)) == (1 if len({truth for truth, _ in right}) > 1 else 0)
