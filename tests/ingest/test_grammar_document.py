"""What a user relies on who gives a grammar in Markdown, plain text or HTML."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.errors import SourceError
from pairwright.core.records import Block, Gloss
from pairwright.documents.source import KIND_BY_SUFFIX

Read = Callable[..., list[Block]]

WORDS = [("Vaikai", "child-NOM.PL"), ("žaidžia", "play-PRS.3"), ("kieme", "yard-LOC.SG")]
OBJECTS = tuple(word for word, _ in WORDS)
GLOSSES = tuple(gloss for _, gloss in WORDS)
TRANSLATION = "Children are playing in the yard."


def only_gloss(blocks: list[Block]) -> Gloss:
    found = [block for block in blocks if block.gloss is not None]
    assert [block.kind for block in found] == ["gloss"], [(block.kind, block.text) for block in blocks]
    assert found[0].gloss is not None
    return found[0].gloss


def is_the_example(gloss: Gloss, number: str | None = "7") -> None:
    assert gloss.number == number
    assert gloss.segmentation == OBJECTS
    assert gloss.glosses == (GLOSSES,)
    assert gloss.translation == TRANSLATION


COLUMNS = """\
(7) Vaikai       žaidžia    kieme
    child-NOM.PL play-PRS.3 yard-LOC.SG
    ‘Children are playing in the yard.’
"""
COUNTED = """\
(7) Vaikai žaidžia kieme
child-NOM.PL play-PRS.3 yard-LOC.SG
‘Children are playing in the yard.’
"""
TABBED = "(7)\tVaikai\tžaidžia\tkieme\n\tchild-NOM.PL\tplay-PRS.3\tyard-LOC.SG\n\t‘Children are playing in the yard.’\n"
INDENTED = """\
(7)
    Vaikai žaidžia kieme
    child-NOM.PL play-PRS.3 yard-LOC.SG
    Children are playing in the yard.
"""
CELLS = [["(7)", *OBJECTS], ["", *GLOSSES], ["", f"‘{TRANSLATION}’"]]
HTML_TABLE = (
    "<table>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in CELLS) + "</table>"
)
LINES = COUNTED.removeprefix("(7) ").splitlines()
IN_MARKUP = {
    "line breaks": f"<p>(7) {'<br>'.join(LINES)}</p>",
    "paragraphs": f"<p>(7) {LINES[0]}</p><p>{LINES[1]}</p><p>{LINES[2]}</p>",
    "preformatted": f"<pre>{COLUMNS}</pre>",
    "cells": HTML_TABLE,
    "leipzig.js": f"<p>(7)</p><div data-gloss>{''.join(f'<p>{line}</p>' for line in LINES)}</div>",
    "columns of words": "<p>(7)</p><div class='interlinear'>"
    + "".join(f"<div><p><i>{word}</i></p><p>{gloss}</p></div>" for word, gloss in WORDS)
    + f"<p>{TRANSLATION}</p></div>",
    "pandoc": f"<ol start='7' class='example' type='1'><li>{'<br>'.join(LINES)}</li></ol>",
    "one cell a line": "<table>" + "".join(f"<tr><td></td><td>{line}</td></tr>" for line in LINES).replace(
        "<td></td>", "<td>(7)</td>", 1
    )
    + "</table>",
}  # fmt: skip


@pytest.mark.parametrize("text", [COLUMNS, COUNTED, TABBED, INDENTED], ids=["columns", "counted", "tabs", "indented"])
@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_a_glossed_example_is_read_however_its_lines_are_aligned(read_text: Read, text: str, suffix: str) -> None:
    blocks = read_text(f"The subject comes first.\n\n{text}\nHere the verb agrees.\n", suffix)
    assert [block.kind for block in blocks] == ["paragraph", "gloss", "paragraph"]
    is_the_example(only_gloss(blocks))
    assert blocks[1].line == 3


@pytest.mark.parametrize("markup", IN_MARKUP.values(), ids=IN_MARKUP.keys())
def test_a_glossed_example_is_read_in_every_markup(read_text: Read, markup: str) -> None:
    blocks = read_text(f"<h1>Verbs</h1><p>The subject comes first.</p>{markup}<p>So it agrees.</p>", ".html")
    assert [block.kind for block in blocks] == ["heading", "paragraph", "gloss", "paragraph"]
    is_the_example(only_gloss(blocks))


def test_what_stands_below_a_marked_up_example_is_no_second_one(read_text: Read) -> None:
    lines = ("(7) jis buv-o namie", "3SG be-PST.3 home", "‘He was at home.’", "The neighbours say so in the evening.")
    example, rest = read_text(f"<div data-gloss>{''.join(f'<p>{line}</p>' for line in lines)}</div>", ".html")
    assert (example.gloss and example.gloss.number, rest.gloss, rest.text) == ("7", None, lines[-1])


def test_code_and_hard_line_breaks_of_markdown_hold_examples(read_text: Read) -> None:
    fenced = read_text(f"```\n{COLUMNS}```\n", ".md")
    broken = read_text("  \n".join(COUNTED.splitlines()), ".md")
    is_the_example(only_gloss(fenced))
    is_the_example(only_gloss(broken))


def test_sub_examples_judgements_sources_and_languages_are_told_apart(read_text: Read) -> None:
    text = """\
(12) Lithuanian (Baltic)
     a. *Šuo    loj-a      garsiai.
         dog    bark-PRS.3 loudly
         intended: ‘The dog barks loudly.’

     b.  Katė   miega.
         cat    sleep.PRS.3
         ‘The cat sleeps.’ (Petraitis 2001: 5)
"""
    gloss = only_gloss(read_text(text, ".txt"))
    first, second = gloss.parts
    assert (gloss.number, gloss.language) == ("12", "Lithuanian (Baltic)")
    assert (first.number, first.judgement, first.segmentation) == ("a", "*", ("Šuo", "loj-a", "garsiai."))
    assert (second.number, second.judgement, second.source) == ("b", None, "Petraitis 2001: 5")
    assert second.glosses == (("cat", "sleep.PRS.3"),)


@pytest.mark.parametrize("place", ["beside the number", "behind the sentence", "behind the translation", "below"])
def test_the_reference_of_an_example_is_found_at_each_of_its_places(read_text: Read, place: str) -> None:
    reference = "(Petraitis 2001: 5)"
    lines = ["(7) " + LINES[0], LINES[1], LINES[2]]
    if place == "beside the number":
        lines = [f"(7) {reference}", *LINES]
    elif place == "below":
        lines.append(reference)
    else:
        at = 0 if place == "behind the sentence" else 2
        lines[at] += f" {reference}"
    gloss = only_gloss(read_text("\n".join(lines) + "\n", ".txt"))
    is_the_example(gloss)
    assert gloss.source == "Petraitis 2001: 5"


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
    text = f"<p>{prose}</p>" if suffix == ".html" else prose
    blocks = read_text(text, suffix)
    assert [(block.kind, block.text) for block in blocks] == [("paragraph", " ".join(prose.split()))]


@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_numbered_sentences_without_gloss_are_examples(read_text: Read, suffix: str) -> None:
    blocks = read_text("(5) a. *Jis eina namus.\n    b. Jis eina namo.\n\n(6) šuo loja ‘the dog barks’\n", suffix)
    assert [block.kind for block in blocks] == ["example", "example"]
    lettered, translated = (block.gloss for block in blocks)
    assert lettered is not None
    assert translated is not None
    assert [(part.number, part.judgement, part.object_line) for part in lettered.parts] == [
        ("a", "*", "Jis eina namus."),
        ("b", None, "Jis eina namo."),
    ]
    assert (translated.object_line, translated.translation) == ("šuo loja", "the dog barks")


def test_a_word_in_braces_and_a_cell_of_two_words_stay_one(read_text: Read) -> None:
    leipzig = read_text(
        "<div data-gloss><p>Jis {yra buvęs} namie</p><p>he {has been} home.LOC</p><p>He has been at home</p></div>",
        ".html",
    )
    cells = read_text(
        "<table><tr><td>(1)</td><td>Jis</td><td>yra buvęs</td></tr><tr><td></td><td>he</td><td>has been</td></tr>"
        "<tr><td></td><td colspan=2>‘He has been.’</td></tr></table>",
        ".html",
    )
    assert only_gloss(leipzig).glosses == (("he", "has been", "home.LOC"),)
    assert only_gloss(leipzig).translation == "He has been at home"
    assert only_gloss(cells).segmentation == ("Jis", "yra buvęs")


def test_a_table_of_forms_is_no_example(read_text: Read) -> None:
    markdown = read_text("| | sg | pl |\n|--|--|--|\n| nom | nam-as | nam-ai |\n| gen | nam-o | nam-ų |\n", ".md")
    plain = read_text(
        "case    sg      pl\n----    ----    ----\nnom     nam-as  nam-ai\ngen     nam-o   nam-ų\n", ".txt"
    )
    tabs = read_text("pers\tsg\tpl\n1\teinu\teiname\n2\teini\teinate\n", ".txt")
    assert [(block.kind, block.header_rows) for block in (*markdown, *plain, *tabs)] == [
        ("table", 1),
        ("table", 1),
        ("table", 0),
    ]
    assert markdown[0].cells == (("", "sg", "pl"), ("nom", "nam-as", "nam-ai"), ("gen", "nam-o", "nam-ų"))
    assert plain[0].cells == (("case", "sg", "pl"), *markdown[0].cells[1:])
    assert tabs[0].cells == (("pers", "sg", "pl"), ("1", "einu", "einame"), ("2", "eini", "einate"))


def test_merged_cells_have_their_text_in_the_first_place(read_text: Read) -> None:
    (table,) = read_text(
        "<table><thead><tr><th rowspan=2>case</th><th colspan=2>number</th></tr><tr><th>sg</th><th>pl</th></tr></thead>"
        "<tr><td>nom</td><td>nam-as</td><td rowspan=2>same</td></tr><tr><td>gen</td><td>nam-o</td></tr></table>",
        ".html",
    )
    assert table.cells == (("case", "number", ""), ("", "sg", "pl"), ("nom", "nam-as", "same"), ("gen", "nam-o", ""))
    assert table.header_rows == 2


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
PLAIN = """\
Nouns
=====

A noun¹ has seven cases.

¹ Word of a class.

Table 1: Forms

a | b
--+--
c | d

- first
- second
"""
HTML = """\
<nav>contents</nav><h1>Nouns</h1><p>A noun<a href="#n" role="doc-noteref">1</a> has <em>seven</em> cases.</p>
<aside id="n" epub:type="footnote"><p>Word of a class.</p></aside>
<table><caption>Table 1: Forms</caption><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>
<ul><li>first</li><li>second</li></ul><script>alert(1)</script>
"""


@pytest.mark.parametrize(("text", "suffix"), [(MARKDOWN, ".md"), (PLAIN, ".txt"), (HTML, ".html")])
def test_all_formats_give_the_same_blocks(read_text: Read, text: str, suffix: str) -> None:
    blocks = read_text(text, suffix)
    assert [(block.kind, block.text, block.section) for block in blocks] == [
        ("heading", "Nouns", ()),
        ("paragraph", "A noun¹ has seven cases.", ("Nouns",)),
        ("footnote", "¹ Word of a class.", ("Nouns",)),
        ("caption", "Table 1: Forms", ("Nouns",)),
        ("table", "a\tb\nc\td", ("Nouns",)),
        ("list_item", "first", ("Nouns",)),
        ("list_item", "second", ("Nouns",)),
    ]
    assert (blocks[4].cells, blocks[4].header_rows) == ((("a", "b"), ("c", "d")), 1)
    assert {(block.file, block.page) for block in blocks} == {(f"texts/grammar{suffix}", 1)}
    if suffix != ".txt":
        assert [blocks[1].text[a:b] for a, b in blocks[1].emphasis] == ["seven"]


def test_headings_of_plain_text_are_underlined_numbered_or_capitals(read_text: Read) -> None:
    text = "CHAPTER I. NOUNS\n\n1 Case\n\nSeven.\n\n1.1 Nominative\n\nIt marks the subject.\n\n2 Number\n\nTwo.\n"
    headings = [(block.text, block.level) for block in read_text(text, ".txt") if block.kind == "heading"]
    assert headings == [("CHAPTER I. NOUNS", 1), ("1 Case", 1), ("1.1 Nominative", 2), ("2 Number", 1)]


def test_ids_are_stable_and_tell_repeated_paragraphs_apart(read_text: Read) -> None:
    once, again = (read_text("same\n\nsame\n\nother\n", ".md") for _ in range(2))
    assert [block.id for block in once] == [block.id for block in again]
    assert len({block.id for block in once}) == 3


def test_small_capitals_of_html_are_capitals(read_text: Read) -> None:
    found = read_text(
        '<p>(1) Šuo loja<br>dog bark.<span style="font-variant: small-caps">prs</span>.3<br>‘The dog barks.’</p>',
        ".html",
    )
    assert only_gloss(found).glosses == (("dog", "bark.PRS.3"),)


def test_the_words_of_a_language_that_runs_to_the_left_keep_their_order(read_text: Read) -> None:
    glossed = read_text("(1) הכלב נובח\nDEF.dog bark.PRS\n‘The dog barks.’\n", ".txt")
    alone = read_text("(2) הכלב נובח בלילה\n", ".txt")
    assert only_gloss(glossed).segmentation == ("הכלב", "נובח")
    assert alone[0].gloss is not None
    assert alone[0].gloss.surface == "הכלב נובח בלילה"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("grammar.doc", b"x", "no reader for '.doc' documents; known: "),
        ("grammar.md", b"", "the file is empty"),
        ("grammar.txt", "ž".encode("cp1257"), "is not utf-8"),
        ("grammar.html", b"<div>" * 20_000 + b"x", r"grammar\.html: line 1: elements are nested too deeply"),
        ("grammar.html", b"<table>" + b"<tr><td colspan=1000>x" * 2_000 + b"</table>", "more than 1,000,000 cells"),
        ("grammar.docx", b"x", "not DOCX"),
        ("grammar.epub", b"x", "not EPUB"),
    ],
)
def test_what_can_not_be_read_is_one_clear_line(
    tmp_path: Path, read_file: Read, name: str, data: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError, match=message) as caught:
        read_file(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path, read_file: Read) -> None:
    with pytest.raises(SourceError, match=r"grammar\.epub: no such file"):
        read_file(tmp_path / "grammar.epub")


def test_word_processor_and_e_book_files_are_grammar_books() -> None:
    assert KIND_BY_SUFFIX[".docx"] == KIND_BY_SUFFIX[".epub"] == "grammar-book"


SIGNS = "ab(1) .\n\t  *-=‘’'[]|#<p>/br&;:^_~`\\+"


@given(text=st.text(alphabet=SIGNS, min_size=1, max_size=120), suffix=st.sampled_from([".md", ".txt", ".html"]))
def test_every_block_of_any_text_stands_on_a_line_of_it(read_text: Read, text: str, suffix: str) -> None:
    text += "\nend"
    blocks = read_text(text, suffix)
    n_lines = text.count("\n") + 1
    assert all(block.line is not None and 1 <= block.line <= n_lines for block in blocks)
    assert all(block.text.strip() for block in blocks if block.kind != "table")
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
        cells = [pair[side] for pair in words]
        if spacing == "columns":
            cells = [cell.ljust(max(map(len, pair))) for cell, pair in zip(cells, words, strict=True)]
        joined = ("\t" if spacing == "tabs" else " ").join(cells)
        lines.append((lead.strip() + "\t" + joined) if spacing == "tabs" else lead + joined)
    gloss = only_gloss(read_text("\n".join([*lines, "    ‘So it is said.’"]), suffix))
    assert gloss.segmentation == tuple(word for word, _ in words)
    assert gloss.glosses[-1] == tuple(word for _, word in words)
    assert gloss.translation == "So it is said."


@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_labels_that_count_upward_in_a_text_are_those_of_its_examples(read_text: Read, suffix: str) -> None:
    body = "{} šuo     loj-a      garsiai\n         dog.NOM bark-PRS.3 loudly\n         ‘The dog barks.’\n"
    text = "\n".join(body.format(f"Ex. {number}:".ljust(8)) for number in range(1, 13))
    glosses = [block.gloss for block in read_text(text, suffix) if block.gloss]
    assert [gloss.number for gloss in glosses] == [str(number) for number in range(1, 13)]
    assert {gloss.segmentation for gloss in glosses} == {("šuo", "loj-a", "garsiai")}
