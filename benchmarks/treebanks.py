"""Pairs that contrasts make of treebanks: how many of each contrast pass the checks, and ScaLA's rules on treebanks.

Forms of a treebank's words come from itself, and for Lithuanian from the dictionary in DATA as well.
"""

import importlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from common import NotHere, measured, miss, need
from error_lists import with_and_without_morphology
from made_records import make_source
from pairwright.core.config import TreebankSettings
from pairwright.core.records import Block, Candidate, CheckedPair
from pairwright.core.records.derivations import TreebankChange
from pairwright.core.store import read_jsonl
from pairwright.core.text import squeeze
from pairwright.core.workspace import Workspace
from pairwright.documents.flowing.treebank import read_treebank
from pairwright.extras.scala.corruption import Corrupted, Corrupter, Kind, Sentence, fit_sentences
from pairwright.extras.scala.dataset import split_sizes, splits
from pairwright.extras.scala.pairs import corruption_candidates, corruption_rules
from pairwright.extras.segmentation.alignment import aligned, read_cuts, write_cuts
from pairwright.extras.segmentation.gold import read_segmentation
from pairwright.models.load.models import load_tokenizer
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.pairs import generate
from pairwright.pipeline.sources import find_source

DRAWS = 50
# What EuroEval's program imports to fetch and to publish.
NETWORK = {"requests": (), "tqdm": (), "tqdm.auto": ("tqdm",), "huggingface_hub": ()}
NETWORK |= {"huggingface_hub.hf_api": ("HfApi",)}


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


def original(folder: Path) -> tuple[Any, Any]:
    """The two modules of EuroEval's program; packages that it needs for the network may be missing."""
    for name, contents in NETWORK.items():
        try:
            importlib.import_module(name)
        except ImportError:
            module = ModuleType(name)
            for item in contents:
                setattr(module, item, None)
            sys.modules[name] = module
    sys.path.insert(0, str(folder))
    return importlib.import_module("create_scala"), importlib.import_module("load_ud_pos")


def scala_of_euroeval(data: Path, n_sentences: int = 120, draws: int = 1500) -> pd.DataFrame:
    """The same sentences, splits and corrupted sentences as EuroEval's own program gives, from a checkout in DATA.

    Its corruptions are not seeded, so sets are compared: all that many draws give of a sentence.
    """
    program, loader = original(need(data / "euroeval" / "src" / "scripts" / "dataset_creation"))
    functions: dict[Kind, Any] = {"delete": program.delete, "flip_neighbours": program.flip_neighbours}
    rows = []
    for path in treebanks(data):
        _, sentences, _ = fit(path)
        theirs = eligible_rows(loader, path)
        ours = [sentence.block.text for sentence in sentences]
        row: dict[str, Any] = {"treebank": path.stem, "eligible": f"{len(theirs)} and {len(ours)}"}
        if list(map(squeeze, theirs.doc)) == ours:
            train, validation, test = split_sizes(len(ours))
            frames = program.make_splits(df=theirs, train_size=train, val_size=validation, test_size=test)
            named = zip(("train", "val", "test", "full_train"), frames, strict=True)
            own = {name: [it.block.text for it in chosen] for name, chosen in splits(sentences, 4242).items()}
            row["splits alike"] = sum(list(map(squeeze, frame.doc)) == own[name] for name, frame in named)
            for kind, function in functions.items():
                differ = 0
                for sentence, one in zip(sentences[:n_sentences], theirs.itertuples(), strict=False):
                    random.seed(1)
                    made = {function(list(one.tokens), list(one.pos_tags)) for _ in range(draws)} - {None}
                    drawn = (Corrupter((), "published", seed).corrupt(sentence) for seed in range(2 * draws))
                    differ += made != {it.text for it in drawn if it and it.kind == kind}
                row[f"{kind}: others"] = f"{differ} of {min(n_sentences, len(ours))}"
        rows.append(row)
    return pd.DataFrame(rows)


def eligible_rows(loader: Any, path: Path) -> Any:
    """What the `main` of EuroEval's program leaves of a treebank."""
    rows = loader._load_split(lines=path.read_text(encoding="utf-8").split("\n"))
    rows = rows.drop_duplicates(subset="doc").reset_index(drop=True)
    rows = rows[rows.tokens.map(lambda tokens: len(tokens) > 5) & rows.pos_tags.map(lambda tags: len(set(tags)) > 5)]
    rows = rows[rows.doc.map(lambda doc: doc.count('"') % 2 == 0 and doc.count("=") <= 1)]
    return rows[rows.pos_tags.map(lambda tags: tags[0] not in ["PUNCT", "SYM"])]


def tokenizers(data: Path) -> pd.DataFrame:
    """How the embedded model's tokenizer cuts words that `pairwright extras segmentation` cut into morphemes."""
    rows = []
    for path in sorted((data / "segmentations").glob("*.tsv")):
        gold = read_segmentation(path)
        with tempfile.TemporaryDirectory() as folder:
            write_cuts(Path(folder), load_tokenizer("embedded"), gold)
            pieces_of = read_cuts(Path(folder))
        for one in aligned(gold, "embedded", pieces_of) if pieces_of else ():
            shares = {"exact": one.exact, "too often": one.over, "too rarely": one.under}
            row = {"words of": path.stem, "category": one.category or "all", "words": one.n}
            row |= {"edits": f"{one.distance:.2f}", **{name: f"{share:.0%}" for name, share in shares.items()}}
            rows.append({**row, "precision": f"{one.precision or 0:.2f}", "recall": f"{one.recall or 0:.2f}"})
    if not rows:
        raise NotHere("no segmentation is in `DATA/segmentations`")
    return pd.DataFrame(rows)
