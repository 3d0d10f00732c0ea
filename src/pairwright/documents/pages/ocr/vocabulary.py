"""Mends the case of letters by the words of the whole book: a recogniser reads `leaVe` where it is printed small."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pairwright.documents.lines.data import PageData
from pairwright.documents.pages.ocr.repair import REPAIRED

# Letters whose capitals have the shape of the small ones.
SAME_SHAPE = frozenset("ckopsuvwxz")
# How often the book has to have a word as words are written.
OFTEN = 2
LEAST_LETTERS = 4
# A word of morphemes or categories, such as `dog-PL` and `1SG`.
SEGMENTED = re.compile(r"\w[.\-=:]\w|\d[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")


def book_words(page: PageData) -> Iterator[str]:
    """The words of a page, letters only; glosses are none."""
    for run in page.runs:
        if not SEGMENTED.search(run.text):
            yield from _WORD.findall(run.text)


def case_mends(counts: Mapping[str, int]) -> dict[str, str]:
    """What words are mended to, from how often the book has each word.

    A word is mended where the book has it once, in a case in which no word is written, and often in one usual case from
    which it differs only by letters whose cases look alike.
    """
    return {
        word: usual[0]
        for word, count in counts.items()
        if count == 1 and len(word) >= LEAST_LETTERS and word not in _usual(word)
        if len(usual := [form for form in _usual(word) if counts.get(form, 0) >= OFTEN and _alike(word, form)]) == 1
    }


def with_mends(page: PageData, mends: Mapping[str, str]) -> PageData:
    """The page with words mended, and less sure."""
    runs = tuple(
        run._replace(text=text, confidence=round(REPAIRED * (run.confidence or 1.0), 4))
        if not SEGMENTED.search(run.text)
        and (text := _WORD.sub(lambda match: mends.get(match.group(), match.group()), run.text)) != run.text
        else run
        for run in page.runs
    )
    return replace(page, runs=runs)


def count_words(pages: Iterable[PageData], counts: Counter[str]) -> Iterator[PageData]:
    """The pages as they are; their words are added to `counts` on the way."""
    for page in pages:
        counts.update(book_words(page))
        yield page


def _usual(word: str) -> tuple[str, str, str]:
    return word.lower(), word[0].upper() + word[1:].lower(), word.upper()


def _alike(word: str, form: str) -> bool:
    """Whether words differ only in the case of letters that look alike in both, behind the first letter."""
    return (
        word[0] == form[0]
        and len(word) == len(form)
        and all(
            one == two or (one.lower() == two.lower() and unicodedata.normalize("NFD", one.lower())[0] in SAME_SHAPE)
            for one, two in zip(word, form, strict=True)
        )
    )
