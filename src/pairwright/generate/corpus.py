"""What a source attests of its language: sentences with their glosses, paradigm tables, and every word of both."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pairwright.records import Block, Rule
from pairwright.text import comparison_key, is_segmented, join_morphemes, plain_sentence, words

_MORPHEME = re.compile(r"[\s\-=~<>.:;/+]+")
# A grammatical label in a gloss line: `GEN`, `3SG`.
_LABEL = re.compile(r"\d?[A-Z]{1,}[A-Z\d]*")
# Before a form that the source rules out or reconstructs.
_STAR = "*"
# Of the cells in a request, in characters.
_LONGEST_CELLS = 2000
# What it counts that a sentence stands in the section of the rule.
_SAME_SECTION = 2.0


class Attested(NamedTuple):
    """A sentence that the source gives as right, with what it says of it; `block_id` is the example's."""

    block_id: str
    sentence: str
    segmentation: str | None = None
    gloss: str | None = None
    translation: str | None = None
    section: tuple[str, ...] = ()

    @property
    def features(self) -> frozenset[str]:
        """The words, morphemes and grammatical labels by which sentences are compared."""
        labels = {piece for piece in _MORPHEME.split(self.gloss or "") if _LABEL.fullmatch(piece)}
        morphemes = {piece.casefold() for piece in _MORPHEME.split(self.segmentation or "") if piece}
        return frozenset(labels | morphemes | {word.casefold() for word in words(self.sentence)})


class Corpus:
    """The attested sentences of a source in its order, by their comparison keys, and an index of its words.

    blocks      of the source; without any, the corpus is the good sentences of the rules' examples
    boundaries  the signs between morphemes, `Language.boundaries`
    """

    def __init__(self, rules: Iterable[Rule], blocks: Iterable[Block] = (), boundaries: str = "") -> None:
        by_key: dict[str, Attested] = {}
        self._tables: list[Block] = []
        attested_words: set[str] = set()
        for block in blocks:
            attested_words.update(_words_of(block, boundaries))
            if block.kind == "table" and block.cells:
                self._tables.append(block)
            for one in _sentences_of(block, boundaries):
                by_key.setdefault(comparison_key(one.sentence), one)
        for rule in rules:
            for one in _own_sentences(rule):
                by_key.setdefault(comparison_key(one.sentence), one)
        self.sentences = by_key
        self.words = frozenset(attested_words) | {word for one in by_key.values() for word in _folded(one.sentence)}
        self._features = {key: one.features for key, one in by_key.items()}
        counts = Counter(feature for features in self._features.values() for feature in features)
        self._weights = {feature: math.log(len(by_key) / count) for feature, count in counts.items()}

    def attests(self, sentence: str) -> bool:
        """Whether the source has this sentence, letter for letter but for case and punctuation, as a right one."""
        return comparison_key(sentence) in self.sentences

    def unattested(self, *sentences: str) -> tuple[str, ...]:
        """The words of sentences that the source has nowhere in its examples, cited forms and tables."""
        found = (word for sentence in sentences for word in words(sentence) if word.casefold() not in self.words)
        return tuple(dict.fromkeys(found))

    def for_rule(self, rule: Rule) -> list[Attested]:
        """The sentences that bear on a rule: its own examples, then those most like them, then those of its section."""
        own = self._own(rule)
        wanted = frozenset[str]().union(*(self._features[key] for key in own), _folded(f"{rule.title} {rule.quote}"))
        scored = []
        for place, (key, one) in enumerate(self.sentences.items()):
            score = sum(self._weights[feature] for feature in self._features[key] & wanted)
            score += _SAME_SECTION * _is_within(one.section, rule)
            # A sentence without gloss and translation tells nothing to a reader who does not know the language.
            if score > 0 and key not in own and (one.gloss or one.translation):
                scored.append((-score, place, one))
        return [*own.values(), *(one for _, _, one in sorted(scored))]

    def cells(self, rule: Rule) -> list[str]:
        """The rows of paradigm tables that bear on a rule, each table as lines of cells under its head.

        These are the tables that the rule rests on and those of its section; in others the rows that hold a word of its
        own examples. What does not fit into a request is left out, the last first.
        """
        own = {word for one in self._own(rule).values() for word in _folded(one.sentence)}
        by_nearness = sorted((not self._is_near(table, rule), place) for place, table in enumerate(self._tables))
        shown, left = [], _LONGEST_CELLS
        for is_far, place in by_nearness:
            lines = []
            for line in _rows(self._tables[place], own if is_far else None):
                left -= len(line)
                lines += [line] if left >= 0 else []
            shown += ["\n".join(lines)] if lines else []
        return shown

    def _is_near(self, table: Block, rule: Rule) -> bool:
        return table.id in rule.block_ids or _is_within(table.section, rule)

    def _own(self, rule: Rule) -> dict[str, Attested]:
        """The rule's own sentences by their keys: those of its example blocks, and the good ones of its examples."""
        keys = {comparison_key(example.good) for example in rule.examples}
        ids = frozenset(rule.example_ids)
        return {key: one for key, one in self.sentences.items() if key in keys or one.block_id in ids}


def _own_sentences(rule: Rule) -> Iterator[Attested]:
    for example in rule.examples:
        given = (example.segmentation, example.gloss, example.translation)
        yield Attested(example.evidence.block_id, example.good, *given, rule.section)


def _sentences_of(block: Block, boundaries: str) -> Iterator[Attested]:
    """The sentences of an example block without a mark of ungrammaticality."""
    for _, leaf in block.gloss.leaves() if block.gloss else ():
        sentence = plain_sentence(leaf, boundaries)
        if leaf.judgement or not words(sentence):
            continue
        cut = " ".join(filter(None, leaf.segmentation))
        gloss = "\n".join(" ".join(line) for line in leaf.glosses)
        shown = cut if cut != sentence or is_segmented(leaf, boundaries) else None
        yield Attested(block.id, sentence, shown or None, gloss or None, leaf.translation, block.section)


def _words_of(block: Block, boundaries: str) -> Iterator[str]:
    """The object-language words of a block: of cells, cited forms in bold or italics, and examples but starred ones."""
    texts = [cell for row in block.cells or () for cell in row if not cell.lstrip().startswith(_STAR)]
    texts += [
        block.text[start:end] for start, end in block.emphasis if _STAR not in block.text[max(0, start - 1) : end]
    ]
    texts += [one.segmentation for one in _sentences_of(block, boundaries) if one.segmentation]
    for text in texts:
        yield from _folded(text)
        yield from _folded(join_morphemes(text, boundaries))


def _rows(table: Block, holding: set[str] | None) -> list[str]:
    """The head of a table and its rows, or those that hold one of some words; nothing where none does."""
    cells = table.cells or ()
    head, body = cells[: table.header_rows], cells[table.header_rows :]
    chosen = [row for row in body if holding is None or not holding.isdisjoint(_folded(" ".join(row)))]
    return [" | ".join(row) for row in (*head, *chosen)] if chosen else []


def _is_within(section: tuple[str, ...], rule: Rule) -> bool:
    """Whether a section is that of a rule, or below it."""
    return bool(rule.section) and section[: len(rule.section)] == rule.section


def _folded(text: str) -> list[str]:
    return [word.casefold() for word in words(text)]
