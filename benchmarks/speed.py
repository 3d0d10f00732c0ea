"""How long things take and how much memory: one table of jobs, each in a process of its own.

    python benchmarks/all.py DATA speed.jobs
    JOBS="report,release" SCALE=0.1 python benchmarks/all.py DATA speed.jobs    # some, of a tenth of their size

A job is set up first and then timed: what `set_up` yields is given to `timed` in a new process. Processor time stands
beside time by the clock, so that a busy machine shows.
"""

import csv
import io
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pymupdf
from pydantic import BaseModel

from common import Cost, Json, timed
from grammars import books
from llm_server import Body, Say, ScriptedServer
from made_evaluations import make_evaluation, make_release
from made_records import make_candidate, make_checked, make_evidence, make_released, make_rule, make_source
from pairwright.core.config import AskSettings, LLMSettings, ReviewSettings, RuleSettings, ScoreSettings
from pairwright.core.ids import content_id
from pairwright.core.records import Block, CheckedPair, Decision, Gloss, Rule
from pairwright.core.records.items import Item, Option
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl, read_log, write_jsonl, write_log
from pairwright.core.workspace import Workspace
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.languages import load_language
from pairwright.models.chat import LLM, Request
from pairwright.models.prompts import Hints, Message, Rendered
from pairwright.review.log import QueueFolder, QueueInfo, ReviewContext
from pairwright.sources.grammar.rules.extract import GrammarReader
from scoring_material import blimp_like, embedded

SCALE = float(os.environ.get("SCALE", "1"))
PAIRS, PASSAGES, REQUESTS, ITEMS, MANY = (round(SCALE * size) for size in (100_000, 2000, 3000, 10_000, 1_000_000))
BIN = Path(sys.executable).with_name("pairwright")
SOURCE = make_source(id="made-up")
QUEUE = "eile"
SYLLABLES = ("ka", "le", "mi", "no", "ru", "ša", "tė", "vy", "žo", "gi", "pa", "du", "nė", "sy", "bra")


class Job(NamedTuple):
    """A job: what `timed` gets from `set_up`, and how many of what it does."""

    name: str
    size: int
    set_up: Callable[[Path, Path], AbstractContextManager[Any]]  # given DATA and a folder to write in
    timed: Callable[..., Any]


def jobs(data: Path) -> pd.DataFrame:
    """All jobs, or those that JOBS of the environment names."""
    chosen, rows = tuple(os.environ.get("JOBS", "").split(",")), []
    for job in JOBS:
        if not job.name.startswith(chosen):
            continue
        print(job.name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                with job.set_up(data, Path(folder)) as given:
                    rows.append({"job": job.name, "size": f"{job.size:,}", **cells(timed(job.timed, given), job.size)})
            # Whatever goes wrong in one job, the rows of the others are kept.
            except Exception as fault:
                why = next(iter(str(fault).splitlines()), type(fault).__name__)
                rows.append({"job": job.name, "size": f"{job.size:,}", "clock, s": f"not measured: {why}"})
    return pd.DataFrame(rows)


def cells(cost: Cost, size: int) -> dict[str, str]:
    """A job may measure a part of itself, and then returns what that took."""
    own = cost.result if isinstance(cost.result, Cost) else cost
    return own.cells | ({"a second": f"{size / own.clock:,.1f}"} if size > 1 else {})


# --- reading


@contextmanager
def pages(name: str, data: Path, folder: Path) -> Iterator[Path]:
    """Pages 60 to 100 of a book as a document of their own."""
    with pymupdf.open(books(data)[name]) as document, pymupdf.open() as part:
        part.insert_pdf(document, from_page=59, to_page=99)
        part.save(folder / "pages.pdf")
    yield folder / "pages.pdf"


def read_pdf(path: Path) -> int:
    return sum(len(page.blocks) for page in link(read_pages(learn_book(path, "speed"))))


def read_by_pymupdf4llm(path: Path) -> None:
    import pymupdf4llm

    pymupdf4llm.to_markdown(str(path), show_progress=False)


# --- language models


class Answer(BaseModel):
    """What the server answers."""

    good: str
    bad: str


def serve(script: Callable[[Body, int], Say], pipe: Any) -> None:
    with ScriptedServer(script) as server:
        pipe.send(server.base_url)
        pipe.recv()


@contextmanager
def served(script: Callable[[Body, int], Say], data: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """The address of a server process on loopback, and a folder."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(script, theirs), daemon=True)
    process.start()
    yield ours.recv(), folder
    ours.send(None)
    process.join()


def slow_answer(body: Body, nth: int) -> Say:
    return Say('{"good": "She reads.", "bad": "She read."}', delay=0.2)


def slow_letter(body: Body, nth: int) -> Say:
    return Say('{"letters": ["A"]}', delay=0.2)


def client(base_url: str, folder: Path) -> LLM:
    return LLM(LLMSettings(base_url=base_url, model="m", structured="schema", concurrency=64, repairs=0), folder)


def request(number: int) -> Request[Answer]:
    words = f"{number} The verb of a main clause stands in the second place. " * 20
    messages = (Message(role="user", content=words),)
    prompt = Rendered(name="window", version=1, sha256="0" * 64, output="Answer", hints=Hints(), messages=messages)
    return Request(prompt, Answer, "rules", "grammar", subject=f"window-{number}")


def ask_requests(given: tuple[str, Path]) -> None:
    with client(*given) as llm:
        assert all(answer.outcome == "ok" for answer in llm.run(map(request, range(REQUESTS))))


@contextmanager
def asked_before(data: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    with served(slow_answer, data, folder) as given:
        ask_requests(given)
        yield given


def ask_items(given: tuple[str, Path]) -> None:
    from pairwright.evaluate.asking.questions import load_wording
    from pairwright.evaluate.asking.runs import ask_chat, plan_task

    rules = tuple(Option(text=f"The verb stands in place {place}") for place in range(3))
    items = [
        Item(id=f"item-{n:06}", task="sentence-rules", language="en", context=(f"{n}.",), options=rules, answers=(0,))
        for n in range(ITEMS)
    ]
    with client(*given) as llm:
        questions = plan_task(items, {"en": load_wording("en")}, AskSettings()).questions
        assert len(list(ask_chat(llm, questions, "release", "m", None))) == ITEMS


def two_rules(body: Body, nth: int) -> Say:
    """Two rules: one quotes the window, the other words that stand in no book."""
    import json

    match = re.search(r"In construction \d+ the object[^.]*\.", body["messages"][-1]["content"])
    quotation = match[0] if match else "nowhere at all"
    rule: Json = {"quotation": quotation, "title": f"Object of {quotation[:20]}", "category": "case and government"}
    rule |= {"description": f"The object stands in the genitive in {quotation[:20]}.", "phenomenon": "government"}
    rule |= {"examples": ["E1"], "exceptions": [], "ground": "the accusative is ungrammatical", "licence": "banned"}
    rule |= {"contrast": "the genitive, against the accusative", "features": ["good: Case=Gen", "bad: Case=Acc"]}
    return Say(json.dumps({"rules": [rule, rule | {"quotation": "This sentence stands nowhere in the book."}]}))


def made_grammar(n_sentences: int) -> Iterator[Block]:
    """A grammar of so many sentences: four in a paragraph, an example for each paragraph, a table in each section."""

    def block(kind: str, text: str, number: int, section: tuple[str, ...] = (), **fields: Any) -> Block:
        plain = {"id": content_id("block", kind, number), "source_id": "made", "file": "made.pdf", "reader": "made/1"}
        place = {"page": number // 25 + 1, "section": section, "bbox": (60.0, 60.0, 400.0, 120.0)}
        return Block.model_validate(plain | place | {"kind": kind, "text": text} | fields)

    for number in range(0, n_sentences, 4):
        section = number // 60 + 1
        path = (f"{section} Syntax of construction {section}",)
        if number % 60 == 0:
            yield block("heading", path[0], number)
            rows = (("Case", "Form"), ("Gen", f"namo{section}"), ("Acc", f"namą{section}"))
            yield block("table", "\n".join(map("\t".join, rows)), number, path, cells=rows, header_rows=1)
        sentence = (
            "In construction {} the object of the verb stands in the genitive, and the accusative is ungrammatical."
        )
        yield block("paragraph", " ".join(sentence.format(at) for at in range(number, number + 4)), number, path)
        words = ("Neturiu", "namo", f"nr{number}.")
        gloss = Gloss(number=str(number), segmentation=words, glosses=(("NEG.have", "house.GEN", "no"),), raw="")
        yield block("gloss", f"({number}) {' '.join(words)}", number, path, gloss=gloss)


def find_rules(given: tuple[str, Path]) -> None:
    url, folder = given
    write_jsonl(folder / "blocks.jsonl", made_grammar(PASSAGES * 20))
    source = make_source(id="made", kind="grammar-book")
    reader = GrammarReader(read_jsonl(folder / "blocks.jsonl", Block), source, load_language("lt"), RuleSettings())
    with client(url, folder / "llm") as llm:
        assert sum(isinstance(item, Rule) for item in reader.rules(llm))


# --- made-up pairs: review, release, report


def made_up(n_pairs: int, n_rules: int = 200) -> tuple[list[CheckedPair], dict[str, Rule]]:
    """Pairs of invented words, 7 to 12 a sentence, and their rules. The same on every machine."""
    chance = random.Random(7)

    def words(low: int, high: int) -> list[str]:
        return [
            "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 4)))
            for _ in range(chance.randint(low, high))
        ]

    rules: dict[str, Rule] = {}
    for number in range(n_rules):
        section = number // 20 + 1
        named = {"category": f"category {section}", "phenomenon": f"phenomenon {section}", "page": number + 1}
        named |= {"title": " ".join(words(2, 2)), "quote": " ".join(words(3, 3)), "source_id": SOURCE.id}
        rule = make_rule(f"{section}.{number % 20 + 1}", **named)
        rules[rule.id] = rule
    pairs, known = [], list(rules.values())
    for number in range(n_pairs):
        sentence = words(7, 12)
        at, rule = chance.randrange(1, len(sentence)), known[number % n_rules]
        bad = [*sentence[:at], sentence[at] + "s", *sentence[at + 1 :]]
        good_side, bad_side = (f"{' '.join(side).capitalize()}." for side in (sentence, bad))
        evidence = make_evidence(rule.quote, page=rule.page, line=number + 1)
        place: Json = {"rule_id": rule.id, "source_id": SOURCE.id, "evidence": evidence}
        pairs.append(make_checked(make_candidate(good_side, bad_side, method="paradigm", **place)))
    return pairs, rules


def write_pairs(data: Path, folder: Path) -> None:
    pairs, rules = made_up(PAIRS)
    work = Workspace(folder).work(SOURCE.id)
    write_jsonl(work / "checked.jsonl", pairs)
    write_jsonl(work / "rules.jsonl", rules.values())
    write_jsonl(work / "blocks.jsonl", [])


@contextmanager
def built(data: Path, folder: Path) -> Iterator[Path]:
    write_pairs(data, folder)
    yield folder


def export_sheet(folder: Path) -> None:
    from pairwright.review.assign.export import export_queue

    work = Workspace(folder).work(SOURCE.id)
    pairs = {pair.candidate.id: pair for pair in read_jsonl(work / "checked.jsonl", CheckedPair)}
    rules = {rule.id: rule for rule in read_jsonl(work / "rules.jsonl", Rule)}
    settings = ReviewSettings(reviewers=("ana",), per_pair=1)
    export_queue(ReviewContext(folder / "annotations", QUEUE, SOURCE, pairs, rules, load_language("lt"), settings))


def import_sheet(folder: Path) -> None:
    from pairwright.review.sheets.exchange import import_answers

    import_answers(QueueFolder(folder / "annotations", QUEUE), load_language("lt"), datetime.now(UTC))


@contextmanager
def answered(data: Path, folder: Path) -> Iterator[Path]:
    """A sheet with a decision in every row, some with comments, as a spreadsheet program saves it in cp1257."""
    write_pairs(data, folder)
    export_sheet(folder)
    path, draw = folder / "annotations" / QUEUE / "ana.csv", random.Random(1)
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    decision, comment = rows[0].index("Sprendimas"), rows[0].index("Pastaba")
    for row in rows[1:]:
        row[decision] = draw.choice(["gerai", "gerai", "gerai", "atmesti", "neaišku"])
        row[comment] = draw.choice(["", "", "", "„žalias“ čia dviprasmis; žr. 3, 4"])
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(rows)
    path.write_bytes(out.getvalue().encode("cp1257", "replace"))
    yield folder


@contextmanager
def imported(data: Path, folder: Path) -> Iterator[Path]:
    with answered(data, folder):
        import_sheet(folder)
        yield folder


@contextmanager
def approved(data: Path, folder: Path) -> Iterator[Path]:
    """Made-up pairs with two approvals each, as `build` and `review` would leave them."""
    write_pairs(data, folder)
    queue = QueueFolder(Workspace(folder).annotations, SOURCE.id)
    queue.write_info(QueueInfo(queue=queue.queue, kind="pairs", source=SOURCE.id, language="lt"))
    pairs = read_jsonl(Workspace(folder).work(SOURCE.id) / "checked.jsonl", CheckedPair)
    given = {"decision": "approve", "at": "2026-05-04T08:00:00+00:00"}
    both = [(pair.candidate.id, reviewer) for pair in pairs for reviewer in ("ana", "jonas")]
    write_log(queue.log(), (Decision.model_validate({"pair_id": key, "reviewer": by, **given}) for key, by in both))
    yield folder


def freeze(folder: Path, version: str = "1.0.0") -> None:
    from pairwright.pipeline.options import ReleaseOptions
    from pairwright.pipeline.release import freeze_decided

    freeze_decided(Workspace(folder), ReleaseOptions("speed", version), {SOURCE.id: SOURCE}, {})


@contextmanager
def frozen(data: Path, folder: Path) -> Iterator[Path]:
    """A release, and the decisions on the last hundredth of its pairs taken back, so that another version follows."""
    with approved(data, folder):
        freeze(folder)
        log = QueueFolder(Workspace(folder).annotations, SOURCE.id).log()
        decisions = list(read_log(log, Decision))
        write_log(log, decisions[: len(decisions) - len(decisions) // 100])
        yield folder


def verify(folder: Path) -> None:
    from pairwright.release.consistency import verify_contents

    verify_contents(Workspace(folder).releases / "speed-1.0.0")


def freeze_next(folder: Path) -> None:
    freeze(folder, "1.1.0")


@contextmanager
def evaluated(n_pairs: int, data: Path, folder: Path) -> Iterator[Path]:
    """A release and the scores of twenty made-up models."""
    sha256 = make_release(folder / "release", n_pairs)
    for number in range(20):
        make_evaluation(folder / "evaluations" / f"model-{number:02d}", number, n_pairs, sha256)
    yield folder


def report(folder: Path) -> Path:
    from pairwright.evaluate.scoring.runs.evaluation import read_table
    from pairwright.release.verify import read_release
    from pairwright.reporting.analysis.summary import summarise
    from pairwright.reporting.render.page import write_report

    release = read_release(folder / "release")
    runs = (read_table(path) for path in sorted((folder / "evaluations").iterdir()))
    return write_report(folder / "report", release, summarise(release, runs))


@contextmanager
def reported(data: Path, folder: Path) -> Iterator[Path]:
    with evaluated(PAIRS // 10, data, folder):
        yield report(folder)


def browse(page: Path) -> Cost:
    """Opens the page in Chromium, and there all pairs, until they are shown."""
    from playwright.sync_api import sync_playwright

    from common import measured

    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        tab = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]).new_page()

        def opened() -> None:
            tab.goto(page.resolve().as_uri())
            tab.locator("nav a[href='#browse']").click()
            tab.wait_for_selector("#browse ol > li")

        return measured(opened)


# --- scoring


def first_score(pairs: list[tuple[str, str]]) -> Cost:
    """From a model in memory to its first score: all that a run does before its first number."""
    import torch

    from common import measured
    from pairwright.evaluate.scoring.scorers.causal import CausalScorer
    from pairwright.models.load.models import load_model

    torch.set_num_threads(2)
    model = load_model(embedded(), dtype="float32", device="cpu")
    sentences = list(dict.fromkeys(sentence for pair in pairs for sentence in pair))
    return measured(lambda: bool(next(CausalScorer(model, ScoreSettings()).score(sentences))))


@contextmanager
def given(value: Any, data: Path, folder: Path) -> Iterator[Any]:
    yield value


@contextmanager
def tiny_model(data: Path, folder: Path) -> Iterator[Path]:
    from tiny_model import save_tiny_model

    save_tiny_model(folder / "model")
    yield folder


def score_a_million(folder: Path) -> None:
    """A tiny model over pairs that are made as they are read, a thousand a shard."""
    import torch

    from pairwright.evaluate.scoring.runs.evaluation import evaluate
    from pairwright.evaluate.scoring.scorers.causal import CausalScorer
    from pairwright.models.load.models import load_model

    torch.set_num_threads(1)
    settings = ScoreSettings(shard_pairs=1000)

    def stream() -> Iterator[ReleasePair]:
        for number in range(MANY):
            good, bad = (f"Line {number}: the pilot {verb}." for verb in ("waits", "wait"))
            yield make_released(good, bad, id=f"pair-{number:07d}", method="manual", changes=())

    scorer = CausalScorer(load_model(str(folder / "model"), device="cpu"), settings)
    evaluate(stream(), scorer, settings, folder / "scores", release="made-1.0", release_sha256="a" * 64)


# --- starting, tasks, matrices


@contextmanager
def sample(data: Path, folder: Path) -> Iterator[Path]:
    """A workspace with the sample list, built."""
    run_command("init", str(folder / "w"), "--language", "lt", "--sample")
    run_command("build", "lt-sample", "--workspace", str(folder / "w"))
    yield folder / "w"


def run_command(*arguments: str) -> None:
    subprocess.run([BIN, *arguments], check=True, capture_output=True)


def import_package(nothing: None) -> None:
    subprocess.run([sys.executable, "-c", "import pairwright"], check=True)


def show_help(nothing: None) -> None:
    run_command("--help")


def build_again(workspace: Path) -> None:
    run_command("build", "lt-sample", "--workspace", str(workspace))


def flow_again(workspace: Path) -> None:
    flow = [sys.executable, str(workspace / "flows" / "build.py"), "lt-sample", "--workspace", str(workspace)]
    subprocess.run(flow, check=True, capture_output=True)


JOBS = (
    *(
        Job(f"read {name}, pages 60-100", 41, partial(pages, name), read_pdf)
        for name in ("Pite Saami", "Iranian Armenian")
    ),
    Job("the same of Pite Saami by pymupdf4llm", 41, partial(pages, "Pite Saami"), read_by_pymupdf4llm),
    Job("requests, 64 at a time, 0.2 s each", REQUESTS, partial(served, slow_answer), ask_requests),
    Job("requests from the cache", REQUESTS, asked_before, ask_requests),
    Job("items asked, 64 at a time, 0.2 s each", ITEMS, partial(served, slow_letter), ask_items),
    Job("rules of a grammar, a server without delay", PASSAGES, partial(served, two_rules), find_rules),
    Job("review: export", PAIRS, built, export_sheet),
    Job("review: first import", PAIRS, answered, import_sheet),
    Job("review: import, nothing new", PAIRS, imported, import_sheet),
    Job("release: freeze with all exports", PAIRS, approved, freeze),
    Job("release: verify", PAIRS, frozen, verify),
    Job("release: freeze the next version", PAIRS, frozen, freeze_next),
    Job("report on 20 models", PAIRS, partial(evaluated, PAIRS), report),
    Job("report: open the page of 20 models", PAIRS // 10, reported, browse),
    Job("scoring: first score, pairs as in BLiMP", 1, partial(given, blimp_like(2000)), first_score),
    Job("scoring: a tiny model", MANY, tiny_model, score_a_million),
    Job("start: import pairwright", 1, partial(given, None), import_package),
    Job("start: pairwright --help", 1, partial(given, None), show_help),
    Job("start: build, nothing to do", 1, sample, build_again),
    Job("start: flow, nothing to do", 1, sample, flow_again),
)
