"""The minimal pairs of ScaLA's corruptions, and their rules. Only corruptions count that are surely wrong."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from pairwright.core.config import TreebankSettings
from pairwright.core.ids import content_id, digest, pair_id
from pairwright.core.records import Block, Candidate, Contrast, Corruption, Evidence, Rejection, Rule, Source, Stage
from pairwright.extras.scala import CORRUPTIONS
from pairwright.extras.scala.corruption import Corrupted, Corrupter, Kind, Sentence, fit_sentences
from pairwright.languages import Language
from pairwright.languages.linguistics.edits import changes
from pairwright.pipeline.stages import Lines, stage
from pairwright.sources.treebank.matching import unfit_sentence

STAGE = Stage(name=CORRUPTIONS, version=2)
_TITLES: Mapping[Kind, str] = {
    "delete": "A word is missing",
    "flip_neighbours": "Two neighbouring words have changed places",
}
_LITERATURE = "Nielsen (2023), ScandEval: A Benchmark for Scandinavian Natural Language Processing, section 3.4"
_FIXED = ("ADP", "SCONJ", "CCONJ")
_CORE = ("nsubj", "obj", "iobj", "xcomp", "ccomp")


def corruption_rules(source: Source) -> dict[Kind, Rule]:
    """The rule of each kind of corruption. That the bad sentence is bad is likely, not certain: reviewers decide."""
    return {kind: _rule(source, kind, title) for kind, title in _TITLES.items()}


def _rule(source: Source, kind: Kind, title: str) -> Rule:
    return Rule(
        id=content_id("rule", source.id, "corruption", kind),
        source_id=source.id,
        code=f"scala-{kind.replace('_', '-')}",
        title=title,
        description=f"{title}. Reject the pair where the sentence is still right.",
        category="corruption",
        phenomenon="missing word" if kind == "delete" else "word order",
        block_ids=(),
        quote="",
        page=1,
        notes=(_LITERATURE,),
        extracted_by="scala",
        contrast=Contrast(licence="obligatory", what=title),
        declared_in="docs/extras.md",
    )


@stage(STAGE, "corrupted pair")
def corrupted_pairs(
    source: Source, blocks: Lines[Block], language: Language, settings: TreebankSettings
) -> Iterator[Candidate | Rejection]:
    """The pairs of a treebank's corrupted sentences; none unless `treebank.corruptions` is set."""
    with_trees = [block for block in blocks if block.tree]
    if settings.corruptions:
        yield from corruption_candidates(with_trees, corruption_rules(source), settings, language.letters)


def corruption_candidates(
    blocks: Sequence[Block], rules: Mapping[Kind, Rule], settings: TreebankSettings, letters: str = ""
) -> Iterator[Candidate | Rejection]:
    """For each kind of corruption, pairs of sentences that ScaLA corrupts and that make pairs; and the others' reasons.

    rules    the rule of each kind
    letters  of the language

    Of more pairs than the settings want of a kind, those that a draw by the sentences' ids gives stay.
    """
    corrupter = Corrupter({block.text for block in blocks}, letters=letters)
    sentences: list[Sentence] = []
    for sentence, unfit in fit_sentences(blocks):
        if reason := unfit or unfit_sentence(sentence.block, settings):
            yield sentence.block.rejection(STAGE.name, reason)
        else:
            sentences.append(sentence)
    made: Counter[Kind] = Counter()
    for sentence in sorted(sentences, key=lambda sentence: digest(sentence.block.id)):
        for kind, rule in rules.items():
            corrupted = corrupter.of_kind(sentence, kind, partial(_is_clear, sentence))
            if corrupted is None:
                reason = f"{kind}: no change after which the sentence would surely be wrong"
                yield sentence.block.rejection(STAGE.name, reason)
            elif made[kind] == settings.pairs_per_contrast:
                reason = f"{kind}: more pairs than treebank.pairs_per_contrast"
                yield sentence.block.rejection(STAGE.name, reason)
            else:
                made[kind] += 1
                yield _candidate(sentence, rule, corrupted)


def _is_clear(sentence: Sentence, corrupted: Corrupted) -> bool:
    """Whether a corrupted sentence is wrong in most languages. Of ScaLA's other corruptions many are still right.

    It lacks an adposition, or a verb on which a subject or an object depends; or an adposition or a conjunction has
    changed places, as these have theirs.
    """
    words = sentence.block.tree.words if sentence.block.tree else ()
    changed = [word for word in words if word.id in corrupted.words]
    if corrupted.kind == "flip_neighbours":
        return sum(word.upos in _FIXED for word in changed) == 1
    (word,) = changed if len(changed) == 1 else (None,)
    if word is None or word.upos != "VERB":
        return word is not None and word.upos == "ADP" and word.deprel.partition(":")[0] == "case"
    relations = {other.deprel.partition(":")[0] for other in words if other.head == word.id}
    # Of coordinated verbs one may be left out; a participle may be an attribute.
    return word.deprel != "conj" and "VerbForm=Part" not in word.feats.split("|") and not relations.isdisjoint(_CORE)


def _candidate(sentence: Sentence, rule: Rule, corrupted: Corrupted) -> Candidate:
    block = sentence.block
    return Candidate(
        id=pair_id(rule.id, block.text, corrupted.text),
        rule_id=rule.id,
        source_id=block.source_id,
        good=block.text,
        bad=corrupted.text,
        changes=changes(block.text, corrupted.text),
        method="corruption",
        evidence=Evidence.at(block, block.text),
        derivation=Corruption(
            sent_id=block.tree.sent_id if block.tree else "", kind=corrupted.kind, words=corrupted.words
        ),
    )
