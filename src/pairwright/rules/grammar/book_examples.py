"""The examples of a grammar: how a language model sees them and refers to them, and the sentences in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pairwright.languages import Language
from pairwright.records import Block, Evidence, Example, Gloss
from pairwright.text import comparison_key

EXAMPLE_KINDS = frozenset({"gloss", "example"})
_WORD_EXAMPLE = re.compile(r"^ex(?:ample)?s?(?=\d)")
_NUMBER = re.compile(r"^\(?(?P<number>\d+(?:\.\d+)*|[ivx]+)\)\s*")
# A book's own references, as in `see (12)` and `(19c)`.
_PRINTED = re.compile(r"\((\d{1,4})([a-z]{0,3})\)")
_SIGNS = re.compile(r"[*†#]|\?\?|^\?")


@dataclass(frozen=True)
class Leaf:
    """A sentence of an example block. `label` is its letters, outermost first; empty where there is only one."""

    label: str
    gloss: Gloss

    def within(self, label: str) -> bool:
        """Whether the sentence belongs to the part with this label; the empty label is the whole example."""
        return not label or f"{self.label} ".startswith(f"{label} ")

    @property
    def lines(self) -> list[str]:
        """The sentence with its letters and mark, its gloss and its translation, each in one line."""
        gloss = self.gloss
        objects = " ".join(gloss.objects[0] if gloss.objects else gloss.raw.split())
        letters = "".join(f"{letter}. " for letter in self.label.split())
        lines = [f"{letters}{gloss.judgement or ''}{objects}"]
        lines += ["  " + " ".join(gloss.glosses[0])] if gloss.glosses else []
        return [*lines, f"  ‘{gloss.translation}’"] if gloss.translation else lines


@dataclass(frozen=True)
class Reference:
    """A block that a rule refers to. `label` names a part of it; empty for the whole block."""

    block: Block
    label: str


def leaves(gloss: Gloss) -> list[Leaf]:
    """The sentences of an example, those of its parts included, labelled without the number of the whole."""
    return [Leaf(" ".join(path[bool(gloss.number) :]), leaf) for path, leaf in gloss.leaves()]


def show_example(block: Block, name: str, length: int) -> str:
    """An example for a language model: its name in brackets, its printed number, and its sentences line by line."""
    gloss = block.gloss
    if gloss is None:
        return f"[{name}] {' '.join(block.text.split())}"[:length]
    head = [f"[{name}]", f"({gloss.number})" if gloss.number else "", gloss.language or "", gloss.title or ""]
    lines = [" ".join(part for part in head if part)]
    shown = "\n".join([*lines, *(line for leaf in leaves(gloss) for line in leaf.lines)])
    return shown if len(shown) <= length else shown[:length].rsplit("\n", 1)[0]


def _key(name: str) -> str:
    """A name of an example without the punctuation and spaces around its number and letters."""
    return re.sub(r"[\s.,;()\[\]]", "", name.casefold())


class ExampleNames:
    """The names of the examples in one passage: E1, E2 …, with the letters of parts, and the printed numbers."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.of_block = {block.id: f"E{number}" for number, block in enumerate(blocks, start=1)}
        self._references: dict[str, Reference] = {}
        numbers: dict[str | None, str] = {}
        for block in blocks:
            letters = [leaf.label.split() for leaf in leaves(block.gloss)] if block.gloss else []
            labels = {" ".join(path[:depth]) for path in letters for depth in range(1, len(path) + 1)}
            printed = (block.gloss.number if block.gloss else None) or numbers.get(block.continues)
            if printed:
                numbers[block.id] = printed
            for name in (self.of_block[block.id], *([printed] if printed else [])):
                self._references.setdefault(_key(name), Reference(block, ""))
                for label in sorted(labels):
                    self._references.setdefault(_key(f"{name}{label}"), Reference(block, label))

    def find(self, name: str) -> Reference | None:
        """The example of a name such as `E2`, `[E2b]` or `(19c)`; None where there is none."""
        return self._references.get(_WORD_EXAMPLE.sub("", _key(name)))

    def printed_in(self, text: str) -> list[Reference]:
        """The examples that a text of the book refers to by their printed numbers."""
        return [item for match in _PRINTED.finditer(text) if (item := self._references.get(match[1] + match[2]))]


def examples_of(
    references: Sequence[Reference], pairs: Mapping[str, Sequence[Example]], language: Language
) -> tuple[list[Example], list[str]]:
    """The sentences of the examples that a rule refers to, and notes on those that were not taken.

    pairs  the pairs in the book's marked examples, by the ids of the example blocks. For a reference to a whole block
           all its pairs are taken, for a part those with a sentence of the part.
    """
    examples: dict[tuple[str, str | None], Example] = {}
    notes: dict[str, None] = {}
    for reference in references:
        for pair in pairs.get(reference.block.id, ()):
            if _belongs(pair, reference):
                examples.setdefault((pair.good, pair.bad), pair)
    in_pairs = {good for good, _ in examples}
    for reference in references:
        for item in _good_sentences(reference, language):
            if isinstance(item, str):
                notes.setdefault(item)
            elif item.good not in in_pairs:
                examples.setdefault((item.good, None), item)
    return list(examples.values()), list(notes)


def _belongs(pair: Example, reference: Reference) -> bool:
    """Whether a pair has a sentence of the part that a reference names."""
    if not reference.label or reference.block.gloss is None:
        return True
    part = {
        comparison_key(" ".join(line))
        for leaf in leaves(reference.block.gloss)
        if leaf.within(reference.label)
        for line in leaf.gloss.objects
    }
    return not part.isdisjoint({comparison_key(pair.good), comparison_key(pair.bad or "")})


def _good_sentences(reference: Reference, language: Language) -> Iterator[Example | str]:
    """The unmarked sentences of an example, and notes on why others are not taken."""
    block, gloss = reference.block, reference.block.gloss
    number = f"({gloss.number})" if gloss and gloss.number else f"on page {block.page}"
    if gloss is None:
        text = _NUMBER.sub("", " ".join(block.text.split()))
        if not _SIGNS.search(text):
            yield Example(good=text, bad=None, evidence=Evidence.at(block, block.text))
        return
    if gloss.language and not _is(language, gloss.language):
        yield f"example {number} is in another language: {gloss.language}"
        return
    for leaf in leaves(gloss):
        if not leaf.gloss.objects or leaf.gloss.judgement or not leaf.within(reference.label):
            continue
        sentence = " ".join(leaf.gloss.objects[0])
        if _SIGNS.search(sentence):
            yield f"example {number} marks a part of its sentence; it is not taken for a good one"
            continue
        yield Example(
            good=sentence,
            bad=None,
            gloss=" ".join(leaf.gloss.glosses[0]) if leaf.gloss.glosses else None,
            translation=leaf.gloss.translation,
            evidence=Evidence.at(block, leaf.gloss.raw if leaf.gloss.raw in block.text else block.text),
        )


def _is(language: Language, printed: str) -> bool:
    """Whether a language's name as printed is that of a language or of its variety, such as `Iranian Armenian`."""
    names = {language.name.casefold(), language.autonym.casefold()}
    return language.name == language.code or any(name in printed.casefold() for name in names)
