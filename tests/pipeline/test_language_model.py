"""A grammar book with a language model, as its user builds it: cost first, then rules and pairs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_lines import Run
from scripted_judge import pair_answer
from scripted_llm import asked_for, told
from workspace_parts import save_sheet, sheet_rows

from llm_server import Say, ScriptedServer, fault
from pairwright.cli.inspect.show import trace
from pairwright.cli.inspect.status import status
from pairwright.core.records import CheckedPair, LLMJudgment, Rule
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.models.chat import ledger

GRAMMAR = """\
# Verbs

## Government

The verb *laukti* ‘wait’ must take the genitive, as (1) shows. The accusative is ruled out after it.

```
(1) Vaikai lauk-ia  pavasari-o.
    child  wait-PRS spring-GEN
    ‘The children wait for spring.’
```

## Word order

The order of adverbs is free.
"""
BAN = "The accusative is ruled out after it."
RULE = {
    "quotation": "The verb laukti ‘wait’ must take the genitive, as (1) shows. The accusative is ruled out after it.",
    "title": "laukti governs the genitive",
    "description": "The object of laukti stands in the genitive.",
    "category": "case and government",
    "phenomenon": "verbal government",
    "examples": ["E1"],
    "exceptions": [],
    "ground": BAN,
    "licence": "banned",
    "contrast": "genitive object against accusative object",
    "features": [],
}
INVENTED = RULE | {"quotation": "Adverbs always stand at the end of the clause.", "title": "Adverbs come last"}
PAIRS = [
    ("Mes kantriai laukiame naujo traukinio.", "Mes kantriai laukiame naują traukinį."),
    ("Kaimynai laukia svarbaus skambučio.", "Kaimynai laukia svarbų skambutį."),
    ("Studentai laukė egzamino rezultatų.", "Studentai laukė egzamino rezultatų."),
]
GROUNDED = ("Vaikai laukia pavasario.", "Vaikai laukia pavasarį.")


def answer(body: dict[str, Any], _nth: int) -> Say:
    """A model that knows one rule, makes up another, and writes two pairs and a void one."""
    wanted, words = asked_for(body), told(body)
    said: Any
    if wanted == "ExtractedRules":
        said = {"rules": [RULE, INVENTED]}
    elif wanted == "GeneratedPairs":
        said = {"pairs": [{"doubt": None, "good": good, "bad": bad, "translation": ""} for good, bad in PAIRS]}
    elif wanted == "GroundedPairs":
        good, bad = GROUNDED
        said = {"pairs": [{"doubt": None, "base": 1, "good": good, "bad": bad, "translation": ""}]}
    else:
        said = pair_answer(words, {good for good, _ in (*PAIRS, GROUNDED)})
    return Say(json.dumps(said, ensure_ascii=False))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer) as running:
        yield running


@pytest.fixture
def grammar(workspace: Path, tmp_path: Path, server: ScriptedServer) -> Path:
    """A grammar of one page, in a workspace whose server of language models is the scripted one."""
    settings = workspace / "pairwright.toml"
    priced = "[llm.prices.writer]\ninput = 10.0\noutput = 10.0\n"
    served = (
        f'[llm]\nbase_url = "{server.base_url}"\nmodel = "writer"\nstructured = "schema"\npoll_seconds = 0.01\n{priced}'
    )
    settings.write_text(settings.read_text(encoding="utf-8") + served, encoding="utf-8")
    path = tmp_path / "page.md"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


AS_GRAMMAR = ("--kind", "grammar-book", "--language", "lt")


def built(run: Run, workspace: Path, grammar: Path, *options: str) -> str:
    return run.done("build", grammar, *AS_GRAMMAR, "--workspace", workspace, *options)


def rules_of(workspace: Path) -> list[Rule]:
    return list(read_jsonl(workspace / "output" / "work" / "page" / "rules.jsonl", Rule))


def pairs_of(workspace: Path) -> list[CheckedPair]:
    return list(read_jsonl(workspace / "output" / "work" / "page" / "checked.jsonl", CheckedPair))


def test_prose_becomes_rules_pairs_and_judgments_that_lead_back_to_the_page(
    workspace: Path, grammar: Path, run: Run
) -> None:
    out = built(run, workspace, grammar, "--llm", "server")
    [rule] = rules_of(workspace)
    assert rule.contrast is not None
    assert (rule.title, rule.contrast.licensed) == ("laukti governs the genitive", True)
    rejected = (workspace / "output" / "work" / "page" / "rules.rejected.jsonl").read_text(encoding="utf-8")
    assert "Adverbs always stand" in rejected
    pairs = pairs_of(workspace)
    assert {(pair.candidate.good, pair.candidate.method, pair.verdict) for pair in pairs} == {
        (good, "llm", "pass") for good, bad in PAIRS[:2]
    }
    for label in ("llm", "llm_pairs", "llm_judgments", "paid"):
        assert f"\n{label}" in out
    assert "2 to decide" in out
    traced = "\n".join(trace(Workspace(workspace), pairs[0].candidate.id))
    for words in ("generate_pairs/v", "extract_rules/v", "judge_pair/v", "writer", BAN, "page.md:5"):
        assert words in traced
    said = "\n".join(status(Workspace(workspace)))
    assert "llm_pairs" in said
    assert "USD" in said


def files_of(workspace: Path) -> dict[Path, bytes]:
    """What stages and reviewers wrote."""
    folders = (workspace / "output" / "work", workspace / "annotations")
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*.*") if path.is_file()}


def estimated(run: Run, workspace: Path, grammar: Path) -> str:
    out = built(run, workspace, grammar, "--llm", "server", "--estimate")
    assert "nothing was asked" in out
    return out


def test_a_cost_is_told_before_anything_is_asked_and_what_is_paid_for_costs_nothing(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    settings = workspace / "pairwright.toml"
    whole = f"{settings.read_text(encoding='utf-8')}\n[rules]\nwindow_characters = 1200\n"
    grammar.write_text(f"{GRAMMAR}\n{'Adverbs stand where speakers like to have them. ' * 40}\n", encoding="utf-8")
    out = estimated(run, workspace, grammar)
    for words in ("rules: ", "pairs: about ", "judge: about ", "a guess", "in all: ", " USD", "so far: 0 requests"):
        assert words in out
    assert not server.seen
    assert not (workspace / "output" / "work" / "page" / "rules.jsonl").exists()
    settings.write_text(f"{whole}max_windows = 1\n", encoding="utf-8")
    built(run, workspace, grammar, "--llm", "server")
    decide(run, workspace, {PAIRS[0][0]: "tinka"})
    assert "in all: nothing left to pay for" in estimated(run, workspace, grammar)
    settings.write_text(whole, encoding="utf-8")
    asked, files = len(server.seen), files_of(workspace)
    out = estimated(run, workspace, grammar)
    assert "1 of them answered already" in out
    assert "more requests, by what answers in this workspace led to so far" in out
    assert "paid for page so far: " in out
    assert (len(server.seen), files_of(workspace)) == (asked, files)


def test_a_run_whose_every_question_fails_is_a_fault_and_the_next_run_asks_again(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    server.script = lambda body, nth: fault(500, "out of memory")
    settings = workspace / "pairwright.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("[llm]", "[llm]\nretries = 0"), encoding="utf-8")
    err = run.refused("build", grammar, *AS_GRAMMAR, "--workspace", workspace, "--llm", "server")
    assert server.base_url in err
    assert "HTTP 500: out of memory" in err
    assert not (workspace / "output" / "work" / "page" / "rules.jsonl").exists()
    server.script = answer
    built(run, workspace, grammar, "--llm", "server")
    assert len(rules_of(workspace)) == 1


def test_a_batch_makes_the_same_pairs_at_half_the_price(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    assert "completed" in built(run, workspace, grammar, "--llm", "server", "--batch")
    assert len(server.batches) >= 2
    assert {pair.candidate.good for pair in pairs_of(workspace)} == {good for good, _ in PAIRS[:2]}
    rules = next(line for line in ledger(Workspace(workspace)) if line.stage == "rules")
    assert rules.in_batches >= 1


def test_a_second_run_asks_nothing_and_a_model_stays_with_its_source_until_it_is_sent_away(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    built(run, workspace, grammar, "--llm", "server")
    pairs, asked = pairs_of(workspace), len(server.seen)
    for stage in ("rules", "llm_pairs", "llm_judgments"):
        (workspace / "output" / "work" / "page" / f"{stage}.manifest.json").unlink()
    code, out, _ = run("build", "page", "--until", "pairs", "--llm", "server", "--offline", "--workspace", workspace)
    assert (code, len(server.seen), "\npaid" in out) == (0, asked, False)
    assert pairs_of(workspace) == pairs
    built(run, workspace, grammar)
    run.done("review", "sync", "page", "--workspace", workspace)
    assert pairs_of(workspace) == pairs
    run.done("build", "page", "--until", "pairs", "--llm", "none", "--workspace", workspace)
    assert pairs_of(workspace) == []


def test_in_a_hardly_known_language_pairs_are_made_from_the_books_own_sentences(
    workspace: Path, grammar: Path, run: Run
) -> None:
    told = ("--kind", "grammar-book", "--language", "qaa", "--workspace", workspace, "--llm", "server")
    run.done("build", grammar, *told)
    [pair] = pairs_of(workspace)
    assert (pair.candidate.good, pair.candidate.bad, pair.verdict) == (*GROUNDED, "pass")
    assert pair.candidate.segmentation == "Vaikai lauk-ia pavasari-o."
    assert pair.candidate.translation == "The children wait for spring."
    assert pair.candidate.new_words == ("pavasarį",)


def decide(run: Run, workspace: Path, words: dict[str, str]) -> None:
    """Both reviewers write these words, by the good sentence, into their sheets, which are then taken over."""
    for reviewer in ("ana", "jonas"):
        sheet = workspace / "annotations" / "page" / f"{reviewer}.csv"
        rows = sheet_rows(sheet)
        save_sheet(sheet, [row | {"Sprendimas": words.get(row["Taisyklingas sakinys"], "")} for row in rows])
    run.done("review", "sync", "page", "--workspace", workspace)


def test_pairs_that_people_decided_on_stay_whatever_becomes_of_the_model(
    workspace: Path, grammar: Path, run: Run
) -> None:
    built(run, workspace, grammar, "--llm", "server")
    source = workspace / "sources" / "page" / "source.toml"
    text = re.sub(r"(?m)^licence = .*$", 'licence = "CC0-1.0"', source.read_text(encoding="utf-8"))
    source.write_text(re.sub(r"(?m)^citation = .*$", 'citation = "A page."', text), encoding="utf-8")
    decide(run, workspace, {PAIRS[0][0]: "tinka"})
    run.done("build", "page", "--until", "pairs", "--llm", "none", "--workspace", workspace)
    [pair] = pairs_of(workspace)
    assert (pair.candidate.good, pair.verdict) == (PAIRS[0][0], "pass")
    [rule] = rules_of(workspace)
    assert (rule.title, rule.kept) == ("laukti governs the genitive", True)
    out = run.done("release", "create", "--name", "waits", "--version", "1.0.0", "--workspace", workspace)
    assert "1 pair of 1 rule" in out
    # The model that comes back states the rule again, and the pair is one of its own.
    built(run, workspace, grammar, "--llm", "server")
    assert [rule.kept for rule in rules_of(workspace)] == [False]
    assert len(pairs_of(workspace)) == 2


def test_a_pair_that_reviewers_reject_is_replaced_from_the_reserve(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    settings = workspace / "pairwright.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + "[generate]\npairs_per_rule = 1\n", encoding="utf-8")
    built(run, workspace, grammar, "--llm", "server")
    assert [pair.candidate.good for pair in pairs_of(workspace)] == [PAIRS[0][0]]
    decide(run, workspace, {PAIRS[0][0]: "netinka"})
    assert [pair.candidate.good for pair in pairs_of(workspace)] == [PAIRS[0][0]]
    asked = len(server.seen)
    built(run, workspace, grammar, "--llm", "server")
    assert [pair.candidate.good for pair in pairs_of(workspace)] == [PAIRS[0][0], PAIRS[1][0]]
    # Only the judge was asked.
    assert all("Judgement" in asked_for(body) for body in server.seen[asked:])


def test_a_pair_that_the_checks_reject_is_replaced_in_the_same_run(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    marked = "Mes laukiame (= naujo) traukinio."

    def careless(body: dict[str, Any], nth: int) -> Say:
        said = answer(body, nth)
        return Say(said.text.replace(PAIRS[0][0], marked)) if asked_for(body) == "GeneratedPairs" else said

    server.script = careless
    settings = workspace / "pairwright.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + "[generate]\npairs_per_rule = 1\n", encoding="utf-8")
    built(run, workspace, grammar, "--llm", "server")
    assert [(pair.candidate.good, pair.verdict) for pair in pairs_of(workspace)] == [
        (marked, "reject"),
        (PAIRS[1][0], "pass"),
    ]
    asked = len(server.seen)
    built(run, workspace, grammar, "--llm", "server")
    assert len(server.seen) == asked


def test_no_pair_passes_unjudged_when_its_twin_under_another_rule_falls(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    other = RULE | {"quotation": BAN, "title": "No accusative", "description": "The accusative is out after laukti."}

    def two_rules(body: dict[str, Any], nth: int) -> Say:
        wanted, words = asked_for(body), told(body)
        if wanted == "ExtractedRules":
            return Say(json.dumps({"rules": [RULE, other]}, ensure_ascii=False))
        if wanted == "PairJudgements":
            of_other = "The accusative is out" in words.split("What the grammar says")[0]
            said = pair_answer(words, {good for good, _ in PAIRS}, instance=of_other)
            return Say(json.dumps(said, ensure_ascii=False))
        return answer(body, nth)

    server.script = two_rules
    built(run, workspace, grammar, "--llm", "server")
    judged = {it.pair_id for it in read_jsonl(workspace / "output/work/page/llm_judgments.jsonl", LLMJudgment)}
    passed = [pair.candidate for pair in pairs_of(workspace) if pair.verdict == "pass"]
    assert {pair.good for pair in passed} == {good for good, _ in PAIRS[:2]}
    assert {pair.id for pair in passed} <= judged


def test_the_judge_is_held_against_the_reviewers(workspace: Path, grammar: Path, run: Run) -> None:
    built(run, workspace, grammar, "--llm", "server")
    agreement = ("review", "agreement", "--queue", "page", "--workspace", workspace)
    assert "no pair has both" in run(*agreement)[1]
    decide(run, workspace, {PAIRS[0][0]: "tinka", PAIRS[1][0]: "netinka"})
    judge, counts, accepted, *_ = run(*agreement)[1].partition("judge: ")[2].splitlines()
    assert judge == "writer"
    assert counts.split()[-1] == "2"
    assert accepted.split()[:3] == ["wrongly", "accepted", "1/2"]


def test_a_model_that_is_not_there_is_one_line(
    workspace: Path, grammar: Path, run: Run, server: ScriptedServer
) -> None:
    settings = workspace / "pairwright.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace('model = "writer"\n', ""), encoding="utf-8")
    err = run.refused("build", grammar, *AS_GRAMMAR, "--workspace", workspace, "--llm", "server")
    assert err.startswith("error: no language model is named")


FIRST, SECOND = "Kai grįši, sakyk, kada valgysime.", "Kada grįši, sakyk, kai valgysime."
BOTH, INVENTED_READING = "Kai grįši, sakyk, kai valgysime.", "Kai grįši, sakyk, kur valgysime."


@pytest.mark.parametrize(
    ("meant", "best"),
    [(FIRST, FIRST), (SECOND, SECOND), (BOTH, BOTH), (INVENTED_READING, None), ("", None)],
    ids=["one of two", "the other", "written of words of the sentence", "written of other words", "none"],
)
def test_a_model_is_asked_which_words_an_uncertain_bracket_replaces(
    workspace: Path, run: Run, tmp_path: Path, meant: str, best: str | None
) -> None:
    def chooses(body: dict[str, Any], nth: int) -> Say:
        if asked_for(body) != "Choices":
            return answer(body, nth)
        shown = re.findall(r"^\s*(\d)\. (.*)$", told(body), re.MULTILINE)
        option = next((int(number) for number, text in shown if text == meant), 0)
        return Say(json.dumps({"choices": [{"question": 1, "option": option, "written": "" if option else meant}]}))

    path = tmp_path / "page.md"
    path.write_text("# 6.1. Jungtukai:\n\nkada → Kada grįši, sakyk, kada valgysime (= kai).\n", encoding="utf-8")
    told_as = ("--kind", "error-list", "--language", "lt", "--workspace", workspace)
    run.done("build", path, *told_as)
    [unasked] = [pair.candidate for pair in pairs_of(workspace)]
    assert (unasked.uncertain, {FIRST, SECOND} <= {unasked.good, *unasked.alternatives}) == (True, True)
    with ScriptedServer(chooses) as server:
        with (workspace / "pairwright.toml").open("a", encoding="utf-8") as settings:
            settings.write(f'[llm]\nbase_url = "{server.base_url}"\nmodel = "writer"\nstructured = "schema"\n')
        code, _, err = run("build", path, *told_as, "--llm", "server")
    assert (code, err, [asked_for(body) for body in server.seen].count("Choices")) == (0, "", 1)
    [asked] = [pair.candidate for pair in pairs_of(workspace) if pair.candidate.method == "source"]
    first = asked.alternatives[0] if best == BOTH else asked.good
    assert (first, asked.uncertain) == (best or unasked.good, True)
    assert {FIRST, SECOND} <= {asked.good, *asked.alternatives}
    assert INVENTED_READING not in asked.alternatives
