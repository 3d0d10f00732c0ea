"""The evidence that a correction replaces the words of a span before its bracket, as named features.

The notation does not mark where the wrong words begin, nor whether they reach up to the bracket. Each feature is a
count or a yes; `span_weights.toml` says what it weighs.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pairwright.languages.linguistics.likeness import ClosedClasses, matches, similarity
from pairwright.sources.error_list.agreement import Agreement
from pairwright.sources.error_list.alternatives import Alternative
from pairwright.sources.error_list.edits import BracketSite, WordSpan, small_words

LOST = "agreement lost on the left"
"""The feature of a span whose modifiers no longer agree with the correction."""

# The classes of words, as the features name them: open ones, pronouns and the like, closed ones.
_KINDS = ("", ", pronoun", ", closed")
# How alike forms of one word are, and how far a rule has to speak for a word being wrong.
_OTHER_FORM, _WRONG = 0.9, 0.5


@dataclass(frozen=True)
class Mentions:
    """What the rule and the entry name: words in small letters.

    headword  the words of the entry in order; `wrong` is the share of the rule's brackets, 0-1, that speak for its
              headwords being the wrong words themselves and not the words that govern them
    banned    closed-class words of the rule and the entry, which no correction keeps
    """

    headword: tuple[str, ...] = ()
    wrong: float = 0.0
    banned: frozenset[str] = frozenset()


NO_MENTIONS = Mentions()


class SpanFeatures:
    """The features of the spans before one bracket."""

    def __init__(
        self,
        site: BracketSite,
        mentions: Mentions,
        closed: ClosedClasses,
        agreement: Agreement,
        groups: Sequence[Sequence[Alternative]],
    ) -> None:
        self.site = site
        self._openings = {alternative.words[0].casefold() for group in groups for alternative in group}
        self._mentions = mentions
        self.closed = closed
        self._agreement = agreement
        self._small = small_words(site.words)

    def of(self, alternative: Alternative, span: WordSpan) -> Mapping[str, float] | None:
        """The features of a span that an alternative may replace; None where that would change nothing."""
        commas = sum(word.endswith(",") for slot in alternative.slots for word in slot[0])
        crossed = sum(span.first < place < span.last for place in self.site.commas)
        inside = self._small[max(span.first, 0) : span.last]
        if commas == crossed and small_words(alternative.words) == inside:
            return None
        kinds = (self._matched, self._edges, self._named, self._neighbours, self._forms)
        values = {name: float(value) for kind in kinds for name, value in kind(alternative.words, span)}
        return {**values, "comma crossed": max(0, crossed - commas)}

    def _matched(self, correction: list[str], span: WordSpan) -> Iterator[tuple[str, float]]:
        """How the words of a correction and those of a span stand for each other."""
        start, functions = max(span.first, 0), self.closed.functions
        inside = self._small[start : span.last]
        matched = matches(correction, inside, self.closed)
        edges = sorted((index, start + place) for _, _, index, place in matched)
        taken, used = {place for _, place in edges}, {index for index, _ in edges}
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
        yield "exchanged", min(lost[""], gained[""])
        lost, gained = lost - gained, gained - lost
        across = min(lost.total(), gained.total())
        yield "exchanged for another class", across
        for name, count in (("dropped", lost), ("added", gained)):
            rest = across
            for kind in _KINDS:
                yield f"{name}{kind}", max(0, count[kind] - rest)
                rest = max(0, rest - count[kind])
        yield "first words match", (0, start) in edges
        yield "last words match", (len(correction) - 1, span.last - 1) in edges
        yield "every word matches", len(edges) == len(correction) == len(inside) > 1
        yield "as many words, several", len(inside) == len(correction) > 1
        negations = self.closed.negations
        kept = start > 0 and self._small[start - 1] in negations
        yield "negation exchanged", bool(negations.intersection(old) and new) - kept
        yield "order changed", sum(a > b for a, b in pairwise(place for _, place in edges))

    def _kind(self, word: str) -> str:
        """The class of a word in small letters, as the features name it."""
        return ", closed" if word in self.closed.functions else ", pronoun" if word in self.closed.common else ""

    def _edges(self, correction: list[str], span: WordSpan) -> Iterator[tuple[str, float]]:
        """Where a span stands: its distance to the bracket, its commas, its capitals."""
        site, size, start = self.site, len(self._small), max(span.first, 0)
        opens, capital = span.first in {-1, *site.openings}, self.begins_sentence(correction)
        yield "whole sentence", opens and span.last == size > start + 1
        yield "capital at its place", capital and opens
        yield "capital inside", capital and not opens
        yield "small letter at the beginning", not capital and opens and site.words[start][0].isupper()
        yield "behind a comma", start in site.commas
        if span.last < size:
            yield "apart", 1
            yield "apart inside its clause", bool(site.behind)
            yield "words to the bracket", math.log(1 + size - span.last)

    def begins_sentence(self, correction: list[str]) -> bool:
        """Whether a correction begins with a capital that is not that of a name inside the sentence."""
        capitals = [(place, word) for place, word in enumerate(self.site.words) if word[0].isupper()]
        names = [word for place, word in capitals if place not in self.site.openings]
        quoted = [word for place, word in capitals if place in self.site.openings - {0}]
        is_name = correction[0] in quoted or any(matches(correction[:1], [name], self.closed) for name in names)
        return correction[0][0].isupper() and not is_name

    @cached_property
    def _named_places(self) -> frozenset[int]:
        """The words that the rule or the entry names, in any form."""
        named = {*self._mentions.headword, *self._mentions.banned}
        places = {place for place, word in enumerate(self._small) if word in named}
        for headword in self._mentions.headword:
            alike = [place for place, word in enumerate(self._small) if self._same_word(word, headword)]
            places.update(alike or [place for place, word in enumerate(self._small) if _holds(word, headword)])
        return frozenset(places)

    def _value(self, place: int) -> float:
        """How far the rule names a word as wrong, 0-1."""
        word, mentions = self._small[place], self._mentions
        return 1.0 if word in mentions.banned else mentions.wrong * (place in self._named_places)

    def _same_word(self, word: str, other: str) -> bool:
        """Whether two words are forms of one: they look so, or share a lemma."""
        if matches([word], [other], self.closed):
            return similarity(word, other) >= _OTHER_FORM
        return self._agreement.share_lemma(word, other)

    def _named(self, correction: list[str], span: WordSpan) -> Iterator[tuple[str, float]]:
        """Whether what the rule or the entry names is in a span, and gone in the correction."""
        kept, mentions, start = small_words(correction), self._mentions, max(span.first, 0)
        gone = {place for place in self._named_places if self._small[place] not in kept}
        values = {place: self._value(place) for place in gone}
        covered = {place for place in gone if span.first <= place < span.last}
        is_open = any(self._small[place] not in mentions.banned for place in covered)
        yield "headword covered", mentions.wrong * is_open
        yield "named words covered", min(3.0, sum(values[place] for place in covered))
        yield "named words kept", min(3.0, sum(values[place] for place in gone - covered))
        yield "named words cut on the left", min(values.get(span.first - 1, 0.0), values.get(span.first, 0.0))
        whole = self._named_places.issuperset(range(start, span.last)) and bool(covered)
        yield "exactly the named words", mentions.wrong * (whole and gone.isdisjoint({start - 1, span.last}))
        yield "named word at the beginning", values.get(span.first, 0.0)
        yield "named word at the end", values.get(span.last - 1, 0.0)

    def _neighbours(self, correction: list[str], span: WordSpan) -> Iterator[tuple[str, float]]:
        """How the words around a span go with it and with the correction: they repeat it, agree, or stand alone."""
        words, small, closed, agreement = self.site.words, self._small, self.closed, self._agreement
        start, openings = max(span.first, 0), self._openings
        used = {index for _, _, index, _ in matches(correction, small[start : span.last], closed)}
        new = [word.casefold() for index, word in enumerate(correction) if index not in used]
        stays = [word for word in small[:start] if word not in closed.functions]
        likeness = [max((similarity(word, other) for other in stays), default=0.0) for word in new]
        yield "same word kept on the left", likeness.count(1.0)
        yield "other form kept on the left", likeness.count(_OTHER_FORM)
        if start:
            left, is_open = small[start - 1], bool(set(new) - closed.functions)
            opening = correction[0].casefold()
            openings = openings - {opening} | {opening}.intersection(new)
            repeats = any(word.endswith(left) or self._same_word(left, word) for word in openings)
            yield "beginning kept on the left", repeats
            yield "agrees on the left", is_open and agreement.agree(*words[start - 1 : start + 1])
            yield "adposition kept", left in closed.adpositions
            yield "pronoun kept", is_open and left in closed.common
        right = words[span.last] if span.last < len(small) else next(iter(self.site.behind), "")
        yield "coordinated on the left", start > 0 and small[start - 1] in closed.coordinators
        old, last = words[span.last - 1], correction[-1]
        if closed.functions.isdisjoint((small[start], correction[0].casefold())):
            yield LOST, agreement.stranded(words, self.site.commas, *span, last)
        if right:
            yield "agrees on the right", agreement.agree(last, right)
            yield "agreement lost on the right", agreement.agree(old, right) and not agreement.agree(last, right)

    def _forms(self, correction: list[str], span: WordSpan) -> Iterator[tuple[str, float]]:
        """Whether a span and a correction are alike in their form: their last words, their first, their verbs."""
        inside, adpositions = self.site.words[max(span.first, 0) : span.last], self.closed.adpositions
        opening = inside[0].casefold()
        yield "adposition at its beginning", opening in adpositions
        yield "adposition at both beginnings", {opening, correction[0].casefold()} <= adpositions
        yield "adposition at its end", inside[-1].casefold() in adpositions
        yield "function word at its beginning", opening in self.closed.functions - adpositions
        yield "same form at the end", self._agreement.same_shape(inside[-1], correction[-1])
        yield "same form at the beginning", self._agreement.same_shape(inside[0], correction[0])
        verbs = [sum(map(self._agreement.are_finite, side)) for side in (inside, correction)]
        yield "finite verbs lost", max(0, verbs[0] - verbs[1])
        yield "finite verbs gained", max(0, verbs[1] - verbs[0])


def _holds(word: str, headword: str) -> bool:
    """Whether a word may be a form of a headword behind a prefix: it holds the headword's first half."""
    return len(headword) > 4 and headword[: max(4, len(headword) // 2)] in word
