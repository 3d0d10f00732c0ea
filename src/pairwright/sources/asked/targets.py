"""How many pairs a language model should write for a rule, and which are accepted: new, varied, of the right length."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Self

from pairwright.core.config import Direction, GenerateSettings
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Example, Rule
from pairwright.core.text import comparison_key, sentence_key, words
from pairwright.languages import Language
from pairwright.languages.features import show_features
from pairwright.languages.linguistics.headwords import headword_examples, named_words, window
from pairwright.languages.morphology import Analyser
from pairwright.models.prompts.files import Prompt, load_prompt
from pairwright.models.prompts.rule_description import (
    describe_rule,
    example_sentences,
    examples_shown,
    feature_demand,
)
from pairwright.sources.asked.attested import GAP, Attested, Corpus

Lemmas = frozenset[str]

# The closed classes of Universal Dependencies: such words recur in any text.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ"})
_SHORT = 2
_LEAST_TEXTS = 4
# The lengths of a source's sentences between these quantiles are those of new ones, if it has so many sentences.
_QUANTILES, _ENOUGH_SENTENCES = (0.02, 0.98), 20
# With fewer sentences, or where they are all longer or shorter than this, lengths in words from here to there.
_USUAL_LENGTHS = (4, 15)
# With this many examples, a word in half of them belongs to the rule and not to the examples.
_ENOUGH_EXAMPLES = 4
# Forms of one word mostly differ in their last letters alone.
_SHORTEST_STEM, _ENDING = 4, 2
# With fewer pairs of its own, a rule is also shown with the language's model pairs.
_FEW_EXAMPLES = 2
# More words than this crowd the rule out of a small model's context.
_MOST_AVOIDED = 60
# The values of Universal Dependencies that languages mostly leave unmarked.
_UNMARKED = frozenset({"Pos", "Ind", "Fin", "Act", "None"})
# A change of these alone is one of agreement.
AGREEING = frozenset({"Person", "Number"})
# Near copies share so much of the longer good sentence; where the same words differ, of what stays the same.
_COPIED, _COPIED_BESIDE = 2 / 3, 1 / 2
# `same_frame` pairs may share a frame for so many that are wanted.
_FRAME_SHARE = 10


class Standing(NamedTuple):
    """What is settled about earlier pairs.

    refused  the ids of those that checks, the judge or reviewers rejected: others replace them
    kept     those that people decided on and did not reject: they count, whatever the model says now
    reasons  why checks or the judge rejected a pair, by its id; people's come when requests were made and paid for
    """

    refused: frozenset[str] = frozenset()
    kept: tuple[Candidate, ...] = ()
    reasons: Mapping[str, str] = MappingProxyType({})


NOTHING_SETTLED = Standing()


@dataclass(frozen=True)
class PairTask:
    """The rules of a source for which a language model writes pairs, and by what.

    lemmas     `lemmatiser_of(language)`, by which vocabularies are compared
    corpus     what the source attests of its language
    title      of the source, which names the variety that it describes
    workspace  a folder whose `prompts/` come before those of pairwright
    """

    rules: tuple[Rule, ...]
    language: Language
    settings: GenerateSettings
    lemmas: Analyser
    corpus: Corpus
    standing: Standing = NOTHING_SETTLED
    workspace: Path | None = None
    title: str = ""

    @property
    def directions(self) -> tuple[Direction, ...]:
        """In which ways pairs are written, in turn: the setting's, else by how well models know the language."""
        by_language: tuple[Direction, ...] = ("pairs", "violations") if self.language.well_known else ("grounded",)
        return self.settings.directions or by_language

    @cached_property
    def prompt(self) -> Callable[[str], Prompt]:
        """Gives a prompt by its name. Raises PromptError."""
        return cache(lambda name: load_prompt(name, workspace=self.workspace))

    @cached_property
    def vocabulary(self) -> "Vocabulary":
        texts = (" ".join(example_sentences(rule.examples)) for rule in self.rules)
        return Vocabulary(self.language, self.lemmas, texts)

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """The least and the most words of a new sentence."""
        return lengths((one.sentence for one in self.corpus.sentences.values()), self.settings)


def lengths(sentences: Iterable[str], settings: GenerateSettings) -> tuple[int, int]:
    """The least and the most words of a new sentence: the setting's, else as the source's own sentences have."""
    counts = sorted(len(words(sentence)) for sentence in sentences)
    least, most = _USUAL_LENGTHS
    if len(counts) >= _ENOUGH_SENTENCES:
        low, most = (counts[math.floor(share * (len(counts) - 1))] for share in _QUANTILES)
        least = min(least, low)
    elif counts:
        least, most = min(least, counts[0]), max(most, counts[-1])
    least = settings.min_words or min(least, settings.max_words or least)
    return max(1, least), max(least, settings.max_words or most)


class PairTarget:
    """Pairs to be written for a rule, or for one of its exceptions, by one request after the other.

    What a request asks depends on the answers before it alone, not on how many pairs are wanted or on what became of
    them. So a target that goes on, because more are wanted or some were refused, repeats its earlier requests, whose
    answers are in the cache.

    bearing  the attested sentences that bear on the rule, the best first, for grounded pairs
    demand   the features that the changed words of the two sentences have
    offered  the pairs of the answers with the sentences that they were made from, in order
    wanted   how many have to stand
    batches  how many requests were made
    is_exhausted  whether a model found no pair in sentences that were shown: those after them bear less on the rule
    """

    def __init__(
        self,
        rule: Rule,
        exception: str | None,
        task: PairTask,
        shown_before: Mapping[str, int],
    ) -> None:
        self.rule, self.exception, self.task, self._settings = rule, exception, task, task.settings
        self.demand = feature_demand(rule, exception)
        is_grounded = "grounded" in task.directions
        self.bearing = task.corpus.for_rule(rule, self.demand, shown_before) if is_grounded else []
        self.offered: list[tuple[Candidate, Attested | None]] = []
        self.batches, self._turn, self.is_exhausted = 0, 0, False
        self.wanted = self._settings.pairs_per_rule if exception is None else self._settings.pairs_per_exception
        self.quota = min(self._settings.batch, self._settings.sentences) if is_grounded else self._settings.batch
        self._kept = {pair.id for pair in task.standing.kept if self._holds(pair)}
        self._headwords = headword_examples(rule) if exception is None else []
        self._examples = examples_shown(rule, self._settings.examples)
        few = sum(example.bad is not None for example in self._examples) < min(_FEW_EXAMPLES, self._settings.examples)
        self.model_pairs = task.language.model_pairs if few else ()
        models = [side for pair in self.model_pairs for side in (pair.good, pair.bad)]
        # Alternative corrections are no vocabulary of the examples: they are ways to say what the rule is about.
        self.known = [side for example in rule.examples for side in (example.good, example.bad) if side]
        self._own = _own_lemmas(rule, task.vocabulary)
        self._used = list(dict.fromkeys(word for word, _ in self.content([*self.known, *models])))
        self._rule_key = f" {comparison_key(describe_rule(rule, exception))} {comparison_key(rule.quote)} "
        self._example_keys = set(map(comparison_key, [*example_sentences(rule.examples), *models]))
        self._own_pairs = {(sentence_key(good), sentence_key(bad)) for good, bad in own_pairs(rule)}
        self._asked_about = set[str]()
        self._screen = _Screen(self)

    @property
    def missing(self) -> int:
        """How many pairs do not stand yet."""
        refused = self.task.standing.refused
        return self.wanted - len(self._kept | {pair.id for pair, fault in self.screened() if not fault} - refused)

    @cached_property
    def ground_fault(self) -> str | None:
        """Why no pairs are asked for: there is nothing of which they could be made."""
        if set(self.task.directions) != {"grounded"}:
            return None
        if not self.bearing:
            return "no attested sentence bears on the rule"
        corpus, demand = self.task.corpus, self.demand
        # Only another value of one feature is another form. Glosses don't label what is unmarked, and may name features
        # otherwise.
        inflected = {name for name, _ in demand.bad} <= {name for name, _ in demand.good}
        labelled = any(corpus.with_features(one, demand.good) for one in self.bearing)
        if not (inflected and labelled and demand.bad) or any(value in _UNMARKED for _, value in demand.bad):
            return None
        if any(corpus.contrasting(one, demand) for one in self.bearing) or corpus.exchanges(demand, 1):
            return None
        return f"no form with {show_features(demand.bad)} of a word of the attested sentences that bear on the rule"

    @property
    def is_open(self) -> bool:
        """Whether another request is due."""
        most = math.ceil(self.wanted / self.quota) * self._settings.rounds
        return self.missing > 0 and self.batches < most and self.ground_fault is None and self.direction is not None

    @property
    def direction(self) -> Direction | None:
        """Which way the next request goes; None where all that bears on the rule was shown."""
        ways, at = self.task.directions, self.batches % len(self.task.directions)
        left = (way for way in (*ways[at:], *ways[:at]) if way != "grounded" or self._next_window() is not None)
        return next(left, None)

    def results(self, others: "list[Shape]") -> Iterator[tuple[Candidate, str | None]]:
        """The pairs of the answers in order, each with why it is not accepted; those after the ones that are wanted are
        marked as the reserve.

        others  the accepted pairs of the rules before, which no pair may copy; those of this one are added
        """
        left, refused, own = self.wanted - len(self._kept), self.task.standing.refused, list[Shape]()
        for pair, fault in self.screened(tuple(others)):
            stands = not fault and pair.id not in self._kept and pair.id not in refused
            yield pair.model_copy(update={"reserve": stands and left <= 0}), fault
            left -= stands
            own += [] if fault or pair.id in refused else [Shape.of(pair, self.task.corpus)]
        others += own

    def screened(self, others: "Sequence[Shape]" = ()) -> Iterator[tuple[Candidate, str | None]]:
        """The pairs of the answers in order, each with why it is not accepted. A refused one is compared with none."""
        screen, (refused, kept, _) = _Screen(self, others), self.task.standing
        ids = {pair.id for pair, _ in self.offered}
        for pair in (pair for pair in kept if pair.id in self._kept - ids):
            screen.add(pair, None)
        for pair, base in self.offered:
            if not (fault := screen.fault(pair, base)):
                screen.add(pair, base, refused=pair.id in refused)
            yield pair, fault

    def shown(self) -> list[Example]:
        """The source's examples that the next request shows: one under each of its headwords, else the first ones."""
        return window(self._headwords, self.batches * self.quota, self.quota) or self._examples

    def attested(self) -> tuple[int, list[Attested], list[Candidate]]:
        """The number of the next request for grounded pairs, the sentences that it shows, and the pairs made of them.

        Each shows others. When all were shown, those come once more of which a pair was refused, with their neighbours.
        """
        turn = self._next_window() or 0
        self._turn = turn + 1
        shown = self._window(turn)
        again = turn * self._settings.sentences >= len(self.bearing)
        return turn, shown, [pair for pair, base in self.offered if again and base in shown]

    def _window(self, turn: int) -> list[Attested]:
        size = self._settings.sentences
        at = turn % max(1, math.ceil(len(self.bearing) / size)) * size
        return self.bearing[at : at + size]

    def _next_window(self) -> int | None:
        """The number of the next request for grounded pairs; None where all that bears was shown, or gives no more."""
        count, refused = math.ceil(len(self.bearing) / self._settings.sentences), self.task.standing.refused
        lost = [base for pair, base in self.offered if pair.id in refused]
        left = (
            turn for turn in range(self._turn, 2 * count) if turn < count or any(b in self._window(turn) for b in lost)
        )
        return None if self.is_exhausted else next(left, None)

    def avoid(self) -> list[str]:
        """The words that new sentences had better not have: first those of the accepted pairs, then the examples'."""
        accepted = [word for word, _ in self.content(reversed(self._screen.goods))]
        return list(dict.fromkeys([*accepted, *self._used]))[:_MOST_AVOIDED]

    def fault_of(self, good: str) -> str | None:
        """Why a model's correct sentence is not worth breaking the rule in; None if it may be. It is remembered."""
        key = sentence_key(good)
        if key in self._asked_about or key in self._screen.good_keys:
            return "given twice"
        self._asked_about.add(key)
        return self._wrong_length(good) or self._copied(good) or self._screen.repeated(good)

    def fault_of_pair(self, good: str, bad: str) -> str | None:
        """Why two sentences are no pair, whatever their words. All reasons of a kind begin alike."""
        if not words(good) or not words(bad):
            return "a sentence is empty"
        return "the two sentences are the same" if sentence_key(good) == sentence_key(bad) else None

    def fault_of_free(self, good: str, bad: str) -> str | None:
        """Why a pair of new sentences is not accepted, whatever came before."""
        # The violation may be a word that is left out or added.
        fault = self.fault_of_pair(good, bad) or self._wrong_length(bad, slack=1) or self._wrong_length(good)
        return fault or self._copied(good)

    def fault_of_grounded(self, base: Attested | None, good: str, bad: str) -> str | None:
        """Why a pair made from an attested sentence is not accepted, whatever came before."""
        if fault := self.fault_of_pair(good, bad):
            return fault
        if base is None:
            return "made from no attested sentence that was shown"
        if (sentence_key(good), sentence_key(bad)) in self._own_pairs:
            return "the source gives this pair itself"
        if self.task.corpus.attests(bad) and not self._agrees(base):
            return "the bad sentence is attested in the source"
        # A clause of a longer sentence is as near as the whole. Two words may be new where the source attests them.
        own, new = Counter(map(str.casefold, words(base.sentence))), Counter(map(str.casefold, words(good)))
        exchanged = (new - own).total()
        least = 1 if self.task.corpus.words.unattested(good) else 2
        if exchanged > max(least, new.total() // 2):
            return f"too far from the attested sentence: {counted(exchanged, 'other word')} than in '{base.sentence}'"
        return None

    def offer(self, pair: Candidate, base: Attested | None) -> None:
        """Takes a pair of an answer, with which later ones are compared."""
        if not self._screen.fault(pair, base):
            self._screen.add(pair, base)
        self.offered.append((pair, base))

    def content(self, sentences: Iterable[str]) -> Iterator[tuple[str, Lemmas]]:
        """The content words that the rule is not about: a homograph of one that it is about is left out."""
        for sentence in sentences:
            content = self.task.vocabulary.content(sentence).items()
            yield from ((word, lemmas) for word, lemmas in content if lemmas.isdisjoint(self._own))

    def _agrees(self, base: Attested) -> bool:
        """Whether the rule contrasts persons or numbers, and a word that agrees fixes that of the sentence."""
        of_good = frozenset(self.demand.good - self.demand.bad)
        names = {name for name, _ in of_good}
        return bool(names) and names <= AGREEING and len(self.task.corpus.with_features(base, of_good)) > 1

    def _holds(self, pair: Candidate) -> bool:
        """Whether a pair is one for this rule or exception."""
        return pair.rule_id == self.rule.id and pair.exception == (self.exception is not None) and pair.method == "llm"

    def _wrong_length(self, sentence: str, slack: int = 0) -> str | None:
        count, (least, most) = len(words(sentence)), self.task.lengths
        if least - slack <= count <= most + slack:
            return None
        kind = "short" if count < least else "long"
        return f"too {kind}: {counted(count, 'word')} where {least} to {most} are wanted"

    def _copied(self, good: str) -> str | None:
        key = comparison_key(good)
        if key in self._example_keys:
            return "copied from an example"
        return "copied from the words of the rule" if f" {key} " in self._rule_key else None


class Shape(NamedTuple):
    """What near copies share.

    words    of the good sentence, with gaps for pronouns and names
    staying  those of them that the bad sentence has, too, without gaps
    changed  those of either sentence that the other one lacks
    """

    good: str
    words: Counter[str]
    staying: Counter[str]
    changed: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, pair: Candidate, corpus: Corpus) -> Self:
        good, bad = (Counter(side.split()) for side in corpus.skeleton(pair.good, pair.bad))
        staying = good & bad
        changed = tuple(tuple(sorted((side - staying).elements())) for side in (good, bad))
        return cls(pair.good, good, Counter({word: n for word, n in staying.items() if word != GAP}), changed)

    def copies(self, other: Self) -> bool:
        return _shared(self.words, other.words) >= _COPIED or self.repeats(other)

    def repeats(self, other: Self) -> bool:
        """Whether the same words differ, in much the same sentence: then it is a copy whatever rules they are for."""
        same_change = any(self.changed) and self.changed == other.changed
        return same_change and _shared(self.staying, other.staying) >= _COPIED_BESIDE


def _shared(one: Counter[str], other: Counter[str]) -> float:
    """How much two sentences share, as a share of the longer one."""
    return (one & other).total() / max(one.total(), other.total(), 1) if one or other else 1.0


class _Screen:
    """Compares each pair of a rule with those before it, also those of other rules: near copies count once."""

    def __init__(self, target: PairTarget, of_others: Sequence[Shape] = ()) -> None:
        self._target, self._task, self._of_others = target, target.task, of_others
        self.goods: list[str] = []
        self._pairs, self.good_keys, self._bases = set[tuple[str, str]](), set[str](), set[Attested]()
        self._shapes = list[Shape]()
        self._others = [(sentence, self._lemmas(sentence)) for sentence in target.known]
        self._frames = Counter[tuple[str, ...]]()

    def fault(self, pair: Candidate, base: Attested | None) -> str | None:
        """Why a pair is nothing new."""
        good = sentence_key(pair.good)
        if (good, sentence_key(pair.bad)) in self._pairs:
            return "given twice"
        if good in self.good_keys:
            return "varies the bad sentence alone of a pair that was taken"
        if base in self._bases:
            return f"a pair was made from this sentence before: '{base.sentence if base else ''}'"
        shape = Shape.of(pair, self._task.corpus)
        near = (it for it in self._shapes if shape.copies(it) and base)
        if copied := next(near, None) or next((it for it in self._of_others if shape.repeats(it)), None):
            return f"a near copy of '{copied.good}'"
        return None if base else self.repeated(pair.good)

    def repeated(self, good: str) -> str | None:
        """Why a new sentence is like others: too many words of one, or the frame of many."""
        content = self._lemmas(good)
        for other, lemmas in self._others:
            shared = sum(any(mine & theirs for theirs in lemmas) for mine in content)
            if shared > 1 and shared / len(content) > self._task.settings.max_shared:
                return f"too like another sentence: {shared} of its {len(content)} content words are in '{other}'"
        frame = self._task.vocabulary.frame(good)
        most = math.ceil(self._task.settings.same_frame * max(1, len(self.goods) / _FRAME_SHARE))
        return f"one frame again: {most} pairs have it already" if frame and self._frames[frame] >= most else None

    def add(self, pair: Candidate, base: Attested | None, *, refused: bool = False) -> None:
        """Remembers a pair; what a `refused` one used is free again."""
        self._pairs.add((sentence_key(pair.good), sentence_key(pair.bad)))
        if refused:
            return
        self.goods.append(pair.good)
        self.good_keys.add(sentence_key(pair.good))
        self._bases |= {base} if base else set()
        self._shapes.append(Shape.of(pair, self._task.corpus))
        self._others.append((pair.good, self._lemmas(pair.good)))
        if frame := self._task.vocabulary.frame(pair.good):
            self._frames[frame] += 1

    def _lemmas(self, sentence: str) -> list[Lemmas]:
        return [lemmas for _, lemmas in self._target.content([sentence])]


class Vocabulary:
    """Tells content words from function words, and gives the lemmas of both.

    Function words are those in the language file (if it lists none, those in a fifth of `texts`, each the examples of
    one rule), those of the lexicon's closed classes, words of one or two letters, and everything with a digit.
    """

    def __init__(self, language: Language, lemmas: Analyser, texts: Iterable[str] = ()) -> None:
        self._analyser = lemmas
        listed = [*language.adpositions, *language.function_words, *language.common_words, *language.negations]
        listed += [*language.subordinators, *words(" ".join(word for group in language.equivalents for word in group))]
        self._function = frozenset(word.casefold() for word in listed)
        if not listed:
            known = list(texts)
            counts = Counter(lemma for text in known for lemma in self.lemmas([text]))
            least = max(_LEAST_TEXTS, len(known) / 5)
            self._function = frozenset(lemma for lemma, count in counts.items() if count >= least)

    def content(self, sentence: str) -> dict[str, Lemmas]:
        """The content words of a sentence in their order, as written, with the lemmas that each may belong to."""
        return {word: self._analyser.lemmas(word) for word in words(sentence) if not self._is_function(word)}

    def lemmas(self, sentences: Iterable[str]) -> set[str]:
        """The lemmas of the content words of sentences."""
        return {lemma for sentence in sentences for of_word in self.content(sentence).values() for lemma in of_word}

    def frame(self, sentence: str) -> tuple[str, ...] | None:
        """The function words of a sentence with the parts of speech between them.

        None if neither is known for any word, because then all sentences of one length would look alike.
        """
        slots = []
        for word in words(sentence):
            classes = {reading.upos for reading in self._analyser.analyse(word) if reading.upos}
            slots.append(word.casefold() if self._is_function(word) else "/".join(sorted(classes)))
        return (*slots, sentence.rstrip()[-1:]) if any(slots) else None

    def _is_function(self, word: str) -> bool:
        return (
            len(word) <= _SHORT
            or word.casefold() in self._function
            or any(char.isdigit() for char in word)
            or any(reading.upos in _CLOSED for reading in self._analyser.analyse(word))
            or not self._function.isdisjoint(self._analyser.lemmas(word))
        )


def licenses_pairs(rule: Rule) -> bool:
    """Whether a rule licenses pairs: its contrast says so or, without one, the source gives pairs itself.

    One that is only kept for decided pairs licenses no more.
    """
    licensed = rule.contrast.licensed if rule.contrast else any(example.bad for example in rule.examples)
    return licensed and not rule.kept


def pair_targets(task: PairTask) -> Iterator[PairTarget]:
    """A target for each rule that licenses pairs, and for its exceptions if the settings ask for them.

    A rule that only starred examples state has none if a rule that a model stated has all its pairs. What the rules
    before have been shown first comes later in what a target is shown.
    """
    shown = Counter[str]()
    stated = {pair for rule in task.rules if rule.asked for pair in own_pairs(rule)}
    for rule in task.rules:
        own = own_pairs(rule)
        if not licenses_pairs(rule) or (own and own <= stated and not rule.asked):
            continue
        shown_here = set[str]()
        for about in (None, *(rule.exceptions if task.settings.pairs_per_exception else ())):
            target = PairTarget(rule, about, task, shown)
            shown_here = {one.block_id for one in target.bearing[: task.settings.sentences]}
            yield target
        shown.update(shown_here)


def own_pairs(rule: Rule) -> set[tuple[str, str]]:
    """The pairs that the source itself gives for a rule."""
    return {(example.good, example.bad) for example in rule.examples if example.bad}


def _own_lemmas(rule: Rule, vocabulary: Vocabulary) -> Lemmas:
    """The lemmas that a rule itself is about, because a rule of one verb has no pairs without this verb.

    These are the words that it names, also as headwords of its examples, those of its examples that begin as a named
    word does, because not every form is in a dictionary, and those in half of many examples.
    """
    named = [rule.title, rule.description]
    if rule.contrast and rule.contrast.support is None:
        named.append(rule.contrast.what)
    named += [word for example in rule.examples for word in named_words(example.entry or "")]
    own = vocabulary.lemmas(named)
    goods = list(dict.fromkeys(example.good for example in rule.examples))
    stems = tuple(word[: max(_SHORTEST_STEM, len(word) - _ENDING)] for word in own if len(word) > _SHORTEST_STEM)
    counts = Counter(lemma for good in goods for lemma in vocabulary.lemmas([good]))
    own |= {lemma for lemma in counts if lemma.startswith(stems)}
    if len(goods) >= _ENOUGH_EXAMPLES:
        own |= {lemma for lemma, count in counts.items() if 2 * count >= len(goods)}
    return frozenset(own)
