"""Whether a pair contrasts at all, and in little enough."""

from collections.abc import Callable

import pytest

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Candidate, Finding, Rule
from pairwright.languages import Language

Find = Callable[..., dict[str, Finding]]


@pytest.mark.parametrize(
    "bad", ["Upė teka.", "upė teka.", "Upė  teka .", "Upė teka!", "Upė\u00a0teka", "Upe\u0307 teka."]
)
def test_sentences_without_a_contrast_are_rejected(findings: Find, bad: str) -> None:
    assert findings("Upė teka.", bad)["contrast-identical"].level == "error"


@pytest.mark.parametrize("bad", ["Upe teka.", "Upė tekà.", "Upė, teka.", "Teka upė.", "Upė Teka."])
def test_a_letter_comma_or_order_is_a_contrast(findings: Find, bad: str) -> None:
    assert "contrast-identical" not in findings("Upė teka.", bad)


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("A b c d e f g h i j.", "A x c x e x g x i j.", "4 differing spans (limit 3)"),
        ("Upė teka lėtai.", "Kalnai stūkso ramiai.", "1.00 of the words changed (limit 0.67)"),
        ("Upė teka lėtai į jūrą.", "Jūra teka upėn greitai.", "0.80 of the words changed (limit 0.67)"),
        # Words count, and neither capitals nor the mark at the end.
        ("Upė teka lėtai.", "upė teka!", None),
    ],
)
def test_a_contrast_that_is_not_minimal_gives_the_numbers_and_the_limits(
    findings: Find, good: str, bad: str, message: str | None
) -> None:
    found = findings(good, bad).get("contrast-not-minimal")
    assert (found and found.message) == message


@pytest.mark.parametrize(
    ("limits", "reported"),
    [
        ({}, False),
        ({"list": {"max_spans": 1}}, True),
        ({"list/1.1": {"max_spans": 1}}, True),
        ({"list": {"max_spans": 1}, "list/1.1": {"max_spans": 2}}, False),
        ({"list": {"max_spans": 1}, "list/1.1": {"max_edit_share": 0.9}}, True),
        ({"list": {"max_edit_share": 0.3}}, True),
        ({"list": {"max_edit_share": 0.4}}, False),
        ({"atlas": {"max_spans": 1}}, False),
    ],
)
def test_limits_of_a_rule_come_before_those_of_its_source(
    pair: Callable[..., Candidate],
    rule: Callable[[str, str], Rule],
    lithuanian: Language,
    limits: dict[str, dict[str, float]],
    reported: bool,
) -> None:
    candidate, its_rule = pair("Upė lėtai teka į jūrą.", "Upę lėtai teka į jūra."), rule("list", "1.1")
    settings = CheckSettings.model_validate({"limits": limits})
    (found,) = check_pairs([candidate], {its_rule.id: its_rule}, lithuanian, settings)
    assert [finding.check for finding in found.findings] == (["contrast-not-minimal"] if reported else [])
