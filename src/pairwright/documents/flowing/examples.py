"""Joins the pieces that make up an example, such as a number, its lines and a translation in paragraphs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from pairwright.documents.flowing.pieces import TextPiece
from pairwright.documents.interlinear.finder import FoundExample
from pairwright.documents.interlinear.lines import (
    MAX_LINES,
    begins_example,
    begins_part,
    find_in_lines,
    find_unnumbered_lines,
    read_cells,
    read_tiers_of_words,
)
from pairwright.languages.conventions import Conventions

# How many pieces after its first one an example may reach, and how near its translation must be.
AHEAD, NEAR = 24, 5
LISTED = re.compile(r"^(?P<number>\d{1,4})[.)]\s+(?P<rest>\S.*)$")


def example_piece(found: FoundExample, line: int, page: int = 1, number: str = "") -> TextPiece:
    """A numbered or glossed example; `number` is its number in a list, such as `(3)` or `3.`."""
    gloss = found.gloss
    if number and gloss.number is None:
        gloss = gloss.model_copy(update={"number": number.strip("()."), "raw": f"{number} {gloss.raw}"})
    return TextPiece("gloss" if found.interlinear else "example", gloss.raw, line, gloss=gloss, page=page)


def with_examples(pieces: Iterable[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    """Pieces in order, in which those that make up an example have become one, and captions are known."""
    # A paragraph that may be only the number of the example after it.
    held: TextPiece | None = None
    for piece in _captioned(list(_with_read_examples(list(pieces), conventions)), conventions):
        number = conventions.number(held.text) if held else None
        if held and number and piece.gloss is not None and piece.gloss.number is None:
            raw = f"{held.text} {piece.gloss.raw}"
            gloss = piece.gloss.model_copy(update={"number": number, "raw": raw})
            piece = replace(piece, text=raw, line=held.line, gloss=gloss)
        elif held:
            yield held
        held = piece if piece.kind == "paragraph" and conventions.number(piece.text) else None
        if held is None:
            yield piece
    if held:
        yield held


def _captioned(pieces: Sequence[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    for index, piece in enumerate(pieces):
        beside = any(other.kind == "table" for other in pieces[max(0, index - 1) : index + 2])
        marked = beside and re.match(r"^(?:Table)?: +\S", piece.text) is not None
        short = len(piece.text) < 300 and (beside or piece.text[-1:] != ".")
        is_caption = piece.kind == "paragraph" and (marked or (short and conventions.caption.match(piece.text)))
        yield replace(piece, kind="caption") if is_caption else piece


def _with_read_examples(pieces: list[TextPiece], conventions: Conventions) -> Iterator[TextPiece]:
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        if piece.kind == "table" and piece.cells:
            found = read_cells(piece.cell_rows or piece.cells, conventions, marked=piece.marked)
            yield example_piece(found, piece.line, piece.page) if found else piece
        elif piece.tiers and (found := _marked_up(piece, conventions)):
            yield example_piece(found, piece.line, piece.page, piece.number)
        elif piece.kind in {"paragraph", "list_item", "footnote"} and piece.lines:
            n_taken, rest, made = _read_lines(piece, pieces[index : index + AHEAD], conventions)
            yield from made
            index += n_taken
            if rest is not None:
                index -= 1
                pieces[index] = rest
        else:
            yield piece


def _marked_up(piece: TextPiece, conventions: Conventions) -> FoundExample | None:
    """The glossed example whose lines the document marks up as such."""
    if not begins_example(piece.lines[0], conventions):
        return read_tiers_of_words(piece.tiers, "\n".join(piece.lines), conventions)
    found = find_in_lines(piece.lines, conventions, apart=True, marked=True)
    return found if found and found.interlinear and found.n_rows == len(piece.lines) else None


def _read_lines(
    piece: TextPiece, ahead: Sequence[TextPiece], conventions: Conventions
) -> tuple[int, TextPiece | None, list[TextPiece]]:
    """Reads the examples of a piece of lines.

    Returns how many of the pieces after it they use up, what is left of the last of these, and the pieces made.
    """
    made: list[TextPiece] = []
    begin = at = 0
    while at < len(piece.lines):
        found, more = _read_numbered(piece, at, ahead, conventions, apart=at == begin)
        if found is None:
            at += 1
            continue
        made += [_between(piece, begin, at)] if begin < at else []
        made.append(example_piece(found, piece.numbers[at] if piece.numbers else piece.line, piece.page))
        begin = at = at + found.n_rows
        if at > len(piece.lines):
            n_taken, rest = _used_up(more, at - len(piece.lines))
            return n_taken, rest, made
    if begin < at:
        left = _between(piece, begin, at) if begin else piece
        listed = _read_listed(left, conventions)
        made.append(example_piece(listed, left.line, left.page) if listed else left)
    return 0, None, made


def _used_up(more: Sequence[TextPiece], n_lines: int) -> tuple[int, TextPiece | None]:
    """The number of pieces that `n_lines` lines fill, and the rest of the last of them."""
    for index, piece in enumerate(more):
        if n_lines < len(piece.lines):
            return index + 1, _between(piece, n_lines, len(piece.lines))
        n_lines -= len(piece.lines)
        if n_lines == 0:
            return index + 1, None
    return len(more), None


def _read_listed(piece: TextPiece, conventions: Conventions) -> FoundExample | None:
    """A glossed example that fills a piece without a bracketed number; an item of a numbered list lends its number."""
    match = LISTED.match(piece.lines[0])
    if not match:
        return find_unnumbered_lines(piece.lines, conventions)
    label = conventions.examples.number[0].replace("{n}", match["number"])
    found = find_in_lines([f"{label} {match['rest']}", *piece.lines[1:]], conventions, apart=True)
    return found if found is not None and found.interlinear and found.n_rows == len(piece.lines) else None


def _read_numbered(
    piece: TextPiece, start: int, ahead: Sequence[TextPiece], conventions: Conventions, *, apart: bool
) -> tuple[FoundExample | None, list[TextPiece]]:
    """The example that begins with line `start` of a piece, and the pieces after it in which it may go on."""
    if not begins_example(piece.lines[start], conventions):
        return None, []
    own = list(piece.lines[start : start + MAX_LINES])
    last = start + len(own) == len(piece.lines)
    more = _continuation(own, ahead, conventions) if piece.kind == "paragraph" and last else []
    lines = own + [line for other in more for line in other.lines]
    found = find_in_lines(lines, conventions, apart=apart, marked=piece.marked)
    if found is not None and not found.interlinear and not found.gloss.parts and found.n_rows > len(own):
        found = find_in_lines(own, conventions, apart=apart, marked=piece.marked)
    if found is not None and piece.kind != "paragraph" and not found.interlinear:
        return None, []
    return found, more


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
