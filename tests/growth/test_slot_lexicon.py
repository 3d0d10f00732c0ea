"""The file of a slot lexicon: what is read, what is refused, and which words fit which."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.core.errors import MorphologyError
from pairwright.growth.augment.lexicon import CLASSES, SlotWord, alike, read_slot_lexicon, write_slot_lexicon

HEADER = "lemma\tupos\tclass\tcountability\tband\tclassed_by\n"
NOUN_CLASSES = st.sampled_from([*CLASSES["NOUN"], "person:worker", "food:fruit"])
WORDS = st.builds(
    SlotWord,
    lemma=st.text("abcčė", min_size=1, max_size=5),
    upos=st.just("NOUN"),
    classes=st.lists(NOUN_CLASSES, max_size=2, unique=True).map(tuple),
    countability=st.sampled_from(["", "count", "mass", "plural"]),
    band=st.none() | st.integers(1, 6),
    classed_by=st.sampled_from(["hand", "a model"]),
)


@settings(max_examples=30)
@given(st.lists(WORDS, unique_by=lambda word: word.key))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, entries: list[SlotWord]) -> None:
    path = tmp_path_factory.mktemp("lexicon") / "xx.tsv"
    write_slot_lexicon(path, entries)
    first = path.read_bytes()
    read = read_slot_lexicon(path)
    assert read == {entry.key: entry for entry in entries}
    write_slot_lexicon(path, read.values())
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "kalnas\tNOUN\tmountain\t\t1\t",
            ":2: class 'mountain' is unknown for NOUN; leave the cell empty, or take person",
        ),
        ("kalnas\tnoun\t\t\t1\t", ":2: 'noun' is no part of speech of Universal Dependencies"),
        ("kalnas\tNOUN\tplace\t\t1\thand\tmy note", ":2: 7 cells under 6 columns; put cells that contain"),
        ("kalnas\tNOUN\nkalnas\tNOUN\tplace", ":3: 'kalnas' NOUN stands twice; take one out"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "lt.tsv"
    path.write_text(HEADER + line + "\n", encoding="utf-8")
    with pytest.raises(MorphologyError) as fault:
        read_slot_lexicon(path)
    assert str(fault.value).startswith(f"{path}{message}")


def test_columns_that_programs_fill_may_be_missing_and_others_would_be_lost_in_writing(tmp_path: Path) -> None:
    path = tmp_path / "lt.tsv"
    path.write_text(HEADER.replace("\n", "\tnotes\n"), encoding="utf-8")
    with pytest.raises(MorphologyError, match=r":1: the columns are lemma, upos, class"):
        read_slot_lexicon(path)
    path.write_text("lemma\tupos\tclass\tband\nkalnas\tNOUN\tplace\t2\n", encoding="utf-8")
    (entry,) = read_slot_lexicon(path).values()
    assert entry == SlotWord(lemma="kalnas", upos="NOUN", classes=("place",), band=2, classed_by="hand")


def test_words_fit_by_class_division_and_countability() -> None:
    def word(lemma: str, *classes: str, countability: str = "count") -> SlotWord:
        return SlotWord.model_validate(
            {"lemma": lemma, "upos": "NOUN", "classes": classes, "countability": countability}
        )

    words = [
        word("baker", "person:worker"),
        word("smith", "person:worker"),
        word("aunt", "person:kin"),
        word("somebody", "person"),
        word("milk", "drink", countability="mass"),
        word("cup", "drink", "thing"),
        word("unclassified"),
    ]
    found = {one.lemma: [other.lemma for other in alike({it.key: it for it in words}, one)] for one in words}
    assert found["baker"] == ["smith", "somebody"]
    assert found["somebody"] == ["aunt", "baker", "smith"]
    assert found["milk"] == found["unclassified"] == []
