"""How many pairs a language model should write for a rule, and which are accepted: new and varied."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Self

from pairwright.core.config import GenerateSettings
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Example, Rule
from pairwright.core.text import comparison_key, sentence_key, words
from pairwright.languages import Language
from pairwright.languages.features import parse_demand
from pairwright.languages.linguistics.forms import headword_examples, window
from pairwright.languages.linguistics.glosses import GlossedSentence
from pairwright.models.prompts import (
    demanded_features,
    describe_rule,
    example_sentences,
    examples_shown,
)
from pairwright.sources.asked.attested import GAP, Corpus

# A change of these alone is one of agreement.
_AGREEING = frozenset({"Person", "Number"})
# Near copies share so much of the longer good sentence; where the same words differ, of what stays the same.
_COPIED, _COPIED_BESIDE = 2 / 3, 1 / 2
# With fewer words beside pronouns and names, a clause says too little to come again by more than chance.
_CLAUSE = 2


class Standing(NamedTuple):
    """What is settled about earlier pairs.

    refused  the ids of those that checks, the judge or reviewers rejected: others replace them
    kept     those that people decided on and did not reject: they count, whatever the model says now
    reasons  why checks or the judge rejected a pair, by its id; people's come when requests were made and paid for
    """

    refused: frozenset[str] = frozenset()
    kept: tuple[Candidate, ...] = ()
    reasons: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class PairTask:
    """The rules of a source for which a language model writes pairs, and by what.

    corpus     what the source attests of its language
    title      of the source, which names the variety that it describes
    workspace  a folder whose `prompts/` come before those of pairwright
    """

    rules: tuple[Rule, ...]
    language: Language
    settings: GenerateSettings
    corpus: Corpus
    standing: Standing = field(default_factory=Standing)
    workspace: Path | None = None
    title: str = ""

    @property
    def is_grounded(self) -> bool:
        """Whether pairs are made from attested sentences: by the setting, else by how well models know the language."""
        return not self.language.well_known if self.settings.grounded is None else self.settings.grounded


class Shape(NamedTuple):
    """What near copies share.

    words    of the good sentence, glossed ones by their lexemes, with gaps for pronouns and names
    staying  those of them that the bad sentence has, too, without gaps
    changed  those of either sentence that the other one lacks; where only the order differs, both sentences
    """

    good: str
    words: Counter[str]
    staying: Counter[str]
    changed: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, good: str, bad: str, corpus: Corpus, base: GlossedSentence | None = None) -> Self:
        lines = [side.split() for side in corpus.skeleton(good, bad)]
        both, other = map(Counter, lines)
        lexemes = {word.form.casefold(): word.lexeme for word in base.words} if base else {}
        staying = both & other
        changed = tuple(tuple(sorted((side - staying).elements())) for side in (both, other))
        return cls(
            good,
            Counter(lexemes.get(word, word) for word in both.elements()),
            Counter({word: count for word, count in staying.items() if word != GAP}),
            changed if any(changed) else tuple(map(tuple, lines)),
        )

    def copies(self, other: Self) -> bool:
        """Whether one pair of a rule is enough: most words are the same, the same ones differ beside a same one, or a
        clause comes again in a longer sentence."""
        changes_alike = self.changed == other.changed and _shared(self.staying, other.staying, min) >= _COPIED_BESIDE
        own, its = (Counter({word: n for word, n in it.words.items() if word != GAP}) for it in (self, other))
        is_clause = min(own.total(), its.total()) >= _CLAUSE and _shared(own, its, min) == 1
        return changes_alike or is_clause or _shared(self.words, other.words) >= _COPIED

    def repeats(self, other: Self) -> bool:
        """Whether it is a copy whatever rules the two are for: the same words differ in the same clause."""
        return self.changed == other.changed and _shared(self.staying, other.staying, min) >= _COPIED


def _shared(one: Counter[str], other: Counter[str], of: Callable[[int, int], int] = max) -> float:
    """How much two sentences share, as a share of the longer one, or of the shorter one with `min`."""
    whole = of(one.total(), other.total())
    return (one & other).total() / whole if whole else float(not one and not other)


class PairTarget:
    """Pairs to be written for a rule, by one request after the other.

    What a request asks depends on the answers before it alone: a target that goes on, because more are wanted or some
    were refused, repeats its earlier requests, whose answers are in the cache.

    bearing  the attested sentences that bear on the rule, the best first, for grounded pairs
    offered  the pairs of the answers with the sentences that they were made from, in order
    others   the accepted pairs of the rules before, which no pair may repeat
    quota    how many one request asks for; `wanted` have to stand
    is_exhausted  whether a model found no pair in sentences that were shown: those after them bear less on the rule
    """

    def __init__(self, rule: Rule, task: PairTask, shown_before: Mapping[str, int]) -> None:
        self.rule, self.task, self._settings = rule, task, task.settings
        self.demand = parse_demand(demanded_features(rule))
        sentences = self._settings.sentences
        self.bearing = task.corpus.for_rule(rule, self.demand, shown_before, sentences) if task.is_grounded else []
        self.offered: list[tuple[Candidate, GlossedSentence | None]] = []
        self.others: Sequence[Shape] = ()
        self.batches, self._turn, self.is_exhausted = 0, 0, False
        self.wanted = self._settings.pairs_per_rule
        self.quota = min(self._settings.batch, self._settings.sentences) if task.is_grounded else self._settings.batch
        self._kept = {pair.id for pair in task.standing.kept if pair.rule_id == rule.id and pair.method == "llm"}
        self.examples = examples_shown(rule, self._settings.examples)

    @property
    def missing(self) -> int:
        """How many pairs do not stand yet."""
        refused = self.task.standing.refused
        return self.wanted - len(self._kept | {pair.id for pair, fault in self.screened() if not fault} - refused)

    @property
    def ground_fault(self) -> str | None:
        """Why no pairs are asked for: there is nothing of which they could be made."""
        return "no attested sentence bears on the rule" if self.task.is_grounded and not self.bearing else None

    @property
    def is_open(self) -> bool:
        """Whether another request is due, and there is something left to show."""
        most = math.ceil(self.wanted / self.quota) * self._settings.rounds
        left = not self.task.is_grounded or (self.ground_fault is None and self._next_window() is not None)
        return left and self.batches < most and self.missing > 0

    def results(self) -> Iterator[tuple[Candidate, str | None]]:
        """The pairs of the answers in order, each with why it is not accepted; those after the ones that are wanted are
        marked as the reserve.
        """
        left, refused = self.wanted - len(self._kept), self.task.standing.refused
        for pair, fault in self.screened():
            stands = not fault and pair.id not in self._kept and pair.id not in refused
            yield pair.model_copy(update={"reserve": stands and left <= 0}), fault
            left -= stands

    def accepted(self) -> list[Shape]:
        """What the accepted pairs share with near copies."""
        refused, corpus = self.task.standing.refused, self.task.corpus
        pairs = (pair for pair, fault in self.screened() if not fault and pair.id not in refused)
        return [Shape.of(pair.good, pair.bad, corpus) for pair in pairs]

    def screened(self) -> Iterator[tuple[Candidate, str | None]]:
        """The pairs of the answers in order, each with why it is not accepted: near copies count once.

        What a refused pair used is free again, but for the pair itself.
        """
        corpus, (refused, kept, _) = self.task.corpus, self.task.standing
        ids = {pair.id for pair, _ in self.offered}
        earlier = [pair for pair in kept if pair.id in self._kept - ids]
        pairs = {_key(pair) for pair in earlier}
        goods, bases = {good for good, _ in pairs}, set[GlossedSentence]()
        # Grounded pairs come from the source's examples; new sentences are other ones.
        own = () if self.task.is_grounded else self.rule.examples
        sides = [(it.good, it.bad or "") for it in own] + [(it.good, it.bad) for it in earlier]
        shapes = [Shape.of(*both, corpus) for both in sides]
        for pair, base in self.offered:
            key, shape, fault = _key(pair), Shape.of(pair.good, pair.bad, corpus, base), None
            copied = next((it for it in shapes if shape.copies(it)), None)
            copied = copied or next((it for it in self.others if shape.repeats(it)), None)
            if key in pairs:
                fault = "given twice"
            elif key[0] in goods:
                fault = "varies the bad sentence alone of a pair that was taken"
            elif base and base in bases:
                fault = f"a pair was made from this sentence before: '{base.sentence}'"
            elif copied:
                fault = f"a near copy of '{copied.good}'"
            else:
                pairs.add(key)
                if pair.id not in refused:
                    goods.add(key[0])
                    bases |= {base} if base else set()
                    shapes.append(shape)
            yield pair, fault

    def shown(self) -> list[Example]:
        """The source's examples that the next request shows: one under each of its headwords, else the first ones."""
        return window(headword_examples(self.rule), self.batches * self.quota, self.quota) or self.examples

    def attested(self) -> tuple[int, list[GlossedSentence], list[Candidate]]:
        """The number of the next request for grounded pairs, the sentences that it shows, and the pairs made of them.

        Each shows others. When all were shown, those come once more of which a pair was refused, with their neighbours.
        """
        turn = self._next_window() or 0
        self._turn = turn + 1
        shown = self.sentences(turn)
        again = turn * self._settings.sentences >= len(self.bearing)
        return turn, shown, [pair for pair, base in self.offered if again and base in shown]

    def sentences(self, turn: int) -> list[GlossedSentence]:
        """The attested sentences that a request shows, by its number."""
        size = self._settings.sentences
        at = turn % max(1, math.ceil(len(self.bearing) / size)) * size
        return self.bearing[at : at + size]

    def _next_window(self) -> int | None:
        """The number of the next request for grounded pairs; None where all that bears was shown, or gives no more."""
        count, refused = math.ceil(len(self.bearing) / self._settings.sentences), self.task.standing.refused
        lost = {base for pair, base in self.offered if pair.id in refused}
        turns = range(self._turn, 0 if self.is_exhausted else 2 * count)
        return next((turn for turn in turns if turn < count or lost.intersection(self.sentences(turn))), None)

    def fault_of(self, good: str, bad: str, base: GlossedSentence | None = None) -> str | None:
        """Why two sentences are no pair, whatever came before; `base` is the attested sentence of a grounded one."""
        if not words(good) or not words(bad):
            return "a sentence is empty"
        sides, rule = (sentence_key(good), sentence_key(bad)), self.rule
        if sides[0] == sides[1]:
            return "the two sentences are the same"
        if any(sides == (sentence_key(own.good), sentence_key(own.bad)) for own in rule.examples if own.bad):
            return "the source gives this pair itself"
        if not self.task.is_grounded:
            key = comparison_key(good)
            if key in map(comparison_key, example_sentences(rule.examples)):
                return "copied from an example"
            of_rule = f" {comparison_key(describe_rule(rule))} {comparison_key(rule.quote)} "
            return "copied from the words of the rule" if f" {key} " in of_rule else None
        corpus = self.task.corpus
        if base is None:
            return "made from no attested sentence that was shown"
        if corpus.lacks_words(good):
            return "the source leaves words out inside the good sentence"
        # Where the rule contrasts persons or numbers, and a word that agrees fixes that of the sentence, both may be.
        of_good = frozenset(self.demand.good - self.demand.bad)
        is_agreement = bool(of_good) and {name for name, _ in of_good} <= _AGREEING
        if corpus.attests(bad) and not (is_agreement and len(corpus.with_features(base, of_good)) > 1):
            return "the bad sentence is attested in the source"
        # A clause of a longer sentence is as near as the whole. Two words may be new where the source attests them.
        own, new = Counter(map(str.casefold, words(base.sentence))), Counter(map(str.casefold, words(good)))
        exchanged = (new - own).total()
        if exchanged > max(1 if corpus.words.unattested(good) else 2, new.total() // 2):
            return f"too far from the attested sentence: {counted(exchanged, 'other word')} than in '{base.sentence}'"
        return None


def _key(pair: Candidate) -> tuple[str, str]:
    return sentence_key(pair.good), sentence_key(pair.bad)


def pair_targets(task: PairTask) -> Iterator[PairTarget]:
    """A target for each rule that licenses pairs: its contrast says so or, without one, the source gives pairs itself.

    One that is only kept for decided pairs licenses no more. A rule that only starred examples state has none if rules
    that a model stated rest on the same examples. What the rules before have been shown first comes later in what a
    target is shown.
    """
    shown = Counter[str]()
    given = ((it, it.contrast.licensed if it.contrast else any(own.bad for own in it.examples)) for it in task.rules)
    licensing = [rule for rule, is_licensed in given if is_licensed and not rule.kept]
    stated = {block for rule in licensing if rule.asked for block in rule.example_ids}
    for rule in licensing:
        if rule.asked or not rule.example_ids or not stated.issuperset(rule.example_ids):
            target = PairTarget(rule, task, shown)
            yield target
            shown.update({one.block_id for one in target.bearing[: task.settings.sentences]})
