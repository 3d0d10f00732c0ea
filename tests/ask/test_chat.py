"""A chat model behind the real client: what it answers becomes responses, and nothing is paid for twice."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from item_parts import LITHUANIAN, make_item
from scripted_llm import told

from llm_server import Body, Say, Script, ScriptedServer
from pairwright.core.config import LLMSettings, Price
from pairwright.core.records.items import Response
from pairwright.evaluate.asking.questions import Examples, Form, Question, load_wording, make_question
from pairwright.evaluate.asking.runs import ask_chat
from pairwright.models.chat import LLM


def right_answer(question: Question) -> str:
    item = question.item
    return json.dumps({"letters": ["ABC"[question.shown.index(index)] for index in item.answers]})


def ask(folder: Path, questions: list[Question], script: Script, **settings: object) -> list[Response]:
    with ScriptedServer(script) as server:
        known = {"base_url": server.base_url, "model": "m", "structured": "schema", "repairs": 0}
        with LLM(LLMSettings.model_validate(known | {"backoff_seconds": 0.01} | settings), folder) as llm:
            return list(ask_chat(llm, questions, "lt-1.0.0", "model m", Price(input=1, output=2)))


def test_right_letters_are_read_whatever_their_order(tmp_path: Path) -> None:
    items = [make_item("sentence-rules", number, answers=(0, 2)) for number in range(20)]
    questions = [make_question(item, LITHUANIAN, Examples(), Form()) for item in items]
    by_text = {question.text: right_answer(question) for question in questions}
    responses = ask(tmp_path, questions, lambda body, nth: Say(by_text[told(body)]))
    assert [response.chosen for response in responses] == [item.answers for item in items]
    assert [response.item_id for response in responses] == [item.id for item in items]
    assert {response.outcome for response in responses} == {"answered"}
    assert responses[0].cost == pytest.approx((100 * 1 + 10 * 2) / 1e6)


@pytest.mark.parametrize("structured", ["schema", "json", "text"])
@pytest.mark.parametrize(
    ("say", "outcome", "reason"),
    [
        (Say('{"letters": ["A"]}'), "answered", ""),
        (Say("The answer is **A**."), "answered", ""),
        (Say('{"letters": ["A", "B"]}'), "unreadable", "names 2"),
        (Say("Both are fine."), "unreadable", "no option"),
        (Say(refusal="I won't judge this."), "refused", "I won't judge this."),
        (Say("", finish="content_filter"), "refused", "filter"),
        (Say(""), "refused", "empty"),
        (Say("As the verb", finish="length"), "cut", "no end within"),
        (Say("<think>Let me see: A or", finish="length"), "cut", "no end within"),
        (Say(status=400, raw='{"error": {"message": "too long"}}'), "failed", "too long"),
    ],
)
def test_every_fate_of_an_answer_is_an_outcome_of_its_own(
    tmp_path: Path, structured: str, say: Say, outcome: str, reason: str
) -> None:
    question = make_question(make_item(), LITHUANIAN, Examples(), Form())
    (response,) = ask(tmp_path, [question], lambda body, nth: say, structured=structured)
    assert response.outcome == outcome
    assert reason in response.reason
    assert response.chosen == ((question.shown[0],) if outcome == "answered" else ())
    assert "think" not in response.raw


@pytest.mark.parametrize(
    "say",
    [
        Say("taip", thinking="The verb agrees."),
        Say("<think>The verb agrees.</think>\n\ntaip"),
        Say("The verb agrees.</think>taip"),
    ],
)
def test_thinking_is_kept_apart(tmp_path: Path, say: Say) -> None:
    question = make_question(make_item("acceptability"), LITHUANIAN, Examples(), Form())
    (response,) = ask(tmp_path, [question], lambda body, nth: say)
    assert (response.raw, response.thinking, response.chosen) == ("taip", "The verb agrees.", (1,))
    assert response.thinking_tokens == (3 if say.thinking else None)


def asked_of(folder: Path, questions: list[Question], say: Callable[[Body], str]) -> tuple[list[Body], list[Response]]:
    """What a server saw of questions, and the responses to what it said."""
    seen: list[Body] = []

    def script(body: Body, nth: int) -> Say:
        seen.append(body)
        return Say(say(body))

    return seen, ask(folder, questions, script)


def test_a_model_that_thinks_gets_room_for_it(tmp_path: Path) -> None:
    question = make_question(make_item("acceptability"), load_wording("lt", thinking_tokens=5000), Examples(), Form())
    ((body,), _) = asked_of(tmp_path, [question], lambda body: "taip")
    assert body["max_tokens"] == 5064
    assert "temperature" not in body


def test_labels_and_translations_are_asked_for_in_plain_words(tmp_path: Path) -> None:
    items = [make_item("rule-sentences"), make_item("translation")]
    questions = [make_question(item, LITHUANIAN, Examples(), Form()) for item in items]
    seen, responses = asked_of(
        tmp_path, questions, lambda body: "Yes" if "Taisyklė" in told(body) else "She reads books."
    )
    assert not any("response_format" in body or "JSON" in told(body) for body in seen)
    assert (responses[0].chosen, responses[1].raw, responses[1].outcome) == ((1,), "She reads books.", "answered")


def test_other_examples_are_another_question(tmp_path: Path) -> None:
    shots = [Examples(draw, (make_item("acceptability", 90 + draw),)) for draw in (1, 2)]
    questions = [make_question(make_item("acceptability"), LITHUANIAN, one, Form()) for one in shots]
    seen, _ = asked_of(tmp_path, questions * 2, lambda body: "taip")
    assert [[message["role"] for message in body["messages"]] for body in seen] == [["user", "assistant", "user"]] * 2
    assert len({body["messages"][0]["content"] for body in seen}) == 2
