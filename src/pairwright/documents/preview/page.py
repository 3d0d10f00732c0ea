"""Writes the blocks of some pages as one HTML file, with pictures of the pages on which the blocks are drawn."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import get_args

from jinja2 import Environment
from markupsafe import Markup

from pairwright.core import store
from pairwright.core.errors import SourceError
from pairwright.core.ids import digest
from pairwright.core.records import BlockKind
from pairwright.core.templates import html_templates, script_hash
from pairwright.documents.pages.pdf import MupdfDocument, draw, open_document
from pairwright.documents.preview import view
from pairwright.documents.preview.pictures import data_uri
from pairwright.documents.stage_blocks import Document

DPI = 150
MAX_PIXELS = 4_000_000
MAX_PAGES = 300
_RANGE = re.compile(r"\s*(?P<first>[0-9]{1,9})\s*(?:[-–]\s*(?P<last>[0-9]{1,9})\s*)?")
_HERE = Path(__file__).parent


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


def write_preview(path: Path, document: Document, pages: Sequence[int], password: str | None = None) -> None:
    """Writes the preview of pages, counted from 1, as one file that needs neither the network nor other files.

    A page that can't be drawn says why. Raises SourceError where the document can't be opened or a page does not exist.
    """
    n_pages, shown = _drawn(document, pages, password)
    script = (_HERE / "preview.js").read_text(encoding="utf-8")
    counts = Counter(item.block.kind for page in shown for item in page.blocks)
    template = environment().get_template("preview.html.j2")
    text = template.render(
        source=document.source,
        file=document.file,
        n_pages=n_pages,
        conventions=document.conventions,
        ranges=page_ranges(pages).replace("-", "–").replace(",", ", "),
        pages=shown,
        elsewhere=[item for item in document.rejections if item.page is None],
        kinds=[(kind, counts[kind]) for kind in get_args(BlockKind) if counts[kind]],
        script=Markup(script),
        script_hash=script_hash(script),
    )
    store.write_text(path, text)


def _drawn(document: Document, numbers: Sequence[int], password: str | None) -> tuple[int, list[view.ShownPage]]:
    """How many pages a document has, and the pages of these numbers with their pictures."""
    opening: AbstractContextManager[MupdfDocument | None] = open_document(document.path, password)
    with nullcontext() if document.is_text else opening as opened:
        n_pages = max(block.page for block in document.blocks) if opened is None else opened.page_count
        if numbers[-1] > n_pages:
            raise SourceError(f"{document.path}: page {numbers[-1]} of {n_pages}; name pages that exist")
        return n_pages, [_with_picture(page, opened) for page in view.pages(document, numbers)]


def _with_picture(page: view.ShownPage, opened: "MupdfDocument | None") -> view.ShownPage:
    """A page with its picture, or with the reason why there is none."""
    if opened is None:
        return replace(page, fault="a text document has no page image")
    try:
        image = draw(opened, page.number, DPI, MAX_PIXELS)
    except SourceError as fault:
        return replace(page, fault=str(fault))
    return page.with_picture(image, data_uri(image.pixels))


def environment(*folders: Path) -> Environment:
    """The templates of `folders`, and those that show blocks. Signs that a browser does not show appear as numbers."""
    made = html_templates(*folders, _HERE, finalize=view.visible)
    made.filters.update(emphasised=view.emphasised, labelled=view.labelled, columns=view.columns, rows=view.rows)
    made.filters.update(plain=Markup.escape, share="{:.2f}".format)
    return made
