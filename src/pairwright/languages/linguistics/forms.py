"""The words of headwords; which words of two sentences are forms of one lexeme, and which words agree with a noun."""

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from pairwright.core.records import Example, Rule
from pairwright.core.text import TOKEN, words
from pairwright.languages.features import Demand, Features
from pairwright.languages.linguistics.sentences import changes
from pairwright.languages.morphology import Analyser, Analysis

T = TypeVar("T")

# "(pa)siekti", "mokyti(s)": brackets that touch a word. More of them than any headword has are left as they are.
_OPTIONAL = re.compile(r"[(\[]([^()\[\]\s]*)[)\]](?=\w)|(?<=\w)[(\[]([^()\[\]\s]*)[)\]]")
_MOST_OPTIONAL = 4


def headword_examples(rule: Rule) -> list[Example]:
    """The first pair under each headword of a rule, in the order of the source; none where it has no headwords."""
    firsts: dict[str, Example] = {}
    for example in rule.examples:
        if example.entry and example.bad and example.default and not example.exception:
            firsts.setdefault(example.entry, example)
    return list(firsts.values())


def window(items: Sequence[T], start: int, size: int) -> list[T]:
    """So many items from a place on, going round at the end, each once."""
    return [items[(start + offset) % len(items)] for offset in range(min(size, len(items)))]


def named_words(entry: str) -> list[str]:
    """The words of a headword, those with brackets in each of their forms: `(pa)siekti` is `pasiekti` and `siekti`."""
    spellings = [entry]
    for _ in range(_MOST_OPTIONAL):
        spellings = [_OPTIONAL.sub(kept, one, count=1) for one in spellings for kept in (r"\1\2", "")]
    return list(dict.fromkeys(word for spelling in spellings for word in words(spelling)))


NOUNS = frozenset({"NOUN", "PROPN"})
IMPOSED = ("Animacy", "Gender", "NounClass")
"""The features that a noun has from the lexicon, and gives to the words that agree with it."""
CONCORD = (*IMPOSED, "Case", "Number")
_MODIFIERS = frozenset({"ADJ", "DET", "NUM", "PRON"})


class Token(NamedTuple):
    """A word of a text, and its offset in characters."""

    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)

    @property
    def span(self) -> tuple[int, int]:
        return self.at, self.end


class ChangedWord(NamedTuple):
    """A changed word in the good and in the bad sentence, with its readings as forms of one lexeme.

    good_all, bad_all  all readings of the two words, also as forms of other lexemes
    """

    good: Token
    bad: Token
    readings: tuple[tuple[Analysis, Analysis], ...]
    good_all: tuple[Analysis, ...]
    bad_all: tuple[Analysis, ...]

    def showing(self, demand: Demand) -> list[tuple[Analysis, Analysis]]:
        """The readings as forms of one lexeme with the features that are demanded of each."""
        return [(g, b) for g, b in self.readings if demand.good <= g.features and demand.bad <= b.features]


class ChangedWords(NamedTuple):
    """The changed words that are forms of one lexeme, and the other words of the good and of the bad sentence."""

    contrasts: list[ChangedWord]
    good: list[Token]
    bad: list[Token]


def words_at(text: str, start: int = 0) -> list[Token]:
    """The words of a text that begins at `start` of a longer one, without punctuation marks."""
    return [Token(match[0], start + match.start()) for match in TOKEN.finditer(text) if match[0][0].isalnum()]


def one_lexeme(good: Iterable[Analysis], bad: Iterable[Analysis]) -> tuple[tuple[Analysis, Analysis], ...]:
    """The readings of two words as forms of one lexeme: of one lemma, part of speech and lexicon.

    Readings of two lexicons are never compared, because one may distinguish other features.
    """
    both = product(good, bad)
    return tuple((a, b) for a, b in both if (a.lemma, a.upos, a.source) == (b.lemma, b.upos, b.source))


def changed_words(good: str, bad: str, analyser: Analyser) -> ChangedWords:
    """How the words of two sentences differ. A word that only moved or changed its capitals has not changed."""
    spans = changes(good, bad)
    left = [word for change in spans for word in words_at(change.good, change.good_at)]
    right = [word for change in spans for word in words_at(change.bad, change.bad_at)]
    for word in list(left):
        if same := next((other for other in right if other.text.casefold() == word.text.casefold()), None):
            left.remove(word)
            right.remove(same)
    contrasts = []
    for word in list(left):
        readings = analyser.analyse(word.text)
        for other in right:
            others = analyser.analyse(other.text)
            if both := one_lexeme(readings, others):
                contrasts.append(ChangedWord(word, other, both, readings, others))
                left.remove(word)
                right.remove(other)
                break
    return ChangedWords(contrasts, left, right)


def differing_values(good: Analysis, bad: Analysis) -> set[str]:
    """The names of the features that both readings have, with another value each."""
    before, after = dict(good.features), dict(bad.features)
    return {name for name in before.keys() & after.keys() if before[name] != after[name]}


def may_modify(reading: Analysis) -> bool:
    """Whether a word read so may agree with a noun: an adjective, a determiner, a numeral, a pronoun, a participle."""
    return reading.upos in _MODIFIERS or ("VerbForm", "Part") in reading.features


def concord(one: Features, other: Features) -> bool:
    """Whether two bundles share two features of concord or more, and differ in none that both have.

    A possessor has a case of its own, as the pronoun in Lithuanian `savo piniginės`, and shares no more than that.
    """
    left, right = dict(one), dict(other)
    both = [name for name in CONCORD if name in left and name in right]
    return len(both) > 1 and all(left[name] == right[name] for name in both)


def agrees(modifier: Analysis, noun: Analysis) -> bool:
    """Whether two readings are those of a modifier and its noun."""
    return noun.upos in NOUNS and may_modify(modifier) and concord(modifier.features, noun.features)
