"""Corrects recognised words by a spelling dictionary.

A word is changed only where the letters in question stand in the language's table of confusions (`ocr_confusions`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice, pairwise, product

from pairwright.documents.lines.data import BBox
from pairwright.languages import Language, load_language
from pairwright.languages.spelling import dictionary_path, speller

WordTest = Callable[[str], bool]

CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
# A mark that stands alone as a word is a letter misread: `!` for the Lithuanian word `Į`.
LONE_MARK = re.compile(r"^\S$")
MAX_CHANGES = 3
MAX_CANDIDATES = 200
# What a repaired word's confidence is multiplied by.
REPAIRED = 0.95


@dataclass(frozen=True)
class OcrWord:
    """A recognised word: its text, its box in pixels of the level page, its line, and the confidence 0-1."""

    text: str
    box: BBox
    line: int
    confidence: float


def candidates(word: str, confusions: dict[str, str]) -> Iterator[list[str]]:
    """The words that may have been printed where `word` was read: all with one letter changed, then two, then three."""
    options = [
        [(index, printed) for printed, read in confusions.items() if letter in read]
        for index, letter in enumerate(word)
    ]
    places = list(filter(None, options))
    for n_changes in range(1, min(len(places), MAX_CHANGES) + 1):
        choices = chain.from_iterable(product(*chosen) for chosen in combinations(places, n_changes))
        changes = list(islice(map(dict, choices), MAX_CANDIDATES + 1))
        if len(changes) > MAX_CANDIDATES:
            return
        yield ["".join(changed.get(index, letter) for index, letter in enumerate(word)) for changed in changes]


def undoubled(word: str, confusions: dict[str, str]) -> list[str]:
    """The word with one pair such as `aą` or `ąa` as one letter, `ą`, for each such pair.

    A recogniser steps along the line and may read one printed letter at two steps, once without its mark.
    """
    return [
        word[:index] + marked + word[index + 2 :]
        for index, (one, two) in enumerate(pairwise(word))
        for marked, plain in ((one, two), (two, one))
        if plain in confusions.get(marked, "")
    ]


def by_dictionary(word: str, confusions: dict[str, str], own: WordTest, foreign: WordTest) -> str | None:
    """The one known word that an unknown word may have been printed as; None where there is none or a choice.

    A letter that was read twice is mended first; then the candidates with the fewest changed letters decide.
    """
    core = CORE.search(word) or LONE_MARK.match(word)
    if core is None or any(char.isdigit() for char in core.group()[1:-1]) or own(core.group()) or foreign(core.group()):
        return None
    for group in (undoubled(core.group(), confusions), *candidates(core.group(), confusions)):
        fitting = sorted({candidate for candidate in group if _same_case(candidate) and own(candidate)})
        if fitting:
            return word[: core.start()] + fitting[0] + word[core.end() :] if len(fitting) == 1 else None
    return None


def _same_case(word: str) -> bool:
    """Whether a word is written as words are: small, capitalised or in capitals."""
    letters = [char for char in word if char.isalpha()]
    return all(char.islower() for char in letters[1:]) or all(char.isupper() for char in letters)


def repaired(words: Sequence[OcrWord], language: Language, others: Sequence[str] = ("en",)) -> list[OcrWord]:
    """The words with the letters that the dictionary corrects, less sure where it does.

    `others` are codes of other languages of the page, whose words stay.
    """
    path = dictionary_path(language)
    if path is None or not language.ocr_confusions:
        return list(words)
    own = speller(path).knows
    paths = [dictionary_path(load_language(code)) for code in others if code != language.code]
    elsewhere = [speller(other) for other in paths if other is not None]

    def foreign(word: str) -> bool:
        return any(other.knows(word) for other in elsewhere)

    result = []
    for word in words:
        text = by_dictionary(word.text, language.ocr_confusions, own, foreign)
        if text is not None:
            word = replace(word, text=text, confidence=round(REPAIRED * word.confidence, 4))
        result.append(word)
    return result
