"""From a sentence with corrections in brackets to the minimal pairs that it stands for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, takewhile
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.rules.error_lists.alignment import (
    WordAlignment,
    align,
    headword_size,
    same_form,
    with_adposition,
    with_modifiers,
    with_negation,
)
from pairwright.rules.error_lists.alternatives import Alternative, AlternativeReader, bare, bare_words, replaced
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.text import squeeze

_WORD = re.compile(r"[^\s()\[\]]+")


class UnresolvedError(ValueError):
    """The words that a bracket replaces are unclear; the message is the reason."""


class SentencePair(NamedTuple):
    """A pair that a sentence stands for; the default one takes the first wordings of every candidate span."""

    good: str
    bad: str
    default: bool


@dataclass(frozen=True)
class EntryContext:
    """What else shows how far the wrong words reach.

    headword           of the entry that the sentence stands under
    headword_is_wrong  whether the rule's headwords name wrong words
    mentioned          the words of the rule and of the entry, in small letters
    emphasis           the spans of the sentence that the page emphasises
    """

    headword: tuple[str, ...] = ()
    headword_is_wrong: bool = False
    mentioned: frozenset[str] = frozenset()
    emphasis: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class _Before:
    """What stands before a bracket.

    words     without punctuation, and `starts` their offsets in the sentence
    whole     whether no other word of the sentence stands before them
    marked    how many of the last words the page emphasises up to the bracket
    headword  how many words stand from the wrong headword of the entry up to the bracket
    """

    words: list[str]
    starts: list[int]
    whole: bool
    marked: int
    headword: int
    mentioned: frozenset[str]


class _Wording(NamedTuple):
    """A wording that replaces the sentence from `start` up to a bracket."""

    start: int
    text: str


class _Span(NamedTuple):
    """A candidate span: its bracket, and its good and bad wordings. The first of each is the default.

    Both defaults replace the same words. The sentence itself holds the bad wording of `wrong (= right)`, and the good
    wording of `right (ne wrong)`.
    """

    bracket: Bracket
    good: tuple[_Wording, ...]
    bad: tuple[_Wording, ...]


class _Extent(NamedTuple):
    """How many words before the bracket an alternative replaces, and whether its own evidence is enough."""

    size: int
    certain: bool
    soft: int = 0


class CorrectionReader:
    """Reads sentences with corrections, in one language and notation."""

    def __init__(self, language: Language, separators: tuple[str, ...]) -> None:
        self._alternatives = AlternativeReader(language, separators)
        self._closed = self._alternatives.closed
        self._subordinators = frozenset(language.subordinators)

    def pairs(self, sentence: BracketedSentence, context: EntryContext) -> list[SentencePair]:
        """All pairs of a sentence: the default, those with other corrections, those with one span wrong.

        Raises UnresolvedError where the words that a bracket replaces are unclear, UnbalancedError for its brackets.
        """
        spans = [span for bracket in sentence.corrections() if (span := self._span(sentence, bracket, context))]
        texts = dict.fromkeys(self._texts(sentence, spans)) if spans else {}
        return [SentencePair(good, bad, default=place == 0) for place, (good, bad) in enumerate(texts)]

    def _texts(self, sentence: BracketedSentence, spans: list[_Span]) -> Iterator[tuple[str, str]]:
        """The good and the bad sentences, with repetitions."""
        good, bad = [span.good[0] for span in spans], [span.bad[0] for span in spans]
        filled = partial(_fill, sentence, spans)
        good_text, bad_text = filled(good), filled(bad)
        yield good_text, bad_text
        for place, span in enumerate(spans):
            yield from ((filled(replaced(good, place, wording)), bad_text) for wording in span.good[1:])
            yield from ((good_text, filled(replaced(bad, place, wording))) for wording in span.bad[1:])
        yield from ((text, bad_text) for text in self._rewritten(sentence, spans))
        if len(spans) > 1:
            yield from ((good_text, filled(replaced(good, place, wording))) for place, wording in enumerate(bad))

    def _span(self, sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> _Span | None:
        """The candidate span of a bracket; None where the bracket only looks like a wording to avoid."""
        before = _before(sentence, bracket, context)
        if not before.words:
            raise UnresolvedError("no words stand before the bracket")
        groups = self._alternatives.groups(bracket.content, sentence.text[before.starts[0] : bracket.start])
        if not groups:
            raise UnresolvedError("the bracket holds no words")
        try:
            sizes = self._sizes(groups, before)
        except UnresolvedError:
            if bracket.kind == "right-first":
                return None
            raise
        starts = [(item, 0 if size > len(before.words) else before.starts[-size]) for item, size in sizes]
        readings = ((start, words) for alternative, start in starts for words in alternative.readings())
        wordings = tuple(
            dict.fromkeys(_Wording(start, self._placed(words, sentence, start)) for start, words in readings)
        )
        given = (_Wording(wordings[0].start, sentence.text[wordings[0].start : bracket.start]),)
        return _Span(bracket, *((wordings, given) if bracket.kind == "wrong-first" else (given, wordings)))

    def _sizes(self, groups: list[list[Alternative]], before: _Before) -> list[tuple[Alternative, int]]:
        """Each alternative with the number of words that it replaces; a larger number means all from the beginning."""
        extents = [[self._extent(alternative, before) for alternative in group] for group in groups]
        certain = [[it.size for it in group if it.certain and it.size <= len(before.words)] for group in extents]
        all_certain = list(chain.from_iterable(certain))
        return [
            (alternative, max([self._settled(alternative, extent, before.words, all_certain), *sizes]))
            for group, own_extents, sizes in zip(groups, extents, certain, strict=True)
            for alternative, extent in zip(group, own_extents, strict=True)
        ]

    def _extent(self, alternative: Alternative, before: _Before) -> _Extent:
        """What an alternative replaces by its own evidence."""
        words, correction = before.words, alternative.words
        aligned = self._aligned(words, alternative)
        # The capital may be that of a name inside the sentence, not of its beginning.
        names = (words[place][0].isupper() and before.starts[place] > 0 for i, place in aligned.matched if i == 0)
        if correction[0][0].isupper() and not any(names):
            return _Extent(len(words) + (not before.whole), True)
        if before.marked:
            return _Extent(before.marked, True)
        size = own_size = max(aligned.size, before.headword)
        if aligned.loose or not any(index == 0 for index, _ in aligned.matched):
            size = with_negation(words, size, correction, self._closed)
        if size and aligned.loose:
            size = with_modifiers(words, size)
        extended = size > own_size
        size = with_adposition(words, size, correction, before.mentioned, self._closed)
        if aligned.size == 0:
            return _Extent(size, size > 0 and (extended or len(correction) <= before.headword))
        return _Extent(size, aligned.loose == 0 or extended or aligned.size <= before.headword, aligned.soft)

    def _aligned(self, before: list[str], alternative: Alternative) -> WordAlignment:
        """Aligns all words of an alternative; words inserted at its beginning are never loose."""
        aligned = align(before, alternative.words, self._closed)
        inserted = takewhile(lambda slot: not slot[0], alternative.slots)
        return replace(aligned, loose=max(0, aligned.loose - sum(len(option) for slot in inserted for option in slot)))

    def _settled(self, alternative: Alternative, extent: _Extent, before: list[str], certain: Sequence[int]) -> int:
        """The size by an alternative's own evidence, else by the certain ones beside it. Raises UnresolvedError."""
        if extent.certain:
            return max((size for size in certain if size <= extent.size + extent.soft), default=extent.size)
        aligned = self._aligned(before, alternative)
        likely = max(certain, default=0)
        if likely and (aligned.size == 0 or aligned.size <= likely <= aligned.size + aligned.loose):
            return max(likely, extent.size)
        if extent.size and (aligned.size == 0 or extent.size in certain):
            return extent.size
        words = alternative.words
        if len(before) == 1 or (len(words) == 1 and same_form(words[0], before[-1])):
            return 1
        raise UnresolvedError(
            f"it can't be told which words '{' '.join(words)}' replaces; mark them, or correct them by hand"
        )

    def _placed(self, words: list[str], sentence: BracketedSentence, start: int) -> str:
        """Words as they stand at a place of the sentence: with an initial capital, and commas before clauses."""
        text = " ".join(
            f", {word}" if place and word.casefold() in self._subordinators and words[place - 1][-1] != "," else word
            for place, word in enumerate(words)
        ).replace(" ,", ",")
        left = sentence.text[:start].rstrip()
        if words and words[0].casefold() in self._subordinators and left and left[-1] not in ",;:–—(":
            return f", {text}"
        if not re.search(r"\w", left) and sentence.text.lstrip("„“\"'»«")[:1].isupper():
            return text[:1].upper() + text[1:]
        return text

    def _rewritten(self, sentence: BracketedSentence, spans: list[_Span]) -> Iterator[str]:
        """The good sentences of plain brackets that rewrite the sentence, from one form of its words to another."""
        for bracket in sentence.brackets:
            if bracket.kind != "plain" or "," in bracket.content or bracket.start < spans[0].bracket.end:
                continue
            rewrite = bare_words(bracket.content.split())
            words, starts = _words_before(sentence, 0, bracket.start)
            aligned = align(words, rewrite, self._closed)
            if len(rewrite) < 3 or not {0, len(rewrite) - 1} <= {index for index, _ in aligned.matched}:
                continue
            capital = rewrite[0][0].isupper()
            if capital and re.search(r"\w", sentence.text[bracket.end :]):
                continue
            start = 0 if capital else starts[-aligned.size]
            rewritten = _Span(bracket, (_Wording(start, bracket.content),), ())
            kept = [*(span for span in spans if span.good[0].start < start), rewritten]
            yield _fill(sentence, kept, [span.good[0] for span in kept])


def tidy(text: str, original: str) -> str:
    """A sentence with normal spacing and a full stop at its end, without words doubled by a correction.

    `original` is the sentence of the list: a word that is doubled there stays doubled.
    """
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„“«])\s+|\s+([)”»])", r"\1\2", text)
    text = re.sub(r"\b(\w+)( \1)\b", r"\1", text) if not re.search(r"\b(\w+) \1\b", original) else text
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."


def _fill(sentence: BracketedSentence, spans: Sequence[_Span], wordings: Sequence[_Wording]) -> str:
    """The sentence with one wording in each candidate span, and without its brackets."""
    cuts = [(span.bracket.end, start, text) for span, (start, text) in zip(spans, wordings, strict=True)]
    cuts += [(bracket.end, bracket.start, "") for bracket in sentence.brackets]
    filled, first = sentence.text, len(sentence.text)
    for end, start, text in sorted(cuts, key=lambda cut: (-cut[0], cut[1])):
        if end <= first:
            filled, first = f"{filled[:start]} {text} {filled[end:]}", start
    return tidy(filled, sentence.text)


def _before(sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> _Before:
    """What stands between the last correction and a bracket."""
    after = max((b.end for b in sentence.corrections() if b.end <= bracket.start), default=0)
    words, starts = _words_before(sentence, after, bracket.start)
    headword = headword_size(words, context.headword)
    if not context.headword_is_wrong and headword != len(context.headword):
        headword = 0
    first = starts[0] if starts else 0
    whole = not re.search(r"\w", sentence.text[:first])
    marked = (
        sum(place >= start for place in starts)
        for start, end in context.emphasis
        if first <= start and end <= bracket.start and not re.search(r"\w", sentence.text[end : bracket.start])
    )
    return _Before(words, starts, whole, next(marked, 0), headword, context.mentioned)


def _words_before(sentence: BracketedSentence, start: int, end: int) -> tuple[list[str], list[int]]:
    """The words between two offsets that stand in no bracket, without punctuation, and their offsets."""
    words, starts = [], []
    for match in _WORD.finditer(sentence.text, start, end):
        word = bare(match[0])
        if word and not any(b.start <= match.start() < b.end for b in sentence.brackets):
            words.append(word)
            starts.append(match.start())
    return words, starts
