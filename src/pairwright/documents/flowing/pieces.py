"""Pieces of text documents, which become blocks, and how readers of the formats make them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BufferedReader
from itertools import accumulate
from pathlib import Path

from pairwright.core.errors import SourceError
from pairwright.core.records import BlockKind, Gloss, Source
from pairwright.core.text import decode, nfc

# The most cells of a table: a merged cell can claim any number of them.
MAX_CELLS = 1_000_000
# The most lines of a piece whose columns count.
MAX_LINES = 300


def checked_hash(file: BufferedReader, path: Path, name: str, source: Source) -> str:
    """The SHA-256 of an opened document. Raises SourceError where it is not the one that its source describes."""
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if any(item.path == name and item.sha256 != sha256 for item in source.files):
        raise SourceError(f"{path}: the file has changed since it was looked at; run again")
    file.seek(0)
    return sha256


def decode_text(path: Path, data: bytes, encoding: str = "utf-8") -> str:
    """The text of a document in NFC with `\\n` line ends and plain spaces for no-break ones.

    A byte-order mark decides over `encoding`. Raises SourceError as `decode`.
    """
    remedy = ', or say its encoding (--encoding cp1257, or encoding = "cp1257" in source.toml)'
    return nfc(decode(path, data, [encoding], remedy).replace("\r\n", "\n").replace("\r", "\n"))


@dataclass(frozen=True)
class TextPiece:
    """A block before it has an id.

    line         the line of the document on which it begins, from 1
    lines        its lines as they stand in the document, white space kept; empty for headings and tables
    numbers      the line of the document on which each of `lines` stands; empty where that is not known
    joint        what joins them in `text`: a space where the writer only wrapped them, else a line end
    emphasis     the spans of `text` in bold or italics, as (start, end)
    marked       whether the document sets it off as an example: as code, or in italics
    cells        a table's rows; `row_lines` are their lines in the document
    """

    kind: BlockKind
    text: str
    line: int
    level: int | None = None
    lines: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    joint: str = " "
    emphasis: tuple[tuple[int, int], ...] = ()
    marked: bool = False
    cells: tuple[tuple[str, ...], ...] | None = None
    row_lines: tuple[int, ...] = ()
    header_rows: int = 0
    gloss: Gloss | None = None


@dataclass
class Inline:
    """Running text while it is collected, with the spans that are set in bold or italics."""

    text: str = ""
    emphasis: list[tuple[int, int]] = field(default_factory=list)
    open_at: list[int] = field(default_factory=list)

    def begin_emphasis(self) -> None:
        self.open_at.append(len(self.text))

    def end_emphasis(self) -> None:
        start = self.open_at.pop()
        if self.text[start:].strip():
            self.emphasis.append((start, len(self.text)))

    def add(self, other: "Inline") -> None:
        """Adds a text behind this one."""
        self.emphasis += [(len(self.text) + start, len(self.text) + end) for start, end in other.emphasis]
        self.text += other.text

    @property
    def lines(self) -> list[str]:
        """The lines that are not empty, without white space at their ends."""
        return [line.rstrip() for line in self.text.split("\n") if line.strip()]


def of_lines(
    kind: BlockKind,
    lines: Sequence[str],
    line: int,
    *,
    joint: str = "\n",
    numbers: Sequence[int] | None = None,
    inline: Inline | None = None,
    marked: bool = False,
) -> TextPiece:
    """A piece of text lines. They stand on `line` and those after it, unless `numbers` says otherwise.

    `inline` is the text before it was cut into lines: the piece takes over its emphasis, and is marked as an example
    where all words behind its number are in italics or bold.
    """
    text = joint.join(" ".join(each.split()) for each in lines)
    numbers = tuple(range(line, line + len(lines)) if numbers is None else numbers)
    emphasis = emphasis_in(text, inline) if inline else ()
    first = text.split(maxsplit=1)
    if inline and len(inline.emphasis) == 1 and len(first) == 2:
        start, end = inline.emphasis[0]
        marked = marked or " ".join(inline.text[start:end].split()).strip(".") == first[1].strip(".")
    return TextPiece(kind, text, line, None, tuple(lines), numbers, joint, emphasis, marked)


def heading(text: str, line: int, level: int | None) -> TextPiece:
    """A heading of a level from 1, on one line."""
    return TextPiece("heading", " ".join(text.split()), line, level)


def table(
    rows: Iterable[Sequence[str]], row_lines: Sequence[int], header_rows: int = 0, inline: Inline | None = None
) -> TextPiece:
    """A table of cells; its text has tabs between cells and a line a row, of which `row_lines` are the lines.

    `inline` is the text of all cells, one behind the other, of which the piece takes over the emphasis.
    """
    cells = tuple(tuple(" ".join(cell.split()) for cell in row) for row in rows)
    text, lines = "\n".join(map("\t".join, cells)), tuple(row_lines)
    emphasis = emphasis_in(text, inline) if inline else ()
    return TextPiece("table", text, lines[0], emphasis=emphasis, cells=cells, row_lines=lines, header_rows=header_rows)


def preformatted(kind: BlockKind, text: str, first_line: int) -> Iterator[TextPiece]:
    """The paragraphs of a text whose columns count, such as a block of code, as marked pieces."""
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], start=first_line):
        # The finder of columns compares each row with each other.
        if lines and (not line.strip() or len(lines) == MAX_LINES):
            yield of_lines(kind, lines, number - len(lines), marked=True)
            lines = []
        lines += [line.rstrip()] if line.strip() else []


def emphasis_in(text: str, inline: Inline) -> tuple[tuple[int, int], ...]:
    """The spans of emphasis of collected text in a text that ends with the same words, its white space squeezed."""
    shown = [at for at, char in enumerate(text) if not char.isspace()]
    # How many letters of the collected text, and those before it in the text, stand before each of its characters.
    before = list(accumulate((not char.isspace() for char in inline.text), initial=0))
    lead = len(shown) - before[-1]
    spans = ((lead + before[start], lead + before[end]) for start, end in inline.emphasis)
    return tuple((shown[first], shown[end - 1] + 1) for first, end in spans if 0 <= first < end)


def with_line_ends(piece: TextPiece) -> TextPiece:
    """The piece with the line ends of the document in its text, also where the writer only wrapped a paragraph."""
    text = "\n".join(" ".join(line.split()) for line in piece.lines)
    return replace(piece, text=text, joint="\n") if piece.lines else piece
