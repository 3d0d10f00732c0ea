"""The alternatives in a correction: those behind `;` and `,`, shared words, and optional or substituted parts.

`prastos, blogos formos` stands for "prastos formos" and "blogos formos", `du [puodelius] kavos` for "du kavos" and "du
puodelius kavos", `negu (nei) šimtas` for "negu šimtas" and "nei šimtas".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from pairwright.languages import Language
from pairwright.languages.linguistics.brackets import split_top, top_brackets
from pairwright.languages.linguistics.likeness import ClosedClasses, matches, same_ending, similarity

Slot = tuple[tuple[str, ...], ...]
"""The options for one place of an alternative, each a run of words; the first is the default."""

_MOST_READINGS = 12
# The next sentence of a correction, without its label: `… . Or: …`.
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?:\w+:\s+)?(?=[^\W\d_])")
# How many words before a bracket alternatives may share.
_REACH = 3


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
        self.closed = ClosedClasses.of(language)
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
        begin_again = len(texts) > 1 and all(text[:1].isupper() for text in texts)
        if texts and part.endswith(self._weak):
            # `Be to,`: the comma belongs to the last alternative, and to all that begin the sentence again.
            texts = [text + part[-1] * (begin_again or place == len(texts)) for place, text in enumerate(texts, 1)]
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
        elif prefix and suffix:
            # Between the two, each has as many words.
            prefix = max(prefix, len(first.slots) - len(last.slots) + suffix)
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
            # What begins the sentence again shares only what the sentence has in the same form.
            is_other = _first_word(slots[0])[:1].isupper() and _first_word(slots[-count]) not in window
            if place is None or place in matched or is_other:
                break
            size = count
        while 0 < size < len(slots) - 1 and _first_word(slots[-size - 1]).casefold() in self.closed.adpositions:
            size += 1
        # `glaudžiai, labai susijęs`: the last word but one has the form of the first alternative, the last has not.
        extra = [same_ending(first.words[-1], word) for word in last.words[-2:]] == [True, False]
        return 1 if size == 0 and window and len(slots) == len(first.slots) + 1 and extra else size


def _first_word(slot: Slot) -> str:
    return bare(slot[0][0]) if slot[0] else ""
