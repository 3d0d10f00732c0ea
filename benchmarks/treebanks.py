"""Pairs that contrasts make of treebanks: how many of each contrast pass the checks, and ScaLA's rules on treebanks.

Forms of a treebank's words come from itself, and for Lithuanian from the dictionary in DATA as well.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from common import NotHere, measured, miss, need
from error_lists import with_and_without_morphology
from made_records import make_source
from pairwright.core.config import TreebankSettings
from pairwright.core.records import Block, Candidate, CheckedPair
from pairwright.core.records.derivations import TreebankChange
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.flowing.treebank import read_treebank
from pairwright.extras.scala.corruption import Corrupted, Corrupter, Sentence, fit_sentences
from pairwright.extras.scala.dataset import split_sizes
from pairwright.extras.scala.pairs import corruption_candidates, corruption_rules
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.pairs import generate
from pairwright.pipeline.sources import find_source

DRAWS = 50


def treebanks(data: Path, pattern: str = "*") -> list[Path]:
    paths = sorted(need(data / "treebanks").glob(f"{pattern}.conllu"))
    if not paths:
        raise NotHere("no treebank is in `DATA/treebanks`")
    return paths


def pairs(data: Path) -> pd.DataFrame:
    """Pairs of each treebank: how many are made, pass, have a warning, are there twice."""
    rows = []
    for path in treebanks(data):
        for label, workspace in with_and_without_morphology(data) if path.name.startswith("lt_") else [("", None)]:
            with tempfile.TemporaryDirectory() as folder:
                for path_of in workspace.absolute().iterdir() if workspace else ():
                    (Path(folder) / path_of.name).symlink_to(path_of)
                cost = measured(built, Context(Workspace(folder)), path)
            rows.append({"treebank": path.stem + label, **figures(cost.result), "s": f"{cost.clock:.0f}"})
    return pd.DataFrame(rows)


def built(context: Context, path: Path) -> list[CheckedPair]:
    """The checked pairs of a treebank, whose language its name begins with."""
    source = find_source(context.workspace, path, SourceOptions(language=path.name.partition("_")[0]))
    ingest(context, source)
    return list(read_jsonl(generate(context, source)[-1].path, CheckedPair))


def figures(found: list[CheckedPair]) -> dict[str, Any]:
    passing = [pair.candidate for pair in found if pair.verdict == "pass"]
    made, passed = Counter(contrast(pair.candidate) for pair in found), Counter(map(contrast, passing))
    for name, count in made.most_common():
        miss(f"{name:<34} {count:>5} {passed[name]:>5}")
    for pair in random.Random(1).sample(passing, min(200, len(passing))):
        miss(f"{contrast(pair)}: {pair.good} / {pair.bad}")
    sentences = [(pair.good, pair.bad) for pair in passing]
    warned = sum(any(finding.level == "warning" for finding in pair.findings) for pair in found)
    return {
        "pairs": len(found),
        "pass": f"{len(passing)} ({len(passing) / max(1, len(found)):.1%})",
        "contrasts": len(passed),
        "with a warning": f"{warned / max(1, len(found)):.1%}",
        "twice": len(sentences) - len(set(sentences)),
        "good = bad": sum(good == bad for good, bad in sentences),
    }


def contrast(pair: Candidate) -> str:
    return pair.derivation.contrast if isinstance(pair.derivation, TreebankChange) else pair.method


# --- ScaLA


def fit(path: Path) -> tuple[list[Block], list[Sentence], Counter[str]]:
    """The sentences of a treebank, those that ScaLA takes, and why it takes no others."""
    source = make_source(path, kind="treebank", language="und")
    blocks = [item for item in read_treebank(path, path.name, source, "utf-8", 10**9) if isinstance(item, Block)]
    judged = list(fit_sentences(blocks))
    return blocks, [it for it, unfit in judged if not unfit], Counter(unfit for _, unfit in judged if unfit)


def mistakes(sentence: Sentence, corrupted: Corrupted) -> Iterator[str]:
    """The rules of ScaLA that a corruption breaks, and what gives it away."""
    tokens = {number: token for token in sentence.tokens for number in token.numbers}
    changed = [tokens[number] for number in corrupted.words]
    first = sentence.tokens[0]
    if corrupted.kind == "delete":
        if changed[0] == first and first.form[0].isupper() and corrupted.text[0].islower():
            yield "small letter first"
        return
    upos = {token.upos for token in changed}
    if upos & {"PUNCT", "SYM"}:
        yield "moved beside a mark"
    if upos == {"PRON", "AUX"}:
        yield "PRON beside AUX"
    if changed[0] == first and first.upos == "PROPN" and first.form not in corrupted.text:
        yield "name made small"


def scala(data: Path) -> pd.DataFrame:
    """Eligible sentences, and how many corruptions break the rules, as published and as corrected, fifty draws each."""
    rows = []
    for path in treebanks(data):
        blocks, sentences, _ = fit(path)
        texts, row = {block.text for block in blocks}, {"treebank": path.stem, "sentences": str(len(blocks))}
        row |= {"eligible": str(len(sentences)), "train, val, test": ", ".join(map(str, split_sizes(len(sentences))))}
        for behaviour in ("published", "corrected"):
            found, made = Counter[str](), 0
            for draw in range(DRAWS):
                corrupter = Corrupter(texts, behaviour, draw)
                for sentence in sentences:
                    if corrupted := corrupter.corrupt(sentence):
                        made += 1
                        found.update(mistakes(sentence, corrupted))
            shares = "; ".join(f"{name} {count / made:.2%}" for name, count in sorted(found.items()))
            row[behaviour] = shares or "no mistake"
        candidates = corruption_candidates(
            blocks,
            corruption_rules(make_source(path, id="scala", kind="treebank", language="und")),
            TreebankSettings(pairs_per_contrast=10**6),
        )
        own = [it.derivation for it in candidates if isinstance(it, Candidate)]
        kinds = Counter(it.kind for it in own if it and it.method == "corruption")
        rows.append({**row, "pairs": ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))})
    return pd.DataFrame(rows)
