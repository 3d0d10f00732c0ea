"""How alike words and sentences are, by their letters, and which words are forms of no other."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from pairwright.core.text import TOKEN, word_pattern, words
from pairwright.languages import Language

_Match = tuple[float, int, int, int]
"""A match of two words: its negative similarity, its distance, and the indices of the two words."""


class ClosedClasses:
    """A language's closed-class words: never forms of another word. Some go with the noun or the word they negate."""

    def __init__(self, language: Language) -> None:
        self.adpositions, self.negations = frozenset(language.adpositions), frozenset(language.negations)
        self.coordinators, self.subordinators = frozenset(language.coordinators), frozenset(language.subordinators)
        self.functions = self.adpositions.union(
            language.negations, language.coordinators, language.function_words, language.subordinators
        )
        self.common, self._bans = frozenset(language.common_words), word_pattern(*language.bans)

    def named(self, label: str) -> frozenset[str]:
        """The closed-class words that a rule's wording names and does not use: `ant laikui reikšti`, `X is not used`.

        Such a word stands first, or before a punctuation mark, a word that bans, another such word, or the end.
        """
        tokens = [token.casefold() for token in TOKEN.findall(label)]
        ends = [
            not after[:1].isalnum() or after in self.functions or bool(self._bans.fullmatch(after))
            for after in [*tokens[1:], ""]
        ]
        named = (token for place, token in enumerate(tokens) if place == 0 or ends[place])
        return (self.functions - self.coordinators).intersection(named)


@lru_cache(maxsize=65536)
def similarity(word: str, other: str) -> float:
    """How much two words look like forms of one word, 0-1.

    1 for the same word; 0.9 for a shared beginning of four letters, or of half of the shorter word; 0.45 for a shared
    ending of four letters, as in the same form of another word.
    """
    first, second = word.casefold(), other.casefold()
    if first == second:
        return 1.0
    if not first or not second:
        return 0.0
    if first[0].isdigit() or second[0].isdigit():
        return 0.9 if first.split("-")[0] == second.split("-")[0] else 0.0
    shorter = min(len(first), len(second))
    prefix = Prefix.similarity(first, second)
    longer = max(len(first), len(second))
    if prefix >= 4 or (prefix >= 0.5 * shorter and (prefix >= 3 or longer <= (6 if prefix > 1 else 4))):
        return 0.9
    return 0.45 if shorter >= 5 and first[-4:] == second[-4:] else 0.0


def is_prefixed(word: str, other: str) -> bool:
    """Whether one of two words is the other behind a prefix of four letters at most."""
    shorter, longer = sorted((word.casefold(), other.casefold()), key=len)
    return len(shorter) >= 3 and 0 < len(longer) - len(shorter) <= 4 and longer.endswith(shorter)


def sentence_similarity(one: str, other: str) -> float:
    """How alike two sentences are, 0-1: the mean of shared words, in any order and form, and shared letters."""
    first, second = words(one), words(other)
    if not first or not second:
        return 0.0
    options = ((-similarity(a, b), abs(i - k), -i, -k) for i, a in enumerate(first) for k, b in enumerate(second))
    shared = -sum(option[0] for option in _one_to_one(options)) / max(len(first), len(second))
    by_letters: float = fuzz.ratio(one.casefold(), other.casefold()) / 100
    return (shared + by_letters) / 2


def _one_to_one(options: Iterable[_Match]) -> list[_Match]:
    """The smallest options in which no index stands twice on a side."""
    chosen: list[_Match] = []
    for option in sorted(options):
        if option[0] and not any(option[2] == other[2] or option[3] == other[3] for other in chosen):
            chosen.append(option)
    return chosen


def matches(correction: Sequence[str], before: Sequence[str], closed: ClosedClasses) -> list[_Match]:
    """The best one-to-one matches of two runs of words: the most alike first, then those nearest to the end."""
    return _one_to_one(
        (-value, abs((len(correction) - index) - (len(before) - place)), index, place)
        for index, word in enumerate(correction)
        for place in range(len(before))
        if (value := 0.9 if is_prefixed(word, before[place]) else similarity(word, before[place])) == 1.0
        or closed.functions.isdisjoint((word.casefold(), before[place].casefold()))
    )


def same_ending(word: str, other: str) -> bool:
    """Whether the last two letters of two words are the same."""
    return word.casefold()[-2:] == other.casefold()[-2:]
