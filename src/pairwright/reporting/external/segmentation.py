"""A gold segmentation of words into morphemes, and how each model's tokenizer cuts these words."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path

from pairwright.errors import ReleaseError, at
from pairwright.files import read_lines
from pairwright.records import Record
from pairwright.stats.morphemes import SegmentationAlignment, align_segmentation
from pairwright.text import nfc

Tokenizer = Callable[[str], Sequence[str]]


class TokenizerMorphology(Record):
    """How a model's tokenizer cuts the words of a segmentation file.

    category  of the words; empty for all words together
    unusable  words that its pieces don't add up to, such as those with a letter that it does not know
    """

    model: str
    category: str
    alignment: SegmentationAlignment
    unusable: tuple[str, ...]


def read_segmentation(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """The words of a segmentation file as their morphemes, by category, each once in a category.

    A word a line, `+`, `|`, a space or a hyphen between its morphemes. Where a line has a tab, the part after it is the
    segmentation. A line such as `# noun` names the category of the words after it; before it, it is empty. Raises
    ReleaseError with the line at fault.
    """
    words: dict[str, list[tuple[str, ...]]] = {}
    category = ""
    for number, line in read_lines(path, ReleaseError):
        whole, _, cut = line.strip().rpartition("\t")
        if not cut or cut.startswith("#"):
            category = cut.removeprefix("#").strip() or category
            continue
        mark = next((mark for mark in "+|- " if mark in cut), None)
        parts = tuple(nfc(part.strip()) for part in (cut.split(mark) if mark else [cut]))
        if not all(parts):
            raise ReleaseError(f"{at(path, number)}: an empty morpheme; write them as nam+uose")
        if whole and nfc(whole.strip()) != "".join(parts):
            raise ReleaseError(f"{at(path, number)}: {whole.strip()} and {'+'.join(parts)} are not the same word")
        words.setdefault(category, []).append(parts)
    if not words:
        raise ReleaseError(f"{path}: no word in it; write a word a line, cut as nam+uose")
    return {name: list(dict.fromkeys(own)) for name, own in words.items()}


def morphology(
    words: Mapping[str, Sequence[tuple[str, ...]]], tokenizers: Mapping[str, Tokenizer]
) -> tuple[TokenizerMorphology, ...]:
    """How each tokenizer, by the label of its model, cuts the words, all and by category; none where it can't cut any.

    A tokenizer takes a word and returns its pieces as text, without the marks of word beginnings.
    """
    groups: dict[str, Sequence[tuple[str, ...]]] = {"": list(dict.fromkeys(chain.from_iterable(words.values())))}
    groups |= words if len(words) > 1 else {}
    results = []
    for (label, pieces_of), (category, own) in product(tokenizers.items(), groups.items()):
        cuts = [(tuple(filter(None, pieces_of("".join(morphemes)))), morphemes) for morphemes in own]
        alignment = align_segmentation([cut for cut in cuts if "".join(cut[0]) == "".join(cut[1])])
        if alignment is not None:
            unusable = tuple(word for pieces, parts in cuts if (word := "".join(parts)) != "".join(pieces))
            results.append(TokenizerMorphology(model=label, category=category, alignment=alignment, unusable=unusable))
    return tuple(results)
