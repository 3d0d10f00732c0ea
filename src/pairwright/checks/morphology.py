"""Checks of the changed words: whether they are forms of one word, and whether they have the demanded features.

The checks exclude each other: a pair gets the gravest. Changed words that the lexicon lacks are no fault of the pair.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.checks.check import Check, Checker, Context, Fault, shown
from pairwright.checks.index import pair_sentence_key
from pairwright.languages.features import Demand, Features, parse_demand, show_demand, show_features
from pairwright.morphology import Analyser, Analysis
from pairwright.records import Candidate, Finding
from pairwright.text import TOKEN, changes

_Word = tuple[str, int]
_CONTRAST = Check("morphology-contrast", "info", "The features in which changed words of one lemma differ.")
_LEMMA = Check("morphology-lemma", "warning", "A contrast is demanded, and the changed words have different lemmas.")
_FEATURES = Check("morphology-features", "warning", "No changed word has the demanded features, or they can't be read.")
_AMBIGUOUS = Check(
    "morphology-ambiguous",
    "warning",
    "Every changed word of the bad sentence is also a form with the features that the good one must have, so the bad "
    "sentence may be a good one.",
)
_REPLACED = Check("morphology-replaced", "warning", "The demanded contrast is there, and other words changed as well.")
_VOID = Check(
    "morphology-void",
    "error",
    "A contrast of features is demanded, and no word differs, or every changed word of the bad sentence is nothing but "
    "what the good one must be.",
)


class Contrast(NamedTuple):
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

    def shows(self, demand: Demand) -> bool:
        """Whether the words can be read as forms of one lemma with the features that are demanded of each."""
        return any(demand.good <= good.features and demand.bad <= bad.features for good, bad in self.readings)

    def fault(self, message: str) -> Fault:
        return Fault(message, "bad", (self.bad_at, self.bad_at + len(self.bad)))


def changed_words(candidate: Candidate, analyser: Analyser) -> tuple[list[Contrast], list[_Word], list[_Word]]:
    """The changed words that are forms of one lemma, and the other words of the good and of the bad sentence.

    A word that only moved or changed its capitals is neither.
    """
    spans = changes(candidate.good, candidate.bad)
    good = [word for change in spans for word in _words(change.good, change.good_at)]
    bad = [word for change in spans for word in _words(change.bad, change.bad_at)]
    for word in list(good):
        if same := next((other for other in bad if other[0].casefold() == word[0].casefold()), None):
            good.remove(word)
            bad.remove(same)
    contrasts = []
    for word in list(good):
        if match := next(((other, pair) for other in bad if (pair := _contrast_of(word, other, analyser))), None):
            contrasts.append(match[1])
            good.remove(word)
            bad.remove(match[0])
    return contrasts, good, bad


def _words(text: str, start: int) -> list[_Word]:
    return [(match[0], start + match.start()) for match in TOKEN.finditer(text) if match[0][0].isalnum()]


def _contrast_of(good: _Word, bad: _Word, analyser: Analyser) -> Contrast | None:
    """Compares readings within one lexicon, because another one may distinguish other features."""
    good_all, bad_all = analyser.analyse(good[0]), analyser.analyse(bad[0])
    readings = tuple(
        (left, right)
        for left in good_all
        for right in bad_all
        if (left.lemma, left.upos, left.source) == (right.lemma, right.upos, right.source)
    )
    return Contrast(good[0], bad[0], good[1], bad[1], readings, good_all, bad_all) if readings else None


def _find(candidate: Candidate, context: Context) -> Iterator[Finding]:
    if context.analyser is None:
        return
    try:
        demand = parse_demand(candidate.features)
    except ValueError as fault:
        yield _FEATURES.finding(Fault(str(fault)))
        return
    check, faults = _judge(candidate, demand, context.analyser)
    yield from map(check.finding, faults)


CHANGED_WORDS = Checker((_CONTRAST, _LEMMA, _FEATURES, _AMBIGUOUS, _REPLACED, _VOID), _find)


def _judge(candidate: Candidate, demand: Demand, analyser: Analyser) -> tuple[Check, list[Fault]]:
    """The gravest check that the changed words fail, or `_CONTRAST`, with what to say of each word."""
    contrasts, good, bad = changed_words(candidate, analyser)
    demanded = " against ".join(show_demand(demand))
    if not demanded or pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        return _CONTRAST, [_described(pair, demand) for pair in contrasts]
    if not contrasts:
        return _unrelated(good, bad, demanded, analyser)
    relevant = [pair for pair in contrasts if pair.names & {name for name, _ in demand.good | demand.bad}]
    others = bool(good and bad)
    if relevant and not others and all(_void(pair, demand) for pair in relevant):
        return _VOID, [pair.fault(f"{demanded} is void: {_readings_of(pair)}") for pair in relevant]
    if not any(pair.shows(demand) for pair in relevant):
        tagged = relevant or [pair for pair in contrasts if pair.names]
        return _FEATURES, [pair.fault(f"{demanded} is demanded: {_readings_of(pair)}") for pair in tagged]
    twofold = [pair.fault(message) for pair in relevant if (message := _twofold(pair, demand))]
    if len(twofold) == len(relevant):
        return _AMBIGUOUS, twofold
    if others and all(analyser.analyse(word) for word, _ in good + bad):
        return _REPLACED, [_fault_of(good, bad, f"{demanded} is shown, and", "were exchanged as well")]
    return _CONTRAST, [_described(pair, demand) for pair in contrasts]


def _unrelated(good: list[_Word], bad: list[_Word], demanded: str, analyser: Analyser) -> tuple[Check, list[Fault]]:
    """What to say if no changed word is a form of the one that it replaces."""
    if not good and not bad:
        return _VOID, [Fault(f"{demanded} is demanded, and no word differs")]
    analysed = good and bad and all(analyser.analyse(word) for word, _ in good + bad)
    return _LEMMA, [_fault_of(good, bad, f"{demanded} is demanded;", "are no forms of one word")] if analysed else []


def _fault_of(good: list[_Word], bad: list[_Word], before: str, after: str) -> Fault:
    """A fault that names the words of each sentence that are not forms of the other's words."""
    left, right = (" ".join(word for word, _ in words) for words in (good, bad))
    return Fault(f"{before} {shown(left)} and {shown(right)} {after}", "bad", (bad[0][1], bad[-1][1] + len(bad[-1][0])))


def _void(pair: Contrast, demand: Demand) -> bool:
    """Whether every reading of the bad form has what is demanded of the good one; the reverse without such a demand."""
    readings = pair.bad_all if demand.good else pair.good_all
    demanded, other = (demand.good, demand.bad) if demand.good else (demand.bad, demand.good)
    has_other = bool(other) and any(other <= reading.features for reading in readings)
    return all(demanded <= reading.features for reading in readings) and not has_other


def _twofold(pair: Contrast, demand: Demand) -> str | None:
    """A reading by which the bad form is what the good one should be; the reverse without such a demand."""
    word, features, side = (pair.bad, demand.good, 1) if demand.good else (pair.good, demand.bad, 0)
    reading = next((both[side] for both in pair.readings if features <= both[side].features), None)
    if reading is None:
        return None
    other = f"{show_features(reading.features)} of {shown(reading.lemma)}"
    return f"{shown(word)} may be {show_features(features)} too: {other}"


def _readings_of(pair: Contrast) -> str:
    return ", ".join(
        f"{shown(word)} is " + " or ".join(dict.fromkeys(show_features(reading.features) for reading in readings))
        for word, readings in ((pair.good, pair.good_all), (pair.bad, pair.bad_all))
    )


def _described(pair: Contrast, demand: Demand) -> Fault:
    """The smallest difference between the readings of the two words; all of them if several are as small."""
    fitting = [both for both in pair.readings if demand.good <= both[0].features and demand.bad <= both[1].features]
    fitting = fitting or list(pair.readings)
    least = min(len(_differing(*both)) for both in fitting)
    nearest = [both for both in fitting if len(_differing(*both)) == least]
    lemmas = "/".join(dict.fromkeys(shown(good.lemma) for good, _ in nearest))
    forms = f"{shown(pair.good)} and {shown(pair.bad)} are forms of {lemmas}"
    span = (pair.good_at, pair.good_at + len(pair.good))
    if not least:
        return Fault(f"{forms} with the same features: {show_features(nearest[0][0].features)}", "good", span)
    differences = []
    for names in dict.fromkeys(_differing(*both) for both in nearest):
        alike = zip(*(both for both in nearest if _differing(*both) == names), strict=True)
        good, bad = (_values(names, [reading.features for reading in readings]) for readings in alike)
        differences.append(f"good {good}, bad {bad}")
    return Fault(f"{forms}: {'; or '.join(differences)}", "good", span)


def _differing(good: Analysis, bad: Analysis) -> frozenset[str]:
    return frozenset(name for name, _ in good.features ^ bad.features)


def _values(names: frozenset[str], bundles: list[Features]) -> str:
    """The named features of some bundles, with slashes between several values of one feature."""
    values = {name: dict.fromkeys(dict(bundle).get(name, "none") for bundle in bundles) for name in names}
    return "|".join(f"{name}={'/'.join(values[name])}" for name in sorted(names, key=str.lower))
