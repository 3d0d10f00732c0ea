"""The changed words of a pair: which words of the two sentences are forms of one lemma, and how they can be read."""

from collections.abc import Iterable
from typing import NamedTuple

from pairwright.checks.check import Fault, shown
from pairwright.languages.features import Demand, Features, show_features
from pairwright.languages.linguistics.edits import changes
from pairwright.morphology import Analyser, Analysis
from pairwright.text import TOKEN

Word = tuple[str, int]
"""A word and where it begins in its sentence."""


class ChangedWord(NamedTuple):
    """A changed word as it stands in the good and in the bad sentence, with its readings as forms of one lemma.

    good_all, bad_all  all readings of the two words, also as forms of other lemmas
    """

    good: str
    bad: str
    good_at: int
    bad_at: int
    readings: tuple[tuple[Analysis, Analysis], ...]
    good_all: tuple[Analysis, ...]
    bad_all: tuple[Analysis, ...]

    @property
    def names(self) -> set[str]:
        """The names of the features of all readings."""
        return {name for reading in self.good_all + self.bad_all for name, _ in reading.features}

    def showing(self, demand: Demand) -> list[tuple[Analysis, Analysis]]:
        """The readings as forms of one lemma with the features that are demanded of each."""
        return [(g, b) for g, b in self.readings if demand.good <= g.features and demand.bad <= b.features]

    def fault(self, message: str) -> Fault:
        return Fault(message, "bad", (self.bad_at, self.bad_at + len(self.bad)))

    def described(self, demand: Demand) -> Fault:
        """The smallest difference between the readings of the two words; all of them if several are as small."""
        fitting = self.showing(demand) or list(self.readings)
        least = min(len(_differing(*both)) for both in fitting)
        nearest = [both for both in fitting if len(_differing(*both)) == least]
        lemmas = "/".join(dict.fromkeys(shown(good.lemma) for good, _ in nearest))
        forms = f"{shown(self.good)} and {shown(self.bad)} are forms of {lemmas}"
        span = (self.good_at, self.good_at + len(self.good))
        if not least:
            return Fault(f"{forms} with the same features: {show_features(nearest[0][0].features)}", "good", span)
        differences = []
        for names in dict.fromkeys(_differing(*both) for both in nearest):
            alike = zip(*(both for both in nearest if _differing(*both) == names), strict=True)
            good, bad = (_values(names, [reading.features for reading in readings]) for readings in alike)
            differences.append(f"good {good}, bad {bad}")
        return Fault(f"{forms}: {'; or '.join(differences)}", "good", span)

    def all_readings(self) -> str:
        """Every reading of both words, for a message."""
        return ", ".join(
            f"{shown(word)} is " + " or ".join(dict.fromkeys(show_features(reading.features) for reading in readings))
            for word, readings in ((self.good, self.good_all), (self.bad, self.bad_all))
        )


class ChangedWords(NamedTuple):
    """The changed words that are forms of one lemma, and the other words of the good and of the bad sentence."""

    contrasts: list[ChangedWord]
    good: list[Word]
    bad: list[Word]


def changed_words(good: str, bad: str, analyser: Analyser) -> ChangedWords:
    """How the words of two sentences differ. A word that only moved or changed its capitals has not changed."""
    spans = changes(good, bad)
    left = [word for change in spans for word in words_at(change.good, change.good_at)]
    right = [word for change in spans for word in words_at(change.bad, change.bad_at)]
    for word in list(left):
        if same := next((other for other in right if other[0].casefold() == word[0].casefold()), None):
            left.remove(word)
            right.remove(same)
    contrasts = []
    for word in list(left):
        if match := next(((other, pair) for other in right if (pair := _contrast_of(word, other, analyser))), None):
            contrasts.append(match[1])
            left.remove(word)
            right.remove(match[0])
    return ChangedWords(contrasts, left, right)


def words_at(text: str, start: int = 0) -> list[Word]:
    """The words of a piece of a sentence that begins at `start`."""
    return [(match[0], start + match.start()) for match in TOKEN.finditer(text) if match[0][0].isalnum()]


def changed_values(good: Analysis, bad: Analysis) -> set[str]:
    """The names of the features that both readings have, with another value each."""
    before, after = dict(good.features), dict(bad.features)
    return {name for name in before.keys() & after.keys() if before[name] != after[name]}


def _contrast_of(good: Word, bad: Word, analyser: Analyser) -> ChangedWord | None:
    """Compares readings within one lexicon, because another one may distinguish other features."""
    good_all, bad_all = analyser.analyse(good[0]), analyser.analyse(bad[0])
    readings = tuple(
        (left, right)
        for left in good_all
        for right in bad_all
        if (left.lemma, left.upos, left.source) == (right.lemma, right.upos, right.source)
    )
    return ChangedWord(good[0], bad[0], good[1], bad[1], readings, good_all, bad_all) if readings else None


def _differing(good: Analysis, bad: Analysis) -> frozenset[str]:
    return frozenset(name for name, _ in good.features ^ bad.features)


def _values(names: frozenset[str], bundles: Iterable[Features]) -> str:
    """The named features of some bundles, with slashes between several values of one feature."""
    listed = [dict(bundle) for bundle in bundles]
    values = {name: dict.fromkeys(bundle.get(name, "none") for bundle in listed) for name in names}
    return "|".join(f"{name}={'/'.join(values[name])}" for name in sorted(names, key=str.lower))
