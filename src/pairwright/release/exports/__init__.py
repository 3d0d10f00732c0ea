"""The release for other tools: each export is a folder of its own, which the tool loads as it is.

An export gets its folder and the material. It returns None, or, where this release has nothing for it, the reason in
words, having written nothing.
"""

from collections.abc import Callable
from pathlib import Path

from pairwright.release.contents.contents import Material
from pairwright.release.exports.blimp import write_blimp
from pairwright.release.exports.cldf import write_cldf
from pairwright.release.exports.euroeval import write_euroeval
from pairwright.release.exports.lm_eval import write_lm_eval
from pairwright.release.exports.minicons import write_minicons

EXPORTS: dict[str, Callable[[Path, Material], str | None]] = {
    "blimp": write_blimp,
    "lm_eval": write_lm_eval,
    "euroeval": write_euroeval,
    "minicons": write_minicons,
    "cldf": write_cldf,
}
