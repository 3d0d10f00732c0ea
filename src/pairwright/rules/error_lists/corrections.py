"""From a sentence with corrections in brackets to the minimal pairs that it stands for."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alignment import align
from pairwright.rules.error_lists.alternatives import Alternative, AlternativeReader, bare, bare_words, replaced
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.span_features import NO_MENTIONS, Before, Mentions, Span
from pairwright.rules.error_lists.span_weights import FLUENCY
from pairwright.rules.error_lists.spans import Rank, Ranked, SpanFinder
from pairwright.text import squeeze

_WORD = re.compile(r"[^\s()\[\]]+")
# What opens a quotation, behind which a sentence may begin.
_QUOTES = '„«‚‹“"'
_OPENING = re.compile(f"[{_QUOTES}]")
_ELLIPSIS = re.compile(r"…|\.\.\.")
_MOST_GUESSES = 5
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


class _Edit(NamedTuple):
    """A text in place of the sentence from `start` to `end`."""

    start: int
    end: int
    text: str


_Wording = tuple[_Edit, ...]
"""The edits that make one wording; the sentence itself has none."""


class _Reading(NamedTuple):
    """What a bracket stands for: its good and bad wordings, the first of each the default, and other guesses.

    The sentence itself holds the bad wording of `wrong (= right)`, and the good wording of `right (ne wrong)`.

    doubtful  wordings of which it is uncertain what they replace
    guesses   the first wording in place of other words, the most likely first, where it is doubtful
    """

    bracket: Bracket
    good: tuple[_Wording, ...]
    bad: tuple[_Wording, ...]
    doubtful: frozenset[_Wording] = frozenset()
    guesses: tuple[_Wording, ...] = ()


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
        self._subordinators = frozenset(language.subordinators)
        self._parentheticals = frozenset(map(str.casefold, language.parentheticals))

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
            yield from (_fill(sentence, replaced(good, place, wording)) for wording in span.guesses)

    def _texts(self, sentence: BracketedSentence, spans: list[_Reading]) -> Iterator[tuple[str, str, bool]]:
        """The good and the bad sentences, with repetitions, and whether they are uncertain."""
        good, bad = [span.good[0] for span in spans], [span.bad[0] for span in spans]
        filled = partial(_fill, sentence)
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
        if len(parts := _parts(bracket.content)) > 1:
            return self._discontinuous(sentence, bracket, before, parts, context)
        ranked = SpanFinder(before, context.mentions, self.closed, self._agreement, groups).ranked()
        if bracket.kind == "right-first" and any(spans.probabilities[0] < _LIKELY for spans in ranked):
            return None
        wording = partial(self._wording, sentence, bracket, before)
        ranked = [
            self._likeliest(spans, sentence, group[0], wording) for group, spans in zip(groups, ranked, strict=True)
        ]
        wordings: dict[_Wording, bool] = {}
        for group, spans in zip(groups, ranked, strict=True):
            for words in (words for alternative in group for words in alternative.readings()):
                span = spans.spans[0]
                if without := self._without_commas(sentence, bracket, before, span, words):
                    wordings |= {without: False, wording(span, words): False}
                wordings.setdefault(wording(span, words), spans.is_certain)
        guesses = [wording(span, groups[0][0].readings()[0]) for span in ranked[0].spans[1:_MOST_GUESSES]]
        given: tuple[_Wording, ...] = ((),)
        good, bad = (tuple(wordings), given) if bracket.kind == "wrong-first" else (given, tuple(wordings))
        doubtful = frozenset(wording for wording, certain in wordings.items() if not certain)
        return _Reading(bracket, good, bad, doubtful, () if ranked[0].is_certain else tuple(guesses))

    def _likeliest(
        self,
        ranked: Ranked,
        sentence: BracketedSentence,
        alternative: Alternative,
        wording: Callable[[Span, list[str]], _Wording],
    ) -> Ranked:
        """The spans that evidence hardly tells apart in the order in which a language model prefers the sentences."""
        if self._rank is None or ranked.is_certain:
            return ranked
        near, others = ranked.spans[:_MOST_GUESSES], ranked.spans[_MOST_GUESSES:]
        values = self._rank([_fill(sentence, [wording(span, alternative.readings()[0])]) for span in near])
        scores = [
            math.log(belief) + FLUENCY * value for value, belief in zip(values, ranked.probabilities, strict=False)
        ]
        order = sorted(zip(scores, near, strict=True), key=lambda item: -item[0])
        return ranked._replace(spans=(*(span for _, span in order), *others))

    def _discontinuous(
        self, sentence: BracketedSentence, bracket: Bracket, before: Before, parts: list[str], context: EntryContext
    ) -> _Reading:
        """What `on the one side …, on the other …` replaces: words for each part, in order."""
        wordings: list[_Wording] = []
        certain, rest = True, before
        for number, part in enumerate(parts, start=1):
            alternative = self._alternatives.single(part)
            (ranked,) = SpanFinder(rest, context.mentions, self.closed, self._agreement, [[alternative]]).ranked()
            # Something of the sentence stands in the place of each ellipsis.
            stops = number < len(parts) or bool(_ELLIPSIS.match(bracket.content.rstrip()[-1:]))
            spans = [span for span in ranked.spans if (span.last < len(rest.words)) == stops]
            if not spans:
                raise UnresolvedError("not every part of the correction has words before the bracket")
            wordings.append(self._wording(sentence, bracket, rest, spans[0], alternative.readings()[0]))
            certain = certain and ranked.is_certain and spans[0] == ranked.spans[0]
            rest = rest.after(spans[0].last)
        wording = tuple(edit for part in wordings for edit in part)
        return _Reading(bracket, (wording,), ((),), frozenset() if certain else frozenset({wording}))

    def _wording(
        self, sentence: BracketedSentence, bracket: Bracket, before: Before, span: Span, words: list[str]
    ) -> _Wording:
        """The edit that puts words in the place of a span, with the commas and quotation marks that go with them."""
        text, opening = sentence.text, words[0]
        start = 0 if span.first < 0 else before.starts[span.first]
        reaches_up = span.last == len(before.words)
        end = bracket.end if reaches_up else before.ends[span.last - 1]
        if start and text[start - 1] in _QUOTES:
            if opening[0] in _QUOTES:
                start -= 1
            elif reaches_up and not _OPENING.search(text[start : bracket.start]):
                end = before.ends[span.last - 1]
        adapted = self._adapted(before, span, bare_words(words))
        if self._ends_clause(before, span, words):
            end += len((re.match(r"\s*,", text[end:]) or [""])[0])
        left = text[:start].rstrip()
        if left.endswith(",") and self._loses_comma(before, span, words, text[before.ends[span.last - 1] : end]):
            return (*adapted, _Edit(len(left) - 1, end, self._placed(words, sentence, start)))
        # The comma of a clause stays where the correction begins with another conjunction.
        crossed = any(span.first < place < span.last for place in before.commas) and "," not in "".join(words)
        keeps = crossed and opening.casefold() in self.closed.functions - self.closed.adpositions and left
        comma = ", " * (bool(keeps) and left[-1] not in ",;:–—(")
        placed = self._placed(words, sentence, start).removeprefix(comma)
        closing = "," * self._closes_with_comma(before, span, words, text[end:])
        return (*adapted, _Edit(start, end, comma + placed + closing))

    def _adapted(self, before: Before, span: Span, words: list[str]) -> Iterator[_Edit]:
        """The modifiers before a span in the forms that agree with the noun that takes the place of another."""
        if not self.closed.functions.isdisjoint((before.words[max(span.first, 0)].casefold(), words[0].casefold())):
            return
        for place in self._agreement.stranded(before.words, before.commas, *span, words[-1]):
            if form := self._agreement.adapted(before.words[place], words[-1]):
                yield _Edit(before.starts[place], before.ends[place], form)

    def _ends_clause(self, before: Before, span: Span, words: list[str]) -> bool:
        """Whether the comma behind a clause at the beginning goes with it: a phrase or one adverb takes its place."""
        start, opening, closed = max(span.first, 0), words[0].casefold(), self.closed
        clause = before.words[start].casefold() in (closed.functions | closed.common) - closed.adpositions
        phrase = opening in closed.adpositions or (len(words) == 1 and opening not in self._subordinators)
        set_off = bare(" ".join(words)).casefold() in self._parentheticals
        return start in before.openings and clause and phrase and span.last - start > 1 and not set_off

    def _closes_with_comma(self, before: Before, span: Span, words: list[str], behind: str) -> bool:
        """Whether a comma ends a correction inside its sentence: a clause for a phrase, or what commas set off."""
        replaced_words = {word.casefold() for word in before.words[max(span.first, 0) : span.last]}
        begins = max(span.first, 0) in before.openings
        clause = begins and len(words) > 1 and words[0].casefold() in self._subordinators
        clause = clause and not replaced_words & self._subordinators
        set_off = " ".join(words).casefold() in self._parentheticals
        return (clause or set_off) and bool(re.match(r"\s+[\w(]", behind)) and span.last == len(before.words)

    def _without_commas(
        self, sentence: BracketedSentence, bracket: Bracket, before: Before, span: Span, words: list[str]
    ) -> _Wording | None:
        """One word in place of a parenthesis of several, without its commas, where it may need none; else None."""
        start, end = before.starts[max(span.first, 0)], before.ends[span.last - 1]
        if span.last == len(before.words):
            end = bracket.end if not sentence.text[end : bracket.start].strip() else len(sentence.text)
        left, right = sentence.text[:start].rstrip(), re.match(r"\s*,", sentence.text[end:])
        if len(words) > 1 or span.last - span.first < 2 or not left.endswith(",") or right is None:
            return None
        return (_Edit(len(left) - 1, end + right.end(), self._placed(words, sentence, start)),)

    def _loses_comma(self, before: Before, span: Span, words: list[str], behind: str) -> bool:
        """Whether the comma before a span goes: a coordinator joins, or the second of two commas is cut too."""
        coordinators = self.closed.coordinators
        others = {word.casefold() for word in before.words[: max(span.first, 0)]}
        joins = len(words) == 1 and words[0].casefold() in coordinators - others
        joined = before.words[max(span.first, 0)].casefold() in coordinators | self._subordinators
        return (joins and not joined) or (behind.startswith(",") and words[-1][-1] != ",")

    def _placed(self, words: list[str], sentence: BracketedSentence, start: int) -> str:
        """Words as they stand at a place of the sentence: with an initial capital, and commas before clauses."""
        text = " ".join(
            f", {word}" if place and self._begins_clause(words[place:], words[place - 1]) else word
            for place, word in enumerate(words)
        ).replace(" ,", ",")
        left = sentence.text[:start].rstrip()
        if not re.search(r"\w", left) or _OPENING.search(left[-1:]):
            begins = sentence.text[start:].lstrip("„“\"'»«")[:1].isupper()
            return text[:1].upper() + text[1:] if begins else text
        return f", {text}" if left[-1] not in ",;:–—(" and self._begins_clause(words, left.split()[-1]) else text

    def _begins_clause(self, words: list[str], before: str) -> bool:
        """Whether words behind another word begin a clause, `kuris` or `su kuriuo`, or are set off by commas."""
        first = next((word for word in words[:2] if word.casefold() not in self.closed.adpositions), "")
        previous = bare(before).casefold()
        joined = before[-1] == "," or previous in self.closed.coordinators | self.closed.adpositions
        return not joined and (
            first.casefold() in self._subordinators or " ".join(words).casefold() in self._parentheticals
        )

    def _rewritten(self, sentence: BracketedSentence, spans: list[_Reading]) -> Iterator[str]:
        """The good sentences of plain brackets that rewrite the sentence, from one form of its words to another."""
        for bracket in sentence.brackets:
            if bracket.kind != "plain" or "," in bracket.content or bracket.start < spans[0].bracket.end:
                continue
            rewrite = bare_words(bracket.content.split())
            words, starts, _ = _words_before(sentence, 0, bracket.start)
            aligned = align(words, rewrite, self.closed)
            if len(rewrite) < 3 or not {0, len(rewrite) - 1} <= {index for index, _ in aligned.matched}:
                continue
            capital = rewrite[0][0].isupper()
            if capital and re.search(r"\w", sentence.text[bracket.end :]):
                continue
            start = 0 if capital else starts[-aligned.size]
            rewritten = _Reading(bracket, ((_Edit(start, bracket.end, bracket.content),),), ())
            kept = [*(span for span in spans if all(edit.start < start for edit in span.good[0])), rewritten]
            yield _fill(sentence, [span.good[0] for span in kept])


def _parts(correction: str) -> list[str]:
    """The parts of a correction between its ellipses."""
    parts = (part.strip(" ,;") + "," * part.rstrip().endswith(",") for part in _ELLIPSIS.split(correction))
    return [part for part in parts if bare_words(part.split())]


def tidy(text: str, original: str) -> str:
    """A sentence with normal spacing and a full stop at its end, without words doubled by a correction.

    `original` is the sentence of the list: a word that is doubled there stays doubled.
    """
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„«])\s+|\s+([)”»])", r"\1\2", text)
    # The same mark closes „…“ and opens “…”.
    text = re.sub(r"(„[^„“]*?)\s+“", r"\1“", text) if "„" in text else re.sub(r"“\s+", "“", text)
    text = re.sub(r"\b(\w+)( \1)\b", r"\1", text) if not re.search(r"\b(\w+) \1\b", original) else text
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    text = re.sub(r"([.!?…][\"”“»’'])\.$", r"\1", text)
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."


def _fill(sentence: BracketedSentence, wordings: Sequence[_Wording]) -> str:
    """The sentence with one wording of each bracket, and without its brackets."""
    edits = [edit for wording in wordings for edit in wording]
    edits += [_Edit(bracket.start, bracket.end, "") for bracket in sentence.brackets]
    filled, first = sentence.text, len(sentence.text)
    for edit in sorted(edits, key=lambda edit: (-edit.end, edit.start)):
        if edit.end <= first:
            filled, first = f"{filled[: edit.start]} {edit.text} {filled[edit.end :]}", edit.start
    return tidy(filled, sentence.text)


def _before(sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> Before:
    """What stands between the last correction and a bracket."""
    after = max((b.end for b in sentence.corrections() if b.end <= bracket.start), default=0)
    words, starts, ends = _words_before(sentence, after, bracket.start)
    gaps = [sentence.text[left:right] for left, right in zip([after, *ends], starts, strict=False)]
    first = starts[0] if starts else 0
    openings = {place for place, gap in enumerate(gaps) if place and _OPENING.search(gap) and words[place][0].isupper()}
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


def _words_before(sentence: BracketedSentence, start: int, end: int) -> tuple[list[str], list[int], list[int]]:
    """The words between two offsets that stand in no bracket, without punctuation, and their offsets and ends."""
    words, starts, ends = [], [], []
    for match in _WORD.finditer(sentence.text, start, end):
        word = bare(match[0])
        if word and not any(b.start <= match.start() < b.end for b in sentence.brackets):
            words.append(word)
            starts.append(match.start() + match[0].index(word))
            ends.append(starts[-1] + len(word))
    return words, starts, ends
