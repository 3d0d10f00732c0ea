"""The readings of a correction: `;` and `,` alternatives, shared words, optional, substituted and inserted parts.

`prastos, blogos formos` says "prastos formos" and "blogos formos"; `du [puodelius] kavos` says "du kavos" and "du
puodelius kavos"; `negu (nei) šimtas` says "negu šimtas" and "nei šimtas".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pairwright.languages import Language
from pairwright.rules.error_lists.alignment import ClosedClasses, align, similarity
from pairwright.rules.error_lists.brackets import split_top, top_brackets

# A slot holds the options for one place of a reading, the first one by default; an option is a run of words.
Slot = tuple[tuple[str, ...], ...]

_MOST_READINGS = 12


@dataclass(frozen=True)
class Chunk:
    """A run of slots. `words` are all words of all options, for alignment; `plain` those of the first options."""

    slots: tuple[Slot, ...]

    @property
    def words(self) -> list[str]:
        return [bare(word) for slot in self.slots for option in slot for word in option if bare(word)]

    @property
    def plain(self) -> list[str]:
        return [word for slot in self.slots for word in slot[0]]

    def leading_insertions(self) -> tuple[Slot, ...]:
        """The slots at the beginning that may stay empty."""
        first = next((place for place, slot in enumerate(self.slots) if slot[0]), len(self.slots))
        return self.slots[:first]

    def readings(self) -> list[list[str]]:
        """The default reading, then each reading with one other option."""
        first = [slot[0] for slot in self.slots]
        found = [[word for option in first for word in option]]
        for place, slot in enumerate(self.slots):
            for option in slot[1:]:
                choice = [*first[:place], option, *first[place + 1 :]]
                found.append([word for part in choice for word in part])
        return found[:_MOST_READINGS]


def bare(word: str) -> str:
    """A word without the punctuation around it."""
    return word.strip(".,;:!?…–—-„“”\"'»«()[]/")


class ReadingMaker:
    """Makes the readings of corrections in one language."""

    def __init__(self, language: Language, separators: tuple[str, ...]) -> None:
        self.closed = ClosedClasses.of(language)
        self._strong = tuple(s for s in separators if s == ";")
        self._weak = tuple(s for s in separators if s != ";")
        self._equivalents = [frozenset(group) for group in language.equivalents]
        self._subordinators = frozenset(language.subordinators)

    def parts(self, content: str, before: str) -> list[list[Chunk]]:
        """The alternatives of a bracket's content: one list a `;` part, in it one chunk an alternative.

        `before` is the sentence's text before the bracket. Raises UnbalancedError.
        """
        return [self._part(part, before) for part in split_top(content, self._strong)] if content else []

    def _part(self, part: str, before: str) -> list[Chunk]:
        texts = split_top(part, self._weak)
        chunks = [Chunk(self._slots(text)) for text in texts]
        chunks = [chunk for chunk in chunks if chunk.words]
        if len(chunks) < 2:
            return chunks
        if self._is_list(chunks, before) or self._is_clause(chunks):
            return [Chunk(self._slots(part))]
        return self._framed(chunks, [bare(word) for word in before.split() if bare(word)])

    def _slots(self, text: str) -> tuple[Slot, ...]:
        slots: list[Slot] = []
        offset = 0
        for start, end in [*top_brackets(text), (len(text), len(text))]:
            slots += [((word,),) for word in text[offset:start].split()]
            inner = text[start + 1 : end - 1].strip()
            if inner and text[start] == "[":
                slots.append(((), *(tuple(option.split()) for option in split_top(inner, (",", ";", " arba ")))))
            elif inner:
                slots = self._bracketed(slots, tuple(inner.split()))
            offset = end
        return tuple(slots)

    def _bracketed(self, slots: list[Slot], words: tuple[str, ...]) -> list[Slot]:
        """A nested bracket: words that may be left out, or a substitute for the word before."""
        before = slots[-1][0][-1] if slots and slots[-1][0] else ""
        if len(words) == 1 and before and self._substitutes(before, words[0]):
            return [*slots[:-1], (*slots[-1], words)]
        return [*slots, ((), words)]

    def _substitutes(self, word: str, other: str) -> bool:
        first, second = bare(word).casefold(), bare(other).casefold()
        if any({first, second} <= group for group in self._equivalents):
            return True
        if {first, second} & self.closed.functions:
            return False
        return bool(first and second) and first[-1] == second[-1]

    def _is_list(self, chunks: list[Chunk], before: str) -> bool:
        """Whether the commas join a list or clauses, as they do in the words before: `ir moksle, ir sporte (= ir
        mokslui, ir …)`, `nuo to, ar (= nuo to, kaip)`."""
        if f"{chunks[0].words[-1]},".casefold() in before.casefold().split():
            return True
        wrong = [[bare(word) for word in text.split() if bare(word)] for text in before.split(",")][-len(chunks) :]
        if len(wrong) < len(chunks):
            return False
        return all(
            run and any(similarity(word, run[-1]) >= 0.9 for word in chunk.words[-1:])
            for chunk, run in zip(chunks, wrong, strict=True)
        )

    def _is_clause(self, chunks: list[Chunk]) -> bool:
        """Whether the comma only stands before a subordinate clause of one and the same correction."""
        head, tail = chunks[0].words, chunks[1].words
        if len(chunks) != 2 or tail[0].casefold() not in self._subordinators:
            return False
        return not any(similarity(a, b) >= 0.9 for a in head[-1:] for b in tail[1:])

    def _framed(self, chunks: list[Chunk], before: list[str]) -> list[Chunk]:
        """Alternatives that share a beginning or an end: what only the first or only the last one spells out."""
        first, last = chunks[0], chunks[-1]
        joint = align(before, [word for chunk in chunks for word in chunk.words], self.closed)
        window = before[len(before) - joint.size :]
        prefix = self._shared_beginning(first, chunks[1:], window)
        suffix = self._shared_end(first, last, window, anchored=prefix > 0)
        head, tail = first.slots[:prefix], last.slots[len(last.slots) - suffix :] if suffix else ()
        framed = [Chunk((*first.slots, *tail))]
        framed += [Chunk((*head, *chunk.slots, *tail)) for chunk in chunks[1:-1]]
        return [*framed, Chunk((*head, *last.slots))]

    def _shared_beginning(self, first: Chunk, others: list[Chunk], window: list[str]) -> int:
        """How many of the first alternative's slots the others share: up to the last word that merely repeats the
        sentence; at a capital, all but as many words as the second alternative puts in their place."""
        kept = {word.casefold() for word in window}
        said_again = {word.casefold() for chunk in others for word in chunk.words}
        small = others[-1].words[0][0].islower()
        repeated = [
            place
            for place, slot in enumerate(first.slots)
            if bare(slot[0][0] if slot[0] else "").casefold() in kept - said_again
        ]
        limit = len(first.slots) - 1
        if repeated and small:
            return min(repeated[-1] + 1, limit)
        return limit if first.words[0][0].isupper() and small else 0

    def _shared_end(self, first: Chunk, last: Chunk, window: list[str], *, anchored: bool) -> int:
        """How many of the last alternative's slots the others share: words that answer replaced words which the first
        alternative leaves unanswered, with the adpositions before them."""
        answered = {place for _, place in align(window, first.words, self.closed).matched}
        slots = last.slots
        size = 0
        for count in range(1, len(slots)):
            word = bare(slots[-count][0][0]) if slots[-count][0] else ""
            place = _place(window, word, self.closed)
            if place is None or place in answered:
                break
            if (
                not anchored
                and window[place].casefold() != word.casefold()
                and not self._parallel(first, slots[:-count])
            ):
                break
            size = count
        while 0 < size < len(slots) - 1 and bare(slots[-size - 1][0][0]).casefold() in self.closed.adpositions:
            size += 1
        if size == 0 and window and len(slots) == len(first.slots) + 1 and self._twins(first, last):
            return 1
        return size

    def _parallel(self, first: Chunk, rest: Sequence[Slot]) -> bool:
        """Whether two alternatives end alike, so that one can stand for the other before the same word."""
        words = Chunk(tuple(rest)).words
        if not words:
            return False
        same_word = words[-1].casefold() == first.words[-1].casefold()
        return len(words) > 1 if same_word else _same_ending(first.words[-1], words[-1], 2)

    def _twins(self, first: Chunk, last: Chunk) -> bool:
        """`glaudžiai, labai susijęs`: the last but one word has the form of the first alternative, the last has not."""
        form, twin, extra = first.words[-1], last.words[-2], last.words[-1]
        return _same_ending(form, twin, 2) and not _same_ending(form, extra, 2)


def _same_ending(word: str, other: str, letters: int) -> bool:
    return word.casefold()[-letters:] == other.casefold()[-letters:]


def _place(window: list[str], word: str, closed: ClosedClasses) -> int | None:
    found = align(window, [word], closed).matched
    return found[0][1] if found else None
