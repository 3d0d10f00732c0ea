"""Grammars and error lists in Markdown, plain text, HTML and CSV: blocks, their lines and examples."""

from collections.abc import Callable
from pathlib import Path

import pytest
from gloss_parts import shown_blocks
from hypothesis import example, given
from hypothesis import strategies as st

from pairwright.core.errors import SourceError
from pairwright.core.records import Block, SourceKind

Read = Callable[..., list[Block]]

OBJECTS, GLOSSES = ["Vaikai", "žaidžia", "kieme"], ["child-NOM.PL", "play-PRS.3", "yard-LOC.SG"]
TRANSLATION = "Children are playing in the yard."
EXAMPLE = f"7) ~ {' '.join(OBJECTS)} = {' '.join(GLOSSES)} ‘{TRANSLATION}’"
LINES = [" ".join(OBJECTS), " ".join(GLOSSES), f"‘{TRANSLATION}’"]
COLUMNS = """\
(7) Vaikai       žaidžia    kieme
    child-NOM.PL play-PRS.3 yard-LOC.SG
    ‘Children are playing in the yard.’
"""
COUNTED = "(7) " + "\n".join(LINES) + "\n"
INDENTED = f"(7)\n    {LINES[0]}\n    {LINES[1]}\n    {TRANSLATION}\n"


def cells(*rows: list[str]) -> str:
    return f"<table>{''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in rows)}</table>"


IN_MARKUP = {
    "line breaks": f"<p>(7) {'<br>'.join(LINES)}</p>",
    "paragraphs": f"<p>(7) {LINES[0]}</p><p>{LINES[1]}</p><p>{LINES[2]}</p>",
    "preformatted": f"<pre>{COLUMNS}</pre>",
    "cells": cells(["(7)", *OBJECTS], ["", *GLOSSES], ["", LINES[2]]),
    "one cell a line": cells(["(7)", LINES[0]], ["", LINES[1]], ["", LINES[2]]),
}


@pytest.mark.parametrize("markup", IN_MARKUP.values(), ids=IN_MARKUP.keys())
def test_a_glossed_example_is_read_in_every_markup(read_text: Read, markup: str) -> None:
    blocks = read_text(f"<h1>Verbs</h1><p>The subject comes first.</p>{markup}<p>So it agrees.</p>", ".html")
    assert [block.kind for block in blocks] == ["heading", "paragraph", "gloss", "paragraph"]
    assert shown_blocks(blocks) == [EXAMPLE]


SOURCE = "(Petraitis 2001: 5)"
LETTERED = """\
(12) Lithuanian (Baltic)
     a. *Šuo    loj-a      garsiai.
         dog    bark-PRS.3 loudly
         intended: ‘The dog barks loudly.’

     b.  Katė   miega.
         cat    sleep.PRS.3
         ‘The cat sleeps.’ (Petraitis 2001: 5)
"""
EXAMPLES = {
    "code": (".md", f"```\n{COLUMNS}```\n", [EXAMPLE]),
    "lines below the number": (".txt", INDENTED, [EXAMPLE]),
    "hard line breaks": (".md", "  \n".join(COUNTED.splitlines()), [EXAMPLE]),
    "parts, marks, languages, sources": (
        ".txt",
        LETTERED,
        [
            "a) <Lithuanian (Baltic)> * ~ Šuo loj-a garsiai. = dog bark-PRS.3 loudly ‘The dog barks loudly.’",
            "b) <Lithuanian (Baltic)> ~ Katė miega. = cat sleep.PRS.3 ‘The cat sleeps.’ [Petraitis 2001: 5]",
        ],
    ),
    "one behind the translation": (".txt", f"{COUNTED.rstrip()} {SOURCE}\n", [f"{EXAMPLE} [{SOURCE[1:-1]}]"]),
    "one below": (".txt", f"{COUNTED}{SOURCE}\n", [f"{EXAMPLE} [{SOURCE[1:-1]}]"]),
    "sentences without gloss": (
        ".md",
        "(5) a. *Jis eina namus.\n    b. Jis eina namo.\n\n(6) šuo loja ‘the dog barks’\n",
        ["a) * Jis eina namus.", "b) Jis eina namo.", "6) šuo loja ‘the dog barks’"],
    ),
    "a cell of two words": (
        ".html",
        cells(["(1)", "Jis", "yra buvęs"], ["", "he", "has been"], ["", "‘He has been.’"]),
        ["1) ~ Jis yra buvęs = he has been ‘He has been.’"],
    ),
    "small capitals": (
        ".html",
        '<p>(1) Šuo loja<br>dog bark.<span style="font-variant: small-caps">prs</span>.3<br>‘The dog barks.’</p>',
        ["1) ~ Šuo loja = dog bark.PRS.3 ‘The dog barks.’"],
    ),
    "words that run to the left": (
        ".txt",
        "(1) הכלב נובח\nDEF.dog bark.PRS\n‘The dog barks.’\n\n(2) הכלב נובח בלילה\n",
        ["1) ~ הכלב נובח = DEF.dog bark.PRS ‘The dog barks.’", "2) הכלב נובח בלילה"],
    ),
    "labels that count upward": (
        ".txt",
        "\n".join(
            f"{f'Ex. {n}:':8} šuo     loj-a\n         dog.NOM bark-PRS.3\n         ‘It barks.’\n" for n in range(1, 13)
        ),
        [f"{n}) ~ šuo loj-a = dog.NOM bark-PRS.3 ‘It barks.’" for n in range(1, 13)],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_line_of_an_example_has_its_place(read_text: Read, name: str) -> None:
    suffix, text, wanted = EXAMPLES[name]
    assert shown_blocks(read_text(text, suffix)) == wanted


@pytest.mark.parametrize(
    "prose",
    [
        "(9) shows that the verb agrees with its\nsubject in number and person.",
        "(9) and (10) differ in the order\nof NP and VP, which follow one\nanother in this language.",
        "The dog is the subject, as the sentence in\n(9) shows.",
        "(9) is about the third group. The forms of this group are rare. They end in a vowel.",
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html"])
def test_prose_that_begins_with_a_number_is_no_example(read_text: Read, prose: str, suffix: str) -> None:
    blocks = read_text(f"<p>{prose}</p>" if suffix == ".html" else prose, suffix)
    assert [(block.kind, block.text) for block in blocks] == [("paragraph", " ".join(prose.split()))]


def test_merged_cells_have_their_text_in_the_first_place(read_text: Read) -> None:
    head = "<tr><th rowspan=2>case</th><th colspan=2>number</th></tr><tr><th>sg</th><th>pl</th></tr>"
    rows = "<tr><td>nom</td><td>nam-as</td><td rowspan=2>same</td></tr><tr><td>gen</td><td>nam-o</td></tr>"
    (table,) = read_text(f"<table><thead>{head}</thead>{rows}</table>", ".html")
    wanted = (("case", "number", ""), ("", "sg", "pl"), ("nom", "nam-as", "same"), ("gen", "nam-o", ""))
    assert (table.kind, table.header_rows, table.cells) == ("table", 2, wanted)


MARKDOWN = """\
---
title: A grammar
---

# Nouns {#nouns}

A noun[^1] has *seven* cases.

[^1]: Word of a class.

Table 1: Forms

| a | b |
|---|---|
| c | d |

- first
- second
"""
HTML = """\
<nav>contents</nav><h1>Nouns</h1><p>A noun<a href="#n" role="doc-noteref">1</a> has <em>seven</em> cases.</p>
<aside id="n" epub:type="footnote"><p>Word of a class.</p></aside>
<table><caption>Table 1: Forms</caption><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>
<ul><li>first</li><li>second</li></ul><script>alert(1)</script>
"""


@pytest.mark.parametrize(("text", "suffix"), [(MARKDOWN, ".md"), (HTML, ".html")])
def test_all_formats_give_the_same_blocks(read_text: Read, text: str, suffix: str) -> None:
    heading, *blocks = read_text(text, suffix)
    assert (heading.kind, heading.text, heading.section) == ("heading", "Nouns", ())
    assert {block.section for block in blocks} == {("Nouns",)}
    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "A noun¹ has seven cases."),
        ("footnote", "¹ Word of a class."),
        ("caption", "Table 1: Forms"),
        ("table", "a\tb\nc\td"),
        ("list_item", "first"),
        ("list_item", "second"),
    ]
    assert (blocks[3].cells, blocks[3].header_rows) == ((("a", "b"), ("c", "d")), 1)
    assert {(block.file, block.page) for block in blocks} == {(f"texts/grammar{suffix}", 1)}
    assert [blocks[0].text[a:b] for a, b in blocks[0].emphasis] == ["seven"]


def test_headings_of_plain_text_are_underlined_or_numbered(read_text: Read) -> None:
    text = "CHAPTER I. NOUNS\n\n1 Case\n\nSeven.\n\n1.1 Nominative\n\n"
    text += "It marks the subject.\n\n2 Number\n\nTwo.\n\nOrder\n-----\n"
    headings = [(block.text, block.level) for block in read_text(text, ".txt") if block.kind == "heading"]
    assert headings == [("CHAPTER I. NOUNS", 1), ("1 Case", 1), ("1.1 Nominative", 2), ("2 Number", 1), ("Order", 2)]


LISTS = {
    ".md": (
        "# A\n\nfirst\nsecond\n\n## B\n\n- one\n- **two** *three*\n\n3. third\n\n# C\n\nlast\n",
        [
            *("1 heading A", "3 paragraph first|second", "6 heading B", "8 list_item one", "9 list_item two three"),
            *("11 list_item 3. third", "13 heading C", "15 paragraph last"),
        ],
    ),
    ".html": (
        "<html><head><title>t</title></head><body><script>alert(1)</script>\n<h1>A</h1>\n"
        "<p>first<br>second</p>\n<ul>\n<li>one <i>two</i><ul>\n<li>inner</li></ul></li>\n</ul></body></html>",
        ["2 heading A", "3 paragraph first|second", "5 list_item one two", "6 list_item inner"],
    ),
    ".txt": (
        "1.1. Antraštė\nSakinys prasideda\nir baigiasi.\n• punktas\n\nNaujas.\n",
        [
            *("1 paragraph 1.1. Antraštė", "2 paragraph Sakinys prasideda|ir baigiasi.", "4 list_item punktas"),
            "6 paragraph Naujas.",
        ],
    ),
}


@pytest.mark.parametrize("suffix", LISTS)
def test_blocks_of_an_error_list_keep_their_lines(read_text: Read, suffix: str) -> None:
    text, wanted = LISTS[suffix]
    blocks = read_text(text, suffix, "error-list")
    assert [f"{block.line} {block.kind} {block.text}".replace("\n", "|") for block in blocks] == wanted
    for block in blocks:
        if "two" in block.text:
            assert "two" in [block.text[a:b] for a, b in block.emphasis]


@pytest.mark.parametrize(
    ("suffix", "text", "lines"),
    [
        (".md", "| a | b |\n|---|---|\n| c | d |\n", (1, 3)),
        (".html", "<table><tr><th>a</th><th>b</th></tr>\n<tr><td>c</td><td>d</td></tr></table>", (1, 2)),
        (".csv", 'a;b\n"c";d\n', (1, 2)),
        (".csv", 'a,b\n"c\nd",e\nf,g\n', (1, 2, 4)),
    ],
)
def test_rows_of_tables_know_their_lines(read_text: Read, suffix: str, text: str, lines: tuple[int, ...]) -> None:
    (table,) = read_text(text, suffix, "error-list")
    assert table.row_lines == lines
    assert table.cells is not None
    assert table.cells[:2] == (("a", "b"), ("c", "d") if len(lines) == 2 else ("c d", "e"))


def test_ids_come_from_content_and_tell_repeated_paragraphs_apart(read_text: Read) -> None:
    once, again = (read_text("# A\n\nsame\n\nsame\n\nother\n", ".md") for _ in range(2))
    assert [block.id for block in once] == [block.id for block in again]
    assert len({block.id for block in once}) == len(once)
    moved = read_text("# A\n\nnew\n\nother\n\nsame\n\nsame\n", ".md", "error-list")
    assert read_text("# A\n\nsame\n", ".md", "error-list")[1].id in {block.id for block in moved}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("grammar.doc", b"x", "no reader for '.doc' documents; known: "),
        ("grammar.epub", None, r"grammar\.epub: no such file"),
    ],
)
def test_what_can_not_be_read_is_one_clear_line(
    tmp_path: Path, read_file: Read, name: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError, match=message) as caught:
        read_file(tmp_path / name)
    assert "\n" not in str(caught.value)


SIGNS = "ab(1) .\n\t  *-=‘’'[]|#<p>/br&;:^_~`\\+"


@example("|\n", ".md", "error-list")
@example("|\n| a\n|\n", ".md", "error-list")
@given(
    st.text(alphabet=SIGNS, min_size=1, max_size=120),
    st.sampled_from([".md", ".txt", ".html", ".csv"]),
    st.sampled_from(["grammar-book", "error-list"]),
)
def test_every_block_of_any_text_stands_on_a_line_of_it(
    read_text: Read, text: str, suffix: str, kind: SourceKind
) -> None:
    text += "\nend"
    blocks = read_text(text, suffix, kind)
    assert all(block.line is not None and 1 <= block.line <= text.count("\n") + 1 for block in blocks)
    assert all(block.text.strip() == block.text and block.text for block in blocks if block.kind != "table")
    assert len({block.id for block in blocks}) == len(blocks)


WORD = st.text(alphabet="aeiklmnostu", min_size=1, max_size=9)


@given(
    words=st.lists(st.tuples(WORD, WORD), min_size=2, max_size=9),
    spacing=st.sampled_from(["columns", "single", "tabs"]),
    suffix=st.sampled_from([".txt", ".md"]),
)
def test_words_and_glosses_correspond_one_by_one_in_any_alignment(
    read_text: Read, words: list[tuple[str, str]], spacing: str, suffix: str
) -> None:
    lines = []
    for side, lead in ((0, "(1) "), (1, "    ")):
        row = [pair[side] for pair in words]
        if spacing == "columns":
            row = [cell.ljust(max(map(len, pair))) for cell, pair in zip(row, words, strict=True)]
        lines.append("\t".join([lead.strip(), *row]) if spacing == "tabs" else lead + " ".join(row))
    forms, labels = (" ".join(side) for side in zip(*words, strict=True))
    read = shown_blocks(read_text("\n".join([*lines, "    ‘So it is said.’"]), suffix))
    assert read == [f"1) ~ {forms} = {labels} ‘So it is said.’"]
