"""`pairwright contrast try`: what the contrasts of a file find in a treebank."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.api.sources import read_source
from pairwright.contrasts import read_contrasts
from pairwright.core.config import TreebankSettings
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Rejection
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.languages.morphology.inflection import Inflector
from pairwright.pipeline.context import frequent_reasons
from pairwright.pipeline.options import Language
from pairwright.sources.treebank.candidates import RuleContrast, declared_rules, treebank_candidates
from pairwright.sources.treebank.matching import matches, near_lemmas, near_miss, tree_words

_SHOWN = 5


def try_contrasts(workspace: Workspace, file: Path, treebank: Path, *, language: Language) -> Iterator[str]:
    """Show what the contrasts of a file find in a treebank.

    TREEBANK is a CoNLL-U file, or the id or folder of a source. Changes nothing.
    """
    contrasts, _ = read_contrasts(file)
    own = workspace.sources / treebank
    blocks = read_source(own if own.is_dir() else treebank, language=language, kind="treebank")
    sentences = [tree_words(block) for block in blocks]
    spoken = load_language(blocks.source.language, workspace.root)
    inflector = Inflector.of(spoken, [block.tree for block in blocks if block.tree])
    for rule, contrast in zip(declared_rules(contrasts, blocks.source), contrasts, strict=True):
        n_matches = sum(1 for words in sentences for _ in matches(contrast, words))
        item, settings = RuleContrast(rule, contrast), TreebankSettings(pairs_per_contrast=n_matches or 1)
        made = list(treebank_candidates(blocks, [item], inflector, settings))
        pairs = [record for record in made if isinstance(record, Candidate)]
        yield f"{file}:{contrast.line}: {contrast.name}: {counted(n_matches, 'match')}, {counted(len(pairs), 'pair')}"
        yield from (f"    {pair.good} -> {pair.bad}" for pair in sorted(pairs, key=lambda pair: pair.id)[:_SHOWN])
        if not n_matches:
            reason, counts = near_miss(contrast, sentences)
            yield from (f"    no match: {line}" for line in (reason, *counts))
        yield from (f"    {line}" for line in near_lemmas(contrast, sentences))
        mark = f"{contrast.name}: "
        left = (item for item in made if isinstance(item, Rejection) and item.reason.startswith(mark))
        for reason, n in frequent_reasons(left, _SHOWN):
            yield f"    no pair from {counted(n, 'match')}: {reason.removeprefix(mark)}"
