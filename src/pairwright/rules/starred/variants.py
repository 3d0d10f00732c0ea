"""Starred variants inside one example: `(*X)` forbids X, `*(X)` requires it, `{X/*Y}`, `X/*Y` and `*X/Y` choose.

`(*X)` behind another form of the same word replaces it: `Laukiu autobuso (*autobusą)`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.languages.linguistics.likeness import ClosedClasses, align, sentence_similarity
from pairwright.languages.linguistics.marks import SIGNS, split_mark
from pairwright.rules.error_lists.alternatives import replaced
from pairwright.text import squeeze

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
_NO_CLOSED_CLASSES = ClosedClasses()
# The least similarity (0-1) of two whole sentences with a slash between them.
_LEAST_SIMILARITY = 0.7
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
    if _LOOSE_SLASH.search(_PLACE.sub("", text)):
        return _whole_sentences(text)
    choices = list(_choices(text))
    if any(choice.unclear for choice in choices):
        raise UnclearError("it can't be told which ending the starred one replaces")
    if not all(choice.good for choice in choices):
        raise UnclearError("every variant of the example is starred")
    defaults = [choice.good[0] for choice in choices]
    good = _fill(text, choices, defaults)
    variants = []
    for index, choice in enumerate(choices):
        others = tuple(_fill(text, choices, replaced(defaults, index, wording)) for wording in choice.good[1:])
        for mark, wording in choice.bad:
            variants.append(Variant(good, _fill(text, choices, replaced(defaults, index, wording)), mark, others))
    return variants


def _whole_sentences(text: str) -> list[Variant]:
    """The sentences of `Laukiu autobuso. / *Laukiu autobusą.`, where they are alike."""
    good, bad = _sides(re.split(r"\s+/\s+", text))
    if not good or any(sentence_similarity(good[0], wording) < _LEAST_SIMILARITY for _, wording in bad):
        raise UnclearError("it can't be told how many words a slash chooses between")
    return [Variant(good[0], wording, mark, tuple(good[1:])) for mark, wording in bad]


def _sides(options: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The unmarked options, and the marked ones with their marks apart."""
    parts = [split_mark(option.lstrip()) for option in options]
    return [text for mark, text in parts if not mark], [part for part in parts if part[0]]


def without_optional(text: str) -> tuple[str, ...]:
    """A line with its optional parts `(X)`, and where it has any, also without them."""
    kept = squeeze(re.sub(r"\(([^()]*)\)", r"\1", text))
    dropped = squeeze(re.sub(r"\([^()]*\)", "", text))
    return (kept,) if kept == dropped or not dropped else (kept, dropped)


def _choices(text: str) -> Iterator[_Choice]:
    for match in _PLACE.finditer(text):
        if match["needed"] is not None:
            yield _Choice(*match.span(), (match["needed"],), ((match["mark"], ""),))
            continue
        inside = next(part for part in match.group("refused", "braced", "chosen", "slashed") if part is not None)
        good, bad = _sides(_completed(inside.split("/")))
        if match["refused"] is not None and not good:
            yield _refused(text, match, tuple(bad))
        elif bad:
            accepted = tuple("" if wording in {"∅", "Ø", "–", "—"} else wording for wording in good)
            unclear = any(wording.startswith("-") for _, wording in bad)
            yield _Choice(*match.span(), accepted, tuple(bad), unclear)


def _refused(text: str, match: re.Match[str], bad: tuple[tuple[str, str], ...]) -> _Choice:
    """`(*X)`: X replaces the words before it where it is another form of them, else it is added."""
    before = list(re.finditer(r"[^\s(){}\[\]/]+", text[: match.start()]))
    wording = bad[0][1]
    words = wording.split()
    if text[: match.start()].endswith(" ") and before and not wording.startswith("-"):
        aligned = align([word[0] for word in before], words, _NO_CLOSED_CLASSES)
        start = before[len(before) - aligned.size].start() if aligned.size else 0
        good = text[start : before[-1].end()]
        repeats = {word.casefold() for word in words} <= {word.casefold() for word in good.split()}
        if not repeats and any(index == len(words) - 1 for index, _ in aligned.matched):
            return _Choice(start, match.end(), (good,), bad)
    return _Choice(*match.span(), ("",), bad)


def _completed(options: list[str]) -> list[str]:
    """Options without outer space; an ending such as `-į` completes the first wording."""
    completed = []
    whole = ""
    for option in options:
        mark, wording = split_mark(option.strip())
        if wording.startswith("-") and "-" in whole:
            wording = whole[: whole.rindex("-")] + wording
        whole = whole or wording
        completed.append(mark + wording)
    return completed


def _fill(text: str, choices: list[_Choice], wordings: list[str]) -> str:
    parts, end = [], 0
    for choice, wording in zip(choices, wordings, strict=True):
        parts += [text[end : choice.start], wording]
        end = choice.end
    return squeeze("".join([*parts, text[end:]]))
