"""A gold segmentation of words into morphemes, against the cuts of each model's tokenizer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pairwright.errors import ReviewError, at
from pairwright.records import Record
from pairwright.report.external.results import read_text
from pairwright.stats.morphemes import Alignment, alignment
from pairwright.text import nfc

Tokenizer = Callable[[str], Sequence[str]]


class Morphology(Record):
    """How a model's tokenizer cuts the words of a segmentation file.

    unusable  words that its pieces don't make up again, such as those with a letter that it does not know
    """

    model: str
    alignment: Alignment
    unusable: tuple[str, ...]


def read_segmentation(path: Path) -> list[tuple[str, ...]]:
    """The words of a segmentation file as their morphemes: a word a line, `+`, `|`, a space or a hyphen between them.

    Where a line has a tab, the part after it is the segmentation. Raises ReviewError with the line at fault.
    """
    words = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        whole, _, cut = line.strip().rpartition("\t")
        if not cut:
            continue
        mark = next((mark for mark in "+|- " if mark in cut), None)
        parts = tuple(nfc(part.strip()) for part in (cut.split(mark) if mark else [cut]))
        if not all(parts):
            raise ReviewError(f"{at(path, number)}: an empty morpheme; write them as nam+uose")
        if whole and nfc(whole.strip()) != "".join(parts):
            raise ReviewError(f"{at(path, number)}: {whole.strip()} and {'+'.join(parts)} are not the same word")
        words.append(parts)
    if not words:
        raise ReviewError(f"{path}: no word in it; write a word a line, cut as nam+uose")
    return list(dict.fromkeys(words))


def morphology(words: Sequence[Sequence[str]], tokenizers: Mapping[str, Tokenizer]) -> tuple[Morphology, ...]:
    """How each tokenizer, by the label of its model, cuts the words; none for one that can cut no word of them.

    A tokenizer takes a word and gives its pieces as text, without the marks of word beginnings.
    """
    found = []
    for label, pieces_of in tokenizers.items():
        usable, unusable = [], []
        for morphemes in words:
            word = "".join(morphemes)
            pieces = tuple(piece for piece in pieces_of(word) if piece)
            if "".join(pieces) == word:
                usable.append((pieces, morphemes))
            else:
                unusable.append(word)
        aligned = alignment(usable)
        if aligned is not None:
            found.append(Morphology(model=label, alignment=aligned, unusable=tuple(unusable)))
    return tuple(found)
