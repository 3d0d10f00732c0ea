"""The examples of a grammar: how a language model sees them and refers to them, and the sentences in them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.languages.linguistics.marks import STARS
from pairwright.languages.linguistics.morphemes import join_morphemes, plain_sentence
from pairwright.records import Block, Evidence, Example, Gloss
from pairwright.text import comparison_key

EXAMPLE_KINDS = frozenset({"gloss", "example"})
_WORD_EXAMPLE = re.compile(r"^ex(?:ample)?s?(?=\d)")
_NUMBER = re.compile(r"^\(?(?P<number>\d+(?:\.\d+)*|[ivx]+)\)\s*")
# A book's own references, as in `see (12)` and `(19c)`.
_PRINTED = re.compile(r"\((\d{1,4})([a-z]{0,3})\)")
_SHOWN_NAME = re.compile(r"(?:^|(?<=\s))(?:(?:segmentation|gloss|translation): |\[(?:E\d+|footnote|table|note)\] ?)")
_SIGNS = re.compile(rf"[{STARS}†#]|\?\?|^\?")


@dataclass(frozen=True)
class Leaf:
    """A sentence of an example block. `label` is its letters, outermost first; empty where there is only one."""

    label: str
    gloss: Gloss

    def within(self, label: str) -> bool:
        """Whether the sentence belongs to the part with this label; the empty label is the whole example."""
        return not label or f"{self.label} ".startswith(f"{label} ")

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The lines of the sentence, each with its name; the sentence itself has its letters and mark and no name."""
        gloss = self.gloss
        segmentation = " ".join(filter(None, gloss.segmentation))
        sentence = gloss.surface or segmentation or " ".join(gloss.raw.split())
        letters = "".join(f"{letter}. " for letter in self.label.split())
        lines = [("", f"{letters}{gloss.judgement or ''}{sentence}")]
        if segmentation != sentence:
            lines.append(("segmentation", segmentation))
        lines.append(("gloss", " ".join(gloss.glosses[0]) if gloss.glosses else ""))
        lines.append(("translation", f"‘{gloss.translation}’" if gloss.translation else ""))
        return [(name, line) for name, line in lines if line]


def without_shown_names(quotation: str) -> str:
    """A quotation without the names that a passage gives to its examples, their lines, its tables and its notes."""
    return _SHOWN_NAME.sub("", quotation)


class Reference(NamedTuple):
    """A block that a rule refers to. `label` names a part of it; empty for the whole block."""

    block: Block
    label: str


def leaves(gloss: Gloss) -> list[Leaf]:
    """The sentences of an example, those of its parts included, labelled without the number of the whole."""
    return [Leaf(" ".join(path[bool(gloss.number) :]), leaf) for path, leaf in gloss.leaves()]


def show_example(block: Block, name: str, length: int) -> str:
    """An example for a language model: its name in brackets, its printed number, and its lines, each with its name."""
    gloss = block.gloss
    if gloss is None:
        return f"[{name}] {' '.join(block.text.split())}"[:length]
    head = (f"[{name}]", f"({gloss.number})" if gloss.number else "", gloss.language, gloss.title)
    lines = [f"  {name}: {line}" if name else line for leaf in leaves(gloss) for name, line in leaf.lines]
    shown = "\n".join([" ".join(filter(None, head)), *lines])
    if len(shown) <= length:
        return shown
    whole_lines = shown[:length].rsplit("\n", 1)[0]
    return whole_lines if "\n" in whole_lines else shown[:length]


def _key(name: str) -> str:
    """A name of an example without the punctuation and spaces around its number and letters."""
    return re.sub(r"[\s.,;()\[\]]", "", name.casefold())


class ExampleNames:
    """The names of the examples in one passage: E1, E2 …, with the letters of parts, and the printed numbers.

    around  the names in the whole chapter, by which printed numbers are found that the passage only mentions
    """

    def __init__(self, blocks: Sequence[Block], around: "ExampleNames | None" = None) -> None:
        self._around = around
        blocks = [block for block in blocks if block.kind in EXAMPLE_KINDS]
        self.of_block = {block.id: f"E{number}" for number, block in enumerate(blocks, start=1)}
        self._references: dict[str, Reference] = {}
        numbers: dict[str | None, str] = {}
        for block in blocks:
            letters = [leaf.label.split() for leaf in leaves(block.gloss)] if block.gloss else []
            labels = {" ".join(path[:depth]) for path in letters for depth in range(len(path) + 1)} | {""}
            names = [self.of_block[block.id]]
            if printed := (block.gloss.number if block.gloss else None) or numbers.get(block.continues):
                numbers[block.id] = printed
                names.append(printed)
            for name, label in product(names, sorted(labels)):
                self._references.setdefault(_key(f"{name}{label}"), Reference(block, label))

    def find(self, name: str) -> Reference | None:
        """The example of a name such as `E2`, `[E2b]` or `(19c)`; None where there is none."""
        own = self._references.get(_WORD_EXAMPLE.sub("", _key(name)))
        return own or (self._around.find(name) if self._around and _PRINTED.search(name) else None)

    def printed_in(self, text: str) -> list[Reference]:
        """The examples that a text of the book refers to by their printed numbers."""
        return [item for match in _PRINTED.finditer(text) if (item := self.find(match[0]))]


def examples_of(
    references: Sequence[Reference], pairs: Mapping[str, Sequence[Example]], language: Language
) -> tuple[tuple[Example, ...], tuple[str, ...]]:
    """The sentences of the examples that a rule refers to, and notes on those that were not taken.

    pairs  the pairs in the book's marked examples, by the ids of the example blocks. For a reference to a whole block
           all its pairs are taken, for a part those with a sentence of the part.
    """
    taken = [pair for ref in references for pair in pairs.get(ref.block.id, ()) if _belongs(pair, ref)]
    items = [item for reference in references for item in _good_sentences(reference, language)]
    notes = dict.fromkeys(item for item in items if isinstance(item, str))
    return distinct((*taken, *(item for item in items if isinstance(item, Example)))), tuple(notes)


def distinct(examples: Iterable[Example]) -> tuple[Example, ...]:
    """The first of the examples with the same sentences; one without a bad sentence only where no pair has its good."""
    first: dict[tuple[str, str | None], Example] = {}
    for example in examples:
        first.setdefault((example.good, example.bad), example)
    in_pairs = {good for good, bad in first if bad is not None}
    return tuple(example for (good, bad), example in first.items() if bad is not None or good not in in_pairs)


def _belongs(pair: Example, reference: Reference) -> bool:
    """Whether a pair has a sentence of the part that a reference names."""
    if not reference.label or reference.block.gloss is None:
        return True
    part = [leaf for leaf in leaves(reference.block.gloss) if leaf.within(reference.label)]
    sides = [comparison_key(join_morphemes(side)) for side in (pair.good, pair.bad or "")]
    return any(comparison_key(join_morphemes(leaf.gloss.object_line)) in sides for leaf in part)


def _good_sentences(reference: Reference, language: Language) -> Iterator[Example | str]:
    """The unmarked sentences of an example, and notes on why others are not taken."""
    block, gloss = reference.block, reference.block.gloss
    number = f"({gloss.number})" if gloss and gloss.number else f"on page {block.page}"
    if gloss is None:
        text = _NUMBER.sub("", " ".join(block.text.split()))
        if not _SIGNS.search(text):
            yield Example(good=text, bad=None, evidence=Evidence.at(block, block.text))
        return
    # Grammars also name varieties, such as `Iranian Armenian`. A language without a file has no name to compare.
    names = () if language.name == language.code else (language.name.casefold(), language.autonym.casefold())
    if gloss.language and names and not any(name in gloss.language.casefold() for name in names):
        yield f"example {number} is in another language: {gloss.language}"
        return
    for leaf in leaves(gloss):
        if not leaf.gloss.object_line or leaf.gloss.judgement or not leaf.within(reference.label):
            continue
        sentence = plain_sentence(leaf.gloss, language.boundaries)
        if _SIGNS.search(sentence):
            yield f"example {number} marks a part of its sentence; it is not taken for a good one"
            continue
        yield Example(
            good=sentence,
            bad=None,
            segmentation=_segmentation(leaf.gloss, sentence),
            gloss=" ".join(leaf.gloss.glosses[0]) if leaf.gloss.glosses else None,
            translation=leaf.gloss.translation,
            evidence=Evidence.at(block, leaf.gloss.raw if leaf.gloss.raw in block.text else block.text),
        )


def _segmentation(gloss: Gloss, sentence: str) -> str | None:
    """The sentence in morphemes; None where the book does not cut it."""
    line = " ".join(filter(None, gloss.segmentation))
    return line if line and line != sentence else None
