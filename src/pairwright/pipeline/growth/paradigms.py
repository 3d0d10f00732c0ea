"""Seeds -> Candidate: the paradigms of a source's approved treebank pairs and of its marked-up seeds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.core.errors import Nothing, SourceError, counted
from pairwright.core.records import Block, Candidate, Record, Rule, Source
from pairwright.core.records.base import PARADIGMS, TREEBANK_PAIRS
from pairwright.core.store import StageRun, read_if_there
from pairwright.growth.paradigm.frames import Frames, chosen_conditions, load_frames
from pairwright.growth.paradigm.seeds import FILE, UnusableTreeError, marked_up_seeds, names_in, tree_seed
from pairwright.growth.paradigm.variants import variants
from pairwright.languages import Language
from pairwright.languages.morphology.inflection import Inflector
from pairwright.pipeline.context import Context
from pairwright.pipeline.gaps import rejections_of, why_rejected
from pairwright.pipeline.growth.augment import approved_ids
from pairwright.pipeline.ingest import find_source
from pairwright.pipeline.options import Option
from pairwright.pipeline.stages import Lines, stage


def paradigms(
    context: Context,
    source: Path,
    *,
    conditions: Annotated[
        tuple[str, ...], Option("Orders, such as SVO, and clauses (default: all).", metavar="NAME,...", kind="names")
    ] = (),
    undecided: Annotated[bool, Option("Also use treebank pairs without decisions.")] = False,
) -> StageRun:
    """Put pairs into other orders and subordinate clauses.

    The variants of a pair form a paradigm. Seeds are the approved pairs of a treebank, and sentences that you mark up
    in paradigms.txt next to source.toml: [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].
    """
    loaded = find_source(context.workspace, source)
    markup = context.workspace.sources / loaded.id / FILE
    language = context.language(loaded)
    frames = load_frames(language, context.workspace.root)
    chosen = chosen_conditions(frames, conditions, language)
    pairs = read_if_there(context.workspace.stage_file(loaded.id, TREEBANK_PAIRS.name), Candidate)
    approved = approved_ids(context.workspace, loaded.id, pairs, undecided=undecided)
    if not approved and not markup.exists():
        raise SourceError(
            f"{loaded.id}: no seeds; approve pairs of its treebank in review, or give --undecided, or write {markup}"
        )
    run = paradigm_pairs(
        context, loaded, markup=markup, frames=frames, conditions=chosen, seeds=tuple(sorted(approved))
    )
    build, reasons = context.workspace.command("build", loaded.id), why_rejected(rejections_of(run.path))
    why = f"no seed can be put into {counted(len(chosen), 'condition')}: {reasons or f'{markup} is empty'}"
    context.say_stage(run, paradigm_pairs.noun, lambda: Nothing(why, f"mark up seeds in {markup}, then {build}"))
    if run.n_out:
        context.say("next", f"{build}, which takes them through the checks into review")
    return run


@stage(PARADIGMS, "paradigm pair")
def paradigm_pairs(
    source: Source,
    language: Language,
    rules: Lines[Rule],
    frames: Frames,
    conditions: tuple[str, ...],
    markup: Path,
    seeds: tuple[str, ...],
    blocks: Lines[Block] | None = None,
    treebank_pairs: Lines[Candidate] | None = None,
) -> Iterator[Record]:
    """The variants of marked-up seeds and of treebank pairs; `seeds` are the ids of these."""
    by_id = {block.id: block for block in blocks or ()}
    trees = [block.tree for block in by_id.values() if block.tree]
    inflector, names = Inflector.of(language, trees), names_in(trees)
    if markup.exists():
        for seed in marked_up_seeds(markup, {rule.code: rule for rule in rules}, source.id, frames):
            yield from variants(seed, conditions, inflector)
    chosen = set(seeds)
    for pair in (pair for pair in treebank_pairs or () if pair.id in chosen):
        try:
            seed = tree_seed(pair, by_id[pair.evidence.block_id], frames, names)
        except UnusableTreeError as fault:
            yield pair.rejection(PARADIGMS.name, f"no seed: {fault}", pair.good)
        else:
            yield from variants(seed, conditions, inflector)
