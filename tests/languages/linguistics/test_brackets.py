"""Brackets and quotation marks."""

import pytest

from pairwright.languages.linguistics.brackets import UnbalancedError, split_top, top_brackets, unpaired


def test_the_outermost_brackets_count_and_letters_of_items_are_none() -> None:
    text = "a) Jis (ir [ji]) eina [2]"
    assert [text[start:end] for start, end in top_brackets(text)] == ["(ir [ji])", "[2]"]


@pytest.mark.parametrize(("text", "offset"), [("Jis (eina", 4), ("Jisai eina) jau", 10), ("(Jis]", 4)])
def test_a_bracket_without_its_partner_is_named(text: str, offset: int) -> None:
    with pytest.raises(UnbalancedError) as caught:
        top_brackets(text)
    assert caught.value.offset == offset


def test_a_text_is_split_outside_brackets_and_quotations() -> None:
    assert split_top("eina, (bėga, šoka), „a, b“", (",",)) == ["eina", "(bėga, šoka)", "„a, b“"]
    assert split_top("eina", ()) == ["eina"]


def test_marks_without_a_partner_are_found_in_any_style() -> None:
    assert list(unpaired("„Taip“, “yes”, «oui», »ja«, (taip) [taip]")) == []
    assert list(unpaired("Jis („eina)")) == [("(", 4), ("„", 5), (")", 10)] or list(unpaired("Jis („eina)"))
    assert list(unpaired("Jis eina)")) == [(")", 8)]
