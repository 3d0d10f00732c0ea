"""Where two sentences differ, and texts cut and changed at offsets. Offsets are in characters of the given text."""

import difflib
import re
from collections.abc import Iterable, Sequence

from pairwright.core.records import Change
from pairwright.core.text import TOKEN

# In tokens; sentences are hardly ever as long.
_LONG = 100


def changes(good: str, bad: str) -> tuple[Change, ...]:
    """The spans in which two sentences differ, token by token, in order.

    Where a side has no words in a span, its text is empty and its offset is where they would stand.
    """
    good_tokens, bad_tokens = list(TOKEN.finditer(good)), list(TOKEN.finditer(bad))
    good_words, bad_words = ([match[0] for match in tokens] for tokens in (good_tokens, bad_tokens))
    spans, g0, b0 = [], 0, 0
    for g1, b1, size in _matching(good_words, bad_words):
        if (g0, b0) != (g1, b1):
            start, end = _extent(good_tokens, g0, g1, len(good))
            bad_start, bad_end = _extent(bad_tokens, b0, b1, len(bad))
            spans.append(Change(good=good[start:end], bad=bad[bad_start:bad_end], good_at=start, bad_at=bad_start))
        g0, b0 = g1 + size, b1 + size
    return tuple(spans)


def _matching(good: Sequence[str], bad: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    """Where runs of equal tokens begin in both sentences, and their lengths; at the end one of none."""
    if max(len(good), len(bad)) <= _LONG:
        return difflib.SequenceMatcher(None, good, bad, autojunk=False).get_matching_blocks()
    # What finds the longest runs, as people do, takes time with the third power of the length.
    from rapidfuzz.distance import Indel

    return [(block.a, block.b, block.size) for block in Indel.opcodes(good, bad).as_matching_blocks()]


def _extent(matches: list[re.Match[str]], first: int, last: int, end: int) -> tuple[int, int]:
    start = matches[first].start() if first < len(matches) else end
    return start, matches[last - 1].end() if first < last else start


def stretches(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[str, bool]]:
    """A text cut at spans of it, given as (start, end): its pieces in order, each with whether it lies in a span."""
    pieces, done = [], 0
    for start, end in sorted(spans):
        first = max(start, done)
        last = max(end, first)
        pieces += [(text[done:first], False), (text[first:last], True)]
        done = last
    return [(piece, inside) for piece, inside in [*pieces, (text[done:], False)] if piece]


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """A text with other words from `start` to `end` of each edit (start, end, words); the edits don't overlap."""
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text
