"""Which words before a bracket are the ones that it corrects.

The notation does not mark where the wrong words begin, so they are found by evidence: the words of the correction are
mostly other forms of the wrong words (same beginning), words that stay are repeated, a capital begins the sentence
again, and the headword of the entry names what is wrong. Without evidence nothing is guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pairwright.languages import Language

# How far before the bracket wrong words are looked for, and how many unmatched words may stand between matched ones.
_REACH = 9
_GAP = 2
_GAP_COST = 0.35


@dataclass(frozen=True)
class ClosedClasses:
    """The language's words that are never forms of another word, and those that go with the word they negate."""

    adpositions: frozenset[str]
    functions: frozenset[str]
    negations: frozenset[str]

    @classmethod
    def of(cls, language: Language) -> "ClosedClasses":
        return cls(
            frozenset(language.adpositions),
            frozenset((*language.adpositions, *language.function_words, *language.negations)),
            frozenset(language.negations),
        )


@dataclass(frozen=True)
class Alignment:
    """How many of the last words before the bracket a correction replaces, and on what evidence.

    size       the number of words; 0 where nothing was found
    matched    the pairs (index of the correction's word, index of the replaced word from the left of all words before)
    loose      how many words at the correction's beginning match nothing and belong to no closed class
    soft       how many there match nothing and belong to a closed class other than that of the adpositions
    """

    size: int
    matched: tuple[tuple[int, int], ...]
    loose: int
    soft: int


@lru_cache(maxsize=65536)
def similarity(word: str, other: str) -> float:
    """How far two words look like forms of one word, 0-1: 1 for the same word, 0.9 for a shared beginning of four
    letters or half of the shorter word, 0.45 for a shared ending of three letters (the same form of another word)."""
    first, second = word.casefold(), other.casefold()
    if first == second:
        return 1.0
    if first[0].isdigit() or second[0].isdigit():
        return 0.9 if first.split("-")[0] == second.split("-")[0] else 0.0
    shorter = min(len(first), len(second))
    prefix = _common_prefix(first, second)
    if prefix >= 4 or (prefix >= 0.5 * shorter and (prefix >= 3 or max(len(first), len(second)) <= 6)):
        return 0.9
    return 0.45 if shorter >= 5 and _common_prefix(first[::-1], second[::-1]) >= 4 else 0.0


def _common_prefix(first: str, second: str) -> int:
    differing = (place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))


def align(before: Sequence[str], correction: Sequence[str], closed: ClosedClasses) -> Alignment:
    """Aligns a correction's words to the words before the bracket (the last one stands next to it).

    The replaced words always reach up to the bracket. The leftmost word that matches decides, unless more than two
    unmatched words lie between it and the next match.
    """
    start = max(0, len(before) - _REACH)
    matched = _match(before, correction, start, closed)
    best_size, best_score, score, previous = 0, 0.0, 0.0, len(before)
    by_place = {place: (index, value) for index, place, value in matched}
    for place in range(len(before) - 1, start - 1, -1):
        if place not in by_place:
            continue
        gap = previous - place - 1
        value = by_place[place][1]
        if gap > _GAP and (value < 1.0 or before[place].casefold() in closed.functions):
            break
        score += value - _GAP_COST * gap
        previous = place
        if score > best_score:
            best_size, best_score = len(before) - place, score
    inside = tuple((index, place) for index, place, _ in matched if place >= len(before) - best_size)
    unmatched = [word.casefold() for word in correction[: min((index for index, _ in inside), default=None)]]
    loose = sum(word not in closed.functions for word in unmatched)
    soft = sum(word in closed.functions - closed.adpositions for word in unmatched)
    return Alignment(best_size, inside, loose, soft)


def _match(
    before: Sequence[str], correction: Sequence[str], start: int, closed: ClosedClasses
) -> list[tuple[int, int, float]]:
    """The best one-to-one matches as (index in correction, index in before, similarity): the most alike first, then
    those nearest to the bracket."""
    options = []
    for index, word in enumerate(correction):
        for place in range(start, len(before)):
            value = _likeness(word, before[place], closed)
            if value > 0:
                order = abs((len(correction) - index) - (len(before) - place))
                options.append((-value, order, index, place))
    taken_words: set[int] = set()
    taken_places: set[int] = set()
    matched = []
    for negative, _, index, place in sorted(options):
        if index not in taken_words and place not in taken_places:
            taken_words.add(index)
            taken_places.add(place)
            matched.append((index, place, -negative))
    return matched


def _likeness(word: str, other: str, closed: ClosedClasses) -> float:
    value = similarity(word, other)
    closed_class = word.casefold() in closed.functions or other.casefold() in closed.functions
    return value if value == 1.0 or not closed_class else 0.0


def with_negation(before: Sequence[str], size: int, correction: Sequence[str], closed: ClosedClasses) -> int:
    """Takes in a free-standing negation that stands before the replaced words and is not repeated in the correction."""
    place = len(before) - size - 1
    if size == 0 or place < 0 or before[place].casefold() not in closed.negations:
        return size
    repeated = any(word.casefold() == before[place].casefold() for word in correction)
    return size if repeated else size + 1


def with_adposition(
    before: Sequence[str], size: int, correction: Sequence[str], mentioned: frozenset[str], closed: ClosedClasses
) -> int:
    """Takes in the adposition that stands before the replaced words: it goes with its noun where the correction brings
    an adposition of its own (`ant Kalėdų (= per Kalėdas)`) or where the rule is about it (`mentioned`)."""
    place = len(before) - size - 1
    if size == 0 or place < 0 or before[place].casefold() not in closed.adpositions:
        return size
    adposition = before[place].casefold()
    if any(word.casefold() == adposition for word in correction):
        return size
    return size + 1 if correction[0].casefold() in closed.adpositions or adposition in mentioned else size


def with_modifiers(before: Sequence[str], size: int) -> int:
    """Takes in the words before the replaced ones that agree with the first of them in their ending: the modifiers of a
    noun stand in its case, `pilnoje sudėtyje`."""
    while len(before) > size and same_form(before[-size - 1], before[-size]):
        size += 1
    return size


def same_form(word: str, other: str) -> bool:
    """Whether two words of four letters or more end alike, as forms of the same case do."""
    return min(len(word), len(other)) > 3 and word.casefold()[-2:] == other.casefold()[-2:]


def headword_size(before: Sequence[str], headword: Sequence[str], reach: int = 6) -> int:
    """How many words from the headword's last occurrence up to the bracket; 0 where it does not occur before it.

    The last letter of a headword's word may be missing in running text, as in the short locative of Lithuanian.
    """
    length = len(headword)
    for place in range(len(before) - length, max(-1, len(before) - length - reach), -1):
        if all(_same_word(a, b) for a, b in zip(before[place : place + length], headword, strict=True)):
            return len(before) - place
    return 0


def _same_word(word: str, headword: str) -> bool:
    first, second = word.casefold(), headword.casefold()
    return first == second or (len(second) > 4 and first == second[:-1])
