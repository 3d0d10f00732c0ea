"""Which words before a bracket the bracket corrects: every span that may be meant, with its probability.

The notation does not mark where the wrong words begin, nor whether they reach up to the bracket. A log-linear model
over the candidate spans decides (conditional logit; McFadden 1974, "Conditional logit analysis of qualitative choice
behavior"): the weighted sum of a span's features is the logarithm of its odds. Each feature is a count or a yes.
"""

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.languages.linguistics.forms import agrees, one_lexeme
from pairwright.languages.linguistics.likeness import ClosedClasses, matches, same_ending, similarity
from pairwright.languages.morphology import Analyser, Analysis
from pairwright.sources.error_list.edits import Alternative, BracketSite, small_words

_MODEL = tomllib.loads(Path(__file__).with_name("span_weights.toml").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = _MODEL["weights"]
CERTAIN: float = _MODEL["certain"]
NONE: float = _MODEL["none"]

# How far back the wrong words are looked for, how many words they may be, and how many away from the bracket.
_REACH, _MOST_WORDS, _MOST_APART = 14, 10, 5
# The classes of words, as the features name them: open ones, pronouns and the like, closed ones.
_KINDS = ("", ", pronoun", ", closed")
# How alike forms of one word are, and how far a rule has to speak for a word being wrong.
_OTHER_FORM, _WRONG = 0.9, 0.5

Table = Mapping[tuple[int, int], Mapping[str, float]]
"""The features of each span that a correction may replace."""
WordSpan = tuple[int, int]
"""The words from the first up to the second, exclusively."""


@dataclass(frozen=True)
class Mentions:
    """What the rule and the entry name: words in small letters.

    headword  the words of the entry in order; `wrong` is the share of the rule's brackets, 0-1, that speak for its
              headwords being the wrong words themselves and not the words that govern them
    banned    closed-class words of the rule and the entry, which no correction keeps
    heading   the wording of the rule and the entry, for people
    """

    headword: tuple[str, ...] = ()
    wrong: float = 0.0
    banned: frozenset[str] = frozenset()
    heading: str = ""


class RankedSpan(NamedTuple):
    """Words that a bracket may replace, with the probability that it does; `is_certain` where that is as good as sure.

    Spans that give the same words count as one.
    """

    span: WordSpan
    probability: float
    is_certain: bool


class Forms:
    """What forms of words have in common, by morphology where there is one."""

    def __init__(self, analyser: Analyser | None) -> None:
        self.analyser = analyser

    def same_shape(self, word: str, other: str) -> bool:
        """Whether two words are the same form of whatever words."""
        readings, others = self._readings(word), self._readings(other)
        if not readings or not others:
            return same_ending(word, other)
        return any(a.upos == b.upos and a.features == b.features for a, b in product(readings, others))

    def agree(self, modifier: str, noun: str) -> bool:
        """Whether a word agrees with another as its modifier; without morphology, whether they end in one letter."""
        readings, others = self._readings(modifier), self._readings(noun)
        if not readings or not others:
            return modifier[-1:].casefold() == noun[-1:].casefold()
        return any(agrees(m, n) and ("Case", "Voc") not in m.features for m, n in product(readings, others))

    def is_finite(self, word: str) -> bool:
        """Whether a word can only be a finite verb."""
        readings = self._readings(word)
        return bool(readings) and all(("VerbForm", "Fin") in reading.features for reading in readings)

    def share_lemma(self, word: str, other: str) -> bool:
        """Whether two words may be forms of one by morphology."""
        return bool(one_lexeme(self._readings(word), self._readings(other)))

    def _readings(self, word: str) -> tuple[Analysis, ...]:
        return self.analyser.analyse(word) if self.analyser else ()


class SpanModel:
    """The spans before one bracket."""

    def __init__(
        self,
        site: BracketSite,
        mentions: Mentions,
        closed: ClosedClasses,
        forms: Forms,
        groups: Sequence[Sequence[Alternative]],
    ) -> None:
        self.site = site
        self._openings = {alternative.words[0].casefold() for group in groups for alternative in group}
        self._mentions = mentions
        self.closed = closed
        self._word_forms = forms
        self._small = small_words(site.words)
        self.groups = groups
        self.tables = [] if site.marked else [self._table(group) for group in groups]

    def ranked(self, number: int) -> list[RankedSpan]:
        """The spans that alternatives which all replace the same words may replace, the likeliest first."""
        size, group = len(self._small), self.groups[number]
        if self.site.marked:
            around = self._around(self.site.marked, group[0].words)
            return [around, *([] if around.is_certain else [RankedSpan(self.site.marked, 0.0, False)])]
        table = self.tables[number]
        words = small_words(group[0].words)
        if not table:
            return [RankedSpan((size - 1, size), 0.0, False)]
        beliefs = softmax(table)
        spans: dict[tuple[str, ...], WordSpan] = {}
        totals: dict[WordSpan, float] = defaultdict(float)
        for span in sorted(table, key=lambda span: (-beliefs[span], -span[1], span[0])):
            result = [*self._small[: span[0]], *words, *self._small[span[1] :]]
            once = tuple(word for place, word in enumerate(result) if result[place - 1 : place] != [word])
            totals[spans.setdefault(once, span)] += beliefs[span]
        # A capital that is no name's begins the sentence.
        opens = self.site.openings if self.begins_sentence(group[0].words) or self.site.is_whole else frozenset()
        fitting = [span for span in totals if span[0] in opens and not (self.site.is_whole and span[1] < size)]
        # What only orders words anew replaces all of them and no others.
        moved = [span for span in totals if sorted(self._small[span[0] : span[1]]) == sorted(words)]
        order = sorted(fitting or moved or totals, key=lambda span: -totals[span])
        is_certain = totals[order[0]] >= CERTAIN and not self._loses_agreement(order[0], group[0].words)
        return [RankedSpan(span, totals[span], is_certain and span == order[0]) for span in order]

    def _loses_agreement(self, span: WordSpan, correction: list[str]) -> bool:
        """Whether the word before a span agreed with its last word and does not with that of the correction."""
        first, last = span
        if not first or first == last or not self.closed.functions.isdisjoint(self._small[first - 1 : first + 1]):
            return False
        before, old = self.site.words[first - 1], self.site.words[last - 1]
        return self._word_forms.agree(before, old) and not self._word_forms.agree(before, correction[-1])

    def _around(self, marked: WordSpan, correction: list[str]) -> RankedSpan:
        """The marked words with those around them that the correction repeats, most of what it holds standing in them.

        Certain where both ends are marked or repeated.
        """
        size, best, share = len(self._small), marked, -1.0
        if self.site.is_whole:
            return RankedSpan((0, size), 1.0, True)
        for first, last in product(range(marked[0], -1, -1), range(marked[1], size + 1)):
            found = matches(correction, self.site.words[first:last], self.closed)
            found = [each for each in found if each[0] <= -_OTHER_FORM]
            places = {first + place for *_, place in found} | set(range(*marked))
            # One word stands for the marked ones, unless it is only kept.
            is_near = len(correction) > 1 or (first, last) == marked or [each[0] for each in found] == [-1.0]
            is_near = is_near and (len(correction) > 1 or len(places) == last - first)
            value = -2 * sum(each[0] for each in found) / (len(correction) + last - first)
            if value > share and len(places) == last - first and is_near:
                best, share = (first, last), value
        # What was added to the marked words has to stand in the correction as it is.
        edges = (best[0], correction[0], marked[0]), (best[1] - 1, correction[-1], marked[1] - 1)
        is_sure = all(at == own or self._small[at] == word.casefold() for at, word, own in edges)
        return RankedSpan(best, 1.0, is_sure)

    def _table(self, group: Sequence[Alternative]) -> Table:
        """The features of each span that a group of alternatives may replace, as their mean over the alternatives."""
        size, table = len(self._small), dict[WordSpan, dict[str, float]]()
        reach = max(0, size - _REACH)
        # At the end of a clause no word was left out.
        behind = re.match(r"\s*[\w-]", self.site.sentence.text[self.site.bracket.end :])
        is_open = behind is not None or self.site.bracket.kind == "right-first"
        spans = [(first, size) for first in sorted({*range(max(reach, size - _MOST_WORDS), size + is_open), 0})]
        for first in range(reach, size):
            spans += [(first, last) for last in range(first + 1, min(size, first + _MOST_APART))]
        for span in spans:
            values = [self._features(alternative, span) for alternative in group]
            if all(values):
                table[span] = {name: fmean(each[name] for each in values) for name in values[0]}
        return table

    def _features(self, alternative: Alternative, span: WordSpan) -> dict[str, float]:
        """The features of a span that an alternative may replace; none where that would change nothing."""
        site, closed, small, forms = self.site, self.closed, self._small, self._word_forms
        correction, new, (start, end) = alternative.words, small_words(alternative.words), span
        inside, opens, left = small[start:end], start in site.openings, small[start - 1] if start else ""
        commas = sum(word.endswith(",") for slot in alternative.slots for word in slot[0])
        crossed = sum(start < place < end for place in site.commas)
        if commas == crossed and (opens or correction == site.words[start:end]) and new == inside:
            return {}
        matched = matches(correction, inside, closed)
        taken, used = {start + place for *_, place in matched}, {index for *_, index, _ in matched}
        same = [new[index] for negative, _, index, _ in matched if negative == -1]
        gone = {place: self._value(place) for place in self._named_places if small[place] not in new}
        # Words that the rule names as wrong stand for what is new.
        wrong = {place for place in range(start, end) if place not in taken and self._value(place) >= _WRONG}
        old = [small[place] for place in range(start, end) if place not in taken | wrong]
        added = [word for index, word in enumerate(new) if index not in used]
        unsaid = [word for word in added if word not in alternative.optional]
        features: dict[str, float] = {
            "same word": sum(word not in closed.functions for word in same),
            "other form": sum(-1 < negative <= -_OTHER_FORM for negative, *_ in matched),
            "only adds": len(same) == len(inside),
            "negation exchanged": bool(closed.negations.intersection(old) and unsaid) - (left in closed.negations),
            "named words covered": min(3.0, sum(gone[place] for place in gone if start <= place < end)),
            **dict(self._exchanged(old, unsaid, [small[place] for place in wrong])),
        }
        if start == end:
            return features
        capital, words = self.begins_sentence(correction), site.words[start:end]
        verbs = [sum(map(forms.is_finite, side)) for side in (words, correction)]
        openings = self._openings - {new[0]} | {new[0]}.intersection(added)
        repeated = bool(start) and any(word.endswith(left) or self._same_word(left, word) for word in openings)
        return features | {
            "capital at its place": capital and opens,
            "capital inside": capital and not opens,
            "small letter at the beginning": not capital and opens and words[0][0].isupper(),
            "apart": end < len(small),
            "named word at the beginning": gone.get(start, 0.0),
            "beginning kept on the left": repeated,
            "adposition kept": left in closed.adpositions and new[0] in closed.adpositions,
            "adposition at its end": inside[-1] in closed.adpositions,
            "letters alike": fuzz.ratio(" ".join(inside), " ".join(new)) / 100,
            "same form at the beginning": forms.same_shape(words[0], correction[0]),
            "same form at the end": forms.same_shape(words[-1], correction[-1]),
            "finite verbs lost": max(0, verbs[0] - verbs[1]),
            "finite verbs gained": max(0, verbs[1] - verbs[0]),
        }

    def _exchanged(self, old: list[str], new: list[str], named: list[str]) -> Iterator[tuple[str, float]]:
        """How many words without a match stand for each other, by their classes, and how many for none."""
        functions, common = self.closed.functions, self.closed.common

        def counted(words: list[str]) -> Counter[str]:
            return Counter(", closed" if it in functions else ", pronoun" if it in common else "" for it in words)

        lost, gained = counted(old), counted(new) - counted(named)
        yield "exchanged", min(lost[""], gained[""])
        lost, gained = lost - gained, gained - lost
        across = min(lost.total(), gained.total())
        yield "exchanged for another class", across
        for name, count in (("dropped", lost), ("added", gained)):
            rest = across
            for kind in _KINDS:
                yield f"{name}{kind}", max(0, count[kind] - rest)
                rest = max(0, rest - count[kind])

    def begins_sentence(self, correction: list[str]) -> bool:
        """Whether a correction begins with a capital that is not that of a name inside the sentence."""
        capitals = [(place, word) for place, word in enumerate(self.site.words) if word[0].isupper()]
        names = [word for place, word in capitals if place not in self.site.openings]
        quoted = [word for place, word in capitals if place in self.site.openings - {0}]
        is_name = correction[0] in quoted or any(matches(correction[:1], [name], self.closed) for name in names)
        return correction[0][0].isupper() and not is_name

    @cached_property
    def _named_places(self) -> frozenset[int]:
        """The words that the rule or the entry names, in any form, or behind a prefix."""
        named = {*self._mentions.headword, *self._mentions.banned}
        places = {place for place, word in enumerate(self._small) if word in named}
        for headword in self._mentions.headword:
            alike = [place for place, word in enumerate(self._small) if self._same_word(word, headword)]
            half = headword[: max(4, len(headword) // 2)] if len(headword) > 4 else " "
            places.update(alike or [place for place, word in enumerate(self._small) if half in word])
        return frozenset(places)

    def _value(self, place: int) -> float:
        """How far the rule names a word as wrong, 0-1."""
        word, mentions = self._small[place], self._mentions
        return 1.0 if word in mentions.banned else mentions.wrong * (place in self._named_places)

    def _same_word(self, word: str, other: str) -> bool:
        """Whether two words are forms of one: they look so, or share a lemma."""
        if matches([word], [other], self.closed):
            return similarity(word, other) >= _OTHER_FORM
        return self._word_forms.share_lemma(word, other)


def softmax(table: Table) -> dict[WordSpan, float]:
    """The probability of each span by its features; what is left is that of none of them."""
    scores = {span: sum(WEIGHTS.get(name, 0.0) * value for name, value in own.items()) for span, own in table.items()}
    highest = max(scores.values(), default=0.0)
    powers = {span: math.exp(score - highest) for span, score in scores.items()}
    total = math.fsum([*powers.values(), math.exp(NONE - highest)])
    return {span: power / total for span, power in powers.items()}
