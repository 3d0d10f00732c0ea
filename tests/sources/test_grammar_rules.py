"""From a grammar to rules: what a language model says is kept where the book bears it out, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from grammar_parts import GRAMMAR, NEGATION, draft, find_rules, read_book, reader_of, saying
from scripted_llm import client, told

from llm_server import Body, Say
from pairwright.core.config import RuleSettings
from pairwright.core.records import Contrast, Evidence, Example, Rejection, Rule

NOTHING: dict[str, Any] = {"examples": [], "exceptions": []}


def contrast_of(*rules: Rule) -> Contrast:
    """The contrast of the only rule."""
    [rule] = rules
    assert rule.contrast is not None
    return rule.contrast


def negation(folder: Path, **fields: Any) -> tuple[list[Rule], list[Rejection]]:
    """What becomes of the rule on negation with other fields."""
    rules, rejected = find_rules(folder, saying({"a verb is negated": [draft(**fields)]}))
    return rules, [item for item in rejected if "section left out" not in item.reason]


def test_a_rule_has_the_words_of_the_book_its_place_and_its_examples(tmp_path: Path) -> None:
    (rule,), rejected = negation(tmp_path)
    assert rejected == []
    assert rule.quote == "If a verb is negated, its object stands in the genitive. The accusative is ungrammatical"
    assert (rule.line, rule.section) == (11, ("2 Syntax", "2.1 The genitive of negation"))
    assert rule.code.startswith("2.1-")
    assert rule.exceptions == ("Objects in the dative keep their case.",)
    assert [(e.good, e.bad, e.translation) for e in rule.examples] == [
        ("Neturiu dviračio.", None, "I do not have a bicycle.")
    ]
    assert rule.examples[0].gloss == "NEG.have.PRS.1SG bicycle.GEN.SG"
    contrast = contrast_of(rule)
    assert (contrast.licence, contrast.features) == ("banned", ("good: Case=Gen", "bad: Case=Acc"))
    assert getattr(contrast.evidence, "quote", "") == "The accusative is ungrammatical"
    assert [item.prompt for item in rule.asked] == ["extract_rules/v8"]
    assert len(rule.asked[0].reply) > 8


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"quotation": "A negated verb always takes the genitive."}, "the quotation does not stand in the passage"),
        ({"quotation": "genitive"}, "too short"),
        ({"quotation": ""}, "too short"),
        ({"title": " "}, "no title"),
        ({"description": "x " * 2000}, "longer than"),
    ],
)
def test_a_rule_that_the_book_does_not_state_says_nothing_or_rambles_is_rejected(
    tmp_path: Path, fields: dict[str, Any], reason: str
) -> None:
    rules, (rejection,) = negation(tmp_path, **fields)
    assert rules == []
    assert reason in rejection.reason
    assert rejection.line == 11
    assert rejection.text == draft(**fields)["quotation"] or "quotation" not in reason


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"ground": "The nominative is ungrammatical"}, "do not stand in the passage"),
        ({"ground": "The order of words is generally free."}, "the book permits: generally"),
        ({"ground": "The subject may follow the verb"}, "the book permits: may"),
        ({"ground": "", "quotation": "Neturiu dviračio.", "exceptions": []}, "in examples and does not state it"),
        ({"contrast": ""}, "no contrast was named"),
        ({"features": ["good: Case=Gen", "bad: Case=Gen"]}, "same features"),
    ],
)
def test_a_licence_that_the_book_does_not_bear_out_is_none(tmp_path: Path, fields: dict[str, Any], why: str) -> None:
    rules, rejected = negation(tmp_path, **fields)
    contrast = contrast_of(*rules)
    assert rejected == []
    assert (contrast.licensed, contrast.features) == (False, ())
    assert why in contrast.what


def test_a_reference_to_another_section_is_no_exception(tmp_path: Path) -> None:
    sent = "For the object of two verbs, see section 4.2."
    text = GRAMMAR.replace(
        "Objects in the dative keep their case.", f"Objects in the dative keep their case (§3). {sent}"
    )
    named = draft(exceptions=["Objects in the dative keep their case (§3).", sent])
    (rule,), _ = find_rules(tmp_path, saying({"a verb is negated": [named]}), text)
    assert rule.exceptions == ("Objects in the dative keep their case (§3).",)
    assert not any("exception" in note for note in rule.notes)


def test_words_and_labels_that_a_rule_is_about_are_kept_where_the_book_has_them(tmp_path: Path) -> None:
    named = {"words": ["be", "Neturiu", "neduosiu"], "labels": ["GEN.SG", "1SG", "PROH"]}
    (rule,), _ = negation(tmp_path, **named)
    assert (rule.words, rule.labels) == (("be", "Neturiu"), ("GEN.SG", "1SG"))
    noted = [note.rpartition(": ")[2] for note in rule.notes if "the book does not have" in note]
    assert noted == ["neduosiu", "PROH"]


@pytest.mark.parametrize(("mark", "licensed"), [("*", True), ("#", False)])
def test_a_marked_example_can_carry_a_ban_alone_unless_it_is_only_odd(
    tmp_path: Path, mark: str, licensed: bool
) -> None:
    said = saying({"a verb is negated": [draft(ground="Neturiu dviratį.")]})
    contrast = contrast_of(*find_rules(tmp_path, said, GRAMMAR.replace("*Neturiu", f"{mark}Neturiu"))[0])
    assert contrast.licensed is licensed
    assert licensed or "odd, not ungrammatical" in contrast.what


@pytest.mark.parametrize("licence", ["obligatory", "banned"])
@pytest.mark.parametrize("ground", ["its object stands in the genitive", ""])
def test_what_the_book_states_without_exception_is_obligatory(tmp_path: Path, licence: str, ground: str) -> None:
    stated = "If a verb is negated, its object stands in the genitive."
    contrast = contrast_of(*negation(tmp_path, licence=licence, ground=ground, quotation=stated, exceptions=[])[0])
    assert contrast.licence == "obligatory"
    assert getattr(contrast.evidence, "quote", "no evidence") in stated


@pytest.mark.parametrize(
    ("sentence", "ground", "licence"),
    [
        ("The subject is nominative and is typically the agent.", "The subject is nominative", "obligatory"),
        ("In most cases, usually, the verb comes last.", "the verb comes last", "none"),
        ("The verb comes basically last in a clause.", "The verb comes basically last", "none"),
        ("The verb, which may be long, comes last.", "The verb, which may be long, comes last", "none"),
        ("The verb may come last; nouns come first in it.", "nouns come first in it", "obligatory"),
        ("The verb need not come last in a clause.", "The verb need not come last", "none"),
        (
            "The complement may be an adverb of any kind in which case the verb comes last.",
            "the verb comes last",
            "obligatory",
        ),
        ("The verb may not come last in a clause.", "The verb may not come last", "banned"),
    ],
)
def test_words_that_permit_count_in_the_clause_of_the_ground(
    tmp_path: Path, sentence: str, ground: str, licence: str
) -> None:
    said = draft(quotation=sentence, ground=ground, licence="banned", features=[], **NOTHING)
    rules, _ = find_rules(tmp_path, saying({sentence: [said]}), f"# 1 Syntax\n\n{sentence}\n")
    assert contrast_of(*rules).licence == licence


def test_what_is_not_in_the_book_is_left_out_of_a_rule_with_a_note(tmp_path: Path) -> None:
    (rule,), _ = negation(
        tmp_path,
        examples=["E1", "E7"],
        exceptions=["Objects in the dative keep their case.", "Poets do as they like."],
        features=["good: Case=Gen", "the bad one is accusative"],
    )
    assert len(rule.example_ids) == 1
    assert rule.exceptions == ("Objects in the dative keep their case.",)
    assert contrast_of(rule).features == ("good: Case=Gen",)
    assert [word for word in ("E7", "Poets", "accusative") if not any(word in note for note in rule.notes)] == []


@pytest.mark.parametrize(
    ("quotation", "quoted"),
    [
        ("[E2] (2) Atėjo svečias.", "(2) Atėjo svečias."),
        ("Atėjo svečias. gloss: come.PST.3 guest.NOM.SG", "Atėjo svečias.\ncome.PST.3 guest.NOM.SG"),
        ("[table] Table 1: Prepositions", "Table 1: Prepositions"),
    ],
)
def test_the_names_that_a_passage_gives_are_not_quoted(tmp_path: Path, quotation: str, quoted: str) -> None:
    (rule,), _ = negation(tmp_path, quotation=quotation, **NOTHING)
    assert [" ".join(line.split()) for line in rule.quote.splitlines()] == quoted.splitlines()


def test_examples_are_found_by_the_numbers_that_the_book_prints(tmp_path: Path) -> None:
    _, blocks = read_book(tmp_path)
    example = next(block for block in blocks if block.kind == "gloss")
    quoted = "The accusative is ungrammatical, even where the object is a definite thing (1b)."
    (rule,), _ = negation(tmp_path, quotation=quoted, examples=[])
    assert rule.example_ids == (example.id,)
    (other := tmp_path / "other").mkdir()
    (rule,), _ = negation(other, examples=["(1a)"])
    assert [item.good for item in rule.examples] == ["Neturiu dviračio."]


def test_a_rule_takes_over_the_pairs_of_the_examples_that_it_names(tmp_path: Path) -> None:
    _, blocks = read_book(tmp_path)
    first, second = (block for block in blocks if block.kind == "gloss")
    place = Evidence(block_id=first.id, file=first.file, page=1, quote=first.text)
    pair = Example(good="Neturiu dviračio.", bad="Neturiu dviratį.", mark="*", evidence=place)
    other = Example(good="Atėjo svečias.", bad="Atėjo svečią.", mark="*", evidence=place)
    script = saying({"a verb is negated": [NEGATION]})
    (rule,), _ = find_rules(tmp_path, script, pairs={first.id: [pair], second.id: [other]})
    assert rule.examples == (pair,)


def test_sections_on_other_things_are_left_out_and_told(tmp_path: Path) -> None:
    _, rejected = find_rules(tmp_path, saying({}))
    left_out = {item.text: item.reason for item in rejected}
    assert "'phonolog' is in its heading" in left_out["1 Phonology"]
    assert "'references' is in its heading" in left_out["References"]
    assert len(left_out) == 2


def test_the_user_decides_what_is_read(tmp_path: Path) -> None:
    settings = RuleSettings(exclude=("*",), include=("1 *",))
    quoted = draft(
        quotation="A long vowel may never be shortened in careful speech.", licence="none", ground="", **NOTHING
    )
    (rule,), rejected = find_rules(tmp_path, saying({"A long vowel": [quoted]}), settings=settings)
    assert rule.section == ("1 Phonology",)
    assert all("'*' is among the excluded sections" in item.reason for item in rejected)


def test_a_rule_of_a_table_has_the_line_of_its_row(tmp_path: Path) -> None:
    row = draft(quotation="per | not used | ‘through’", ground="not used", features=[], **NOTHING)
    rules, _ = find_rules(tmp_path, saying({"per | not used": [row]}))
    assert [rule.quote for rule in rules] == ["per\tnot used\t‘through’"]
    lines = GRAMMAR.splitlines()
    assert lines[(rules[0].line or 0) - 1].startswith("| per")
    assert contrast_of(*rules).licence == "banned"


@pytest.mark.parametrize(
    ("cell", "licence"), [("ranka", "obligatory"), ("ranka ~ rankà", "none"), ("ranka(n)", "none")]
)
def test_a_paradigm_licenses_a_pair_where_a_cell_has_one_form(tmp_path: Path, cell: str, licence: str) -> None:
    text = f"# 1 Nouns\n\n| Case | Form |\n|---|---|\n| Nominative | {cell} |\n| Genitive | rankos |\n"
    row = draft(quotation=f"Nominative | {cell}", ground="", licence="obligatory", features=[], **NOTHING)
    assert contrast_of(*find_rules(tmp_path, saying({"Nominative": [row]}), text)[0]).licence == licence


def test_one_rule_of_overlapping_passages_comes_once_with_all_its_answers(tmp_path: Path) -> None:
    verbs = ["laukti", "siekti", "bijoti", "norėti", "prašyti", "ieškoti", "klausyti", "reikalauti", "mokytis"]
    verbs += ["vengti", "trokšti", "stokoti"]
    stated = {verb: f"The verb {verb} governs the genitive." for verb in verbs}
    drafts = {
        words: [
            draft(quotation=words, title=f"{verb} governs the genitive", description=words, ground=words, **NOTHING)
        ]
        for verb, words in stated.items()
    }
    text = f"# 1 Government\n\n{' '.join(stated.values())}\n"
    rules, _ = find_rules(tmp_path, saying(drafts), text, settings=RuleSettings(window_characters=400))
    assert [rule.quote for rule in rules] == list(stated.values())
    assert sorted(len(rule.asked) for rule in rules) == [1] * 11 + [2]


ELSEWHERE = GRAMMAR.replace(
    "# References",
    "# 4 Variation\n\nSome speakers also accept the accusative as the object of a negated verb.\n\n# References",
)


@pytest.mark.parametrize(
    ("check", "added", "note"),
    [
        ({"exception": "Some speakers also accept", "against": "none"}, ("Some speakers also accept",), ""),
        ({"exception": "words of no page of it", "good_as": "-"}, (), ""),
        ({"against": "words that stand nowhere in this book"}, (), "words that stand nowhere"),
    ],
    ids=["an exception that pairs can keep clear of", "nothing", "no words of the book"],
)
def test_a_licence_stands_where_nothing_in_the_book_takes_it_away(
    tmp_path: Path, check: dict[str, Any], added: tuple[str, ...], note: str
) -> None:
    (rule,), _ = find_rules(tmp_path, saying({"a verb is negated, its": [NEGATION]}, **check), ELSEWHERE)
    assert contrast_of(rule).licence == "banned"
    assert rule.exceptions == ("Objects in the dative keep their case.", *added)
    assert note in " ".join(rule.notes)


def questions_about(folder: Path, text: str, **fields: Any) -> list[str]:
    """What is asked about a grammar and the licence of its rule on negation with other fields."""
    source, blocks = read_book(folder, text, title="A grammar of Hill Lithuanian")
    with client(saying({"a verb is negated, its": [draft(**fields)]}), folder) as (llm, server):
        list(reader_of(source, blocks).rules(llm))
    return list(map(told, server.seen))


@pytest.mark.parametrize("text", [GRAMMAR, ELSEWHERE], ids=["nothing speaks against it", "words elsewhere do"])
def test_a_licence_is_questioned_with_the_headings_over_the_words_that_may_speak_against_it(
    tmp_path: Path, text: str
) -> None:
    *passages, question = questions_about(tmp_path, text)
    assert all("A grammar of Hill Lithuanian" in asked for asked in passages)
    # The sentences that state the rule come with those next to them.
    assert re.search("page 1, 2 Syntax > 2.1 The genitive of negation: If a verb is .*keep their case", question)
    assert ("P1. page 1, 4 Variation: Some speakers also accept" in question) == (text == ELSEWHERE)


@pytest.mark.parametrize(
    ("said", "shown", "bears"),
    [
        ("What section 2.1 says holds of pronouns, too.", "page 1, 4 More: {}", True),
        ("What section 2.10 says holds of pronouns, too.", "page 1, 4 More: {}", False),
        ("Some words have it in the genitive, too (see section 2.1).", "page 1, 4 More: {}", False),
        ("The suffix of GEN is lost before a vowel.", "page 1, 4 More: {}", True),
        ("The suffix of DAT is lost before a vowel.", "page 1, 4 More: {}", False),
        ("(3) Nėra namo.\n    NEG.be.PRS.3 house.GEN.SG\n    ‘There is no house.’",
         "example: Nėra namo. = NEG.be.PRS.3 house.GEN.SG ‘There is no house.’", True),
    ],
)  # fmt: skip
def test_a_licence_is_questioned_by_what_names_its_section_or_has_its_labels(
    tmp_path: Path, said: str, shown: str, bears: bool
) -> None:
    text = GRAMMAR.replace("# References", f"# 4 More\n\n{said}\n\n# References")
    labelled = {"description": "The object of a negated verb is in the genitive (GEN).", "labels": ["NEG", "GEN"]}
    question = questions_about(tmp_path, text, **labelled, **NOTHING)[-1]
    assert (shown.format(said) in question) == bears


def test_a_rule_that_is_said_twice_has_the_evidence_of_both_places(tmp_path: Path) -> None:
    again = "A negated verb has an object in the genitive case."
    text = GRAMMAR.replace("# References", f"# 4 Summary\n\n{again}\n\n# References")
    second = draft(
        quotation=again, ground=again, licence="obligatory", title="Objects", description="So it is.", **NOTHING
    )
    drafts = {"a verb is negated, its": [NEGATION], again: [second]}

    def script(body: Body, nth: int) -> Say:
        said = json.loads(saying(drafts)(body, nth).text)
        for check in said.get("checks", ()):
            check["same_as"] = check["rule"] - 1
        return Say(json.dumps(said))

    (rule,), _ = find_rules(tmp_path, script, text)
    assert [item.quote for item in rule.evidence] == [NEGATION["quotation"], again]
    assert rule.title == "Genitive of negation"


@pytest.mark.parametrize(
    ("check", "what"),
    [
        (
            {"against": "also accept the accusative as the object of a negated verb"},
            "the book says otherwise on page 1",
        ),
        ({"basis": "report"}, "the book reports what its data have"),
        ({"basis": "tendency"}, "the book calls it a tendency"),
        ({"basis": "option"}, "the book gives other forms"),
        ({"basis": "forms"}, "which forms there are"),
        ({"good_as": "about another dog"}, "a good one as well: about another dog"),
    ],
    ids=["words elsewhere", "report", "tendency", "option", "forms", "another reading"],
)
def test_a_rule_that_the_book_does_not_require_licenses_no_pair(
    tmp_path: Path, check: dict[str, Any], what: str
) -> None:
    (rule,), _ = find_rules(tmp_path, saying({"a verb is negated, its": [NEGATION]}, **check), ELSEWHERE)
    assert contrast_of(rule).licence == "none"
    assert what in contrast_of(rule).what
    assert [item.quote for item in contrast_of(rule).against] == [*filter(None, [check.get("against")])]
    # A person who disagrees sees what was proposed.
    assert any(NEGATION["contrast"] in note for note in rule.notes)


def test_the_questions_can_be_counted_before_they_are_asked(tmp_path: Path) -> None:
    source, blocks = read_book(tmp_path)
    with client(saying({}), tmp_path) as (llm, server):
        expected = list(reader_of(source, blocks).requests())
        assert llm.estimate(expected).requests == len(expected) == 2
        list(reader_of(source, blocks).rules(llm))
        assert len(server.seen) == 2


def test_no_more_passages_are_asked_about_than_the_settings_allow(tmp_path: Path) -> None:
    _, rejected = find_rules(tmp_path, saying({}), settings=RuleSettings(max_windows=1))
    assert [item.reason for item in rejected if "max_windows" in item.reason] == [
        "1 passages from here on were not asked about: rules.max_windows is reached"
    ]


def test_a_passage_without_a_usable_answer_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    def script(body: Body, nth: int) -> Say:
        if "People like to sing" in told(body):
            return Say("I would rather not", refusal="no")
        return saying({"a verb is negated": [NEGATION]})(body, nth)

    rules, rejected = find_rules(tmp_path, script)
    assert len(rules) == 1
    refused = [item.reason for item in rejected if "no usable answer" in item.reason]
    assert refused == ["no usable answer about the passage (refused): no"]
