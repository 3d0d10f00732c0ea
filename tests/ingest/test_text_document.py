"""Blocks of error lists in text formats: kinds, lines, sections, emphasis, tables, ids."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pairwright.core.records import Block

Read = Callable[..., list[Block]]


@pytest.fixture(scope="session")
def blocks(read_text: Read) -> Read:
    """Reads an error list in Markdown or the format of a suffix."""
    return lambda text, suffix=".md": read_text(text, suffix, "error-list")


def test_markdown_blocks_have_kind_line_and_section(blocks: Read) -> None:
    found = blocks("# A\n\nfirst\nsecond\n\n## B\n\n- one\n- **two** *three*\n\n3. third\n\n# C\n\nlast\n")
    assert [(b.kind, b.text, b.line, b.section) for b in found] == [
        ("heading", "A", 1, ()),
        ("paragraph", "first\nsecond", 3, ("A",)),
        ("heading", "B", 6, ("A",)),
        ("list_item", "one", 8, ("A", "B")),
        ("list_item", "two three", 9, ("A", "B")),
        ("list_item", "3. third", 11, ("A", "B")),
        ("heading", "C", 13, ()),
        ("paragraph", "last", 15, ("C",)),
    ]
    assert [found[4].text[a:b] for a, b in found[4].emphasis] == ["two", "three"]


def test_html_blocks_have_kind_line_and_section_and_no_scripts(blocks: Read) -> None:
    found = blocks(
        "<html><head><title>t</title></head><body><script>alert(1)</script>\n<h1>A</h1>\n"
        "<p>first<br>second</p>\n<ul>\n<li>one <i>two</i><ul>\n<li>inner</li></ul></li>\n</ul></body></html>",
        ".html",
    )
    assert [(b.kind, b.text, b.line, b.section) for b in found] == [
        ("heading", "A", 2, ()),
        ("paragraph", "first\nsecond", 3, ("A",)),
        ("list_item", "one two", 5, ("A",)),
        ("list_item", "inner", 6, ("A",)),
    ]
    assert [found[2].text[a:b] for a, b in found[2].emphasis] == ["two"]


def test_plain_text_joins_wrapped_lines_and_keeps_numbered_headings(blocks: Read) -> None:
    found = blocks("1.1. Antraštė\nSakinys prasideda\nir baigiasi.\n• punktas\n\nNaujas.\n", ".txt")
    assert [(b.kind, b.text, b.line) for b in found] == [
        ("paragraph", "1.1. Antraštė", 1),
        ("paragraph", "Sakinys prasideda\nir baigiasi.", 2),
        ("list_item", "punktas", 4),
        ("paragraph", "Naujas.", 6),
    ]


def test_tables_of_all_formats_have_the_same_cells_and_know_their_lines(blocks: Read) -> None:
    markdown = blocks("| a | b |\n|---|---|\n| c | d |\n")
    html = blocks("<table><tr><th>a</th><th>b</th></tr>\n<tr><td>c</td><td>d</td></tr></table>", ".html")
    table = blocks('a;b\n"c";d\n', ".csv")
    assert [b.cells for b in (*markdown, *html, *table)] == [(("a", "b"), ("c", "d"))] * 3
    assert [b.row_lines for b in (*markdown, *html, *table)] == [(1, 3), (1, 2), (1, 2)]


def test_a_csv_row_over_several_lines_is_named_by_its_first(blocks: Read) -> None:
    (found,) = blocks('wrong,right\n"a\nb",c\nd,e\n', ".csv")
    assert found.row_lines == (1, 2, 4)
    assert found.cells == (("wrong", "right"), ("a b", "c"), ("d", "e"))


def test_ids_come_from_content_and_tell_repeated_paragraphs_apart(blocks: Read) -> None:
    once = blocks("# A\n\nsame\n\nother\n")
    moved = blocks("# A\n\nnew\n\nother\n\nsame\n\nsame\n")
    assert once[1].id in {b.id for b in moved if b.text == "same"}
    assert len({b.id for b in moved}) == len(moved)


@example("|\n", ".md")
@example("|\n| a\n|\n", ".md")
@given(st.text(alphabet="ab #-*|\n().=123<>/p&;", max_size=80), st.sampled_from([".md", ".html", ".txt", ".csv"]))
def test_every_block_of_any_text_stands_on_a_line_of_it(blocks: Read, text: str, suffix: str) -> None:
    text += "\nend"
    found = blocks(text, suffix)
    n_lines = text.count("\n") + 1
    assert all(b.line is not None and 1 <= b.line <= n_lines for b in found)
    assert all(b.text.strip() == b.text and b.text for b in found if b.kind != "table")
    assert len({b.id for b in found}) == len(found)
