"""Checks of the changed words: whether they are forms of one word, and whether they have the demanded features.

The checks exclude each other: a pair gets the gravest. Changed words that the lexicon lacks are no fault of the pair.
Of several readings the kindest counts, so an error says that no reading fits.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

from pairwright.checks.check import Check, Checker, Context, Fault, pair_sentence_key, shown
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Finding, Rule, TreebankChange
from pairwright.languages.features import Demand, parse_demand, show_demand, show_features
from pairwright.languages.linguistics.forms import (
    NOUNS,
    ChangedWord,
    ChangedWords,
    Token,
    agrees,
    changed_words,
    differing_values,
    words_at,
)
from pairwright.languages.morphology import Analyser, Analysis

_CONTRAST = Check("morphology-contrast", "info", "The features in which changed words of one lemma differ.")
_LEMMA = Check("morphology-lemma", "warning", "A contrast is demanded, and the changed words have different lemmas.")
_FEATURES = Check(
    "morphology-features",
    "warning",
    "The demanded features can't be read or found beside other words that were exchanged, or a pair of the source or a "
    "correction differs from what is demanded.",
)
_AMBIGUOUS = Check(
    "morphology-ambiguous",
    "warning",
    "Every changed word of the bad sentence is also a form with the features that the good one must have, so the bad "
    "sentence may be a good one.",
)
_REPLACED = Check("morphology-replaced", "warning", "The demanded contrast is there, and other words changed as well.")
_AGREEMENT = Check(
    "morphology-agreement",
    "warning",
    "The demanded contrast is there, and a word beside it that agreed with the changed word does no longer, as in no "
    "pair that the source itself gives for the rule. Contrasts of treebanks that are about agreement are left out.",
)
_VOID = Check(
    "morphology-void",
    "error",
    "A contrast of features is demanded, and no word differs, or every changed word of the bad sentence is nothing but "
    "what the good one must be.",
)
_EXCHANGED = Check(
    "morphology-exchanged",
    "error",
    "The good sentence has the features that the bad one must have, and the bad one those of the good one.",
)
_WORD_COUNT = Check(
    "morphology-word-count",
    "error",
    "The demanded contrast is there, and the bad sentence has more or fewer words than the good one as well, as in no "
    "pair that the source itself gives for the rule.",
)
_OTHER = Check("morphology-other", "error", "In no reading do the changed words show the demanded contrast.")
_BESIDE = Check(
    "morphology-beside",
    "error",
    "In every reading more changes than the demanded features: number, person, tense or the like of the same word, or "
    "a further word that does not agree with it.",
)

# What a word takes over from another: that it changes too is agreement, not a second contrast.
_TAKEN_OVER = frozenset({"Animacy", "Case", "Gender", "NounClass", "Number", "Person"})


def _find(candidate: Candidate, context: Context) -> Iterator[Finding]:
    if context.analyser is None:
        return
    try:
        demand = parse_demand(candidate.features)
    except ValueError as fault:
        yield _FEATURES.finding(Fault(str(fault)))
        return
    check, faults = _gravest(candidate, demand, context.analyser, context.rules.get(candidate.rule_id))
    # A demand on the whole rule does not overrule its source, nor what a reviewer made of a pair.
    of_people = candidate.parent_id is not None and candidate.derivation is None
    by_people = candidate.method == "source" or of_people
    yield from map((_FEATURES if by_people and check.level == "error" else check).finding, faults)


CHANGED_WORDS = Checker(
    (_CONTRAST, _LEMMA, _FEATURES, _AMBIGUOUS, _REPLACED, _AGREEMENT, _VOID, _EXCHANGED, _OTHER, _BESIDE, _WORD_COUNT),
    _find,
)


def _gravest(candidate: Candidate, demand: Demand, analyser: Analyser, rule: Rule | None) -> tuple[Check, list[Fault]]:
    """The gravest check that the changed words fail, or `_CONTRAST`, with what to say of each word."""
    changed = changed_words(candidate.good, candidate.bad, analyser)
    demanded = " against ".join(show_demand(demand))
    if not demanded or pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        return _CONTRAST, [_described(pair, demand) for pair in changed.contrasts]
    replaced = changed.good and changed.bad and all(analyser.analyse(word) for word, _ in changed.good + changed.bad)
    if not changed.contrasts:
        # No changed word is a form of the one that it replaces.
        if not changed.good and not changed.bad:
            return _VOID, [Fault(f"{demanded} is demanded, and no word differs")]
        return _LEMMA, [_fault_of(changed, f"{demanded} is demanded;", "are no forms of one word")] if replaced else []
    targets = [pair for pair in changed.contrasts if pair.showing(demand)]
    if not targets:
        return _not_shown(changed, demand, demanded)
    if beside := [_fault(pair, message) for pair in changed.contrasts if (message := _beside(pair, demand, changed))]:
        return _BESIDE, beside
    own = [(item.good, item.bad) for item in (rule.examples if rule else ()) if item.bad]
    n_good, n_bad = len(words_at(candidate.good)), len(words_at(candidate.bad))
    if n_good != n_bad and all(len(words_at(good)) == len(words_at(bad)) for good, bad in own):
        message = f"the good sentence has {counted(n_good, 'word')}, the bad one {n_bad}"
        return _WORD_COUNT, [Fault(message, "bad", (0, len(candidate.bad)))]
    twofold = [_fault(pair, message) for pair in targets if (message := _twofold(pair, demand))]
    if len(twofold) == len(_relevant(changed, demand)):
        return _AMBIGUOUS, twofold
    if replaced:
        return _REPLACED, [_fault_of(changed, f"{demanded} is shown, and", "were exchanged as well")]
    breaks_agreement = isinstance(candidate.derivation, TreebankChange) and candidate.derivation.agreement
    left = [] if breaks_agreement else list(left_behind(candidate.good, candidate.bad, analyser))
    if left and not any(any(left_behind(good, bad, analyser)) for good, bad in own):
        agrees_with = "{} agrees with {} and not with {}".format
        return _AGREEMENT, [
            _fault(pair, agrees_with(*map(shown, (word, pair.good.text, pair.bad.text)))) for pair, word in left
        ]
    return _CONTRAST, [_described(pair, demand) for pair in changed.contrasts]


def left_behind(good: str, bad: str, analyser: Analyser) -> Iterator[tuple[ChangedWord, str]]:
    """The changed words with the neighbours that stayed as they were and agree with them in the good sentence alone."""
    for pair in changed_words(good, bad, analyser).contrasts:
        unchanged = {word.casefold() for word in _neighbours(bad, pair.bad)}
        for word in _neighbours(good, pair.good):
            readings = analyser.analyse(word)
            if word.casefold() in unchanged and _agree(pair.good_all, readings) and not _agree(pair.bad_all, readings):
                yield pair, word


def _neighbours(sentence: str, word: Token) -> Iterator[str]:
    """The words before and after a word, where no punctuation mark separates them."""
    for left, right in pairwise(words_at(sentence)):
        if word in (left, right) and sentence[left.end : right.at].isspace():
            yield (left if word == right else right).text


def _agree(some: Iterable[Analysis], others: Iterable[Analysis]) -> bool:
    return any(agrees(one, other) or agrees(other, one) for one, other in product(some, others))


def _fault(pair: ChangedWord, message: str) -> Fault:
    return Fault(message, "bad", pair.bad.span)


def _described(pair: ChangedWord, demand: Demand) -> Fault:
    """The smallest difference between the readings of the two words; all of them if several are as small."""
    fitting = pair.showing(demand) or list(pair.readings)
    least = min(len(_differing(*both)) for both in fitting)
    nearest = [both for both in fitting if len(_differing(*both)) == least]
    lemmas = "/".join(dict.fromkeys(shown(good.lemma) for good, _ in nearest))
    forms = f"{shown(pair.good.text)} and {shown(pair.bad.text)} are forms of {lemmas}"
    if not least:
        return Fault(f"{forms} with the same features: {show_features(nearest[0][0].features)}", "good", pair.good.span)
    differences = []
    for names in dict.fromkeys(_differing(*both) for both in nearest):
        alike = zip(*(both for both in nearest if _differing(*both) == names), strict=True)
        good, bad = (_values(names, readings) for readings in alike)
        differences.append(f"good {good}, bad {bad}")
    return Fault(f"{forms}: {'; or '.join(differences)}", "good", pair.good.span)


def _all_readings(pair: ChangedWord) -> str:
    return ", ".join(
        f"{shown(word.text)} is " + " or ".join(dict.fromkeys(show_features(reading.features) for reading in readings))
        for word, readings in ((pair.good, pair.good_all), (pair.bad, pair.bad_all))
    )


def _names_of(pair: ChangedWord) -> set[str]:
    """The names of the features of all readings."""
    return {name for reading in pair.good_all + pair.bad_all for name, _ in reading.features}


def _relevant(changed: ChangedWords, demand: Demand) -> list[ChangedWord]:
    """The changed words that have some of the demanded features, with whatever values."""
    return [pair for pair in changed.contrasts if _names_of(pair) & {name for name, _ in demand.good | demand.bad}]


def _not_shown(changed: ChangedWords, demand: Demand, demanded: str) -> tuple[Check, list[Fault]]:
    """What to say if no changed word shows the demanded contrast."""
    pairs = _relevant(changed, demand) or [pair for pair in changed.contrasts if _names_of(pair)]
    if changed.good and changed.bad:
        # A word that was exchanged for another one may carry the contrast.
        check, message = _FEATURES, f"{demanded} is demanded"
    elif demand.good and demand.bad and all(pair.showing(Demand(demand.bad, demand.good)) for pair in pairs):
        check, message = _EXCHANGED, f"{demanded} is the wrong way round"
    elif all(_void(pair, demand) for pair in pairs):
        check, message = _VOID, f"{demanded} is void"
    else:
        # So may a word that was added, such as an adposition or an article.
        check, message = _FEATURES if changed.good or changed.bad else _OTHER, f"{demanded} is demanded"
    return check, [_fault(pair, f"{message}: {_all_readings(pair)}") for pair in pairs]


def _beside(pair: ChangedWord, demand: Demand, changed: ChangedWords) -> str | None:
    """What changes in a word beside what is demanded of it, or in one that has nothing to do with the demand."""
    is_noun = all(good.upos in NOUNS for good, _ in pair.readings)
    exchanged = changed.good and changed.bad
    # What agrees with a word that was exchanged for another one takes over the other one's gender and number.
    excused = frozenset() if is_noun or not exchanged else _TAKEN_OVER
    if showing := pair.showing(demand):
        demanded = {name for name, _ in demand.good | demand.bad}
        besides = [differing_values(*both) - demanded - excused for both in showing]
        return f"{_names(besides)} changes with it: {_all_readings(pair)}" if all(besides) else None
    besides = [differing_values(*both) for both in pair.readings]
    may_agree = (exchanged or not is_noun) and any(names <= _TAKEN_OVER for names in besides)
    if not all(besides) or may_agree:
        return None
    return f"{shown(pair.good.text)} and {shown(pair.bad.text)} differ as well, in {_names(besides)}"


def _names(bundles: list[set[str]]) -> str:
    return " or ".join(dict.fromkeys(" and ".join(sorted(names)) for names in bundles))


def _fault_of(changed: ChangedWords, before: str, after: str) -> Fault:
    """A fault that names the words of each sentence that are not forms of the other's words."""
    left, right = (" ".join(word for word, _ in words) for words in (changed.good, changed.bad))
    span = changed.bad[0].at, changed.bad[-1].end
    return Fault(f"{before} {shown(left)} and {shown(right)} {after}", "bad", span)


def _void(pair: ChangedWord, demand: Demand) -> bool:
    """Whether every reading of the bad form has what is demanded of the good one; the reverse without such a demand."""
    readings = pair.bad_all if demand.good else pair.good_all
    demanded, other = (demand.good, demand.bad) if demand.good else (demand.bad, demand.good)
    has_other = bool(other) and any(other <= reading.features for reading in readings)
    return all(demanded <= reading.features for reading in readings) and not has_other


def _twofold(pair: ChangedWord, demand: Demand) -> str | None:
    """A reading by which the bad form is what the good one should be; the reverse without such a demand."""
    word, features, side = (pair.bad, demand.good, 1) if demand.good else (pair.good, demand.bad, 0)
    reading = next((both[side] for both in pair.readings if features <= both[side].features), None)
    if reading is None:
        return None
    other = f"{show_features(reading.features)} of {shown(reading.lemma)}"
    return f"{shown(word.text)} may be {show_features(features)} too: {other}"


def _differing(good: Analysis, bad: Analysis) -> frozenset[str]:
    return frozenset(name for name, _ in good.features ^ bad.features)


def _values(names: frozenset[str], readings: Iterable[Analysis]) -> str:
    """The named features of some readings, with slashes between several values of one feature."""
    listed = [dict(reading.features) for reading in readings]
    values = {name: dict.fromkeys(bundle.get(name, "none") for bundle in listed) for name in names}
    return "|".join(f"{name}={'/'.join(values[name])}" for name in sorted(names, key=str.lower))
