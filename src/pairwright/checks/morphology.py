"""Checks of the changed words: whether they are forms of one word, and whether they have the demanded features.

The checks exclude each other: a pair gets the gravest. Changed words that the lexicon lacks are no fault of the pair.
Of several readings the kindest counts, so an error says that no reading fits.
"""

from collections.abc import Iterable, Iterator

from pairwright.checks.agreement import left_behind
from pairwright.checks.changed_words import ChangedWord, ChangedWords, Word, changed_values, changed_words, words_at
from pairwright.checks.check import Check, Checker, Context, Fault, shown
from pairwright.checks.index import pair_sentence_key
from pairwright.errors import counted
from pairwright.languages.features import Demand, parse_demand, show_demand, show_features
from pairwright.morphology import Analyser
from pairwright.records import Candidate, Finding, Rule, TreebankChange

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
_NOUNS = ("NOUN", "PROPN")


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
        return _CONTRAST, [pair.described(demand) for pair in changed.contrasts]
    if not changed.contrasts:
        return _unrelated(changed.good, changed.bad, demanded, analyser)
    targets = [pair for pair in changed.contrasts if pair.showing(demand)]
    if not targets:
        return _not_shown(changed, demand, demanded)
    if beside := [pair.fault(message) for pair in changed.contrasts if (message := _beside(pair, demand, changed))]:
        return _BESIDE, beside
    own = [(item.good, item.bad) for item in (rule.examples if rule else ()) if item.bad]
    if message := _word_count(candidate, own):
        return _WORD_COUNT, [Fault(message, "bad", (0, len(candidate.bad)))]
    twofold = [pair.fault(message) for pair in targets if (message := _twofold(pair, demand))]
    if len(twofold) == len(_relevant(changed, demand)):
        return _AMBIGUOUS, twofold
    if changed.good and changed.bad and all(analyser.analyse(word) for word, _ in changed.good + changed.bad):
        return _REPLACED, [_fault_of(changed.good, changed.bad, f"{demanded} is shown, and", "were exchanged as well")]
    breaks_agreement = isinstance(candidate.derivation, TreebankChange) and candidate.derivation.agreement
    if not breaks_agreement and (faults := list(_half_agreement(candidate, analyser, own))):
        return _AGREEMENT, faults
    return _CONTRAST, [pair.described(demand) for pair in changed.contrasts]


def _word_count(candidate: Candidate, own: Iterable[tuple[str, str]]) -> str | None:
    """How many words each sentence has; None if these are as many, or pairs of the source itself are like that."""
    good, bad = len(words_at(candidate.good)), len(words_at(candidate.bad))
    if good == bad or any(len(words_at(left)) != len(words_at(right)) for left, right in own):
        return None
    return f"the good sentence has {counted(good, 'word')}, the bad one {bad}"


def _half_agreement(candidate: Candidate, analyser: Analyser, own: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """The words that no longer agree with a changed one; none if pairs of the source itself are like that."""
    found = list(left_behind(candidate.good, candidate.bad, analyser))
    if found and not any(any(left_behind(good, bad, analyser)) for good, bad in own):
        for pair, word in found:
            yield pair.fault(f"{shown(word)} agrees with {shown(pair.good)} and not with {shown(pair.bad)}")


def _relevant(changed: ChangedWords, demand: Demand) -> list[ChangedWord]:
    """The changed words that have some of the demanded features, with whatever values."""
    return [pair for pair in changed.contrasts if pair.names & {name for name, _ in demand.good | demand.bad}]


def _not_shown(changed: ChangedWords, demand: Demand, demanded: str) -> tuple[Check, list[Fault]]:
    """What to say if no changed word shows the demanded contrast."""
    pairs = _relevant(changed, demand) or [pair for pair in changed.contrasts if pair.names]
    if changed.good and changed.bad:
        # A word that was exchanged for another one may carry the contrast.
        check, message = _FEATURES, f"{demanded} is demanded"
    elif demand.good and demand.bad and all(pair.showing(Demand(demand.bad, demand.good)) for pair in pairs):
        check, message = _EXCHANGED, f"{demanded} is the wrong way round"
    elif all(_void(pair, demand) for pair in pairs):
        check, message = _VOID, f"{demanded} is void"
    elif changed.good or changed.bad:
        # So may a word that was added, such as an adposition or an article.
        check, message = _FEATURES, f"{demanded} is demanded"
    else:
        check, message = _OTHER, f"{demanded} is demanded"
    return check, [pair.fault(f"{message}: {pair.all_readings()}") for pair in pairs]


def _beside(pair: ChangedWord, demand: Demand, changed: ChangedWords) -> str | None:
    """What changes in a word beside what is demanded of it, or in one that has nothing to do with the demand."""
    is_noun = all(good.upos in _NOUNS for good, _ in pair.readings)
    exchanged = changed.good and changed.bad
    # What agrees with a word that was exchanged for another one takes over the other one's gender and number.
    excused = frozenset() if is_noun or not exchanged else _TAKEN_OVER
    if showing := pair.showing(demand):
        demanded = {name for name, _ in demand.good | demand.bad}
        besides = [changed_values(*both) - demanded - excused for both in showing]
        return f"{_names(besides)} changes with it: {pair.all_readings()}" if all(besides) else None
    besides = [changed_values(*both) for both in pair.readings]
    may_agree = (exchanged or not is_noun) and any(names <= _TAKEN_OVER for names in besides)
    if not all(besides) or may_agree:
        return None
    return f"{shown(pair.good)} and {shown(pair.bad)} differ as well, in {_names(besides)}"


def _names(bundles: list[set[str]]) -> str:
    return " or ".join(dict.fromkeys(" and ".join(sorted(names)) for names in bundles))


def _unrelated(good: list[Word], bad: list[Word], demanded: str, analyser: Analyser) -> tuple[Check, list[Fault]]:
    """What to say if no changed word is a form of the one that it replaces."""
    if not good and not bad:
        return _VOID, [Fault(f"{demanded} is demanded, and no word differs")]
    analysed = good and bad and all(analyser.analyse(word) for word, _ in good + bad)
    return _LEMMA, [_fault_of(good, bad, f"{demanded} is demanded;", "are no forms of one word")] if analysed else []


def _fault_of(good: list[Word], bad: list[Word], before: str, after: str) -> Fault:
    """A fault that names the words of each sentence that are not forms of the other's words."""
    left, right = (" ".join(word for word, _ in words) for words in (good, bad))
    return Fault(f"{before} {shown(left)} and {shown(right)} {after}", "bad", (bad[0][1], bad[-1][1] + len(bad[-1][0])))


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
    return f"{shown(word)} may be {show_features(features)} too: {other}"
