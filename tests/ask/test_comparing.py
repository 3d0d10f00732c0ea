"""Options that a model compares: what it is asked for them, and which it chooses."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_parts import make_item, options

from pairwright.core.records.items import Item, OptionScore
from pairwright.evaluate.asking.questions import Examples, Form, Question, Wording, load_wording, make_question
from pairwright.evaluate.asking.runs import CONTENT_FREE, compared, comparison

OPEN = Form(is_open=True)
WORDING = load_wording("en")


def score(logprob: float) -> OptionScore:
    return OptionScore(sum_logprob=logprob, n_tokens=1, n_chars=1)


def asked(item: Item, wording: Wording = WORDING, form: Form = OPEN) -> Question:
    return make_question(item, wording, Examples(), form)


def chosen(item: Item, likes: Mapping[str, float], seed: int = 0) -> tuple[int, ...]:
    """The options that a model chooses that finds `yes` so much more probable where it reads these words."""
    question = asked(item, form=Form(seed, is_open=True))

    def scores(part: Question) -> tuple[OptionScore, ...]:
        likely = sum(value for words, value in likes.items() if words in part.text)
        return tuple(score(likely - 3 if said == " yes" else -1.0) for said in part.continuations)

    return compared(comparison(question), scores, "m").chosen


def test_each_option_of_several_is_judged_by_itself() -> None:
    item = make_item("sentence-rules", 4)
    parts = [part for part, _ in comparison(asked(item)).parts]
    assert [part.continuations for part in parts] == [(" yes", " no")] * 3
    for part, option in zip(parts, item.options, strict=True):
        assert f"Rule: {option.text}\nSentence: She reads 4 books." in part.text
        assert sum(other.text in part.text for other in item.options) == 1


def test_sentences_are_judged_by_the_rule_and_rules_by_all_sentences() -> None:
    sentences = options("She reads.", "She read.")
    of_rule = make_item("rule-sentences", context=(), options=sentences, answers=(0,))
    texts = [part.text for part, _ in comparison(asked(of_rule)).parts]
    assert all(f"Rule: Verbs agree\nSentence: {one.text}" in text for one, text in zip(sentences, texts, strict=True))
    of_several = make_item("sentence-rules", context=("She reads.", "He sings."))
    (text, *_) = [part.text for part, _ in comparison(asked(of_several)).parts]
    assert "Does at least one of the sentences" in text
    assert "Rule: Verbs agree\nSentence 1: She reads.\nSentence 2: He sings." in text


def test_without_content_nothing_of_the_item_is_left() -> None:
    for task in ("sentence-rules", "rule-sentences", "minimal-pair"):
        for part, free in comparison(asked(make_item(task))).parts:
            assert len(free) == len(CONTENT_FREE)
            assert all(question.continuations == part.continuations for question in free)
            assert not any("reads" in question.text or "agree" in question.text for question in free)
            assert free[2].text == free[0].text.replace(" N/A", "")


def test_what_a_model_always_prefers_decides_nothing() -> None:
    item = make_item("sentence-rules")
    assert chosen(item, {}) == ()
    assert chosen(item, {"Rule:": 9.0}) == ()
    assert chosen(item, {"Verbs agree": 0.5}) == (0,)
    assert chosen(item, {"Verbs": 0.5, "Objects": -0.5}) == (0, 1)


@given(st.permutations(range(3)), st.integers(0, 9), st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_neither_the_order_of_options_nor_the_seed_changes_what_is_chosen(
    order: list[int], seed: int, likes: list[float]
) -> None:
    item = make_item("sentence-rules")
    moved = item.model_copy(update={"options": tuple(item.options[index] for index in order), "answers": ()})
    values = dict(zip(("Verbs agree", "Verbs come last", "Objects come first"), likes, strict=True))
    texts = [{it.options[index].text for index in chosen(it, values, seed)} for it in (item, moved)]
    assert texts[0] == texts[1]


def test_the_calibration_takes_the_mean_probability_without_content() -> None:
    question = asked(make_item("minimal-pair"))
    ((_, free),) = comparison(question).parts
    given_free = dict(zip((one.text for one in free), (0.1, 0.2, 0.3), strict=True))
    right = compared(
        comparison(question), lambda part: [score(math.log(given_free.get(part.text, 0.25))), score(math.log(0.3))], "m"
    )
    assert right.scores[0].free_logprob == pytest.approx(math.log(0.2))
    assert right.scores[1].free_logprob == pytest.approx(math.log(0.3))
    assert right.chosen == (0,)  # though its own sum is the lower one


def test_acceptability_keeps_the_form_of_euroeval() -> None:
    ((part, free),) = comparison(asked(make_item("acceptability"))).parts
    assert (part.item.task, free) == ("acceptability", ())


def test_a_question_without_scores_is_a_failure_with_its_reason() -> None:
    long = compared(comparison(asked(make_item())), lambda part: "too long", "m")
    assert (long.outcome, long.reason) == ("failed", "too long")
    masked = compared(
        comparison(asked(make_item())), lambda part: "a mark" if "[MASK]" in part.text else [score(-1), score(-2)], "m"
    )
    assert masked.outcome == "answered"
