"""Cells that a structure model finds become the rules that the shared table code reads."""

import numpy as np
from typed_pages import tabbed

from pairwright.config import OcrSettings
from pairwright.ingest.layout.tables.ruled import ruled_tables
from pairwright.ingest.ocr.regions import RegionFinder, Regions, grid
from pairwright.ingest.page.data import Profile, RuledLine
from pairwright.ingest.page.rows import rows


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
    assert RuledLine(100.0, 0.0, 100.0, 24.0) not in upright
    assert [line.x0 for line in upright if line.y0 == 0.0] == [0.0, 200.0]


def test_without_a_layout_model_there_are_no_regions() -> None:
    assert RegionFinder(OcrSettings()).find(np.full((200, 200, 3), 255, np.uint8), []) == Regions()


def test_the_words_between_borders_are_the_cells_of_an_unruled_table() -> None:
    texts = (("Linksnis", "Vienaskaita forma"), ("Vardininkas", "miškas"), ("Galininkas", "mišką"))
    runs, boxes = [], []
    for index, (name, form) in enumerate(texts):
        y = 100.0 + 14 * index
        runs += tabbed([(60.0, name), (118.0, form)], y)
        boxes += [(58.0, y - 12, 116.0, y + 2), (117.0, y - 12, 260.0, y + 2)]
    rules = [RuledLine(line.x0, line.y0, line.x1, line.y1) for line in grid(boxes)]
    (table,) = ruled_tables(rows(runs), rules, Profile())
    assert table.cells == texts
