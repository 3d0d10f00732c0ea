"""Words that a grammar attests, in a language without a dictionary."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairwright.checks.registry import check_pairs
from pairwright.config import CheckSettings
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.records import Block, Candidate, Finding, Gloss
from pairwright.text import words

ZULU = Language(code="zu", name="Zulu", autonym="isiZulu")
BOOK = (Path(__file__).parents[1] / "data" / "beside" / "language-not-attested.attested.txt").read_text(
    encoding="utf-8"
)
Find = Callable[..., dict[str, Finding]]


@pytest.fixture(scope="module")
def found(pair: Callable[..., Candidate]) -> Find:
    """The findings about the words of a pair that a model wrote for a grammar of Zulu."""
    book = AttestedWords(BOOK.splitlines())

    def find(good: str, bad: str, attested: AttestedWords = book, **changed: object) -> dict[str, Finding]:
        candidate = pair(good, bad).model_copy(update={"method": "llm"} | changed)
        (checked,) = check_pairs([candidate], {}, ZULU, CheckSettings(), attested=attested)
        return {it.check: it for it in checked.findings if it.check.startswith("language-")}

    return find


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Watoto wanasoma vitabu.", "Watoto anasoma vitabu."),
        ("Mama anapika chakula jikoni.", "Mama wanapika chakula jikoni."),
        ("Mtoto analia.", "Mtoto wanalia."),
        ("Tėvas nepataisė seno dviračio.", "Tėvas nepataisė seną dviratį."),
        ("Laukiu autobuso.", "Laukiu autobusą."),
        ("The boy reads a book.", "The boy read a book."),
    ],
)
def test_a_pair_in_another_language_is_an_error(found: Find, good: str, bad: str) -> None:
    assert found(good, bad)["language-unlike-source"].level == "error"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Abafana baphuza amanzi.", "Abafana uphuza amanzi."),
        ("Izingane zifunda izincwadi.", "Izingane ifunda izincwadi."),
        ("Sithanda inyama.", "Inyama sithanda."),
        ("Inkomo ayiphuzi amanzi.", "Inkomo akaphuzi amanzi."),
    ],
)
def test_a_new_inflection_of_an_attested_stem_passes_and_is_told(found: Find, good: str, bad: str) -> None:
    findings = found(good, bad)
    assert findings.keys() == {"language-not-attested"}
    assert findings["language-not-attested"].level == "info"


def test_attested_sentences_have_no_finding_and_people_are_not_held_against_the_book(found: Find) -> None:
    assert found("Abafana bafunda izincwadi.", "Umfana bafunda izincwadi.") == {}
    assert "language-unlike-source" not in found("Watoto wanasoma vitabu.", "Watoto anasoma vitabu.", method="source")
    few = AttestedWords(BOOK.splitlines()[:5])
    assert "language-unlike-source" not in found("Abafazi balima insimu.", "Umfazi balima insimu.", few)


def test_a_grammar_attests_examples_tables_and_emphasised_words_and_not_its_prose() -> None:
    def block(kind: str, text: str, **more: object) -> Block:
        known = {"id": text, "source_id": "zulu", "kind": kind, "text": text, "file": "book.pdf", "page": 1}
        return Block.model_validate(known | {"reader": "hand"} | more)

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
    def block(kind: str, text: str, **more: object) -> Block:
        known = {"id": text, "source_id": "zulu", "kind": kind, "text": text, "file": "book.pdf", "page": 1}
        return Block.model_validate(known | {"reader": "hand"} | more)

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


@given(st.lists(st.text(alphabet="abcdeūž' -=.1", max_size=20), max_size=20), st.text(max_size=12))
def test_what_stands_in_the_texts_is_attested_and_any_word_can_be_asked(texts: list[str], word: str) -> None:
    told = AttestedWords(texts)
    told.inflects(word)
    for text in texts:
        assert all(told.attests(it) for it in words(text) if not any(char.isdigit() for char in it))
