"""Whether the words beside the changed ones agree with them still."""

from collections.abc import Iterable, Iterator

from pairwright.checks.changed_words import ChangedWord, Word, changed_words, words_at
from pairwright.languages.features import Features
from pairwright.morphology import Analyser, Analysis

_AGREE_IN = ("Case", "Gender", "NounClass", "Number")
_NOUNS = ("NOUN", "PROPN")
_MODIFIERS = ("ADJ", "DET", "NUM", "PRON")


def left_behind(good: str, bad: str, analyser: Analyser) -> Iterator[tuple[ChangedWord, str]]:
    """The changed words with the neighbours that stayed as they were and agree with them in the good sentence alone."""
    for pair in changed_words(good, bad, analyser).contrasts:
        unchanged = {word.casefold() for word, _ in _neighbours(bad, (pair.bad, pair.bad_at))}
        for word, _ in _neighbours(good, (pair.good, pair.good_at)):
            readings = analyser.analyse(word)
            if word.casefold() in unchanged and _agree(pair.good_all, readings) and not _agree(pair.bad_all, readings):
                yield pair, word


def _neighbours(sentence: str, word: Word) -> Iterator[Word]:
    """The words before and after a word, where no punctuation mark parts them."""
    words = words_at(sentence)
    place = words.index(word)
    for first, second, other in ((place - 1, place, place - 1), (place, place + 1, place + 1)):
        if first >= 0 and second < len(words):
            between = sentence[words[first][1] + len(words[first][0]) : words[second][1]]
            if between.isspace():
                yield words[other]


def _agree(some: Iterable[Analysis], others: Iterable[Analysis]) -> bool:
    """Whether a noun and a modifier can be read as agreeing with each other."""
    return any(
        (_may_modify(one, other) or _may_modify(other, one)) and _same(one.features, other.features)
        for one in some
        for other in others
    )


def _may_modify(modifier: Analysis, noun: Analysis) -> bool:
    return noun.upos in _NOUNS and (modifier.upos in _MODIFIERS or ("VerbForm", "Part") in modifier.features)


def _same(one: Features, other: Features) -> bool:
    """Whether two bundles are the same in two features of agreement or more, and differ in none that both have."""
    left, right = dict(one), dict(other)
    both = [name for name in _AGREE_IN if name in left and name in right]
    # A possessor stands in a case of its own, as the pronoun does in "savo piniginės", and shares no more than that.
    return len(both) > 1 and all(left[name] == right[name] for name in both)
