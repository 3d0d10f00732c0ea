"""From a sentence with corrections in brackets to the minimal pairs that it stands for."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.languages.linguistics.likeness import align
from pairwright.morphology import Analyser
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alternatives import Alternative, AlternativeReader, bare_words, replaced
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.edits import OPENING, Edit, Editor, Place, Wording, fill, words_between
from pairwright.rules.error_lists.span_features import NO_MENTIONS, Before, Mentions, Span, small_words
from pairwright.rules.error_lists.span_weights import FLUENCY
from pairwright.rules.error_lists.spans import Rank, Ranked, SpanFinder
from pairwright.rules.error_lists.variants import ODDS, Variants
from pairwright.text import TOKEN

_ELLIPSIS = re.compile(r"…|\.\.\.")
# The mark at the end of a sentence, before or behind its bracket.
_END_MARK = re.compile(r"[.!?…][\"”“»’']*\s*(?:[(\[]|$)")
# A phrase without a predicate has hardly more words.
_PHRASE = 3
_MOST_GUESSES = 6
# What has more words and marks, or more corrections, is no sentence.
_MOST_TOKENS, _MOST_CORRECTIONS, _MOST_ALTERNATIVES = 300, 20, 20
# The least probability that is told from none.
_LEAST = 1e-9
# How probable the words before a bracket such as `(not x)` have to be, else it is no correction.
_LIKELY = 0.75


class UnresolvedError(ValueError):
    """No words stand where a bracket could replace them; the message is the reason."""


class SentencePair(NamedTuple):
    """A pair that a sentence stands for; the default one takes the first wordings of every bracket.

    uncertain  the words that some bracket replaces are a guess; `guesses` are the other good sentences, for the default
    """

    good: str
    bad: str
    default: bool
    uncertain: bool = False
    guesses: tuple[str, ...] = ()


class Resolved(NamedTuple):
    """The pairs of a sentence, and why brackets of it replace nothing; then all pairs are uncertain."""

    pairs: tuple[SentencePair, ...]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class EntryContext:
    """What else shows how far the wrong words reach.

    mentions  what the rule and the entry name
    emphasis  the spans of the sentence that the page emphasises
    """

    mentions: Mentions = NO_MENTIONS
    emphasis: tuple[tuple[int, int], ...] = ()


class _Reading(NamedTuple):
    """What a bracket stands for: its good and bad wordings, the first of each the default, and other guesses.

    The sentence itself holds the bad wording of `wrong (= right)`, and the good wording of `right (ne wrong)`.

    doubtful  wordings of which it is uncertain what they replace
    guesses   the first wording in place of other words, the most likely first, where it is doubtful
    """

    bracket: Bracket
    good: tuple[Wording, ...]
    bad: tuple[Wording, ...]
    doubtful: frozenset[Wording] = frozenset()
    guesses: tuple[Wording, ...] = ()


class _Option(NamedTuple):
    """A wording that a bracket may stand for: how likely it is, as a logarithm, its kind, and its span."""

    score: float
    kind: str
    span: Span
    wording: Wording


class CorrectionReader:
    """Reads sentences with corrections, in one language and notation."""

    def __init__(
        self,
        language: Language,
        separators: tuple[str, ...],
        analyser: Analyser | None = None,
        rank: Rank | None = None,
    ) -> None:
        self._rank = rank
        self._agreement = Agreement(language, analyser)
        self._alternatives = AlternativeReader(language, separators)
        self.closed = self._alternatives.closed
        self._editor = Editor(language, self.closed, self._agreement)
        self._variants = Variants(self._editor, self.closed, self._agreement)

    def require_sentence(self, phrase: BracketedSentence) -> None:
        """Raises UnresolvedError for a word or phrase by itself: no capital, no end mark, no finite verb, few words.

        Also for what is too long for a sentence.
        """
        if len(TOKEN.findall(phrase.text)) > _MOST_TOKENS or len(phrase.corrections()) > _MOST_CORRECTIONS:
            reason = f"more than {_MOST_TOKENS} words and marks or {_MOST_CORRECTIONS} corrections are no sentence"
            raise UnresolvedError(f"{reason}; part it")
        words = words_between(phrase, 0, len(phrase.text))[0]
        opening = next(filter(str.isalnum, phrase.text), "")
        if not opening.isupper() and len(words) == 1:
            raise UnresolvedError("a form by itself is no sentence; write a sentence with it")
        if not (opening.islower() or opening.isdigit()) or _END_MARK.search(phrase.text):
            return
        finite = any(map(self._agreement.are_finite, words))
        if not finite and (self._agreement.analyser or len(words) <= _PHRASE):
            raise UnresolvedError("a phrase by itself is no sentence; write a sentence with it")

    def pairs(self, sentence: BracketedSentence, context: EntryContext) -> Resolved:
        """All pairs of a sentence: the default, those with other corrections, those with one span wrong.

        Raises UnresolvedError where no bracket can replace anything, UnbalancedError for its brackets.
        """
        readings: list[_Reading] = []
        faults: list[str] = []
        for bracket in sentence.corrections():
            try:
                reading = self._reading(sentence, bracket, context)
            except UnresolvedError as fault:
                faults.append(str(fault))
            else:
                readings += [reading] if reading else []
        if faults and not readings:
            raise UnresolvedError(faults[0])
        texts: dict[tuple[str, str], bool] = {}
        for good, bad, uncertain in self._texts(sentence, readings) if readings else ():
            texts.setdefault((good, bad), uncertain or bool(faults))
        guesses = tuple(dict.fromkeys(self._guesses(sentence, readings)))
        pairs = (
            SentencePair(good, bad, place == 0, uncertain, guesses * (place == 0))
            for place, ((good, bad), uncertain) in enumerate(texts.items())
        )
        return Resolved(tuple(pairs), tuple(faults))

    def _guesses(self, sentence: BracketedSentence, spans: list[_Reading]) -> Iterator[str]:
        """The good sentences in which the first wording of a span stands for other words."""
        good = [span.good[0] for span in spans]
        for place, span in enumerate(spans):
            yield from (fill(sentence, replaced(good, place, wording)) for wording in span.guesses)

    def _texts(self, sentence: BracketedSentence, spans: list[_Reading]) -> Iterator[tuple[str, str, bool]]:
        """The good and the bad sentences, with repetitions, and whether they are uncertain."""
        good, bad = [span.good[0] for span in spans], [span.bad[0] for span in spans]
        filled = partial(fill, sentence)
        good_text, bad_text = filled(good), filled(bad)
        uncertain = any(wording in span.doubtful for span, wording in zip(spans, good, strict=True))
        yield good_text, bad_text, uncertain
        for place, span in enumerate(spans):
            for wording in span.good[1:]:
                yield filled(replaced(good, place, wording)), bad_text, uncertain or wording in span.doubtful
            yield from ((good_text, filled(replaced(bad, place, wording)), uncertain) for wording in span.bad[1:])
        yield from ((text, bad_text, uncertain) for text in self._rewritten(sentence, spans))
        if len(spans) > 1:
            yield from ((good_text, filled(replaced(good, place, other)), uncertain) for place, other in enumerate(bad))

    def _reading(self, sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> _Reading | None:
        """What a bracket stands for; None where it only looks like a wording to avoid."""
        before = _before(sentence, bracket, context)
        if not before.words:
            raise UnresolvedError("no words stand before the bracket")
        groups = self._alternatives.groups(bracket.content, sentence.text[before.starts[0] : bracket.start])
        if not groups:
            raise UnresolvedError("the bracket holds no words")
        if sum(map(len, groups)) > _MOST_ALTERNATIVES:
            raise UnresolvedError(f"more than {_MOST_ALTERNATIVES} alternatives stand in the bracket; part them")
        if len(parts := _parts(bracket.content)) > 1:
            return self._discontinuous(sentence, bracket, before, parts, context)
        place = Place(sentence, bracket, before)
        finder = SpanFinder(before, context.mentions, self.closed, self._agreement, groups)
        ranked = finder.ranked()
        if bracket.kind == "right-first" and any(spans.probabilities[0] < _LIKELY for spans in ranked):
            return None
        options = [self._options(place, spans, group[0]) for group, spans in zip(groups, ranked, strict=True)]
        wordings: dict[Wording, bool] = {}
        for group, spans, (likeliest, *others) in zip(groups, ranked, options, strict=True):
            for words in (words for alternative in group for words in alternative.readings()):
                kinds = self._variants.of(place, likeliest.span, words)
                wording = kinds.get(likeliest.kind, kinds["plain"])
                if without := self._editor.without_commas(place, likeliest.span, words):
                    wordings |= {without: False, wording: False}
                wordings.setdefault(wording, spans.is_certain and not others)
        guesses = [option.wording for option in options[0][1:]]
        if apiece := finder.apiece():
            wordings, guesses = self._with_apiece(place, groups, apiece, options[0], wordings)
        given: tuple[Wording, ...] = ((),)
        good, bad = (tuple(wordings), given) if bracket.kind == "wrong-first" else (given, tuple(wordings))
        doubtful = frozenset(wording for wording, certain in wordings.items() if not certain)
        return _Reading(bracket, good, bad, doubtful, tuple(guesses))

    def _with_apiece(
        self,
        place: Place,
        groups: Sequence[Sequence[Alternative]],
        apiece: tuple[float, Span, Span],
        options: list[_Option],
        wordings: dict[Wording, bool],
    ) -> tuple[dict[Wording, bool], list[Wording]]:
        """The wordings and the guesses, among them the wording in which each alternative replaces words of its own."""
        score, *spans = apiece
        corrections = [alternative.readings()[0] for group in groups for alternative in group]
        wording = self._variants.apiece(place, spans, corrections)
        likelier = [option.wording for option in options if option.score > score]
        others = [option.wording for option in options if option.score <= score]
        if likelier:
            return dict.fromkeys(wordings, False), [*likelier[1:], wording, *others]
        return {wording: False}, others

    def _options(self, place: Place, ranked: Ranked, alternative: Alternative) -> list[_Option]:
        """The wordings of an alternative, the most likely first; only one where it is certain.

        Where it is not, a language model has its say in their order.
        """
        words = alternative.readings()[0]
        options: dict[str, _Option] = {}
        for span, probability in zip(ranked.spans[:_MOST_GUESSES], ranked.probabilities, strict=False):
            kinds = self._variants.of(place, span, words)
            if ranked.is_certain and not options and len(kinds) == 1:
                return [_Option(0.0, "plain", span, kinds["plain"])]
            total = sum(ODDS[kind] for kind in kinds)
            for kind, wording in kinds.items():
                score = math.log(max(probability, _LEAST) * ODDS[kind] / total)
                options.setdefault(fill(place.sentence, [wording]), _Option(score, kind, span, wording))
        if self._rank:
            values = self._rank(list(options))
            options = {
                text: option._replace(score=option.score + FLUENCY * value)
                for (text, option), value in zip(options.items(), values, strict=True)
            }
        return sorted(options.values(), key=lambda option: -option.score)

    def _discontinuous(
        self, sentence: BracketedSentence, bracket: Bracket, before: Before, parts: list[str], context: EntryContext
    ) -> _Reading:
        """What `on the one side …, on the other …` replaces: words for each part, in order."""
        wordings: list[Wording] = []
        certain, rest = True, before
        for number, part in enumerate(parts, start=1):
            alternative = self._alternatives.single(part)
            if number < len(parts) and (place := _place_of(alternative.words, rest.words)):
                rest = rest.after(place)
                continue
            if not rest.words:
                raise UnresolvedError("not every part of the correction has words before the bracket")
            (ranked,) = SpanFinder(rest, context.mentions, self.closed, self._agreement, [[alternative]]).ranked()
            # Something of the sentence stands in the place of each ellipsis.
            stops = number < len(parts) or bool(re.search(rf"(?:{_ELLIPSIS.pattern})$", bracket.content.rstrip()))
            spans = [span for span in ranked.spans if (span.last < len(rest.words)) == stops]
            if not spans:
                raise UnresolvedError("not every part of the correction has words before the bracket")
            wordings.append(self._editor.wording(Place(sentence, bracket, rest), spans[0], alternative.readings()[0]))
            certain = certain and ranked.is_certain and spans[0] == ranked.spans[0]
            rest = rest.after(spans[0].last)
        wording = tuple(edit for part in wordings for edit in part)
        return _Reading(bracket, (wording,), ((),), frozenset() if certain else frozenset({wording}))

    def _rewritten(self, sentence: BracketedSentence, spans: list[_Reading]) -> Iterator[str]:
        """The good sentences of plain brackets that rewrite the sentence, from one form of its words to another."""
        for bracket in sentence.brackets:
            if bracket.kind != "plain" or "," in bracket.content or bracket.start < spans[0].bracket.end:
                continue
            rewrite = bare_words(bracket.content.split())
            words, starts, _ = words_between(sentence, 0, bracket.start)
            aligned = align(words, rewrite, self.closed)
            if len(rewrite) < 3 or not {0, len(rewrite) - 1} <= {index for index, _ in aligned.matched}:
                continue
            capital = rewrite[0][0].isupper()
            if capital and re.search(r"\w", sentence.text[bracket.end :]):
                continue
            start = 0 if capital else starts[-aligned.size]
            rewritten = _Reading(bracket, ((Edit(start, bracket.end, bracket.content),),), ())
            kept = [*(span for span in spans if all(edit.start < start for edit in span.good[0])), rewritten]
            yield fill(sentence, [span.good[0] for span in kept])


def _place_of(words: list[str], before: list[str]) -> int:
    """How many words end with the first place where a run of words stands, in whatever letters; 0 without one."""
    small, inside = small_words(before), small_words(words)
    places = (place + len(inside) for place in range(len(small)) if small[place : place + len(inside)] == inside)
    return next(places, 0)


def _parts(correction: str) -> list[str]:
    """The parts of a correction between its ellipses."""
    parts = (part.strip(" ,;") + "," * part.rstrip().endswith(",") for part in _ELLIPSIS.split(correction))
    return [part for part in parts if bare_words(part.split())]


def _before(sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> Before:
    """What stands between the last correction and a bracket."""
    after = max((b.end for b in sentence.corrections() if b.end <= bracket.start), default=0)
    words, starts, ends = words_between(sentence, after, bracket.start)
    gaps = [sentence.text[left:right] for left, right in zip([after, *ends], starts, strict=False)]
    first = starts[0] if starts else 0
    openings = {place for place, gap in enumerate(gaps) if place and OPENING.search(gap) and words[place][0].isupper()}
    if not re.search(r"\w", sentence.text[:first]):
        openings.add(0)
    marked = (
        sum(place >= start for place in starts)
        for start, end in context.emphasis
        if first <= start and end <= bracket.start and not re.search(r"\w", sentence.text[end : bracket.start])
    )
    commas = frozenset(place for place, gap in enumerate(gaps) if place and re.search("[,;]", gap))
    behind = re.split(r"[^\w\s-]", sentence.text[bracket.end :], maxsplit=1)[0].split()
    return Before(words, starts, ends, commas, frozenset(openings), next(marked, 0), tuple(behind))
