"""Block x contrast -> Candidate: the pairs of a treebank's sentences."""

from collections import Counter
from collections.abc import Iterator

from pairwright.contrasts import load_contrasts
from pairwright.generate import TREEBANK_PAIRS
from pairwright.pipeline.context import Context
from pairwright.records import Block, Candidate, Rejection, Rule, Source
from pairwright.store import StageRun, file_input, read_jsonl, run_stage


def make_pairs(context: Context, source: Source) -> StageRun:
    """The stage of a treebank's pairs. Says what the treebank lacks, what each contrast gives, and why no more."""
    work, root = context.workspace.work(source.id), context.workspace.root
    language, settings = context.language(source), context.workspace.config().treebank
    contrasts = load_contrasts(source.language, root)
    if not any(lexicon.sha256 for lexicon in language.lexicons):
        none = f"no file of word forms of {language.name}: forms come from the treebank alone, so fewer pairs are made"
        context.say("lexicon", f"{none}; docs/morphology.md says where to get one")

    def produce() -> Iterator[Candidate | Rejection]:
        from pairwright.generate.treebank.candidates import treebank_candidates
        from pairwright.generate.treebank.rule_contrasts import rule_contrasts
        from pairwright.morphology.inflection import Inflector

        blocks = [block for block in read_jsonl(work / "blocks.jsonl", Block) if block.tree]
        trees = [block.tree for block in blocks if block.tree]
        if not any(word.feats != "_" for tree in trees for word in tree.words):
            none = f"{source.files[0].path}: no word has features (column 6), so no contrast can match"
            context.say("treebank", f"{none}; take a treebank with features, or add them with a tagger such as UDPipe")
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
    context.say_stage(run, "pairs of treebank sentences")
    _say_counts(context, run)
    return run


def _say_counts(context: Context, run: StageRun) -> None:
    """How many pairs each contrast has, and the most frequent reasons why matches and sentences made none."""
    pairs = (pair.derivation for pair in read_jsonl(run.path, Candidate))
    counts = Counter(change.contrast for change in pairs if change and change.method == "treebank")
    context.say("contrasts", ", ".join(f"{name} {count:,}" for name, count in counts.most_common()) or "no pair")
    context.say_reasons(read_jsonl(run.path.with_name(f"{run.path.stem}.rejected.jsonl"), Rejection))
