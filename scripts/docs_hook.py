"""A hook of MkDocs: puts the tables that are made from the code into the pages (`src/pairwright/cli/docs.py`)."""

from typing import Any

from pairwright.cli.docs import filled


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with its tables."""
    return filled(markdown)
