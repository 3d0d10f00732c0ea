"""Cuts a page into pieces in reading order: headings, paragraphs, examples, tables, captions, footnotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pairwright.ingest.examples.finder import CAPTION, FoundExample, find_example, find_unnumbered
from pairwright.ingest.layout.furniture import FoundFootnote, gaps, split_footnotes, without_furniture
from pairwright.ingest.layout.headings import find_heading
from pairwright.ingest.layout.hyphens import join_rows
from pairwright.ingest.layout.side_notes import KEPT, SideNotes, hangs, split_side_notes
from pairwright.ingest.layout.tables import FoundTable, find_unruled, ruled_tables, words_inside
from pairwright.ingest.page.data import BBox, OutlineEntry, PageData, Profile, union
from pairwright.ingest.page.profile import PAGE_NUMBER, is_contents, without_digits
from pairwright.ingest.page.rows import Row, TextColumn, columns, rows
from pairwright.records import BlockKind, Gloss

BULLETS = frozenset("•●◦▪■‣∙○–—")
LIST_NUMBER = re.compile(r"^(?:\d{1,2}[.)]|\(\d{1,2}\)|[a-z][.)]|\([a-z]\)|[ivx]{1,5}[.)]|\([ivx]{1,5}\))$")
# A paragraph ends where the next row is farther than this part of the leading, or its size differs by this share.
STEPS, MEASURED_STEPS = (1.32, 0.12), (1.55, 0.2)
SENTENCE_END = '.!?:…”’"»'


@dataclass(frozen=True)
class PagePiece:
    """What will be a block: all of it but its id, source and section.

    open_start  whether it may go on from the page before: the page's first text, or a bare letter of an example
    """

    kind: BlockKind
    text: str
    box: BBox
    level: int | None = None
    table: FoundTable | None = None
    gloss: Gloss | None = None
    open_start: bool = False


def read_pieces(page: PageData, profile: Profile) -> list[PagePiece]:
    """The pieces of a page in reading order, with boxes on the upright page. The same page gives the same pieces."""
    body = without_furniture(rows(page.runs), profile, page.height)
    if page.number not in profile.contents and is_contents(body):
        profile = replace(profile, contents=profile.contents | {page.number})
    margins = split_side_notes(body) if page.measured else SideNotes(body, [])
    body = margins.rows
    tables = ruled_tables(body, page.rules)
    outside = [row for row in (_outside(row, tables) for row in body) if row is not None]
    pieces: list[PagePiece] = []
    footnotes: list[PagePiece] = []
    waiting = list(tables)
    flow_columns = columns(outside)
    targets = [entry for entry in profile.outline if entry.page == page.number]
    for number, column in enumerate(flow_columns):
        main, notes = split_footnotes(column, page.rules, profile)
        last = number == len(flow_columns) - 1
        here = [table for table in waiting if last or _belongs(table, column)]
        waiting = [table for table in waiting if table not in here]
        state = _Flow(page, profile, main, here, targets, first=number == 0)
        pieces += state.pieces()
        footnotes += [piece for note in notes for piece in _note_pieces(note, column, profile)]
    pieces += [_table_piece(table) for table in waiting]
    notes_beside = [_piece("paragraph", join_rows(note, profile), note) for note in margins.notes]
    return [*pieces, *footnotes, *notes_beside, *_rotated_pieces(page, profile)]


def _piece(
    kind: BlockKind, text: str, members: Sequence[Row], level: int | None = None, open_start: bool = False
) -> PagePiece:
    return PagePiece(kind, text, union([row.box for row in members]), level, open_start=open_start)


def _rotated_pieces(page: PageData, profile: Profile) -> list[PagePiece]:
    """What runs in another direction, without the running head and number of a page that is turned."""
    kept = [
        item
        for item in page.rotated
        if not (PAGE_NUMBER.match(item.text) or without_digits(item.text) in profile.heads)
    ]
    return [PagePiece(kind="paragraph", text=item.text, box=item.box) for item in kept]


def _outside(row: Row, tables: Sequence[FoundTable]) -> Row | None:
    """A row without the words that stand in tables; None where none is left."""
    inside = {id(word) for table in tables for word in words_inside(row, table.box)}
    if not inside:
        return row
    words = tuple(word for word in row.words if id(word) not in inside)
    return Row(words) if words else None


def _belongs(table: FoundTable, column: TextColumn) -> bool:
    middle = (table.box[0] + table.box[2]) / 2
    bottom = column.rows[-1].baseline
    return column.left - 6 <= middle <= column.right + 6 and table.box[1] < bottom


def _table_piece(table: FoundTable) -> PagePiece:
    text = "\n".join("\t".join(row) for row in table.cells)
    return PagePiece(kind="table", text=text, box=table.box, table=table)


def _note_pieces(note: FoundFootnote, column: TextColumn, profile: Profile) -> Iterator[PagePiece]:
    """A footnote, and the numbered examples in it as pieces of their own."""
    left = min(row.x0 for row in note.rows)
    spaces = gaps(note.rows)
    index = begin = 0
    while index < len(note.rows):
        example = find_example(note.rows[index:], profile, left, column.right, spaces[index], orphans=False)
        if example is None or not example.interlinear:
            index += 1
            continue
        if begin < index:
            yield _footnote(note, begin, index, profile)
        begin = index + example.n_rows
        yield _example_piece(example, note.rows[index:begin])
        index = begin
    if begin < index:
        yield _footnote(note, begin, index, profile)


def _footnote(note: FoundFootnote, start: int, end: int, profile: Profile) -> PagePiece:
    mark = "" if start else note.mark
    text = f"{mark} {join_rows(note.rows[start:end], profile)}".strip()
    return _piece("footnote", text, note.rows[start:end], open_start=not mark)


def _example_piece(found: FoundExample, members: Sequence[Row], open_start: bool = False) -> PagePiece:
    return PagePiece(
        kind="gloss" if found.interlinear else "example",
        text=found.gloss.raw or "\n".join(row.text for row in members),
        box=union([row.box for row in members]),
        gloss=found.gloss,
        open_start=open_start,
    )


@dataclass
class _Flow:
    """Walks down one column and cuts it into pieces."""

    page: PageData
    profile: Profile
    column: TextColumn
    tables: list[FoundTable]
    targets: list[OutlineEntry]
    first: bool
    spaces: list[float] = field(init=False)
    read: list[PagePiece] = field(default_factory=list, init=False)
    pending: Row | None = field(default=None, init=False)
    hanging: bool = field(default=False, init=False)
    listed_until: float = field(default=-1.0, init=False)

    def __post_init__(self) -> None:
        self.spaces = gaps(self.column.rows)
        self.hanging = hangs(self.column)
        self.tables.sort(key=lambda table: table.box[1])

    def pieces(self) -> list[PagePiece]:
        members = list(self.column.rows)
        index = 0
        while index < len(members):
            while self.tables and self.tables[0].box[1] < members[index].baseline:
                self.read.append(_table_piece(self.tables.pop(0)))
            stop = self.tables[0].box[1] if self.tables else float("inf")
            upcoming = members[index:]
            limit = next((n for n, row in enumerate(upcoming) if row.baseline > stop), len(upcoming))
            index += self._take(upcoming[: max(limit, 1)], self.spaces[index])
            if self.pending is not None:
                rest, self.pending = self.pending, None
                index -= 1
                members[index] = rest
        self.read += [_table_piece(table) for table in self.tables]
        return self.read

    def _take(self, upcoming: Sequence[Row], gap: float) -> int:
        """Adds the piece that begins the rows; returns how many rows it fills."""
        for reader in (self._heading, self._caption, self._example, self._list_item, self._table, self._line):
            n_rows = reader(upcoming, gap)
            if n_rows:
                return n_rows
        return self._paragraph(upcoming)

    def _heading(self, upcoming: Sequence[Row], gap: float) -> int:
        heading = find_heading(upcoming, self.profile, self.targets, self.page.number, gap)
        if heading is None:
            return 0
        self.read.append(_piece("heading", heading.text, upcoming[: heading.n_rows], level=heading.level))
        self.pending = heading.rest
        return heading.n_rows

    def _is_caption(self, row: Row, gap: float) -> bool:
        """Whether a row begins a caption: not a line of a paragraph that happens to begin with `Table 6.7.`"""
        apart = gap > 1.15 * self.profile.leading or row.size < 0.96 * self.profile.body_size
        return apart and CAPTION.match(row.text) is not None

    def _caption(self, upcoming: Sequence[Row], gap: float) -> int:
        if not self._is_caption(upcoming[0], gap):
            return 0
        n_rows = 1
        limit = 1.2 * max(upcoming[0].size * 1.2, 0.9 * self.profile.leading)
        while n_rows < len(upcoming):
            row, before = upcoming[n_rows], upcoming[n_rows - 1]
            far = row.baseline - before.baseline > limit or abs(row.size - before.size) > 0.6
            if far or len(row.cells) > 1 or before.x1 < row.x1 - 60 or n_rows > 5:
                break
            n_rows += 1
        self.read.append(_piece("caption", join_rows(upcoming[:n_rows], self.profile), upcoming[:n_rows]))
        return n_rows

    def _example(self, upcoming: Sequence[Row], gap: float) -> int:
        edges = self.column.left, self.column.right
        orphans = self.first and not any(piece.kind in {"paragraph", "heading"} for piece in self.read)
        found = find_example(upcoming, self.profile, *edges, gap, orphans) or find_unnumbered(
            upcoming, self.profile, *edges
        )
        if found is None:
            return 0
        continues = orphans and found.gloss.number is None
        self.read.append(_example_piece(found, upcoming[: found.n_rows], continues))
        return found.n_rows

    def _table(self, upcoming: Sequence[Row], gap: float) -> int:
        if len(upcoming[0].cells) < 2:
            return 0
        captioned = bool(self.read) and self.read[-1].kind == "caption"
        found = find_unruled(upcoming, self.profile, captioned)
        if found is None:
            return 0
        self.read.append(_table_piece(found[1]))
        return found[0]

    def _list_item(self, upcoming: Sequence[Row], gap: float) -> int:
        row = upcoming[0]
        first = row.words[0].text
        bullet = first in BULLETS and len(row.words) > 1
        numbered = LIST_NUMBER.match(first) is not None and len(row.words) > 1 and len(row.cells) <= 2
        if not bullet and not numbered:
            return 0
        content = row.words[1].x0
        hangs = len(upcoming) > 1 and abs(upcoming[1].x0 - content) < 2
        if (
            numbered
            and not hangs
            and not (
                row.x0 > self.column.left + 4
                and LIST_NUMBER.match(upcoming[-1 if len(upcoming) < 2 else 1].words[0].text)
            )
        ):
            return 0
        n_rows = 1
        while n_rows < len(upcoming) and abs(upcoming[n_rows].x0 - content) < 2.5 and self._near(upcoming, n_rows):
            n_rows += 1
        text = join_rows(upcoming[:n_rows], self.profile)
        self.read.append(_piece("list_item", text[len(first) :].strip() if bullet else text, upcoming[:n_rows]))
        return n_rows

    def _line(self, upcoming: Sequence[Row], gap: float) -> int:
        """An entry of a list of lines, such as a word list, with the rows that hang below it."""
        row = upcoming[0]
        if row.baseline > self.listed_until:
            end = self._end_of_lines(upcoming)
            if end is None:
                return 0
            self.listed_until = end
        n_rows = 1
        while n_rows < len(upcoming) and upcoming[n_rows].baseline <= self.listed_until:
            if upcoming[n_rows].x0 < row.x0 + 4:
                break
            n_rows += 1
        self.read.append(_piece("list_item", join_rows(upcoming[:n_rows], self.profile), upcoming[:n_rows]))
        return n_rows

    def _end_of_lines(self, upcoming: Sequence[Row]) -> float | None:
        """The baseline of the last of the rows that are a list of lines, None where they are none.

        In a paragraph the first word of a row never fits on the row before; in a list it mostly does.
        """
        n_rows = 1
        while n_rows < len(upcoming) and self._near(upcoming, n_rows) and _is_like(upcoming[0], upcoming[n_rows]):
            n_rows += 1
        run = upcoming[:n_rows]
        right = max(row.x1 for row in run)
        room = [right - one.x1 > two.words[0].x1 - two.x0 + 0.5 * two.size for one, two in pairwise(run)]
        hangs = [two.x0 > run[0].x0 + 4 for two in run[1:]]
        # What hangs goes on from a full row; rows set apart by tabs are a table.
        odd = any(free and under for free, under in zip(room, hangs, strict=True))
        if n_rows < 5 or odd or sum(room) <= 0.6 * len(room) or sum(len(row.cells) > 1 for row in run) > 0.3 * n_rows:
            return None
        return run[-1].baseline

    def _near(self, upcoming: Sequence[Row], index: int) -> bool:
        return upcoming[index].baseline - upcoming[index - 1].baseline < 1.3 * self.profile.leading

    def _paragraph(self, upcoming: Sequence[Row]) -> int:
        n_rows = 1
        while n_rows < len(upcoming) and not self._begins(upcoming, n_rows):
            n_rows += 1
        first_text = self.first and not any(piece.kind == "paragraph" for piece in self.read)
        indented = upcoming[0].x0 > self.column.left + 4
        text = join_rows(upcoming[:n_rows], self.profile)
        self.read.append(_piece("paragraph", text, upcoming[:n_rows], open_start=first_text and not indented))
        return n_rows

    def _begins(self, upcoming: Sequence[Row], index: int) -> bool:
        """Whether the row at `index` begins something new after a paragraph's row."""
        row, before = upcoming[index], upcoming[index - 1]
        gap = row.baseline - before.baseline
        usual = max(self.profile.leading * before.size / self.profile.body_size, 1.05 * before.size)
        wider, other = MEASURED_STEPS if self.page.measured else STEPS
        if gap > wider * usual or gap < 0 or (abs(row.size - before.size) > other * before.size and len(row.text) > 3):
            return True
        if self._indents(upcoming, index) or self._short(before, row):
            return True
        rest = upcoming[index:]
        if row.words[0].text in BULLETS or self._is_caption(row, gap):
            return True
        if find_heading(rest, self.profile, self.targets, self.page.number, gap):
            return True
        if before.text[-1] in ".:" and self._end_of_lines(rest) is not None:
            return True
        return self._example_begins(rest, gap)

    def _example_begins(self, rest: Sequence[Row], gap: float) -> bool:
        if rest[0].words[0].text[0] not in "([*?#":
            return False
        return find_example(rest, self.profile, self.column.left, self.column.right, gap, orphans=False) is not None

    def _indents(self, upcoming: Sequence[Row], index: int) -> bool:
        row, before = upcoming[index], upcoming[index - 1]
        step = 0.5 * self.profile.body_size
        if self.page.measured and KEPT.match(row.words[0].text) and row.x0 < before.x0 - step:
            return True
        if self.hanging:
            return row.x0 < before.x0 - step or (
                row.x0 < self.column.left + step and before.x0 < self.column.left + step
            )
        goes_on = before.text[-1] in "-‐" and row.text[0].islower() and before.x1 > self.column.right - step
        return row.x0 > before.x0 + step and (index > 1 or before.x0 <= self.column.left + 1.5) and not goes_on

    def _short(self, before: Row, row: Row) -> bool:
        """Whether the row before leaves room for the next row's first word: much room, or some at a sentence's end."""
        room = self.column.right - before.x1 - (row.words[0].x1 - row.words[0].x0)
        ended = before.text[-1] in SENTENCE_END and room > 3.5 * row.size
        # Words of a script that OCR can't read are missing from a row.
        early = room > 0.3 * (self.column.right - self.column.left) and len(before.text) > 2 and not self.page.measured
        return ended or early or self._centred(before, row)

    def _centred(self, before: Row, row: Row) -> bool:
        """Whether two rows are centred one under the other, as titles are."""
        inner = self.column.left + 2 * row.size
        same = abs(before.x0 + before.x1 - row.x0 - row.x1) < 4
        return same and min(before.x0, row.x0) > inner and abs(before.x0 - row.x0) > 2 * row.size


def _is_like(first: Row, row: Row) -> bool:
    """Whether a row can be an entry of the list of lines that `first` begins, or hang below one."""
    return abs(row.size - first.size) <= 0.6 and row.x0 > first.x0 - 2 and row.words[0].text not in BULLETS
