"""Pairs in a language that models may not know: made from what the grammar attests, and from nothing else."""

from collections.abc import Callable
from typing import Any

import pytest
from asked_parts import agreement_rule
from scripted_llm import asked_for, told

from pairwright.core.records import Block, Contrast, Example, Gloss, Rule
from pairwright.languages import Language
from pairwright.sources.asked.attested import Corpus

Generate = Callable[..., Any]

UNKNOWN = Language(code="qaa", name="Muru", autonym="Muru")


def block(number: int, **of: Any) -> Block:
    given = {"id": f"block-{number}", "source_id": "grammar", "kind": "example", "text": "", "file": "g.pdf", "page": 3}
    return Block(**given | {"reader": "hand"} | of)


def gloss(line: str, labels: str, translation: str, judgement: str | None = None) -> Gloss:
    return Gloss(
        segmentation=tuple(line.split()), glosses=(tuple(labels.split()),), translation=translation, judgement=judgement
    )


BLOCKS = (
    block(1, gloss=gloss("taro-ne mi-kol", "dog-ERG 1SG-see", "The dog sees me.")),
    block(2, gloss=gloss("taro mi-kol", "dog 1SG-see", "The dog sees me.", judgement="*")),
    block(3, gloss=gloss("sule-ne nu-kol", "fish-ERG 2SG-see", "The fish sees you.")),
    block(4, gloss=gloss("wako", "sleep.IMP", "Sleep!")),
    block(5, kind="paragraph", text="The stem weli ‘bird’ has no plural *weliso.", emphasis=((9, 13), (36, 42))),
    block(6, kind="table", cells=(("", "SG"), ("ERG", "taro-ne"), ("ABS", "taro"), ("", "*taroso")), header_rows=1),
)


ERGATIVE = agreement_rule(description="The agent of a transitive verb takes the ergative -ne.", examples=()).model_copy(
    update={
        "example_ids": ("block-1",),
        "block_ids": ("block-6",),
        "contrast": Contrast(licence="banned", what="-ne", features=("good: Case=Erg", "bad: Case=Abs")),
    }
)
MADE = (1, "tarone mikol", "taro mikol")


def unlike_any(rule: Rule) -> Rule:
    """The rule without features, which sentences could share."""
    return rule.model_copy(update={"contrast": Contrast(licence="banned", what="the stress")})


def said(*pairs: tuple[int, str, str]) -> dict[str, Any]:
    return {
        "pairs": [
            {"reading": None, "base": base, "good": good, "bad": bad, "translation": "Model."}
            for base, good, bad in pairs
        ]
    }


def grounded(generate: Generate, rule: Rule, *pairs: tuple[int, str, str], **settings: Any) -> Any:
    given = {"language": UNKNOWN, "blocks": BLOCKS, "directions": ()} | settings
    return generate(lambda output, words: said(*pairs), rule, **given)


def test_a_hardly_known_language_is_shown_what_the_grammar_attests(generate: Generate) -> None:
    run = grounded(generate, ERGATIVE, MADE, pairs_per_rule=1)
    (body,) = run.seen
    words = told(body)
    assert asked_for(body) == "GroundedPairs"
    assert "1. tarone mikol\nsegmentation: taro-ne mi-kol\ngloss: dog-ERG 1SG-see\ntranslation: The dog" in words
    # A sentence with the same label comes next; what bears on the rule in nothing, or is starred, is not shown.
    assert "2. sulene nukol" in words
    assert "ERG, SG: taro-ne\nABS, SG: taro" in words
    assert "wako" not in words
    assert "taro mikol" not in words
    # The form that the bad sentence needs, from the table, and the words that have both.
    assert "other forms: tarone: taro ABS, SG (table, p. 3)" in words
    assert "tarone dog-ERG | taro ABS, SG" in words
    assert "The source rules the bad sentence out." in words


def test_the_title_of_the_grammar_and_the_dialect_of_a_sentence_are_told(generate: Generate) -> None:
    dog, fish = gloss("taro-ne mi-kol", "dog-ERG 1SG-see", "It sees."), gloss("sule-ne nu-kol", "fish-ERG 2SG-see", "")
    hill = block(1, gloss=dog.model_copy(update={"language": "Hill Muru"}))
    coastal = block(3, gloss=fish.model_copy(update={"language": "Coastal Muru"}))
    both = ERGATIVE.model_copy(update={"example_ids": ("block-1", "block-3")})
    blocks = (hill, BLOCKS[1], coastal, *BLOCKS[3:])
    run = grounded(generate, both, MADE, blocks=blocks, title="Hill Muru", pairs_per_rule=1)
    words = told(run.seen[0])
    assert "The grammar that describes it:" in words
    assert "1. tarone mikol\nsegmentation" in words
    assert "2. sulene nukol\nof: Coastal Muru" in words


def test_a_pair_names_its_attested_sentence_and_the_words_that_the_source_lacks(generate: Generate) -> None:
    made = (1, "tarone mikol", "taroni mikol"), (2, "weline nukol", "weli nukol")
    first, second = grounded(generate, ERGATIVE, *made).pairs
    assert (first.attested_ids, first.gloss, first.translation) == (("block-1",), "dog-ERG 1SG-see", "The dog sees me.")
    assert (first.segmentation, first.new_words) == ("taro-ne mi-kol", ("taroni",))
    assert (second.attested_ids, second.translation, second.new_words) == (("block-3",), "Model.", ("weline",))


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ((9, "tarone mikol", "taro mikol"), "made from no attested sentence that was shown"),
        ((1, "tarone nukolu pexi", "taro nukolu pexi"), "too far from the attested sentence: 2"),
        ((1, "tarone mikol", "sulene nukol"), "the bad sentence is attested in the source"),
        ((1, "tarone mikol", "Tarone mikol"), "the two sentences are the same"),
    ],
)
def test_what_the_grammar_does_not_carry_is_not_taken(
    generate: Generate, pair: tuple[int, str, str], reason: str
) -> None:
    run = grounded(generate, ERGATIVE, pair)
    assert run.pairs == []
    assert run.reasons[0].startswith(reason)


def test_a_pair_that_the_source_gives_itself_is_not_taken_again(generate: Generate) -> None:
    starred = Example(good="tarone mikol", bad="taro mikol", evidence=ERGATIVE.evidence[0])
    with_pair = ERGATIVE.model_copy(update={"examples": (starred,)})
    run = grounded(generate, with_pair, MADE)
    assert run.reasons == ["the source gives this pair itself"]
    assert "good: tarone mikol\nbad: taro mikol" in told(run.seen[0])


def test_a_rule_without_attested_sentences_is_not_asked_about(generate: Generate) -> None:
    stress = unlike_any(agreement_rule(description="Stress falls late.", examples=()))
    run = grounded(generate, stress, (1, "wako", "nuwako"))
    assert (run.seen, run.reasons) == ([], ["no attested sentence bears on the rule"])


def test_a_rule_for_whose_sentences_the_source_has_no_contrasting_form_is_not_asked_about(generate: Generate) -> None:
    contrast = Contrast(licence="banned", what="-ne", features=("good: Case=Erg", "bad: Case=Dat"))
    run = grounded(generate, ERGATIVE.model_copy(update={"contrast": contrast}), (1, "tarone mikol", "taroki mikol"))
    reason = "no form with Case=Dat of a word of the attested sentences that bear on the rule"
    assert (run.seen, run.reasons) == ([], [reason])


def test_forms_of_other_words_show_how_a_word_is_changed(generate: Generate) -> None:
    about_fish = ERGATIVE.model_copy(update={"example_ids": ("block-3",)})
    words = told(grounded(generate, about_fish, (1, "sulene nukol", "sule nukol"), pairs_per_rule=1).seen[0])
    # A sentence whose word has both forms comes right behind the rule's own.
    assert "1. sulene nukol\n" in words
    assert "2. tarone mikol\n" in words
    assert "tarone dog-ERG | taro ABS, SG" in words


def test_sentences_of_one_word_carry_pairs(generate: Generate) -> None:
    imperative = unlike_any(agreement_rule(description="Commands have no prefix.", examples=())).model_copy(
        update={"example_ids": ("block-4",)}
    )
    (pair,) = grounded(generate, imperative, (1, "wako", "nuwako")).pairs
    assert (pair.good, pair.bad, pair.new_words) == ("wako", "nuwako", ("nuwako",))


def test_the_corpus_knows_words_of_examples_cited_forms_and_tables_but_no_starred_sentence() -> None:
    corpus = Corpus((), BLOCKS, "-")
    assert corpus.words.unattested("tarone weli nukol") == ()
    assert corpus.words.unattested("Taroni plural taroso weliso") == ("Taroni", "plural", "taroso", "weliso")
    assert not corpus.attests("taro mikol")
    assert corpus.attests("Tarone mikol!")
    assert corpus.attests("taro-ne mi-kol")


def test_a_model_that_finds_no_pair_in_all_that_there_is_to_show_is_not_asked_again(generate: Generate) -> None:
    run = grounded(generate, ERGATIVE, rounds=3)
    assert len(run.seen) == 1
    assert run.reasons == ["no pair in the answer"]


def test_pairs_that_were_made_are_among_those_that_are_not_to_be_given_again(generate: Generate) -> None:
    run = grounded(generate, ERGATIVE, (1, "tarone mikol", "taroni mikol"), pairs_per_rule=2, rounds=2)
    first, second, *_ = map(told, run.seen)
    assert "bad: taroni mikol" not in first
    assert "good: tarone mikol\nbad: taroni mikol" in second
