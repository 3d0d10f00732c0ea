"""PyMuPDF, imported when the first document is opened, and its types by name."""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pymupdf

MupdfDocument: TypeAlias = "pymupdf.Document"
MupdfPage: TypeAlias = "pymupdf.Page"


@cache
def load_pymupdf() -> Any:
    """The package, without its messages and its layout models.

    Those models are a third of the import's time, are never used here, and load onnxruntime, which looks up a
    telemetry host.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    block = "pymupdf" not in sys.modules and "pymupdf.layout" not in sys.modules
    if block:
        # An entry of None makes `import pymupdf.layout` raise ImportError, which PyMuPDF expects.
        sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]
    try:
        import pymupdf
    finally:
        if block:
            del sys.modules["pymupdf.layout"]
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    return pymupdf
