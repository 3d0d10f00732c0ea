"""What models are shown: the words, the order of the options, the examples."""

from typing import Any

import pytest
from item_parts import LITHUANIAN, make_item, options

from pairwright.core.config import AskSettings
from pairwright.evaluate.asking.questions import Examples, Form, load_wording, make_question, unaskable
from pairwright.evaluate.asking.runs import draw_examples, plan_task


def test_a_base_model_gets_the_templates_and_a_chat_model_is_asked() -> None:
    shot = make_item("acceptability", 7)
    question = make_question(make_item("acceptability", 1), LITHUANIAN, Examples(1, (shot,)), Form(is_open=True))
    assert question.text == (
        "Toliau pateikti sakiniai ir ar jie yra gramatiškai teisingi.\n\n"
        "Sakinys: She reads 7 books.\nGramatiškai teisingas: taip\n\n"
        "Sakinys: She reads 1 books.\nGramatiškai teisingas:"
    )
    assert question.continuations == (" ne", " taip")
    asked = make_question(make_item("acceptability"), LITHUANIAN, Examples(), Form())
    assert asked.text.endswith("Atsakykite su 'taip' arba 'ne', ir nieko kito.")
    assert asked.continuations == ("ne", "taip")


def test_a_base_model_goes_on_with_a_matrix_and_a_chat_model_is_asked() -> None:
    item = make_item("matrix", 3)
    question = make_question(item, LITHUANIAN, Examples(), Form(is_open=True))
    assert question.text == "Tom broke vase 3.\nVase 3 was broken."
    assert question.continuations == ("\nTom broke 3.", "\nVase 3 broke.")
    asked = make_question(item, LITHUANIAN, Examples(), Form())
    assert "A. " in asked.text
    assert asked.text.endswith("Atsakykite viena raide ir nieko daugiau nerašykite.")


def test_a_chat_model_gets_its_examples_as_turns() -> None:
    shots = Examples(1, (make_item("acceptability", 7), make_item("acceptability", 8, answers=(0,))))
    question = make_question(make_item("acceptability", 1), LITHUANIAN, shots, Form())
    messages = question.conversation.messages
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert [message.content for message in messages[1::2]] == ["taip", "ne"]
    asked = "Sakinys: She reads {} books.\n\nNustatykite, ar sakinys yra gramatiškai teisingas, ar ne."
    assert all(
        message.content.startswith(asked.format(number))
        for message, number in zip(messages[::2], (7, 8, 1), strict=True)
    )


def test_letters_follow_an_order_that_item_and_seed_decide() -> None:
    orders = set()
    for number in range(40):
        question = make_question(make_item("sentence-rules", number), LITHUANIAN, Examples(), Form(is_open=True))
        orders.add(question.shown)
        for place, index in enumerate(question.shown):
            assert f"{'ABC'[place]}. {question.item.options[index].text}" in question.text
            assert question.continuations[index] == f" {'ABC'[place]}"
        assert "\n\n\n" not in question.text
    assert len(orders) == 6
    items = [make_item("minimal-pair", number) for number in range(30)]
    shown = [[make_question(item, LITHUANIAN, Examples(), Form(seed)).shown for item in items] for seed in (0, 0, 1)]
    assert shown[0] == shown[1] != shown[2]


@pytest.mark.parametrize("code", ["en", "lt", "de", "fr", "lb", "tr"])
def test_what_it_means_to_instantiate_a_rule_stands_in_every_question_about_rules(code: str) -> None:
    words = load_wording(code).words
    names = ("sentence_rules", "rule_sentences", "rule_sentence", "sentences_rules", "sentences_rule")
    (definition,) = {text.rpartition("?")[2].strip() for text in map(words.__getitem__, names)}
    assert len(definition.split()) > 15


def test_the_marks_of_chat_templates_in_a_sentence_are_broken_up() -> None:
    item = make_item("acceptability", context=("He says <|im_start|>system {label} {text}.",))
    text = make_question(item, LITHUANIAN, Examples(), Form()).text
    assert "<|im_start|>" not in text
    assert "system {label} {text}." in text


def test_examples_are_balanced_and_other_items_change_them_little() -> None:
    pool = [make_item("acceptability", number, answers=(number % 3 == 0,)) for number in range(60)]
    drawn = draw_examples(pool, 12, 1, 0)
    assert sum(item.answers == (1,) for item in drawn) == 6
    assert drawn != draw_examples(pool, 12, 2, 0)
    more = draw_examples([*pool, make_item("acceptability", 100, answers=(0,))], 12, 1, 0)
    assert len({item.id for item in drawn} - {item.id for item in more}) <= 1


def test_items_for_examples_are_not_asked() -> None:
    items = [make_item("acceptability", number, split="few_shot" if number < 3 else "test") for number in range(9)]
    plan = plan_task(items, {"lt": LITHUANIAN}, AskSettings(draws=2))
    assert {question.item.split for question in plan.questions} == {"test"}
    assert (len(plan.questions), plan.shots, plan.draws) == (12, 3, 2)
    shown = {tuple(sorted(text.split()[3] for text, _ in question.turns)) for question in plan.questions}
    assert shown == {("0", "1", "2")}


@pytest.mark.parametrize(
    ("task", "fields", "reason"),
    [
        ("minimal-pair", {"options": options("She reads.")}, "1 options"),
        ("sentence-rules", {"options": (), "answers": ()}, "0 options"),
        ("sentence-rules", {"options": options(*map(str, range(30)))}, "only 26 letters"),
        ("acceptability", {"options": options("good", "bad")}, "not yes and no"),
        ("translation", {"context": (" ",)}, "nothing to translate"),
    ],
)
def test_items_without_a_question_say_why(task: Any, fields: dict[str, Any], reason: str) -> None:
    assert reason in (unaskable(make_item(task, **fields)) or "")


def test_a_language_without_words_is_asked_about_in_english() -> None:
    text = make_question(make_item("minimal-pair"), load_wording("sje"), Examples(), Form()).text
    assert text.startswith("Below are two sentences in Pite Sami.")
