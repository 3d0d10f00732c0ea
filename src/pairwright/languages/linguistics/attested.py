"""The words that a source attests of its object language, and what may be an inflection of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from pairwright.core.records import Block
from pairwright.core.text import nfc, words
from pairwright.languages import BOUNDARIES
from pairwright.languages.linguistics.glosses import GlossedBook, glossed_sentences, join_morphemes, wordings
from pairwright.languages.linguistics.sentences import ANY_STAR, is_marked, stretches

_SHORTEST_STEM = 3
_LONGEST_AFFIX = 6
# A stem that is no attested word by itself has to be longer, as letters that recur by chance are short.
_SHORTEST_BOUND_STEM = 4
# An affix is attested by so many stems that have another one beside it.
_ENOUGH_STEMS = 3


class AttestedWords:
    """The words of texts in the object language of a source, without regard to capitals.

    texts  sentences of the language
    mixed  what may be of the language or not, such as cells of tables
    prose  the text around them: a word of `mixed` that is more frequent there is not of the language
    book   what its glosses say of them
    """

    def __init__(
        self,
        texts: Iterable[str],
        mixed: Iterable[str] = (),
        prose: Iterable[str] = (),
        book: GlossedBook | None = None,
    ) -> None:
        self.book = book or GlossedBook()
        certain, likely, around = (Counter(_words(lines)) for lines in (texts, mixed, prose))
        self._words = frozenset(certain) | {word for word, count in likely.items() if count >= around[word]}

    def __len__(self) -> int:
        return len(self._words)

    def attests(self, word: str) -> bool:
        """Whether the source has the word."""
        return nfc(word).casefold() in self._words

    def unattested(self, *sentences: str) -> tuple[str, ...]:
        """The words of sentences that the source does not have, each once; numbers are none."""
        listed = (word for sentence in sentences for word in words(sentence) if not _has_digit(word))
        return tuple(dict.fromkeys(word for word in listed if not self.attests(word)))

    def inflects(self, word: str) -> bool:
        """Whether the word is an attested stem with attested affixes, as an inflection that no example has may be."""
        return any(stem in self._stems for stem in self._stems_of(nfc(word).casefold()))

    @cached_property
    def _affixes(self) -> tuple[frozenset[str], frozenset[str]]:
        """The beginnings and the endings that alternate with others at enough stems, and the empty one."""
        found = []
        for before in (True, False):
            by_stem = defaultdict[str, set[str]](set)
            for word in self._words:
                for size in range(min(_LONGEST_AFFIX, len(word) - _SHORTEST_STEM) + 1):
                    cut = size if before else len(word) - size
                    stem, affix = (word[cut:], word[:cut]) if before else (word[:cut], word[cut:])
                    by_stem[stem].add(affix)
            counts = Counter(affix for affixes in by_stem.values() if len(affixes) > 1 for affix in affixes)
            found.append(frozenset({"", *(affix for affix, count in counts.items() if count >= _ENOUGH_STEMS)}))
        return found[0], found[1]

    @cached_property
    def _stems(self) -> frozenset[str]:
        bound = (stem for word in self._words for stem in self._stems_of(word) if len(stem) >= _SHORTEST_BOUND_STEM)
        return self._words.union(bound)

    def _stems_of(self, word: str) -> Iterator[str]:
        """What is left of a word without affixes, which may be the whole word."""
        beginnings, endings = self._affixes
        for start in range(min(_LONGEST_AFFIX, len(word) - _SHORTEST_STEM) + 1):
            if word[:start] in beginnings:
                for end in range(len(word), max(start + _SHORTEST_STEM, len(word) - _LONGEST_AFFIX) - 1, -1):
                    if word[end:] in endings:
                        yield word[start:end]


def attested_words(
    blocks: Iterable[Block], examples: Iterable[str] = (), boundaries: str = BOUNDARIES
) -> AttestedWords:
    """What a grammar attests: its examples, its tables and what its prose emphasises, but for what it stars.

    examples    further sentences that are known to be examples, such as those of the rules
    boundaries  the signs between morphemes of the language; a form that is cut by them also counts without them
    """
    texts, listed = list(examples), list(blocks)
    mixed: list[str] = []
    prose: list[str] = []
    for block in listed:
        if block.gloss:
            for leaf in (leaf for _, leaf in block.gloss.leaves() if not is_marked(leaf)):
                texts += [*wordings(leaf, boundaries), *_both(" ".join(leaf.segmentation), boundaries)]
        elif block.cells:
            for cell in (cell for row in block.cells for cell in row if not ANY_STAR.match(cell.lstrip())):
                mixed += _both(cell, boundaries)
        elif block.kind != "heading":
            end = 0
            for text, emphasised in stretches(block.text, block.emphasis):
                starred = ANY_STAR.search(text[:1] + block.text[max(0, end - 1) : end])
                mixed += _both(text, boundaries) if emphasised and not starred else []
                prose += [] if emphasised else [text]
                end += len(text)
    return AttestedWords(texts, mixed, prose, GlossedBook(glossed_sentences(listed, boundaries), boundaries))


def _both(text: str, boundaries: str) -> tuple[str, str]:
    """A text as it is printed, and the words that it has only where its morphemes are joined."""
    printed = set(words(text))
    return text, " ".join(word for word in words(join_morphemes(text, boundaries)) if word not in printed)


def _words(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (word.casefold() for word in words(nfc(line)) if not _has_digit(word))


def _has_digit(word: str) -> bool:
    return any(char.isdigit() for char in word)
