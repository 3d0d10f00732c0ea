"""How the words of a correction take the place of a span: with commas, capitals, quotation marks and modifiers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.likeness import ClosedClasses
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alternatives import bare, bare_words
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.span_features import Before, Span, small_words
from pairwright.text import squeeze, word_pattern

_WORD = re.compile(r"[^\s()\[\]]+")
# What ends a clause, and what opens a quotation, behind which a sentence may begin.
_QUOTES = '„«‚‹“"'
OPENING = re.compile(f"[{_QUOTES}]")


class Edit(NamedTuple):
    """A text in place of the sentence from `start` to `end`."""

    start: int
    end: int
    text: str


Wording = tuple[Edit, ...]
"""The edits that make one wording; the sentence itself has none."""


class Place(NamedTuple):
    """A bracket in its sentence, and what stands before it."""

    sentence: BracketedSentence
    bracket: Bracket
    before: Before

    def right_of(self, span: Span, end: int | None = None) -> list[tuple[int, str]]:
        """The words behind a span up to an offset or the next correction, with their offsets."""
        text, before = self.sentence.text, self.before
        stop = min(
            (other.start for other in self.sentence.corrections() if other.start > self.bracket.start),
            default=len(text),
        )
        behind, starts, _ = words_between(self.sentence, self.bracket.end, min(stop, len(text) if end is None else end))
        inside = zip(before.starts[span.last :], before.words[span.last :], strict=True)
        return [*inside, *zip(starts, behind, strict=True)]


class Editor:
    """Puts corrections into sentences of one language."""

    def __init__(self, language: Language, closed: ClosedClasses, agreement: Agreement) -> None:
        self.closed = closed
        self._agreement = agreement
        self._alphabet = language.letters
        self._subordinators = frozenset(language.subordinators)
        self._fixed = word_pattern(*language.fixed_phrases)
        self._parentheticals = frozenset(map(str.casefold, language.parentheticals))

    def wording(self, place: Place, span: Span, words: list[str]) -> Wording:
        """The edit that puts words in the place of a span, with the commas and quotation marks that go with them."""
        sentence, bracket, before = place
        text, opening = sentence.text, words[0]
        start = 0 if span.first < 0 else before.starts[span.first]
        reaches_up = span.last == len(before.words)
        end = bracket.end if reaches_up else before.ends[span.last - 1]
        if start and text[start - 1] in _QUOTES:
            if opening[0] in _QUOTES:
                start -= 1
            elif reaches_up and not OPENING.search(text[start : bracket.start]):
                end = before.ends[span.last - 1]
        adapted = self._adapted(place, span, bare_words(words))
        if self._ends_clause(before, span, words):
            end += len((re.match(r"\s*,", text[end:]) or [""])[0])
        left = text[:start].rstrip()
        if left.endswith(",") and self._loses_comma(before, span, words, text[before.ends[span.last - 1] : end]):
            return (*adapted, Edit(len(left) - 1, end, self._placed(words, sentence, start)))
        # The comma of a clause stays where the correction begins with another conjunction.
        crossed = any(span.first < comma < span.last for comma in before.commas) and "," not in "".join(words)
        keeps = crossed and opening.casefold() in self.closed.functions - self.closed.adpositions and left
        comma = ", " * (bool(keeps) and left[-1] not in ",;:–—(")
        placed = self._placed(words, sentence, start, as_printed=crossed).removeprefix(comma)
        closing = "," * self._closes_with_comma(before, span, words, text[end:])
        return (*adapted, Edit(start, end, comma + placed + closing))

    def _adapted(self, place: Place, span: Span, words: list[str]) -> tuple[Edit, ...]:
        """The words around a span in the forms that agree with the noun that takes the place of another."""
        sentence, bracket, before = place
        old, new, agreement = before.words[span.last - 1], words[-1], self._agreement
        if not self.closed.functions.isdisjoint((before.words[max(span.first, 0)].casefold(), words[0].casefold())):
            return ()
        left = [(before.starts[k], before.words[k]) for k in range(max(span.first, 0))]
        clause = re.match(r"[\w\s-]*", sentence.text[bracket.end :])
        right = place.right_of(span, bracket.end + len(clause[0] if clause else ""))
        dependent = {before.starts[k] for k in agreement.stranded(before.words, before.commas, *span, new)}
        for side in (left, right):
            nouns = [word for _, word in side if not agreement.is_modifier(word)]
            dependent |= {start for start, word in side if agreement.depends(word, old, new, nouns)}
        forms = ((start, word, agreement.adapted(word, new)) for start, word in (*left, *right) if start in dependent)
        return tuple(Edit(start, start + len(word), form) for start, word, form in forms if form)

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
        clause = clause and not replaced_words & self._subordinators and not any(w.endswith(",") for w in words[:-1])
        set_off = " ".join(words).casefold() in self._parentheticals
        return (clause or set_off) and bool(re.match(r"\s+[\w(]", behind)) and span.last == len(before.words)

    def without_commas(self, place: Place, span: Span, words: list[str]) -> Wording | None:
        """One word in place of a parenthesis of several, without its commas, where it may need none; else None."""
        sentence, bracket, before = place
        start, end = before.starts[max(span.first, 0)], before.ends[span.last - 1]
        if span.last == len(before.words):
            end = bracket.end if not sentence.text[end : bracket.start].strip() else len(sentence.text)
        left, right = sentence.text[:start].rstrip(), re.match(r"\s*,", sentence.text[end:])
        if len(words) > 1 or span.last - span.first < 2 or not left.endswith(",") or right is None:
            return None
        return (Edit(len(left) - 1, end + right.end(), self._placed(words, sentence, start)),)

    def _loses_comma(self, before: Before, span: Span, words: list[str], behind: str) -> bool:
        """Whether the comma before a span goes: a coordinator joins, or the second of two commas is cut too."""
        coordinators = self.closed.coordinators
        others = {word.casefold() for word in before.words[: max(span.first, 0)]}
        joins = len(words) == 1 and words[0].casefold() in coordinators - others
        joined = before.words[max(span.first, 0)].casefold() in coordinators | self._subordinators
        inside = small_words(before.words[max(span.first, 0) : span.last])
        # The comma of a clause goes with its conjunction where only this is cut.
        cut = inside[0] in self._subordinators and inside[1:] == small_words(bare_words(words))
        cut = cut and not self.closed.functions.issuperset(inside[1:2])
        return (joins and not joined) or cut or (behind.startswith(",") and words[-1][-1] != ",")

    def _placed(self, words: list[str], sentence: BracketedSentence, start: int, *, as_printed: bool = False) -> str:
        """Words as they stand in the sentence: initial capital, commas before clauses unless `as_printed`."""
        text = " ".join(
            f", {word}" if place and not as_printed and self._begins_clause(words[place:], words[place - 1]) else word
            for place, word in enumerate(words)
        ).replace(" ,", ",")
        left = sentence.text[:start].rstrip()
        if not re.search(r"\w", left) or OPENING.search(left[-1:]):
            begins = sentence.text[start:].lstrip("„“\"'»«")[:1].isupper()
            return capitalised(text, self._alphabet) if begins else text
        return f", {text}" if left[-1] not in ",;:–—(" and self._begins_clause(words, left.split()[-1]) else text

    def _begins_clause(self, words: list[str], before: str) -> bool:
        """Whether words behind another word begin a clause, `kuris` or `su kuriuo`, or are set off by commas."""
        first = next((word for word in words[:2] if word.casefold() not in self.closed.adpositions), "")
        previous = bare(before).casefold()
        joined = before[-1] == "," or previous in self.closed.coordinators | self.closed.adpositions
        joined = joined or self._fixed.fullmatch(f"{previous} {first.casefold()}") is not None
        return not joined and (
            first.casefold() in self._subordinators or " ".join(words).casefold() in self._parentheticals
        )


def tidy(text: str, original: str) -> str:
    """A sentence with normal spacing and a full stop at its end, without words doubled by a correction.

    `original` is the sentence of the list: a word that is doubled there stays doubled.
    """
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„«])\s+|\s+([)”»])", r"\1\2", text)
    # The same mark closes „…“ and opens “…”.
    text = re.sub(r"(„[^„“]*?)\s+“", r"\1“", text) if "„" in text else re.sub(r"“\s+", "“", text)
    doubled = r"\b(\w+),? \1\b"
    text = text if re.search(doubled, original) else re.sub(doubled, r"\1", text)
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    text = re.sub(r"([.!?…][\"”“»’'])\.$", r"\1", text)
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."


def fill(sentence: BracketedSentence, wordings: Sequence[Wording]) -> str:
    """The sentence with one wording of each bracket, and without its brackets."""
    edits = [edit for wording in wordings for edit in wording]
    edits += [Edit(bracket.start, bracket.end, "") for bracket in sentence.brackets]
    filled, first = sentence.text, len(sentence.text)
    for edit in sorted(edits, key=lambda edit: (-edit.end, edit.start)):
        if edit.end <= first:
            filled, first = f"{filled[: edit.start]} {edit.text} {filled[edit.end :]}", edit.start
    return tidy(filled, sentence.text)


def words_between(sentence: BracketedSentence, start: int, end: int) -> tuple[list[str], list[int], list[int]]:
    """The words between two offsets that stand in no bracket, without punctuation, and their offsets and ends."""
    words, starts, ends = [], [], []
    for match in _WORD.finditer(sentence.text, start, end):
        word = bare(match[0])
        if word and not any(b.start <= match.start() < b.end for b in sentence.brackets):
            words.append(word)
            starts.append(match.start() + match[0].index(word))
            ends.append(starts[-1] + len(word))
    return words, starts, ends
