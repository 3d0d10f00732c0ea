"""The examples of a grammar: how a language model is shown them, how it refers to them, and the sentences in them."""

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
    """A sentence of an example block. `label` is its letter, with those above it; empty where there is but one."""

    label: str
    gloss: Gloss

    def within(self, label: str) -> bool:
        """Whether the sentence is the part of a label, or a part of that; of the empty label all are."""
        return not label or f"{self.label} ".startswith(f"{label} ")

    @property
    def lines(self) -> list[str]:
        """The sentence with its letter and mark, its gloss and its translation, each in one line."""
        objects = " ".join(self.gloss.objects[0]) if self.gloss.objects else " ".join(self.gloss.raw.split())
        letters = "".join(f"{letter}. " for letter in self.label.split())
        found = [f"{letters}{self.gloss.judgement or ''}{objects}"]
        if self.gloss.glosses:
            found.append("  " + " ".join(self.gloss.glosses[0]))
        if self.gloss.translation:
            found.append(f"  ‘{self.gloss.translation}’")
        return found


@dataclass(frozen=True)
class Reference:
    """A block that a rule refers to; `label` names a part of it, or is empty for all."""

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
    """A name of an example without what people put around its number and between its letters."""
    return re.sub(r"[\s.,;()\[\]]", "", name.casefold())


class ExampleNames:
    """The names of the examples in one passage: E1, E2 …, with a part's letter, and the numbers that are printed."""

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
        found = (self._references.get(f"{number}{letter}") for number, letter in _PRINTED.findall(text))
        return [reference for reference in found if reference]


def examples_of(
    references: Sequence[Reference], pairs: Mapping[str, Sequence[Example]], language: Language
) -> tuple[list[Example], list[str]]:
    """The sentences of the examples that a rule refers to, and notes on those that were not taken.

    pairs  that the book itself gives by marking a sentence, by the ids of example blocks; all of a block are taken, or,
           where the rule names a part of it, those that this part is a sentence of
    """
    taken: dict[tuple[str, str | None], Example] = {}
    notes: dict[str, None] = {}
    for reference in references:
        for pair in pairs.get(reference.block.id, ()):
            if _belongs(pair, reference):
                taken.setdefault((pair.good, pair.bad), pair)
    in_pairs = {good for good, _ in taken}
    for reference in references:
        for found in _good_sentences(reference, language):
            if isinstance(found, str):
                notes.setdefault(found)
            elif found.good not in in_pairs:
                taken.setdefault((found.good, None), found)
    return list(taken.values()), list(notes)


def _belongs(pair: Example, reference: Reference) -> bool:
    """Whether a pair of a block has a sentence of the part that is referred to."""
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
    """The sentences of an example that it does not mark, and in words what stands in the way of others."""
    block, gloss = reference.block, reference.block.gloss
    number = f"({gloss.number})" if gloss and gloss.number else f"on page {block.page}"
    if gloss is None:
        text = _NUMBER.sub("", " ".join(block.text.split()))
        if not _SIGNS.search(text):
            yield Example(good=text, bad=None, evidence=_evidence(block, block.text))
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
            evidence=_evidence(block, leaf.gloss.raw if leaf.gloss.raw in block.text else block.text),
        )


def _is(language: Language, printed: str) -> bool:
    """Whether a language's name as printed, such as `Iranian Armenian`, is that of a language or of a variety of it."""
    names = {language.name.casefold(), language.autonym.casefold()}
    return language.name == language.code or any(name in printed.casefold() for name in names)


def _evidence(block: Block, quote: str) -> Evidence:
    return Evidence(block_id=block.id, file=block.file, page=block.page, line=block.line, quote=quote)
