"""Block x contrast -> Candidate: the pairs of a treebank's sentences."""

from collections import Counter
from collections.abc import Iterator

from pairwright.contrasts import DeclaredContrast
from pairwright.core.config import TreebankSettings
from pairwright.core.records import Block, Candidate, Rejection, Rule, Source
from pairwright.core.stages import NO_MATCH, TREEBANK_PAIRS
from pairwright.core.store import StageRun, read_jsonl
from pairwright.languages import Language
from pairwright.pipeline.context import Context
from pairwright.pipeline.gaps import no_treebank_pairs, rejections_of, unmatched
from pairwright.pipeline.stages import Lines, stage

_MISSES_SHOWN = 5


def make_pairs(context: Context, source: Source) -> StageRun:
    """The stage of a treebank's pairs. Says what each contrast gives, and why no more."""
    language = context.language(source)
    if not any(lexicon.sha256 for lexicon in language.lexicons):
        none = f"no file of word forms of {language.name}: forms come from the treebank alone, so fewer pairs are made"
        context.say("lexicon", f"{none}; see A new language in `pairwright docs`")
    run = treebank_pairs(context, source)
    treebank_pairs.say(context, source, run)
    if run.n_out:
        _say_counts(context, run)
    return run


@stage(TREEBANK_PAIRS, "treebank pair", why=no_treebank_pairs)
def treebank_pairs(
    blocks: Lines[Block],
    rules: Lines[Rule],
    contrasts: tuple[DeclaredContrast, ...],
    language: Language,
    settings: TreebankSettings,
) -> Iterator[Candidate | Rejection]:
    """The pairs that contrasts make of a treebank's sentences."""
    from pairwright.languages.morphology.inflection import Inflector
    from pairwright.sources.treebank.pairs.candidates import rule_contrasts, treebank_candidates

    with_trees = [block for block in blocks if block.tree]
    matched, rejected = rule_contrasts(list(rules), contrasts)
    yield from rejected
    inflector = Inflector.of(language, [block.tree for block in with_trees if block.tree])
    yield from treebank_candidates(with_trees, matched, inflector, settings)


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
