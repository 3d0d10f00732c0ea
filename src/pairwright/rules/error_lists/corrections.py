"""From a sentence with corrections in brackets to the sentences that it stands for, good and bad."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pairwright.languages import Language
from pairwright.rules.error_lists.alignment import (
    Alignment,
    align,
    headword_size,
    same_form,
    with_adposition,
    with_modifiers,
    with_negation,
)
from pairwright.rules.error_lists.brackets import Bracket, Sentence
from pairwright.rules.error_lists.readings import Chunk, ReadingMaker, bare
from pairwright.text import squeeze

_WORD = re.compile(r"[^\s()\[\]]+")


class UnresolvedError(ValueError):
    """A bracket whose replaced words can't be told; the message is the reason."""


@dataclass(frozen=True)
class Word:
    """A word before a bracket, bare, with its offsets in the sentence."""

    bare: str
    start: int
    end: int


@dataclass(frozen=True)
class Option:
    """One wording for the place that ends at a bracket: it replaces the sentence from `start` up to the bracket."""

    start: int
    text: str


@dataclass(frozen=True)
class Slot:
    """A corrected place of a sentence. Both sides list their wordings; the first is the default.

    In `wrong words (= right words)` the sentence holds the one wrong wording; in `right words (ne wrong words)` the one
    right wording.
    """

    bracket: Bracket
    start: int
    good: tuple[Option, ...]
    bad: tuple[Option, ...]


@dataclass(frozen=True)
class Reading:
    """A pair that a sentence stands for. `default` is its first reading: every place wrong against every place right,
    by the first correction of each."""

    good: str
    bad: str
    default: bool


@dataclass(frozen=True)
class _Guess:
    """How many words before the bracket an alternative replaces, and whether its own evidence is enough."""

    size: int
    certain: bool
    soft: int = 0


@dataclass(frozen=True)
class Context:
    """What else tells how far wrong words reach: the entry's headword, whether the rule's headwords name wrong words,
    the words that the rule and the entry mention, and the spans of the sentence that the page emphasises."""

    headword: tuple[str, ...] = ()
    headword_is_wrong: bool = False
    mentioned: frozenset[str] = frozenset()
    emphasis: tuple[tuple[int, int], ...] = field(default=())


class CorrectionReader:
    """Reads sentences with corrections in one language and notation."""

    def __init__(self, language: Language, separators: tuple[str, ...]) -> None:
        self._maker = ReadingMaker(language, separators)
        self._subordinators = frozenset(language.subordinators)

    def readings(self, sentence: Sentence, context: Context) -> list[Reading]:
        """All pairs of a sentence, the default first, then the other corrections, then each place wrong by itself.

        Raises UnresolvedError where the words that a bracket replaces can't be told.
        """
        slots = [slot for bracket in sentence.corrections() if (slot := self._slot(sentence, bracket, context))]
        if not slots:
            return []
        default_good, bad = [slot.good[0] for slot in slots], [slot.bad[0] for slot in slots]
        good_text, bad_text = self._render(sentence, slots, default_good), self._render(sentence, slots, bad)
        found = [Reading(good_text, bad_text, True)]
        for place, slot in enumerate(slots):
            for option in slot.good[1:]:
                choice = [*default_good[:place], option, *default_good[place + 1 :]]
                found.append(Reading(self._render(sentence, slots, choice), bad_text, False))
            for option in slot.bad[1:]:
                choice = [*bad[:place], option, *bad[place + 1 :]]
                found.append(Reading(good_text, self._render(sentence, slots, choice), False))
        found += [Reading(text, bad_text, False) for text in self._rewrites(sentence, slots)]
        if len(slots) > 1 and not any(
            option.start < slot.start for option, slot in zip(default_good, slots, strict=True)
        ):
            for place in range(len(slots)):
                choice = [*default_good[:place], bad[place], *default_good[place + 1 :]]
                found.append(Reading(good_text, self._render(sentence, slots, choice), False))
        unique = {(reading.good, reading.bad): reading for reading in reversed(found)}
        return sorted(unique.values(), key=lambda reading: found.index(reading))

    def _slot(self, sentence: Sentence, bracket: Bracket, context: Context) -> Slot | None:
        """The slot of a bracket; None where a bracket only looks like an avoided wording."""
        before = _words_before(sentence, bracket, corrected=True)
        kept = sentence.text[before[0].start : bracket.start] if before else ""
        if not before:
            raise UnresolvedError("no words stand before the bracket")
        parts = self._maker.parts(bracket.content, kept)
        if not parts:
            raise UnresolvedError("the bracket holds no words")
        try:
            sizes = self._sizes(parts, before, bracket, context, sentence)
        except UnresolvedError:
            if bracket.kind == "right-first":
                return None
            raise
        options = []
        for part, part_sizes in zip(parts, sizes, strict=True):
            for chunk, size in zip(part, part_sizes, strict=True):
                start = 0 if size > len(before) else before[len(before) - size].start
                options += [Option(start, self._placed(words, sentence, start)) for words in chunk.readings()]
        shortest = max(option.start for option in options[:1])
        given = Option(shortest, sentence.text[shortest : bracket.start])
        unique = tuple(dict.fromkeys(options))
        return (
            Slot(bracket, shortest, unique, (given,))
            if bracket.kind == "wrong-first"
            else Slot(bracket, shortest, (given,), unique)
        )

    def _sizes(
        self, parts: list[list[Chunk]], before: list[Word], bracket: Bracket, context: Context, sentence: Sentence
    ) -> list[list[int]]:
        """For each alternative, how many of the words before the bracket it replaces.

        A size beyond the words since the last bracket means: from the beginning of the sentence.
        """
        marked = _emphasised_size(before, bracket, context, sentence)
        words = [word.bare for word in before]
        head = 0 if not context.headword else headword_size(words, context.headword)
        if not context.headword_is_wrong and head != len(context.headword):
            head = 0
        first = [
            [self._size(chunk, before, sentence, marked, head, context.mentioned) for chunk in part] for part in parts
        ]
        known = [guess.size for part in first for guess in part if guess.certain and guess.size <= len(before)]
        resolved = []
        for part, guesses in zip(parts, first, strict=True):
            shared = max((g.size for g in guesses if g.certain and g.size <= len(before)), default=0)
            resolved.append(
                [
                    max(self._settled(chunk, guess, words, known), shared)
                    for chunk, guess in zip(part, guesses, strict=True)
                ]
            )
        return resolved

    def _size(
        self, chunk: Chunk, before: list[Word], sentence: Sentence, marked: int, head: int, mentioned: frozenset[str]
    ) -> _Guess:
        """The number of replaced words by an alternative's own evidence, and whether that evidence is enough."""
        words = [word.bare for word in before]
        found = self._aligned(words, chunk)
        if chunk.words[0][0].isupper() and not _is_name(chunk, words, found.matched, before):
            return _Guess(len(before) + (1 if re.search(r"\w", sentence.text[: before[0].start]) else 0), True)
        if marked:
            return _Guess(marked, True)
        size = max(found.size, head)
        if found.loose or not any(index == 0 for index, _ in found.matched):
            size = with_negation(words, size, chunk.words, self._maker.closed)
        if size and found.loose:
            size = with_modifiers(words, size)
        extended = size > max(found.size, head)
        size = with_adposition(words, size, chunk.words, mentioned, self._maker.closed)
        if found.size == 0:
            return _Guess(size, size > 0 and (extended or len(chunk.words) <= head))
        return _Guess(size, found.loose == 0 or extended or found.size <= head, found.soft)

    def _aligned(self, before: list[str], chunk: Chunk) -> Alignment:
        """Aligns all words of an alternative, optional ones too; those inserted at its beginning are never loose."""
        found = align(before, chunk.words, self._maker.closed)
        inserted = sum(len(option) for slot in chunk.leading_insertions() for option in slot)
        return replace(found, loose=max(0, found.loose - inserted))

    def _settled(self, chunk: Chunk, guess: _Guess, before: list[str], known: Sequence[int]) -> int:
        """The size of an alternative: its own where its evidence is enough, else that of the alternatives beside it.

        Raises UnresolvedError where they can't tell either.
        """
        if guess.certain:
            return max((size for size in known if size <= guess.size + guess.soft), default=guess.size)
        found = self._aligned(before, chunk)
        likely = max(known, default=0)
        if likely and (found.size == 0 or found.size <= likely <= found.size + found.loose):
            return max(likely, guess.size)
        if guess.size and (found.size == 0 or guess.size in known):
            return guess.size
        if len(before) == 1 or (len(chunk.words) == 1 and same_form(chunk.words[0], before[-1])):
            return 1
        words = " ".join(chunk.words)
        raise UnresolvedError(f"it can't be told which words '{words}' replaces; mark them, or correct them by hand")

    def _placed(self, words: list[str], sentence: Sentence, start: int) -> str:
        """An alternative's words as they stand in the sentence: with the capital of a beginning and the comma that a
        subordinate clause wants."""
        first = words[0] if words else ""
        text = " ".join(
            f", {word}" if place and word.casefold() in self._subordinators and words[place - 1][-1] != "," else word
            for place, word in enumerate(words)
        ).replace(" ,", ",")
        left = sentence.text[:start].rstrip()
        if first.casefold() in self._subordinators and left and left[-1] not in ",;:–—(":
            return f", {text}"
        if not re.search(r"\w", left) and sentence.text.lstrip("„“\"'»«")[:1].isupper():
            return text[:1].upper() + text[1:]
        return text

    def _rewrites(self, sentence: Sentence, slots: list[Slot]) -> Iterator[str]:
        """Plain brackets that rewrite the sentence: they begin and end with words of it, in other forms."""
        for bracket in sentence.brackets:
            if bracket.kind != "plain" or "," in bracket.content or bracket.start < slots[0].bracket.end:
                continue
            chunk = [bare(word) for word in bracket.content.split() if bare(word)]
            before = _words_before(sentence, bracket, corrected=False)
            found = align([word.bare for word in before], chunk, self._maker.closed)
            ends = {index for index, _ in found.matched}
            if len(chunk) < 3 or not {0, len(chunk) - 1} <= ends:
                continue
            capital = chunk[0][0].isupper()
            if capital and re.search(r"\w", sentence.text[bracket.end :]):
                continue
            start = 0 if capital else before[len(before) - found.size].start
            slot = Slot(bracket, start, (Option(start, bracket.content),), ())
            earlier = [s for s in slots if s.start < start]
            yield self._render(sentence, [*earlier, slot], [*(s.good[0] for s in earlier), slot.good[0]])

    def _render(self, sentence: Sentence, slots: Sequence[Slot], choice: Sequence[Option]) -> str:
        """The sentence with the chosen wordings in place and all brackets gone; a final full stop is supplied."""
        end = len(sentence.text)
        right: list[str] = []
        for slot, option in sorted(zip(slots, choice, strict=True), key=lambda pair: -pair[0].bracket.start):
            if slot.bracket.start >= end:
                continue
            right.append(_without_brackets(sentence, slot.bracket.end, end))
            right.append(option.text)
            end = option.start
        right.append(_without_brackets(sentence, 0, end))
        return tidy(" ".join(reversed(right)), sentence.text)


def tidy(text: str, original: str) -> str:
    """A sentence with plain spacing: none before punctuation, one between words, a full stop at its end."""
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„“«])\s+|\s+([)”»])", r"\1\2", text)
    text = re.sub(r"\b(\w+)( \1)\b", r"\1", text) if not re.search(r"\b(\w+) \1\b", original) else text
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."


def _without_brackets(sentence: Sentence, start: int, end: int) -> str:
    """A stretch of the sentence without the brackets that lie in it."""
    text, place = "", start
    for bracket in sentence.brackets:
        if start <= bracket.start and bracket.end <= end:
            text += sentence.text[place : bracket.start] + " "
            place = bracket.end
    return text + sentence.text[place:end]


def _words_before(sentence: Sentence, bracket: Bracket, *, corrected: bool) -> list[Word]:
    """The words before a bracket with their offsets, plain brackets left out; with `corrected`, only those since the
    last correction."""
    start = max((b.end for b in sentence.corrections() if corrected and b.end <= bracket.start), default=0)
    skipped = [(b.start, b.end) for b in sentence.brackets if b.start < bracket.start]
    return [
        Word(bare(match.group()), match.start(), match.end())
        for match in _WORD.finditer(sentence.text, start, bracket.start)
        if bare(match.group()) and not any(a <= match.start() < b for a, b in skipped)
    ]


def _emphasised_size(before: list[Word], bracket: Bracket, context: Context, sentence: Sentence) -> int:
    """How many words before the bracket the page emphasises, where an emphasised span ends at the bracket."""
    for start, end in context.emphasis:
        if (
            not re.search(r"\w", sentence.text[end : bracket.start])
            and end <= bracket.start
            and before[0].start <= start
        ):
            return sum(1 for word in before if word.start >= start)
    return 0


def _is_name(chunk: Chunk, words: list[str], matched: tuple[tuple[int, int], ...], before: list[Word]) -> bool:
    """Whether the capital of a correction is that of a name inside the sentence, not of its beginning."""
    return any(index == 0 and words[place][0].isupper() and before[place].start > 0 for index, place in matched)
