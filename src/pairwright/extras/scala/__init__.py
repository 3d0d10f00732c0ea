"""ScaLA (Nielsen 2023, ScandEval): sentences of a treebank lose a word, or two neighbours change places."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pairwright.core.errors import SourceError, counted
from pairwright.pipeline.extra import Extra
from pairwright.pipeline.options import Option, SourceOptions

if TYPE_CHECKING:
    from pairwright.core.records import Rule, Source
    from pairwright.core.store import StageRun
    from pairwright.pipeline.context import Context

CORRUPTIONS = "corruptions"


def write_scala(
    context: "Context",
    source: Path,
    described: SourceOptions,
    *,
    out: Annotated[Path, Option("Folder to make.")],
    behaviour: Annotated[
        Literal["corrected", "published"], Option("published: exactly as the original program does, mistakes included.")
    ] = "corrected",
    seed: Annotated[int, Option("Random seed.")] = 4242,
) -> None:
    """Corrupt a treebank's sentences as ScaLA does.

    SOURCE is a .conllu file, a source folder, or its id under sources/. In each suitable sentence, one word is deleted
    or two neighbours change places. The folder --out gets train, val, test and full_train as JSON Lines and CSV with
    the columns of EuroEval (text, corruption_type, label), the rejected sentences with reasons, and the settings.
    """
    from pairwright.core.records import Block
    from pairwright.core.store import read_jsonl
    from pairwright.extras.scala.dataset import make_dataset, write_dataset
    from pairwright.pipeline.ingest import find_source, ingest

    if out.exists():
        raise SourceError(f"{out}: is there already; name another folder, or remove it")
    loaded = find_source(context.workspace, source, described)
    if loaded.kind != "treebank":
        raise SourceError(
            f"{loaded.id}: ScaLA corrupts the sentences of a treebank, not those of a source of kind {loaded.kind}"
        )
    run = ingest(context, loaded)
    made = make_dataset(read_jsonl(run.path, Block), behaviour, seed, context.language(loaded).letters)
    for reason, count in Counter(item.reason for item in made.rejected).most_common():
        context.say("left out", f"{counted(count, 'sentence')}: {reason}")
    write_dataset(out, made, loaded, behaviour, seed)
    sizes = ", ".join(f"{name} {2 * len(pairs):,}" for name, pairs in made.splits.items())
    context.say("scala", f"{out}: {sizes} rows of {counted(made.n_pairs, 'sentence')}")


def _rules(context: "Context", source: "Source") -> "Iterator[Rule]":
    from pairwright.extras.scala.dataset import corruption_rules

    if context.workspace.config().treebank.corruptions:
        yield from corruption_rules(source).values()


def _candidates(context: "Context", source: "Source") -> "list[StageRun]":
    """The stage of a treebank's corrupted sentences, which is empty unless `treebank.corruptions` is set."""
    from pairwright.extras.scala.dataset import corrupted_pairs

    run = corrupted_pairs(context, source)
    if context.workspace.config().treebank.corruptions:
        context.say_stage(run, corrupted_pairs.noun)
    return [run]


EXTRA = Extra("scala", commands=(write_scala,), stages=(CORRUPTIONS,), rules=_rules, candidates=_candidates)
