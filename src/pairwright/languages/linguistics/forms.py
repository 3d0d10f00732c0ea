"""Which words of two sentences are forms of one lexeme, and how they can be read."""

from collections.abc import Iterable
from typing import NamedTuple

from pairwright.core.text import TOKEN
from pairwright.languages.features import Demand
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.morphology import Analyser, Analysis


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
    bad = tuple(bad)
    return tuple(
        (left, right)
        for left in good
        for right in bad
        if (left.lemma, left.upos, left.source) == (right.lemma, right.upos, right.source)
    )


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
