"""Joins the pieces that make up an example, such as a number, its lines and a translation in paragraphs."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, takewhile

from pairwright.documents.flowing.pieces import TextPiece
from pairwright.documents.interlinear.lines import (
    MAX_LINES,
    begins_example,
    begins_part,
    find_in_lines,
    find_unnumbered_lines,
    read_cells,
)
from pairwright.documents.interlinear.reading import FoundExample
from pairwright.languages.conventions import Conventions

# How many pieces after its first one an example may reach, and how near its translation must be.
AHEAD, NEAR = 24, 5
_WITH_LINES = frozenset({"paragraph", "list_item", "footnote"})


def with_examples(pieces: Iterable[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    """Pieces in order, in which those that make up an example have become one, and captions are known."""
    read = list(_with_read_examples(pieces, conventions))
    for index, piece in enumerate(read):
        beside = any(other.kind == "table" for other in read[max(0, index - 1) : index + 2])
        marked = beside and re.match(r"^(?:Table)?: +\S", piece.text) is not None
        short = len(piece.text) < 300 and (beside or piece.text[-1:] != ".")
        is_caption = piece.kind == "paragraph" and (marked or (short and conventions.caption.match(piece.text)))
        yield replace(piece, kind="caption") if is_caption else piece


def _example(found: FoundExample, line: int) -> TextPiece:
    return TextPiece("gloss" if found.interlinear else "example", found.gloss.raw, line, gloss=found.gloss)


def _with_read_examples(pieces: Iterable[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    left = deque(pieces)
    while left:
        piece = left.popleft()
        if piece.cells and (whole := read_cells(piece.cells, conventions)):
            yield _example(whole, piece.line)
            continue
        numbered = _first_numbered(piece, left, conventions)
        if numbered is None:
            glossed = find_unnumbered_lines(piece.lines, conventions) if piece.kind in _WITH_LINES else None
            yield _example(glossed, piece.line) if glossed else piece
            continue
        at, found = numbered
        if at:
            yield _between(piece, 0, at)
        yield _example(found, piece.numbers[at] if piece.numbers else piece.line)
        left.appendleft(piece)
        n_lines = at + found.n_rows
        while n_lines:
            first = left.popleft()
            if n_lines < len(first.lines):
                left.appendleft(_between(first, n_lines, len(first.lines)))
            n_lines -= min(n_lines, len(first.lines))


def _first_numbered(
    piece: TextPiece, ahead: Iterable[TextPiece], conventions: Conventions
) -> tuple[int, FoundExample] | None:
    """The first line of a piece with which an example under a number begins, and the example, which may go on in the
    pieces after it."""
    for at in range(len(piece.lines) if piece.kind in _WITH_LINES else 0):
        if not begins_example(piece.lines[at], conventions):
            continue
        own = list(piece.lines[at : at + MAX_LINES])
        last = piece.kind == "paragraph" and at + len(own) == len(piece.lines)
        more = _continuation(own, list(islice(ahead, AHEAD)), conventions) if last else []
        apart, lines = at == 0, own + [line for other in more for line in other.lines]
        found = find_in_lines(lines, conventions, apart=apart, marked=piece.marked)
        if found and (piece.kind == "paragraph" or found.interlinear):
            return at, found
    return None


def _continuation(own: Sequence[str], ahead: Sequence[TextPiece], conventions: Conventions) -> list[TextPiece]:
    """The pieces after the first lines of an example that may belong to it: parts, translations, lines in paragraphs
    of their own."""
    taken: list[TextPiece] = []
    for index, piece in enumerate(ahead):
        if piece.kind != "paragraph" or not piece.lines or begins_example(piece.lines[0], conventions):
            break
        first = piece.lines[0].strip()
        lone = len(piece.lines) == 1 and (len(own) == 1 or len(taken) > 0)
        within = lone and (
            piece.lines[0].startswith("\t") or _translation_near(ahead[index : index + NEAR], conventions)
        )
        if not (begins_part(first, conventions) or first[0] in conventions.opening or within):
            break
        taken.append(piece)
    return taken


def _translation_near(ahead: Sequence[TextPiece], conventions: Conventions) -> bool:
    """Whether a paragraph that is only a quotation follows paragraphs of one line."""
    single = takewhile(lambda piece: piece.kind == "paragraph" and len(piece.lines) == 1, ahead)
    return any(piece.text[0] in conventions.opening and conventions.closed.search(piece.text) for piece in single)


def _between(piece: TextPiece, start: int, end: int) -> TextPiece:
    """Lines of a piece as a piece of their own; its emphasis goes with the words."""
    texts = [" ".join(line.split()) for line in piece.lines]
    starts = [0, *accumulate(len(text) + len(piece.joint) for text in texts)]
    text = piece.joint.join(texts[start:end])
    spans = ((max(a - starts[start], 0), min(b - starts[start], len(text))) for a, b in piece.emphasis)
    emphasis = tuple((a, b) for a, b in spans if a < b)
    lines, numbers = piece.lines[start:end], piece.numbers[start:end]
    first = numbers[0] if numbers else piece.line
    return replace(piece, text=text, line=first, lines=lines, numbers=numbers, emphasis=emphasis)
