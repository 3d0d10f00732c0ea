"""Cuts a page into pieces in reading order: headings, paragraphs, examples, tables, figures, captions, footnotes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, takewhile

from pairwright.core.records import BlockKind, Gloss
from pairwright.documents.headings import find_heading
from pairwright.documents.interlinear.lines import find_example
from pairwright.documents.interlinear.parts import Place, named_edge, starts_translation, without_marks
from pairwright.documents.interlinear.reading import FoundExample, find_text
from pairwright.documents.lines.data import SUPERSCRIPTS, BBox, OutlineEntry, PageData, Profile, RuledLine, union
from pairwright.documents.lines.profile import PAGE_NUMBER
from pairwright.documents.lines.rows import (
    SIGNS,
    Row,
    TextColumn,
    columns,
    count_while,
    filled_rows,
    is_raised,
    join_rows,
    leading_mark,
    rows,
)
from pairwright.documents.tables.columns import FoundTable
from pairwright.documents.tables.finder import find_unruled, ruled_tables, split_sides, words_inside

BULLETS = frozenset("•●◦▪■‣∙○–—")
LIST_NUMBER = re.compile(r"^(?:\d{1,2}[.)]|\(\d{1,2}\)|[a-z][.)]|\([a-z]\)|[ivx]{1,5}[.)]|\([ivx]{1,5}\))$")
# A paragraph ends where the next row is farther than this part of the leading, or its size differs by this share.
FARTHER, OTHER_SIZE = 1.32, 0.12
# The least entries of a list without bullets.
LEAST_ENTRIES = 5
SENTENCE_END = '.!?:…”’"»'
FOOTNOTE_MARK = re.compile(r"^(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d{1,3}[.)]?|[*†‡§¶]+|[a-z])$")
# The longest label before the first row of a text, such as a footnote's mark, in characters.
LABEL = 8


@dataclass(frozen=True)
class PagePiece:
    """What will be a block: all of it but its id, source and section.

    open_start  whether it may go on from the page before: the page's first text, or a bare letter of an example
    emphasis    the character spans of running text in bold or italics
    """

    kind: BlockKind
    text: str
    box: BBox
    level: int | None = None
    table: FoundTable | None = None
    gloss: Gloss | None = None
    open_start: bool = False
    emphasis: tuple[tuple[int, int], ...] = ()


def read_pieces(page: PageData, profile: Profile) -> list[PagePiece]:
    """The pieces of a page in reading order, with boxes on the upright page. The same page gives the same pieces."""
    body = without_furniture(rows(page.runs), profile, page.height)
    waiting = [_table_piece(table) for table in ruled_tables(body, page.rules, profile)]
    in_tables = {word for row in body for table in waiting for word in words_inside(row, table.box)}
    if in_tables:
        body = filled_rows([word for word in row.words if word not in in_tables] for row in body)
    flow_columns = columns(body, profile.gutter)
    targets = [entry for entry in profile.outline if entry.page == page.number]
    pieces: list[PagePiece] = []
    notes: list[PagePiece] = []
    for number, column in enumerate(flow_columns):
        main, footnotes = split_footnotes(column, page.rules, profile)
        last, edges = number == len(flow_columns) - 1, (column.left - 6, column.right + 6)
        inside = [piece for piece in waiting if edges[0] <= (piece.box[0] + piece.box[2]) / 2 <= edges[1]]
        here = waiting if last else [piece for piece in inside if piece.box[1] < column.rows[-1].baseline]
        waiting = [piece for piece in waiting if piece not in here]
        marks = frozenset(mark for mark, _ in footnotes if mark)
        pieces += _Flow(page, profile, main, here, targets, marks, first=number == 0).pieces()
        notes += [piece for mark, note in footnotes for piece in _note_pieces(mark, note, column.right, profile)]
    return [*pieces, *waiting, *notes]


def _box(members: Sequence[Row]) -> BBox:
    return union(row.box for row in members)


def _table_piece(table: FoundTable) -> PagePiece:
    lines = [*map("\t".join, table.cells), *(note.printed for note in table.notes)]
    return PagePiece("table", "\n".join(lines), table.box, table=table)


def _note_pieces(mark: str, members: Sequence[Row], right: float, profile: Profile) -> Iterator[PagePiece]:
    """A footnote, and the numbered examples in it as pieces of their own."""
    place = Place(profile, min(row.x0 for row in members), right)
    begin = 0

    def text_until(end: int) -> Iterator[PagePiece]:
        if begin < end:
            label = "" if begin else mark
            text = f"{label} {join_rows(members[begin:end], profile)}".strip()
            spans = emphasised(members[begin:end], text)
            yield PagePiece("footnote", text, _box(members[begin:end]), open_start=not label, emphasis=spans)

    for index, gap in enumerate(gaps(members)):
        example = find_example(members[index:], place, gap, orphans=False) if index >= begin else None
        if example and example.interlinear:
            yield from text_until(index)
            begin = index + example.n_rows
            yield _example_piece(example, members[index:begin])
    yield from text_until(len(members))


def _example_piece(example: FoundExample, members: Sequence[Row], open_start: bool = False) -> PagePiece:
    kind: BlockKind = "gloss" if example.interlinear else "example"
    return PagePiece(kind, example.gloss.raw, _box(members), gloss=example.gloss, open_start=open_start)


@dataclass
class _Flow:
    """Walks down one column and cuts it into pieces."""

    page: PageData
    profile: Profile
    column: TextColumn
    floats: list[PagePiece]
    targets: list[OutlineEntry]
    marks: frozenset[str]
    first: bool
    read: list[PagePiece] = field(default_factory=list)
    rest: Row | None = None
    paragraph: list[Row] = field(default_factory=list)

    @cached_property
    def text_place(self) -> Place:
        return Place(self.profile, self.column.left, self.column.right, named_edge(self.column.rows))

    def pieces(self) -> list[PagePiece]:
        # Each adds the piece that begins the rows, if it is of its kind, and returns how many rows it fills, else 0.
        special = self._heading, self._beside, self._caption, self._example, self._list_item, self._table
        inside = self._heading, self._caption, self._example
        members = list(self.column.rows)
        spaces = gaps(members)
        index = 0
        while index < len(members):
            while self.floats and self.floats[0].box[1] < members[index].baseline:
                self._add(self.floats.pop(0), 0)
            stop = self.floats[0].box[1] if self.floats else float("inf")
            upcoming = list(takewhile(lambda row: row.baseline <= stop, members[index:]))  # noqa: B023
            if self.paragraph and self._is_apart(upcoming[0], spaces[index]):
                self._end_paragraph()
            readers = inside if self.paragraph else special
            n_rows = next(filter(None, (reader(upcoming, spaces[index]) for reader in readers)), 0)
            self.paragraph += [] if n_rows else upcoming[:1]
            index += n_rows or 1
            if self.rest is not None:
                index -= 1
                members[index], self.rest = self.rest, None
        self._end_paragraph()
        return [*self.read, *self.floats]

    def _add(self, piece: PagePiece, n_rows: int) -> int:
        self._end_paragraph()
        self.read.append(piece)
        return n_rows

    def _add_text(self, kind: BlockKind, members: Sequence[Row], text: str = "", open_start: bool = False) -> int:
        text = text or join_rows(members, self.profile)
        spans = emphasised(members, text)
        return self._add(PagePiece(kind, text, _box(members), open_start=open_start, emphasis=spans), len(members))

    def _heading(self, upcoming: Sequence[Row], gap: float) -> int:
        heading = find_heading(upcoming, self.profile, self.targets, self.page.number, gap)
        if heading is None:
            return 0
        self.rest = heading.rest
        box = _box(upcoming[: heading.n_rows])
        return self._add(PagePiece("heading", heading.text, box, heading.level), heading.n_rows)

    def _beside(self, upcoming: Sequence[Row], gap: float) -> int:
        """Tables side by side, each under a caption or number of its own."""
        sides, n_rows = split_sides(upcoming, self.profile)
        if len(sides) < 2:
            return 0
        bottom = upcoming[n_rows - 1].baseline + 2.2 * self.profile.leading
        near = [piece for piece in self.floats if piece.kind == "table" and piece.box[1] < bottom]
        pieces: list[PagePiece] = []
        for side in sides:
            captioned = self.profile.conventions.caption.match(side.rows[0].text) is not None
            below = side.rows if captioned else side.rows[1:]
            column = TextColumn(below, side.rows[0].x0, max(row.x1 for row in side.rows))
            floats = [piece for piece in near if side.left <= (piece.box[0] + piece.box[2]) / 2 < side.right]
            title = [] if captioned else [PagePiece("paragraph", side.rows[0].text, side.rows[0].box)]
            flow = _Flow(self.page, self.profile, column, floats, [], self.marks, first=False, read=title)
            read = flow.pieces()
            if not any(piece.table for piece in read):
                return 0
            pieces += read
        self.floats = [piece for piece in self.floats if piece not in near]
        self.read += pieces
        return n_rows

    def _caption(self, upcoming: Sequence[Row], gap: float) -> int:
        """A caption, and not a line of a paragraph that happens to begin with `Table 6.7.`"""
        apart = gap > 1.15 * self.profile.leading or upcoming[0].size < 0.96 * self.profile.body_size
        if not apart or not self.profile.conventions.caption.match(upcoming[0].text):
            return 0
        limit = 1.2 * max(upcoming[0].size * 1.2, 0.9 * self.profile.leading)

        def goes_on(index: int) -> bool:
            row, before = upcoming[index], upcoming[index - 1]
            near = row.baseline - before.baseline <= limit and abs(row.size - before.size) <= 0.6
            return near and len(row.cells) == 1 and before.x1 >= row.x1 - 60 and index <= 5

        return self._add_text("caption", upcoming[: count_while(upcoming, goes_on)])

    def _example(self, upcoming: Sequence[Row], gap: float) -> int:
        begun = self.paragraph or any(piece.kind in {"paragraph", "heading"} for piece in self.read)
        orphans = self.first and not begun
        bare, marks = self._bare(upcoming)
        numbered = find_example(bare, self.text_place, gap, orphans)
        # Rows below a table's caption and lists of contents are no text; a translation goes on a paragraph.
        skipped = (bool(self.read) and self.read[-1].kind == "caption") or self.page.number in self.profile.contents
        skipped = skipped or (bool(self.paragraph) and starts_translation(upcoming[0], self.profile.conventions))
        found = numbered or (None if skipped else find_text(bare, self.text_place))
        if found is None:
            return 0
        members = upcoming[: found.n_rows]
        if here := [mark for mark in marks[: found.n_rows] if mark]:
            notes = {"notes": (*found.gloss.notes, *here), "raw": "\n".join(row.text for row in members)}
            found = replace(found, gloss=found.gloss.model_copy(update=notes))
        continues = numbered is not None and orphans and found.gloss.number is None
        return self._add(_example_piece(found, members, continues), found.n_rows)

    def _bare(self, upcoming: Sequence[Row]) -> tuple[list[Row], list[str | None]]:
        """The rows as examples are read: words and glosses without the marks of footnotes, which are given beside
        them. Translations are prose, in which a mark stays."""
        if not self.marks:
            return list(upcoming), [None] * len(upcoming)
        bare: list[Row] = []
        marks: list[str | None] = []
        translated = False
        for row in upcoming:
            translated = translated or starts_translation(row, self.profile.conventions)
            kept, mark = (row, None) if translated else without_marks(row, self.marks)
            bare.append(kept)
            marks.append(mark)
            translated = translated and not self.profile.conventions.closed.search(row.text)
        return bare, marks

    def _table(self, upcoming: Sequence[Row], gap: float) -> int:
        if len(upcoming[0].cells) < 2:
            return 0
        captioned = bool(self.read) and self.read[-1].kind == "caption"
        short = captioned or self._is_short_table(upcoming, gap)
        n_rows, table = find_unruled(upcoming, self.profile, short) or (0, None)
        return self._add(_table_piece(table), n_rows) if table else 0

    def _is_short_table(self, upcoming: Sequence[Row], gap: float) -> bool:
        """Whether two rows stand apart from the text, and much white stands between their columns."""
        both, following = upcoming[:2], upcoming[2:3]
        size, white = both[0].size, 1.2 * self.profile.leading
        below = [row.baseline - both[-1].baseline for row in following]
        if len(both) < 2 or gap < white or both[0].x0 < self.column.left + size or min(below, default=white) < white:
            return False
        cells = [row.cut(size) for row in both]
        columns = list(zip(*cells, strict=False))
        aligned = all(abs(one.x0 - two.x0) < 1 for one, two in columns)
        clear = all(right[0].x0 - max(one.x1, two.x1) > 1.5 * size for (one, two), right in pairwise(columns))
        return len(columns) > 1 and len(cells[0]) == len(cells[1]) and aligned and clear

    def _list_item(self, upcoming: Sequence[Row], gap: float) -> int:
        row = upcoming[0]
        first = row.words[0].text
        bullet = first in BULLETS
        numbered = LIST_NUMBER.match(first) is not None and len(row.cells) <= 2
        if len(row.words) < 2 or not (bullet or numbered):
            return 0
        content = row.words[1].x0
        hangs = len(upcoming) > 1 and abs(upcoming[1].x0 - content) < 2
        if numbered and not hangs:
            return 0
        near = 1.3 * self.profile.leading

        def goes_on(index: int) -> bool:
            row = upcoming[index]
            return abs(row.x0 - content) < 2.5 and row.baseline - upcoming[index - 1].baseline < near

        n_rows = count_while(upcoming, goes_on)
        text = join_rows(upcoming[:n_rows], self.profile)
        return self._add_text("list_item", upcoming[:n_rows], text[len(first) :].strip() if bullet else text)

    def _end_paragraph(self) -> None:
        members, self.paragraph = self.paragraph, []
        if _are_entries(members):
            for row in members:
                self._add_text("list_item", [row])
        elif members:
            first_text = self.first and not any(piece.kind == "paragraph" for piece in self.read)
            indented = members[0].x0 > self.column.left + 4
            self._add_text("paragraph", members, open_start=first_text and not indented)

    def _is_apart(self, row: Row, gap: float) -> bool:
        """Whether a row does not go on from the paragraph's last one by its place and type."""
        before = self.paragraph[-1]
        usual = max(self.profile.leading * before.size / self.profile.body_size, 1.05 * before.size)
        right_of = row.x0 > before.x0 + 0.5 * self.profile.body_size
        # The row before ends a sentence, and leaves room for the next row's first word.
        room = self.column.right - before.x1 - (row.words[0].x1 - row.words[0].x0)
        return (
            not 0 <= gap <= FARTHER * usual
            or (abs(row.size - before.size) > OTHER_SIZE * before.size and len(row.text) > 3)
            or (right_of and (len(self.paragraph) > 1 or before.x0 <= self.column.left + 1.5))
            or (before.text[-1] in SENTENCE_END and room > 3.5 * row.size)
            or row.words[0].text in BULLETS
        )


def _are_entries(members: Sequence[Row]) -> bool:
    """Whether rows are a list of lines, such as a word list: the first word of a row never fits on the row before in a
    paragraph, and mostly does in a list."""
    right = max((row.x1 for row in members), default=0.0)
    fits = [one.x1 + two.words[0].x1 - two.x0 + 0.5 * two.size < right for one, two in pairwise(members)]
    return len(members) >= LEAST_ENTRIES and sum(fits) > 0.6 * len(fits)


def without_furniture(page_rows: Sequence[Row], profile: Profile, height: float) -> list[Row]:
    """The rows of a page without its running head and page number."""
    heads = takewhile(
        lambda row: (
            row.baseline < (profile.head_below or 0) or (row.baseline < 0.1 * height and PAGE_NUMBER.match(row.text))
        ),
        page_rows,
    )
    kept = list(page_rows[sum(1 for _ in heads) :])
    while kept and _is_foot(kept, profile, height):
        kept.pop()
    return kept


def _is_foot(kept: Sequence[Row], profile: Profile, height: float) -> bool:
    row = kept[-1]
    number = PAGE_NUMBER.match(row.text) is not None
    lonely = len(kept) < 2 or row.baseline - kept[-2].baseline > 1.1 * profile.leading
    running = profile.foot_above is not None and row.baseline > profile.foot_above
    return (running and (lonely or number)) or (row.baseline > 0.88 * height and number and lonely)


def split_footnotes(
    column: TextColumn, rules: Sequence[RuledLine], profile: Profile
) -> tuple[TextColumn, list[tuple[str, list[Row]]]]:
    """A column without its footnotes, and the mark and rows of each; the mark is empty where one goes on from before.

    They are the smaller rows at the column's foot, below a short rule or beginning with a raised mark.
    """
    start = _footnote_start(column, rules, profile)
    notes: list[tuple[str, list[Row]]] = []
    for row in column.rows[start:]:
        mark, rest = _mark(row)
        if mark or not notes:
            notes.append((mark, [rest]))
        else:
            notes[-1][1].append(row)
    return TextColumn(column.rows[:start], column.left, column.right), notes


def _footnote_start(column: TextColumn, rules: Sequence[RuledLine], profile: Profile) -> int:
    members = column.rows
    start = len(members)
    while start > 0 and members[start - 1].size < 0.95 * profile.body_size:
        start -= 1
    width = column.right - column.left
    for rule in rules:
        if rule.horizontal and abs(rule.x0 - column.left) < 8 and rule.x1 - rule.x0 < 0.6 * width:
            below = next((index for index, row in enumerate(members) if row.baseline > rule.y0), -1)
            if below >= start and (start == 0 or rule.y0 > members[start - 1].baseline - 1):
                return below
    # Small type alone may be a table or a quotation: then only a raised mark tells a footnote.
    return next((index for index in range(start, len(members)) if _mark(members[index])[0]), len(members))


def _mark(row: Row) -> tuple[str, Row]:
    """The mark at the head of a footnote and the row without it; an empty mark where there is none."""
    mark, rest = leading_mark(row)
    # A sign on the line is a mark of judgement.
    told = mark[:1] not in SIGNS or is_raised(row.words[0].runs[0], row.main)
    return (mark.translate(SUPERSCRIPTS), rest) if rest and told and FOOTNOTE_MARK.match(mark) else ("", row)


def gaps(members: Sequence[Row]) -> list[float]:
    """The distance of each row from the one before; a large one before the first."""
    return [99.0, *(two.baseline - one.baseline for one, two in pairwise(members))]


def emphasised(members: Sequence[Row], text: str) -> tuple[tuple[int, int], ...]:
    """The character spans of `text`, which joins the rows, that are in bold or italics; commas at their ends are not
    part of them."""
    spans: list[tuple[int, int]] = []
    last = (False, False)
    at = 0
    for word in (word for row in members for word in row.words):
        whole = text.find(word.text, at, at + len(word.text) + LABEL)
        # A word that a line end divides has lost its hyphen.
        start = whole if whole >= 0 else text.find(word.text[:-1], at, at + len(word.text) + LABEL)
        if start < 0:
            continue
        at = start + len(word.text) - (whole < 0)
        for run in word.runs:
            end = min(start + len(run.text), at)
            kind = run.bold, run.italic
            if any(kind) and spans and kind == last and not text[spans[-1][1] : start].strip():
                spans[-1] = spans[-1][0], end
            elif any(kind) and start < end:
                spans.append((start, end))
            start, last = end, kind
    bare = ((start, start + len(text[start:end].rstrip(",;: "))) for start, end in spans)
    return tuple((start, end) for start, end in bare if start < end)
