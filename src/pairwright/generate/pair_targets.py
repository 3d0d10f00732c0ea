"""What is wanted of a language model for a rule, and which of its pairs are taken: new, varied, of the right length."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pairwright.config import GenerateSettings
from pairwright.generate.vocabulary import Lemmas, Vocabulary
from pairwright.languages import Language, ModelPair
from pairwright.morphology import Analyser
from pairwright.prompts.rule_description import describe_rule, example_sentences, examples_shown
from pairwright.records import Example, Rule
from pairwright.text import comparison_key, sentence_key, words

# From so many examples on, a word that half of them have belongs to the rule and not to the examples.
_ENOUGH_EXAMPLES = 4
# With fewer pairs of its own, a rule is shown with the language's model pairs too.
_FEW_EXAMPLES = 2
_NAMED = 8


@dataclass
class PairTarget:
    """Pairs wanted for a rule, or for one of its exceptions, with what was taken so far.

    own           the lemmas that the rule is about, which all its pairs may have
    used          the lemmas of the examples that new sentences may not have, each with a word that has it
    shown         the source's examples that the model sees; `model_pairs` stand in where they are too few
    text          the comparison key of what the model is told of the rule
    example_keys  those of the examples' sentences
    """

    rule: Rule
    exception: str | None
    wanted: int
    settings: GenerateSettings
    vocabulary: Vocabulary
    shown: tuple[Example, ...]
    model_pairs: tuple[ModelPair, ...]
    own: Lemmas
    used: dict[str, str]
    text: str
    example_keys: frozenset[str]
    _seen: set[tuple[str, str]] = field(default_factory=set)
    _good: set[str] = field(default_factory=set)
    _taken: list[tuple[str, list[Lemmas]]] = field(default_factory=list)
    _frames: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def missing(self) -> int:
        return self.wanted - len(self._taken)

    def avoid(self) -> list[str]:
        """The words that new sentences may not have: first those of the pairs that were taken, then the examples'."""
        taken = self.vocabulary.lemmas(good for good, _ in self._taken)
        return list(dict.fromkeys([word for lemma, word in (taken | self.used).items() if lemma not in self.own]))

    def fault_of_sentence(self, good: str) -> str | None:
        """Why a correct sentence is not taken; None where nothing is known against it."""
        return self._fault_of(good, [good])

    def is_new(self, good: str) -> bool:
        """Whether a correct sentence comes for the first time; it is remembered."""
        key = sentence_key(good)
        new = key not in self._good
        self._good.add(key)
        return new

    def take(self, good: str, bad: str) -> str | None:
        """Takes a pair, or says why not. A reason begins with what is the same for all pairs of its kind."""
        keys = (sentence_key(good), sentence_key(bad))
        if not words(good) or not words(bad):
            return "a sentence is empty"
        if keys[0] == keys[1]:
            return "the two sentences are the same"
        if keys in self._seen:
            return "given twice"
        self._seen.add(keys)
        fault = self._wrong_length(bad, "bad") or self._fault_of(good, [good, bad])
        if fault is None:
            self._taken.append((good, self._content(good)))
            if frame := self.vocabulary.frame(good):
                self._frames[frame] += 1
        return fault

    def _fault_of(self, good: str, sentences: Iterable[str]) -> str | None:
        return self._wrong_length(good) or self._copied(good) or self._reused(sentences) or self._alike(good)

    def _wrong_length(self, sentence: str, side: str = "good") -> str | None:
        count, least, most = len(words(sentence)), self.settings.min_words, self.settings.max_words
        # The violation may be a word that is left out or put in.
        slack = side == "bad"
        if least - slack <= count <= most + slack:
            return None
        return f"too {'short' if count < least else 'long'}: {count} words where {least} to {most} are wanted"

    def _copied(self, good: str) -> str | None:
        key = comparison_key(good)
        if key in self.example_keys:
            return "copied from an example"
        return "copied from the words of the rule" if f" {key} " in self.text else None

    def _reused(self, sentences: Iterable[str]) -> str | None:
        """All words that the examples have, with the word that stands there where it is another form."""
        named: dict[str, None] = {}
        for sentence in sentences:
            for word, lemmas in self.vocabulary.content(sentence).items():
                if known := sorted(lemmas & self.used.keys()):
                    there = self.used[known[0]]
                    named[word if there.casefold() == word.casefold() else f"{word} ({there})"] = None
        return f"reuses words of the examples: {', '.join(list(named)[:_NAMED])}" if named else None

    def _alike(self, good: str) -> str | None:
        """Whether a sentence has too many words, or the frame, of pairs that were taken."""
        content = self._content(good)
        for other, lemmas in self._taken:
            shared = sum(any(mine & theirs for theirs in lemmas) for mine in content)
            if sentence_key(other) == sentence_key(good):
                return "varies the bad sentence alone of a pair that was taken"
            if content and shared / len(content) > self.settings.max_shared:
                return f"too like another pair: {shared} of its {len(content)} content words stand in '{other}'"
        frame = self.vocabulary.frame(good)
        if frame and self._frames[frame] >= self.settings.same_frame:
            return f"one frame again: {self.settings.same_frame} pairs have it already"
        return None

    def _content(self, sentence: str) -> list[Lemmas]:
        """The content words of a sentence without those that the rule is about."""
        return [lemmas for lemmas in self.vocabulary.content(sentence).values() if lemmas.isdisjoint(self.own)]


def licenses_pairs(rule: Rule) -> bool:
    """Whether pairs may be asked for: the rule says so, or, where it says nothing, its source gives pairs itself."""
    if rule.contrast is not None:
        return rule.contrast.licensed
    return any(example.bad for example in rule.examples)


def pair_targets(
    rules: Iterable[Rule], language: Language, settings: GenerateSettings, lemmas: Analyser
) -> Iterator[PairTarget]:
    """What is wanted for each rule that licenses a pair, and for its exceptions where the settings ask for them.

    A rule that only starred examples state is passed over where a rule that a model stated has all its pairs.
    """
    known = list(rules)
    vocabulary = Vocabulary(language, lemmas, (" ".join(example_sentences(rule.examples)) for rule in known))
    stated = {pair for rule in known if rule.asked for pair in _own_pairs(rule)}
    for rule in known:
        own = _own_pairs(rule)
        if not licenses_pairs(rule) or (own and own <= stated and not rule.asked):
            continue
        yield _wish(rule, None, settings.pairs_per_rule, language, settings, vocabulary)
        if settings.pairs_per_exception:
            for exception in rule.exceptions:
                yield _wish(rule, exception, settings.pairs_per_exception, language, settings, vocabulary)


def _own_pairs(rule: Rule) -> set[tuple[str, str]]:
    return {(example.good, example.bad) for example in rule.examples if example.bad}


def _wish(
    rule: Rule,
    exception: str | None,
    wanted: int,
    language: Language,
    settings: GenerateSettings,
    vocabulary: Vocabulary,
) -> PairTarget:
    shown = examples_shown(rule, settings.examples)
    few = sum(example.bad is not None for example in shown) < min(_FEW_EXAMPLES, settings.examples)
    stand_ins = language.model_pairs if few else ()
    sentences = [*example_sentences(rule.examples), *(side for pair in stand_ins for side in (pair.good, pair.bad))]
    own = _own(rule, vocabulary)
    return PairTarget(
        rule=rule,
        exception=exception,
        wanted=wanted,
        settings=settings,
        vocabulary=vocabulary,
        shown=tuple(shown),
        model_pairs=stand_ins,
        own=own,
        used={lemma: word for lemma, word in vocabulary.lemmas(sentences).items() if lemma not in own},
        text=f" {comparison_key(describe_rule(rule, exception))} {comparison_key(rule.quote)} ",
        example_keys=frozenset(map(comparison_key, sentences)),
    )


def _own(rule: Rule, vocabulary: Vocabulary) -> Lemmas:
    """The lemmas that a rule itself is about: a rule of one verb has no pairs without this verb.

    These are the words that it names, also as headwords of its examples, and those that half of many examples have.
    """
    named = [rule.title, rule.description, rule.contrast.what if rule.contrast else ""]
    entries = [example.entry for example in rule.examples if example.entry]
    # "(pa)gausėti" names two words.
    named += [*entries, *(re.sub(r"[()\[\]]", "", entry) for entry in entries)]
    own = set(vocabulary.lemmas(named))
    goods = list(dict.fromkeys(example.good for example in rule.examples))
    if len(goods) >= _ENOUGH_EXAMPLES:
        counts = Counter(lemma for good in goods for lemma in vocabulary.lemmas([good]))
        own |= {lemma for lemma, count in counts.items() if 2 * count >= len(goods)}
    return frozenset(own)
