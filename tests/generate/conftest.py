"""Rules of an imagined grammar, and what a scripted language model makes of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import Answers, scripted

from llm_server import ScriptedServer
from pairwright.core.config import GenerateSettings
from pairwright.core.records import Block, Candidate, Rejection, Rule
from pairwright.languages import Language, load_language
from pairwright.languages.morphology import Analyser, lemmatiser_of
from pairwright.languages.morphology.inflection import Inflector
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.pairs import llm_candidates
from pairwright.sources.asked.targets import NOTHING_SETTLED, PairTask, Standing


@pytest.fixture(scope="session")
def english_lemmas() -> Analyser:
    return lemmatiser_of(load_language("en"))


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
def generate(tmp_path: Path, english_lemmas: Analyser) -> Callable[..., Run]:
    """Runs the stage on rules with a scripted server; settings of `[generate]` by name, those of `[llm]` as `llm`."""

    def run(
        answers: Answers,
        *rules: Rule,
        llm: dict[str, Any] | None = None,
        folder: str = "llm",
        language: Language | None = None,
        blocks: tuple[Block, ...] = (),
        standing: Standing = NOTHING_SETTLED,
        title: str = "",
        **settings: Any,
    ) -> Run:
        known = {"pairs_per_rule": 2, "directions": ("pairs",), "rounds": 1} | settings
        language = language or load_language("en")
        corpus = Corpus(rules, blocks, language.boundaries, described=title)
        task = PairTask(rules, language, GenerateSettings(**known), english_lemmas, corpus, standing, tmp_path, title)
        with scripted(tmp_path / folder, answers, **(llm or {})) as (client, server):
            return Run(list(llm_candidates(task, client)), server)

    return run


PARADIGM_AFF = """\
SET UTF-8
SFX N Y 3
SFX N as as as is:Masc_Sg_Nom
SFX N as ui as is:Masc_Sg_Dat
SFX N as ą as is:Masc_Sg_Acc
SFX V Y 5
SFX V ti a ti is:Indic_Pres_III
SFX V ti damas ti is:HalfPart_Masc_Sg
SFX V ti dama ti is:HalfPart_Fem_Sg
SFX V ti ant ti is:Gerund_Pres
SFX V ti ąs ti is:Part_Act_Pres_Masc_Sg_Nom_short
"""
PARADIGM_DIC = """\
4
vaikas/N	po:noun
mažas/N	po:adjective
namas/N	po:noun
nešti/V	po:verb
"""


@pytest.fixture
def inflector(tmp_path: Path) -> Inflector:
    """An inflector of the few words of `PARADIGM_DIC`."""
    (tmp_path / "lt.aff").write_text(PARADIGM_AFF, encoding="utf-8")
    (tmp_path / "lt.dic").write_text(PARADIGM_DIC, encoding="utf-8")
    settings = '[[morphology.lt]]\nkind = "hunspell"\npath = "lt.dic"\ntagset = "lt-hunspell"\n'
    (tmp_path / "pairwright.toml").write_text(settings, encoding="utf-8")
    return Inflector.of(load_language("lt", tmp_path))
