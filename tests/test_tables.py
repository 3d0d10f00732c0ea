"""Tables that people save: what is read and refused, with its line; cells that no program runs; words and keys."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.errors import SourceError
from pairwright.core.tables import read_table, refuse_doubled, table_text
from pairwright.core.text import TOKEN, comparison_key, squeeze, text_encoding, unescape_csv_formula, words

PATH = Path("words.csv")
CELL = st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=20)


@given(st.lists(st.tuples(CELL, CELL), max_size=5), st.sampled_from(";,\t"), st.sampled_from(["\n", "\r\n"]))
def test_what_is_written_is_read_again(rows: list[tuple[str, str]], separator: str, line_end: str) -> None:
    text = table_text([("good", "bad"), *rows], separator, line_end)
    titles, read = read_table(PATH, text, ";,\t", SourceError)
    assert titles == ("good", "bad")
    cells = (tuple(map(unescape_csv_formula, row.cells.values())) for row in read)
    written, found = ([row for row in part if any(map(str.strip, row))] for part in (rows, cells))
    assert found == written


def test_a_row_has_the_line_on_which_it_begins_and_empty_cells_where_it_ends_early() -> None:
    _, rows = read_table(PATH, 'head\tword\n"two\nlines"\tone\n\nlast\n', "\t", SourceError)
    assert [(row.line, row.cells, row.quote) for row in rows] == [
        (2, {"head": "two\nlines", "word": "one"}, '"two\nlines"\tone'),
        (5, {"head": "last", "word": ""}, "last"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("good,bad,Good\na,b,c\n", r"words\.csv:1: column 'Good' stands twice; rename or remove one"),
        ("good,bad\na,b\na,b,c\n", r"words\.csv:3: 3 cells under 2 columns; put cells that contain ','"),
        ('good,bad\na,"b\n', r"words\.csv:2: unexpected end of data; put a cell"),
    ],
)
def test_a_table_that_is_read_in_two_ways_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        list(read_table(PATH, text, ",", SourceError)[1])


def test_columns_may_lack_a_title() -> None:
    refuse_doubled(["", "good", "", "bad", ""], "words.csv:1", SourceError)


def test_a_text_that_could_be_a_formula_gets_an_apostrophe() -> None:
    assert table_text([["=HYPERLINK(1)", -1, None, 0.5, "a,b"]]) == '\'=HYPERLINK(1),-1,,0.5,"a,b"\n'


SENTENCE = st.text(alphabet="aąbė ABC.,;–-'()", max_size=40)


def test_tokens_keep_hyphens_and_numbers_whole() -> None:
    assert " ".join(TOKEN.findall("Iki spalio 25-os d., 3.1.9 p.")) == "Iki spalio 25-os d . , 3.1.9 p ."
    assert words("Ar tai – jis?") == ["Ar", "tai", "jis"]


@given(SENTENCE)
def test_keys_do_not_depend_on_case_and_spacing(sentence: str) -> None:
    assert comparison_key(sentence.upper()) == comparison_key(sentence.lower())
    assert comparison_key(f"  {sentence}!") == comparison_key(sentence)
    assert squeeze(squeeze(sentence)) == squeeze(sentence)


def test_ciphers_and_unknown_names_are_no_encodings_of_texts() -> None:
    assert [text_encoding(name) for name in ("rot13", "idna", "no-such", "CP1257")] == [None, None, None, "cp1257"]
