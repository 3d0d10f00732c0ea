"""Writes the blocks of some pages as one HTML file, with pictures of the pages on which the blocks are drawn."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, get_args

from jinja2 import Environment
from markupsafe import Markup

from pairwright.core.errors import SourceError
from pairwright.core.ids import digest
from pairwright.core.records import Block, BlockKind, Rejection
from pairwright.core.store import write_text
from pairwright.core.templates import html_templates, script_hash
from pairwright.documents.pages.pdf import MupdfDocument, draw, open_document
from pairwright.documents.preview import view
from pairwright.documents.preview.pictures import data_uri
from pairwright.documents.source import Document

DPI = 150
MAX_PIXELS = 4_000_000
MAX_PAGES = 300
# Below this the OCR engine's own figure says that some letters of a block, or a word, are likely wrong.
DOUBTFUL, DOUBTFUL_WORD = 0.9, 0.6
_RANGE = re.compile(r"\s*(?P<first>[0-9]{1,9})\s*(?:[-–]\s*(?P<last>[0-9]{1,9})\s*)?")
_HERE = Path(__file__).parent


class ShownPage(NamedTuple):
    """A page with its blocks and rejections; its picture as a data URI with the page's size in points, or the fault."""

    number: int
    blocks: Sequence[Block]
    rejections: Sequence[Rejection]
    picture: str = ""
    size: tuple[float, float] = (1.0, 1.0)
    fault: str = ""


def parse_pages(text: str) -> tuple[int, ...]:
    """Pages such as `10-14,20` as their numbers from 1, sorted, each once. Raises SourceError for any other text."""
    pages: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            raise SourceError(f"pages '{text}': '{part.strip()}' is no page or range; write them as 10-14,20")
        first, last = int(match["first"]), int(match["last"] or match["first"])
        if first < 1 or last < first:
            raise SourceError(f"pages '{text}': '{part.strip()}': pages count from 1, and a range goes upwards")
        pages.update(range(first, min(last, first + MAX_PAGES) + 1))
        if len(pages) > MAX_PAGES:
            raise SourceError(f"pages '{text}': more than {MAX_PAGES} pages; look at fewer at a time")
    return tuple(sorted(pages))


def page_ranges(pages: Sequence[int]) -> str:
    """Sorted page numbers as people write them: `10-14,20`."""
    # Within a range, pages and their indices grow alike.
    ranges = [[page for _, page in run] for _, run in groupby(enumerate(pages), lambda item: item[1] - item[0])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ranges)


def file_name(document: Document, pages: Sequence[int]) -> str:
    """The name of a preview: the source, its file where it has several, and the pages, shortened where many."""
    ranges = page_ranges(pages).replace(",", "_")
    if len(ranges) > 60:
        ranges = f"{pages[0]}-{pages[-1]}-{digest(list(pages))[:8]}"
    several = f"-{Path(document.file.path).stem}" if len(document.source.files) > 1 else ""
    return f"{document.source.id}{several}-{ranges}.html"


def write_preview(path: Path, document: Document, numbers: Sequence[int]) -> None:
    """Writes the preview of pages, counted from 1, as one file that needs neither the network nor other files.

    A page that can't be drawn says why. Raises SourceError where the document can't be opened or a page does not exist.
    """
    opening: AbstractContextManager[MupdfDocument | None] = open_document(document.path)
    with nullcontext() if document.is_text else opening as opened:
        n_pages = max(block.page for block in document.blocks) if opened is None else opened.page_count
        if numbers[-1] > n_pages:
            raise SourceError(f"{document.path}: page {numbers[-1]} of {n_pages}; name pages that exist")
        pages = [_shown(document, number, opened) for number in numbers]
    counts = Counter(block.kind for page in pages for block in page.blocks)
    script = (_HERE / "preview.js").read_text(encoding="utf-8")
    text = (
        environment()
        .get_template("preview.html.j2")
        .render(
            document=document,
            source=document.source,
            n_pages=n_pages,
            ranges=page_ranges(numbers).replace("-", "–").replace(",", ", "),
            pages=pages,
            kinds=[(kind, counts[kind]) for kind in get_args(BlockKind) if counts[kind]],
            # The blocks before and after a page break that belong together, and where blocks stand on this page.
            by_id={block.id: block for block in document.blocks},
            following={block.continues: block for block in document.blocks if block.continues},
            anchors={block.id: f"p{page.number}b{n}" for page in pages for n, block in enumerate(page.blocks, start=1)},
            is_doubtful=lambda block: block.confidence is not None and block.confidence < DOUBTFUL,
            doubtful_word=DOUBTFUL_WORD,
            script=Markup(script),
            script_hash=script_hash(script),
        )
    )
    write_text(path, text)


def _shown(document: Document, number: int, opened: "MupdfDocument | None") -> ShownPage:
    page = ShownPage(
        number,
        [block for block in document.blocks if block.page == number],
        [item for item in document.rejections if item.page == number],
    )
    if opened is None:
        return page
    try:
        image = draw(opened, number, DPI, MAX_PIXELS)
    except SourceError as fault:
        return page._replace(fault=str(fault))
    return page._replace(picture=data_uri(image.pixels), size=(image.width, image.height))


def environment(*folders: Path) -> Environment:
    """The templates of `folders`, and those that show blocks. Signs that a browser does not show appear as numbers."""
    made = html_templates(*folders, _HERE, finalize=view.visible)
    filters = view.emphasised, view.labelled, view.columns, view.rows, view.place
    made.filters.update({named.__name__: named for named in filters}, plain=Markup.escape, share="{:.2f}".format)
    return made
