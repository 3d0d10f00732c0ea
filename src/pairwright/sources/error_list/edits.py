"""The alternatives in a correction, and how the words of one take the place of some before its bracket.

Alternatives stand behind `;` and `,`, and share words: `prastos, blogos formos` stands for "prastos formos" and "blogos
formos", `du [puodelius] kavos` for "du kavos" and "du puodelius kavos", `negu (nei) šimtas` for "negu šimtas" and "nei
šimtas".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.likeness import ClosedClasses, matches, same_ending, similarity
from pairwright.languages.linguistics.sentences import replaced, split_top, top_brackets
from pairwright.sources.error_list.notation import Bracket, BracketedSentence

Slot = tuple[tuple[str, ...], ...]
"""The options for one place of an alternative, each a run of words; the first is the default."""

_MOST_READINGS = 12
# The next sentence of a correction, without its label: `… . Or: …`.
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?:\w+:\s+)?(?=[^\W\d_])")
# How many words before a bracket alternatives may share.
_REACH = 3
_WORD = re.compile(r"[^\s()\[\]]+")
# What opens a quotation, in which a sentence may begin.
_QUOTES = '„«‚‹“"'
_OPENING = re.compile(f"[{_QUOTES}]")
# What stands before a bracket behind the end of a sentence.
_ENDED = re.compile(r"[.!?…][\"”“»’')\s]*$")


@dataclass(frozen=True)
class Alternative:
    """One alternative of a correction, place by place."""

    slots: tuple[Slot, ...]

    @property
    def words(self) -> list[str]:
        """All words of all options without punctuation."""
        return bare_words(word for slot in self.slots for option in slot for word in option)

    @property
    def optional(self) -> frozenset[str]:
        """The words in small letters that the default reading does without, as `[x, y]` has."""
        options = (option for slot in self.slots if not slot[0] for option in slot[1:])
        return frozenset(word.casefold() for option in options for word in bare_words(option))

    def readings(self) -> list[list[str]]:
        """The words of the default reading, then of each reading with one other option; those that have any."""
        first = [slot[0] for slot in self.slots]
        slots = enumerate(self.slots)
        others = ([*first[:place], option, *first[place + 1 :]] for place, slot in slots for option in slot[1:])
        readings = ([word for option in options for word in option] for options in (first, *others))
        return list(islice(filter(bare_words, readings), _MOST_READINGS))


def bare(word: str) -> str:
    """A word without the punctuation around it."""
    return word.strip(".,;:!?…–—-„“”\"'»«()[]/")


def bare_words(texts: Iterable[str]) -> list[str]:
    """Words without the punctuation around them; what is only punctuation is left out."""
    return [word for text in texts if (word := bare(text))]


def has_form(word: str, others: Iterable[str]) -> bool:
    """Whether a word looks like a form of one of others."""
    return any(similarity(word, other) >= 0.9 for other in others)


class AlternativeReader:
    """Reads the alternatives of corrections in one language and notation."""

    def __init__(self, language: Language, separators: tuple[str, ...]) -> None:
        self.closed = ClosedClasses(language)
        self._strong = tuple(s for s in separators if s == ";")
        self._weak = tuple(s for s in separators if s != ";")
        self._equivalents = [frozenset(group) for group in language.equivalents]
        self._adversatives = frozenset(language.adversatives)
        self._conjunctions = frozenset(language.subordinators).union(*self._equivalents) - self.closed.coordinators

    def groups(self, content: str, before: str, *, is_whole: bool) -> list[list[Alternative]]:
        """The alternatives in a bracket behind the text `before`, a list for each `;` part. Raises UnbalancedError.

        Those of a whole sentence are sentences.
        """
        parts = split_top(content, self._strong)
        if is_whole:
            texts = (text for part in parts for text in _SENTENCE.split(part) if bare_words(text.split()))
            return [[Alternative(self._slots(text))] for text in texts]
        return [group for group in (self._group(part, before) for part in parts) if group]

    def _group(self, part: str, before: str) -> list[Alternative]:
        texts = split_top(part, self._weak)
        if texts and part.endswith(self._weak):
            # `Be to,`: the comma belongs to all alternatives.
            texts = [text + part[-1] for text in texts]
        alternatives = [Alternative(self._slots(text)) for text in texts]
        alternatives = [alternative for alternative in alternatives if alternative.words]
        if len(alternatives) < 2:
            return alternatives
        by_words = any(separator.strip() != "," and separator in part for separator in self._weak)
        window = bare_words(before.split())
        # What begins with a capital, and alone ends as the words before it, says the sentence again, commas and all.
        says_again = texts[0][:1].isupper() and alternatives[-1].words[-2:] == window[-2:] != alternatives[0].words[-2:]
        # What has the words before the commas of the sentence before its own, or those behind them, has those commas.
        pieces = [bare_words(piece.split()) for piece in before.split(",")][-len(alternatives) :]
        parts = [each.words for each in alternatives]
        says_again |= [each[-1:] for each in pieces] == [each[-1:] for each in parts]
        says_again |= [each[:1] for each in pieces[1:]] == [each[:1] if len(each) > 1 else [] for each in parts[1:]]
        if not by_words and (says_again or self._is_clause(alternatives)):
            return [Alternative(self._slots(part))]
        return alternatives if by_words else self._completed(alternatives, window)

    def _slots(self, text: str) -> tuple[Slot, ...]:
        slots: list[Slot] = []
        offset = 0
        for start, end in [*top_brackets(text), (len(text), len(text))]:
            slots += [((word,),) for word in text[offset:start].split()]
            inner = text[start + 1 : end - 1].strip()
            options = split_top(inner, self._strong + self._weak)
            if inner and slots and text[start - 1].isalpha():
                # `greit(ai)`: an ending that the word may have.
                slots[-1] = (*slots[-1], (f"{slots[-1][0][-1]}{inner}",))
            elif inner and text[start] == "[":
                slots.append(((), *(tuple(option.split()) for option in options)))
            elif slots and slots[-1][0] and all(self._substitutes(slots[-1][0][-1], option) for option in options):
                slots[-1] = (*slots[-1], *((option,) for option in options))
            elif inner:
                slots.append(((), tuple(inner.split())))
            offset = end
        return tuple(slots)

    def _substitutes(self, word: str, inside: str) -> bool:
        """Whether what a nested bracket holds takes the place of the word before it."""
        first, second = bare(word).casefold(), bare(inside).casefold()
        alike = self.closed.functions.isdisjoint((first, second)) and first[-1:] == second[-1:] != ""
        return len(inside.split()) == 1 and (self._are_equivalent(first, second) or alike)

    def _are_equivalent(self, word: str, other: str) -> bool:
        """Whether one word may stand for another, by the language file."""
        return any({word.casefold(), other.casefold()} <= group for group in self._equivalents)

    def _is_clause(self, alternatives: list[Alternative]) -> bool:
        """Whether commas only join the parts of one correction: `maža, bet jauki`, `ir bėgti, ir plaukti`."""
        if self.closed.coordinators.issuperset(each.words[0].casefold() for each in alternatives):
            return True
        head, tail = alternatives[0].words, alternatives[1].words
        # `todėl, kad` is one conjunction, `nes, kadangi` and `daugiau kaip, negu` have two.
        two = (len(tail) == 1 or self._are_equivalent(head[-1], tail[0])) and head[-1].casefold() in self._conjunctions
        opens = tail[0] in self._conjunctions or (tail[0] in self._adversatives and len(tail) > 1)
        two = two or has_form(head[-1], tail[-1:])
        return len(alternatives) == 2 and opens and not two and head[0].casefold() not in self._adversatives

    def _completed(self, alternatives: list[Alternative], before: list[str]) -> list[Alternative]:
        """Alternatives with the beginning and the end that only the first or only the last one spells out."""
        first, *others = alternatives
        last, window = others[-1], before[-_REACH:]
        prefix = self._shared_beginning(first, others, window)
        suffix = self._shared_end(first, last, window)
        if self._are_equivalent(first.words[-1], last.words[0]):
            prefix, suffix = len(first.slots) - 1, len(last.slots) - 1
        head, tail = first.slots[:prefix], last.slots[len(last.slots) - suffix :]
        middle = [Alternative((*head, *alternative.slots, *tail)) for alternative in others[:-1]]
        return [Alternative((*first.slots, *tail)), *middle, Alternative((*head, *last.slots))]

    def _shared_beginning(self, first: Alternative, others: list[Alternative], window: list[str]) -> int:
        """How many of the first alternative's slots the others share.

        Up to the last word that merely repeats the sentence; where it begins with a capital, all but the last.
        """
        # `daugiau kaip dešimt, per dešimt eurų`: each has the shared word itself.
        if not others[-1].words[0][0].islower() or first.words[-1] in others[-1].words[:-1]:
            return 0
        kept = {word.casefold() for word in window}
        later, limit = [word for other in others for word in other.words], len(first.slots) - 1
        for place in range(limit - 1, -1, -1):
            word = _first_word(first.slots[place])
            if word.casefold() in kept and not has_form(word, later):
                return place + 1
        last = others[-1].words
        edges = zip((last[0], last[-1]), (first.words[0], first.words[-1]), strict=True)
        complete = len(last) == 1 or any(one.casefold() == other.casefold() for one, other in edges)
        complete = complete or any(has_form(word, last) for word in first.words[:limit])
        return limit if first.words[0][0].isupper() and not complete else 0

    def _shared_end(self, first: Alternative, last: Alternative, window: list[str]) -> int:
        """How many of the last alternative's slots the others share.

        They share words that match replaced words which the first alternative leaves unmatched, and the adpositions
        before them.
        """
        matched = {place for *_, place in matches(first.words, window, self.closed)}
        slots = last.slots
        size = 0
        for count in range(1, len(slots)):
            word = _first_word(slots[-count])
            place = next((place for *_, place in matches([word], window, self.closed)), None)
            if place is None or place in matched:
                break
            size = count
        while 0 < size < len(slots) - 1 and _first_word(slots[-size - 1]).casefold() in self.closed.adpositions:
            size += 1
        # `glaudžiai, labai susijęs`: the last word but one has the form of the first alternative, the last has not.
        extra = [same_ending(first.words[-1], word) for word in last.words[-2:]] == [True, False]
        return 1 if size == 0 and window and len(slots) == len(first.slots) + 1 and extra else size


def _first_word(slot: Slot) -> str:
    return bare(slot[0][0]) if slot[0] else ""


class Edit(NamedTuple):
    """A text in place of the sentence from `start` to `end`; `is_certain` that a bracket means these words."""

    start: int
    end: int
    text: str
    is_certain: bool = True


@dataclass(frozen=True)
class BracketSite:
    """A bracket in its sentence, and the words before it, from the last correction on.

    starts, ends  the words' offsets in the sentence
    commas        the words with a comma before them
    openings      the words that begin the sentence or a quotation in it
    marked        the words that the page emphasises, up to the bracket or alone before it; None without any
    """

    sentence: BracketedSentence
    bracket: Bracket
    words: list[str]
    starts: list[int]
    ends: list[int]
    commas: frozenset[int]
    openings: frozenset[int]
    marked: tuple[int, int] | None

    @property
    def is_whole(self) -> bool:
        """Whether the bracket corrects the whole sentence: it follows its mark, and begins with a capital."""
        before = self.sentence.text[: self.bracket.start].rstrip("\"'”“»’ ")
        return before.endswith(("!", "?", ".", "…")) and self.bracket.content.lstrip("„“\"'»«")[:1].isupper()

    @classmethod
    def of(cls, sentence: BracketedSentence, bracket: Bracket) -> "BracketSite":
        """The site of a bracket in a sentence."""
        text = sentence.text
        after = max((b.end for b in sentence.corrections() if b.end <= bracket.start), default=0)
        words, starts, ends = words_between(sentence, after, bracket.start)
        gaps = [text[left:right] for left, right in zip([after, *ends], starts, strict=False)]
        first = starts[0] if starts else 0
        openings = {k for k, gap in enumerate(gaps) if k and _OPENING.search(gap) and words[k][0].isupper()}
        if not re.search(r"\w", text[:first]):
            openings.add(0)
        runs = [
            (min(inside), max(inside) + 1)
            for start, end in sentence.emphasis
            if (inside := [place for place, at in enumerate(starts) if start <= at < end])
        ]
        marked = runs[-1] if runs and (len(runs) == 1 or runs[-1][1] == len(words)) else None
        commas = frozenset(place for place, gap in enumerate(gaps) if place and re.search("[,;]", gap))
        return cls(sentence, bracket, words, starts, ends, commas, frozenset(openings), marked)

    def edit(self, span: tuple[int, int], words: list[str], closed: ClosedClasses, alphabet: str = "") -> Edit:
        """Puts the words of a correction in the place of a span: with its capital, and the comma of a new clause."""
        text, joined, last = self.sentence.text, " ".join(words), span[1]
        start = [*self.starts, self.bracket.start][span[0]]
        end = self.bracket.end if last == len(self.words) else self.ends[last - 1]
        if start and text[start - 1] in _QUOTES and joined[0] in _QUOTES:
            start -= 1
        left = text[:start].rstrip()
        if not re.search(r"\w", left) or _OPENING.search(left[-1:]):
            begins = text[start:].lstrip("„“\"'»«")[:1].isupper()
            return Edit(start, end, capitalised(joined, alphabet) if begins else joined)
        is_joined = (
            left[-1] in ",;:–—(" or bare(left.split()[-1]).casefold() in closed.coordinators | closed.adpositions
        )
        old, new = (_opens_clause(side, closed) for side in (self.words[span[0] : last], words))
        # A refused wording stands in the very place of the right one.
        takes_comma = new and not old and not is_joined and self.bracket.kind != "right-first"
        return Edit(start, end, f", {joined}" if takes_comma else joined)


def _opens_clause(words: Iterable[str], closed: ClosedClasses) -> bool:
    """Whether words begin with a subordinator, or an adposition and one."""
    opening = next((word for word in small_words(words)[:2] if word not in closed.adpositions), "")
    return opening in closed.subordinators


def small_words(words: Iterable[str]) -> list[str]:
    """The words in small letters."""
    return [word.casefold() for word in words]


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


def fill(sentence: BracketedSentence, edits: Iterable[Edit | None]) -> str:
    """The sentence with the edit of each bracket, if any, and without its corrections.

    Other brackets stay, but for those behind its end and other wordings of what is before them.
    """
    gone = [it for it in sentence.brackets if it.kind != "plain" or _is_apart(sentence.text[: it.start], it.content)]
    every = [*filter(None, edits), *(Edit(bracket.start, bracket.end, "") for bracket in gone)]
    kept, first = list[tuple[int, int, str]](), len(sentence.text)
    for edit in sorted(every, key=lambda edit: (-edit.end, edit.start)):
        if edit.end <= first:
            kept.append((edit.start, edit.end, f" {edit.text} "))
            first = edit.start
    return tidy(replaced(sentence.text, kept))


def _is_apart(before: str, content: str) -> bool:
    """Whether a bracket is no part of its sentence: behind its end, or a variant of the words before it."""
    inside, earlier = bare_words(content.split()), bare_words(before.split())
    repeated = sum(has_form(word, earlier) for word in inside)
    is_variant = same_ending(content, before.strip()) if len(inside) == 1 else 2 * repeated >= max(len(inside) - 1, 3)
    return is_variant or _ENDED.search(before) is not None


def tidy(text: str) -> str:
    """A sentence with normal spacing and a full stop at its end."""
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„«])\s+|\s+([)”»])", r"\1\2", text)
    # The same mark closes „…“ and opens “…”.
    text = re.sub(r"(„[^„“]*?)\s+“", r"\1“", text) if "„" in text else re.sub(r"“\s+", "“", text)
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    text = re.sub(r"([.!?…][\"”“»’'])\.$", r"\1", text)
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."
