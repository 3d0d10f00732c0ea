"""How many pairs a language model should write for a rule, and which are accepted: new, varied, of the right length."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from pairwright.config import GenerateSettings
from pairwright.generate.vocabulary import Lemmas, Vocabulary
from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.prompts.rule_description import describe_rule, example_sentences, examples_shown
from pairwright.records import Rule
from pairwright.text import comparison_key, sentence_key, words

# With this many examples, a word in half of them belongs to the rule and not to the examples.
_ENOUGH_EXAMPLES = 4
# Forms of one word mostly differ in their last letters alone.
_SHORTEST_STEM, _ENDING = 4, 2
# With fewer pairs of its own, a rule is also shown with the language's model pairs.
_FEW_EXAMPLES = 2
_NAMED = 8


class PairTarget:
    """Pairs to be written for a rule, or for one of its exceptions, with those that were accepted so far.

    shown        the source's examples that the model sees
    model_pairs  the language's, which are added if the source's pairs are too few
    """

    def __init__(
        self, rule: Rule, exception: str | None, language: Language, settings: GenerateSettings, vocabulary: Vocabulary
    ) -> None:
        self.rule, self.exception, self.shown = rule, exception, examples_shown(rule, settings.examples)
        few = sum(example.bad is not None for example in self.shown) < min(_FEW_EXAMPLES, settings.examples)
        self.model_pairs = language.model_pairs if few else ()
        self._settings, self._vocabulary = settings, vocabulary
        self._count = settings.pairs_per_rule if exception is None else settings.pairs_per_exception
        sentences = [*example_sentences(rule.examples)]
        sentences += [side for pair in self.model_pairs for side in (pair.good, pair.bad)]
        # The lemmas that all pairs may have, and those of the examples, which no pair may have, each with a word.
        self._own = _own_lemmas(rule, vocabulary)
        used = vocabulary.lemmas(sentences)
        self._used = {lemma: word for lemma, word in used.items() if lemma not in self._own}
        self._rule_key = f" {comparison_key(describe_rule(rule, exception))} {comparison_key(rule.quote)} "
        self._example_keys = set(map(comparison_key, sentences))
        self._seen: set[tuple[str, str]] = set()
        self._good: set[str] = set()
        self._accepted: list[tuple[str, list[Lemmas]]] = []
        self._frames = Counter[tuple[str, ...]]()

    @property
    def missing(self) -> int:
        return self._count - len(self._accepted)

    def avoid(self) -> list[str]:
        """The words that new sentences may not have: first those of the accepted pairs, then the examples'."""
        accepted = self._vocabulary.lemmas(good for good, _ in self._accepted)
        return list(dict.fromkeys(word for lemma, word in (accepted | self._used).items() if lemma not in self._own))

    def fault_of(self, good: str, bad: str = "") -> str | None:
        """Why a correct sentence, or one with its violation, is not accepted; None if it may be."""
        return self._wrong_length(good) or self._copied(good) or self._reused((good, bad)) or self._alike(good)

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
        # The violation may be a word that is left out or added.
        fault = self._wrong_length(bad, slack=1) or self.fault_of(good, bad)
        if fault is None:
            self._accepted.append((good, self._content(good)))
            if frame := self._vocabulary.frame(good):
                self._frames[frame] += 1
        return fault

    def _wrong_length(self, sentence: str, slack: int = 0) -> str | None:
        count, least, most = len(words(sentence)), self._settings.min_words, self._settings.max_words
        if least - slack <= count <= most + slack:
            return None
        return f"too {'short' if count < least else 'long'}: {count} words where {least} to {most} are wanted"

    def _copied(self, good: str) -> str | None:
        key = comparison_key(good)
        if key in self._example_keys:
            return "copied from an example"
        return "copied from the words of the rule" if f" {key} " in self._rule_key else None

    def _reused(self, sentences: Iterable[str]) -> str | None:
        """Whether words of the examples come again. Names them, with the example's form if it is another one."""
        reused: dict[str, None] = {}
        for sentence in sentences:
            for word, lemmas in self._vocabulary.content(sentence).items():
                if shared := sorted(lemmas & self._used.keys()):
                    form = self._used[shared[0]]
                    reused[word if form.casefold() == word.casefold() else f"{word} ({form})"] = None
        return f"reuses words of the examples: {', '.join(list(reused)[:_NAMED])}" if reused else None

    def _alike(self, good: str) -> str | None:
        """Whether a sentence has too many words, or the frame, of accepted pairs."""
        content = self._content(good)
        for other, lemmas in self._accepted:
            shared = sum(any(mine & theirs for theirs in lemmas) for mine in content)
            if sentence_key(other) == sentence_key(good):
                return "varies the bad sentence alone of a pair that was taken"
            if content and shared / len(content) > self._settings.max_shared:
                return f"too like another pair: {shared} of its {len(content)} content words stand in '{other}'"
        frame = self._vocabulary.frame(good)
        if frame and self._frames[frame] >= self._settings.same_frame:
            return f"one frame again: {self._settings.same_frame} pairs have it already"
        return None

    def _content(self, sentence: str) -> list[Lemmas]:
        """The lemmas of each content word of a sentence, without the words that the rule is about."""
        return [lemmas for lemmas in self._vocabulary.content(sentence).values() if lemmas.isdisjoint(self._own)]


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
        for about in (None, *(rule.exceptions if settings.pairs_per_exception else ())):
            yield PairTarget(rule, about, language, settings, vocabulary)


def _own_pairs(rule: Rule) -> set[tuple[str, str]]:
    return {(example.good, example.bad) for example in rule.examples if example.bad}


def _own_lemmas(rule: Rule, vocabulary: Vocabulary) -> Lemmas:
    """The lemmas that a rule itself is about, because a rule of one verb has no pairs without this verb.

    These are the words that it names, also as headwords of its examples, those of its examples that begin as a named
    word does, because not every form is in a dictionary, and those in half of many examples.
    """
    named = [rule.title, rule.description, rule.contrast.what if rule.contrast else ""]
    entries = [example.entry for example in rule.examples if example.entry]
    # "(pa)gausėti" names two words.
    named += [*entries, *(re.sub(r"[()\[\]]", "", entry) for entry in entries)]
    own = set(vocabulary.lemmas(named))
    goods = list(dict.fromkeys(example.good for example in rule.examples))
    stems = tuple(word[: max(_SHORTEST_STEM, len(word) - _ENDING)] for word in own if len(word) > _SHORTEST_STEM)
    own |= {lemma for lemma in vocabulary.lemmas(goods) if lemma.startswith(stems)}
    if len(goods) >= _ENOUGH_EXAMPLES:
        counts = Counter(lemma for good in goods for lemma in vocabulary.lemmas([good]))
        own |= {lemma for lemma, count in counts.items() if 2 * count >= len(goods)}
    return frozenset(own)
