"""Tells which stretches of running text a page sets in bold or italics, as it sets the forms that it cites."""

from collections.abc import Sequence

from pairwright.documents.lines.rows import Row

# The longest label before the first row, such as a footnote's mark, in characters.
_LABEL = 8
# Signs of a form that many fonts have upright only.
_UPRIGHT = "∅Ø-=~"


def emphasised(members: Sequence[Row], text: str) -> tuple[tuple[int, int], ...]:
    """The character spans of `text`, which joins the rows, that are in bold or italics; commas at their ends are not
    part of them."""
    spans: list[tuple[int, int]] = []
    last = (False, False)
    at = 0
    for word in (word for row in members for word in row.words):
        whole = text.find(word.text, at, at + len(word.text) + _LABEL)
        # A word that a line end divides has lost its hyphen.
        start = whole if whole >= 0 else text.find(word.text[:-1], at, at + len(word.text) + _LABEL)
        if start < 0:
            continue
        at = start + len(word.text) - (whole < 0)
        for run in word.runs:
            end = min(start + len(run.text), at)
            joined = bool(spans) and spans[-1][1] == start and not run.text.strip(_UPRIGHT)
            kind = last if joined else (run.bold, run.italic)
            if any(kind) and spans and kind == last and not text[spans[-1][1] : start].strip():
                spans[-1] = spans[-1][0], end
            elif any(kind) and start < end:
                spans.append((start, end))
            start, last = end, kind
    bare = ((start, start + len(text[start:end].rstrip(",;: "))) for start, end in spans)
    return tuple((start, end) for start, end in bare if start < end)
