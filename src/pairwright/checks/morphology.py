"""Checks of the changed words: whether they are forms of one word, and whether their features are those demanded.

The warnings, the error and the contrast that is found exclude each other: a pair gets the gravest. What a lexicon lacks
is no fault of the pair, so a changed word that it does not know is passed over.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.checks.check import Context, Fault, shown
from pairwright.checks.index import pair_sentence_key
from pairwright.languages.features import Demand, Features, parse_demand, show_demand, show_features
from pairwright.morphology import Analyser, Analysis
from pairwright.records import Candidate
from pairwright.text import TOKEN, changes

_Word = tuple[str, int]
_Void, _Lemma, _Features, _Ambiguous, _Replaced, _Contrast = range(6)


class Contrast(NamedTuple):
    """A changed word as it stands in the good and in the bad sentence, with its readings as forms of one lemma.

    good_all, bad_all  all readings of the two words, those as forms of other lemmas included
    """

    good: str
    bad: str
    good_at: int
    bad_at: int
    readings: tuple[tuple[Analysis, Analysis], ...]
    good_all: tuple[Analysis, ...]
    bad_all: tuple[Analysis, ...]

    def has(self, names: frozenset[str]) -> bool:
        """Whether some reading has some of these features."""
        return any(name in names for reading in self.good_all + self.bad_all for name, _ in reading.features)

    def shows(self, demand: Demand) -> bool:
        """Whether the words can be read as forms of one lemma with the features that are demanded of each."""
        return any(demand.good <= good.features and demand.bad <= bad.features for good, bad in self.readings)

    def fault(self, message: str) -> Fault:
        return Fault(message, "bad", (self.bad_at, self.bad_at + len(self.bad)))


def contrast(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The features in which the changed words differ."""
    yield from _found(candidate, context, _Contrast)


def lemma(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A contrast of features is demanded, and the changed words are forms of different words."""
    yield from _found(candidate, context, _Lemma)


def features(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """No changed word has the features that are demanded."""
    yield from _found(candidate, context, _Features)


def ambiguous(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The bad form is also the form of the good cell, so the bad sentence may be a good one."""
    yield from _found(candidate, context, _Ambiguous)


def replaced(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The demanded contrast is there, and other words were replaced by other words as well."""
    yield from _found(candidate, context, _Replaced)


def void(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The bad form is nothing but what is demanded of the good one, or no word differs at all."""
    yield from _found(candidate, context, _Void)


def changed_words(candidate: Candidate, analyser: Analyser) -> tuple[list[Contrast], list[_Word], list[_Word]]:
    """The changed words that are forms of one lemma, and the others of the good and of the bad sentence.

    A word that only moved, or changed its capitals, is none of these.
    """
    found = changes(candidate.good, candidate.bad)
    good = [word for change in found for word in _words(change.good, change.good_at)]
    bad = [word for change in found for word in _words(change.bad, change.bad_at)]
    for word in list(good):
        same = next((other for other in bad if other[0].casefold() == word[0].casefold()), None)
        if same:
            good.remove(word)
            bad.remove(same)
    contrasts = []
    for word in list(good):
        found_with = next(((other, pair) for other in bad if (pair := _contrast_of(word, other, analyser))), None)
        if found_with:
            contrasts.append(found_with[1])
            good.remove(word)
            bad.remove(found_with[0])
    return contrasts, good, bad


def _words(text: str, start: int) -> Iterator[_Word]:
    yield from ((m.group(), start + m.start()) for m in TOKEN.finditer(text) if m.group()[0].isalnum())


def _contrast_of(good: _Word, bad: _Word, analyser: Analyser) -> Contrast | None:
    """Readings are compared within one source: another one may tell other features apart."""
    good_all, bad_all = analyser.analyse(good[0]), analyser.analyse(bad[0])
    readings = tuple(
        (left, right)
        for left in good_all
        for right in bad_all
        if (left.lemma, left.upos, left.source) == (right.lemma, right.upos, right.source)
    )
    return Contrast(good[0], bad[0], good[1], bad[1], readings, good_all, bad_all) if readings else None


def _found(candidate: Candidate, context: Context, wanted: int) -> Iterator[Fault]:
    if context.analyser is None:
        return
    try:
        demand = parse_demand(candidate.features)
    except ValueError as fault:
        if wanted == _Features:
            yield Fault(str(fault))
        return
    kind, faults = _judge(candidate, demand, context.analyser)
    if kind == wanted:
        yield from faults


def _judge(candidate: Candidate, demand: Demand, analyser: Analyser) -> tuple[int, list[Fault]]:
    contrasts, good, bad = changed_words(candidate, analyser)
    told = " against ".join(show_demand(demand))
    if not told or pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        return _Contrast, [_described(pair, demand) for pair in contrasts]
    if not contrasts:
        return _unrelated(good, bad, told, analyser)
    relevant = [pair for pair in contrasts if pair.has(frozenset(name for name, _ in demand.good | demand.bad))]
    others = bool(good and bad)
    if relevant and not others and all(_void(pair, demand) for pair in relevant):
        return _Void, [pair.fault(f"{told} is void: {_readings_of(pair)}") for pair in relevant]
    if not any(pair.shows(demand) for pair in relevant):
        tagged = [pair for pair in contrasts if any(reading.features for reading in pair.good_all + pair.bad_all)]
        return _Features, [pair.fault(f"{told} is demanded: {_readings_of(pair)}") for pair in relevant or tagged]
    twofold = [(pair, reading) for pair in relevant if (reading := _other_reading(pair, demand))]
    if len(twofold) == len(relevant):
        return _Ambiguous, [pair.fault(_may_be(pair, reading, demand)) for pair, reading in twofold]
    if others and all(analyser.analyse(word) for word, _ in good + bad):
        return _Replaced, [_fault_of(good, bad, f"{told} is shown, and", "were exchanged as well")]
    return _Contrast, [_described(pair, demand) for pair in contrasts]


def _unrelated(good: list[_Word], bad: list[_Word], told: str, analyser: Analyser) -> tuple[int, list[Fault]]:
    """What to say where no changed word is a form of the one that it replaces."""
    if not good and not bad:
        return _Void, [Fault(f"{told} is demanded, and no word differs")]
    if not good or not bad or not all(analyser.analyse(word) for word, _ in good + bad):
        return _Lemma, []
    return _Lemma, [_fault_of(good, bad, f"{told} is demanded;", "are no forms of one word")]


def _fault_of(good: list[_Word], bad: list[_Word], before: str, after: str) -> Fault:
    """A fault that names the words of each sentence that are no forms of the other's."""
    left, right = (" ".join(word for word, _ in words) for words in (good, bad))
    return Fault(f"{before} {shown(left)} and {shown(right)} {after}", "bad", (bad[0][1], bad[-1][1] + len(bad[-1][0])))


def _void(pair: Contrast, demand: Demand) -> bool:
    """Whether the bad form has what is demanded of the good one in every reading, or, without such, the reverse."""
    if demand.good:
        readings, wanted, other = pair.bad_all, demand.good, demand.bad
    else:
        readings, wanted, other = pair.good_all, demand.bad, demand.good
    has_other = bool(other) and any(other <= reading.features for reading in readings)
    return all(wanted <= reading.features for reading in readings) and not has_other


def _other_reading(pair: Contrast, demand: Demand) -> Analysis | None:
    """A reading by which the bad form is what the good one should be, or, without such a demand, the reverse."""
    if demand.good:
        readings = (right for _, right in pair.readings if demand.good <= right.features)
    else:
        readings = (left for left, _ in pair.readings if demand.bad <= left.features)
    return next(readings, None)


def _may_be(pair: Contrast, reading: Analysis, demand: Demand) -> str:
    word, what = (pair.bad, demand.good) if demand.good else (pair.good, demand.bad)
    return (
        f"{shown(word)} may be {show_features(what)} too: {show_features(reading.features)} of {shown(reading.lemma)}"
    )


def _readings_of(pair: Contrast) -> str:
    parts = []
    for word, readings in ((pair.good, pair.good_all), (pair.bad, pair.bad_all)):
        parts.append(f"{shown(word)} is " + " or ".join(dict.fromkeys(show_features(it.features) for it in readings)))
    return ", ".join(parts)


def _described(pair: Contrast, demand: Demand) -> Fault:
    """The least difference between the readings of the two words; all of them where several are as small."""
    fitting = [
        (good, bad) for good, bad in pair.readings if demand.good <= good.features and demand.bad <= bad.features
    ] or list(pair.readings)
    least = min(len(_differing(*both)) for both in fitting)
    nearest = [both for both in fitting if len(_differing(*both)) == least]
    lemmas = "/".join(dict.fromkeys(shown(good.lemma) for good, _ in nearest))
    what = f"{shown(pair.good)} and {shown(pair.bad)} are forms of {lemmas}"
    span = (pair.good_at, pair.good_at + len(pair.good))
    if not least:
        return Fault(f"{what} with the same features: {show_features(nearest[0][0].features)}", "good", span)
    told = []
    for names in dict.fromkeys(_differing(*both) for both in nearest):
        alike = [both for both in nearest if _differing(*both) == names]
        good, bad = (_values(names, [both[side].features for both in alike]) for side in (0, 1))
        told.append(f"good {good}, bad {bad}")
    return Fault(f"{what}: {'; or '.join(told)}", "good", span)


def _differing(good: Analysis, bad: Analysis) -> frozenset[str]:
    return frozenset(name for name, _ in good.features ^ bad.features)


def _values(names: frozenset[str], bundles: list[Features]) -> str:
    """The given features of some bundles, several values of one feature parted by strokes."""
    parts = []
    for name in sorted(names, key=str.lower):
        values = dict.fromkeys(dict(bundle).get(name, "none") for bundle in bundles)
        parts.append(f"{name}={'/'.join(values)}")
    return "|".join(parts)
