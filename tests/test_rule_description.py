"""What language models are told of a rule."""

from pairwright.core.records import Contrast, Evidence, Example, LLMCall, Rule
from pairwright.models.prompts import describe_rule, examples_shown, show_example

EVIDENCE = Evidence(block_id="block-1", file="list.md", page=1, line=4, quote="Take off.")
PAIRS = (("We saw it.", "We seen it."), ("They did so.", "They done so."))


def rule(quote: str = "Past forms stand alone.", **changed: object) -> Rule:
    known = {
        "id": "rule-1",
        "source_id": "list",
        "code": "3",
        "title": "Past forms",
        "description": "Past forms need no auxiliary.",
        "category": "verbs",
        "phenomenon": "tense",
        "block_ids": ("block-1",),
        "quote": quote,
        "page": 1,
        "extracted_by": "hand",
        "examples": tuple(Example(good=good, bad=bad, evidence=EVIDENCE) for good, bad in PAIRS),
    }
    return Rule.model_validate(known | changed)


def test_a_rule_is_told_in_its_own_words_without_its_pairs_and_notes_on_a_models_answers() -> None:
    call = LLMCall(prompt="p/v1", prompt_sha256="0" * 64, server="s", model="m", reply="r")
    assert describe_rule(rule()).splitlines() == ["Past forms need no auxiliary.", "Past forms stand alone."]
    # A pair that is judged might stand in a quotation.
    assert "seen" not in describe_rule(rule("3. E.g. We seen it (= We saw it). They done so (= They did so)."))
    assert "Rare." in describe_rule(rule(notes=("Rare.",)))
    assert "Rare." not in describe_rule(rule(notes=("Rare.",), asked=(call,)))


def test_contrast_demand_and_exceptions_are_told() -> None:
    contrast = Contrast(licence="banned", what="a past form", features=("good: Tense=Past", "bad: VerbForm=Part"))
    told = describe_rule(rule(contrast=contrast, exceptions=("Not in verse.",), notes=("Rare.",)))
    for words in ("a past form", "rules the bad sentence out", "Tense=Past", "VerbForm=Part", "Not in verse.", "Rare."):
        assert words in told


def test_examples_are_shown_but_for_exceptions_other_readings_and_what_is_left_out() -> None:
    shown = rule(
        examples=(
            Example(good="We went home.", bad=None, evidence=EVIDENCE),
            Example(good="We saw it.", bad="We seen it.", evidence=EVIDENCE),
            Example(good="We did see it.", bad="We seen it.", evidence=EVIDENCE, default=False),
            Example(good="They did so.", bad="They done so.", evidence=EVIDENCE, alternatives=("They do so.",)),
            Example(good="I seen it, o moon.", bad=None, evidence=EVIDENCE, exception=True),
        )
    )
    assert [item.good for item in examples_shown(shown, 9)] == ["We saw it.", "They did so.", "We went home."]
    assert [item.good for item in examples_shown(shown, 9, without={"they do so"})] == ["We saw it.", "We went home."]
    assert show_example("We went.", "We gone.", "x") == "good: We went.\nbad: We gone.\ntranslation: x"
    assert show_example("We went.") == "good: We went."
