"""References of the prose to numbered examples: `(12a)`, `examples 3.4 and 3.5`, `(7a–c)`, `cf. 4`."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pairwright.rules.starred.conventions import ProseWords

_NUMBER = r"[A-Z]?\d{1,4}(?:\.\d{1,3})*"
_PART = r"[a-z][ivx]{0,4}(?![a-z])"
_NUMBERS = re.compile(rf"(?P<number>{_NUMBER})\s?(?P<parts>{_PART}(?:\s?[-–,/]\s?{_PART})*)?(?![a-z\d])")
_NUMBER_RANGE = re.compile(
    rf"(?<![\d.])(?P<first>\d{{1,4}})\s?[-‑–]\s?(?P<last>\d{{1,4}})(?![\d.])\s?(?P<parts>{_PART}(?:\s?[-–,/]\s?{_PART})*)?"
)
_LONGEST_RANGE = 20
_RANGES = re.compile(rf"(?P<first>{_PART})(?:\s?[-–]\s?(?P<last>{_PART}))?")


class Reference(NamedTuple):
    """An example that a text names: its number, and the parts of it, such as `b` or `bii`; none for the whole."""

    number: str
    parts: frozenset[str]

    def precision(self, place: Sequence[str]) -> int:
        """How precisely it names the example of a place: 2 the part itself, 1 only its number, 0 neither."""
        if not place or self.number != place[0]:
            return 0
        if not self.parts or len(place) == 1:
            return 1
        return 2 if self.parts & {place[1], "".join(place[1:])} else 0


@lru_cache(maxsize=16)
def reference_pattern(prose: ProseWords) -> re.Pattern[str]:
    """Finds what may name examples: numbers in round brackets, or behind a word such as `example` or `compare`."""
    words = rf"(?:{prose.references.pattern}|{prose.comparisons.pattern})\.?"
    return re.compile(
        rf"\(\s*(?:{words}\s+)?(?P<inside>{_NUMBER}(?:[^()§]{{0,24}})?)\)"
        rf"|{words}\s+(?P<named>{_NUMBER}\s?(?:{_PART})?)(?!\w)",
        re.IGNORECASE,
    )


def without_pointer(text: str, prose: ProseWords) -> str:
    """A sentence without what sends the reader to other examples behind it: `(cf. (4))`."""
    words = rf"(?:{prose.references.pattern}|{prose.comparisons.pattern})\.?"
    number = rf"\(?{_NUMBER}\s?(?:{_PART})?\)?"
    pointer = rf"\s+\(?{words}\s+(?:\w+\s+)?{number}(?:\s*[,;–-]\s*{number})*\)?\.?$"
    return re.sub(pointer, "", text, flags=re.IGNORECASE)


def references(text: str, prose: ProseWords) -> list[Reference]:
    """The examples that a text names, in order; a range of numbers, `3–6`, names those between them, too.

    In a book that counts its examples by chapters, `3-6` is the sixth one of the third, so it names that as well.
    """
    named: list[Reference] = []
    for reference in reference_pattern(prose).finditer(text):
        inside = reference["inside"] or reference["named"]
        named += [Reference(match["number"], _parts(match["parts"] or "")) for match in _NUMBERS.finditer(inside)]
        for match in _NUMBER_RANGE.finditer(inside):
            named.append(Reference(f"{match['first']}-{match['last']}", _parts(match["parts"] or "")))
            between = range(int(match["first"]) + 1, min(int(match["last"]), int(match["first"]) + _LONGEST_RANGE))
            named += [Reference(str(number), frozenset()) for number in between]
    return named


def _parts(text: str) -> frozenset[str]:
    """Parts alone, `a, c`, or as a range of letters, `a–c`."""
    parts: set[str] = set()
    for match in _RANGES.finditer(text):
        first, last = match["first"], match["last"] or match["first"]
        parts |= {first, last}
        if len(first) == len(last) == 1:
            parts |= {chr(code) for code in range(ord(first), ord(last))}
    return frozenset(parts)
