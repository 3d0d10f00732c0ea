"""The words that a source attests of its object language, and what may be an inflection of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from pairwright.records import Block
from pairwright.text import BOUNDARIES, nfc, plain_sentence, stretches, words

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
    """

    def __init__(self, texts: Iterable[str], mixed: Iterable[str] = (), prose: Iterable[str] = ()) -> None:
        certain, likely, around = (Counter(_words(lines)) for lines in (texts, mixed, prose))
        self._words = frozenset(certain) | {word for word, count in likely.items() if count >= around[word]}
        self._endings = frozenset(_affixes(self._words, before=False))
        self._beginnings = frozenset(_affixes(self._words, before=True))
        bound = (stem for word in self._words for stem in self._stems_of(word) if len(stem) >= _SHORTEST_BOUND_STEM)
        self._stems = self._words.union(bound)

    def __len__(self) -> int:
        return len(self._words)

    def attests(self, word: str) -> bool:
        """Whether the source has the word."""
        return word.casefold() in self._words

    def inflects(self, word: str) -> bool:
        """Whether the word is an attested stem with attested affixes, as an inflection that no example has may be."""
        return any(stem in self._stems for stem in self._stems_of(word.casefold()))

    def _stems_of(self, word: str) -> Iterator[str]:
        """What is left of a word without affixes, which may be the whole word."""
        for start in range(min(_LONGEST_AFFIX, len(word) - _SHORTEST_STEM) + 1):
            if word[:start] in self._beginnings:
                for end in range(len(word), max(start + _SHORTEST_STEM, len(word) - _LONGEST_AFFIX) - 1, -1):
                    if word[end:] in self._endings:
                        yield word[start:end]


def attested_words(
    blocks: Iterable[Block], examples: Iterable[str] = (), boundaries: str = BOUNDARIES
) -> AttestedWords:
    """What a grammar attests: its examples but for the starred ones, its tables, and what its prose emphasises.

    examples    further sentences that are known to be examples, such as those of the rules
    boundaries  the signs between morphemes of the language
    """
    texts = list(examples)
    mixed: list[str] = []
    prose: list[str] = []
    for block in blocks:
        if block.gloss:
            leaves = (leaf for _, leaf in block.gloss.leaves() if not leaf.judgement)
            texts += [plain_sentence(leaf, boundaries) for leaf in leaves]
        elif block.cells:
            mixed += [cell for row in block.cells for cell in row]
        elif block.kind != "heading":
            pieces = stretches(block.text, block.emphasis)
            mixed += [text for text, emphasised in pieces if emphasised]
            prose += [text for text, emphasised in pieces if not emphasised]
    return AttestedWords(texts, mixed, prose)


def _words(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (word.casefold() for word in words(nfc(line)) if not any(char.isdigit() for char in word))


def _affixes(vocabulary: frozenset[str], *, before: bool) -> Iterator[str]:
    """The endings that alternate with others behind enough stems, and the empty one; with `before`, the beginnings."""
    by_stem: defaultdict[str, set[str]] = defaultdict(set)
    for word in vocabulary:
        for size in range(min(_LONGEST_AFFIX, len(word) - _SHORTEST_STEM) + 1):
            cut = size if before else len(word) - size
            stem, affix = (word[cut:], word[:cut]) if before else (word[:cut], word[cut:])
            by_stem[stem].add(affix)
    counts = Counter(affix for affixes in by_stem.values() if len(affixes) > 1 for affix in affixes)
    yield ""
    yield from (affix for affix, count in counts.items() if count >= _ENOUGH_STEMS)
