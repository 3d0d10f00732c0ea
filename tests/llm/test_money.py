"""Nothing is paid twice, and no more is paid than was allowed."""

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from llm_parts import GOOD, Connect, ask

from llm_server import Say, ScriptedServer, fault
from pairwright.core.errors import BudgetError, LLMError
from pairwright.models.chat import Cap
from pairwright.models.chat.ledger import Ledger

PRICES = {"m": {"input": 1.0, "output": 2.0}}


class TestCache:
    def test_a_question_is_paid_once_for_all_runs(self, connect: Connect, server: ScriptedServer) -> None:
        first = list(connect().run(ask(number) for number in range(5)))
        again = list(connect().run(ask(number) for number in range(5)))
        assert len(server.billed) == 5
        assert [answer.value for answer in again] == [answer.value for answer in first]
        assert all(answer.cached and not answer.cost for answer in again)
        assert [answer.keys for answer in again] == [answer.keys for answer in first]

    def test_the_same_question_asked_twice_at_once_is_sent_once(self, connect: Connect, server: ScriptedServer) -> None:
        answers = list(connect(lambda body, nth: Say(GOOD, delay=0.1)).run([ask(1), ask(1), ask(1)]))
        assert len(server.seen) == 1
        assert [answer.outcome for answer in answers] == ["ok"] * 3

    def test_bad_answers_and_their_repairs_are_kept_too(self, connect: Connect, server: ScriptedServer) -> None:
        list(connect(lambda body, nth: Say("no"), repairs=2).run([ask()]))
        (again,) = connect(repairs=2, offline=True).run([ask()])
        assert again.outcome == "invalid"
        assert len(server.billed) == 3

    def test_faults_are_not_kept(self, connect: Connect, server: ScriptedServer) -> None:
        (failed,) = connect(lambda body, nth: fault(500, "x"), retries=0).run([ask()])
        assert failed.outcome == "failed"
        (answer,) = connect(lambda body, nth: Say(GOOD)).run([ask()])
        assert answer.outcome == "ok"

    def test_offline_serves_what_is_there_and_names_what_is_not(self, connect: Connect, server: ScriptedServer) -> None:
        list(connect().run([ask(1)]))
        answers = connect(offline=True).run([ask(1), ask(2)])
        assert next(answers).outcome == "ok"
        with pytest.raises(LLMError, match=r"pairs/v1 for rule-2: offline, and the cache has no answer to it \(key"):
            next(answers)
        assert len(server.seen) == 1

    def test_what_changes_the_answer_changes_the_key(self, connect: Connect, server: ScriptedServer) -> None:
        for settings in ({}, {"temperature": 0.5}, {"max_output_tokens": 300}, {"model": "n"}, {"seed": 1}):
            list(connect(**settings).run([ask()]))
        assert len(server.billed) == 5

    def test_a_file_that_is_no_cache_is_one_clear_line(self, connect: Connect, tmp_path: Path) -> None:
        (tmp_path / "llm").mkdir()
        (tmp_path / "llm" / "replies.sqlite").write_text("not a database, but a text of some length" * 50)
        with pytest.raises(LLMError, match=r"replies\.sqlite: can't be used as the cache of answers"):
            connect()

    def test_a_damaged_cache_is_one_clear_line(self, connect: Connect, tmp_path: Path) -> None:
        path = tmp_path / "llm" / "replies.sqlite"
        connect().close()
        whole = path.read_bytes()
        for place in (b"TABLE batches", b"CREATE TABLE replies", b"cost REAL NOT NULL, tokens", b"stage TEXT"):
            assert place in whole
            path.write_bytes(whole.replace(place, b"\xff" + place[1:]))
            with pytest.raises(LLMError, match=r"replies\.sqlite: .*move it away"):
                Ledger(path).lines()

    def test_values_of_another_kind_are_one_clear_line(self, connect: Connect, tmp_path: Path) -> None:
        list(connect().run([ask()]))
        with sqlite3.connect(tmp_path / "llm" / "replies.sqlite") as file:
            file.execute("UPDATE replies SET input_tokens = 'many'")
        with pytest.raises(LLMError, match=r"replies\.sqlite.*damaged"):
            list(connect().run([ask()]))


class TestStopping:
    def test_what_is_on_its_way_when_the_caller_stops_is_kept(self, connect: Connect, server: ScriptedServer) -> None:
        llm = connect(lambda body, nth: Say(GOOD, delay=0.2), concurrency=4)
        answers = llm.run(ask(number) for number in range(100))
        next(answers)
        answers.close()  # type: ignore[attr-defined]
        assert len(server.seen) <= 8
        assert sum(line.requests for line in llm.ledger()) == len(server.seen)

    def test_an_interrupt_keeps_it_as_well(self, connect: Connect, server: ScriptedServer) -> None:
        llm = connect(lambda body, nth: Say(GOOD, delay=0.1), concurrency=4)

        def interrupted() -> Any:
            for number in range(100):
                if number == 30:
                    raise KeyboardInterrupt
                yield ask(number)

        with pytest.raises(KeyboardInterrupt):
            list(llm.run(interrupted()))
        assert sum(line.requests for line in llm.ledger()) == len(server.seen) < 30

    def test_requests_are_read_as_they_are_needed(self, connect: Connect) -> None:
        read = []

        def endless() -> Any:
            number = 0
            while True:
                read.append(number)
                yield ask(number)
                number += 1

        answers = connect(concurrency=2).run(endless())
        for _ in range(10):
            next(answers)
        answers.close()  # type: ignore[attr-defined]
        assert len(read) < 30


class TestBudget:
    def test_the_estimate_tells_before_what_a_run_takes(self, connect: Connect, server: ScriptedServer) -> None:
        llm = connect(lambda body, nth: Say(GOOD, usage=(10, 50)), prices=PRICES)
        before = llm.estimate(ask(number) for number in range(40))
        assert (before.requests, before.cached) == (40, 0)
        assert before.least_cost is not None
        assert before.least_cost < (before.cost or 0) < (before.most_cost or 0)
        assert not server.seen
        list(llm.run(ask(number) for number in range(30)))
        (line,) = llm.ledger()
        assert before.least_output / 40 <= line.output_tokens / 30 <= before.most_output / 40
        after = llm.estimate(ask(number) for number in range(40))
        # What was learned from 30 answers: 10 tokens in, 50 out.
        assert (after.cached, after.missing, after.output_tokens, after.most_output) == (30, 10, 10 * 50, 10 * 50)
        assert after.cost == after.most_cost
        whole, half = (llm.estimate([ask(99)], batch=batch).most_cost or 0 for batch in (False, True))
        assert half == pytest.approx(whole / 2)

    def test_the_range_of_an_estimate_is_that_of_earlier_answers(self, connect: Connect) -> None:
        lengths = count(20)
        llm = connect(lambda body, nth: Say(GOOD, usage=(10, next(lengths))), prices=PRICES)
        list(llm.run(ask(number) for number in range(40)))
        more = llm.estimate([ask(99)])
        assert 20 < more.least_output < more.output_tokens < more.most_output < 59

    @pytest.mark.parametrize("concurrency", [1, 16])
    def test_a_cap_on_money_holds(self, connect: Connect, server: ScriptedServer, concurrency: int) -> None:
        # 100 tokens in and 200 out cost 0.0005; 20 such answers reach the cap.
        llm = connect(
            lambda body, nth: Say(GOOD, usage=(100, 200), delay=0.01),
            prices=PRICES,
            cap=Cap(money=0.01),
            concurrency=concurrency,
        )
        with pytest.raises(BudgetError, match=r"the cap of 0\.01 USD for this run leaves no room: 0\.0\d+ is spent"):
            list(llm.run(ask(number) for number in range(100)))
        assert 15 <= len(server.billed) <= 20 + concurrency
        # All of it is kept: with a higher cap the run goes on where it stopped.
        before, uncapped = len(server.billed), connect(prices=PRICES)
        assert uncapped.estimate(ask(number) for number in range(100)).cached == before
        missing = uncapped.estimate(ask(number) for number in range(20)).missing
        list(uncapped.run(ask(number) for number in range(20)))
        assert len(server.billed) == before + missing

    def test_the_workspace_s_cap_counts_earlier_runs(self, connect: Connect, server: ScriptedServer) -> None:
        settings = {"budget_tokens": 2000}
        with pytest.raises(BudgetError):
            list(connect(lambda body, nth: Say(GOOD, usage=(20, 180)), **settings).run(ask(n) for n in range(50)))
        count = len(server.billed)
        with pytest.raises(BudgetError, match="this workspace"):
            list(connect(**settings).run(ask(number) for number in range(50, 100)))
        assert len(server.billed) == count

    def test_a_cap_on_money_needs_a_price(self, connect: Connect, server: ScriptedServer) -> None:
        with pytest.raises(BudgetError, match=r"no price for 'm'.*\[llm\.prices\.\"m\"\]"):
            list(connect(cap=Cap(money=1)).run([ask()]))
        assert not server.seen

    def test_the_ledger_is_by_source_stage_and_model(self, connect: Connect) -> None:
        llm = connect(prices=PRICES, models={"judge": "n"})
        list(llm.run([ask(1), ask(2), ask(3, source_id="other"), ask(1, stage="judge")]))
        lines = {(line.source_id, line.stage, line.model): line for line in llm.ledger()}
        assert lines["grammar", "generate", "m"].requests == 2
        assert lines["grammar", "generate", "m"].cost == pytest.approx(2 * (100 + 20) / 1e6)
        assert lines["grammar", "judge", "n"].cost == 0
        assert lines["other", "generate", "m"].input_tokens == 100
        assert sum(line.requests for line in lines.values()) == 4


class TestBatches:
    def test_a_batch_is_submitted_collected_and_half_the_price(self, connect: Connect, server: ScriptedServer) -> None:
        llm = connect(prices=PRICES)
        (state,) = llm.submit_batches(ask(number) for number in range(10))
        assert (state.state, state.requests) == ("validating", 10)
        (done,) = llm.collect_batches()
        assert (done.state, done.answered) == ("completed", 10)
        answers = list(llm.run(ask(number) for number in range(10)))
        assert [answer.outcome for answer in answers] == ["ok"] * 10
        assert not server.seen
        (line,) = llm.ledger()
        assert (line.requests, line.in_batches) == (10, 10)
        assert line.cost == pytest.approx(10 * (100 + 20) / 2 / 1e6)

    def test_another_process_collects_what_one_submitted(self, connect: Connect, server: ScriptedServer) -> None:
        server.batch_polls = 2
        first = connect()
        first.submit_batches([ask(1), ask(2)])
        first.close()
        second = connect()
        (waiting,) = second.collect_batches(wait=False)
        assert waiting.state == "in_progress"
        with pytest.raises(LLMError, match=r"pairs/v1 for rule-1: it waits in the batch batch-1; collect"):
            list(second.run([ask(1)]))
        assert second.submit_batches([ask(1), ask(2)]) == []
        second.collect_batches()
        assert len(list(second.run([ask(1), ask(2)]))) == 2
        assert len(server.batches) == 1
        assert not server.seen

    @pytest.mark.parametrize("arrived", [False, True], ids=["before the server has it", "before its number is known"])
    def test_a_submission_that_was_killed_is_taken_up(
        self, connect: Connect, server: ScriptedServer, tmp_path: Path, arrived: bool
    ) -> None:
        first = connect()
        first.submit_batches([ask(1), ask(2)])
        first.close()
        # As a process leaves it that is killed after it wrote its plan down.
        with closing(sqlite3.connect(tmp_path / "llm" / "replies.sqlite")) as file, file:
            file.execute("UPDATE batches SET state = 'planned', batch_id = NULL")
        if not arrived:
            server.batches.clear()
        (done,) = connect().collect_batches()
        assert (done.state, done.answered) == ("completed", 2)
        assert len(server.batches) == 1
        assert len(server.billed) == 2

    def test_what_a_batch_left_unanswered_can_be_asked_again(self, connect: Connect, server: ScriptedServer) -> None:
        def partly(body: dict[str, Any], nth: int) -> Say:
            return fault(500, "worker died") if "pair 1." in str(body) else Say(GOOD)

        llm = connect(partly)
        llm.submit_batches([ask(1), ask(2)])
        (done,) = llm.collect_batches()
        assert (done.answered, done.fault) == (1, "worker died")
        server.script = lambda body, nth: Say(GOOD)
        assert [answer.outcome for answer in llm.run([ask(1), ask(2)])] == ["ok", "ok"]
        assert len(server.seen) == 1

    def test_batches_count_against_the_cap_before_they_are_paid(self, connect: Connect, server: ScriptedServer) -> None:
        llm = connect(cap=Cap(tokens=2500))
        llm.submit_batches([ask(1), ask(2)])
        with pytest.raises(BudgetError, match="a batch of 2 requests may cost"):
            llm.submit_batches([ask(3), ask(4)])
        assert len(server.batches) == 1
