"""What models answered: numbers that a plain program finds again, checks that can fail, and nothing lost silently."""

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st
from report_parts import english_on, make_evaluation, rows_of, write_summaries
from sacrebleu.metrics.chrf import CHRF

from answering import guessing, made_items, oracle, response, run_of, scores
from pairwright.cli.reports import compare
from pairwright.core.errors import StoreError
from pairwright.core.records.items import Item, OptionScore, Response, ResponseOutcome, TaskPart
from pairwright.core.records.release import Release
from pairwright.evaluate.asking.runs import TaskFolder
from pairwright.languages.locale import load_words
from pairwright.reporting.analysis.summary import Summary, summarise
from pairwright.reporting.analysis.tasks import is_right
from pairwright.reporting.data import AnsweredItem, AskedTasks, TaskAnswers, read_responses
from pairwright.reporting.render.page import read_summary, write_report
from pairwright.reporting.render.sentences import tasks
from pairwright.reporting.render.tables import TABLES
from pairwright.stats.intervals import wilson

ITEMS = made_items(120)
BY_ID = {item.id: item for item in ITEMS}


def translation_items() -> list[Item]:
    """Twelve sentences of six rules, into the language and out of it."""
    nouns = ("namas", "miškas", "ežeras", "kalnas", "tiltas", "laukas")
    return [
        Item(
            id=f"item-{number}-{direction}",
            task="translation",
            language="lt",
            context=(f"The place {number} is here.",),
            reference=f"Štai {number} vieta, kur stovi {nouns[number % 6]}.",
            rule_ids=(f"rule-{number % 6}",),
            condition=f"{direction} no rule",
        )
        for number in range(12)
        for direction in ("into", "from")
    ]


def some_model(name: str, ability: float, seed: int) -> list[Response]:
    """A model that knows some answers, guesses the others, and leaves a few out; five draws of acceptability."""
    generator = random.Random(seed)
    responses = []
    for known, guess in zip(oracle(ITEMS), guessing(ITEMS, seed), strict=True):
        for number in range(5 if known.item.task == "acceptability" else 1):
            row = known if generator.random() < ability else guess
            outcome: ResponseOutcome = generator.choices(
                ("answered", "refused", "unreadable", "cut", "failed"), (90, 4, 3, 2, 1)
            )[0]
            changes: dict[str, Any] = {"model": name, "draw": number, "input_tokens": 50, "cost": 0.001}
            if outcome != "answered":
                changes |= {"outcome": outcome, "chosen": (), "reason": "said nothing"}
            responses.append(row.response.model_copy(update=changes))
    return responses


def answers_of(release: Release, name: str, responses: Sequence[Response]) -> TaskAnswers:
    return TaskAnswers(run_of("mini-cases-1.0.0", release.sha256, name), tuple(responses))


def asked(release: Release, *models: TaskAnswers, items: Sequence[Item] = ITEMS) -> AskedTasks:
    return AskedTasks({item.id: item for item in items}, models)


@pytest.fixture(scope="module")
def summary(release: Release) -> Summary:
    """Two models that were asked and never scored."""
    models = [answers_of(release, name, some_model(name, able, n)) for n, (name, able) in enumerate(ABLE.items())]
    return summarise(release, [], asked=asked(release, *models))


ABLE = {"able": 0.9, "weak": 0.2}


@pytest.fixture(scope="module")
def page(release: Release, summary: Summary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("report"), release, summary)


# Checks that can fail


def n_within(expected: Sequence[float], answering: Callable[[Sequence[Item], int], list[AnsweredItem]]) -> int:
    """In how many of 8 seeds times 6 scores what is expected lies within the 95% interval."""
    return sum(
        score["value_low"] <= value <= score["value_high"]
        for seed in range(8)
        for value, score in zip(expected, scores(answering(ITEMS, seed)), strict=True)
    )


def test_an_oracle_is_right_and_guesses_come_to_chance() -> None:
    assert [score["value"] for score in scores(oracle(ITEMS))] == [1.0] * 6
    assert n_within([score["chance"] for score in scores(guessing(ITEMS))], guessing) >= 42


@settings(max_examples=40, deadline=None)
@draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=12))
def test_networks_that_answer_again_make_no_interval_narrower(outcomes: list[list[bool]]) -> None:
    items = [item.model_copy(update={"rule_ids": ()}) for item in ITEMS if item.condition == "no rule"][: len(outcomes)]

    def interval(draws: Sequence[int]) -> tuple[float, float]:
        rows = [
            AnsweredItem(item, response(item, item.answers if own[draw] else {0, 1} - set(item.answers), draw=number))
            for item, own in zip(items, outcomes, strict=True)
            for number, draw in enumerate(draws)
        ]
        (score,) = scores(rows)
        mean = sum(own[draw] for own in outcomes for draw in draws) / len(draws)
        plain = wilson(mean, len(items))
        assert score["value_low"] <= plain.low + 1e-9
        assert score["value_high"] >= plain.high - 1e-9
        return score["value_low"], score["value_high"]

    interval((0, 1, 2))
    assert interval((0, 0, 0)) == pytest.approx(interval((0,)))


# The same numbers by another program


def plain_scores(folder: Path, items: Sequence[Item]) -> dict[tuple[str, str, str], tuple[int, float]]:
    """The scores of a responses.jsonl by plain Python: number and value by task, condition and metric."""
    questions = {item["id"]: item for item in (json.loads(item.model_dump_json()) for item in items)}
    groups: dict[tuple[str, str], list[tuple[Any, Any]]] = defaultdict(list)
    for line in (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        if answer["outcome"] == "answered":
            question = questions[answer["item_id"]]
            groups[question["task"], question["condition"]].append((question, answer))
    found: dict[tuple[str, str, str], tuple[int, float]] = {}
    for (task, condition), pairs in groups.items():
        if task == "acceptability":
            draws = sorted({answer["draw"] for _, answer in pairs})
            both = [plain_agreement([pair for pair in pairs if pair[1]["draw"] == draw]) for draw in draws]
            for place, metric in enumerate(("MCC", "macro-F1")):
                found[task, condition, metric] = len(pairs), sum(one[place] for one in both) / len(both)
            continue
        hits = [sorted(set(a["chosen"]) - set(q["unknown"])) == sorted(q["answers"]) for q, a in pairs]
        found[task, condition, "accuracy"] = len(hits), sum(hits) / len(hits)
    return found


def plain_agreement(pairs: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """MCC and macro-F1 of yes and no."""
    counts = Counter((q["options"][q["answers"][0]]["text"], q["options"][a["chosen"][0]]["text"]) for q, a in pairs)
    tp, tn, fn, fp = (counts[key] for key in (("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "yes")))
    coefficient = (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return coefficient, (2 * tp / (2 * tp + fp + fn) + 2 * tn / (2 * tn + fp + fn)) / 2


def write_answers(folder: Path, release: Release, name: str, responses: Sequence[Response]) -> Path:
    """The responses as a run of the tasks leaves them."""
    kept = TaskFolder(folder, run_of("mini-cases-1.0.0", release.sha256, name), {it.id: it.task for it in ITEMS})
    for task in dict.fromkeys(item.task for item in ITEMS):
        own = [it for it in responses if BY_ID[it.item_id].task == task]
        part = TaskPart(key="0", prompts=("ask@1",), words="own", n_items=120, n_responses=len(own), outcomes={})
        kept.keep(task, part, own)
    return folder


def test_a_plain_program_finds_the_same_numbers(release: Release, page: Path, tmp_path: Path) -> None:
    for seed, (name, ability) in enumerate(ABLE.items()):
        folder = write_answers(tmp_path / name, release, name, some_model(name, ability, seed))
        shown = {
            (row["Task"], row["Condition"], row["Metric"]): (int(row["Answers"]), float(row["Value"]))
            for row in rows_of(page, "task-scores")
            if row["Model"] == name
        }
        expected = plain_scores(folder, ITEMS)
        assert set(shown) == set(expected)
        for key, (n, value) in expected.items():
            assert shown[key][0] == n, key
            assert shown[key][1] == pytest.approx(value), key


def test_what_a_run_wrote_is_read_again_and_a_change_is_noticed(release: Release, tmp_path: Path) -> None:
    responses = some_model("able", 0.9, 1)
    folder = write_answers(tmp_path / "tasks", release, "able", responses)
    read = read_responses(folder)
    assert (read.run.model, len(read.responses)) == ("able", len(responses))
    path = folder / "responses.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("answered", "refused", 1), encoding="utf-8")
    with pytest.raises(StoreError, match=r"responses\.jsonl: changed since able was asked"):
        read_responses(folder)
    (folder / "tasks.json").write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError, match=r"tasks\.json: not the record of a run"):
        read_responses(folder)


# The report


def test_models_that_were_never_scored_have_a_report(page: Path, release: Release) -> None:
    text = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").get_text(" ")
    assert "2 models were asked 2,160 questions of 5 tasks" in text
    assert "Best by task: sentence-rules: able (" in text
    table = rows_of(page, "task-table")
    assert [row["Model"] for row in table] == ["able", "weak", "Chance"]
    columns = [name for name in table[0] if name != "Model" and not name.endswith(" SD")]
    assert list(dict.fromkeys(name.partition(",")[0] for name in columns)) == [
        "sentence-rules", "rule-sentences", "sentences-rules", "minimal-pair", "acceptability",
    ]  # fmt: skip
    assert float(table[0]["minimal-pair, rule"]) > 0.85 > float(table[1]["minimal-pair, rule"])
    assert float(table[0]["acceptability, MCC SD"]) > 0
    assert float(table[2]["sentence-rules"]) == 0.5
    latex = (page.parent / "tables" / "task-table.tex").read_text(encoding="utf-8")
    assert r"{\scriptsize $\pm$" in latex
    assert list(read_summary(page).task_runs) == ["able", "weak"]


def test_what_was_not_answered_is_no_wrong_answer(summary: Summary, page: Path) -> None:
    for row, outcome in zip(rows_of(page, "task-outcomes"), summary.rows("task_outcomes"), strict=True):
        shares = [float(row[name]) for name in ("Answered", "Refused", "Unreadable", "Cut", "Failed")]
        assert sum(shares) == pytest.approx(1)
        assert outcome["input_tokens"] == 50 * outcome["n"]
        main = summary.rows("task_scores", model=outcome["model"], task=outcome["task"])
        assert sum(s["n"] for s in main if s["metric"] in ("accuracy", "MCC")) == outcome["n_answered"]
    fault = next(fault for fault in summary.faults if "able gave no answer to" in fault.message)
    assert "the first because of 'said nothing'" in fault.message


def test_answers_to_other_items_or_another_release_are_named(release: Release) -> None:
    here = answers_of(release, "able", some_model("able", 0.9, 1))
    stray = here.responses[0].model_copy(update={"item_id": "item-of-another-folder"})
    there = TaskAnswers(run_of("old-1.0.0", "cd" * 32, "old"), here.responses)
    summary = summarise(release, [], asked=asked(release, here._replace(responses=(*here.responses, stray)), there))
    messages = " ".join(fault.message for fault in summary.faults)
    assert "able answered 1 item that the release lacks" in messages
    assert "old was asked about old-1.0.0" in messages
    assert list(summary.task_runs) == ["able"]


def test_two_reports_are_compared_on_the_tasks_of_both(release: Release, tmp_path: Path) -> None:
    before, after = some_model("able", 0.6, 1), some_model("able", 0.9, 2)
    after = [it for it in after if BY_ID[it.item_id].task != "acceptability"]
    for name, responses in (("old", before), ("new", after)):
        summary = summarise(release, [], asked=asked(release, answers_of(release, "able", responses)))
        write_summaries(tmp_path, **{name: summary})
    lines = [line for line in compare(tmp_path / "old", tmp_path / "new") if line.startswith("tasks ")]
    assert not any("acceptability" in line for line in lines)
    (line,) = (line for line in lines if "minimal-pair, rule:" in line)

    def share(responses: list[Response]) -> float:
        asked_so = [it for it in responses if BY_ID[it.item_id].condition == "rule" and it.outcome == "answered"]
        return sum(is_right(BY_ID[it.item_id], it.chosen) for it in asked_so) / len(asked_so)

    old, new = share(before), share(after)
    assert f"able, minimal-pair, rule: {old:.3f} -> {new:.3f} (" in line
    assert line.endswith("answers, no test)")


def test_a_model_that_gives_one_answer_throughout_is_said_to(release: Release) -> None:
    yes = [response(item, [0], "yes") for item in ITEMS if item.is_labelled]
    able = [row.response for row in oracle([item for item in ITEMS if item.is_labelled])]
    models = [answers_of(release, name, own) for name, own in (("yes", yes), ("able", able))]
    text = " ".join(tasks(summarise(release, [], asked=asked(release, *models)), load_words("report")))
    assert "yes on rule-sentences (always yes), yes on acceptability, MCC (always yes)." in text
    assert "able on rule-sentences (always" not in text


def test_runs_with_other_items_or_shots_share_no_column(release: Release) -> None:
    part = TaskPart(key="0", prompts=("ask@1",), words="own", n_items=9, n_responses=9, outcomes={}, shots=12)
    models = []
    for n, shots, step in ((0, 12, 1), (1, 12, 1), (2, 4, 1), (3, 12, 2)):
        run, responses = answers_of(release, f"m{n}", some_model(f"m{n}", 0.5, n))
        items = {item.id for item in ITEMS[::step]}
        run = run.model_copy(update={"tasks": {"acceptability": part.model_copy(update={"shots": shots})}})
        models.append(TaskAnswers(run, tuple(it for it in responses if it.item_id in items)))
    summary = summarise(release, [], asked=asked(release, *models))
    columns = defaultdict(set)
    for row in summary.rows("task_headline"):
        columns[row["column"]].add(row["model"])
    assert columns["acceptability, MCC"] == {"m0", "m1"}
    assert columns["acceptability, MCC, shots=4"] == {"m2"}
    assert columns["acceptability, MCC, items=60"] == {"m3"}
    assert columns["sentence-rules"] == {"m0", "m1", "m2"}
    assert {fault.subject for fault in summary.faults if fault.kind == "asked-otherwise"} == {"m2", "m3"}


def test_each_table_of_tasks_is_written_beside_those_of_pairs(
    release: Release, given: dict[str, Any], tmp_path: Path
) -> None:
    part = TaskPart(key="0", prompts=("ask@1",), words="own", n_items=40, n_responses=40, outcomes={}, seconds=1.5)
    models = []
    for n in range(2):
        score = OptionScore(sum_logprob=-n, n_tokens=2, n_chars=5)
        responses = [
            answer.model_copy(update={"scores": (score,) * len(BY_ID[answer.item_id].options)})
            for answer in some_model(f"m{n}", n / 8, n)[::7]
        ]
        run, own = answers_of(release, f"m{n}", responses)
        models.append(TaskAnswers(run.model_copy(update={"tasks": {"minimal-pair": part}}), own))
    words = load_words("report", "lt")
    summary = summarise(release, [make_evaluation(release, given)], asked=asked(release, *models))
    path = write_report(tmp_path, release, summary, words=words)
    assert english_on(path) == []
    names = {"ranking", *(name for name in TABLES if name.startswith("task-"))}
    assert {name for name in names if not rows_of(path, name)} == set()
    assert "1.5" in {row["Sekundės"] for row in rows_of(path, "task-cost")}


# Translation


def translated(items: Sequence[Item], model: str, change: Callable[[str], str]) -> list[Response]:
    return [response(it, (), model).model_copy(update={"raw": change(it.reference or "")}) for it in items]


def test_translations_are_measured_against_their_references(release: Release) -> None:
    items = translation_items()
    models = {"right": lambda text: text, "near": lambda text: text.replace("stovi", "yra"), "empty": lambda text: "x"}
    answers = [answers_of(release, name, translated(items, name, change)) for name, change in models.items()]
    summary = summarise(release, [], asked=asked(release, *answers, items=items))
    values = {row["model"]: row for row in summary.rows("task_headline", condition="into no rule")}
    assert values["right"]["value"] == pytest.approx(1)
    assert 0.5 < values["near"]["value"] < 1
    references = [item.reference or "" for item in items if item.condition == "into no rule"]
    public = CHRF(word_order=2).corpus_score(list(map(models["near"], references)), [references])
    assert values["near"]["value"] == pytest.approx(public.score / 100)
    assert values["empty"]["value"] < 0.1
    assert values["near"]["value_low"] <= values["near"]["value"] <= values["near"]["value_high"]
