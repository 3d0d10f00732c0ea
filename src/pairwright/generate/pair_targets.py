"""How many pairs a language model should write for a rule, and which are accepted: new, varied, of the right length."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from pairwright.config import Direction
from pairwright.errors import counted
from pairwright.generate.book.sentences import Attested
from pairwright.generate.task import PairTask, lengths
from pairwright.generate.vocabulary import Lemmas, Vocabulary
from pairwright.languages.features import show_features
from pairwright.languages.linguistics.headwords import headword_examples, named_words, window
from pairwright.prompts.rule_description import describe_rule, example_sentences, examples_shown, feature_demand
from pairwright.records import Candidate, Example, Rule
from pairwright.text import comparison_key, sentence_key, words

# With this many examples, a word in half of them belongs to the rule and not to the examples.
_ENOUGH_EXAMPLES = 4
# Forms of one word mostly differ in their last letters alone.
_SHORTEST_STEM, _ENDING = 4, 2
# With fewer pairs of its own, a rule is also shown with the language's model pairs.
_FEW_EXAMPLES = 2
# More words than this crowd the rule out of a small model's context.
_MOST_AVOIDED = 60
# `same_frame` pairs may share a frame for so many that are wanted.
_FRAME_SHARE = 10


class PairTarget:
    """Pairs to be written for a rule, or for one of its exceptions, by one request after the other.

    What a request asks depends on the pairs that were accepted so far alone, not on what became of them later. So a
    target that goes on because pairs were refused repeats its earlier requests, whose answers are in the cache.

    bearing  the attested sentences that bear on the rule, the best first, for grounded pairs
    demand   the features that the changed words of the two sentences have
    pairs    those that were accepted, in order
    wanted   how many have to stand
    batches  how many requests were made
    lengths  the least and the most words of a sentence
    """

    def __init__(
        self,
        rule: Rule,
        exception: str | None,
        task: PairTask,
        vocabulary: Vocabulary,
        limits: tuple[int, int],
        shown_before: Mapping[str, int],
    ) -> None:
        self.rule, self.exception, self.lengths = rule, exception, limits
        self.demand = feature_demand(rule, exception)
        is_grounded = "grounded" in task.directions
        self.bearing = task.corpus.for_rule(rule, self.demand, shown_before) if is_grounded else []
        self.pairs: list[Candidate] = []
        self.batches = 0
        self._task, self._settings, self._vocabulary = task, task.settings, vocabulary
        self.wanted = self._settings.pairs_per_rule if exception is None else self._settings.pairs_per_exception
        self.quota = min(self._settings.batch, self.wanted)
        self._headwords = headword_examples(rule) if exception is None else []
        self._examples = examples_shown(rule, self._settings.examples)
        few = sum(example.bad is not None for example in self._examples) < min(_FEW_EXAMPLES, self._settings.examples)
        self.model_pairs = task.language.model_pairs if few else ()
        models = [side for pair in self.model_pairs for side in (pair.good, pair.bad)]
        # Alternative corrections are no vocabulary of the examples: they are ways to say what the rule is about.
        shown = [side for example in rule.examples for side in (example.good, example.bad) if side]
        self._own = _own_lemmas(rule, vocabulary)
        self._used = list(dict.fromkeys(word for word, _ in self._content_words([*shown, *models])))
        self._rule_key = f" {comparison_key(describe_rule(rule, exception))} {comparison_key(rule.quote)} "
        self._example_keys = set(map(comparison_key, [*example_sentences(rule.examples), *models]))
        self._own_pairs = {(sentence_key(good), sentence_key(bad)) for good, bad in own_pairs(rule)}
        # Whether a model found no pair in all that could be shown to it.
        self.is_exhausted = False
        self._seen: set[tuple[str, str]] = set()
        self._good: set[str] = set()
        self._others = [(sentence, self._content(sentence)) for sentence in shown]
        self._frames = Counter[tuple[str, ...]]()

    @property
    def missing(self) -> int:
        """How many pairs do not stand yet."""
        kept = {pair.id for pair in self._task.standing.kept if self._holds(pair)}
        standing = {pair.id for pair in self.pairs if pair.id not in self._task.standing.refused}
        return self.wanted - len(kept | standing)

    @cached_property
    def ground_fault(self) -> str | None:
        """Why there is nothing of which pairs could be made, where these are only made from attested sentences."""
        if set(self._task.directions) != {"grounded"}:
            return None
        if not self.bearing:
            return "no attested sentence bears on the rule"
        forms, demand = self._task.corpus.word_forms, self.demand
        if not demand.bad or any(forms.contrasting(one, demand) for one in self.bearing):
            return None
        # The forms of other words may show how a word is changed.
        if forms.exchanges(demand, 1) and any(forms.with_features(one, demand.good) for one in self.bearing):
            return None
        return f"no form with {show_features(demand.bad)} of a word of the attested sentences that bear on the rule"

    @property
    def is_open(self) -> bool:
        """Whether another request is due."""
        most = math.ceil(self.wanted / self.quota) * self._settings.rounds
        return self.missing > 0 and self.batches < most and self.ground_fault is None and not self.is_exhausted

    @property
    def direction(self) -> Direction:
        """Which way the next request goes."""
        return self._task.directions[self.batches % len(self._task.directions)]

    def with_reserve(self) -> Iterator[Candidate]:
        """The accepted pairs; those behind the ones that are wanted are marked as the reserve."""
        kept = {pair.id for pair in self._task.standing.kept if self._holds(pair)}
        left = self.wanted - len(kept)
        for pair in self.pairs:
            stands = pair.id not in kept and pair.id not in self._task.standing.refused
            yield pair.model_copy(update={"reserve": stands and left <= 0})
            left -= stands

    def shown(self) -> list[Example]:
        """The source's examples that the next request shows: one under each of its headwords, else the first ones."""
        return window(self._headwords, self.batches * self.quota, self.quota) or self._examples

    def attested(self) -> list[Attested]:
        """The attested sentences that the next request shows, others in each."""
        size = self._settings.sentences
        own = self.bearing[: size // 2]
        rest = self.bearing[len(own) :]
        start = self.batches * (size - len(own))
        return own + [rest[(start + offset) % len(rest)] for offset in range(min(size - len(own), len(rest)))]

    def avoid(self) -> list[str]:
        """The words that new sentences had better not have: first those of the accepted pairs, then the examples'."""
        accepted = [word for word, _ in self._content_words(pair.good for pair in reversed(self.pairs))]
        return list(dict.fromkeys([*accepted, *self._used]))[:_MOST_AVOIDED]

    def fault_of(self, good: str) -> str | None:
        """Why a correct sentence is not accepted; None if it may be."""
        return self._wrong_length(good) or self._copied(good) or self._alike(good)

    def is_new(self, good: str) -> bool:
        """Whether a correct sentence comes for the first time. It is remembered."""
        key = sentence_key(good)
        new = key not in self._good
        self._good.add(key)
        return new

    def fault_of_pair(self, good: str, bad: str) -> str | None:
        """Why a pair can't be one, whatever its words, or came before. All reasons of a kind begin alike."""
        keys = (sentence_key(good), sentence_key(bad))
        if not words(good) or not words(bad):
            return "a sentence is empty"
        if keys[0] == keys[1]:
            return "the two sentences are the same"
        if keys in self._seen:
            return "given twice"
        self._seen.add(keys)
        if any(sentence_key(pair.good) == keys[0] for pair in self.pairs):
            return "varies the bad sentence alone of a pair that was taken"
        return None

    def fault_of_free(self, good: str, bad: str) -> str | None:
        """Why a pair of new sentences is not accepted."""
        # The violation may be a word that is left out or added.
        return self.fault_of_pair(good, bad) or self._wrong_length(bad, slack=1) or self.fault_of(good)

    def fault_of_grounded(self, base: Attested | None, good: str, bad: str) -> str | None:
        """Why a pair made from an attested sentence is not accepted. Its words are the source's, and so may recur."""
        if fault := self.fault_of_pair(good, bad):
            return fault
        if base is None:
            return "made from no attested sentence that was shown"
        if (sentence_key(good), sentence_key(bad)) in self._own_pairs:
            return "the source gives this pair itself"
        if self._task.corpus.attests(bad):
            return "the bad sentence is attested in the source"
        # A clause of a longer sentence is as near as the whole. Two words may be new where the source attests them.
        own, new = Counter(map(str.casefold, words(base.sentence))), Counter(map(str.casefold, words(good)))
        exchanged = (new - own).total()
        least = 1 if self._task.corpus.words.unattested(good) else 2
        if exchanged > max(least, new.total() // 2):
            return f"too far from the attested sentence: {counted(exchanged, 'other word')} than in '{base.sentence}'"
        return None

    def take(self, pair: Candidate) -> None:
        """Remembers an accepted pair, with which later ones are compared."""
        self.pairs.append(pair)
        self._good.add(sentence_key(pair.good))
        self._others.append((pair.good, self._content(pair.good)))
        if frame := self._vocabulary.frame(pair.good):
            self._frames[frame] += 1

    def _holds(self, pair: Candidate) -> bool:
        """Whether a pair is one for this rule or exception."""
        return pair.rule_id == self.rule.id and pair.exception == (self.exception is not None) and pair.method == "llm"

    def _wrong_length(self, sentence: str, slack: int = 0) -> str | None:
        count, (least, most) = len(words(sentence)), self.lengths
        if least - slack <= count <= most + slack:
            return None
        return (
            f"too {'short' if count < least else 'long'}: {counted(count, 'word')} where {least} to {most} are wanted"
        )

    def _copied(self, good: str) -> str | None:
        key = comparison_key(good)
        if key in self._example_keys:
            return "copied from an example"
        return "copied from the words of the rule" if f" {key} " in self._rule_key else None

    def _alike(self, good: str) -> str | None:
        """Whether a sentence has too many words of an example or of an accepted pair, or the frame of many pairs."""
        content = self._content(good)
        for other, lemmas in self._others:
            shared = sum(any(mine & theirs for theirs in lemmas) for mine in content)
            if shared > 1 and shared / len(content) > self._settings.max_shared:
                return f"too like another sentence: {shared} of its {len(content)} content words stand in '{other}'"
        frame = self._vocabulary.frame(good)
        most = math.ceil(self._settings.same_frame * max(1, self.wanted / _FRAME_SHARE))
        if frame and self._frames[frame] >= most:
            return f"one frame again: {most} pairs have it already"
        return None

    def _content(self, sentence: str) -> list[Lemmas]:
        """The lemmas of each content word of a sentence, without the words that the rule is about."""
        return [lemmas for _, lemmas in self._content_words([sentence])]

    def _content_words(self, sentences: Iterable[str]) -> Iterator[tuple[str, Lemmas]]:
        """The content words that the rule is not about: a homograph of one that it is about is left out."""
        for sentence in sentences:
            content = self._vocabulary.content(sentence).items()
            yield from ((word, lemmas) for word, lemmas in content if lemmas.isdisjoint(self._own))


def licenses_pairs(rule: Rule) -> bool:
    """Whether a rule licenses pairs: its contrast says so or, without one, the source gives pairs itself.

    One that is only kept for decided pairs licenses no more.
    """
    if rule.contrast is not None:
        return rule.contrast.licensed and not rule.kept
    return any(example.bad for example in rule.examples) and not rule.kept


def pair_targets(task: PairTask) -> Iterator[PairTarget]:
    """A target for each rule that licenses pairs, and for its exceptions if the settings ask for them.

    A rule that only starred examples state has none if a rule that a model stated has all its pairs. What the rules
    before have been shown first comes later in what a target is shown.
    """
    shown = Counter[str]()
    texts = (" ".join(example_sentences(rule.examples)) for rule in task.rules)
    vocabulary = Vocabulary(task.language, task.lemmas, texts)
    limits = lengths((one.sentence for one in task.corpus.sentences.values()), task.settings)
    stated = {pair for rule in task.rules if rule.asked for pair in own_pairs(rule)}
    for rule in task.rules:
        own = own_pairs(rule)
        if not licenses_pairs(rule) or (own and own <= stated and not rule.asked):
            continue
        shown_here: set[str] = set()
        for about in (None, *(rule.exceptions if task.settings.pairs_per_exception else ())):
            target = PairTarget(rule, about, task, vocabulary, limits, shown)
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
    own = set(vocabulary.lemmas(named))
    goods = list(dict.fromkeys(example.good for example in rule.examples))
    stems = tuple(word[: max(_SHORTEST_STEM, len(word) - _ENDING)] for word in own if len(word) > _SHORTEST_STEM)
    own |= {lemma for lemma in vocabulary.lemmas(goods) if lemma.startswith(stems)}
    if len(goods) >= _ENOUGH_EXAMPLES:
        counts = Counter(lemma for good in goods for lemma in vocabulary.lemmas([good]))
        own |= {lemma for lemma, count in counts.items() if 2 * count >= len(goods)}
    return frozenset(own)
