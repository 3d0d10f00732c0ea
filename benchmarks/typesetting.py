"""Sets pages with the `typst` wheel, which carries its compiler and fonts: the same version gives the same bytes."""

import json
from pathlib import Path
from typing import Any

import typst

Json = dict[str, Any]


def set_pages(layout: Path, data: Json) -> tuple[bytes, list[Json]]:
    """The PDF that a layout makes of the data, and the values of the layout's metadata elements labelled <at>."""
    fonts = typst.Fonts(include_system_fonts=False)
    inputs = {"data": json.dumps(data, ensure_ascii=False)}
    compiler = typst.Compiler(str(layout), root=str(layout.parent), font_paths=fonts, sys_inputs=inputs)
    places: list[Json] = json.loads(compiler.query("<at>", field="value"))
    pdf = compiler.compile(format="pdf", pdf_tags=False)
    assert isinstance(pdf, bytes)
    return pdf, places
