"""The rules of a treebank, declared or taken over from other sources, and the pairs of its sentences by them."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from pairwright.contrasts import DeclaredContrast, WordConditions, WordPattern
from pairwright.core.config import TreebankSettings
from pairwright.core.errors import counted
from pairwright.core.ids import content_id, digest, pair_id
from pairwright.core.records import Block, Candidate, Contrast, Evidence, Rejection, Rule, Source
from pairwright.core.records.documents import NO_MATCH, TREEBANK_PAIRS
from pairwright.core.records.pairs import TreebankChange
from pairwright.core.text import sentence_key
from pairwright.languages.features import Demand, parse_demand, parse_features, show_demand, show_features
from pairwright.languages.linguistics.forms import named_words
from pairwright.languages.linguistics.sentences import changes
from pairwright.languages.morphology.inflection import Inflector
from pairwright.sources.treebank.matching import (
    Match,
    TreeWord,
    bundle,
    change_match,
    matches,
    near_miss,
    swap_match,
    tree_words,
    unfit_sentence,
)

# What may stand beside a governed noun and changes the case that it needs.
_WITHOUT = ("conj", "cc", "appos", "nummod", "flat")
_AGREEING = ("amod", "det", "acl")


class RuleContrast(NamedTuple):
    """A rule and how its pairs are found in trees; a rule of another source may have several contrasts."""

    rule: Rule
    contrast: DeclaredContrast


class _Found(NamedTuple):
    """A match in a sentence. `place` orders matches as their sentences stand, `draw` at random and always alike."""

    draw: str
    place: tuple[int, int]
    block: Block
    words: Sequence[TreeWord]
    match: Match
    item: RuleContrast


def treebank_candidates(
    blocks: Sequence[Block], contrasts: Sequence[RuleContrast], inflector: Inflector, settings: TreebankSettings
) -> Iterator[Candidate | Rejection]:
    """The pairs of the contrasts' matches in the sentences of a treebank, in their order, and why others make none.

    Matches are drawn by their words, and tried until a rule has the pairs that the settings want. A sentence gives a
    contrast one pair, and few in all.
    """
    sentences: list[tuple[Block, tuple[TreeWord, ...]]] = []
    for block in blocks:
        if reason := unfit_sentence(block, settings):
            yield block.rejection(TREEBANK_PAIRS.name, reason, block.text)
        else:
            sentences.append((block, tree_words(block)))
    found: dict[str, list[_Found]] = {}
    for number, item in enumerate(contrasts):
        own = list[_Found]()
        for place, (block, words) in enumerate(sentences):
            for match in matches(item.contrast, words):
                draw = digest([block.text, item.contrast.name, [it.word.id for it in match.values()]])
                own.append(_Found(draw, (place, number), block, words, match, item))
        found.setdefault(item.rule.id, []).extend(own)
        if sentences and not own:
            yield _left_out(item, f"{NO_MATCH}{near_miss(item.contrast, [words for _, words in sentences])[0]}")
    # The rarest first: common contrasts find other sentences.
    yield from _drawn(
        sorted(found.values(), key=len), {sentence_key(block.text) for block in blocks}, inflector, settings
    )


def _drawn(
    found: Iterable[Sequence[_Found]], taken: Container[str], inflector: Inflector, settings: TreebankSettings
) -> Iterator[Candidate | Rejection]:
    """The pairs of matches, those of one rule together; `taken` are the sentences that no bad one may be."""
    made: dict[tuple[str, str], tuple[tuple[int, int], Candidate]] = {}
    of_sentence = Counter[int]()
    for of_rule in found:
        wanted, full, of_contrast = settings.pairs_per_contrast, 0, Counter[int]()
        for tried, hit in enumerate(sorted(of_rule, key=lambda hit: (hit.draw, hit.place))):
            sentence, _ = hit.place
            if not wanted:
                reason = "more matches than treebank.pairs_per_contrast asks for"
                yield _left_out(hit.item, f"{reason}: {len(of_rule) - tried:,} were not tried")
                break
            if of_contrast[sentence] or of_sentence[sentence] == settings.pairs_per_sentence:
                full += 1
                continue
            pair = _pair(hit, inflector)
            if isinstance(pair, Candidate):
                why = "the treebank has the bad sentence too" if sentence_key(pair.bad) in taken else ""
                why = "another contrast or sentence gives the pair" if (pair.good, pair.bad) in made else why
                reason = f"{hit.item.contrast.name}: {why}"
                pair = hit.block.rejection(TREEBANK_PAIRS.name, reason, pair.bad) if why else pair
            if isinstance(pair, Rejection):
                yield pair
                continue
            made[pair.good, pair.bad] = hit.place, pair
            of_sentence[sentence] += 1
            of_contrast[sentence] += 1
            wanted -= 1
        if full:
            reason = "their sentences have pairs of the contrast, or treebank.pairs_per_sentence in all"
            yield _left_out(of_rule[0].item, f"{reason}: {counted(full, 'match')}")
    yield from (pair for _, pair in sorted(made.values(), key=lambda item: item[0]))


def _left_out(item: RuleContrast, reason: str) -> Rejection:
    return Rejection(
        stage=TREEBANK_PAIRS.name,
        source_id=item.rule.source_id,
        reason=reason,
        text=item.contrast.name,
        file=item.contrast.file,
        line=item.contrast.line or None,
    )


def _pair(hit: _Found, inflector: Inflector) -> Candidate | Rejection:
    """The pair of a match with the first bundle that makes one; which comes first depends on the sentence."""
    contrast, block, target = hit.item.contrast, hit.block, hit.match[hit.item.contrast.moved]
    other = [to for to in contrast.to if not bundle(to) <= target.features]
    start = int(digest([block.text, contrast.name, target.word.id])[:8], 16) % max(1, len(other))
    reasons = set[str]()
    # The order of two words has no bundle.
    for to in [""] if contrast.swap else other[start:] + other[:start]:
        changed = (
            swap_match(contrast, block, hit.match)
            if contrast.swap
            else change_match(contrast, block, hit.words, hit.match, to, inflector)
        )
        if isinstance(changed, str):
            reasons.add(changed)
            continue
        return Candidate(
            id=pair_id(hit.item.rule.id, block.text, changed.bad),
            rule_id=hit.item.rule.id,
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
                word=target.word.id,
                lemma=target.word.lemma,
                good_features=target.word.feats,
                bad_features=show_features(changed.features),
                lexicon=changed.lexicon,
                agreement=contrast.agreement is not None,
            ),
        )
    return block.rejection(
        TREEBANK_PAIRS.name,
        f"{contrast.name}: {'; '.join(sorted(reasons)) or 'it has all of `to` already'}",
        f"{target.word.form} in: {block.text}",
    )


def declared_rules(contrasts: Iterable[DeclaredContrast], source: Source) -> Iterator[Rule]:
    """A rule for each contrast; it quotes nothing, and names the file and line of its contrast."""
    for contrast in contrasts:
        # What is demanded of the changed words, where all pairs of the contrast show the same.
        demand: tuple[str, ...] = ()
        if len(contrast.from_) == len(contrast.to) == 1:
            bad = parse_features(contrast.to[0])
            names = {name for name, _ in bad}
            good = frozenset(feature for feature in parse_features(contrast.from_[0]) if feature[0] in names)
            demand = show_demand(Demand(good, bad))
        yield Rule(
            id=content_id("rule", source.id, "contrast", contrast.name),
            source_id=source.id,
            code=contrast.name,
            title=contrast.title["en"],
            description=contrast.description["en"],
            category=contrast.phenomenon,
            phenomenon=contrast.phenomenon,
            block_ids=(),
            quote="",
            page=1,
            line=contrast.line,
            notes=contrast.literature,
            extracted_by="contrasts",
            contrast=Contrast(licence=contrast.licence, what=contrast.description["en"], features=demand),
            declared_in=contrast.file,
        )


def taken_over(rules: Iterable[Rule], source: Source) -> Iterator[Rule]:
    """The rules of another source as those of a treebank whose sentences they are run over, with their ids."""
    return (rule.model_copy(update={"source_id": source.id, "taken_from": rule.source_id}) for rule in rules)


def rule_contrasts(
    rules: Iterable[Rule], declared: Iterable[DeclaredContrast]
) -> tuple[list[RuleContrast], list[Rejection]]:
    """The rules with their contrasts, and a Rejection for each rule of another source that can't be run over trees."""
    by_name = {contrast.name: contrast for contrast in declared}
    matched, rejected = list[RuleContrast](), list[Rejection]()
    for rule in rules:
        if rule.declared_in:
            if contrast := by_name.get(rule.code):
                matched.append(RuleContrast(rule, contrast))
            continue
        contrasts, reason = _government(rule)
        matched += [RuleContrast(rule, contrast) for contrast in contrasts]
        if not contrasts:
            rejected.append(
                Rejection(
                    stage=TREEBANK_PAIRS.name,
                    source_id=rule.source_id,
                    reason=f"a rule of {rule.taken_from} can't be run over trees: {reason}",
                    text=f"{rule.code} {rule.title}".strip(),
                    file=rule.evidence[0].file if rule.evidence else "",
                    page=rule.page,
                    line=rule.line,
                )
            )
    return matched, rejected


def _government(rule: Rule) -> tuple[list[DeclaredContrast], str]:
    """A rule that demands one case of what its headwords govern, as verbs or as adpositions; else why it is none."""
    demand = parse_demand(rule.contrast.features if rule.contrast else ())
    good, bad = show_features(demand.good), show_features(demand.bad)
    if not demand.good or not demand.bad or {name for name, _ in demand.good | demand.bad} != {"Case"}:
        return [], "it does not demand one case against another, as good: Case=Gen and bad: Case=Nom do"
    entries = (example.entry for example in rule.examples if example.entry and not example.exception)
    headwords = tuple(dict.fromkeys(word for entry in entries for word in named_words(entry)))
    if not headwords:
        return [], "it has no headwords by which its sentences could be found"
    noun = WordPattern(upos=("NOUN",), feats=(good,), not_=WordConditions(feats=("Abbr=Yes",)), not_read_as=(good,))
    governed = noun.model_copy(update={"head": "governor", "deprel": ("nsubj", "obj", "iobj", "obl")})
    verb = {"governor": WordPattern(upos=("VERB", "AUX"), lemma=headwords), "noun": governed}
    adposition = {"noun": noun, "governor": WordPattern(lemma=headwords, deprel=("case",), head="noun")}
    without = (WordPattern(head="noun", deprel=_WITHOUT),)
    bare = (*without, WordPattern(head="noun", deprel=("case",)))
    return [
        DeclaredContrast(
            name=f"government-{name}",
            title={"en": rule.title},
            phenomenon=rule.phenomenon,
            description={"en": rule.description},
            words=words,
            without=absent,
            change="noun",
            from_=(good,),
            to=(bad,),
            follow=_AGREEING,
        )
        for name, words, absent in (("verb", verb, bare), ("adposition", adposition, without))
    ], ""
