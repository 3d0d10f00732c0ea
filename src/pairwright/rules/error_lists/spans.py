"""Which words before a bracket the bracket corrects: every span that may be meant, ranked by evidence.

The notation does not mark where the wrong words begin, nor whether they reach up to the bracket. The evidence: words of
the correction are other forms of the wrong words, or repeat them; the rule or the entry names the wrong words; a
capital starts a sentence again; what stays must not double a word of the correction; modifiers, adpositions and
negations go with what they belong to. The best span is certain where it has enough evidence and no other comes near it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product, takewhile
from typing import NamedTuple

from pairwright.languages.features import Features
from pairwright.morphology import Analyser
from pairwright.rules.error_lists.alignment import ClosedClasses, matches, same_ending, same_form
from pairwright.rules.error_lists.alternatives import Alternative

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# How far back the wrong words are looked for, and how many words they may be.
_REACH = 14
_MOST_WORDS = 10
# What a span loses: by a word that nothing explains; by one that a word of the correction may stand for; by a word of
# the correction that stands for nothing; by a word that it leaves behind and that the correction doubles or the rule
# bans, or that agrees with its first word; by a comma in it that the correction lacks; by words between it and the
# bracket, and more where these are joined to it; by an open-class word that a correction without any would drop.
_UNEXPLAINED, _EXCHANGED, _NEW, _DOUBLED, _STRANDED = 0.4, 0.1, 0.3, 1.0, 0.4
_COMMA, _APART, _JOINED, _LOST = 0.3, 0.4, 1.4, 0.7
# What it gains by a word that the rule names, in that form or in another, and by an adposition that goes with its noun.
_NAMED, _NAMED_WRONG, _NAMED_FORM, _ADPOSITION, _CAPITAL = 0.5, 1.0, 0.3, 0.3, 1.5
# What it gains as the span of another group of alternatives, where its own stands by itself, has new words, or has no
# evidence; and what it loses where another group's span ends elsewhere.
_AGREED_OWN, _AGREED, _AGREED_WEAK, _OTHER_END = 0.1, 0.45, 1.2, 0.3
# What a correction in small letters takes from a span at the beginning of a sentence.
_SMALL = 0.3
# The least evidence of a certain span, and by how much it has to be better than the next.
_ENOUGH, _MARGIN, _WORSE = 0.4, 0.25, 1.5

_MODIFIERS, _NOUNS = frozenset({"ADJ", "DET", "NUM", "PRON", "VERB"}), frozenset({"NOUN", "PROPN"})
_FINITE = ("VerbForm", "Fin")
_AGREEMENT = ("Case", "Number", "Gender")


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


NO_MENTIONS = Mentions()


class Span(NamedTuple):
    """The words from `first` up to `last`, exclusively; all from the sentence's beginning where `first` is -1."""

    first: int
    last: int


class Ranked(NamedTuple):
    """The spans that alternatives may replace, the most likely first, and whether the first one is certain.

    Evidence hardly tells the first `near` ones apart.
    """

    spans: tuple[Span, ...]
    is_certain: bool
    near: int = 1


class SpanFinder:
    """Ranks the spans before one bracket."""

    def __init__(
        self, before: Before, mentions: Mentions, closed: ClosedClasses, analyser: Analyser | None = None
    ) -> None:
        self._before = before
        self._mentions = mentions
        self._closed = closed
        self._analyser = analyser
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
        weak = [max(table.values()) < _ENOUGH for table in tables]
        capital = [group[0].words[0][0].isupper() for group in groups]
        for number, (group, table) in enumerate(zip(groups, tables, strict=True)):
            others = [best[k] for k in range(len(groups)) if k != number and capital[k] == capital[number]]
            lean = _AGREED_WEAK if weak[number] else self._leaning(group)
            for span in table:
                table[span] += lean * others.count(span) - _OTHER_END * any(span.last != other.last for other in others)
        return [
            self._by_score(table, drops=weak[number] and self._drops_what_another_keeps(number, groups))
            for number, table in enumerate(tables)
        ]

    def _drops_what_another_keeps(self, number: int, groups: Sequence[Sequence[Alternative]]) -> bool:
        """Whether a group lacks the word before the bracket, in any form, that another group repeats."""
        last = self._before.words[-1:]
        own, *others = (
            [word for alternative in group for word in alternative.words]
            for group in (groups[number], *groups[:number], *groups[number + 1 :])
        )
        kept = any(last[0].casefold() in map(str.casefold, words) for words in others)
        return kept and not matches(own, last, self._closed)

    def _leaning(self, group: Sequence[Alternative]) -> float:
        """What a group with evidence of its own gains by the span of another one."""
        new = (word for alternative in group for word in self._new(alternative, self._before.words)[0])
        return _AGREED if set(new) - self._closed.adpositions else _AGREED_OWN

    def _by_score(self, table: dict[Span, float], *, drops: bool) -> Ranked:
        order = sorted(table, key=lambda span: (-table[span], -span.last, -span.first))
        best, again = order[0], self._other_occurrences(order[0])
        order = [
            best,
            *again,
            *(span for span in order[1:] if span not in again and table[span] > table[best] - _WORSE),
        ]
        near = sum(table[span] > table[best] - _MARGIN for span in order)
        is_certain = table[best] >= _ENOUGH and near == 1 and not (again or drops)
        return Ranked(tuple(order), is_certain, max(near, 1 + len(again)))

    def _other_occurrences(self, span: Span) -> list[Span]:
        """Where else words stand before the bracket, if they do not reach up to it."""
        text, size = self._small[span.first : span.last], span.last - span.first
        if span.first < 0 or span.last == len(self._small):
            return []
        places = (first for first in range(len(self._small)) if self._small[first : first + size] == text)
        return [Span(first, first + size) for first in places if first != span.first]

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
        commas = sum(word.endswith(",") for slot in alternative.slots for word in slot[0])
        same = [word.casefold() for word in correction] == [word.casefold() for word in inside]
        if same and commas == sum(span.first < place < span.last for place in self._before.commas):
            return -math.inf
        found = matches(correction, inside, self._closed)
        score = sum(-negative for negative, *_ in found) + self._inner(alternative, span)
        if span.last < len(self._before.words):
            last = {place: -negative for negative, _, _, place in found}.get(len(inside) - 1, 0.0)
            named = any(self._named(place, correction) for place in range(max(span.first, 0), span.last))
            functions = self._closed.functions
            only_adpositions = self._closed.adpositions.issuperset(self._small[max(span.first, 0) : span.last])
            if not (last or self._named(span.last - 1, correction)) or not (named or any(-m[0] < 1 for m in found)):
                return -math.inf
            if only_adpositions and not functions.issuperset(map(str.casefold, correction)):
                return -math.inf
            joined = self._small[span.last] in self._closed.coordinators
            score -= _JOINED if joined else _APART
        return score + self._edges(alternative, span) - _COMMA * self._crossed(alternative, span)

    def _new(self, alternative: Alternative, inside: list[str]) -> tuple[list[str], list[str]]:
        """The words of an alternative before its first match and behind its last one, in small letters.

        Without a match all stand before it. Words that an alternative inserts at its beginning are left out.
        """
        correction = alternative.words
        indices = {index for _, _, index, _ in matches(correction, inside, self._closed)}
        inserted = sum(
            len(option) for slot in takewhile(lambda slot: not slot[0], alternative.slots) for option in slot
        )
        small = list(map(str.casefold, correction))
        return small[inserted : min(indices, default=None)], small[max(indices, default=len(small)) + 1 :]

    def _inner(self, alternative: Alternative, span: Span) -> float:
        """What the words of a span without a match add and take, and the new words of the alternative."""
        start, correction, closed = max(span.first, 0), alternative.words, self._closed
        inside = self._before.words[start : span.last]
        taken = {start + place for *_, place in matches(correction, inside, closed)}
        leading, trailing = self._new(alternative, inside)
        loose = sum(word not in closed.functions for word in leading)
        soft = sum(word in closed.functions - closed.adpositions for word in leading)
        behind = sum(word not in closed.functions for word in trailing)
        score, unmatched = 0.0, [place for place in range(start, span.last) if place not in taken]
        named: set[int] = set()
        credited: set[int] = set()
        broken, bare_functions = False, closed.functions.issuperset(map(str.casefold, correction))
        values = {self._small[place]: self._named(place, correction) for place in unmatched}
        # A word that the rule names as wrong stands for all that is new.
        if any(value == _NAMED_WRONG and word not in closed.functions for word, value in values.items()):
            loose = behind = 0
        named_functions = sum(value == _NAMED_WRONG and word in closed.functions for word, value in values.items())
        behind = max(0, behind - max(0, named_functions - loose))
        for place in reversed(unmatched):
            small = self._small[place]
            # Behind an unexplained word, in another clause than the words that match, a named word is no evidence.
            apart = broken and any(place < comma <= min(taken, default=0) for comma in self._before.commas)
            value = 0.0 if apart else values.pop(small, 0.0)
            is_open = small not in closed.functions
            entry_goes_on = place + 1 in credited | taken and self._goes_on_in_entry(place)
            chained = place + 1 in named or (bool(leading) and entry_goes_on)
            if value and (loose or value == _NAMED_WRONG or chained):
                named |= {place} if is_open else set()
                credited.add(place)
                score, loose = score + value, max(0, loose - (not chained))
            elif small in closed.negations and leading:
                score, loose = score + _ADPOSITION, max(0, loose - 1)
            elif small in closed.adpositions and correction[0].casefold() in closed.adpositions:
                score += _ADPOSITION
            elif not is_open and soft:
                score, soft = score - _EXCHANGED, soft - 1
            elif is_open and taken and place > max(taken) and behind:
                score, behind = score - _EXCHANGED, behind - 1
            elif is_open and loose:
                score, loose = score - _EXCHANGED, loose - 1
            elif is_open and soft and taken:
                score, soft = score - 2 * _EXCHANGED, soft - 1
            else:
                score, broken = (
                    score - (_LOST if bare_functions and is_open and small not in closed.common else _UNEXPLAINED),
                    True,
                )
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
        if not any(self._same_word(word, named) for named in mentions.headword):
            return 0.0
        exchanged = word not in self._closed.functions and any(same_ending(word, other) for other in correction)
        return _NAMED_WRONG if exchanged else _NAMED_FORM * (1 + 2 * mentions.is_wrong)

    def _goes_on_in_entry(self, place: int) -> bool:
        """Whether a word and the next one stand side by side in the entry too."""
        pair = tuple(self._small[place : place + 2])
        return any(pair == both for both in pairwise(self._mentions.headword))

    def _same_word(self, word: str, other: str) -> bool:
        """Whether two words are forms of one: they look so, or share a lemma."""
        lemmas = [self._analyser.lemmas(text) for text in (word, other)] if self._analyser else []
        return bool(matches([word], [other], self._closed)) or bool(lemmas and lemmas[0] & lemmas[1])

    def _edges(self, alternative: Alternative, span: Span) -> float:
        """What the words beside a span take, and what capitals give and take."""
        before, score, correction = self._before, 0.0, alternative.words
        opening = correction[0].casefold()
        if span.last < len(before.words):
            stays = self._small[span.last : span.last + len(correction)]
            score -= _DOUBLED * any(word.casefold() in stays for word in correction)
        if span.first > 0:
            left = self._small[span.first - 1]
            banned = left in self._mentions.banned and left not in map(str.casefold, correction)
            doubled = left == opening or {left, opening} <= self._closed.adpositions
            leading, _ = self._new(alternative, before.words[span.first : span.last])
            doubled = doubled or (opening in leading and bool(matches([opening], [left], self._closed)))
            score -= _DOUBLED * (doubled or banned)
            loose = bool(set(leading) - self._closed.functions)
            score -= _STRANDED * (loose and self._modifies(span.first - 1))
            score -= _DOUBLED * self._are_finite(before.words[span.first - 1], correction[0])
        opens = span.first in {-1, *before.openings}
        if self._begins_sentence(correction):
            return score + (_CAPITAL if opens else -_CAPITAL)
        return score - _SMALL * (opens and before.words[max(span.first, 0)][0].isupper())

    def _modifies(self, place: int) -> bool:
        """Whether a word agrees with the next one as its modifier: by morphology, else by their endings."""
        left, right = self._before.words[place : place + 2]
        modifiers, nouns = (self._analyser.analyse(word) if self._analyser else () for word in (left, right))
        if not modifiers or not nouns:
            return same_form(left, right)
        return any(
            modifier.upos in _MODIFIERS and noun.upos in _NOUNS and _agree(modifier.features, noun.features)
            for modifier, noun in product(modifiers, nouns)
        )

    def _are_finite(self, *words: str) -> bool:
        """Whether words can only be finite verbs, two of which do not stand side by side."""
        if self._analyser is None:
            return False
        readings = [self._analyser.analyse(word) for word in words]
        return all(found and all(_FINITE in reading.features for reading in found) for found in readings)

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


def _agree(modifier: Features, noun: Features) -> bool:
    """Whether two words have one case, and neither another number nor another gender."""
    first, second = dict(modifier), dict(noun)
    same = all(first.get(name) in (None, second.get(name)) for name in _AGREEMENT)
    return same and first.get("Case") is not None
