"""How many pairs a language model should write for a rule, and which are accepted: new, varied, of the right length."""

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

# With this many examples, a word in half of them belongs to the rule and not to the examples.
_ENOUGH_EXAMPLES = 4
# With fewer pairs of its own, a rule is also shown with the language's model pairs.
_FEW_EXAMPLES = 2
_NAMED = 8


@dataclass
class PairTarget:
    """Pairs to be written for a rule, or for one of its exceptions, with those that were accepted so far.

    shown         the source's examples that the model sees; `model_pairs` are added if they are too few
    own           the lemmas that the rule is about, which all its pairs may have
    used          the lemmas of the examples, which new sentences may not have, each with a word of this lemma
    text          the comparison key of the rule as the model sees it
    example_keys  the comparison keys of the examples' sentences
    """

    rule: Rule
    exception: str | None
    count: int
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
    _accepted: list[tuple[str, list[Lemmas]]] = field(default_factory=list)
    _frames: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def missing(self) -> int:
        return self.count - len(self._accepted)

    def avoid(self) -> list[str]:
        """The words that new sentences may not have: first those of the accepted pairs, then the examples'."""
        accepted = self.vocabulary.lemmas(good for good, _ in self._accepted)
        return list(dict.fromkeys(word for lemma, word in (accepted | self.used).items() if lemma not in self.own))

    def fault_of_sentence(self, good: str) -> str | None:
        """Why a correct sentence is not accepted; None if it may be."""
        return self._fault_of(good, [good])

    def is_new(self, good: str) -> bool:
        """Whether a correct sentence comes for the first time. It is remembered."""
        key = sentence_key(good)
        new = key not in self._good
        self._good.add(key)
        return new

    def take(self, good: str, bad: str) -> str | None:
        """Accepts a pair, or says why not. All reasons of a kind begin with the same words."""
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
            self._accepted.append((good, self._content(good)))
            if frame := self.vocabulary.frame(good):
                self._frames[frame] += 1
        return fault

    def _fault_of(self, good: str, sentences: Iterable[str]) -> str | None:
        return self._wrong_length(good) or self._copied(good) or self._reused(sentences) or self._alike(good)

    def _wrong_length(self, sentence: str, side: str = "good") -> str | None:
        count, least, most = len(words(sentence)), self.settings.min_words, self.settings.max_words
        # The violation may be a word that is left out or added.
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
        """Whether words of the examples come again. Names them, with the example's form if it is another one."""
        reused: dict[str, None] = {}
        for sentence in sentences:
            for word, lemmas in self.vocabulary.content(sentence).items():
                if shared := sorted(lemmas & self.used.keys()):
                    form = self.used[shared[0]]
                    reused[word if form.casefold() == word.casefold() else f"{word} ({form})"] = None
        return f"reuses words of the examples: {', '.join(list(reused)[:_NAMED])}" if reused else None

    def _alike(self, good: str) -> str | None:
        """Whether a sentence has too many words, or the frame, of accepted pairs."""
        content = self._content(good)
        for other, lemmas in self._accepted:
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
        """The lemmas of each content word of a sentence, without the words that the rule is about."""
        return [lemmas for lemmas in self.vocabulary.content(sentence).values() if lemmas.isdisjoint(self.own)]


def licenses_pairs(rule: Rule) -> bool:
    """Whether a rule licenses pairs: its contrast says so or, without one, the source gives pairs itself."""
    if rule.contrast is not None:
        return rule.contrast.licensed
    return any(example.bad for example in rule.examples)


def pair_targets(
    rules: Iterable[Rule], language: Language, settings: GenerateSettings, lemmas: Analyser
) -> Iterator[PairTarget]:
    """A target for each rule that licenses pairs, and for its exceptions if the settings ask for them.

    A rule that only starred examples state has none if a rule that a model stated has all its pairs.
    """
    rules = list(rules)
    vocabulary = Vocabulary(language, lemmas, (" ".join(example_sentences(rule.examples)) for rule in rules))
    stated = {pair for rule in rules if rule.asked for pair in _own_pairs(rule)}
    for rule in rules:
        own = _own_pairs(rule)
        if not licenses_pairs(rule) or (own and own <= stated and not rule.asked):
            continue
        yield _target(rule, None, language, settings, vocabulary)
        if settings.pairs_per_exception:
            for exception in rule.exceptions:
                yield _target(rule, exception, language, settings, vocabulary)


def _own_pairs(rule: Rule) -> set[tuple[str, str]]:
    return {(example.good, example.bad) for example in rule.examples if example.bad}


def _target(
    rule: Rule, exception: str | None, language: Language, settings: GenerateSettings, vocabulary: Vocabulary
) -> PairTarget:
    shown = examples_shown(rule, settings.examples)
    few = sum(example.bad is not None for example in shown) < min(_FEW_EXAMPLES, settings.examples)
    model_pairs = language.model_pairs if few else ()
    sentences = [*example_sentences(rule.examples), *(side for pair in model_pairs for side in (pair.good, pair.bad))]
    own = _own(rule, vocabulary)
    return PairTarget(
        rule=rule,
        exception=exception,
        count=settings.pairs_per_rule if exception is None else settings.pairs_per_exception,
        settings=settings,
        vocabulary=vocabulary,
        shown=tuple(shown),
        model_pairs=model_pairs,
        own=own,
        used={lemma: word for lemma, word in vocabulary.lemmas(sentences).items() if lemma not in own},
        text=f" {comparison_key(describe_rule(rule, exception))} {comparison_key(rule.quote)} ",
        example_keys=frozenset(map(comparison_key, sentences)),
    )


def _own(rule: Rule, vocabulary: Vocabulary) -> Lemmas:
    """The lemmas that a rule itself is about, because a rule of one verb has no pairs without this verb.

    These are the words that it names, also as headwords of its examples, and those in half of many examples.
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
