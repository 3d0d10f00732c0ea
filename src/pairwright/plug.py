"""The one place where extras are plugged in: commands, flows and steps take them from here."""

from pairwright.extras import matrices, scala, segmentation
from pairwright.pipeline.extra import Extra

EXTRAS: tuple[Extra, ...] = (matrices.EXTRA, scala.EXTRA, segmentation.EXTRA)
