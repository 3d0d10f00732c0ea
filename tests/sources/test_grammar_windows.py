"""Passages cover all of a section, overlap, keep within their length, and show examples where the book has them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.core.config import RuleSettings, SectionPatterns
from pairwright.core.ids import content_id
from pairwright.core.records import Block, BlockKind, Gloss, TableNote
from pairwright.languages import load_language
from pairwright.sources.grammar.rules.drafts import evidence, find_quotation
from pairwright.sources.grammar.rules.passages import (
    MERGED,
    ExampleNames,
    Window,
    chapter_items,
    grammar_windows,
    sentences,
    table_parts,
    why_left_out,
)

ENGLISH = load_language("en")
ABBREVIATIONS = frozenset(ENGLISH.abbreviations)


def block(text: str, number: int, kind: BlockKind = "paragraph", continues: str | None = None) -> Block:
    gloss = Gloss(number=str(number), surface=text, raw=text) if kind == "gloss" else None
    known = {"id": content_id("block", number), "source_id": "g", "file": "g.pdf", "page": 1, "reader": "r 1"}
    return Block.model_validate(known | {"kind": kind, "text": text, "gloss": gloss, "continues": continues})


def windows(*blocks: Block, **settings: int) -> list[Window]:
    return list(grammar_windows(blocks, RuleSettings.model_validate(settings), ABBREVIATIONS, {}))


def table(*rows: tuple[str, ...], number: int = 0, **fields: object) -> Block:
    return block("", number).model_copy(update={"kind": "table", "cells": rows, "header_rows": 1, **fields})


def test_a_sentence_goes_on_after_a_page_break() -> None:
    first, second = block("A noun. The ad-", 1), block("jective agrees with it. A verb does not.", 2)
    found = list(sentences([first, second], ABBREVIATIONS))
    assert [item.text for item in found] == ["A noun.", "The adjective agrees with it.", "A verb does not."]
    assert [item.blocks for item in found] == [(first,), (first, second), (second,)]


def test_passages_overlap_by_sentences_and_number_their_examples_anew() -> None:
    filler = "Such words fill the page and state no rule. " * 4
    blocks = [
        block(f"{filler}First rule.", 1),
        block("Nėra pieno.", 2, "gloss"),
        block(f"Third rule. {filler}", 3),
        block("Yra pienas.", 4, "gloss"),
        block("Last rule.", 5),
    ]
    first, second = (window.text for window in windows(*blocks, window_characters=400))
    assert first.endswith("First rule.\n[E1] (2)\nNėra pieno.")
    assert second.startswith("First rule.\n[E1] (2)\nNėra pieno.\nThird rule.")
    assert second.endswith("[E2] (4)\nYra pienas.\nLast rule.")


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 60)), min_size=1, max_size=30), st.integers(400, 900))
def test_passages_leave_nothing_out_keep_their_length_and_repeat_little(
    parts: list[tuple[bool, int]], length: int
) -> None:
    blocks = [
        block(f"{'Word ' * n}{at}.", at, "gloss" if is_example else "paragraph")
        for at, (is_example, n) in enumerate(parts)
    ]
    made = windows(*blocks, window_characters=length)
    order = [item.id for item in blocks]
    places = [[order.index(item.id) for item in window.blocks] for window in made]
    assert sorted({place for window in places for place in window}) == list(range(len(blocks)))
    assert all(one[0] < other[0] and other[0] <= one[-1] + 1 for one, other in pairwise(places))
    assert all(len(window.text) <= length + 10 or len(window.blocks) == 1 for window in made)
    assert sum(len(window.text) for window in made) <= 1.2 * sum(len(item.text) + 8 for item in blocks) + 50


def test_a_passage_runs_on_into_the_next_section_and_shows_its_headings() -> None:
    chapter, other = ("2 Nouns",), ("3 Verbs", "3.1 Tense")
    blocks = [
        block("Nouns have cases.", 1).model_copy(update={"section": chapter}),
        block("Some are plural.", 2).model_copy(update={"section": (*chapter, "2.1 Number")}),
        block("Verbs have tenses.", 3).model_copy(update={"section": other}),
    ]
    one, two = windows(*blocks)
    assert one.text == "Nouns have cases.\n## 2.1 Number\nSome are plural."
    assert (two.section, two.text) == (other, "Verbs have tenses.")


def test_a_paragraph_is_read_to_its_end_before_what_the_page_sets_between() -> None:
    first = block("The object stands¹ and", 1)
    note = block("¹ A footnote.", 2, "footnote")
    caption = block("Table 3: Cases", 4, "caption")
    rest = block("remains in the genitive.", 6)
    blocks = [first, note, block("Words of another column.", 3), caption, table(("A",), ("b",), number=5), rest]
    assert [item.text for item in chapter_items([first, note, rest], ABBREVIATIONS, {}, 900)] == [
        "The object stands¹ and remains in the genitive.",
        "¹ A footnote.",
    ]
    assert windows(*blocks)[0].text.splitlines()[1] == "[footnote] ¹ A footnote."


def test_a_table_stands_behind_the_paragraph_that_names_it() -> None:
    (window,) = windows(
        block("Nouns have cases, as in Tables 2 and 3.1.", 1),
        block("Verbs have tenses.", 2),
        block("Table 3: Tenses", 3, "caption"),
        table(("Tense", "Form"), ("past", "buvo"), number=4),
        block("Table 3.1: Cases", 5, "caption"),
        table(("Case", "Form"), ("genitive", "namo"), number=6),
    )
    assert window.text.splitlines() == [
        "Nouns have cases, as in Tables 2 and 3.1.",
        *("[table] Table 3.1: Cases", "Case | Form", "---", "genitive | namo"),
        "Verbs have tenses.",
        *("[table] Table 3: Tenses", "Tense | Form", "---", "past | buvo"),
    ]


def test_examples_answer_to_their_names_and_to_their_printed_numbers() -> None:
    parts = tuple(Gloss(number=letter, parts=(Gloss(number="i", surface="Yra", raw="Yra"),)) for letter in ("a", "b"))
    first = block("Yra.", 7, "gloss").model_copy(update={"gloss": Gloss(number="7", parts=parts)})
    rest = block("Nėra.", 8, "gloss", continues=first.id)
    rest = rest.model_copy(update={"gloss": Gloss(parts=(Gloss(number="c", surface="Nėra", raw="Nėra"),))})
    names = ExampleNames([first, rest])
    wanted = {
        "E1, [E1], example 7, ex. (7)": (first.id, ""),
        "E1b.i, E1 (b) i": (first.id, "b i"),
        "7c, E2c": (rest.id, "c"),
        "e1a, (7a)": (first.id, "a"),
        "E3, a, ": None,
    }
    for named, place in wanted.items():
        for name in named.split(", "):
            item = names.find(name)
            assert ((item.block.id, item.label) if item else None) == place, name


def test_a_printed_number_is_looked_up_in_the_whole_chapter() -> None:
    first, second = block("Yra.", 7, "gloss"), block("Nėra.", 8, "gloss")
    names = ExampleNames([second], ExampleNames([first, second]))
    assert [item.block for item in names.printed_in("as in (7), not (8) or (9)")] == [first, second]
    assert names.find("E2") is None


def test_the_lines_of_an_example_have_their_names() -> None:
    glossed = Gloss(
        number="7",
        judgement="*",
        surface="Neturiu namą",
        segmentation=("Ne-turiu", "nam-ą"),
        glosses=(("NEG-have", "house-ACC"),),
        translation="I have no house",
    )
    held = block("Neturiu namą", 7, "gloss").model_copy(update={"gloss": glossed})
    assert windows(held)[0].text.splitlines() == [
        "[E1] (7)",
        "*Neturiu namą",
        "  segmentation: Ne-turiu nam-ą",
        "  gloss: NEG-have house-ACC",
        "  translation: ‘I have no house’",
    ]


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
        (("1 Introduction",), True),
        ((), True),
    ],
)
def test_the_innermost_heading_that_says_something_decides(path: tuple[str, ...], reads: bool) -> None:
    assert (why_left_out(path, SectionPatterns(), [ENGLISH]) == "") is reads


def test_a_source_may_have_patterns_of_its_own() -> None:
    settings = RuleSettings(exclude=("*",), sources={"mine": SectionPatterns(include=("*",))})
    assert (settings.patterns("mine").exclude, settings.patterns("other").exclude) == ((), ("*",))


def test_a_blank_cell_stays_blank_a_merged_one_is_marked_and_notes_follow() -> None:
    place = (0.0, 0.0, 40.0, 10.0)
    held = table(
        ("", "SG", "PL"),
        ("ESS", "bärrgon", ""),
        ("GEN", "ru-", ""),
        cell_boxes=((place, place, place), (place, place, None), (place, place, place)),
        notes=(TableNote(mark="a", text="Rare in speech.", cells=((2, 1),)), TableNote(text="Own notes.")),
        text="ESS\tbärrgon\t\nGEN\tru-\t",
    )
    (shown,) = table_parts(held, None, None, 900)
    assert shown.text.splitlines()[-4:] == [
        f"ESS | bärrgon | {MERGED}",
        "GEN | ru- | ",
        "[note] ru-: Rare in speech.",
        "[note] Own notes.",
    ]
    for line, words in ((f"ESS | bärrgon | {MERGED}", "ESS\tbärrgon"), ("Rare in speech.", "Rare in speech.")):
        assert [item.quote for item in evidence(find_quotation(line, [held]), [held])] == [words]


def test_a_long_table_comes_in_parts_with_its_caption_and_heads() -> None:
    rows = [(f"case {number}", f"form-{number}") for number in range(30)]
    caption = block("Table 1: Cases", 9, "caption")
    parts = table_parts(table(("Case", "Form"), *rows), caption, None, 300)
    assert len(parts) > 1
    assert all(part.text.startswith("[table] Table 1: Cases\nCase | Form\n---\ncase ") for part in parts)
    assert all(len(part.text) <= 310 for part in parts)
    assert [line for part in parts for line in part.text.splitlines()[3:]] == [
        f"case {number} | form-{number}" for number in range(30)
    ]
