"""`pairwright show`: the rules of a source, or its pages and what was read there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.cli.inspect.rules import rules_lines
from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option, Password


def show(
    workspace: Workspace,
    source: str,
    *,
    pages: Annotated[str | None, Option("Show these pages, such as 10-14,20, and what was read there.")] = None,
    html: Annotated[bool, Option("Write the rules as a page, with quotations, places and pairs.")] = False,
    file: Annotated[str | None, Option("File of the source, if it has several.")] = None,
    out: Annotated[Path | None, Option("File or folder to write (default: under output).")] = None,
    password: Password = None,
) -> Iterator[str]:
    """Show a source's rules or its pages.

    SOURCE is its id or folder. You see the rules and which of them give pairs; with --pages, pictures of its pages and
    how each part was read.
    """
    if pages is not None and html:
        raise ConfigError("--html is a page of rules, --pages one of what was read; give one of them")
    if pages is not None:
        # Draws with PyMuPDF and OpenCV, which lists do without.
        from pairwright.cli.inspect.pages import preview_lines

        return preview_lines(workspace, source, pages, file, out)
    return rules_lines(workspace, source, html, out)
