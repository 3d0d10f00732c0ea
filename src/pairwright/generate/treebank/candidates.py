"""Candidates from the sentences of a treebank, by its contrasts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pairwright.config import TreebankSettings
from pairwright.contrasts import DeclaredContrast
from pairwright.generate import NO_MATCH, TREEBANK_PAIRS
from pairwright.generate.treebank.changing import Changed, change_match
from pairwright.generate.treebank.matching import Match, TreeWord, bundle, matches, near_miss, tree_words
from pairwright.generate.treebank.sentences import unfit_sentence
from pairwright.ids import digest, pair_id
from pairwright.languages.features import show_demand, show_features
from pairwright.languages.linguistics.edits import changes
from pairwright.morphology.inflection import Inflector
from pairwright.records import Block, Candidate, Evidence, Rejection, Rule
from pairwright.records.derivations import TreebankChange
from pairwright.text import sentence_key


class RuleContrast(NamedTuple):
    """A rule and how its pairs are found in trees; a rule of another source may have several contrasts."""

    rule: Rule
    contrast: DeclaredContrast


def treebank_candidates(
    blocks: Sequence[Block], contrasts: Sequence[RuleContrast], inflector: Inflector, settings: TreebankSettings
) -> Iterator[Candidate | Rejection]:
    """One pair for each match of a contrast in the sentences of a treebank, in their order, and why others make none.

    Of more pairs than the settings want of a contrast, those with the least ids stay, which is a draw by their words.
    """
    made: dict[str, Candidate] = {}
    taken = {sentence_key(block.text) for block in blocks}
    pairs: set[tuple[str, str]] = set()
    missed = {(item.rule.id, item.contrast.name): item for item in contrasts}
    fit: list[tuple[TreeWord, ...]] = []
    for block in blocks:
        if reason := unfit_sentence(block, settings):
            yield block.rejection(TREEBANK_PAIRS.name, reason, block.text)
            continue
        words = tree_words(block)
        fit.append(words)
        for item in contrasts:
            for match in matches(item.contrast, words):
                missed.pop((item.rule.id, item.contrast.name), None)
                pair = _pair(block, words, match, item, inflector)
                key = (pair.good, pair.bad) if isinstance(pair, Candidate) else None
                if isinstance(pair, Rejection):
                    yield pair
                elif sentence_key(pair.bad) in taken:
                    yield block.rejection(
                        TREEBANK_PAIRS.name, f"{item.contrast.name}: the treebank has the bad sentence too", pair.bad
                    )
                elif key and key in pairs:
                    yield block.rejection(
                        TREEBANK_PAIRS.name,
                        f"{item.contrast.name}: another contrast or sentence gives the pair",
                        pair.bad,
                    )
                else:
                    pairs.add((pair.good, pair.bad))
                    made[pair.id] = pair
    for item in missed.values() if fit else ():
        reason = f"{NO_MATCH}{near_miss(item.contrast, fit)}"
        yield Rejection(
            stage=TREEBANK_PAIRS.name,
            source_id=item.rule.source_id,
            reason=reason,
            text=item.contrast.name,
            file=item.contrast.file,
            line=item.contrast.line or None,
        )
    yield from _drawn(made, settings)


def _drawn(made: Mapping[str, Candidate], settings: TreebankSettings) -> Iterator[Candidate | Rejection]:
    """So many pairs of each contrast as the settings want, and how many more there were."""
    counts: Counter[str] = Counter()
    drawn: set[str] = set()
    for pair in sorted(made.values(), key=lambda pair: digest(pair.id)):
        counts[pair.rule_id] += 1
        if counts[pair.rule_id] <= settings.pairs_per_contrast:
            drawn.add(pair.id)
    yield from (pair for pair in made.values() if pair.id in drawn)
    for pair in made.values():
        if pair.id not in drawn:
            reason = "more pairs than treebank.pairs_per_contrast"
            yield pair.rejection(TREEBANK_PAIRS.name, reason, f"{pair.good} | {pair.bad}")


def _pair(
    block: Block, words: Sequence[TreeWord], match: Match, item: RuleContrast, inflector: Inflector
) -> Candidate | Rejection:
    """The pair of a match with the first bundle that makes one; which comes first depends on the sentence."""
    contrast, word = item.contrast, match[item.contrast.change].word
    other = [to for to in contrast.to if not bundle(to) <= match[contrast.change].features]
    start = int(digest([block.text, contrast.name, word.id])[:8], 16) % max(1, len(other))
    reasons: dict[str, None] = {}
    for to in (*other[start:], *other[:start]):
        changed = change_match(contrast, block, words, match, to, inflector)
        if isinstance(changed, Changed):
            return _candidate(block, match[contrast.change], item, changed)
        reasons.setdefault(changed.reason)
    return block.rejection(
        TREEBANK_PAIRS.name,
        f"{contrast.name}: {'; '.join(reasons) or 'it has all of `to` already'}",
        f"{word.form} in: {block.text}",
    )


def _candidate(block: Block, target: TreeWord, item: RuleContrast, changed: Changed) -> Candidate:
    contrast, word = item.contrast, target.word
    return Candidate(
        id=pair_id(item.rule.id, block.text, changed.bad),
        rule_id=item.rule.id,
        source_id=block.source_id,
        good=block.text,
        bad=changed.bad,
        changes=changes(block.text, changed.bad),
        method="treebank",
        features=show_demand(changed.demand),
        evidence=Evidence.at(block, block.text),
        derivation=TreebankChange(
            sent_id=block.tree.sent_id if block.tree else "",
            contrast=contrast.name,
            word=word.id,
            lemma=word.lemma,
            good_features=word.feats,
            bad_features=show_features(changed.features),
            lexicon=changed.form.source,
            agreement=contrast.agreement is not None,
        ),
    )
