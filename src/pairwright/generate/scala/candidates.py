"""Minimal pairs from ScaLA's corruptions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from pairwright.config import TreebankSettings
from pairwright.generate import CORRUPTIONS
from pairwright.generate.scala.corruption import Corrupted, Corrupter, Kind
from pairwright.generate.scala.sentences import Sentence, eligible
from pairwright.generate.treebank.matching import unfit_sentence
from pairwright.ids import digest, pair_id
from pairwright.languages.linguistics.edits import changes
from pairwright.records import Block, Candidate, Evidence, Rejection, Rule
from pairwright.records.derivations import Corruption

_FIXED = ("ADP", "SCONJ", "CCONJ")
_CORE = ("nsubj", "obj", "iobj", "xcomp", "ccomp")


def corruption_candidates(
    blocks: Sequence[Block], rules: Mapping[Kind, Rule], settings: TreebankSettings, letters: str = ""
) -> Iterator[Candidate | Rejection]:
    """For each kind of corruption, pairs of sentences that ScaLA corrupts and that make pairs; and the others' reasons.

    Only corruptions count after which the sentence is surely wrong, as far as its tree tells.

    rules    the rule of each kind
    letters  of the language

    Of more pairs than the settings want of a kind, those that a draw by the sentences' ids gives stay.
    """
    corrupter = Corrupter({block.text for block in blocks}, letters=letters)
    sentences: list[Sentence] = []
    for item in eligible(blocks):
        if isinstance(item, Rejection):
            yield item.model_copy(update={"stage": CORRUPTIONS.name})
        elif reason := unfit_sentence(item.block, settings):
            yield item.block.rejection(CORRUPTIONS.name, reason)
        else:
            sentences.append(item)
    made: Counter[Kind] = Counter()
    for sentence in sorted(sentences, key=lambda sentence: digest(sentence.block.id)):
        for kind, rule in rules.items():
            corrupted = corrupter.of_kind(sentence, kind, partial(_is_clear, sentence))
            if corrupted is None:
                reason = f"{kind}: no change after which the sentence would surely be wrong"
                yield sentence.block.rejection(CORRUPTIONS.name, reason)
            elif made[kind] == settings.pairs_per_contrast:
                reason = f"{kind}: more pairs than treebank.pairs_per_contrast"
                yield sentence.block.rejection(CORRUPTIONS.name, reason)
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
