"""Brackets and quotation marks: the outermost pairs, texts split outside them, and those without a partner."""

import re
from collections.abc import Iterator

_CLOSING = {"(": ")", "[": "]", "{": "}", "„": '“”"', "“": '”"', "”": "”", "«": "»", "»": "«", "‹": "›", '"': '"“”'}
_PAIRED = frozenset("".join([*_CLOSING, *_CLOSING.values()]))
_QUOTATION = re.compile(r"„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|»[^«»]*«|\"[^\"]*\"")
_ITEM_LETTER = re.compile(r"(?:^|\s)\w{1,2}$")


class UnbalancedError(ValueError):
    """A bracket is opened and never closed, or closed and never opened, at an offset of the text."""

    def __init__(self, offset: int) -> None:
        super().__init__("a bracket is not closed")
        self.offset = offset


def top_brackets(text: str) -> list[tuple[int, int]]:
    """The outermost brackets as (start, end) offsets. `1)` and `a)` are no brackets. Raises UnbalancedError."""
    spans, stack = [], []
    for offset, letter in enumerate(text):
        if letter in "([":
            stack.append((offset, _CLOSING[letter]))
        elif letter in ")]":
            if not stack and _ITEM_LETTER.search(text, max(0, offset - 4), offset):
                continue
            if not stack or stack[-1][1] != letter:
                raise UnbalancedError(offset)
            start, _ = stack.pop()
            if not stack:
                spans.append((start, offset + 1))
    if stack:
        raise UnbalancedError(stack[0][0])
    return spans


def split_top(text: str, separators: tuple[str, ...]) -> list[str]:
    """The parts of a text between separators outside brackets and quotations, stripped and not empty.

    Raises UnbalancedError.
    """
    spans = [*top_brackets(text), *(match.span() for match in _QUOTATION.finditer(text))]
    parts, start = [], 0
    for match in re.finditer("|".join(map(re.escape, separators)) or "(?!)", text):
        if not any(a < match.start() < b for a, b in spans):
            parts.append(text[start : match.start()])
            start = match.end()
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def unpaired(text: str) -> Iterator[tuple[str, int]]:
    """The brackets and quotation marks of a text that have no partner, with their offsets."""
    opened: list[tuple[str, int]] = []
    for index, char in enumerate(text):
        if char not in _PAIRED:
            continue
        if opened and char in _CLOSING[opened[-1][0]]:
            opened.pop()
        elif char in _CLOSING:
            opened.append((char, index))
        else:
            yield char, index
    yield from opened
