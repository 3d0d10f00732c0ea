"""Pieces of a grammar without page places, and the examples, captions and numbers that several of them make up."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pairwright.ingest.examples.finder import CAPTION, EXAMPLE_NUMBER, FoundExample
from pairwright.ingest.examples.text_examples import (
    MAX_LINES,
    begins_example,
    begins_part,
    find_in_lines,
    find_unnumbered_lines,
    read_cells,
)
from pairwright.ingest.examples.translation import CLOSED, OPENING
from pairwright.ingest.text.error_list import Inline, Piece
from pairwright.records import BlockKind, Gloss

AHEAD, NEAR = 24, 5
LISTED = re.compile(r"^(?P<number>\d{1,4})[.)]\s+(?P<rest>\S.*)$")


@dataclass
class GrammarPiece(Piece):
    """A block before it has an id.

    lines        its lines as they stand in the document, white space kept; empty for headings and tables
    numbers      the line of the document on which each of `lines` stands; empty where that is not known
    joint        what joins them in `text`: a space where the writer only wrapped them, else a line end
    marked       whether the document sets it off as an example: code, italics, or a name such as class="gloss"
    cell_rows    a table's rows with the lines inside its cells apart, where that differs from `cells`
    """

    lines: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    joint: str = " "
    marked: bool = False
    header_rows: int = 0
    cell_rows: tuple[tuple[str, ...], ...] | None = None
    gloss: Gloss | None = None
    page: int = 1


def of_lines(
    kind: BlockKind, lines: Sequence[str], line: int, *, joint: str = " ", marked: bool = False
) -> GrammarPiece:
    """A piece of text lines that follow each other, without emphasis; their inner white space is for examples only."""
    text = joint.join(" ".join(each.split()) for each in lines)
    numbers = tuple(range(line, line + len(lines)))
    return GrammarPiece(kind, text, line, lines=tuple(lines), numbers=numbers, joint=joint, marked=marked)


def of_example(found: FoundExample, line: int, page: int, number: str = "") -> GrammarPiece:
    """A numbered or glossed example; `number` is what a list gives it, such as `(3)` or `3.`."""
    kind: BlockKind = "gloss" if found.interlinear else "example"
    gloss = found.gloss
    if number and gloss.number is None:
        gloss = gloss.model_copy(update={"number": number.strip("()."), "raw": f"{number} {gloss.raw}"})
    return GrammarPiece(kind, gloss.raw, line, gloss=gloss, page=page)


def of_cells(rows: Sequence[Sequence[str]], lines: Sequence[int], header_rows: int) -> GrammarPiece:
    """A table; its text has tabs between cells and a line a row."""
    cells = tuple(tuple(" ".join(cell.split()) for cell in row) for row in rows)
    text = "\n".join("\t".join(row) for row in cells)
    return GrammarPiece("table", text, lines[0], cells=cells, row_lines=tuple(lines), header_rows=header_rows)


def with_examples(pieces: Iterable[GrammarPiece]) -> Iterator[GrammarPiece]:
    """Pieces in order, in which those that make up an example have become one, and captions are known."""
    held: GrammarPiece | None = None
    for piece in _captioned(list(_found(list(pieces)))):
        if held is not None and piece.gloss is not None and piece.gloss.number is None:
            piece = _numbered(held, piece)
        elif held is not None:
            yield held
        held = piece if piece.kind == "paragraph" and EXAMPLE_NUMBER.match(piece.text) else None
        if held is None:
            yield piece
    if held is not None:
        yield held


def _numbered(number: GrammarPiece, piece: GrammarPiece) -> GrammarPiece:
    """An example whose number stands in a paragraph of its own before it."""
    match = EXAMPLE_NUMBER.match(number.text)
    if match is None or piece.gloss is None:
        return piece
    raw = f"{number.text} {piece.gloss.raw}"
    gloss = piece.gloss.model_copy(update={"number": match["number"], "raw": raw})
    return replace(piece, text=raw, line=number.line, gloss=gloss)


def _captioned(pieces: Sequence[GrammarPiece]) -> Iterator[GrammarPiece]:
    for index, piece in enumerate(pieces):
        beside = any(other.kind == "table" for other in pieces[max(0, index - 1) : index + 2])
        marked = beside and re.match(r"^(?:Table)?: +\S", piece.text) is not None
        short = len(piece.text) < 300 and (beside or piece.text[-1:] != ".")
        if piece.kind == "paragraph" and (marked or (short and CAPTION.match(piece.text))):
            yield replace(piece, kind="caption")
        else:
            yield piece


def _found(pieces: list[GrammarPiece]) -> Iterator[GrammarPiece]:
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        if piece.kind == "table" and piece.cells:
            found = read_cells(piece.cell_rows or piece.cells, marked=piece.marked)
            yield of_example(found, piece.line, piece.page) if found else piece
        elif piece.kind in {"paragraph", "list_item", "footnote"} and piece.lines:
            n_taken, rest, made = _read_lines(piece, pieces[index : index + AHEAD])
            yield from made
            index += n_taken
            if rest is not None:
                index -= 1
                pieces[index] = rest
        else:
            yield piece


Taken = tuple[int, GrammarPiece | None, list[GrammarPiece]]


def _read_lines(piece: GrammarPiece, ahead: Sequence[GrammarPiece]) -> Taken:
    """What a piece of lines gives: how many pieces after it are used up, what is left of the last, the result."""
    cut = _Cut(piece)
    made: list[GrammarPiece] = []
    begin = at = 0
    while at < len(piece.lines):
        found, more = _read_numbered(piece, at, ahead, apart=at == begin)
        if found is None:
            at += 1
            continue
        made += [cut.between(begin, at)] if begin < at else []
        made.append(of_example(found, line_of(piece, at), piece.page))
        begin = at = at + found.n_rows
        if at > len(piece.lines):
            n_taken, rest = _used_up(more, at - len(piece.lines))
            return n_taken, rest, made
    if begin < at:
        left = cut.between(begin, at) if begin else piece
        listed = _read_listed(left)
        made.append(of_example(listed, left.line, left.page) if listed else left)
    return 0, None, made


def _used_up(more: Sequence[GrammarPiece], n_lines: int) -> tuple[int, GrammarPiece | None]:
    """How many pieces so many lines fill, and what is left of the last of them."""
    for index, piece in enumerate(more):
        if n_lines < len(piece.lines):
            return index + 1, _Cut(piece).between(n_lines, len(piece.lines))
        n_lines -= len(piece.lines)
        if n_lines == 0:
            return index + 1, None
    return len(more), None


def _read_listed(piece: GrammarPiece) -> FoundExample | None:
    """A glossed example that fills a piece without a bracketed number; an item of a numbered list lends its number."""
    match = LISTED.match(piece.lines[0])
    if not match:
        return find_unnumbered_lines(piece.lines)
    found = find_in_lines([f"({match['number']}) {match['rest']}", *piece.lines[1:]], apart=True)
    return found if found is not None and found.interlinear and found.n_rows == len(piece.lines) else None


def _read_numbered(
    piece: GrammarPiece, start: int, ahead: Sequence[GrammarPiece], *, apart: bool
) -> tuple[FoundExample | None, list[GrammarPiece]]:
    """The example that begins with line `start` of a piece, and the pieces after it in which it may go on."""
    if not begins_example(piece.lines[start]):
        return None, []
    own = list(piece.lines[start : start + MAX_LINES])
    last = start + len(own) == len(piece.lines)
    more = _going_on(own, ahead) if piece.kind == "paragraph" and last else []
    lines = own + [line for other in more for line in other.lines]
    found = find_in_lines(lines, apart=apart, marked=piece.marked)
    if found is not None and not found.interlinear and not found.gloss.parts and found.n_rows > len(own):
        found = find_in_lines(own, apart=apart, marked=piece.marked)
    if found is not None and piece.kind != "paragraph" and not found.interlinear:
        return None, []
    return found, more


def _going_on(own: Sequence[str], ahead: Sequence[GrammarPiece]) -> list[GrammarPiece]:
    """The pieces after the first lines of an example that may belong to it: parts, translations, lines in paragraphs
    of their own."""
    found: list[GrammarPiece] = []
    for index, piece in enumerate(ahead):
        if piece.kind != "paragraph" or not piece.lines or begins_example(piece.lines[0]):
            break
        first = piece.lines[0].strip()
        lone = len(piece.lines) == 1 and (len(own) == 1 or len(found) > 0)
        within = lone and (piece.lines[0].startswith("\t") or _translation_near(ahead[index : index + NEAR]))
        if not (begins_part(first) or first[0] in OPENING or within):
            break
        found.append(piece)
    return found


def _translation_near(ahead: Sequence[GrammarPiece]) -> bool:
    """Whether a paragraph that is only a quotation follows paragraphs of one line."""
    for piece in ahead:
        if piece.kind != "paragraph" or len(piece.lines) != 1:
            return False
        if piece.text[0] in OPENING and CLOSED.search(piece.text):
            return True
    return False


def line_of(piece: GrammarPiece, index: int) -> int:
    """The line of the document on which line `index` of a piece stands; where that is not known, its first."""
    return piece.numbers[index] if piece.numbers else piece.line


class _Cut:
    """Cuts a piece between its lines; its emphasis goes with the words."""

    def __init__(self, piece: GrammarPiece) -> None:
        self.piece = piece
        self.texts = [" ".join(line.split()) for line in piece.lines]
        self.starts = [0, *accumulate(len(text) + len(piece.joint) for text in self.texts)]
        self.spans = piece.emphasis if piece.text == piece.joint.join(self.texts) else ()

    def between(self, start: int, end: int) -> GrammarPiece:
        text = self.piece.joint.join(self.texts[start:end])
        spans = ((max(a - self.starts[start], 0), min(b - self.starts[start], len(text))) for a, b in self.spans)
        return replace(
            self.piece,
            text=text,
            line=line_of(self.piece, start),
            lines=self.piece.lines[start:end],
            numbers=self.piece.numbers[start:end],
            emphasis=tuple((a, b) for a, b in spans if a < b),
        )


def is_set_off(text: str, inline: Inline) -> bool:
    """Whether all words behind an example's number are in italics or bold."""
    first = text.split(maxsplit=1)
    if len(first) < 2 or len(inline.emphasis) != 1:
        return False
    start, end = inline.emphasis[0]
    return " ".join(inline.text[start:end].split()).strip(".") == first[1].strip(".")


def emphasis_in(text: str, inline: Inline) -> tuple[tuple[int, int], ...]:
    """The spans of emphasis of collected text in a text that ends with the same words, its white space squeezed."""
    places: list[int] = []
    length, gap = 0, False
    for char in inline.text:
        if char.isspace():
            gap = length > 0
        else:
            length, gap = length + gap, False
        places.append(length)
        length += not char.isspace()
    spans = []
    for start, end in inline.emphasis:
        words = " ".join(inline.text[start:end].split())
        first = start + len(inline.text[start:end]) - len(inline.text[start:end].lstrip())
        at = places[first] + len(text) - length if words else 0
        if words and text[max(at, 0) : at + len(words)].replace("\n", " ") == words:
            spans.append((at, at + len(words)))
    return tuple(spans)
