"""Marks of acceptability, with any of the stars that typesetters have."""

import pytest

from pairwright.core.records import Gloss
from pairwright.languages.linguistics.marks import (
    DISPUTED,
    JUDGEMENT,
    STARRED,
    STARS,
    is_marked,
    meaning,
    split_mark,
    tag_mark,
)


@pytest.mark.parametrize("star", STARS)
def test_every_star_calls_a_sentence_bad(star: str) -> None:
    assert split_mark(f"{star}Jis eina") == (star, "Jis eina")
    assert meaning(star) == meaning(star * 2) == meaning(f"?{star}") == "bad"
    assert is_marked(Gloss(surface=f"{star}Jis eina"))
    match = JUDGEMENT.match(f"{star}Jis")
    assert match is not None
    assert match["mark"] == star
    assert STARRED.search(f"not {star} eina")


@pytest.mark.parametrize(
    ("text", "mark", "rest"),
    [
        ("??Jis", "??", "Jis"),
        ("(*)Jis", "(*)", "Jis"),
        ("%Jis", "%", "Jis"),
        ("†Jis", "†", "Jis"),
        ("Jis *eina", "", "Jis *eina"),
        ("* Jis", "", "* Jis"),
        ("2*3", "", "2*3"),
    ],
)
def test_a_mark_stands_right_before_its_sentence(text: str, mark: str, rest: str) -> None:
    assert split_mark(text) == (mark, rest)


def test_marks_mean_what_their_source_says_of_them() -> None:
    assert [meaning(mark) for mark in ("??", "?", "(*)", "#", "%")] == ["bad", "doubtful", "doubtful", "other", "other"]
    assert meaning("%", {"%": "bad"}) == "bad"
    assert not is_marked(Gloss(surface="Jis eina"))


def test_speakers_may_differ() -> None:
    assert tag_mark("(NK, KM)") == ""
    assert tag_mark("(∗NK, *KM)") == "*"
    assert tag_mark("(NK, *KM)") == DISPUTED
