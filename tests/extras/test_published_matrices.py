"""Published tables of matrices as items."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrix_parts import HEADER, cells, table_text

from pairwright.core.errors import SourceError
from pairwright.extras.matrices.template import read_published

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*rows: dict[str, str], header: list[str] = HEADER) -> Path:
        path = tmp_path / "break_type_I.csv"
        path.write_text(table_text(*rows, header=header), encoding="utf-8")
        return path

    return written


def test_a_row_is_a_problem_with_one_right_answer(write: Write) -> None:
    ((item,), notes) = read_published(write(cells(7)), "en")
    assert notes == []
    assert (item.task, item.language, item.condition) == ("matrix", "en", "break_type_I")
    assert item.context == ("Boy 7 broke the vase.", "Vase 7 was broken.")
    by_text = {option.text: option.label for option in item.options}
    assert by_text == {
        "7 The vase broke on the floor.": "",
        "7 The boy broke on the floor.": "Wrong_Agent NP Verb",
        "7 The vase broke the boy.": "Order NP Verb",
    }
    assert [item.options[place].label for place in item.answers] == [""]
    items, _ = read_published(write(*(cells(number) for number in range(60))), "en")
    assert {item.answers for item in items} == {(0,), (1,), (2,)}


@settings(max_examples=25)
@given(rights=st.lists(st.integers(0, 9), min_size=2, max_size=40), share=st.floats(0.05, 0.5))
def test_problems_with_one_right_answer_are_not_parted(
    rights: list[int], share: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("published") / "table.csv"
    rows = [cells(number, Answer_1=f"The vase {right} broke.") for number, right in enumerate(rights)]
    path.write_text(table_text(*rows), encoding="utf-8")
    items, _ = read_published(path, "en", share)
    texts = {split: {i.options[i.answers[0]].text for i in items if i.split == split} for split in ("train", "test")}
    assert not texts["train"] & texts["test"]
    assert sum(item.split == "test" for item in items) >= share * len(items)
    assert read_published(path, "en", share).items == items


def test_wrong_answers_that_are_equal_in_all_rows_are_one_and_others_are_left_out(write: Write) -> None:
    """As in the published tables of French agreement."""
    equal = [cells(number, Answer_3=f"{number} The boy broke on the floor.") for number in range(9)]
    items, notes = read_published(write(*equal), "fr")
    assert {len(item.options) for item in items} == {2}
    assert {option.label for item in items for option in item.options} == {"", "Wrong_Agent NP Verb/Order NP Verb"}
    assert notes == ["answers 2, 3 are equal in all rows: one answer"]
    path = write(cells(0), *equal[1:3], cells(4))
    items, notes = read_published(path, "fr")
    assert ([len(item.options) for item in items], len(notes)) == ([3, 3], 1)
    assert "2 rows left out" in notes[0]
    assert f"{path}:3" in notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Answer_2": " "}, "Answer_2 is empty"),
        ({"Answer_value_2": "True"}, "2 answers are right"),
        ({"Answer_value_3": "maybe"}, "Answer_value_3 is 'maybe'"),
        ({"Answer_3": "1 The vase broke on the floor."}, "as a wrong one too"),
    ],
)
def test_a_row_that_is_no_problem_is_named_by_file_and_line(
    write: Write, changes: dict[str, str], message: str
) -> None:
    path = write(cells(0), cells(1, **changes))
    with pytest.raises(SourceError) as fault:
        read_published(path, "en")
    assert str(fault.value).startswith(f"{path}:3: ")
    assert message in str(fault.value)


def test_a_table_of_another_kind_is_refused(write: Write, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r":1: no column Answer_value_2"):
        read_published(write(cells(0), header=[name for name in HEADER if name != "Answer_value_2"]), "en")
    with pytest.raises(SourceError, match="no problem in it"):
        read_published(write(), "en")
    with pytest.raises(SourceError, match="the same problem as"):
        read_published(write(cells(0), cells(0)), "en")
    with pytest.raises(SourceError, match=r":4: Sent_1 is empty"):
        read_published(write(cells(0, Sent_2='"A break\nin a cell."'), cells(1, Sent_1="")), "en")
    uneven = tmp_path / "uneven.csv"
    uneven.write_text("\t".join(HEADER) + "\n0\tBoy\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"uneven.csv:2: Sent_2 is empty"):
        read_published(uneven, "en")
