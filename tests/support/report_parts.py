"""A release of a few pairs and the scores of models that never ran: their log-probabilities are given."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from made_records import make_release_info, make_released, make_run
from pairwright.core.records import Side
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import Release, ReleasePair
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.runs.evaluation import as_table
from pairwright.languages.locale import load_words
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.render.page import SUMMARY

# A pyarrow table of scores, and the run.
Scored = tuple[Any, EvaluationRun]
# The sum of log-probabilities in nats and the number of tokens of the good, then of the bad sentence.
Given = tuple[tuple[float, int], tuple[float, int]]


def make_pair(number: int, good: str, bad: str, *, code: str = "3.1", exception: bool = False) -> ReleasePair:
    rule = {"phenomenon": f"case {code[0]}", "rule_code": code, "rule": f"Taisyklė {code}", "rule_id": f"rule-{code}"}
    return make_released(good, bad, id=f"pair-{number:016x}", exception=exception, **rule)


PAIRS = (
    make_pair(1, "Mes laukiame traukinio.", "Mes laukiame traukinį."),
    make_pair(2, "Mums trūksta laiko.", "Mums trūksta laikas."),
    make_pair(3, "Ji rašo pieštuku.", "Ji rašo su pieštuku.", code="4.2"),
    make_pair(4, "Jis eina su lazda.", "Jis eina lazda.", code="4.2", exception=True),
)


def make_release(pairs: Sequence[ReleasePair] = PAIRS) -> Release:
    return Release(path=Path("mini-cases-1.0.0"), sha256="ab" * 32, info=make_release_info(pairs), pairs=tuple(pairs))


def numbered(codes: Iterable[str]) -> Release:
    """A release with a pair for each of these codes of rules."""
    return make_release(
        [make_pair(n, f"Turiu {n} knygas.", f"Turiu {n} knygų.", code=code) for n, code in enumerate(codes)]
    )


def make_evaluation(
    release: Release,
    given: Mapping[str, Given],
    *,
    name: str = "tiny",
    slug: str | None = None,
    bos_token_id: int | None = 2,
    tokens: bool = False,
) -> Scored:
    """The scores and the run of a model; a pair that `given` lacks has no score. Its tokens share the sum evenly."""
    sentences = {pair.id: (pair.sentence_good, pair.sentence_bad) for pair in release.pairs}
    sides: tuple[Side, Side] = ("good", "bad")
    scores = [
        (
            pair_id,
            side,
            SentenceScore(
                sentence=sentence,
                n_tokens=n,
                n_bytes=len(sentence.encode()),
                n_chars=len(sentence),
                sum_logprob=nats,
                token_logprobs=(nats / n,) * n if tokens else None,
                token_starts=token_starts(sentence, n) if tokens else None,
            ),
        )
        for pair_id, both in given.items()
        for side, sentence, (nats, n) in zip(sides, sentences[pair_id], both, strict=True)
    ]
    run = make_run(
        len(release.pairs),
        name,
        {"slug": slug or name, "bos_token_id": bos_token_id},
        release_sha256=release.sha256,
        first_token_scored=bos_token_id is not None,
        n_scored=len(given),
        n_rejected=len(release.pairs) - len(given),
        n_sentences=len(scores),
        sentences_per_second=float(len(scores)),
    )
    return as_table(scores), run


def token_starts(sentence: str, n: int) -> tuple[int, ...]:
    """Where n tokens begin: the words, the last of which is cut into letters, or the first n words."""
    starts = [found.start() for found in re.finditer(r"\s*\S+", sentence)]
    return tuple((starts + list(range(starts[-1] + 2, len(sentence))))[:n])


def rows_of(page: Path, name: str) -> list[dict[str, str]]:
    """A table of a report as a program reads its CSV."""
    return list(csv.DictReader((page.parent / "tables" / f"{name}.csv").read_text(encoding="utf-8").splitlines()))


def write_summaries(folder: Path, **summaries: Summary) -> None:
    """The numbers of reports, each in the folder of its name."""
    for name, summary in summaries.items():
        (folder / name).mkdir()
        (folder / name / SUMMARY).write_text(summary.model_dump_json(), encoding="utf-8")


def english_on(page: Path) -> list[str]:
    """What of a Lithuanian page is an English text, or has three words or more of one, without names of the program."""
    document = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    spoken = json.loads(str(words["data-words"])) if (words := document.select_one("[data-words]")) else {}
    shown = [str(it[name]) for it in document.find_all(True) for name in ("aria-label", "alt") if it.has_attr(name)]
    for element in document(["script", "style", "template"]):
        element.decompose()
    shown += [" ".join(text.split()) for text in (*document.stripped_strings, *spoken.values())]
    own = set(load_words("report", "lt").group("").values())
    # `rule` is a condition of items.
    whole = {text for text in load_words("report").group("").values() if text not in own and len(text) > 2} - {"rule"}
    parts = {part.strip(" .,;:()") for text in whole for part in re.split(r"\{[^{}]*\}", text)}
    phrases = [part for part in parts if part.count(" ") > 1]
    return [text for text in shown if text in whole or any(part in text for part in phrases)]
