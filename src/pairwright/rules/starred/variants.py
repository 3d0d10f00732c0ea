"""Starred variants inside one example: `(*X)` must not appear, `*(X)` must, `{X/*Y}`, `X/*Y` and `*X/Y` choose.

`(*X)` behind another form of the same word, `Laukiu autobuso (*autobusą)`, stands in its place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pairwright.rules.error_lists.alignment import ClosedClasses, align
from pairwright.rules.starred.likeness import likeness
from pairwright.rules.starred.marks import SIGNS
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
_NO_CLOSED_CLASS = ClosedClasses(frozenset(), frozenset(), frozenset())
_MARK = re.compile(rf"^\s*(?P<mark>{SIGNS})(?=\S)")
# Two whole sentences with a slash between them are at least so alike, 0-1.
_LEAST_LIKENESS = 0.7
_LOOSE_SLASH = re.compile(rf"\s/\s*{SIGNS}(?=\S)|(?:^|\s){SIGNS}\S+\s+/\s")


class UnclearError(ValueError):
    """Starred variants whose good or bad words can't be told; the message is the reason."""


@dataclass(frozen=True)
class Variant:
    """One starred variant of an example and the acceptable one beside it; `others` are further acceptable ones."""

    good: str
    bad: str
    mark: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Place:
    start: int
    end: int
    good: tuple[str, ...]
    bad: tuple[tuple[str, str], ...]
    unclear: bool = False


def has_variants(text: str) -> bool:
    """Whether an object line holds a starred variant."""
    return any(True for _ in _places(text)) or bool(_LOOSE_SLASH.search(text))


def starred_variants(text: str) -> list[Variant]:
    """The pairs that a line with starred variants stands for: each refused wording against the first accepted ones.

    Raises UnclearError where a wording's extent can't be told, or no wording is accepted.
    """
    if _LOOSE_SLASH.search(_PLACE.sub("", text)):
        return _whole_sentences(text)
    places = list(_places(text))
    if any(place.unclear for place in places):
        raise UnclearError("it can't be told which ending the starred one replaces")
    if any(not place.good for place in places):
        raise UnclearError("every variant of the example is starred")
    defaults = [place.good[0] for place in places]
    found = []
    for index, place in enumerate(places):
        for mark, wording in place.bad:
            others = [_filled(text, places, _with(defaults, index, other)) for other in place.good[1:]]
            bad = _filled(text, places, _with(defaults, index, wording))
            found.append(Variant(_filled(text, places, defaults), bad, mark, tuple(others)))
    return found


def _whole_sentences(text: str) -> list[Variant]:
    """The sentences of `Laukiu autobuso. / *Laukiu autobusą.`, where they are alike."""
    parts = re.split(r"\s+/\s+", text)
    marks = [_MARK.match(part) for part in parts]
    good = [part for part, mark in zip(parts, marks, strict=True) if not mark]
    bad = [(mark["mark"], part[mark.end() :]) for part, mark in zip(parts, marks, strict=True) if mark]
    if not good or any(likeness(good[0], wording) < _LEAST_LIKENESS for _, wording in bad):
        raise UnclearError("it can't be told how many words a slash chooses between")
    return [Variant(good[0], wording, mark, tuple(good[1:])) for mark, wording in bad]


def without_optional(text: str) -> tuple[str, ...]:
    """A line with its optional parts `(X)` in, and where it has any, also with them left out."""
    kept = squeeze(re.sub(r"\(([^()]*)\)", r"\1", text))
    dropped = squeeze(re.sub(r"\([^()]*\)", "", text))
    return (kept,) if kept == dropped or not dropped else (kept, dropped)


def _places(text: str) -> Iterator[_Place]:
    for match in _PLACE.finditer(text):
        good: tuple[str, ...]
        bad: tuple[tuple[str, str], ...]
        if match["needed"] is not None:
            good, bad = (match["needed"],), ((match["mark"], ""),)
        else:
            inside = next(part for part in match.group("refused", "braced", "chosen", "slashed") if part is not None)
            good, bad = _options(inside)
            if match["refused"] is not None and not good:
                yield _refused(text, match, bad)
                continue
        if bad:
            endings = any(wording.startswith("-") for _, wording in bad)
            yield _Place(match.start(), match.end(), good, bad, unclear=endings)


def _refused(text: str, match: re.Match[str], bad: tuple[tuple[str, str], ...]) -> _Place:
    """`(*X)`: X in place of the words before it where it is another form of them, else X added."""
    before = list(re.finditer(r"[^\s(){}\[\]/]+", text[: match.start()]))
    words = bad[0][1].split()
    apart = text[: match.start()].endswith(" ") and bool(before) and not words[0].startswith("-")
    found = align([word.group() for word in before], words, _NO_CLOSED_CLASS) if apart else None
    if found is None or not any(index == len(words) - 1 for index, _ in found.matched):
        return _Place(match.start(), match.end(), ("",), bad)
    start = before[len(before) - found.size].start()
    replaced = text[start : before[-1].end()]
    if replaced == bad[0][1]:
        return _Place(match.start(), match.end(), ("",), bad)
    return _Place(start, match.end(), (replaced,), bad)


def _options(inside: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The accepted and the refused wordings between slashes; an ending such as `-į` completes the wording before it."""
    good: list[str] = []
    bad: list[tuple[str, str]] = []
    whole = ""
    for option in inside.split("/"):
        mark = _MARK.match(option)
        wording = (option[mark.end() :] if mark else option).strip()
        if wording.startswith("-") and "-" in whole:
            wording = whole[: whole.rindex("-")] + wording
        whole = whole or wording
        if mark:
            bad.append((mark["mark"], wording))
        else:
            good.append("" if wording in {"∅", "Ø", "–", "—"} else wording)
    return tuple(good), tuple(bad)


def _with(wordings: list[str], index: int, wording: str) -> list[str]:
    return [*wordings[:index], wording, *wordings[index + 1 :]]


def _filled(text: str, places: list[_Place], wordings: list[str]) -> str:
    parts, end = [], 0
    for place, wording in zip(places, wordings, strict=True):
        parts += [text[end : place.start], wording]
        end = place.end
    return squeeze("".join([*parts, text[end:]]))
