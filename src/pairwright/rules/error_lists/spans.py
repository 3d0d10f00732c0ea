"""Which words before a bracket the bracket corrects: every span that may be meant, ranked by evidence.

The notation does not mark where the wrong words begin, nor whether they reach up to the bracket. The evidence: words of the
correction are other forms of the wrong words, or repeat them; the rule or the entry names the wrong words; a capital
starts a sentence again; what stays must not double a word of the correction; modifiers, adpositions and negations go with
what they belong to. The best span is certain where it has enough evidence and no other span comes near it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from pairwright.rules.error_lists.alignment import ClosedClasses, matches, same_ending, same_form
from pairwright.rules.error_lists.alternatives import Alternative

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# How far back the wrong words are looked for, and how many words they may be.
_REACH = 14
_MOST_WORDS = 10
# What a span loses: by a word that nothing explains; by one that a word of the correction may stand for; by a word of the
# correction that stands for nothing; by a word that it leaves behind and that the correction doubles or bans, or that
# agrees with its first word; by a comma in it that the correction lacks; by words between it and the bracket.
_UNEXPLAINED, _EXCHANGED, _NEW, _DOUBLED, _STRANDED, _COMMA, _APART, _JOINED = 0.4, 0.1, 0.3, 1.0, 0.4, 0.3, 0.4, 1.4
# What it gains by a word that the rule names, in that form or in another, and by an adposition that goes with its noun.
_NAMED, _NAMED_WRONG, _NAMED_FORM, _ADPOSITION, _CAPITAL, _AGREED, _AGREED_WEAK = 0.5, 1.0, 0.2, 0.3, 1.5, 0.3, 1.2
# What a correction in small letters takes from a span at the beginning of a sentence.
_SMALL = 0.3
# The least evidence of a certain span, and by how much it has to be better than the next.
_ENOUGH, _MARGIN, _WORSE = 0.4, 0.25, 1.5


@dataclass(frozen=True)
class Before:
    """What stands before a bracket, word by word, from the last correction on.

    starts, ends  the words' offsets in the sentence
    commas        the words with a comma before them
    openings      the words that begin the sentence or a quotation in it
    marked        how many of the last words the page emphasises up to the bracket
    """

    words: list[str]
    starts: list[int]
    ends: list[int]
    commas: frozenset[int]
    openings: frozenset[int]
    marked: int

    def after(self, place: int) -> "Before":
        """What stands behind a number of words."""
        commas = frozenset(comma - place for comma in self.commas if comma > place)
        openings = frozenset(opening - place for opening in self.openings if opening >= place)
        return Before(self.words[place:], self.starts[place:], self.ends[place:], commas, openings, self.marked)


@dataclass(frozen=True)
class Mentions:
    """What the rule and the entry name: words in small letters.

    headword  the words of the entry in order; `is_wrong` where the rule's headwords are the wrong words themselves
    banned    closed-class words of the rule and the entry, which no correction keeps
    """

    headword: tuple[str, ...] = ()
    is_wrong: bool = False
    banned: frozenset[str] = frozenset()


class Span(NamedTuple):
    """The words from `first` up to `last`, exclusively. `first` is -1 where all from the sentence's beginning is meant."""

    first: int
    last: int


class Ranked(NamedTuple):
    """The spans that alternatives may replace, the most likely first, and whether the first one is certain."""

    spans: tuple[Span, ...]
    is_certain: bool


class SpanFinder:
    """Ranks the spans before one bracket."""

    def __init__(self, before: Before, mentions: Mentions, closed: ClosedClasses) -> None:
        self._before = before
        self._mentions = mentions
        self._closed = closed
        self._small = [word.casefold() for word in before.words]
        self._wrong_places = set(self._phrase_places())

    def _phrase_places(self) -> Iterator[int]:
        """The words of the entry that follow a banned word in it and in the sentence: `pusės` of `iš ko pusės`."""
        entry = self._mentions.headword
        for place, word in enumerate(self._small):
            near = self._mentions.banned.intersection(self._small[max(0, place - 3) : place], entry)
            if word in entry and any(entry.index(banned) < entry.index(word) for banned in near):
                yield place

    def ranked(self, groups: Sequence[Sequence[Alternative]]) -> list[Ranked]:
        """The ranked spans of each group of alternatives; all alternatives of a group replace the same words."""
        if self._before.marked:
            size = len(self._before.words)
            return [Ranked((Span(size - self._before.marked, size),), True) for _ in groups]
        spans = self._spans()
        tables = [{span: self._group_score(group, span) for span in spans} for group in groups]
        best = [max(table, key=table.__getitem__) for table in tables]
        capital = [group[0].words[0][0].isupper() for group in groups]
        for number, (group, table) in enumerate(zip(groups, tables, strict=True)):
            others = {best[k] for k in range(len(groups)) if k != number and capital[k] == capital[number]}
            # A group that has hardly any evidence of its own leans on the others.
            agreed = _AGREED_WEAK if max(table.values()) < _ENOUGH else _AGREED
            for span in table:
                table[span] += agreed * (span in others) - _AGREED * any(span.last != other.last for other in others)
        return [self._by_score(table) for table in tables]

    def _by_score(self, table: dict[Span, float]) -> Ranked:
        order = sorted(table, key=lambda span: (-table[span], -span.last, -span.first))
        best = table[order[0]]
        rival = len(order) > 1 and (table[order[1]] > best - _MARGIN or self._occurs_again(order[0]))
        return Ranked(tuple(span for span in order if table[span] > best - _WORSE), best >= _ENOUGH and not rival)

    def _occurs_again(self, span: Span) -> bool:
        """Whether words that do not reach up to the bracket stand before it more than once."""
        text, size = self._small[span.first : span.last], span.last - span.first
        runs = (self._small[first : first + size] for first in range(len(self._small)))
        return 0 <= span.first and span.last < len(self._small) and sum(run == text for run in runs) > 1

    def _spans(self) -> list[Span]:
        size = len(self._before.words)
        reach = max(0, size - _REACH)
        spans = [Span(first, size) for first in {*range(max(reach, size - _MOST_WORDS), size), 0}]
        for first in range(reach, size):
            spans += [Span(first, last) for last in range(first + 1, min(size, first + 5))]
        return spans if 0 in self._before.openings else [*spans, Span(-1, size)]

    def _group_score(self, group: Sequence[Alternative], span: Span) -> float:
        return sum(self._score(alternative, span) for alternative in group) / len(group)

    def _score(self, alternative: Alternative, span: Span) -> float:
        """The evidence that an alternative replaces the words of a span."""
        correction, inside = alternative.words, self._before.words[max(span.first, 0) : span.last]
        if [word.casefold() for word in correction] == [word.casefold() for word in inside]:
            return -math.inf
        found = matches(correction, inside, self._closed)
        score = sum(-negative for negative, *_ in found)
        taken = {place for *_, place in found}
        indices = {index for _, _, index, _ in found}
        inserted = sum(len(option) for slot in takewhile(lambda slot: not slot[0], alternative.slots) for option in slot)
        # What an alternative adds behind its first matched word stands for nothing before the bracket.
        new = [word for place, word in enumerate(correction[: min(indices, default=None)]) if place >= inserted]
        score += self._inner(correction, new, span, taken)
        if span.last < len(self._before.words):
            last = len(inside) - 1
            if last not in taken and not self._named(span.last - 1, correction):
                return -math.inf
            joined = self._small[span.last] in self._closed.coordinators
            score -= _JOINED if joined else _APART
        return score + self._edges(correction, new, span) - _COMMA * self._crossed(alternative, span)

    def _inner(self, correction: list[str], new: list[str], span: Span, taken: set[int]) -> float:
        """What the words of a span without a match add and take, with the `new` words at the correction's beginning."""
        functions, start = self._closed.functions, max(span.first, 0)
        loose = sum(word.casefold() not in functions for word in new)
        soft = len(new) - loose
        score, named = 0.0, set()
        for place in reversed(range(start, span.last)):
            if place - start in taken:
                continue
            value, small = self._named(place, correction), self._small[place]
            if value and small not in named and (loose or value == _NAMED_WRONG):
                named.add(small)
                score, loose = score + value, max(0, loose - 1)
            elif small in self._closed.negations and loose:
                score, loose = score + _ADPOSITION, loose - 1
            elif small in self._closed.adpositions and correction[0].casefold() in self._closed.adpositions:
                score, soft = score + _ADPOSITION, max(0, soft - 1)
            elif small in functions and soft:
                score, soft = score - _EXCHANGED, soft - 1
            elif small not in functions and loose:
                score, loose = score - _EXCHANGED, loose - 1
            else:
                score -= _UNEXPLAINED
        return score - loose * _NEW

    def _named(self, place: int, correction: list[str]) -> float:
        """What a span gains by a word that the rule or the entry names and the correction lacks."""
        word, mentions = self._small[place], self._mentions
        if word in map(str.casefold, correction):
            return 0.0
        if word in mentions.banned or place in self._wrong_places:
            return _NAMED_WRONG
        if word in mentions.headword:
            return _NAMED_WRONG if mentions.is_wrong else _NAMED
        if not any(matches([word], [named], self._closed) for named in mentions.headword):
            return 0.0
        exchanged = word not in self._closed.functions and any(same_ending(word, other) for other in correction)
        return _NAMED_WRONG if exchanged else _NAMED_FORM * (1 + mentions.is_wrong)

    def _edges(self, correction: list[str], new: list[str], span: Span) -> float:
        """What the words beside a span take, and what capitals give and take."""
        before, score, opening = self._before, 0.0, correction[0].casefold()
        if span.last < len(before.words):
            score -= _DOUBLED * (self._small[span.last] == correction[-1].casefold())
        if span.first > 0:
            left = self._small[span.first - 1]
            banned = left in self._mentions.banned and left not in map(str.casefold, correction)
            score -= _DOUBLED * (left == opening or banned or {left, opening} <= self._closed.adpositions)
            loose = any(word.casefold() not in self._closed.functions for word in new)
            score -= _STRANDED * (loose and same_form(before.words[span.first - 1], before.words[span.first]))
        opens = span.first in {-1, *before.openings}
        if self._begins_sentence(correction):
            return score + (_CAPITAL if opens else -_CAPITAL)
        return score - _SMALL * (opens and before.words[max(span.first, 0)][0].isupper())

    def _begins_sentence(self, correction: list[str]) -> bool:
        """Whether a correction begins with a capital that is not that of a name inside the sentence."""
        capitals = [(place, word) for place, word in enumerate(self._before.words) if word[0].isupper()]
        names = [word for place, word in capitals if place not in self._before.openings]
        quoted = [word for place, word in capitals if place in self._before.openings - {0}]
        is_name = correction[0] in quoted or any(matches(correction[:1], [name], self._closed) for name in names)
        return correction[0][0].isupper() and not is_name

    def _crossed(self, alternative: Alternative, span: Span) -> int:
        """How many commas a span has more than the alternative."""
        inside = sum(span.first < place < span.last for place in self._before.commas)
        return max(0, inside - sum(word.endswith(",") for slot in alternative.slots for word in slot[0]))
