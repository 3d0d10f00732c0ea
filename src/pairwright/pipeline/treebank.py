"""Block x contrast -> Candidate: the pairs of a treebank's sentences."""

from collections import Counter
from collections.abc import Iterator

from pairwright.contrasts import load_contrasts
from pairwright.core.records import Block, Candidate, Rejection, Rule, Source
from pairwright.core.stages import NO_MATCH, TREEBANK_PAIRS
from pairwright.core.store import StageRun, file_input, read_jsonl, run_stage
from pairwright.pipeline.context import Context
from pairwright.pipeline.gaps import no_treebank_pairs, rejections_of, unmatched

_MISSES_SHOWN = 5


def make_pairs(context: Context, source: Source) -> StageRun:
    """The stage of a treebank's pairs. Says what each contrast gives, and why no more."""
    work, root = context.workspace.work(source.id), context.workspace.root
    language, settings = context.language(source), context.workspace.config().treebank
    contrasts = load_contrasts(source.language, root)
    if not any(lexicon.sha256 for lexicon in language.lexicons):
        none = f"no file of word forms of {language.name}: forms come from the treebank alone, so fewer pairs are made"
        context.say("lexicon", f"{none}; docs/morphology.md says where to get one")

    def produce() -> Iterator[Candidate | Rejection]:
        from pairwright.languages.morphology.inflection import Inflector
        from pairwright.sources.treebank.pairs.candidates import rule_contrasts, treebank_candidates

        blocks = [block for block in read_jsonl(work / "blocks.jsonl", Block) if block.tree]
        trees = [block.tree for block in blocks if block.tree]
        rules = list(read_jsonl(work / "rules.jsonl", Rule))
        matched, rejected = rule_contrasts(rules, contrasts)
        yield from rejected
        yield from treebank_candidates(blocks, matched, Inflector.of(language, trees), settings)

    deciding = {
        "contrasts": [contrast.model_dump(by_alias=True) for contrast in contrasts],
        "treebank": settings.model_dump(),
        "language": language.model_dump(),
    }
    inputs = [file_input(work / name) for name in ("blocks.jsonl", "rules.jsonl")]
    run = run_stage(work, TREEBANK_PAIRS, inputs, deciding, produce)
    context.say_stage(run, "treebank pair", lambda: no_treebank_pairs(context.workspace, source))
    if run.n_out:
        _say_counts(context, run)
    return run


def _say_counts(context: Context, run: StageRun) -> None:
    """How many pairs each contrast has, which have no match, and the most frequent reasons why others made none."""
    pairs = (pair.derivation for pair in read_jsonl(run.path, Candidate))
    counts = Counter(change.contrast for change in pairs if change and change.method == "treebank")
    context.say("contrasts", ", ".join(f"{name} {count:,}" for name, count in counts.most_common()))
    missed, others = unmatched(rejections_of(run.path))
    for miss in missed[:_MISSES_SHOWN]:
        context.say("no match", f"{miss.text}: {miss.reason.removeprefix(NO_MATCH)}")
    if len(missed) > _MISSES_SHOWN:
        context.say("no match", ", ".join(miss.text for miss in missed[_MISSES_SHOWN:]))
    context.say_reasons(others)
