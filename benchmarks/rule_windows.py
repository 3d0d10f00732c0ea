"""What finding rules in a long grammar costs: `python benchmarks/rule_windows.py [--windows 2000]`.

    python benchmarks/rule_windows.py SOURCE... [--workspace DIR]    # the requests that ingested grammars take

A generated grammar with sections, examples and tables is read from a file of blocks. A server process on loopback
answers every window with two rules, one of which stands in it. Prints how many windows a second are made without a
server, the time from blocks to a file of rules, and the peak memory. Processor time stands beside wall time, to show
whether the machine was busy.

Of an ingested grammar: the pages of the sections that are read, the requests about their passages and their tokens by
the client's own estimate, what a page takes, the text that is shown by the text that stands there, and the share of
the requests' characters with which all of them begin alike. The questions about licences that other pages may speak
against come on top: one for twelve rules.
"""

import argparse
import json
import multiprocessing
import re
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from llm_server import Body, Say, ScriptedServer
from pairwright.core.config import LLMSettings, RuleSettings
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Gloss, Rejection, Rule, Source, SourceFile
from pairwright.core.store import read_jsonl, write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.languages import load_language
from pairwright.models.chat import LLM
from pairwright.sources.grammar.rules.extract import GrammarReader

_SENTENCES_A_SECTION = 60
_SENTENCE = "In construction {} the object of the verb stands in the genitive, and the accusative is ungrammatical. "
_CATEGORY = "case and government"


def blocks(n_sentences: int) -> Iterator[Block]:
    """A grammar of so many sentences: four in a paragraph, an example for each paragraph, a table in each section."""
    for number in range(0, n_sentences, 4):
        section = number // _SENTENCES_A_SECTION + 1
        path = (f"{section} Syntax of construction {section}",)
        page = number // 25 + 1
        if number % _SENTENCES_A_SECTION == 0:
            yield _block("heading", path[0], number, page)
            rows = (("Case", "Form"), ("Gen", f"namo{section}"), ("Acc", f"namą{section}"))
            yield _block("table", "\n".join(map("\t".join, rows)), number, page, path, cells=rows, header_rows=1)
        text = "".join(_SENTENCE.format(at) for at in range(number, number + 4))
        yield _block("paragraph", text.strip(), number, page, path)
        words = ("Neturiu", "namo", f"nr{number}.")
        gloss = Gloss(number=str(number), segmentation=words, glosses=(("NEG.have", "house.GEN", "no"),), raw="")
        yield _block("gloss", f"({number}) {' '.join(words)}", number, page, path, gloss=gloss)


def _block(kind: str, text: str, number: int, page: int, section: tuple[str, ...] = (), **fields: object) -> Block:
    defaults = {"id": content_id("block", kind, number), "source_id": "made", "file": "made.pdf", "reader": "made/1"}
    box = (60.0, 60.0, 400.0, 120.0)
    return Block.model_validate(
        defaults | {"kind": kind, "text": text, "page": page, "section": section, "bbox": box} | fields
    )


def answer(body: Body, nth: int) -> Say:
    """Two rules: one quotes the window, the other words that stand in no book."""
    passage = body["messages"][-1]["content"]
    match = re.search(r"In construction \d+ the object[^.]*\.", passage)
    quotation = match[0] if match else "nowhere at all"
    rule = {
        "quotation": quotation,
        "title": f"Object of {quotation[:20]}",
        "description": f"The object stands in the genitive in {quotation[:20]}.",
        "category": _CATEGORY,
        "phenomenon": "government",
        "examples": ["E1"],
        "exceptions": [],
        "ground": "the accusative is ungrammatical",
        "licence": "banned",
        "contrast": "the genitive, against the accusative",
        "features": ["good: Case=Gen", "bad: Case=Acc"],
    }
    return Say(json.dumps({"rules": [rule, rule | {"quotation": "This sentence stands nowhere in the book."}]}))


def serve(pipe: Connection) -> None:
    with ScriptedServer(answer) as server:
        pipe.send(server.base_url)
        pipe.recv()


def measure(base_url: str, folder: Path, settings: RuleSettings, n_windows: int) -> None:
    language, path = load_language("lt"), folder / "made.pdf"
    file = SourceFile(path=path.name, sha256="0" * 64)
    source = Source.model_validate(
        {"id": "made", "title": "Made", "language": "lt", "kind": "grammar-book", "licence": "CC0-1.0", "citation": "-"}
        | {"files": (file,)}
    )
    # Each section gives about three windows.
    write_jsonl(folder / "blocks.jsonl", blocks(n_windows * _SENTENCES_A_SECTION // 3))
    print(f"before                 {_peak():.0f} MB")
    started = time.perf_counter()
    count = sum(
        1 for _ in GrammarReader(read_jsonl(folder / "blocks.jsonl", Block), source, language, settings).requests()
    )
    seconds = time.perf_counter() - started
    print(f"passages               {count:,}, cut in {seconds:.1f} s ({count / seconds:,.0f} a second)")
    rejected = 0

    def kept(asks: LLM) -> Iterator[Rule]:
        nonlocal rejected
        for item in GrammarReader(read_jsonl(folder / "blocks.jsonl", Block), source, language, settings).rules(asks):
            if isinstance(item, Rejection):
                rejected += 1
            else:
                yield item

    wall, cpu = time.perf_counter(), time.process_time()
    with LLM(LLMSettings(base_url=base_url, model="m", structured="schema", concurrency=64), folder / "llm") as llm:
        rules = write_jsonl(folder / "rules.jsonl", kept(llm))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"rules                  {rules:,}, and {rejected:,} rejected, in {wall:.1f} s ({cpu:.1f} s of processor time)"
    )
    print(f"peak memory            {_peak():.0f} MB")


def measure_source(workspace: Workspace, name: str, folder: Path) -> None:
    source = load_source(workspace.sources / name)
    blocks = list(read_jsonl(workspace.work(source.id) / "blocks.jsonl", Block))
    reader = GrammarReader(blocks, source, load_language(source.language, workspace.root), RuleSettings())
    windows = list(reader.windows())
    requests = list(map(reader.request, windows))
    within = {block.id: block for window in windows for block in window.blocks}
    pages = len({block.page for block in within.values()})
    with LLM(LLMSettings(base_url="http://127.0.0.1:9/v1", model="m", structured="schema"), folder / "none") as llm:
        estimate = llm.estimate(requests)
    text, shown = sum(len(block.text) for block in within.values()), sum(len(window.text) for window in windows)
    sent = ["\n".join(message.content for message in request.prompt.messages) for request in requests]
    alike = next(at for at, letters in enumerate(zip(min(sent), max(sent), strict=False)) if len(set(letters)) > 1)
    print(
        f"{name:<20} {pages:>6,} {estimate.requests:>9,} {estimate.requests / pages:>7.2f} {estimate.input_tokens:>10,}"
        f" {estimate.input_tokens / pages:>7,.0f} {shown / text:>7.2f} {alike * len(sent) / sum(map(len, sent)):>7.2f}"
    )


def _peak() -> float:
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*", help="ids of grammars under sources/, already ingested")
    parser.add_argument("--workspace", type=Path, default=Path())
    parser.add_argument("--windows", type=int, default=2_000, help="about how many passages")
    arguments = parser.parse_args()
    if arguments.sources:
        heads = (
            ("pages", 6),
            ("requests", 9),
            ("a page", 7),
            ("tokens in", 10),
            ("a page", 7),
            ("shown", 7),
            ("alike", 7),
        )
        print(f"{'':<20} " + " ".join(f"{head:>{width}}" for head, width in heads))
        with tempfile.TemporaryDirectory() as folder:
            for name in arguments.sources:
                measure_source(Workspace(arguments.workspace), name, Path(folder))
        return
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        measure(ours.recv(), Path(folder), RuleSettings(), arguments.windows)
    ours.send(None)
    server.join()


if __name__ == "__main__":
    main()
