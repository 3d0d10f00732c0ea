"""Which words agree with a noun as its modifiers: by morphology, else by the endings that the language file pairs."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product

from pairwright.languages import Language
from pairwright.languages.features import Features
from pairwright.languages.linguistics.concord import NOUNS, agrees
from pairwright.languages.linguistics.forms import one_lexeme
from pairwright.languages.linguistics.likeness import same_ending, same_form
from pairwright.morphology import Analyser, Analysis

_MODIFIERS = frozenset({"ADJ", "DET", "NUM", "PRON", "VERB"})
_AGREEMENT = ("Case", "Number", "Gender")
_FINITE = ("VerbForm", "Fin")
# Forms of verbs that modify nothing.
_VERBS = ("Fin", "Inf", "Ger")


class Agreement:
    """What the forms of words in one language have in common. Without an analyser, only their endings tell."""

    def __init__(self, language: Language, analyser: Analyser | None) -> None:
        self.analyser = analyser
        self._endings = language.agreement
        self._genitive_first = language.genitive_first

    def agree(self, modifier: str, noun: str) -> bool:
        """Whether a word agrees with another as its modifier."""
        modifiers, nouns = self._readings(modifier), self._readings(noun)
        if modifiers and nouns:
            return any(_agree(m, n) for m, n in product(modifiers, nouns))
        if not self._endings:
            return same_form(modifier, noun)
        first, second = modifier.casefold(), noun.casefold()
        return any(first.endswith(endings) and second.endswith(others) for endings, others in self._endings)

    def adapted(self, modifier: str, new: str) -> str | None:
        """A modifier in the form that agrees with another noun; None where morphology gives no form or several."""
        nouns = [noun for noun in self._readings(new) if noun.upos in NOUNS]
        forms_of = [
            m for m in self._readings(modifier) if m.upos in _MODIFIERS and len(_shared(m.features, m.features)) > 1
        ]
        pairs = list(product(forms_of, nouns))
        nearest = min((_distance(*pair) for pair in pairs), default=0)
        forms = {
            form
            for m, n in pairs
            if self.analyser and _distance(m, n) == nearest
            for form in self.analyser.inflect(m.lemma, _shared(m.features, n.features), like=modifier)
        }
        return forms.pop() if len(forms) == 1 else None

    def stranded(self, words: Sequence[str], commas: Collection[int], first: int, last: int, new: str) -> Iterator[int]:
        """Where modifiers before the words from `first` to `last` stand that agree with their noun, not with `new`."""
        nouns = self._readings(words[last - 1])
        for place in range(first - 1, -1, -1):
            modifiers = self._readings(words[place])
            # Nearer modifiers say which reading the noun has.
            nouns = tuple(noun for noun in nouns if not modifiers or any(_agree(m, noun) for m in modifiers))
            disagrees = modifiers and self._readings(words[last - 1]) and not nouns
            if place + 1 in commas or disagrees or not self.agree(words[place], words[last - 1]):
                return
            if not self.agree(words[place], new):
                yield place

    def depends(self, word: str, old: str, new: str, nouns: Iterable[str]) -> bool:
        """Whether a word agrees with one noun and no other, and must change its number or gender beside `new`.

        Without the case of `old`, `new` stands in another place of the sentence, and nothing is known.
        """
        others = [
            r for r in self._readings(word) if r.upos not in _MODIFIERS or dict(r.features).get("VerbForm") in _VERBS
        ]
        if others or not self.is_modifier(word) or self.agree(word, new) or not self.agree(word, old):
            return False
        cases = [self._cases(noun) for noun in (word, old, new) if self._readings(noun)]
        return bool(frozenset.intersection(*cases)) and not any(self.agree(word, noun) for noun in nouns)

    def following(self, word: str, old: str, new: str) -> str | None:
        """A word that has the case of `old`, or another feature, changed as `new` changes it; None where it has not.

        `new` is another form of the word `old`. None also where morphology gives several forms.
        """
        forms = {
            form
            for o, n, m in product(self._readings(old), self._readings(new), self._readings(word))
            if self.analyser and o[:2] == n[:2] and (changed := frozenset(name for name, _ in o.features ^ n.features))
            if changed <= {"Case", "Definite"} and _only(m.features, changed) == _only(o.features, changed)
            for form in self.analyser.inflect(m.lemma, _only(n.features, changed), like=word)
        }
        return forms.pop() if len(forms) == 1 else None

    def _cases(self, word: str) -> frozenset[str | None]:
        return frozenset(dict(reading.features).get("Case") for reading in self._readings(word)) - {None}

    def same_shape(self, word: str, other: str) -> bool:
        """Whether two words are the same form of whatever words."""
        readings, others = self._readings(word), self._readings(other)
        if not readings or not others:
            return same_ending(word, other)
        return any(a.upos == b.upos and a.features == b.features for a, b in product(readings, others))

    def are_finite(self, *words: str) -> bool:
        """Whether words can only be finite verbs, two of which do not stand side by side."""
        readings = [self._readings(word) for word in words]
        return all(of_word and all(_FINITE in reading.features for reading in of_word) for of_word in readings)

    def is_modifier(self, word: str) -> bool:
        """Whether morphology gives a word a reading as a modifier."""
        return any(reading.upos in _MODIFIERS and "Case" in dict(reading.features) for reading in self._readings(word))

    def is_attribute(self, word: str, noun: str) -> bool:
        """Whether a noun belongs before another one, because it may be in the genitive."""
        readings = self._readings(noun)
        only_noun = bool(readings) and all(reading.upos in NOUNS for reading in readings)
        return self._genitive_first and only_noun and "Gen" in self._cases(word)

    def is_number(self, word: str) -> bool:
        """Whether a word may be a numeral, which may govern its noun instead of agreeing with it."""
        return any(reading.upos == "NUM" for reading in self._readings(word))

    def has_case(self, word: str) -> bool:
        """Whether a word may have a case."""
        return bool(self._cases(word))

    def is_inflected(self, word: str) -> bool:
        """Whether a word has a case, or may have one where no morphology knows and nouns have endings."""
        return self.has_case(word) if self.analyser else bool(self._endings)

    def has_no_case(self, word: str) -> bool:
        """Whether no adposition governs a word: its morphology gives it no case but the nominative."""
        readings = self._readings(word)
        return bool(readings) and all(dict(reading.features).get("Case") in (None, "Nom") for reading in readings)

    def is_unknown(self, word: str) -> bool:
        """Whether morphology is there and has no reading of a word."""
        return self.analyser is not None and not self._readings(word)

    def share_lemma(self, word: str, other: str) -> bool:
        """Whether two words may be forms of one by morphology."""
        return bool(one_lexeme(self._readings(word), self._readings(other)))

    def _readings(self, word: str) -> tuple[Analysis, ...]:
        return self.analyser.analyse(word) if self.analyser else ()


def _agree(modifier: Analysis, noun: Analysis) -> bool:
    """Whether two readings agree, but for those of an address, in which hardly any word stands."""
    return agrees(modifier, noun) and ("Case", "Voc") not in modifier.features


def _shared(modifier: Features, noun: Features) -> Features:
    """The features in which a modifier has to follow a noun."""
    names = dict(modifier)
    return frozenset((name, value) for name, value in noun if name in _AGREEMENT and name in names)


def _only(features: Features, names: Collection[str]) -> Features:
    return frozenset((name, value) for name, value in features if name in names)


def _distance(modifier: Analysis, noun: Analysis) -> int:
    """In how many features a modifier has to change to agree with a noun."""
    first, second = dict(modifier.features), dict(noun.features)
    return sum(name in first and first[name] != second.get(name) for name in _AGREEMENT)
