"""The words that a source attests of its object language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.core.records import Block, Gloss
from pairwright.core.text import words
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.sentences import STARS


def block(kind: str, text: str, **more: object) -> Block:
    known = {"id": text, "source_id": "zulu", "kind": kind, "text": text, "file": "book.pdf", "page": 1}
    return Block.model_validate(known | {"reader": "hand"} | more)


def test_a_grammar_attests_examples_tables_and_emphasised_words_and_not_its_prose() -> None:
    prose = "The noun umfana is here, and the plural abafana. The noun is the first word of the sentence here."
    told = attested_words(
        [
            block("paragraph", prose, emphasis=((9, 15),)),
            block("table", "table", cells=(("the noun", "the plural"), ("inja", "izinja"))),
            block("gloss", "1", gloss=Gloss(segmentation=("A-ba-fana", "ba-funda."), glosses=(("2-boy", "2-read"),))),
            block("gloss", "2", gloss=Gloss(judgement="*", surface="Abafana ufunda.")),
        ],
        ["Ngibona umntwana."],
    )
    for word in ("umfana", "inja", "izinja", "Abafana", "bafunda", "umntwana"):
        assert told.attests(word)
    for word in ("the", "noun", "ufunda", "here"):
        assert not told.attests(word)


def test_starred_forms_are_not_attested_and_cut_forms_are_with_and_without_their_signs() -> None:
    told = attested_words(
        [
            block("paragraph", "Say abantu, never *muntus or *bantus.", emphasis=((4, 10), (19, 25), (29, 36))),
            block("table", "cells", cells=(("aba-fana", "* um-fanas"),)),
            block("gloss", "1", gloss=Gloss(segmentation=("ngi-bona",), glosses=(("1SG-see",),))),
        ],
        boundaries="-",
    )
    assert told.unattested("abantu abafana aba-fana ngibona ngi-bona 12") == ()
    assert told.unattested("Muntus bantus, umfanas bantus") == ("Muntus", "bantus", "umfanas")


@settings(max_examples=25)
@given(st.lists(st.text(alphabet="abcdeūž' -=.1", max_size=16), max_size=6), st.text(max_size=12))
def test_what_stands_in_the_texts_is_attested_and_any_word_can_be_asked(texts: list[str], word: str) -> None:
    told = AttestedWords(texts)
    told.inflects(word)
    for text in texts:
        assert all(told.attests(it) for it in words(text) if not any(char.isdigit() for char in it))


@pytest.mark.parametrize("star", STARS)
def test_a_sentence_behind_any_star_is_not_attested_wherever_its_reader_left_the_star(star: str) -> None:
    told = attested_words(
        [
            block("gloss", "1", gloss=Gloss(surface=f"{star}Jis eina")),
            block("gloss", "2", gloss=Gloss(judgement=star, surface="Jai eina")),
            block("table", "3", cells=((f"{star}mes eina", "jūs einate"),)),
            block("paragraph", f"Never {star}tu eina", emphasis=((6, 14),)),
        ]
    )
    assert told.unattested("Jis jai mes tu eina") == ("Jis", "jai", "mes", "tu", "eina")
    assert told.attests("einate")
