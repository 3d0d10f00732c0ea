"""Seeds -> Candidate: the paradigms of a source's approved treebank pairs and of its marked-up seeds."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import Nothing, SourceError, counted
from pairwright.core.ids import digest
from pairwright.core.records import Block, Candidate, Record, Rule
from pairwright.core.stages import PARADIGMS, TREEBANK_PAIRS
from pairwright.core.store import StageInput, StageRun, file_input, read_if_there, read_jsonl, run_stage
from pairwright.documents.source import load_source
from pairwright.growth.paradigm.frames import chosen_conditions, load_frames
from pairwright.growth.paradigm.seeds import FILE, UnusableTreeError, marked_up_seeds, names_in, tree_seed
from pairwright.growth.paradigm.variants import variants
from pairwright.languages.morphology.inflection import Inflector
from pairwright.pipeline.context import Context
from pairwright.pipeline.gaps import rejections_of, why_rejected
from pairwright.pipeline.growth.augment import approved_ids
from pairwright.pipeline.sources import find_source


def paradigms(context: Context, source: Path, conditions: tuple[str, ...] = (), *, undecided: bool = False) -> StageRun:
    """Puts the seeds of a source into conditions, all of its language's frames where none is named.

    Seeds are those that a person marked up in `paradigms.txt` beside source.toml, and the pairs of a treebank that a
    reviewer approved and nobody rejected or corrected; `undecided` adds those on which nobody decided.

    Raises ConfigError for an unknown condition and a fault of the frames file, SourceError for one of the mark-up with
    its line and column, and where the source has no seed.
    """
    folder = find_source(context.workspace, source)
    loaded = load_source(folder)
    work, language = context.workspace.work(loaded.id), context.language(loaded)
    frames = load_frames(language, context.workspace.root)
    chosen = chosen_conditions(frames, conditions, language)
    files = [work / f"{name}.jsonl" for name in ("rules", "blocks", TREEBANK_PAIRS.name)]
    markup = folder / FILE
    pairs = list(read_if_there(files[2], Candidate))
    approved = approved_ids(context.workspace, loaded.id, pairs, undecided=undecided)
    if not approved and not markup.exists():
        raise SourceError(
            f"{loaded.id}: no seeds; approve pairs of its treebank in review, or give --undecided, or write {markup}"
        )

    def produce() -> Iterator[Record]:
        blocks = {block.id: block for block in read_if_there(files[1], Block)}
        trees = [block.tree for block in blocks.values() if block.tree]
        inflector, names = Inflector.of(language, trees), names_in(trees)
        rules = {rule.code: rule for rule in read_jsonl(files[0], Rule)}
        if markup.exists():
            for seed in marked_up_seeds(markup, rules, loaded.id, frames):
                yield from variants(seed, chosen, inflector)
        for pair in (pair for pair in pairs if pair.id in approved):
            try:
                seed = tree_seed(pair, blocks[pair.evidence.block_id], frames, names)
            except UnusableTreeError as fault:
                yield pair.rejection(PARADIGMS.name, f"no seed: {fault}", pair.good)
            else:
                yield from variants(seed, chosen, inflector)

    inputs = [file_input(path) for path in (*files, markup)]
    inputs.append(StageInput(name="seeds", sha256=digest(sorted(approved)), count=len(approved)))
    deciding = {"frames": frames.model_dump(), "conditions": chosen, "language": language.model_dump()}
    run = run_stage(work, PARADIGMS, inputs, deciding, produce)
    build, reasons = context.workspace.command("build", loaded.id), why_rejected(rejections_of(run.path))
    why = f"no seed can be put into {counted(len(chosen), 'condition')}: {reasons or f'{markup} is empty'}"
    context.say_stage(run, "paradigm pair", lambda: Nothing(why, f"mark up seeds in {markup}, then {build}"))
    if run.n_out:
        context.say("next", f"{build}, which takes them through the checks into review")
    return run
