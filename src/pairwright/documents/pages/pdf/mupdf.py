"""PyMuPDF, imported when the first document is opened, and its types by name."""

import sys
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pymupdf

MupdfDocument: TypeAlias = "pymupdf.Document"
MupdfPage: TypeAlias = "pymupdf.Page"


# What PyMuPDF imports at its own import where it is installed: a third of the time, for what is never used here. Both
# load onnxruntime, which looks up a telemetry host.
EXTRAS = ("pymupdf.layout", "pymupdf4llm")


@cache
def load_pymupdf() -> Any:
    """The package, without its messages and without `EXTRAS`."""
    blocked = [] if "pymupdf" in sys.modules else [name for name in EXTRAS if name not in sys.modules]
    # An entry of None makes an import raise ImportError, which PyMuPDF expects.
    sys.modules.update(dict.fromkeys(blocked))  # type: ignore[arg-type]
    try:
        import pymupdf
    finally:
        for name in blocked:
            del sys.modules[name]
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    # pymupdf4llm sets this when it is imported: boxes may not depend on whether some other code does that.
    pymupdf.TOOLS.unset_quad_corrections(True)
    # Two fonts may differ in nothing but the name of their subset.
    pymupdf.TOOLS.set_subset_fontnames(True)
    return pymupdf
