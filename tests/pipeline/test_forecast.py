"""The forecast of a build's cost: from the answers so far, or a guess that says so."""

from typing import Any

from pairwright.core.config import LLMSettings
from pairwright.models.chat import Estimate, LedgerLine
from pairwright.pipeline.llm import forecast_lines

SETTINGS = LLMSettings.model_validate({"model": "m", "prices": {"m": {"input": 1.0, "output": 2.0}}})


def known(requests: int, cached: int) -> Estimate:
    """Requests of 1,000 tokens in and 100 to 300 out."""
    tokens = {"input_tokens": 1000, "output_tokens": 200, "least_output": 100, "most_output": 300}
    of_one: dict[str, Any] = tokens | {"cost": 0.0014, "least_cost": 0.0012, "most_cost": 0.0016}
    return Estimate(
        requests=requests, cached=cached, **{name: (requests - cached) * amount for name, amount in of_one.items()}
    )


def paid(source: str, stage: str, requests: int) -> LedgerLine:
    none = dict.fromkeys(("in_batches", "unanswered", "estimated"), 0)
    paid = {"input_tokens": 500 * requests, "output_tokens": 50 * requests, "cost": 0.5 * requests}
    said = {"source_id": source, "stage": stage, "model": "m", "requests": requests}
    return LedgerLine.model_validate(said | none | paid)


def lines(estimates: dict[str, Estimate], *ledger: LedgerLine, batch: bool = False) -> list[str]:
    return list(forecast_lines(estimates, ledger, SETTINGS, "book", batch=batch))


def test_what_the_answers_so_far_led_to_is_expected_of_the_others() -> None:
    asked = [paid("book", "rules", 10), paid("other", "generate", 20)]
    rules, pairs, judge, total, so_far = lines({"rules": known(40, 10), "pairs": known(20, 20)}, *asked)
    assert rules.startswith("rules: 40 requests, 10 of them answered already: 30,000 tokens in, 3,000 to 9,000 out, ")
    # 2 requests for a passage, and 30 passages to come.
    assert "about 30 to 120 more requests, by what answers in this workspace led to so far: 60,000 to 240,000" in pairs
    assert "a guess" in judge
    assert total.startswith("in all: ")
    assert so_far == "paid for book so far: 10 requests, 5.00 USD"
    at_half = lines({"rules": known(40, 10), "pairs": known(20, 20)}, *asked, batch=True)[1]
    assert (pairs.endswith("0.10 to 0.41 USD"), at_half.endswith("0.05 to 0.20 USD")) == (True, True)


def test_a_build_that_is_paid_for_has_nothing_left_to_pay() -> None:
    words, total, _ = lines({"words": known(30, 10)})
    assert words.startswith("words: 30 requests, 10 of them answered already: 20,000 tokens in")
    assert total.startswith("in all: 20 requests to pay for: 20,000 tokens in")
    assert lines({"pairs": known(5, 5)}) == [
        "pairs: 5 requests, 5 of them answered already",
        "in all: nothing left to pay for",
        "paid for book so far: 0 requests",
    ]
