"""The evidence that a correction replaces the words of a span before its bracket, as named features.

The notation does not mark where the wrong words begin, nor whether they reach up to the bracket. Each feature is a
count or a yes; `span_weights.py` says what it weighs.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from pairwright.languages.linguistics.likeness import ClosedClasses, matches, similarity
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alternatives import Alternative

# The classes of words, as the features name them: open ones, pronouns and the like, closed ones.
_KINDS = ("", ", pronoun", ", closed")
# How alike forms of one word are, and how far a rule has to speak for a word being wrong.
_OTHER_FORM, _WRONG = 0.9, 0.5


@dataclass(frozen=True)
class Before:
    """What stands before a bracket, word by word, from the last correction on.

    starts, ends  the words' offsets in the sentence
    commas        the words with a comma before them
    openings      the words that begin the sentence or a quotation in it
    marked        how many of the last words the page emphasises up to the bracket
    behind        the words behind the bracket, up to a mark or another bracket
    """

    words: list[str]
    starts: list[int]
    ends: list[int]
    commas: frozenset[int]
    openings: frozenset[int]
    marked: int
    behind: tuple[str, ...] = ()

    def after(self, place: int) -> "Before":
        """What stands behind a number of words."""
        commas = frozenset(comma - place for comma in self.commas if comma > place)
        openings = frozenset(opening - place for opening in self.openings if opening >= place)
        return Before(self.words[place:], self.starts[place:], self.ends[place:], commas, openings, self.marked)


@dataclass(frozen=True)
class Mentions:
    """What the rule and the entry name: words in small letters.

    headword  the words of the entry in order; `wrong` is the share of the rule's brackets, 0-1, that speak for its
              headwords being the wrong words themselves and not the words that govern them
    banned    closed-class words of the rule and the entry, which no correction keeps
    governed  adpositions that the headword governs, which are wrong where it is not
    emphasised  words of the rule's wording that the page emphasises
    """

    headword: tuple[str, ...] = ()
    wrong: float = 0.0
    banned: frozenset[str] = frozenset()
    governed: frozenset[str] = frozenset()
    emphasised: frozenset[str] = frozenset()


NO_MENTIONS = Mentions()


class Span(NamedTuple):
    """The words from `first` up to `last`, exclusively; all from the sentence's beginning where `first` is -1."""

    first: int
    last: int


def small_words(words: Iterable[str]) -> list[str]:
    """The words in small letters."""
    return [word.casefold() for word in words]


class SpanFeatures:
    """The features of the spans before one bracket."""

    def __init__(
        self,
        before: Before,
        mentions: Mentions,
        closed: ClosedClasses,
        agreement: Agreement,
        groups: Sequence[Sequence[Alternative]],
    ) -> None:
        self._openings = {alternative.words[0].casefold() for group in groups for alternative in group}
        self._groups = groups
        self._before = before
        self._mentions = mentions
        self._closed = closed
        self._agreement = agreement
        self._small = small_words(before.words)

    def of(self, alternative: Alternative, span: Span) -> Mapping[str, float] | None:
        """The features of a span that an alternative may replace; None where that would change nothing."""
        inside = self._before.words[max(span.first, 0) : span.last]
        commas = sum(word.endswith(",") for slot in alternative.slots for word in slot[0])
        crossed = sum(span.first < place < span.last for place in self._before.commas)
        if commas == crossed and small_words(alternative.words) == small_words(inside):
            return None
        kinds = (self._matched, self._edges, self._named, self._left_behind, self._neighbours, self._forms)
        values = {name: float(value) for kind in kinds for name, value in kind(alternative.words, span)}
        return {**values, "comma crossed": max(0, crossed - commas), "comma added": max(0, commas - crossed)}

    def _matched(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """How the words of a correction and those of a span stand for each other."""
        start, functions = max(span.first, 0), self._closed.functions
        inside = self._small[start : span.last]
        matched = matches(correction, inside, self._closed)
        taken, used = {start + place for *_, place in matched}, {index for _, _, index, _ in matched}
        same = [correction[index].casefold() for negative, _, index, _ in matched if negative == -1]
        yield "same word", sum(word not in functions for word in same)
        yield "same word, closed", sum(word in functions for word in same)
        yield "other form", sum(-1 < negative <= -_OTHER_FORM for negative, *_ in matched)
        yield "only adds", len(same) == len(inside)
        # Words that the rule names as wrong stand for what is new.
        wrong = {place for place in range(start, span.last) if place not in taken and self._value(place) >= _WRONG}
        old = [self._small[place] for place in range(start, span.last) if place not in taken | wrong]
        new = [word.casefold() for index, word in enumerate(correction) if index not in used]
        lost, gained, named = (Counter(map(self._kind, side)) for side in (old, new, (self._small[p] for p in wrong)))
        gained -= named
        for kind in _KINDS:
            yield f"exchanged{kind}", min(lost[kind], gained[kind])
        lost, gained = lost - gained, gained - lost
        across = min(lost.total(), gained.total())
        yield "exchanged for another class", across
        for name, count in (("dropped", lost), ("added", gained)):
            rest = across
            for kind in _KINDS:
                yield f"{name}{kind}", max(0, count[kind] - rest)
                rest = max(0, rest - count[kind])
        edges = {(index, start + place) for _, _, index, place in matched}
        yield "first words match", (0, start) in edges
        yield "every word matches", len(edges) == len(correction) == len(inside) > 1
        yield "last words match", (len(correction) - 1, span.last - 1) in edges
        negations = self._closed.negations
        yield (
            "negation exchanged",
            bool(negations.intersection(old) and new) - (self._small[start - 1] in negations and start > 0),
        )
        yield "order changed", sum(a > b for a, b in pairwise(place for _, place in sorted(edges)))

    def _kind(self, word: str) -> str:
        """The class of a word in small letters, as the features name it."""
        return ", closed" if word in self._closed.functions else ", pronoun" if word in self._closed.common else ""

    def _edges(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """Where a span stands: its distance to the bracket, its commas, its capitals."""
        before, size, start = self._before, len(self._before.words), max(span.first, 0)
        opens, capital = span.first in {-1, *before.openings}, self.begins_sentence(correction)
        yield "whole sentence", opens and span.last == size > start + 1
        yield "capital at its place", capital and opens
        yield "capital inside", capital and not opens
        yield "small letter at the beginning", not capital and opens and before.words[start][0].isupper()
        yield "behind a comma", start in before.commas
        if span.last < size:
            yield "apart", 1
            yield "apart inside its clause", bool(before.behind)
            yield "words to the bracket", math.log(1 + size - span.last)
            yield "joined to the bracket", self._small[span.last] in self._closed.coordinators

    @cached_property
    def _named_places(self) -> frozenset[int]:
        """The words that the rule or the entry names, in any form."""
        named = {*self._mentions.headword, *self._mentions.banned, *self._mentions.governed}
        places = {place for place, word in enumerate(self._small) if word in named}
        for headword in self._mentions.headword:
            alike = [place for place, word in enumerate(self._small) if self.same_word(word, headword)]
            places.update(alike or [place for place, word in enumerate(self._small) if _holds(word, headword)])
        return frozenset(places)

    @cached_property
    def _emphasised_places(self) -> frozenset[int]:
        """The words that the rule emphasises, in any form."""
        emphasised = self._mentions.emphasised
        alike = (place for place, word in enumerate(self._small) if any(self.same_word(word, e) for e in emphasised))
        return frozenset(place for place, word in enumerate(self._small) if word in emphasised) or frozenset(alike)

    @cached_property
    def _unknown_places(self) -> frozenset[int]:
        """The words that morphology does not know, without names: foreign and ill-formed ones."""
        small, closed = enumerate(self._before.words), self._closed
        words = [(place, word) for place, word in small if word.islower() or place in self._before.openings]
        common = closed.functions | closed.common
        return frozenset(
            place
            for place, word in words
            if word.isalpha() and word.casefold() not in common and self._agreement.is_unknown(word)
        )

    def _value(self, place: int) -> float:
        """How far the rule names a word as wrong, 0-1: words that govern the wrong ones stay."""
        word, mentions = self._small[place], self._mentions
        if word in mentions.governed:
            return 1 - mentions.wrong
        return 1.0 if word in mentions.banned else mentions.wrong * (place in self._named_places)

    def same_word(self, word: str, other: str) -> bool:
        """Whether two words are forms of one: they look so, or share a lemma."""
        if matches([word], [other], self._closed):
            return similarity(word, other) >= _OTHER_FORM
        return self._agreement.share_lemma(word, other)

    def _named(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """Whether what the rule or the entry names is in a span, and gone in the correction."""
        kept, mentions, start = small_words(correction), self._mentions, max(span.first, 0)
        gone = {place for place in self._named_places if self._small[place] not in kept}
        covered = {place for place in gone if span.first <= place < span.last}
        banned = {place for place in gone if self._small[place] in mentions.banned}
        yield "banned covered", bool(banned & covered)
        yield "banned kept", bool(banned) and banned.isdisjoint(covered)
        yield "headword covered", mentions.wrong * bool(covered - banned)
        values = {place: self._value(place) for place in gone}
        yield "named words covered", min(3.0, sum(values[place] for place in covered))
        yield "named words kept", min(3.0, sum(values[place] for place in gone - covered))
        for left in (span.first - 1, span.last - 1):
            side = "left" if left < span.first else "right"
            yield f"named words cut on the {side}", min(values.get(left, 0.0), values.get(left + 1, 0.0))
        whole = self._named_places.issuperset(range(start, span.last)) and bool(covered)
        yield "exactly the named words", mentions.wrong * (whole and gone.isdisjoint({start - 1, span.last}))
        yield "named word at the beginning", values.get(span.first, 0.0)
        yield "named word at the end", values.get(span.last - 1, 0.0)
        emphasised = {place for place in self._emphasised_places if self._small[place] not in kept}
        yield "emphasised words kept", min(2, len(emphasised.difference(range(start, span.last))))
        unknown = {place for place in self._unknown_places if self._small[place] not in kept}
        inside = unknown.intersection(range(start, span.last))
        yield "unknown words kept", bool(unknown - inside)
        yield "exactly the unknown words", len(inside) == span.last - start

    def _left_behind(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """What the words that stay show: they repeat the correction, or miss what they belong to."""
        start, closed, small = max(span.first, 0), self._closed, small_words(correction)
        matched = {index for _, _, index, _ in matches(correction, self._small[start : span.last], closed)}
        new = [word for index, word in enumerate(small) if index not in matched]
        opening = small[0]
        for side, places in (("left", range(start)), ("right", range(span.last, len(self._small)))):
            stays = [self._small[place] for place in places if self._small[place] not in closed.functions]
            likeness = [max((similarity(word, other) for other in stays), default=0.0) for word in new]
            yield f"same word kept on the {side}", likeness.count(1.0)
            yield f"other form kept on the {side}", likeness.count(_OTHER_FORM)
        if span.last < len(self._small):
            yield "doubled on the right", bool(set(small) & set(self._small[span.last : span.last + len(small)]))
        if span.first > 0:
            left = self._small[span.first - 1]
            is_adposition = left in closed.adpositions
            openings = self._openings - {opening} | {opening} & set(new)
            yield (
                "beginning kept on the left",
                any(word.endswith(left) or self.same_word(left, word) for word in openings),
            )
            yield "agrees on the left", self._modifies(span.first - 1) and bool(set(new) - closed.functions)
            yield "adposition kept", is_adposition
            yield "pronoun kept", left in closed.common and bool(set(new) - closed.functions)
            yield "adposition without its case", is_adposition and self._agreement.has_no_case(correction[0])
            yield "two finite verbs, left", self._agreement.are_finite(left, correction[0])

    def _neighbours(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """How the words around a span go with it and with the correction."""
        words, size, agreement = self._before.words, len(self._small), self._agreement
        start, inside = max(span.first, 0), self._small[max(span.first, 0) : span.last]
        right = words[span.last] if span.last < size else next(iter(self._before.behind), "")
        coordinated = [word in self._closed.coordinators for word in (*self._small[:start][-1:], right.casefold())]
        yield "coordinated on the left", len(coordinated) > 1 and coordinated[0]
        yield "coordinated on the right", coordinated[-1]
        yield "coordinated, several corrections", any(coordinated) and sum(map(len, self._groups)) > 1
        places = [*range(start - len(inside) + 1), *range(span.last, size)]
        yield "stands elsewhere too", any(self._small[place : place + len(inside)] == inside for place in places)
        old, new = words[span.last - 1], correction[-1]
        phrase = not self._closed.functions.isdisjoint((inside[0], correction[0].casefold()))
        lost = [] if phrase else list(agreement.stranded(words, self._before.commas, *span, new))
        adapted = sum(agreement.adapted(words[place], new) is not None for place in lost)
        yield "agreement lost on the left" + ", by endings" * (agreement.analyser is None), len(lost) - adapted
        yield "modifiers adapted", adapted
        sides = words[: max(0, span.first - len(lost))], [*words[span.last :], *self._before.behind]
        n_lost = 0
        for side in sides:
            nouns = [word for word in side if not agreement.is_modifier(word)]
            changing = [word for word in side if agreement.agree(word, old) and not agreement.agree(word, new)]
            n_lost += sum(
                agreement.is_modifier(word)
                and (phrase or not agreement.depends(word, old, new, nouns) or agreement.adapted(word, new) is None)
                for word in changing
            )
        yield "agreement lost elsewhere", n_lost > 0
        if right:
            yield "agrees on the right", agreement.agree(new, right)
            yield "agreement lost on the right", agreement.agree(old, right) and not agreement.agree(new, right)

    def _forms(self, correction: list[str], span: Span) -> Iterator[tuple[str, float]]:
        """Whether a span and a correction are alike in their form: their last words, their first, their verbs."""
        inside = self._before.words[max(span.first, 0) : span.last]
        adpositions = self._closed.adpositions
        yield "adposition at both beginnings", {inside[0].casefold(), correction[0].casefold()} <= adpositions
        yield "adposition at its beginning", inside[0].casefold() in adpositions
        yield "adposition at its end", inside[-1].casefold() in adpositions
        yield "function word at its beginning", inside[0].casefold() in self._closed.functions - adpositions
        yield "same form at the end", self._agreement.same_shape(inside[-1], correction[-1])
        yield "same form at the beginning", self._agreement.same_shape(inside[0], correction[0])
        verbs = [sum(self._agreement.are_finite(word) for word in side) for side in (inside, correction)]
        yield "as many words, several", len(inside) == len(correction) > 1
        yield "finite verbs lost", max(0, verbs[0] - verbs[1])
        yield "finite verbs gained", max(0, verbs[1] - verbs[0])

    def _modifies(self, place: int) -> bool:
        """Whether a word agrees with the next one as its modifier."""
        return self._agreement.agree(*self._before.words[place : place + 2])

    def begins_sentence(self, correction: list[str]) -> bool:
        """Whether a correction begins with a capital that is not that of a name inside the sentence."""
        capitals = [(place, word) for place, word in enumerate(self._before.words) if word[0].isupper()]
        names = [word for place, word in capitals if place not in self._before.openings]
        quoted = [word for place, word in capitals if place in self._before.openings - {0}]
        is_name = correction[0] in quoted or any(matches(correction[:1], [name], self._closed) for name in names)
        return correction[0][0].isupper() and not is_name


def _holds(word: str, headword: str) -> bool:
    """Whether a word may be a form of a headword behind a prefix: it holds the headword's first half."""
    return len(headword) > 4 and headword[: max(4, len(headword) // 2)] in word
