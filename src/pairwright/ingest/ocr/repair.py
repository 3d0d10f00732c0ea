"""Corrects recognised words by a spelling dictionary and by Tesseract's reading of the page.

A word is changed only where the letters in question stand in the language's table of confusions (`ocr_confusions`).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice, pairwise, product

from pairwright.ingest.page.data import BBox
from pairwright.languages import Language, load_language
from pairwright.languages.spelling import dictionary_path, speller

WordTest = Callable[[str], bool]

CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
# A mark that stands alone as a word is a letter misread: `!` for the Lithuanian word `Į`.
LONE_MARK = re.compile(r"^\S$")
MAX_CHANGES = 3
MAX_CANDIDATES = 200
# What a repaired word's confidence is multiplied by: two readers or a dictionary agree, yet the first read otherwise.
REPAIRED = 0.95
# What it is multiplied by where a second reader read something else and nothing decides.
DISPUTED = 0.7
# The height in pixels of the bands of the page in which words are looked up by their place.
BAND = 50


@dataclass(frozen=True)
class OcrWord:
    """A recognised word: its text, its box in pixels of the level page, its line, and the confidence 0-1."""

    text: str
    box: BBox
    line: int
    confidence: float


def confusable(before: str, after: str, confusions: dict[str, str]) -> bool:
    """Whether `after` may have been printed where `before` was read, letter by letter."""
    return len(before) == len(after) and all(
        read == printed or read in confusions.get(printed, "") for read, printed in zip(before, after, strict=True)
    )


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


def by_second_reader(first: str, second: str, confusions: dict[str, str], own: WordTest) -> str | None:
    """The second reader's word, where the first one's habits or a dictionary speak for it; else None.

    They do where the words differ by letters that the first reader confuses, and where only the second one is known and
    the words have the same length but for one letter.
    """
    if first == second or confusable(second, first, confusions):
        return None
    one, two = CORE.search(first), CORE.search(second)
    if one is None or two is None:
        return None
    known_one, known_two = own(one.group()), own(two.group())
    if confusable(first, second, confusions) and (known_two or not known_one):
        return second
    shared = sum(a == b for a, b in zip(first, second, strict=False)) / max(len(first), len(second))
    close = abs(len(first) - len(second)) <= 1 and shared >= 0.6
    return second if known_two and not known_one and close else None


def repaired(
    words: Sequence[OcrWord], language: Language, second: Sequence[OcrWord] = (), others: Sequence[str] = ("en",)
) -> list[OcrWord]:
    """The words with the letters that second opinions changed, less sure where they did or where they disagree.

    `second` are the words that another reader read on the same page, in the same pixels; without them the dictionary
    decides alone. `others` are codes of other languages of the page, whose words stay.
    """
    path = dictionary_path(language)
    paths = [dictionary_path(load_language(code)) for code in others if code != language.code] if path else []
    elsewhere = [other for other in paths if other is not None]

    def own(word: str) -> bool:
        return path is not None and speller(path).knows(word)

    def foreign(word: str) -> bool:
        return any(speller(other).knows(word) for other in elsewhere)

    bands: defaultdict[int, list[OcrWord]] = defaultdict(list)
    for reading in second:
        for band in range(int(reading.box[1]) // BAND, int(reading.box[3]) // BAND + 1):
            bands[band].append(reading)
    confusions = language.ocr_confusions
    result = []
    for word in words:
        near = bands[int((word.box[1] + word.box[3]) / 2) // BAND]
        near = [reading for reading in near if overlap(reading.box, word.box) > 0.5]
        other = max(near, key=lambda reading: overlap(reading.box, word.box), default=None)
        text = by_second_reader(word.text, other.text, confusions, own) if other is not None else None
        if text is None and path is not None and confusions:
            text = by_dictionary(word.text, confusions, own, foreign)
        if text is not None:
            word = replace(word, text=text, confidence=round(REPAIRED * word.confidence, 4))
        elif other is not None and other.text != word.text:
            word = replace(word, confidence=round(DISPUTED * word.confidence, 4))
        result.append(word)
    return result


def overlap(one: BBox, two: BBox) -> float:
    """The shared area of two boxes by the area of both together, 0-1, with heights counted only in half.

    Two readers agree on where a word begins and ends, less on how high its box is.
    """
    across = min(one[2], two[2]) - max(one[0], two[0])
    down = min(one[3], two[3]) - max(one[1], two[1])
    if across <= 0 or down <= 0:
        return 0.0
    wide = max(one[2], two[2]) - min(one[0], two[0])
    least = min(one[3] - one[1], two[3] - two[1])
    return across / wide * min(1.0, 2 * down / least)
