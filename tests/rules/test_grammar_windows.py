"""Passages cover all of a section, overlap, keep within their length, and show examples where the book has them."""

from itertools import pairwise
from pathlib import Path

import pytest
from grammar_parts import GRAMMAR, read_book
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pairwright.config import RuleSettings, SectionPatterns
from pairwright.ids import content_id
from pairwright.languages import load_language
from pairwright.records import Block, BlockKind, Gloss, TableNote
from pairwright.rules.grammar.book_examples import ExampleNames
from pairwright.rules.grammar.sections import GrammarSection, inclusion_of, split_sections
from pairwright.rules.grammar.sentences import sentences
from pairwright.rules.grammar.table_rows import PrintedTable
from pairwright.rules.grammar.windows import prose_items, prose_windows

ENGLISH = load_language("en")
ABBREVIATIONS = frozenset(ENGLISH.abbreviations)


def block(text: str, number: int, kind: BlockKind = "paragraph", continues: str | None = None) -> Block:
    gloss = Gloss(number=str(number), surface=text, raw=text) if kind == "gloss" else None
    known = {"id": content_id("block", number), "source_id": "g", "file": "g.pdf", "page": 1, "reader": "r 1"}
    return Block.model_validate(known | {"kind": kind, "text": text, "gloss": gloss, "continues": continues})


def section(*blocks: Block) -> GrammarSection:
    return GrammarSection(("1 Syntax",), blocks)


def split(*texts: str) -> list[str]:
    return [item.text for item in sentences([block(text, at) for at, text in enumerate(texts)], ABBREVIATIONS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One rule. Another rule.", ["One rule.", "Another rule."]),
        ("See e.g. Smith and cf. Table 2. It holds.", ["See e.g. Smith and cf. Table 2.", "It holds."]),
        ("As J. Smith says (p. 12). Yes.", ["As J. Smith says (p. 12).", "Yes."]),
        ("They said “no.” Then they left.", ["They said “no.”", "Then they left."]),
        ("Time stays.³ So does place.", ["Time stays.³", "So does place."]),
        ("1. The verb agrees. 2. It is last. so it is", ["1. The verb agrees.", "2. It is last. so it is"]),
        ("動詞は文末に立つ。語順は自由だ。", ["動詞は文末に立つ。", "語順は自由だ。"]),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_sentence_goes_on_after_a_page_break() -> None:
    first, second = block("A noun. The ad-", 1), block("jective agrees with it. A verb does not.", 2)
    found = list(sentences([first, second], ABBREVIATIONS))
    assert [item.text for item in found] == ["A noun.", "The adjective agrees with it.", "A verb does not."]
    assert [item.blocks for item in found] == [(first,), (first, second), (second,)]


def test_passages_slide_by_sentences_and_number_their_examples_anew() -> None:
    blocks = [
        block("First rule. Second rule.", 1),
        block("Nėra pieno.", 2, "gloss"),
        block("Third rule. Fourth rule.", 3),
        block("Yra pienas.", 4, "gloss"),
    ]
    settings = RuleSettings(window_sentences=3, stride=2)
    shown = [window.text for window in prose_windows(section(*blocks), settings, ABBREVIATIONS)]
    assert shown == [
        "First rule. Second rule.\n[E1] (2)\nNėra pieno.\nThird rule.",
        "Third rule. Fourth rule.\n[E1] (4)\nYra pienas.",
    ]


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 60)), min_size=1, max_size=30),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(400, 900),
)
def test_passages_leave_nothing_out_and_keep_their_length(
    parts: list[tuple[bool, int]], size: int, stride: int, length: int
) -> None:
    blocks = [
        block(f"{'Word ' * n}{at}.", at, "gloss" if is_example else "paragraph")
        for at, (is_example, n) in enumerate(parts)
    ]
    settings = RuleSettings(window_sentences=size, stride=min(size, stride), window_characters=length)
    windows = list(prose_windows(section(*blocks), settings, ABBREVIATIONS))
    order = [item.id for item in blocks]
    places = [[order.index(item.id) for item in window.blocks] for window in windows]
    assert sorted({place for window in places for place in window}) == list(range(len(blocks)))
    assert all(one[0] < other[0] and other[0] <= one[-1] + 1 for one, other in pairwise(places))
    for window in windows:
        assert sum(item.kind == "paragraph" for item in window.blocks) <= size
        assert len(window.text) <= length + 20 * len(window.blocks) or len(window.blocks) == 1


def test_a_paragraph_is_read_to_its_end_before_what_the_page_sets_between() -> None:
    first = block("The object stands", 1)
    note = block("¹ A footnote.", 2, "footnote")
    rest = block("in the genitive.", 3, continues=first.id)
    items = list(prose_items(section(first, note, rest), ABBREVIATIONS))
    assert [item.text for item in items] == ["The object stands in the genitive.", "¹ A footnote."]


def test_examples_answer_to_their_names_and_to_their_printed_numbers() -> None:
    parts = tuple(Gloss(number=letter, parts=(Gloss(number="i", surface="Yra", raw="Yra"),)) for letter in ("a", "b"))
    first = block("Yra.", 7, "gloss").model_copy(update={"gloss": Gloss(number="7", parts=parts)})
    rest = block("Nėra.", 8, "gloss", continues=first.id)
    rest = rest.model_copy(update={"gloss": Gloss(parts=(Gloss(number="c", surface="Nėra", raw="Nėra"),))})
    names = ExampleNames([first, rest])
    found = {
        name: names.find(name)
        for name in (
            "E1",
            "[E1]",
            "e1a",
            "E1b.i",
            "E1 (b) i",
            "(7a)",
            "example 7",
            "ex. (7)",
            "7c",
            "E2c",
            "E3",
            "a",
            "",
        )
    }
    assert {name: (item.block.id, item.label) if item else None for name, item in found.items()} == {
        **dict.fromkeys(["E1", "[E1]", "example 7", "ex. (7)"], (first.id, "")),
        **dict.fromkeys(["E1b.i", "E1 (b) i"], (first.id, "b i")),
        **dict.fromkeys(["7c", "E2c"], (rest.id, "c")),
        **dict.fromkeys(["e1a", "(7a)"], (first.id, "a")),
        **dict.fromkeys(["E3", "a", ""]),
    }


def test_a_stride_that_leaves_gaps_is_refused() -> None:
    with pytest.raises(ValidationError, match="stride is larger"):
        RuleSettings(window_sentences=3, stride=4)


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        (("4 Verbal morphology", "4.2 Negation"), True),
        (("4 Morphology", "4.1 Phonological processes"), False),
        (("2 Phonology", "2.3 Stress in verbs"), True),
        (("4 Syntax", "4.9 Further remarks"), True),
        (("3 Morphophonology",), False),
        (("Subject index",), False),
        (("References", "Grammars of case"), False),
        (("1 Introduction",), None),
        ((), None),
    ],
)
def test_the_innermost_heading_that_says_something_decides(path: tuple[str, ...], reads: bool | None) -> None:
    assert inclusion_of(GrammarSection(path, ()), SectionPatterns(), [ENGLISH]).included is reads


def test_included_sections_go_before_excluded_ones() -> None:
    patterns = SectionPatterns(include=("2.1*",), exclude=("*",))
    assert inclusion_of(GrammarSection(("2 Phonology", "2.1 Vowels"), ()), patterns, [ENGLISH]).included is True
    assert inclusion_of(GrammarSection(("4 Syntax",), ()), patterns, [ENGLISH]).included is False


def test_a_source_may_have_patterns_of_its_own() -> None:
    settings = RuleSettings(exclude=("*",), sources={"mine": SectionPatterns(include=("*",))})
    assert settings.patterns("mine").exclude == ()
    assert settings.patterns("other").exclude == ("*",)


def test_a_section_keeps_its_path_and_number(tmp_path: Path) -> None:
    _, blocks = read_book(tmp_path, GRAMMAR)
    found = {item.name: item.number for item in split_sections(blocks)}
    assert found["2 Syntax > 2.1 The genitive of negation"] == "2.1"
    assert found["References"] == ""


def test_a_row_of_a_paradigm_has_the_labels_that_are_printed_once_and_says_which_forms_are_shared() -> None:
    cells = (
        ("", "", "‘hand’", "‘book’"),
        ("Singular", "NOM", "ranka", "knyga"),
        ("", "GEN", "rankos", "knygos"),
        ("", "INS", "ranka", "knyga"),
    )
    held = block("", 1).model_copy(update={"kind": "table", "cells": cells, "header_rows": 1})
    table = PrintedTable(held)
    assert table.rows == [1, 2, 3]
    assert table.show_row(2).splitlines() == [
        "– | GEN | rankos | knygos",
        "  Singular, GEN: ‘hand’ = rankos",
        "  Singular, GEN: ‘book’ = knygos",
    ]
    assert table.same_forms(1) == [
        "ranka is also the form of: Singular INS",
        "knyga is also the form of: Singular INS",
    ]
    assert table.same_forms(2) == []


PLACED = {
    "kind": "table",
    "cells": (("", "Singular", ""), ("", "NOM", "GEN"), ("house", "", "tamon"), ("tree", "moli", "molin")),
    "cell_boxes": (
        ((100, 100, 150, 110), (160, 100, 280, 110), None),
        ((100, 112, 150, 122), (160, 112, 200, 122), (220, 112, 280, 122)),
        ((100, 124, 150, 134), (160, 124, 200, 134), (220, 124, 280, 134)),
        ((100, 136, 150, 146), (160, 136, 200, 146), (220, 136, 280, 146)),
    ),
    "header_rows": 2,
    "notes": (
        TableNote(mark="a", text="Rare.", cells=((3, 2),)),
        TableNote(text="Source: own notes."),
        TableNote(mark="b", text="Also absolutive.", cells=((1, 1),)),
    ),
}


def test_a_blank_cell_is_blank_and_a_merged_one_holds_for_all_that_it_covers() -> None:
    table = PrintedTable(block("", 1).model_copy(update=PLACED))
    assert table.show_row(2).splitlines() == ["house | – | tamon", "  house: Singular / GEN = tamon"]


def test_a_row_comes_with_the_notes_on_its_cells_on_the_head_and_on_the_table() -> None:
    table = PrintedTable(block("", 1).model_copy(update=PLACED))
    assert table.notes_on([3]) == ["Note: molin: Rare.", "Note: Source: own notes.", "Note: NOM: Also absolutive."]
    assert table.notes_on([2]) == table.notes_on([3])[1:]


def test_a_row_that_names_a_group_labels_the_rows_below_it() -> None:
    cells = (("Case", "Form"), ("Plural", ""), ("NOM", "rankos"), ("Dual", ""), ("NOM", "ranki"))
    held = block("", 1).model_copy(update={"kind": "table", "cells": cells, "header_rows": 1})
    table = PrintedTable(held)
    assert [table.show_row(row).splitlines()[1] for row in table.rows] == [
        "  Plural, NOM: Form = rankos",
        "  Dual, NOM: Form = ranki",
    ]
