"""Tilt and ruled lines of a page image."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pairwright.documents.pages.image import ink, is_blank, ruled_lines, skew, turned


def page_of_bars(width: int = 1000, height: int = 1300) -> NDArray[np.uint8]:
    """Bars of words in lines, as a page looks from afar."""
    page = np.full((height, width), 245, np.uint8)
    rng = np.random.default_rng(4)
    for top in range(100, height - 100, 40):
        x = 100
        while x < width - 160:
            length = int(rng.integers(20, 90))
            page[top : top + 14, x : x + length] = 20
            x += length + 14
    return page


@settings(max_examples=12)
@given(st.floats(min_value=-4, max_value=4))
def test_the_tilt_is_found_and_taken_out(degrees: float) -> None:
    tilted = turned(page_of_bars(), -degrees)
    assert skew(ink(tilted)) == pytest.approx(degrees, abs=0.1)


def test_a_page_with_nothing_to_level_stays() -> None:
    assert skew(np.zeros((500, 400), np.uint8)) == 0.0
    assert skew(ink(page_of_bars())) == pytest.approx(0.0, abs=0.05)


def test_noise_is_blank_and_a_word_is_not() -> None:
    noise = np.random.default_rng(3).normal(230, 8, (800, 600)).clip(0, 255).astype(np.uint8)
    assert is_blank(ink(noise))
    noise[300:330, 200:330] = 15
    assert not is_blank(ink(noise))


def test_lines_are_found_without_the_letters() -> None:
    page = np.full((600, 900), 250, np.uint8)
    page[100:103, 50:850] = 0
    page[100:400, 50:53] = 0
    cv2.putText(page, "Namas", (200, 250), cv2.FONT_HERSHEY_SIMPLEX, 2, (0,), 5)
    dark = ink(page)
    lines, mask = ruled_lines(dark, dpi=200)
    assert sorted((round(line.x1 - line.x0, -1), round(line.y1 - line.y0, -1)) for line in lines) == [
        (0, 300),
        (800, 0),
    ]
    letters = (page < 128).sum() - 3 * 800 - 3 * 300 + 9
    assert abs(int((dark & (1 - mask)).sum()) - int(letters)) < 0.1 * letters
