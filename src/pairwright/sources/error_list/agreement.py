"""Which words agree with a noun as its modifiers: by morphology, else by the endings that the language file pairs."""

from collections.abc import Collection, Sequence
from itertools import product

from pairwright.languages import Language
from pairwright.languages.linguistics.concord import agrees
from pairwright.languages.linguistics.forms import one_lexeme
from pairwright.languages.linguistics.likeness import same_ending, same_form
from pairwright.languages.morphology import Analyser, Analysis

_FINITE = ("VerbForm", "Fin")


class Agreement:
    """What the forms of words in one language have in common. Without an analyser, only their endings tell."""

    def __init__(self, language: Language, analyser: Analyser | None) -> None:
        self.analyser = analyser
        self._endings = language.agreement

    def agree(self, modifier: str, noun: str) -> bool:
        """Whether a word agrees with another as its modifier."""
        modifiers, nouns = self._readings(modifier), self._readings(noun)
        if modifiers and nouns:
            return any(_agree(m, n) for m, n in product(modifiers, nouns))
        if not self._endings:
            return same_form(modifier, noun)
        first, second = modifier.casefold(), noun.casefold()
        return any(first.endswith(endings) and second.endswith(others) for endings, others in self._endings)

    def stranded(self, words: Sequence[str], commas: Collection[int], first: int, last: int, new: str) -> int:
        """How many modifiers before the words from `first` to `last` agree with their noun, but not with `new`."""
        count, nouns = 0, self._readings(words[last - 1])
        for place in range(first - 1, -1, -1):
            modifiers = self._readings(words[place])
            # Nearer modifiers say which reading the noun has.
            nouns = tuple(noun for noun in nouns if not modifiers or any(_agree(m, noun) for m in modifiers))
            disagrees = modifiers and self._readings(words[last - 1]) and not nouns
            if place + 1 in commas or disagrees or not self.agree(words[place], words[last - 1]):
                break
            count += not self.agree(words[place], new)
        return count

    def same_shape(self, word: str, other: str) -> bool:
        """Whether two words are the same form of whatever words."""
        readings, others = self._readings(word), self._readings(other)
        if not readings or not others:
            return same_ending(word, other)
        return any(a.upos == b.upos and a.features == b.features for a, b in product(readings, others))

    def are_finite(self, *words: str) -> bool:
        """Whether words can only be finite verbs."""
        readings = [self._readings(word) for word in words]
        return all(of_word and all(_FINITE in reading.features for reading in of_word) for of_word in readings)

    def share_lemma(self, word: str, other: str) -> bool:
        """Whether two words may be forms of one by morphology."""
        return bool(one_lexeme(self._readings(word), self._readings(other)))

    def _readings(self, word: str) -> tuple[Analysis, ...]:
        return self.analyser.analyse(word) if self.analyser else ()


def _agree(modifier: Analysis, noun: Analysis) -> bool:
    """Whether two readings agree, but for those of an address, in which hardly any word stands."""
    return agrees(modifier, noun) and ("Case", "Voc") not in modifier.features
