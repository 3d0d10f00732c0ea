"""A reader of error lists, text in and rules and rejections out; what a scripted language model makes of rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from list_parts import ReadList
from scripted_llm import Answers, scripted

from llm_server import ScriptedServer
from made_records import make_source
from pairwright.core.config import GenerateSettings
from pairwright.core.records import Block, Candidate, Rejection, Rule
from pairwright.documents.flowing.reader import read_text_document
from pairwright.languages import Language, load_language
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.pairs import llm_candidates
from pairwright.sources.asked.targets import PairTask, Standing
from pairwright.sources.error_list.corrections import Rank
from pairwright.sources.error_list.reader import read_error_list


@pytest.fixture
def read_list(tmp_path: Path) -> ReadList:
    """Reads a list given as text; `suffix` is its format, `notation`, `language` and `phrases` as in source.toml;
    `workspace` may have the language's morphology, and `rank` orders sentences."""

    def read(
        text: str,
        suffix: str = ".md",
        notation: str | None = "vlkk",
        language: str = "lt",
        workspace: Path | None = None,
        phrases: bool = False,
        rank: Rank | None = None,
    ) -> tuple[list[Rule], list[Rejection]]:
        path = tmp_path / f"list{suffix}"
        path.write_text(text, encoding="utf-8")
        source = make_source(path, language=language, notation=notation).model_copy(update={"phrases": phrases})
        blocks = read_text_document(path, path.name, source, 5_000_000)
        found = list(read_error_list(blocks, source, load_language(language, workspace), workspace, rank))
        return [i for i in found if isinstance(i, Rule)], [i for i in found if isinstance(i, Rejection)]

    return read


class Run:
    """What came of a run: `pairs` and `reserve`, `reasons` of what was not taken, the `seen` requests."""

    def __init__(self, results: list[Candidate | Rejection], server: ScriptedServer) -> None:
        self.results = results
        self.seen = server.seen
        self.billed = server.billed
        pairs = [item for item in results if isinstance(item, Candidate)]
        self.pairs = [pair for pair in pairs if not pair.reserve]
        self.reserve = [pair for pair in pairs if pair.reserve]
        self.rejected = [item for item in results if isinstance(item, Rejection)]
        self.reasons = [item.reason for item in self.rejected]


@pytest.fixture
def generate(tmp_path: Path) -> Callable[..., Run]:
    """Runs the stage on rules with a scripted server; settings of `[generate]` by name, those of `[llm]` as `llm`."""

    def run(
        answers: Answers,
        *rules: Rule,
        llm: dict[str, Any] | None = None,
        folder: str = "llm",
        language: Language | None = None,
        blocks: tuple[Block, ...] = (),
        standing: Standing | None = None,
        title: str = "",
        **settings: Any,
    ) -> Run:
        known = {"pairs_per_rule": 2, "grounded": False, "rounds": 1} | settings
        language = language or load_language("en")
        corpus = Corpus(rules, blocks, language.boundaries, described=title)
        task = PairTask(rules, language, GenerateSettings(**known), corpus, standing or Standing(), tmp_path, title)
        with scripted(tmp_path / folder, answers, **(llm or {})) as (client, server):
            return Run(list(llm_candidates(task, client)), server)

    return run
