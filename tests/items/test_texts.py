"""Texts of a user become items of translation, both ways."""

from pathlib import Path

import pytest

from pairwright.core.errors import SourceError
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item
from pairwright.tasks.questions import TextFile, text_items


def test_a_table_of_texts_gives_two_items_a_row(tmp_path: Path) -> None:
    path = tmp_path / "flores.tsv"
    path.write_text(
        "id\tlit_Latn\teng_Latn\n1\tŠuo loja.\tThe dog barks.\n2\t\tNo text here.\n3\tLyja.\tIt rains.\n",
        encoding="utf-8",
    )
    made = list(text_items(TextFile(path, "lit_Latn", "eng_Latn"), "lt"))
    items = [item for item in made if isinstance(item, Item)]
    assert [(item.condition, item.context, item.reference) for item in items] == [
        ("from flores", ("Šuo loja.",), "The dog barks."),
        ("into flores", ("The dog barks.",), "Šuo loja."),
        ("from flores", ("Lyja.",), "It rains."),
        ("into flores", ("It rains.",), "Lyja."),
    ]
    assert len({item.id for item in items}) == 4
    assert made == list(text_items(TextFile(path, "lit_Latn", "eng_Latn"), "lt"))
    (rejected,) = (item for item in made if isinstance(item, Rejection))
    assert (rejected.file, rejected.line, rejected.text) == ("flores.tsv", 3, "No text here.")
    assert rejected.reason == "the cell 'lit_Latn' is empty"


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("text,translation\nLyja.,It rains.\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"no column 'english'; found: 'text, translation'"):
        list(text_items(TextFile(path, "text", "english"), "lt"))
