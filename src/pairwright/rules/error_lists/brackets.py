"""Sentences of an error list and the brackets in them, told apart by the notation's marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pairwright.rules.error_lists.notation import Notation, opening

BracketKind = Literal["wrong-first", "right-first", "plain"]

_CLOSING = {"(": ")", "[": "]"}
_SENTENCE_END = re.compile(r"[.!?…]+[\"”“»’')\]]*(?=\s|$)")
# Full stops after these endings close no sentence: initials, numbers before a small letter, common abbreviations.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|pvz|tūkst|mln|mlrd|Nr|nr|prof|dr|doc|šv|psl|str|plg|žr|vad|pan|kt|kn|vid|angl|vok|pr|etc|e\.g|i\.e)\.$"
)


@dataclass(frozen=True)
class Bracket:
    """A bracket in a sentence: `content` without its mark, `start` and `end` as offsets in the sentence."""

    kind: BracketKind
    content: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A sentence with its brackets; `start` is its offset in the block's text."""

    text: str
    start: int
    brackets: tuple[Bracket, ...]

    def corrections(self) -> tuple[Bracket, ...]:
        return tuple(bracket for bracket in self.brackets if bracket.kind != "plain")


class UnbalancedError(ValueError):
    """A bracket that is opened and never closed, or the other way round, at an offset of the text."""

    def __init__(self, offset: int) -> None:
        super().__init__("a bracket is not closed")
        self.offset = offset


class BracketReader:
    """Reads text in one notation. `has_correction` tells quickly whether a text holds any correction."""

    def __init__(self, notation: Notation) -> None:
        self._wrong_first = opening(notation.wrong_first)
        self._right_first = opening(notation.right_first)

    def has_correction(self, text: str) -> bool:
        """Whether some bracket of the text begins with a mark; unbalanced text is searched by its openings."""
        return any(self._mark(text[match.end() :]) for match in re.finditer(r"[(\[]", text))

    def sentences(self, text: str) -> Iterator[Sentence]:
        """The sentences of a text. A full stop inside a bracket ends none; a bracket that begins a sentence belongs to
        the sentence before it. Raises UnbalancedError."""
        spans = top_brackets(text)
        start = 0
        pieces: list[tuple[int, int]] = []
        for end in sentence_ends(text, spans):
            pieces.append((start, end))
            start = end
        pieces.append((start, len(text)))
        for first, last in self._joined(text, pieces):
            lead = len(text[first:last]) - len(text[first:last].lstrip())
            body = text[first + lead : last].rstrip()
            if body:
                inner = [(a - first - lead, b - first - lead) for a, b in spans if first <= a and b <= last]
                yield Sentence(body, first + lead, tuple(self._bracket(body, a, b) for a, b in inner))

    def _joined(self, text: str, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        kept: list[tuple[int, int]] = []
        for first, last in pieces:
            body = text[first:last].lstrip()
            if kept and body[:1] in _CLOSING and (self._mark(body[1:]) or _only_bracket(body)):
                kept[-1] = (kept[-1][0], last)
            else:
                kept.append((first, last))
        return iter(kept)

    def _mark(self, inside: str) -> tuple[BracketKind, str] | None:
        """The kind and content of a bracket's inside, where it begins with a mark."""
        inside = inside.lstrip()
        for kind, pattern in (("wrong-first", self._wrong_first), ("right-first", self._right_first)):
            match = pattern.match(inside)
            if match:
                return ("wrong-first" if kind == "wrong-first" else "right-first"), inside[match.end() :].strip()
        return None

    def _bracket(self, text: str, start: int, end: int) -> Bracket:
        marked = self._mark(text[start + 1 : end - 1])
        kind, content = marked or ("plain", text[start + 1 : end - 1].strip())
        return Bracket(kind, content, start, end)


def _only_bracket(body: str) -> bool:
    """A plain rewrite that stands as a sentence of its own, such as `(The war ruined the land).`"""
    spans = top_brackets(body)
    return len(spans) == 1 and spans[0][0] == 0 and not re.search(r"\w", body[spans[0][1] :])


def top_brackets(text: str) -> list[tuple[int, int]]:
    """The outermost brackets as (start, end) offsets. Raises UnbalancedError; `1)` and `a)` are no brackets."""
    spans, stack = [], []
    for offset, letter in enumerate(text):
        if letter in _CLOSING:
            stack.append((offset, _CLOSING[letter]))
        elif letter in ")]":
            if not stack and re.search(r"(?:^|\s)\w{1,2}$", text[:offset]):
                continue
            if not stack or stack[-1][1] != letter:
                raise UnbalancedError(offset)
            start, _ = stack.pop()
            if not stack:
                spans.append((start, offset + 1))
    if stack:
        raise UnbalancedError(stack[0][0])
    return spans


def sentence_ends(text: str, brackets: list[tuple[int, int]]) -> Iterator[int]:
    """The offsets behind each sentence but the last: a full stop outside brackets, before a capital or a bracket."""
    for match in _SENTENCE_END.finditer(text):
        if any(start < match.start() < end for start, end in brackets):
            continue
        following = text[match.end() :].lstrip()
        if not following or _is_small(following):
            continue
        if match.group().startswith(".") and _ABBREVIATION.search(text[: match.start() + 1]):
            continue
        yield match.end()


def _is_small(following: str) -> bool:
    """Whether the text goes on with a small letter or a closing mark: then no sentence has ended."""
    first = next((letter for letter in following if letter.isalnum()), "")
    return (first.islower() and following[0] not in "([") or following[0] in ",;:)]"


def split_top(text: str, separators: tuple[str, ...]) -> list[str]:
    """A text split at any of the separators outside brackets; outer white space and empty parts are left out."""
    spans = top_brackets(text)
    parts, start, offset = [], 0, 0
    while offset < len(text):
        found = next((s for s in separators if text.startswith(s, offset)), None)
        if found and not any(a < offset < b for a, b in spans):
            parts.append(text[start:offset])
            offset += len(found)
            start = offset
        else:
            offset += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
