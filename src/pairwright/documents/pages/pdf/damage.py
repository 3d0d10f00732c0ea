"""What is damaged in a page. MuPDF reads on past most damage, and says so in its warnings alone."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pairwright.documents.pages.pdf.mupdf import load_pymupdf

# Warnings behind which no text is missing: of the shapes and names of fonts, whose characters are known all the same,
# of colours, lines, links, notes and form fields, of what MuPDF had to find anew and found. All others count as damage,
# so that no new warning passes as harmless.
_HARMLESS = re.compile(
    r"""(?x) \.\.\.\ repeated
    | (?:library\ error:\ )? FT_ | freetype | .*\bglyph | non-embedded\ font | ignored\ error\ when\ loading\ embedded
    | .*\b(?:builtin|substitute)\ .*font | bogus\ font | .*\bfont-face | .*\bsystem\ CMap | ignoring\ one\ to\ many
    | .*\bICC\b | .*[Cc]olou?r | .*blending | .*[Tt]ransfer\ function | .*\bhalftone | .*\bshading
    | .*\bno\ current\ point | .*\bmiter | .*\bdash
    | .*[Oo]utline | .*\blinks?\b | .*\bannot | .*appearance\ stream | .*\bwidget | .*\bfield | .*\baction\b
    | .*Optional\ Content | .*structure\ tree | .*marked\ content | ActualText | .*Root/Version | .*output\ intent
    | PDF\ stream\ Length\ incorrect | line\ feed\ missing | .*follow-up\ resource\ dictionaries
    | gstate\ (?:over|under)flow | .*\bunbalanced | ignoring\ XObject\ with\ subtype\ PS
    """
)


def mupdf_faults() -> tuple[type[Exception], ...]:
    """What PyMuPDF raises of a document; MuPDF's own errors are no RuntimeErrors."""
    return RuntimeError, ValueError, IndexError, load_pymupdf().mupdf.FzErrorBase


_seen = False  # whether anything damaged was met in this process


@contextmanager
def watch_damage() -> Iterator[list[str]]:
    """A list that holds, at the end of the block, what was found damaged in it, each thing once.

    MuPDF warns when it loads a font, and not again for the pages that share it. So behind the first damage nothing that
    was loaded is kept for the next page, and each page tells its own.
    """
    global _seen
    tools: Any = load_pymupdf().TOOLS
    _seen = _seen or bool(_warnings())
    if _seen:
        tools.store_shrink(100)
    damage: list[str] = []
    try:
        yield damage
    finally:
        damage += _warnings()
        _seen = _seen or bool(damage)


def _warnings() -> Iterable[str]:
    """The warnings of damage since they were last asked for."""
    lines = load_pymupdf().TOOLS.mupdf_warnings(reset=True).splitlines()
    return dict.fromkeys(line for line in lines if line and not _HARMLESS.match(line))
