"""Findings of overlapping passages become one rule, whatever the order in which they come."""

import random

import pytest

from made_records import make_rule
from pairwright.core.ids import content_id
from pairwright.core.records import Contrast, Evidence, Licence, LLMCall, Rule
from pairwright.languages import load_language
from pairwright.sources.grammar.rules.drafts import StatedRule, TextSpan
from pairwright.sources.grammar.rules.extract import Doubt, grouped, merge

TEXT = (
    "If a verb is negated, its object stands in the genitive. The accusative is ungrammatical. "
    "Verbs of helping govern the dative. Verbs of use govern the instrumental."
)
BLOCK = content_id("block", TEXT)


def finding(
    quote: str,
    title: str,
    answer: str = "a",
    *,
    features: tuple[str, ...] = (),
    licence: Licence = "banned",
    words: tuple[str, ...] = (),
) -> StatedRule:
    """What one answer says."""
    start = TEXT.index(quote)
    place = Evidence(block_id=BLOCK, file="g.md", page=1, quote=quote)
    none = licence == "none"
    what = "nothing is ruled out" if none else "the case"
    rule = make_rule(
        id="rule",
        title=title,
        description=title,
        section=("2 Case",),
        block_ids=(BLOCK,),
        quote=quote,
        evidence=(place,),
        words=words,
        contrast=Contrast(licence=licence, what=what, features=features, evidence=None if none else place),
        asked=(LLMCall(prompt="p/v1", prompt_sha256="0" * 64, server="s", model="m", reply=answer),),
    )
    spans = (TextSpan(BLOCK, start, start + len(quote)),)
    return StatedRule(rule, spans, (0, start), frozenset())


def merged(*findings: StatedRule) -> list[Rule]:
    return [item.rule for item in merge(findings, load_language("en"))]


def test_overlapping_quotations_that_say_the_same_are_one_rule() -> None:
    (rule,) = merged(
        finding("its object stands in the genitive", "Objects of negated verbs in the genitive", "a"),
        finding(
            "If a verb is negated, its object stands in the genitive.", "The object of a negated verb is genitive", "b"
        ),
    )
    assert rule.quote == "If a verb is negated, its object stands in the genitive."
    assert [item.quote for item in rule.evidence] == [rule.quote, "its object stands in the genitive"]
    assert [item.reply for item in rule.asked] == ["b", "a"]


NEGATED, OF_HELP, OF_USE = "its object stands in the genitive.", "Verbs of helping", "Verbs of use"
DATIVE, INSTRUMENTAL = "Verbs of helping govern the dative.", "Verbs of use govern the instrumental."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Other words of the book, and not nearly the same meaning.
        (finding(DATIVE, f"{OF_HELP} with the dative"), finding(INSTRUMENTAL, f"{OF_USE} with the instrumental", "b")),
        # One word makes another rule, as in the rows of a table.
        (
            finding(DATIVE, "The verb padėti governs the genitive or the dative"),
            finding(INSTRUMENTAL, "The verb laukti governs the genitive or the dative", "b"),
        ),
        # One answer told them apart.
        (finding(NEGATED, "The object"), finding("If a verb is negated, its object stands", "The object")),
        (
            finding(DATIVE, "Verbs with the dative", features=("good: Case=Dat",)),
            finding(DATIVE, "Verbs with the dative", features=("good: Case=Acc",)),
        ),
    ],
)
def test_different_rules_stay_apart(one: StatedRule, other: StatedRule) -> None:
    assert len({rule.id for rule in merged(one, other)}) == 2


CONNEGATIVE = ("good: VerbForm=Conneg", "bad: VerbForm=Inf")


@pytest.mark.parametrize(
    ("features", "named", "n_rules"),
    [(CONNEGATIVE, ("ij",), 1), (CONNEGATIVE[:1], ("ij",), 2), (CONNEGATIVE, ("sihtat",), 2)],
    ids=["of the same words", "another demand", "other words"],
)
def test_a_summary_and_its_section_that_demand_the_same_are_one_rule(
    features: tuple[str, ...], named: tuple[str, ...], n_rules: int
) -> None:
    said = finding(DATIVE, "The negation verb takes a connegative complement", features=CONNEGATIVE, words=("ij", "iv"))
    again = finding(
        INSTRUMENTAL, "A connegative complement follows the negation verb", "b", features=features, words=named
    )
    assert len(merged(said, again)) == n_rules


def test_the_outcome_does_not_depend_on_the_order_of_answers() -> None:
    findings = [
        finding("its object stands in the genitive", "Objects of negated verbs in the genitive", "a"),
        finding("If a verb is negated, its object stands in the genitive.", "Object of a negated verb: genitive", "b"),
        finding("The accusative is ungrammatical.", "No accusative object under negation", "b"),
        finding("Verbs of helping govern the dative.", "Verbs of helping with the dative", "c"),
        finding("Verbs of helping govern the dative.", "Helping verbs govern the dative", "d"),
        finding("Verbs of use govern the instrumental.", "Verbs of use with the instrumental", "d"),
    ]
    expected = merged(*findings)
    assert len(expected) == 4
    for seed in range(20):
        shuffled = random.Random(seed).sample(findings, len(findings))
        assert merged(*shuffled) == expected


@pytest.mark.parametrize("licence", ["none", "obligatory"])
def test_the_best_founded_contrast_of_the_answers_stands(licence: Licence) -> None:
    quote = "If a verb is negated, its object stands in the genitive."
    (rule,) = merged(
        finding(quote, "The object of a negated verb", "a", licence=licence),
        finding(quote, "The object of a negated verb", "b", features=("good: Case=Gen",)),
    )
    assert rule.contrast is not None
    assert (rule.contrast.licence, rule.contrast.features) == ("banned", ("good: Case=Gen",))


def test_rules_that_say_similar_things_are_in_one_question_however_far_apart_the_book_has_them() -> None:
    doubts = [
        Doubt(finding(DATIVE, f"{OF_HELP} {number}").rule, [], [], [], {f"word{number}", f"other{number}"})
        for number in range(40)
    ]
    doubts[3].stems.update({"subject", "final"})
    doubts[38].stems.update({"subject", "final", "never"})
    groups = list(grouped(doubts))
    assert sorted(doubts.index(it) for group in groups for it in group) == list(range(40))
    (together,) = [group for group in groups if doubts[3] in group]
    assert doubts[38] in together
    assert all(sorted(group, key=doubts.index) == group for group in groups)
