"""Starred variants inside one example: `(*X)` forbids X, `*(X)` requires it, `{X/*Y}`, `X/*Y` and `*X/Y` choose.

`(*X)` after another form of the same word replaces it: `Laukiu autobuso (*autobusą)`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.core.text import squeeze
from pairwright.languages.linguistics.edits import replaced
from pairwright.languages.linguistics.likeness import similarity
from pairwright.languages.linguistics.marks import SIGNS, split_mark

_WORD = r"[^\s(){}\[\]/]*[^\s(){}\[\]/.,;:!?…]"
_PLACE = re.compile(
    rf"""
    \((?P<refused>{SIGNS}[^(){{}}]*)\)                              # (*X), (*X/Y)
    | (?P<mark>{SIGNS})\((?P<needed>[^()*{{}}]+)\)                   # *(X)
    | \{{(?P<braced>[^{{}}]*)\}}                                     # {{X/*Y}}
    | \((?P<chosen>[^(){{}}/]*/[^(){{}}]*{SIGNS}[^(){{}}]*)\)        # (X/*Y)
    | (?<!\S)(?P<slashed>(?:{SIGNS})?{_WORD}(?:/(?:{SIGNS})?{_WORD})+)  # X/*Y
    """,
    re.VERBOSE,
)
# The least similarity (0-1) of two forms of one word.
_SAME_WORD = 0.9
_LOOSE_SLASH = re.compile(rf"\s/\s*{SIGNS}(?=\S)|(?:^|\s){SIGNS}\S+\s+/\s")


class UnclearError(ValueError):
    """The good or bad words of starred variants are unclear; the message is the reason."""


class Variant(NamedTuple):
    """A starred variant of an example and the acceptable one beside it. `others` are further acceptable ones."""

    good: str
    bad: str
    mark: str
    others: tuple[str, ...] = ()


class _Choice(NamedTuple):
    """A place that chooses between accepted and refused wordings, these with marks. An ending alone is `unclear`."""

    start: int
    end: int
    good: tuple[str, ...]
    bad: tuple[tuple[str, str], ...]
    unclear: bool = False


def has_variants(text: str) -> bool:
    """Whether an object line holds a starred variant."""
    return any(True for _ in _choices(text)) or bool(_LOOSE_SLASH.search(text))


def starred_variants(text: str) -> list[Variant]:
    """Each refused wording of a line with the first accepted ones. Raises UnclearError where one is unclear."""
    choices = list(_choices(text))
    if _LOOSE_SLASH.search(_PLACE.sub("", text)):
        raise UnclearError("it can't be told how many words a slash chooses between")
    if any(choice.unclear for choice in choices):
        raise UnclearError("it can't be told which ending the starred one replaces")
    if not all(choice.good for choice in choices):
        raise UnclearError("every variant of the example is starred")

    def line(changed: _Choice | None = None, wording: str = "") -> str:
        edits = ((it.start, it.end, wording if it is changed else it.good[0]) for it in choices)
        return squeeze(replaced(text, edits))

    return [
        Variant(line(), line(choice, wording), mark, tuple(line(choice, other) for other in choice.good[1:]))
        for choice in choices
        for mark, wording in choice.bad
    ]


def _choices(text: str) -> Iterator[_Choice]:
    for match in _PLACE.finditer(text):
        if match["needed"] is not None:
            yield _Choice(*match.span(), (match["needed"],), ((match["mark"], ""),))
            continue
        inside = next(part for part in match.group("refused", "braced", "chosen", "slashed") if part is not None)
        options = [split_mark(option.strip()) for option in inside.split("/")]
        good = tuple(re.sub("^[∅Ø–—]$", "", wording) for mark, wording in options if not mark)
        bad = tuple(option for option in options if option[0])
        if match["refused"] is not None and not good:
            start = _replaced_from(text[: match.start()], bad[0][1])
            yield _Choice(start, match.end(), (text[start : match.start()].rstrip(),), bad)
        elif bad:
            yield _Choice(*match.span(), good, bad, any(wording.startswith("-") for _, wording in bad))


def _replaced_from(before: str, wording: str) -> int:
    """Where the words begin that `(*X)` replaces: the last ones before it that are other forms of X's last ones."""
    words, start = wording.split(), len(before)
    if not before[-1:].isspace() or wording.startswith("-"):
        return start
    for match, word in zip(reversed(list(re.finditer(r"[^\s(){}\[\]/]+", before))), reversed(words), strict=False):
        if similarity(match[0], word) < _SAME_WORD:
            break
        start = match.start()
    # A word that is repeated is added.
    repeats = {word.casefold() for word in words} <= set(before[start:].casefold().split())
    return len(before) if repeats else start
