"""Pairs that a model wrote for a grammar, against its sentences and glosses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Block, Candidate, Gloss, Rule
from pairwright.core.store import read_jsonl
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import attested_words
from pairwright.languages.linguistics.glosses import GlossedBook, GlossedSentence, GlossedWord, Morphs

BESIDE = Path(__file__).parents[1] / "data" / "beside"
ANY = Language(code="qaa", name="Any", autonym="Any")
MakePair = Callable[..., Candidate]


def errors(pair: Candidate, more: tuple[Block, ...] = (), **stated: str) -> set[str]:
    """The checks that reject a pair for the rule about objects, or for one that is stated otherwise.

    more  examples beside those of the little grammar
    """
    (rule,) = (it.model_copy(update=stated) for it in read_jsonl(BESIDE / "book.rules.jsonl", Rule))
    blocks = [*read_jsonl(BESIDE / "book.blocks.jsonl", Block), *more]
    ids = tuple(block.id for block in blocks)
    made = pair.model_copy(update={"method": "llm", "rule_id": rule.id, "attested_ids": ids})
    (checked,) = check_pairs([made], {rule.id: rule}, ANY, CheckSettings(), attested=attested_words(blocks))
    return {it.check for it in checked.findings if it.level == "error"}


@pytest.mark.parametrize(
    ("good", "bad", "check"),
    [
        ("Miko ACC pani.", "Miko taro pani.", "book-notation"),
        ("Miko acc pani.", "Miko taro pani.", "book-notation"),
        ("Miko dog.ACC pani.", "Miko taro pani.", "book-notation"),
        ("Miko taron pani.", "Miko taro pan-i.", "book-notation"),
        ("Miko taron pani ‘The cat sees the dog’", "Miko taro pani ‘The cat sees the dog’", "book-notation"),
        ("Taron mi panu.", "Mi taron panu.", "book-bad-attested"),
        ("Mi boy panu.", "Mi boy pani.", "book-notation"),
        ("Taron sela.", "Taro sela.", "book-fragment"),
        ("Taro mikon pani sela.", "Mikon sela taro pani.", "book-several-changes"),
        ("Mi taron panu.", "Mi taro pani.", "book-several-changes"),
        ("Miko taron pani.", "Keta taron pani.", "book-other-word"),
        ("Mi taron panu.", "Mi taron pani.", "book-other-feature"),
    ],
)
def test_a_flaw_that_needs_no_judge_rejects_a_pair(pair: MakePair, good: str, bad: str, check: str) -> None:
    assert check in errors(pair(good, bad))


@pytest.mark.parametrize(
    ("good", "bad", "stated"),
    [
        ("Miko taron pani.", "Miko taro pani.", "The direct object is in the accusative case."),
        ("Mi taron panu.", "Mi taron pani.", "The verb agrees with the subject in person and number."),
        ("Miko taron pani.", "Miko pani taron.", "The object precedes the verb: the order is object and verb."),
        ("Miko taron pani.", "Keta taron pani.", "Only miko is a subject."),
        ("Mi lumu sela.", "Mi lumu.", "With a verb in the present the place is always said."),
        ("Taro lumi.", "Tarozz lumi.", "The direct object is in the accusative case."),
        ("Taro lumi.", "Lumumiko lumi.", "The direct object is in the accusative case."),
    ],
)
def test_a_pair_that_shows_its_rule_passes(pair: MakePair, good: str, bad: str, stated: str) -> None:
    assert errors(pair(good, bad), description=stated, title=stated, quote=stated) == set()


def test_a_clause_may_lack_a_verb_where_the_grammar_has_such_clauses(pair: MakePair) -> None:
    (first, *_) = read_jsonl(BESIDE / "book.blocks.jsonl", Block)
    verbless = tuple(
        first.model_copy(
            update={
                "id": f"block-{name}",
                "gloss": Gloss(
                    surface=f"Taro {name}.",
                    translation="It is.",
                    segmentation=("Taro", name),
                    glosses=(("dog", "boy"),),
                ),
            }
        )
        for name in ("keta", "miko", "taro")
    )
    stated: Any = {"description": "The last word is in the accusative.", "title": "Last", "quote": "the last word"}
    assert "book-fragment" in errors(pair("Taron sela.", "Taro sela."), **stated)
    assert errors(pair("Taron sela.", "Taro sela."), verbless, **stated) == set()


def test_a_translation_that_renders_the_sentence_passes(pair: MakePair) -> None:
    made = pair("Keta mikon pani.", "Keta miko pani.")
    assert errors(made.model_copy(update={"translation": "The boy looks at a cat."})) == set()
    assert errors(made.model_copy(update={"translation": "Did he seek cats?"})) == set()
    assert errors(made.model_copy(update={"translation": "We bought bread."})) == {"book-translation"}


def test_morphs_make_words_of_a_root_with_affixes_that_go_with_it() -> None:
    lines = [
        "taro-n dog-ACC",
        "taro-so dog-PL",
        "miko-n cat-ACC",
        "lum-i sleep-3SG",
        "lum-u sleep-1SG",
        "pan-i see-3SG",
    ]
    morphs = Morphs(GlossedWord(cut.replace("-", ""), cut, gloss) for cut, gloss in map(str.split, lines))
    assert [word for word in ("mikoso", "panu", "Tárón", "tarou", "lumin", "keta") if morphs.make(word)] == [
        "mikoso",
        "panu",
        "Tárón",
    ]
    assert [word for word in ("lumin", "lumix") if morphs.covers(word)] == ["lumin"]
    # The morphs of another word may have moved, or one may be added to it.
    moves = [("nmiko", "mikon"), ("somikon", "mikon"), ("taronn", "taron"), ("kinom", "taron")]
    assert [morphs.remake(*sides) for sides in moves] == [True, True, True, False]


def test_words_of_the_glosses_are_known_though_a_sentence_has_them_once() -> None:
    given = [GlossedWord("miko", "miko", "child"), GlossedWord("man", "man", "how"), GlossedWord("ku", "ku", "man")]
    lines = [GlossedSentence(text, text, words=tuple(given)) for text in ("Miko man ku.", "Man miko ku.")]
    book = GlossedBook([*lines, GlossedSentence("b", "a child")])
    # What is a word of the language as well is none.
    assert book.gloss_words == {"child", "how"}
