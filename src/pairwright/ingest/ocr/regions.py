"""Finds pictures and the cells of unruled tables on a scanned page, with models that are given or may be downloaded."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from pairwright.config import OcrSettings
from pairwright.ingest.ocr.engine import load_model
from pairwright.ingest.ocr.image import Image, crop
from pairwright.ingest.page.data import BBox, RuledLine, union

PICTURES = frozenset({"image", "figure", "chart", "seal"})
LEAST = 0.5


class Regions(NamedTuple):
    """Boxes of pictures, and rules that stand for the borders of unruled tables' cells, in pixels."""

    pictures: tuple[BBox, ...] = ()
    borders: tuple[RuledLine, ...] = ()


class RegionFinder:
    """Finds regions with the models that the settings allow; without a layout model it finds none."""

    def __init__(self, settings: OcrSettings) -> None:
        self.settings = settings

    def find(self, image: Image, ruled: Sequence[RuledLine]) -> Regions:
        """The regions of a level page image in BGR order; tables with `ruled` lines between columns need no model."""
        if not (self.settings.layout_dir or self.settings.allow_downloads):
            return Regions()
        regions = [
            (region["label"], _corners(region["coordinate"]))
            for region in self._layout.predict(image)[0]["boxes"]
            if float(region["score"]) >= LEAST
        ]
        unruled = [box for label, box in regions if label == "table" and not _has_columns(box, ruled)]
        return Regions(
            pictures=tuple(box for label, box in regions if label in PICTURES),
            borders=tuple(line for box in unruled for line in self._borders(image, box)),
        )

    def _borders(self, image: Image, box: BBox) -> list[RuledLine]:
        """The borders of the cells of the table in a box; none where no structure model can be loaded."""
        if not (self.settings.table_structure_dir or self.settings.allow_downloads):
            return []
        cells = map(_corners, self._structure.predict(np.ascontiguousarray(crop(image, box)))[0]["bbox"])
        return grid([(x0 + box[0], y0 + box[1], x1 + box[0], y1 + box[1]) for x0, y0, x1, y1 in cells])

    @cached_property
    def _layout(self) -> Any:
        return load_model("LayoutDetection", self.settings, self.settings.layout, self.settings.layout_dir)

    @cached_property
    def _structure(self) -> Any:
        name, directory = self.settings.table_structure, self.settings.table_structure_dir
        return load_model("TableStructureRecognition", self.settings, name, directory)


def _has_columns(box: BBox, ruled: Sequence[RuledLine]) -> bool:
    """Whether two or more upright lines are printed in a box."""
    x0, y0, x1, y1 = box[0] - 9, box[1] - 9, box[2] + 9, box[3] + 9
    upright = [line for line in ruled if line.x0 == line.x1]
    return sum(x0 < line.x0 < x1 and y0 < line.y0 and line.y1 < y1 for line in upright) > 1


def grid(cells: Sequence[BBox]) -> list[RuledLine]:
    """Lines between the rows and columns of cell boxes, and around them all.

    Rows are cells whose heights overlap by half. A line between columns is left out where a merged cell would be cut.
    """
    if len(cells) < 2:
        return []
    rows: list[list[BBox]] = []
    for cell in sorted(cells, key=lambda cell: cell[1] + cell[3]):
        middle = (cell[1] + cell[3]) / 2
        if rows and middle < union(rows[-1])[3] - 0.25 * (cell[3] - cell[1]):
            rows[-1].append(cell)
        else:
            rows.append([cell])
    left, _, right, _ = union(cells)
    edges = [(y0, y1) for _, y0, _, y1 in map(union, rows)]
    ys = [edges[0][0], *((above[1] + below[0]) / 2 for above, below in pairwise(edges)), edges[-1][1]]
    fullest = max(rows, key=len)
    xs = [left, *((one[2] + two[0]) / 2 for one, two in pairwise(sorted(fullest))), right]
    lines = [RuledLine(left, y, right, y) for y in ys]
    for row, (top, bottom) in zip(rows, pairwise(ys), strict=True):
        lines += [RuledLine(x, top, x, bottom) for x in xs if not any(cell[0] + 3 < x < cell[2] - 3 for cell in row)]
    return lines


def _corners(points: Sequence[float]) -> BBox:
    """The box around a region, which models give by two corners or by four."""
    xs, ys = points[0::2], points[1::2]
    return float(min(xs)), float(min(ys)), float(max(xs)), float(max(ys))
