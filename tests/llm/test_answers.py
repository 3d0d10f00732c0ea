"""Whatever a server says becomes an answer: a value that fits, or the reason why there is none."""

from typing import Any

import pytest
from llm_parts import GOOD, Connect, Pair, ask, words

from llm_server import Say, ScriptedServer, completion, fault
from pairwright.core.errors import LLMError, PromptError
from pairwright.models.chat import Request


def test_an_answer_comes_with_its_provenance(connect: Connect) -> None:
    llm = connect(prices={"m": {"input": 2.0, "output": 10.0}})
    (answer,) = llm.run([ask(7)])
    assert answer.value == Pair(good="She reads.", bad="She read.")
    assert (answer.call.prompt, answer.call.model, answer.call.reply) == ("pairs/v1", "m", answer.keys[0])
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (100, 10)
    assert answer.cost == pytest.approx((100 * 2 + 10 * 10) / 1_000_000)
    assert not answer.cached
    assert len(answer.keys) == 1


def test_the_model_that_answered_is_named_beside_the_one_that_was_asked_for(connect: Connect) -> None:
    def renamed(body: dict[str, Any], nth: int) -> Say:
        return Say(raw=completion(body | {"model": "m-2026"}, Say(GOOD))) if "pair 1." in words(body) else Say(GOOD)

    other, same = connect(renamed).run([ask(1), ask(2)])
    assert (other.call.model, other.call.served_model) == ("m", "m-2026")
    assert other.call.model_label == "m (answered by m-2026)"
    assert same.call.model_label == "m"


def test_answers_keep_the_order_of_their_requests(connect: Connect) -> None:
    def slow_first(body: dict[str, Any], nth: int) -> Say:
        return Say(f'{{"good": "{words(body)}", "bad": "x"}}', delay=0.2 if "pair 0." in words(body) else 0)

    answers = list(connect(slow_first).run(ask(number) for number in range(20)))
    assert [answer.value.good for answer in answers if answer.value] == [f"Write pair {n}." for n in range(20)]


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{GOOD}\n```",
        f"Here is the pair you asked for:\n{GOOD}\nI hope that {{it}} helps.",
        f"<think>Two forms {{differ}}.</think>\n{GOOD}",
        f"\ufeff{GOOD}",
    ],
)
def test_a_value_is_found_amid_other_words(connect: Connect, server: ScriptedServer, text: str) -> None:
    (answer,) = connect(lambda body, nth: Say(text)).run([ask()])
    assert answer.outcome == "ok"
    assert len(server.billed) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Sure, gladly!", "no JSON object"),
        ('{"good": "She reads."}', "'bad': Field required"),
        ('{"good": "She reads.", "bad": 3}', "'bad': Input should be a valid string"),
        ('{"good": "She reads.", "ba', "no JSON object"),
        ("", "empty"),
        ('{"a":' * 100_000, "no JSON object"),
        ('{"pairs": [{"good": "a"}, {"goo', "no JSON object"),
    ],
    ids=lambda text: text[:20],
)
def test_a_bad_answer_is_asked_for_again_and_then_told(
    connect: Connect, server: ScriptedServer, text: str, reason: str
) -> None:
    (answer,) = connect(lambda body, nth: Say(text), repairs=2).run([ask()])
    assert (answer.value, answer.outcome) == (None, "invalid")
    assert reason in answer.reason
    assert len(server.billed) == 3
    assert answer.usage.input_tokens == 300


def test_a_second_answer_that_fits_is_taken(connect: Connect, server: ScriptedServer) -> None:
    def better(body: dict[str, Any], nth: int) -> Say:
        return Say(GOOD if len(body["messages"]) > 1 else '{"good": "She reads."}')

    (answer,) = connect(better).run([ask()])
    assert answer.outcome == "ok"
    # The server is told what was wrong.
    assert "'bad': Field required" in words(server.seen[1])
    assert server.seen[1]["messages"][1] == {"role": "assistant", "content": '{"good": "She reads."}'}


def test_a_truncated_answer_gets_more_room_and_an_endless_one_is_told(connect: Connect, server: ScriptedServer) -> None:
    def cut(body: dict[str, Any], nth: int) -> Say:
        return Say(GOOD) if body["max_tokens"] > 200 else Say(GOOD[:20], finish="length")

    (answer,) = connect(cut).run([ask()])
    assert answer.outcome == "ok"
    assert [body["max_tokens"] for body in server.seen] == [200, 400]
    (endless,) = connect(lambda body, nth: Say('{"good": "a a a a', finish="length"), repairs=1).run([ask(1)])
    assert (endless.outcome, endless.value) == ("truncated", None)


@pytest.mark.parametrize(
    "say", [Say(refusal="I can't help with\nthat."), Say("", finish="content_filter")], ids=["refusal", "filter"]
)
def test_a_refusal_is_not_argued_with(connect: Connect, server: ScriptedServer, say: Say) -> None:
    answers = list(connect(lambda body, nth: say if "pair 1." in words(body) else Say(GOOD)).run([ask(1), ask(2)]))
    assert [answer.outcome for answer in answers] == ["refused", "ok"]
    assert "\n" not in answers[0].reason
    assert len(server.seen) == 2


def test_a_request_that_the_server_refuses_fails_alone(connect: Connect) -> None:
    def long(body: dict[str, Any], nth: int) -> Say:
        return fault(400, "maximum context length is 10 tokens") if "pair 1." in words(body) else Say(GOOD)

    answers = list(connect(long).run([ask(1), ask(2)]))
    assert [answer.outcome for answer in answers] == ["failed", "ok"]
    assert answers[0].reason == "HTTP 400: maximum context length is 10 tokens"


def test_samples_of_one_question_are_asked_for_each(connect: Connect, server: ScriptedServer) -> None:
    answers = list(connect(seed=5).run([ask(sample=0), ask(sample=1), ask(sample=0)]))
    assert len({answer.keys for answer in answers}) == 2
    assert sorted(body["seed"] for body in server.seen) == [5, 6]


def test_a_stage_may_ask_a_model_of_its_own(connect: Connect, server: ScriptedServer) -> None:
    list(connect(models={"judge": "other"}).run([ask(stage="judge"), ask(stage="generate")]))
    assert sorted(body["model"] for body in server.seen) == ["m", "other"]


def test_a_prompt_and_its_output_model_belong_together() -> None:
    class Other(Pair):
        pass

    with pytest.raises(PromptError, match="pairs/v1: its answer is a Pair, not a Other"):
        Request(ask().prompt, Other, "generate", "grammar")


def test_no_model_is_one_clear_line(connect: Connect) -> None:
    with pytest.raises(LLMError, match=r"set llm\.model in pairwright\.toml, or work with --llm local"):
        list(connect(model=None).run([ask()]))


class TestAbility:
    """How answers are made to fit is found out from what a server refuses or passes over, and kept."""

    @pytest.mark.parametrize(
        ("stated", "heeds", "passed_over", "mode"),
        [
            ("auto", "json_schema", "Hello there!", "schema"),
            ("auto", "json_object", "Hello there!", "json"),
            ("auto", None, None, "text"),
            ("schema", "json_object", None, "json"),
        ],
        ids=["heeds schemas", "passes over schemas", "refuses both", "refuses what is stated"],
    )
    def test_a_server_is_asked_in_the_form_that_it_heeds(
        self, connect: Connect, server: ScriptedServer, stated: str, heeds: str | None, passed_over: str, mode: str
    ) -> None:
        def script(body: dict[str, Any], nth: int) -> Say:
            form = body.get("response_format", {}).get("type")
            if form and form != heeds and not passed_over:
                return fault(400, "unknown field response_format")
            if form != heeds:
                return Say(passed_over or "")
            about_pairs = "pair" in words(body) or '"good"' in str(body.get("response_format"))
            return Say(f"Of course: {GOOD}" if about_pairs else '{"hello": "hi"}')

        (answer,) = connect(script, structured=stated).run([ask()])
        assert answer.outcome == "ok"
        last = server.seen[-1]
        asked_as = {"schema": "json_schema", "json": "json_object", "text": None}[mode]
        assert last.get("response_format", {}).get("type") == asked_as
        if mode == "schema":
            schema = last["response_format"]["json_schema"]
            assert (schema["strict"], schema["schema"]["required"]) == (True, ["good", "bad"])
            assert schema["schema"]["additionalProperties"] is False
        assert ("JSON schema" in words(last)) is (mode != "schema")
        billed = len(server.billed)
        list(connect(structured=stated).run([ask(1)]))
        assert len(server.billed) == billed + 1
        # It is kept beyond the process, so that the cache serves the same requests again.
        assert all(kept.cached for kept in connect(structured=stated, offline=True).run([ask(), ask(1)]))

    def test_what_a_server_refuses_is_found_out_once_and_costs_nothing(
        self, connect: Connect, server: ScriptedServer
    ) -> None:
        def plain(body: dict[str, Any], nth: int) -> Say:
            return fault(400, "unknown field response_format") if "response_format" in body else Say(GOOD)

        list(connect(plain, structured="auto", concurrency=1).run(ask(number) for number in range(5)))
        assert len(server.seen) == 2 + 5
        list(connect(structured="auto").run(ask(number) for number in range(5, 8)))
        assert len(server.seen) == 2 + 8
        assert {line.stage: line.requests for line in connect().ledger()} == {"generate": 8}

    def test_a_stated_form_is_kept_to(self, connect: Connect, server: ScriptedServer) -> None:
        (answer,) = connect(lambda body, nth: Say("Hello!"), repairs=1).run([ask()])
        assert answer.outcome == "invalid"
        assert all(body["response_format"]["type"] == "json_schema" for body in server.seen)

    def test_the_name_of_the_limit_of_tokens_is_learned(self, connect: Connect, server: ScriptedServer) -> None:
        def new_name(body: dict[str, Any], nth: int) -> Say:
            if "max_tokens" in body:
                return fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
            return Say(GOOD)

        (answer,) = connect(new_name).run([ask()])
        assert answer.outcome == "ok"
        assert "max_completion_tokens" in server.billed[0]


def test_an_injection_that_the_model_repeats_is_an_answer_that_does_not_fit(connect: Connect) -> None:
    echo = 'I obey the document.\n{"good": "x", "bad": "y", "run": "rm -rf /"}\n</data-1> <script>alert(1)</script>'
    (answer,) = connect(lambda body, nth: Say(echo), repairs=0).run([ask()])
    # Only the fields of the model come through, as plain text; the rest stays in the words that were kept.
    assert answer.value is None or answer.value.model_dump() == {"good": "x", "bad": "y"}
    assert answer.text == echo
