"""Reads a grammar book page by page.

`learn_book` reads the book once, fast, and returns its profile. With it, each page can be read alone, in any order and
in any process; `lay_out` gives a scan its blocks when all scans are known. `link` then goes through the pages in order
and gives each block its section and what it continues.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from pairwright.core.errors import SourceError
from pairwright.core.ids import content_id, file_sha256
from pairwright.core.records import Block, BlockKind, Record, Rejection
from pairwright.documents.lines.data import (
    BBox,
    GlyphCount,
    InkCoverage,
    PageData,
    Profile,
    find_forms,
    is_garbage,
    turn_box,
)
from pairwright.documents.lines.profile import learn, sample
from pairwright.documents.pages.layout import PagePiece, read_pieces
from pairwright.documents.pages.pdf import MupdfDocument, ink_coverage, open_document, read_outline
from pairwright.documents.pages.text_layer import count_glyphs, read_page_data
from pairwright.languages.conventions import Conventions, usual_conventions

Reader = Literal["text", "ocr", "blank"]
PageReader = Callable[[Path, int], PageData]
OnPage = Callable[[int], None]
FLOATS: frozenset[BlockKind] = frozenset({"table", "caption", "figure"})
_MUPDF_KIND = re.compile(r"^(?:[a-z]+ error: )+")
# A page with more unread ink than this has words in a script that the recogniser does not know, or is badly spoiled.
MAX_UNREAD = 0.1
OTHER_SCRIPT = (
    "compare the page with its picture. For a script that the recogniser does not read, add a text layer with Tesseract"
    " (ocrmypdf -l LANGUAGE IN OUT), or set ingest.ocr.recognition_dir"
)
SENTENCE_END = '.!?:;…”’"»)'
MAX_UNMAPPED, MAX_GARBAGE, MIN_READABLE = 0.08, 0.05, 0.55
MIN_BOXES_WITH_INK, MIN_INK_IN_BOXES, BLANK = 0.6, 0.25, 0.0005


class ReaderChoice(NamedTuple):
    """The reader of a page and why it was chosen."""

    reader: Reader
    reason: str


def needs_ink(page: PageData) -> bool:
    """Whether the page must be looked at: it has no text, hidden text, or a picture over most of it."""
    pictured = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in page.pictures) > 0.5 * page.width * page.height
    return page.n_glyphs == 0 or pictured or 2 * page.n_hidden > page.n_glyphs


def choose_reader(page: PageData, ink: InkCoverage | None = None, forced: Reader | None = None) -> ReaderChoice:
    """The reader that a page needs. Give `ink` where `needs_ink` says so; `forced` decides alone."""
    if forced is not None:
        return ReaderChoice(forced, "chosen by option")
    if page.n_glyphs == 0:
        blank = ink is not None and ink.dark < BLANK
        return ReaderChoice("blank", "no text and no ink") if blank else ReaderChoice("ocr", "no text layer")
    text = "".join(run.text for run in page.runs)
    plain = text.replace(".", "")
    unmapped, garbage = page.n_unmapped / page.n_glyphs, sum(map(is_garbage, text)) / max(len(text), 1)
    readable = sum(map(str.isalnum, plain)) / max(len(plain), 1)
    on_ink, covered = (ink.boxes_with_ink, ink.ink_in_boxes) if ink else (1.0, 1.0)
    hidden = " (a hidden layer that lies on the ink)" if 2 * page.n_hidden > page.n_glyphs else ""
    faults = (
        (unmapped > MAX_UNMAPPED, f"{unmapped:.0%} of the glyphs have no Unicode value"),
        (not text, "the text layer holds only spaces"),
        (garbage > MAX_GARBAGE, f"{garbage:.0%} of the characters are garbage"),
        (readable < MIN_READABLE and len(text) > 200, f"only {readable:.0%} of the characters are letters or digits"),
        (on_ink < MIN_BOXES_WITH_INK, f"only {on_ink:.0%} of the text layer lies on ink"),
        (covered < MIN_INK_IN_BOXES and needs_ink(page), f"the text layer covers only {covered:.0%} of the ink"),
    )
    fault = next((reason for is_so, reason in faults if is_so), None)
    return ReaderChoice("ocr", fault) if fault else ReaderChoice("text", f"sane text layer{hidden}")


class Book(Record):
    """A document that is ready to be read: its file, its name in its source, its hash and its profile.

    profile  of the text layer; `scans` of the pages that OCR read, once they are known
    """

    path: Path
    name: str
    source_id: str
    sha256: str
    profile: Profile
    scans: Profile | None = None

    @property
    def n_pages(self) -> int:
        return self.profile.n_pages


class PageBlocks(Record):
    """The result of reading one page: blocks without sections, rejections, and the choice of its reader.

    A page has both where a part of it is damaged.

    open_ids  the blocks that may go on from the page before
    scan      what OCR read on the page, which gives blocks when all scans are known: see `lay_out`
    """

    page: int
    choice: ReaderChoice
    blocks: tuple[Block, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    open_ids: tuple[str, ...] = ()
    scan: PageData | None = None


def learn_book(
    path: Path,
    source_id: str,
    name: str | None = None,
    *,
    conventions: Conventions | None = None,
    use_outline: bool = True,
    leave_out: Collection[int] = (),
    on_page: OnPage = lambda number: None,
) -> Book:
    """Opens a book and learns its profile from its text layer, without the pages of `leave_out`. Raises SourceError.

    `name` is what blocks call the file, else its path. With `use_outline`, the document's outline decides the headings
    and their levels. `on_page` is called before each page that is looked at.
    """
    with open_document(path) as document:
        numbers = [number for number in sample(document.page_count) if number not in leave_out]
        counts: GlyphCount = Counter()
        for number in numbers[:: max(1, len(numbers) // 80)]:
            on_page(number)
            with suppress(SourceError):
                count_glyphs(document, number, counts)
        forms = find_forms(counts)
        outline = read_outline(document) if use_outline else ()

        def pages() -> Iterator[PageData]:
            for number in numbers:
                on_page(number)
                # A page that can't be read teaches nothing; `read_pages` reports it.
                with suppress(SourceError):
                    yield read_page_data(document, number, forms)

        profile = learn(pages(), document.page_count, outline, forms, conventions)
    sha256 = file_sha256(path)
    return Book(path=path, name=name or str(path), source_id=source_id, sha256=sha256, profile=profile)


def read_pages(
    book: Book, pages: Iterable[int] | None = None, ocr: PageReader | None = None, reader: Reader | None = None
) -> Iterator[PageBlocks]:
    """The blocks of pages, counted from 1, in the given order; all pages where none are named.

    `reader` is that of all pages; without it, each has the one that it needs. `ocr` reads a page by its picture: it
    takes the file and the page's number. Without it, a page that needs it gives a Rejection, as does one that can't be
    read. Raises SourceError where a page does not exist.
    """
    with open_document(book.path) as document:
        for number in pages if pages is not None else range(1, document.page_count + 1):
            if not 1 <= number <= document.page_count:
                raise SourceError(f"{book.path}: page {number} of {document.page_count}; name pages that exist")
            yield _read(document, book, number, ocr, reader)


def _read(
    document: MupdfDocument, book: Book, number: int, ocr: PageReader | None, reader: Reader | None
) -> PageBlocks:
    scan = None
    try:
        page = read_page_data(document, number, book.profile.forms)
        ink = ink_coverage(document, page) if needs_ink(page) and reader is None else None
        chosen = choose_reader(page, ink, reader)
        damage = [*page.damage, *(ink.damage if ink else ())]
        if chosen.reader == "ocr":
            if ocr is None:
                return rejected(book, number, chosen, f"needs OCR: {chosen.reason}")
            page = scan = ocr(book.path, number)
            damage += page.damage
    except SourceError as fault:
        return rejected(book, number, ReaderChoice("text", "could not be read"), str(fault))
    read = PageBlocks(page=number, choice=chosen, scan=scan)
    if chosen.reader == "text":
        profile = book.profile if book.profile.body_font else _learned(book, [page])
        read = _with_blocks(read, page, book, profile)
    faults = []
    if damage:
        part = "part of the page" if read.blocks or (scan and scan.runs) else "the text of the page"
        detail = _MUPDF_KIND.sub("", damage[0])[:120]
        faults.append(f"damaged, so that {part} may be missing ({detail}); compare it with another copy of the file")
    if page.unread > MAX_UNREAD:
        faults.append(f"OCR: {page.unread:.0%} of the print gave no sure words; {OTHER_SCRIPT}")
    rejections = [rejection for fault in faults for rejection in rejected(book, number, chosen, fault).rejections]
    return read.model_copy(update={"rejections": tuple(rejections)}) if rejections else read


def rejected(book: Book, number: int, chosen: ReaderChoice, reason: str) -> PageBlocks:
    """A page that gave nothing, with the reason."""
    rejection = Rejection(stage="blocks", source_id=book.source_id, reason=reason, text="", file=book.name, page=number)
    return PageBlocks(page=number, choice=chosen, rejections=(rejection,))


def _with_blocks(read: PageBlocks, page: PageData, book: Book, profile: Profile) -> PageBlocks:
    """A page with the blocks of its typed data, from whichever reader it came."""
    repetitions: Counter[tuple[str, str]] = Counter()
    blocks, open_ids = [], []
    for piece in read_pieces(page, profile):
        repetitions[piece.kind, piece.text] += 1
        blocks.append(_block(piece, page, book, repetitions[piece.kind, piece.text]))
        open_ids += [blocks[-1].id] if piece.open_start else []
    return read.model_copy(update={"blocks": tuple(blocks), "open_ids": tuple(open_ids)})


def learn_scans(book: Book, scans: Iterable[PageData]) -> Book:
    """The book with what its pages that OCR read show together: running heads, type sizes, headings."""
    return book.model_copy(update={"scans": _learned(book, scans)})


def _learned(book: Book, pages: Iterable[PageData]) -> Profile:
    return learn(pages, book.n_pages, book.profile.outline, conventions=book.profile.conventions)


def lay_out(page: PageBlocks, book: Book) -> PageBlocks:
    """A page that OCR read with its blocks, by the profile of all such pages; any other page as it is."""
    if page.scan is None:
        return page
    return _with_blocks(page, page.scan, book, book.scans or _learned(book, [page.scan]))


def _block(piece: PagePiece, page: PageData, book: Book, repetition: int) -> Block:
    table, (left, top, right, bottom) = piece.table, piece.box
    inside = (run for run in page.runs if left <= run.x0 and run.x1 <= right and top <= run.y0 and run.y1 <= bottom)
    sure = [run.confidence for run in inside if run.confidence is not None]

    def shown(box: BBox) -> BBox:
        """The box on the page as it is shown."""
        x0, y0, x1, y1 = turn_box(box, page.turn, page.width, page.height)
        return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)

    return Block(
        id=content_id("block", book.sha256, page.number, piece.kind, piece.text, repetition),
        source_id=book.source_id,
        kind=piece.kind,
        text=piece.text,
        file=book.name,
        page=page.number,
        bbox=shown(piece.box),
        level=piece.level,
        emphasis=piece.emphasis,
        cells=table.cells if table else None,
        cell_boxes=tuple(tuple(box and shown(box) for box in row) for row in table.boxes) if table else None,
        header_rows=table.header_rows if table else 0,
        notes=table.notes if table else (),
        gloss=piece.gloss,
        reader=page.reader,
        confidence=round(fmean(sure), 4) if sure else None,
    )


def link(pages: Iterable[PageBlocks], conventions: Conventions | None = None) -> Iterator[PageBlocks]:
    """Pages in order, each block with its section path, and with the block of an earlier page that it goes on from."""
    conventions = conventions or usual_conventions()
    path: list[tuple[int, str]] = []
    # The last block of the running text, past which tables may float, the last table and the last footnote of a page.
    ends: dict[str, Block] = {}
    for page in pages:
        before, ends = ends, {} if page.blocks else ends
        blocks = []
        leading = True
        for block in page.blocks:
            if block.kind == "heading":
                path = [(level, title) for level, title in path if level < (block.level or 1)]
            linked = block.model_copy(update={"section": tuple(title for _, title in path)})
            if leading:
                linked = _continued(linked, before, block.id in page.open_ids, conventions)
            leading = leading and (linked.continues is not None or block.kind in FLOATS)
            # A table goes on from the page before where it is the first of its page and no caption begins a new one.
            if block.kind == "table" or (block.kind == "caption" and not conventions.continued.search(block.text)):
                before.pop("table", None)
            if block.kind == "heading":
                path.append((block.level or 1, block.text))
            if block.kind in {"footnote", "table"}:
                ends[block.kind] = linked
            # Examples of footnotes stand after the first footnote.
            elif block.kind not in FLOATS and "footnote" not in ends:
                ends["text"] = linked
            blocks.append(linked)
        yield page.model_copy(update={"blocks": tuple(blocks)})


def _continued(block: Block, before: dict[str, Block], opened: bool, conventions: Conventions) -> Block:
    """The block, with the one of the page before that it goes on from; `opened` says that it may be no beginning."""
    last = before.get(block.kind if block.kind in {"footnote", "table"} else "text")
    if last is None:
        return block
    if opened and block.gloss and block.gloss.parts and last.gloss and last.gloss.parts:
        one, two = last.gloss.parts[-1].number, block.gloss.parts[0].number
        if one is not None and two is not None and conventions.letter(f"{two}.") and one < two:
            gloss = block.gloss.model_copy(update={"number": last.gloss.number})
            return block.model_copy(update={"gloss": gloss, "continues": last.id})
    same_table = block.kind == "table" == last.kind and len((block.cells or ((),))[0]) == len((last.cells or ((),))[0])
    same_text = opened and block.kind == last.kind in {"paragraph", "footnote"} and last.text[-1] not in SENTENCE_END
    return block.model_copy(update={"continues": last.id}) if same_table or same_text else block
