"""A killed run with a paid language model pays for no kept answer twice, and its ledger holds every cost."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from killed_parts import STEMS, VERBS, register
from kills import Writer, kill_at_random
from scripted_judge import pair_answer
from scripted_llm import asked_for, told

from llm_server import Say, ScriptedServer
from pairwright.core.ids import canonical_json
from pairwright.core.workspace import Workspace
from pairwright.models.chat import ledger

pytestmark = pytest.mark.slow

PRICE = 10.0  # a million tokens, in and out
TOKENS = 110  # of each answer, as the server counts them
RESULTS = ("output/work/page/rules.jsonl", "output/work/page/llm_pairs.jsonl", "output/work/page/checked.jsonl")


def statement(verb: str) -> str:
    return f"The verb *{verb.lower()}* takes the genitive. The accusative is ruled out after {verb.lower()}."


def pairs(verb: str) -> list[tuple[str, str]]:
    return [(f"{verb} {stem}o.", f"{verb} {stem}ą.") for stem in STEMS[:3]]


def answer(body: dict[str, Any], _nth: int) -> Say:
    """A model that finds one rule for each verb, writes three pairs for it, and judges them all right."""
    wanted, words = asked_for(body), told(body)
    said: Any = {"bad": "", "contrast": ""}
    if wanted == "ExtractedRules":
        said = {"rules": [rule(verb) for verb in VERBS if statement(verb).replace("*", "") in words.replace("*", "")]}
    elif wanted == "GeneratedPairs":
        verb = max(VERBS, key=lambda verb: words.lower().rfind(f"{verb.lower()} governs"))
        said = {"pairs": [{"good": good, "bad": bad, "doubt": None, "translation": ""} for good, bad in pairs(verb)]}
    elif wanted == "PairJudgements":
        said = pair_answer(words, {good for verb in VERBS for good, _ in pairs(verb)})
    return Say(json.dumps(said, ensure_ascii=False), delay=0.05)


def rule(verb: str) -> dict[str, Any]:
    return {
        "quotation": statement(verb).replace("*", ""),
        "title": f"{verb.lower()} governs the genitive",
        "description": f"The object of {verb.lower()} stands in the genitive.",
        "category": "case and government",
        "phenomenon": "verbal government",
        "examples": [],
        "exceptions": [],
        "ground": f"The accusative is ruled out after {verb.lower()}.",
        "licence": "banned",
        "contrast": "genitive object against accusative object",
        "features": [],
    }


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer) as running:
        yield running


@pytest.fixture
def grammar(empty: Path, tmp_path: Path, server: ScriptedServer) -> Path:
    path = tmp_path / "page.md"
    sections = (f"## {verb}\n\n{statement(verb)}\n" for verb in VERBS)
    path.write_text("# Verbs\n\n" + "\n".join(sections), encoding="utf-8")
    register(empty, path, "grammar-book")
    with (empty / "pairwright.toml").open("a", encoding="utf-8") as settings:
        settings.write(
            f'[llm]\nbase_url = "{server.base_url}"\nmodel = "writer"\nstructured = "schema"\nconcurrency = 4\n'
            f"[llm.prices.writer]\ninput = {PRICE}\noutput = {PRICE}\n"
        )
    return empty


def test_finding_rules_writing_pairs_and_judging(grammar: Path, tmp_path: Path, server: ScriptedServer) -> None:
    kept: dict[Path, set[str]] = {}
    n_seen, n_billed = len(server.seen), len(server.billed)

    def paid_once(workspace: Path) -> None:
        nonlocal n_seen
        asked = {canonical_json(body) for body in server.seen[n_seen:]}
        assert not asked & kept.get(workspace, set()), "an answer that was kept was asked for again"
        n_seen = len(server.seen)
        kept[workspace] = questions(workspace)

    writer = Writer(("build", "page", "--llm", "server"), grammar, RESULTS)
    kill_at_random(writer, tmp_path, (paid_once,))
    spent = sum(line.cost for folder in tmp_path.glob("killed-*") for line in ledger(Workspace(folder)))
    spent += sum(line.cost for line in ledger(Workspace(tmp_path / "whole")))
    billed = (len(server.billed) - n_billed) * TOKENS * PRICE / 1e6
    assert spent >= billed - 1e-9, "the ledgers say less than the server billed"


def questions(workspace: Path) -> set[str]:
    """The bodies of the requests whose replies are kept."""
    path = workspace / "output" / "llm" / "replies.sqlite"
    if not path.exists():
        return set()
    with sqlite3.connect(path) as file:
        return {row[0] for row in file.execute("SELECT body FROM replies")}
