"""Pairs in a language that models may not know: made from what the grammar attests, and from nothing else."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from asked_parts import agreement_rule, book_block
from scripted_llm import asked_for, told

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings, GenerateSettings
from pairwright.core.records import Contrast, Example, Gloss, LLMCall, Rule
from pairwright.languages import Language
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.pairs import pair_requests
from pairwright.sources.asked.targets import PairTask, Standing

Generate = Callable[..., Any]

UNKNOWN = Language(code="qaa", name="Muru", autonym="Muru")


def gloss(line: str, labels: str, translation: str, judgement: str | None = None) -> Gloss:
    return Gloss(
        segmentation=tuple(line.split()), glosses=(tuple(labels.split()),), translation=translation, judgement=judgement
    )


BLOCKS = (
    book_block(1, gloss=gloss("taro-ne mi-kol", "dog-ERG 1SG-see", "The dog sees me.")),
    book_block(2, gloss=gloss("taro mi-kol", "dog 1SG-see", "The dog sees me.", judgement="*")),
    book_block(3, gloss=gloss("sule-ne nu-kol", "fish-ERG 2SG-see", "The fish sees you.")),
    book_block(4, gloss=gloss("wako", "sleep.IMP", "Sleep!")),
    book_block(5, kind="paragraph", text="The stem weli ‘bird’ has no plural *weliso.", emphasis=((9, 13), (36, 42))),
    book_block(
        6, kind="table", cells=(("", "SG"), ("ERG", "taro-ne"), ("ABS", "taro"), ("", "*taroso")), header_rows=1
    ),
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
            {"doubt": None, "base": base, "good": good, "bad": bad, "translation": "Model."}
            for base, good, bad in pairs
        ]
    }


def grounded(generate: Generate, rule: Rule, *pairs: tuple[int, str, str], **settings: Any) -> Any:
    given = {"language": UNKNOWN, "blocks": BLOCKS, "grounded": None} | settings
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
    assert "The source rules the bad sentence out." in words


def test_the_title_of_the_grammar_and_the_dialect_of_a_sentence_are_told(generate: Generate) -> None:
    dog, fish = gloss("taro-ne mi-kol", "dog-ERG 1SG-see", "It sees."), gloss("sule-ne nu-kol", "fish-ERG 2SG-see", "")
    hill = book_block(1, gloss=dog.model_copy(update={"language": "Hill Muru"}))
    coastal = book_block(3, gloss=fish.model_copy(update={"language": "Coastal Muru"}))
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
        ((1, "tarone … mikol", "taro … mikol"), "the source leaves words out inside the good sentence"),
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


@pytest.mark.parametrize(
    "features",
    [
        ("good: Case=Erg", "bad: Polarity=Pos"),
        ("good: Tone=High", "bad: Case=Dat"),
        ("good: Case=Erg", "bad: Case=Dat"),
    ],
    ids=["what glosses leave unmarked", "a feature that the glosses do not name", "a form that the source lacks"],
)
def test_a_contrast_that_the_glosses_do_not_label_is_asked_about(generate: Generate, features: tuple[str, ...]) -> None:
    contrast = Contrast(licence="banned", what="-ne", features=features)
    run = grounded(generate, ERGATIVE.model_copy(update={"contrast": contrast}), MADE, pairs_per_rule=1)
    assert [pair.good for pair in run.pairs] == ["tarone mikol"]


def test_a_sentence_whose_word_has_both_forms_comes_right_behind_the_rules_own(generate: Generate) -> None:
    about_fish = ERGATIVE.model_copy(update={"example_ids": ("block-3",)})
    contrasting = book_block(7, gloss=gloss("taro kol-e", "dog.ABS sleep-3SG", "The dog sleeps."))
    lone = book_block(8, gloss=gloss("weli-ne nu-kol", "bird-ERG 2SG-see", "The bird sees you."))
    blocks = (lone, *BLOCKS, contrasting)
    words = told(grounded(generate, about_fish, (1, "sulene nukol", "sule nukol"), blocks=blocks).seen[0])
    assert "1. sulene nukol\n" in words
    assert "2. tarone mikol\n" in words
    assert "other forms: tarone: taro dog.ABS (p. 3)" in words


def test_sentences_of_one_word_carry_pairs(generate: Generate) -> None:
    imperative = unlike_any(agreement_rule(description="Commands have no prefix.", examples=())).model_copy(
        update={"example_ids": ("block-4",)}
    )
    (pair,) = grounded(generate, imperative, (1, "wako", "nuwako")).pairs
    assert (pair.good, pair.bad, pair.new_words) == ("wako", "nuwako", ("nuwako",))


def test_a_model_that_finds_no_pair_in_all_that_there_is_to_show_is_not_asked_again(generate: Generate) -> None:
    run = grounded(generate, ERGATIVE, rounds=3)
    assert len(run.seen) == 1
    assert run.reasons == ["no pair in the answer"]


NOUNS = {"taro": "dog", "sule": "fish", "weli": "bird", "pexi": "wolf", "noka": "child", "lumi": "wind"}
HERD = tuple(
    book_block(10 + n, gloss=gloss(f"{noun}-ne mi-kol", f"{meaning}-ERG 1SG-see", f"The {meaning} sees me."))
    for n, (noun, meaning) in enumerate(NOUNS.items())
)
EACH = [(n, f"{noun}ne mikol", f"{noun} mikol") for n, noun in enumerate(NOUNS, start=1)]
ABOUT_ERG = unlike_any(ERGATIVE).model_copy(update={"example_ids": (), "labels": ("ERG",)})


def one_of_each(output: str, text: str) -> dict[str, Any]:
    """A pair from each sentence that is shown."""
    shown = re.findall(r"(?m)^(\d+)\. ((\w+)ne mikol)$", text)
    return said(*((int(number), good, f"{noun} mikol") for number, good, noun in shown))


def test_each_request_shows_other_sentences_and_more_pairs_repeat_the_earlier_requests(generate: Generate) -> None:
    shown = {"language": UNKNOWN, "blocks": HERD, "grounded": None, "sentences": 2, "batch": 2}
    few = generate(one_of_each, ABOUT_ERG, pairs_per_rule=2, folder="few", **shown)
    many = generate(one_of_each, ABOUT_ERG, pairs_per_rule=6, folder="many", **shown)
    assert [pair.good for pair in many.pairs] == [f"{noun}ne mikol" for noun in NOUNS]
    assert list(map(told, many.seen))[:1] == list(map(told, few.seen))
    assert len(many.seen) == 3
    again = generate(one_of_each, ABOUT_ERG, pairs_per_rule=6, folder="many", **shown)
    assert (again.pairs == many.pairs, len({told(body) for body in many.seen + again.seen})) == (True, 3)


def test_rules_share_their_first_request_whatever_became_of_their_pairs(generate: Generate) -> None:
    orders = [
        ABOUT_ERG.model_copy(update={"id": f"rule-{n}", "code": str(n), "title": f"Order {n}"}) for n in range(20, 29)
    ]
    given = {"language": UNKNOWN, "blocks": HERD[:3], "grounded": None, "rounds": 2, "pairs_per_rule": 1}

    def answers(output: str, text: str) -> Any:
        return said((1, "tarone mikol", "mikol tarone"), (5, "sulene mikol", "mikol sulene"))

    first = generate(answers, *orders, folder="first", **given)
    assert [pair.rule_id for pair in first.pairs] == ["rule-20", "rule-21"]
    assert sorted(told(body).count("Order ") for body in first.seen) == [3, 6]
    assert first.reasons.count("no pair in the answer") == 5
    # One pair stands, by a person; another fell.
    settled = Standing(frozenset({first.pairs[1].id}), tuple(first.pairs[:1]))
    second = generate(answers, *orders, folder="second", standing=settled, **given)
    assert set(map(told, first.seen)) <= set(map(told, second.seen))


def test_the_estimate_is_of_requests_for_which_there_are_sentences() -> None:
    settings = GenerateSettings(pairs_per_rule=100, sentences=2)
    task = PairTask((ABOUT_ERG,), UNKNOWN, settings, Corpus((), HERD))
    assert len(list(pair_requests(task))) == 3


def test_a_sentence_gives_one_pair_of_a_rule(generate: Generate) -> None:
    run = grounded(generate, ABOUT_ERG, EACH[0], (1, "tarone nukol", "taro nukol"), blocks=HERD)
    assert [pair.good for pair in run.pairs] == ["tarone mikol"]
    assert run.reasons == ["a pair was made from this sentence before: 'tarone mikol'"]


def test_what_a_refused_pair_used_is_free_again(generate: Generate) -> None:
    made = [EACH[0], (1, "tarone mikol", "tarona mikol")]
    first = grounded(generate, ABOUT_ERG, *made, blocks=HERD, folder="first", pairs_per_rule=1)
    assert first.reasons == ["varies the bad sentence alone of a pair that was taken"]
    standing = Standing(frozenset({first.pairs[0].id}))
    second = grounded(generate, ABOUT_ERG, *made, blocks=HERD, folder="second", standing=standing, pairs_per_rule=1)
    assert [pair.bad for pair in second.pairs] == ["taro mikol", "tarona mikol"]
    assert len(second.seen) == 1


def test_a_sentence_whose_pair_was_refused_is_shown_again_after_all_others(generate: Generate) -> None:
    shown = {"language": UNKNOWN, "blocks": HERD[:4], "grounded": None, "sentences": 2, "batch": 2, "rounds": 2}
    first = generate(one_of_each, ABOUT_ERG, pairs_per_rule=4, folder="first", **shown)
    key = first.pairs[0].id
    standing = Standing(frozenset({key}), reasons={key: "dogs see nothing"})
    second = generate(one_of_each, ABOUT_ERG, pairs_per_rule=4, folder="second", standing=standing, **shown)
    *before, last = map(told, second.seen)
    assert before == list(map(told, first.seen))
    assert "1. tarone mikol\n" in last
    assert "good: tarone mikol\nbad: taro mikol\nrefused: dogs see nothing" in last
    # Whoever wants more pairs later has paid for these requests.
    more = generate(one_of_each, ABOUT_ERG, pairs_per_rule=5, folder="more", standing=standing, **shown)
    assert list(map(told, more.seen))[: len(second.seen)] == [*before, last]


def test_near_copies_that_differ_in_a_name_or_a_pronoun_count_once(generate: Generate) -> None:
    lines = [("Ana", "Ana"), ("Eno", "Eno"), ("mi", "I"), ("nu", "2s.TOP"), ("taro", "dog")]
    blocks = [
        book_block(n, gloss=gloss(f"{word} sule-ne kol", f"{label} fish-ERG sees", f"{label} sees."))
        for n, (word, label) in enumerate(lines)
    ]
    one_by_one = {"blocks": tuple(blocks), "sentences": 12}
    run = grounded(generate, ABOUT_ERG, **one_by_one)
    assert len(re.findall(r"(?m)^\d+\. .* kol$", told(run.seen[0]))) == 2
    own = ABOUT_ERG.model_copy(update={"example_ids": ("block-0", "block-1")})
    copies = (1, "Ana sulene kol", "Ana sule kol"), (2, "Eno sulene kol", "Eno sule kol")
    copied = ["a near copy of 'Ana sulene kol'"]
    assert grounded(generate, own, *copies, folder="own", **one_by_one).reasons == copied


@pytest.mark.parametrize(
    ("first", "second", "copied"),
    [
        ("taro-ne vari nu-kol", "weli-ne vari nu-kol", True),
        ("taro-ne vari nu-kol", "weli-ne pexi nu-kol", False),
        ("taro-ne vari nu-kol", "weli-ne vari mi-kol", True),
        ("taro-ne vari nu-kol", "taro-ne vari mi-pex", True),
        ("taro-ne vari nu-kol", "taro-ne lumi mi-pex", False),
        ("taro-ne vari nu-kol", "weli-ne pexi mi-pex taro-ne vari nu-kol", True),
    ],
    ids=[
        "one word differs",
        "two of three differ",
        "one word and a person differ",
        "the same word changes beside the same",
        "beside others",
        "a clause comes again in a longer sentence",
    ],
)
def test_pairs_that_share_most_of_their_words_count_once(
    generate: Generate, first: str, second: str, copied: bool
) -> None:
    labels = {"taro": "dog", "weli": "bird", "vari": "far", "pexi": "near", "lumi": "wind"}
    blocks = []
    labels |= {"ne": "ERG", "nu": "2SG", "mi": "1SG", "kol": "see", "pex": "smell"}
    for n, line in enumerate((first, second)):
        glossed = " ".join("-".join(labels[it] for it in word.split("-")) for word in line.split())
        blocks.append(book_block(n, gloss=gloss(line, glossed, f"A dog sees {n}.")))
    plain = [line.replace("-", "") for line in (first, second)]
    made = [(n, good, good.replace("ne ", " ", 1)) for n, good in enumerate(plain, start=1)]
    reasons = [f"a near copy of '{plain[0]}'"] if copied else []
    assert grounded(generate, ABOUT_ERG, *made, blocks=tuple(blocks)).reasons == reasons


def test_a_pair_of_another_rule_is_not_copied(generate: Generate) -> None:
    """Two rules that come to the same words."""
    blocks = (
        book_block(1, gloss=gloss("taro-ne vari nu-kol", "dog-ERG far 2SG-see", "The dog sees you far off.")),
        book_block(2, gloss=gloss("taro-ne vari nu-pex", "dog-ERG far 2SG-smell", "The dog smells you far off.")),
    )
    again = ABOUT_ERG.model_copy(update={"id": "rule-8", "code": "8", "title": "Agents", "description": "All agents."})

    def answers(output: str, text: str) -> Any:
        numbers = map(int, re.findall(r"(?m)^(\d+)\. tarone vari nukol$", text))
        return said(*((number, "tarone vari nukol", "taro vari nukol") for number in numbers))

    run = generate(answers, ABOUT_ERG, again, language=UNKNOWN, blocks=blocks, grounded=None, pairs_per_rule=1)
    assert [pair.rule_id for pair in run.pairs] == ["rule-7"]
    assert run.reasons == ["a near copy of 'tarone vari nukol'"]


def test_a_clause_gives_a_pair_to_each_rule_that_changes_other_words_of_it(generate: Generate) -> None:
    fields = {"id": "rule-8", "code": "8", "title": "Order", "description": "Agents come first."}
    again = ABOUT_ERG.model_copy(update=fields)

    def answers(output: str, text: str) -> Any:
        return said((1, "tarone mikol", "taro mikol"), (2, "tarone mikol", "mikol tarone"))

    run = generate(answers, ABOUT_ERG, again, language=UNKNOWN, blocks=HERD[:1], grounded=None)
    assert [(pair.good, pair.bad) for pair in run.pairs] == [
        ("tarone mikol", "taro mikol"),
        ("tarone mikol", "mikol tarone"),
    ]


def test_a_request_shows_what_the_grammar_says_beside_its_rule(generate: Generate) -> None:
    call = LLMCall(prompt="p/v1", prompt_sha256="0" * 64, server="s", model="m", reply="0" * 64)
    fields = {"code": "8", "title": "Drop", "contrast": Contrast(licence="none", what=""), "asked": (call,)}
    beside = ABOUT_ERG.model_copy(update={**fields, "id": "rule-8", "description": "A noun that is known is left out."})
    given = {"language": UNKNOWN, "blocks": HERD, "grounded": None, "pairs_per_rule": 1}
    (seen,) = generate(lambda output, text: said(EACH[0]), ABOUT_ERG, beside, **given).seen
    assert "- A noun that is known is left out." in told(seen)


def test_a_sentence_that_the_book_stars_is_shown_and_may_be_the_bad_side(generate: Generate) -> None:
    lone = Example(good="sulene nukol", bad="taro mikol", evidence=ERGATIVE.evidence[0])
    starred = ERGATIVE.model_copy(update={"example_ids": ("block-1", "block-2"), "examples": (lone,)})
    run = grounded(generate, starred, MADE, pairs_per_rule=1)
    assert "bad: *taro mikol" in told(run.seen[0])
    (checked,) = check_pairs(run.pairs, {starred.id: starred}, UNKNOWN, CheckSettings())
    assert "duplicate-example" not in {finding.check for finding in checked.findings}


def test_two_attested_sides_of_a_contrast_of_persons_are_a_pair(generate: Generate) -> None:
    blocks = (
        book_block(1, gloss=gloss("mi kol-em", "1SG see-1SG", "I see.")),
        book_block(2, gloss=gloss("mi kol-es", "1SG see-2SG", "You see me.")),
    )
    contrast = Contrast(licence="banned", what="the ending", features=("good: Person=1", "bad: Person=2"))
    person = ERGATIVE.model_copy(update={"contrast": contrast, "words": ("-em",)})
    run = grounded(generate, person, (1, "mi kolem", "mi koles"), blocks=blocks, pairs_per_rule=1)
    (pair,) = run.pairs
    assert pair.bad == "mi koles"
